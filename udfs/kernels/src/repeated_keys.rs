//! The keys that several rows have, and those of them that many rows have.
//!
//! Keys are counted in ranges, each by itself, so that the tasks of a cluster divide the ranges among them: a task holds the
//! keys of its ranges, four bytes for each. What remains of a range are the keys that occur several times, and all ranges
//! give one filter of these. A filter in which all keys were counted would need several times its bytes.

use std::iter::once;
use std::mem::take;

use crate::key_filter::WrongFilter;
use crate::prefetch::prefetch;
use crate::varint::{push_varint, read_varint};

/// The number of highest bits of a key that are its range.
const RANGE_BITS: u32 = 6;
/// The number of bits that stand for a key in its range.
const HASH_BITS: u32 = 32;
/// The bit of a key, in a join of several parts, whose bucket may be oversized ([`RepeatedKeys::get`]).
const MARK: u64 = 1 << 63;

/// The factors of the multiplicative hashes that give a key its number, and a number its bits in a filter.
const OF_KEY: u64 = 0x9E37_79B9_7F4A_7C15;
const OF_NUMBER: u64 = 0xC2B2_AE3D_27D4_EB4F;

/// A number of 38 bits for a key: its range, and a hash of it.
#[inline]
fn number(key: u64) -> u64 {
    u64::from(range(key)) << HASH_BITS | u64::from(hash(key))
}

#[inline]
fn range(key: u64) -> u8 {
    (key >> (u64::BITS - RANGE_BITS)) as u8
}

#[inline]
fn hash(key: u64) -> u32 {
    (key.wrapping_mul(OF_KEY) >> 32) as u32
}

/// Numbers in ascending order, as bytes: the difference of each from the one before it.
#[derive(Debug, Default)]
struct Ascending(u32);

impl Ascending {
    fn push(&mut self, bytes: &mut Vec<u8>, number: u32) {
        push_varint(bytes, number - self.0);
        self.0 = number;
    }

    fn read(&mut self, bytes: &mut &[u8]) -> Option<u32> {
        self.0 = self.0.checked_add(read_varint(bytes)?)?;
        Some(self.0)
    }
}

/// Counts the keys of a range: those that agree in their six highest bits. Equal keys, in any order and in any parts, give
/// the same result. Keys of a range with the same 32-bit hash count as one.
#[derive(Debug, Default)]
pub struct KeyOccurrences {
    range: Option<u8>,
    /// Hashes of keys that occurred once before, ascending, and of those that occurred several times, with their number.
    once: Vec<u32>,
    several: Vec<(u32, u32)>,
    /// What was added since.
    new: Vec<u32>,
    new_several: Vec<(u32, u32)>,
}

impl KeyOccurrences {
    /// New keys are sorted when there are more of them than this, and more than of others.
    const MIN_NEW: usize = 1 << 14;

    /// Counts a key of a row.
    ///
    /// # Errors
    /// If keys of another range were counted.
    #[inline]
    pub fn add(&mut self, key: u64) -> Result<(), WrongFilter> {
        if *self.range.get_or_insert(range(key)) != range(key) {
            return Err(WrongFilter::OtherRange);
        }
        self.new.push(hash(key));
        self.sort_if_large();
        Ok(())
    }

    #[inline]
    fn sort_if_large(&mut self) {
        let new = self.new.len() + self.new_several.len();
        if new > Self::MIN_NEW.max(self.once.len() + self.several.len()) {
            self.sort();
        }
    }

    /// Counts what was added with what occurred before.
    fn sort(&mut self) {
        if self.new.is_empty() && self.new_several.is_empty() {
            return;
        }
        let mut hashes = take(&mut self.once);
        hashes.append(&mut self.new);
        self.new = Vec::new();
        // A stable sort merges those that are in order already.
        hashes.sort();
        self.several.append(&mut self.new_several);
        self.new_several = Vec::new();
        let is_single = |group: &&[u32]| group.len() == 1;
        let groups = || hashes.chunk_by(|a, b| a == b);
        let several = groups().filter(|group| !is_single(group));
        let several =
            several.map(|group| (group[0], u32::try_from(group.len()).unwrap_or(u32::MAX)));
        self.several.extend(several);
        self.several.sort();
        self.several.dedup_by(|(hash, more), (of_first, count)| {
            let is_same = hash == of_first;
            *count = count.saturating_add(if is_same { *more } else { 0 });
            is_same
        });
        self.once = Vec::with_capacity(groups().filter(is_single).count());
        let (several, mut at) = (&mut self.several, 0);
        for hash in groups().filter(is_single).flatten() {
            while several.get(at).is_some_and(|(other, _)| other < hash) {
                at += 1;
            }
            match several.get_mut(at) {
                Some((other, count)) if other == hash => *count = count.saturating_add(1),
                _ => self.once.push(*hash),
            }
        }
    }

    /// Adds the keys that another one counted, from its [`Self::state`].
    ///
    /// # Errors
    /// If the bytes are no such state, or one of another range.
    pub fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        self.read(state)?.ok_or(WrongFilter::Keys(state.len()))
    }

    fn read(&mut self, state: &[u8]) -> Result<Option<()>, WrongFilter> {
        let Some((&range, counts)) = state.split_first() else {
            return Ok(Some(()));
        };
        if *self.range.get_or_insert(range) != range {
            return Err(WrongFilter::OtherRange);
        }
        Ok(self.read_counts(counts))
    }

    fn read_counts(&mut self, mut bytes: &[u8]) -> Option<()> {
        let (singles, mut hash) = (read_varint(&mut bytes)?, Ascending::default());
        for _ in 0..singles {
            self.new.push(hash.read(&mut bytes)?);
        }
        let (several, mut hash) = (read_varint(&mut bytes)?, Ascending::default());
        for _ in 0..several {
            let hash = hash.read(&mut bytes)?;
            self.new_several.push((hash, read_varint(&mut bytes)?));
        }
        self.sort_if_large();
        bytes.is_empty().then_some(())
    }

    /// What was counted, for [`Self::merge`]; empty without keys.
    #[must_use]
    pub fn state(&mut self) -> Vec<u8> {
        self.sort();
        let Some(range) = self.range else {
            return Vec::new();
        };
        let mut bytes = vec![range];
        push_varint(&mut bytes, self.once.len() as u32);
        let mut ascending = Ascending::default();
        for &hash in &self.once {
            ascending.push(&mut bytes, hash);
        }
        push_varint(&mut bytes, self.several.len() as u32);
        let mut ascending = Ascending::default();
        for &(hash, count) in &self.several {
            ascending.push(&mut bytes, hash);
            push_varint(&mut bytes, count);
        }
        bytes
    }

    /// The keys that occurred several times, and which of them more than this number of times, for [`RepeatedKeyFilter`];
    /// empty without keys.
    #[must_use]
    pub fn finish(&mut self, max_rows: u32) -> Vec<u8> {
        self.sort();
        let Some(range) = self.range else {
            return Vec::new();
        };
        let mut bytes = vec![range];
        push_varint(&mut bytes, self.several.len() as u32);
        let mut ascending = Ascending::default();
        for &(hash, count) in &self.several {
            ascending.push(&mut bytes, hash);
            bytes.push(u8::from(count > max_rows));
        }
        bytes
    }

    /// The bytes that are allocated.
    #[must_use]
    pub fn memory(&self) -> usize {
        let hashes = self.once.capacity() + self.new.capacity();
        let counted = self.several.capacity() + self.new_several.capacity();
        hashes * size_of::<u32>() + counted * size_of::<(u32, u32)>()
    }
}

/// The numbers of the keys of a result of [`KeyOccurrences::finish`], and whether each is frequent. `None` is an error, and
/// the last item.
struct KeysOfRange<'a> {
    bytes: &'a [u8],
    range: u64,
    left: u32,
    hash: Ascending,
}

impl<'a> KeysOfRange<'a> {
    /// Those at the beginning of the bytes, which are not empty.
    fn new(mut bytes: &'a [u8]) -> Option<Self> {
        let (&range, rest) = bytes.split_first()?;
        bytes = rest;
        let left = read_varint(&mut bytes)?;
        (range < 1 << RANGE_BITS).then_some(Self {
            bytes,
            range: u64::from(range) << HASH_BITS,
            left,
            hash: Ascending::default(),
        })
    }

    fn next(&mut self) -> Option<(u64, bool)> {
        let hash = self.hash.read(&mut self.bytes)?;
        let (&frequent, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        self.left -= 1;
        (frequent < 2).then_some((self.range | u64::from(hash), frequent == 1))
    }
}

/// Calls `visit` with each key of several results of [`KeyOccurrences::finish`], one after the other; `None` if the bytes are
/// not such results.
fn for_each_key(mut bytes: &[u8], mut visit: impl FnMut(u64, bool)) -> Option<()> {
    while !bytes.is_empty() {
        let mut keys = KeysOfRange::new(bytes)?;
        while keys.left > 0 {
            let (number, frequent) = keys.next()?;
            visit(number, frequent);
        }
        bytes = keys.bytes;
    }
    Some(())
}

/// Collects the repeated keys of all ranges in a filter. Of uniformly distributed keys that are not repeated, at most one in
/// 380 seems to be, but more if more than 12 million keys are repeated, whose filter has no more bytes.
#[derive(Debug, Default)]
pub struct RepeatedKeyFilter {
    /// The results that were added, one after the other, while they take few bytes.
    results: Vec<u8>,
    /// The number of their keys.
    keys: usize,
    /// The filter, if they take more, and the frequent keys.
    words: Option<Vec<u64>>,
    frequent: Vec<u64>,
}

/// The word of a number among so many, which are a power of two.
#[inline]
fn word_of(number: u64, words: usize) -> usize {
    (number >> (RANGE_BITS + HASH_BITS - words.ilog2())) as usize
}

/// The bits of a number in its word: one in each quarter. (Putze, Sanders and Singler, "Cache-, hash-, and space-efficient
/// Bloom filters", Journal of Experimental Algorithmics 14, 2009.)
#[inline]
fn bits_of(number: u64) -> u64 {
    let hash = number.wrapping_mul(OF_NUMBER);
    (0..4).fold(0, |word, quarter| {
        word | 1 << (16 * quarter + (hash >> (60 - 4 * quarter) & 15))
    })
}

impl RepeatedKeyFilter {
    /// The words of the largest filter, of eight bytes each.
    const MAX_WORDS: usize = 1 << 22;
    /// Results that take more bytes than this are put into the largest filter when they are added.
    const MAX_RESULTS: usize = 8 * Self::MAX_WORDS;

    /// The words of a filter of so many keys.
    fn words_for(keys: usize) -> usize {
        (keys / 3).next_power_of_two().clamp(32, Self::MAX_WORDS)
    }

    /// Adds a result of [`KeyOccurrences::finish`].
    ///
    /// # Errors
    /// If the bytes are no such result.
    pub fn add(&mut self, result: &[u8]) -> Result<(), WrongFilter> {
        let wrong = WrongFilter::Keys(result.len());
        if let Some(words) = &mut self.words {
            return put(result, words, &mut self.frequent).ok_or(wrong);
        }
        for_each_key(result, |_, _| self.keys += 1).ok_or(wrong)?;
        self.results.extend(result);
        if self.results.len() > Self::MAX_RESULTS {
            let results = take(&mut self.results);
            let words = self.words.insert(vec![0; Self::MAX_WORDS]);
            put(&results, words, &mut self.frequent).ok_or(WrongFilter::Keys(results.len()))?;
        }
        Ok(())
    }

    /// Adds what another one collected, from its [`Self::state`].
    ///
    /// # Errors
    /// If the bytes are no such state.
    pub fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        match state.split_first() {
            Some((0, results)) => self.add(results),
            Some((1, filter)) => {
                let (frequent, theirs) =
                    parts_of(filter).ok_or(WrongFilter::Filter(filter.len()))?;
                if theirs.len() != Self::MAX_WORDS {
                    return Err(WrongFilter::Filter(filter.len()));
                }
                let results = take(&mut self.results);
                let words = self.words.get_or_insert_with(|| vec![0; Self::MAX_WORDS]);
                put(&results, words, &mut self.frequent).ok_or(WrongFilter::Keys(results.len()))?;
                let frequent = frequent.iter().map(|number| u64::from_le_bytes(*number));
                self.frequent.extend(frequent);
                for (word, theirs) in words.iter_mut().zip(theirs) {
                    *word |= u64::from_le_bytes(*theirs);
                }
                Ok(())
            }
            _ => Err(WrongFilter::Filter(state.len())),
        }
    }

    /// What was collected, for [`Self::merge`].
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        match &self.words {
            None => once(0).chain(self.results.iter().copied()).collect(),
            Some(words) => {
                let mut bytes = vec![1];
                append(&mut bytes, self.frequent.clone(), words);
                bytes
            }
        }
    }

    /// The filter, for [`RepeatedKeys`].
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match &self.words {
            Some(words) => append(&mut bytes, self.frequent.clone(), words),
            None => {
                let mut words = vec![0; Self::words_for(self.keys)];
                let mut frequent = Vec::new();
                // They were read when they were added.
                put(&self.results, &mut words, &mut frequent).unwrap_or_default();
                append(&mut bytes, frequent, &words);
            }
        }
        bytes
    }

    /// The bytes that are allocated.
    #[must_use]
    pub fn memory(&self) -> usize {
        let words = self.words.as_ref().map_or(0, Vec::capacity);
        self.results.capacity() + (words + self.frequent.capacity()) * size_of::<u64>()
    }
}

/// Puts keys into a filter.
fn put(results: &[u8], words: &mut [u64], frequent: &mut Vec<u64>) -> Option<()> {
    for_each_key(results, |number, is_frequent| {
        words[word_of(number, words.len())] |= bits_of(number);
        if is_frequent {
            frequent.push(number);
        }
    })
}

/// Appends the number of the frequent keys, these, and the words of a filter.
fn append(bytes: &mut Vec<u8>, mut frequent: Vec<u64>, words: &[u64]) {
    frequent.sort_unstable();
    bytes.reserve_exact((1 + frequent.len() + words.len()) * size_of::<u64>());
    bytes.extend((frequent.len() as u64).to_le_bytes());
    for number in frequent.iter().chain(words) {
        bytes.extend(number.to_le_bytes());
    }
}

type Words<'a> = &'a [[u8; 8]];

/// The frequent keys and the words of a filter.
fn parts_of(bytes: &[u8]) -> Option<(Words<'_>, Words<'_>)> {
    let (all, []) = bytes.as_chunks() else {
        return None;
    };
    let (count, rest) = all.split_first()?;
    let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
    let (frequent, words) = rest.split_at_checked(count)?;
    words.len().is_power_of_two().then_some((frequent, words))
}

/// The keys that several rows have, and few others.
#[derive(Debug, Clone, Copy)]
pub struct RepeatedKeys<'a> {
    frequent: Words<'a>,
    words: Words<'a>,
}

impl<'a> RepeatedKeys<'a> {
    /// The filter that [`RepeatedKeyFilter::finish`] wrote.
    ///
    /// # Errors
    /// If the bytes are no such filter.
    pub fn new(bytes: &'a [u8]) -> Result<Self, WrongFilter> {
        match parts_of(bytes) {
            Some((frequent, words)) => Ok(Self { frequent, words }),
            None => Err(WrongFilter::Filter(bytes.len())),
        }
    }

    /// Appends those of the keys that [`Self::get`] returns.
    pub fn append(&self, keys: &[u64], found: &mut Vec<u64>) {
        for &key in keys {
            prefetch(self.words, word_of(number(key), self.words.len()));
        }
        found.extend(keys.iter().filter_map(|&key| self.get(key)));
    }

    /// The key, if several rows may have it, with its highest bit set if many rows may have it, and without it otherwise
    /// ([`is_marked`]). Keys that differ in that bit only become one; rows that share it are compared in any case.
    #[inline]
    #[must_use]
    pub fn get(&self, key: u64) -> Option<u64> {
        let number = number(key);
        let word = u64::from_le_bytes(self.words[word_of(number, self.words.len())]);
        let bits = bits_of(number);
        if word & bits != bits {
            return None;
        }
        let of_bytes = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        match self.frequent.binary_search_by_key(&number, of_bytes) {
            Ok(_) => Some(key | MARK),
            Err(_) => Some(key & !MARK),
        }
    }
}

/// Whether many rows may hold a key that [`RepeatedKeys::get`] returned.
#[inline]
#[must_use]
pub fn is_marked(key: u64) -> bool {
    key & MARK != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;
    use std::collections::BTreeMap;

    fn by_range(keys: &[u64]) -> BTreeMap<u8, Vec<u64>> {
        let mut ranges: BTreeMap<u8, Vec<u64>> = BTreeMap::new();
        keys.iter()
            .for_each(|&key| ranges.entry(range(key)).or_default().push(key));
        ranges
    }

    fn counted(keys: &[u64]) -> KeyOccurrences {
        let mut counts = KeyOccurrences::default();
        keys.iter()
            .for_each(|&key| counts.add(key).expect("one range"));
        counts
    }

    /// The filter of keys that were counted in several parts.
    fn filter(keys: &[u64], parts: usize, max_rows: u32) -> Vec<u8> {
        let mut ranges: BTreeMap<u8, KeyOccurrences> = BTreeMap::new();
        for part in keys.chunks(keys.len().div_ceil(parts).max(1)) {
            for (range, keys) in by_range(part) {
                let state = counted(&keys).state();
                ranges
                    .entry(range)
                    .or_default()
                    .merge(&state)
                    .expect("a state");
            }
        }
        let mut filter = RepeatedKeyFilter::default();
        for counts in ranges.values_mut().rev() {
            let mut of_range = RepeatedKeyFilter::default();
            of_range.add(&counts.finish(max_rows)).expect("a result");
            filter.merge(&of_range.state()).expect("a state");
        }
        filter.finish()
    }

    #[test]
    fn every_repeated_key_is_found_and_few_others() {
        let mut random = Random::new(3);
        for (count, distinct) in [
            (0, 1),
            (1, 1),
            (300, 200),
            (60_000, 40_000),
            (300_000, 1_000_000),
        ] {
            let keys: Vec<u64> = (0..count).map(|_| random.next()).collect();
            let mut keys: Vec<u64> = (0..count)
                .map(|_| keys[random.below(distinct.min(count)) as usize])
                .collect();
            // A key that many rows have.
            keys.extend([17 << 58 | 5; 90]);
            let mut rows: BTreeMap<u64, u32> = BTreeMap::new();
            keys.iter()
                .for_each(|&key| *rows.entry(key).or_default() += 1);
            let expected = filter(&keys, 1, 6);
            for parts in [2, 3, 64] {
                assert!(
                    filter(&keys, parts, 6) == expected,
                    "{count} keys, {parts} parts"
                );
            }
            let backwards: Vec<u64> = keys.iter().rev().copied().collect();
            assert!(filter(&backwards, 5, 6) == expected);
            let found = RepeatedKeys::new(&expected).expect("a filter");
            let mut wrong = 0;
            for (&key, &rows) in &rows {
                let expected = match rows {
                    7.. => Some(key | MARK),
                    _ => Some(key & !MARK),
                };
                match found.get(key) {
                    Some(found) if rows > 1 => assert_eq!(Some(found), expected, "{rows} rows"),
                    None => assert_eq!(rows, 1),
                    Some(_) => wrong += 1,
                }
            }
            let mut appended = Vec::new();
            found.append(&keys, &mut appended);
            assert!(
                appended
                    .into_iter()
                    .eq(keys.iter().filter_map(|&key| found.get(key)))
            );
            assert!(wrong <= rows.len() / 400, "{wrong} of {}", rows.len());
            let others = (0..100_000).filter(|_| found.get(random.next()).is_some());
            assert!(others.count() < 250);
        }
    }

    /// A state says how often a key occurred, however the rows are divided.
    #[test]
    fn occurrences_are_added() {
        let mut random = Random::new(4);
        let key = |number: u32| u64::from(number).wrapping_mul(OF_NUMBER) >> RANGE_BITS;
        // Numbers that are small occur often.
        let numbers: Vec<u32> = (0..20_000)
            .map(|_| {
                let below = 1 + random.below(9_000);
                random.below(below)
            })
            .collect();
        let mut expected: BTreeMap<u32, u32> = BTreeMap::new();
        for &number in &numbers {
            *expected.entry(hash(key(number))).or_default() += 1;
        }
        for parts in [1, 4, 70] {
            let mut all = KeyOccurrences::default();
            for part in numbers.chunks(numbers.len() / parts) {
                let keys: Vec<u64> = part.iter().map(|&number| key(number)).collect();
                let (one, other) = keys.split_at(keys.len() / 3);
                one.iter().for_each(|&key| all.add(key).expect("one range"));
                all.merge(&counted(other).state()).expect("a state");
            }
            all.sort();
            let mut found: BTreeMap<u32, u32> = all.several.iter().copied().collect();
            found.extend(all.once.iter().map(|&hash| (hash, 1)));
            assert!(found == expected, "{parts}");
            assert!(all.several.iter().all(|(_, count)| *count > 1));
            assert_eq!(all.once.len() + all.several.len(), expected.len());
        }
    }

    /// More keys than the results of fit into the bytes of a filter.
    #[test]
    fn a_filter_of_very_many_keys_has_a_bounded_size() {
        let result = |range: u64, keys: u32| {
            let mut counts = KeyOccurrences {
                range: Some(range as u8),
                ..KeyOccurrences::default()
            };
            let step = u32::MAX / keys;
            counts.several = (0..keys).map(|at| (at * step, 2 + at % 2)).collect();
            (counts.finish(2), step)
        };
        let keys = 800_000;
        let mut filters = [0, 1].map(|_| RepeatedKeyFilter::default());
        let [all, halves] = &mut filters;
        for range in 0..20 {
            let (result, _) = result(range, keys);
            all.add(&result).expect("a result");
            let mut own = RepeatedKeyFilter::default();
            own.add(&result).expect("a result");
            halves.merge(&own.state()).expect("a state");
            assert!(all.memory() <= 3 * RepeatedKeyFilter::MAX_RESULTS + 8 * 20 * keys as usize);
        }
        let mut merged = RepeatedKeyFilter::default();
        merged.merge(&halves.state()).expect("a state");
        let bytes = all.finish();
        assert!(bytes == halves.finish() && bytes == merged.finish());
        let found = RepeatedKeys::new(&bytes).expect("a filter");
        assert_eq!(found.words.len(), RepeatedKeyFilter::MAX_WORDS);
        assert_eq!(found.frequent.len() as u32, 20 * keys / 2);
        let (_, step) = result(0, keys);
        for at in [0, 1, 2, keys - 1] {
            let number = 3 << HASH_BITS | u64::from(at * step);
            assert_eq!(
                found
                    .frequent
                    .binary_search_by_key(&number, |bytes| u64::from_le_bytes(*bytes))
                    .is_ok(),
                at % 2 == 1
            );
            let word = u64::from_le_bytes(found.words[word_of(number, found.words.len())]);
            assert_eq!(word & bits_of(number), bits_of(number));
        }
    }

    #[test]
    fn keys_of_another_range_are_refused() {
        let mut counts = counted(&[5, 6]);
        assert_eq!(counts.add(1 << 58), Err(WrongFilter::OtherRange));
        assert!(counts.merge(&counted(&[1 << 58]).state()).is_err());
        assert!(counts.merge(&KeyOccurrences::default().state()).is_ok());
        assert!(counts.merge(&counted(&[7]).state()).is_ok());
    }

    #[test]
    fn other_bytes_are_refused() {
        for state in [
            &[0][..],
            &[0, 1],
            &[0, 0, 0, 0],
            &[0, 2, 1, 0xFF],
            &[0, 0, 1, 1],
        ] {
            assert!(KeyOccurrences::default().merge(state).is_err(), "{state:?}");
        }
        let mut filter = RepeatedKeyFilter::default();
        for result in [&[0][..], &[64, 0], &[0, 1], &[0, 1, 5], &[0, 1, 5, 2]] {
            assert!(filter.add(result).is_err(), "{result:?}");
        }
        for state in [&[][..], &[2], &[0, 1], &[1, 0]] {
            assert!(filter.merge(state).is_err(), "{state:?}");
        }
        assert!(filter.add(&[]).is_ok());
        for bytes in [&[][..], &[0; 8], &[0; 15], &[9; 16], &[0; 32]] {
            assert!(RepeatedKeys::new(bytes).is_err(), "{bytes:?}");
        }
        let none = filter.finish();
        let none = RepeatedKeys::new(&none).expect("a filter");
        assert_eq!(none.get(0), None);
    }
}
