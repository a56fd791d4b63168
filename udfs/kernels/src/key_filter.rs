//! A filter of the keys that several rows hold.

use std::hint::black_box;
use std::mem::take;
use std::ops::RangeInclusive;

/// The number of counters for each key.
const COUNTERS: usize = 8;
/// The number of counters in a word, of two bits each.
const LANES: usize = 32;
/// The number of sections of a word, of 16 counters each. A key has a counter in each section of one word. With more
/// sections fewer keys pass a filter of eight counters for each key, but more pass one that has less than two.
const SECTIONS: u32 = 2;
/// The lower bit of each counter of a word.
const LOW: u64 = u64::MAX / 3;

/// The factors of the multiplicative hashes of a key. One gives its word, the other one its counters in the word; the
/// stage chooses which.
const FACTORS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F];

/// Counters of keys, of two bits each, that stop at 2. A key that only one row holds may seem to be shared, if other keys
/// have all its counters; the reverse does not happen. (A Bloom filter that counts, in blocks of one word each: Putze,
/// Sanders and Singler, "Cache-, hash-, and space-efficient Bloom filters", Journal of Experimental Algorithmics 14,
/// 2009.)
#[derive(Debug)]
pub struct KeyFilter {
    words: Vec<u64>,
    hashes: Hashes,
}

/// Where the counters of a key are.
#[derive(Debug, Clone, Copy)]
struct Hashes {
    /// The word of a key: the high bits of its product with this factor.
    of_word: u64,
    shift: u32,
    /// The counters in the word: the high bits of the product with this factor.
    of_counters: u64,
}

impl Hashes {
    /// Those of a stage, for a number of words that is a power of two.
    fn new(words: usize, stage: usize) -> Self {
        Self {
            of_word: FACTORS[stage % 2],
            shift: 64 - words.ilog2(),
            of_counters: FACTORS[(stage + 1) % 2],
        }
    }

    #[inline]
    fn word(self, key: u64) -> usize {
        key.wrapping_mul(self.of_word)
            .checked_shr(self.shift)
            .unwrap_or(0) as usize
    }

    /// A word with 1 in each counter of a key.
    #[inline]
    fn counters(self, key: u64) -> u64 {
        let hash = key.wrapping_mul(self.of_counters);
        (0..SECTIONS).fold(0, |word, section| {
            let counter = hash >> (60 - 4 * section) & 15;
            word | 1 << (32 * u64::from(section) + 2 * counter)
        })
    }
}

/// The sums of the counters of two words, up to 2.
#[inline]
fn sums(a: u64, b: u64) -> u64 {
    // The counts are 0, 1 and 2.
    let one = (a ^ b) & LOW;
    let two = (a | b) >> 1 & LOW | a & b & LOW;
    one & !two | two << 1
}

/// Whether all these counters of a word are 2.
#[inline]
fn are_two(word: u64, counters: u64) -> bool {
    word >> 1 & counters == counters
}

impl KeyFilter {
    /// Counters for this number of keys, within this number of bytes; `usize::MAX` keys give the largest filter that
    /// the bytes allow. The stage chooses the hash: keys that share a counter in stage 0 rarely share one in stage 1.
    /// Stages from 2 on have the hashes of these two by turns.
    #[must_use]
    pub fn new(keys: usize, max_bytes: usize, stage: u64) -> Self {
        let count = (1 << Self::bits(keys, max_bytes)) / LANES;
        // Written here, which `black_box` ensures, not allocated as zeros: such pages are mapped when they are read, and again,
        // with an interrupt of all threads, when they are written.
        let words = (0..count).map(|_| black_box(0)).collect();
        Self {
            words,
            hashes: Hashes::new(count, stage as usize),
        }
    }

    /// The bytes that [`Self::new`] allocates.
    #[must_use]
    pub fn memory_for(keys: usize, max_bytes: usize) -> usize {
        (1 << Self::bits(keys, max_bytes)) / LANES * size_of::<u64>()
    }

    /// Adds the counts of a filter that [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// If it has another number of counters.
    pub fn merge(&mut self, bytes: &[u8]) -> Result<(), WrongFilter> {
        if bytes.len() != size_of_val(self.words.as_slice()) {
            return Err(WrongFilter::Filter(bytes.len()));
        }
        let (theirs, _) = bytes.as_chunks();
        for (word, theirs) in self.words.iter_mut().zip(theirs) {
            *word = sums(*word, u64::from_le_bytes(*theirs));
        }
        Ok(())
    }

    /// The filter with as many counters as [`Self::new`] gives for this number of keys; `None` if it has no more than these.
    fn folded(&self, keys: usize) -> Option<Self> {
        let counters = (self.words.len() * LANES).ilog2();
        let fewer = counters.checked_sub(Self::bits(keys, usize::MAX))?;
        if fewer == 0 {
            return None;
        }
        // Keys that share a word of the smaller filter have neighbouring ones in the larger filter.
        let neighbours = self.words.chunks(1 << fewer);
        let words = neighbours.map(|words| words.iter().copied().fold(0, sums));
        Some(Self {
            words: words.collect(),
            hashes: Hashes {
                shift: self.hashes.shift + fewer,
                ..self.hashes
            },
        })
    }

    /// The counters, for [`Self::merge`] and [`SharedKeys`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// The logarithm of the number of counters.
    fn bits(keys: usize, max_bytes: usize) -> u32 {
        let wanted = keys.saturating_mul(COUNTERS).max(1024);
        let max_counters = max_bytes.saturating_mul(4).max(1024);
        let bits = (wanted - 1).ilog2() + 1;
        bits.min(max_counters.ilog2()).min(40)
    }

    /// Counts a key of a row.
    #[inline]
    pub fn add(&mut self, key: u64) {
        let word = &mut self.words[self.hashes.word(key)];
        *word = sums(*word, self.hashes.counters(key));
    }

    /// Whether several rows may hold a key.
    #[inline]
    #[must_use]
    pub fn is_shared(&self, key: u64) -> bool {
        are_two(self.words[self.hashes.word(key)], self.hashes.counters(key))
    }
}

/// The reason why bytes are not those of a filter, or of what a filter is made of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongFilter {
    /// Not a filter.
    #[error("a filter of keys cannot have {0} bytes")]
    Filter(usize),
    /// Not a result or state of [`crate::KeyOccurrences`].
    #[error("counts of keys cannot have these {0} bytes")]
    Keys(usize),
    /// Not a result or state of [`crate::LengthCounts`].
    #[error("counts of lengths cannot have these {0} bytes")]
    Lengths(usize),
    /// Keys of another range, which are not counted together.
    #[error("the keys of a group must agree in their 6 highest bits")]
    OtherRange,
}

/// The bytes of a [`KeyFilter`] of stage 0, which tell the keys that several rows may hold.
#[derive(Debug, Clone, Copy)]
pub struct SharedKeys<'a> {
    words: &'a [[u8; 8]],
    hashes: Hashes,
}

impl<'a> SharedKeys<'a> {
    /// The filter that [`KeyFilter::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are not those of a filter.
    pub fn new(bytes: &'a [u8]) -> Result<Self, WrongFilter> {
        match bytes.as_chunks() {
            (words, []) if words.len().is_power_of_two() => Ok(Self {
                words,
                hashes: Hashes::new(words.len(), 0),
            }),
            _ => Err(WrongFilter::Filter(bytes.len())),
        }
    }

    /// Whether several rows may hold a key.
    #[inline]
    #[must_use]
    pub fn contains(&self, key: u64) -> bool {
        let word = u64::from_le_bytes(self.words[self.hashes.word(key)]);
        are_two(word, self.hashes.counters(key))
    }
}

/// Counts keys of which the number is not known before: few of them as they are, many in a filter. Equal keys, in any order
/// and in any parts, give the same filter: a plan may compute it several times.
#[derive(Debug)]
pub struct KeyCounts {
    /// The bytes of a filter of many keys.
    max_bytes: usize,
    keys: Vec<u64>,
    filter: Option<KeyFilter>,
    /// The number of keys that were counted, each as often as it was.
    total: usize,
}

impl KeyCounts {
    /// The bytes of a filter of many keys, unless others are given.
    pub const DEFAULT_BYTES: usize = 32 << 20;
    /// Upper bound of the bytes of a filter: a state is a value of a column of at most 2 GiB.
    pub const MAX_BYTES: usize = 1 << 30;
    /// Up to so many keys are stored exactly in any case, and in no case more.
    const FEW: RangeInclusive<usize> = 1 << 20..=1 << 25;

    /// Without keys.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_bytes: Self::DEFAULT_BYTES,
            keys: Vec::new(),
            filter: None,
            total: 0,
        }
    }

    /// Sets the bytes of a filter of many keys, if there is none yet: the largest power of two within this number.
    pub fn set_max_bytes(&mut self, max_bytes: usize) {
        self.max_bytes = max_bytes.min(Self::MAX_BYTES);
    }

    /// The number of keys that are stored exactly: as many as fit into the bytes of the largest filter.
    fn few(&self) -> usize {
        (self.max_bytes / size_of::<u64>()).clamp(*Self::FEW.start(), *Self::FEW.end())
    }

    /// The largest filter, of the keys that are stored exactly.
    fn take_filter(&mut self) -> KeyFilter {
        let mut filter = KeyFilter::new(usize::MAX, self.max_bytes, 0);
        let keys = take(&mut self.keys);
        keys.into_iter().for_each(|key| filter.add(key));
        filter
    }

    /// Counts keys.
    pub fn add(&mut self, keys: &[u64]) {
        self.total += keys.len();
        let (number, few) = (self.keys.len() + keys.len(), self.few());
        match &mut self.filter {
            Some(filter) => keys.iter().for_each(|&key| filter.add(key)),
            None if number <= few => {
                if number > self.keys.capacity() {
                    let capacity = number.max(self.keys.capacity() * 2).min(few);
                    self.keys.reserve_exact(capacity - self.keys.len());
                }
                self.keys.extend(keys);
            }
            None => {
                let mut filter = self.take_filter();
                keys.iter().for_each(|&key| filter.add(key));
                self.filter = Some(filter);
            }
        }
    }

    /// Adds the keys that another one counted, from its [`Self::state`].
    ///
    /// # Errors
    /// If the bytes are no such state.
    pub fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        let Some((max_bytes, state)) = state.split_first_chunk() else {
            return Err(WrongFilter::Filter(state.len()));
        };
        // A part without rows has the default.
        let theirs = u64::from_le_bytes(*max_bytes) as usize;
        if theirs != Self::DEFAULT_BYTES {
            self.max_bytes = theirs;
        }
        match state.split_first() {
            Some((0, keys)) if keys.len() % 8 == 0 => {
                let (keys, _) = keys.as_chunks();
                let keys: Vec<u64> = keys.iter().map(|key| u64::from_le_bytes(*key)).collect();
                self.add(&keys);
                Ok(())
            }
            Some((1, rest)) => {
                let Some((total, filter)) = rest.split_first_chunk() else {
                    return Err(WrongFilter::Filter(rest.len()));
                };
                self.total += u64::from_le_bytes(*total) as usize;
                if self.filter.is_none() {
                    self.filter = Some(self.take_filter());
                }
                self.filter.as_mut().map_or(Ok(()), |own| own.merge(filter))
            }
            _ => Err(WrongFilter::Filter(state.len())),
        }
    }

    /// What was counted, for [`Self::merge`].
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        let mut state = (self.max_bytes as u64).to_le_bytes().to_vec();
        match &self.filter {
            Some(filter) => {
                state.reserve_exact(9 + size_of_val(filter.words.as_slice()));
                state.push(1);
                state.extend((self.total as u64).to_le_bytes());
                let words = filter.words.iter();
                words.for_each(|word| state.extend(word.to_le_bytes()));
            }
            None => {
                state.push(0);
                let keys = self.keys.iter();
                keys.for_each(|key| state.extend(key.to_le_bytes()));
            }
        }
        state
    }

    /// The filter, for [`SharedKeys`].
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        match &self.filter {
            Some(filter) => filter
                .folded(self.total)
                .map_or_else(|| filter.to_bytes(), |folded| folded.to_bytes()),
            None => {
                let mut filter = KeyFilter::new(self.keys.len(), self.max_bytes, 0);
                self.keys.iter().for_each(|&key| filter.add(key));
                filter.to_bytes()
            }
        }
    }

    /// The bytes that are allocated.
    #[must_use]
    pub fn memory(&self) -> usize {
        let filter = self.filter.as_ref();
        filter.map_or(0, |filter| filter.words.capacity() * 8) + self.keys.capacity() * 8
    }
}

impl Default for KeyCounts {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    #[test]
    fn every_shared_key_is_found_and_few_others() {
        let mut random = Random::new(3);
        let keys: Vec<u64> = (0..20_000).map(|_| random.next()).collect();
        let (shared, alone) = keys.split_at(5_000);
        for max_bytes in [usize::MAX, 1 << 20, 1 << 12, 0] {
            let mut first = KeyFilter::new(keys.len(), max_bytes, 0);
            let mut second = KeyFilter::new(keys.len(), max_bytes, 1);
            assert!(KeyFilter::memory_for(keys.len(), max_bytes) <= max_bytes.max(256));
            let all = || keys.iter().chain(shared);
            all().for_each(|&key| first.add(key));
            let passed = || all().filter(|&&key| first.is_shared(key));
            passed().for_each(|&key| second.add(key));
            let is_shared = |key: &&u64| first.is_shared(**key) && second.is_shared(**key);
            assert_eq!(shared.iter().filter(is_shared).count(), shared.len());
            if max_bytes >= 1 << 20 {
                assert!(alone.iter().filter(|key| first.is_shared(**key)).count() < 900);
                assert!(alone.iter().filter(is_shared).count() < 90);
            }
        }
    }

    /// However keys are divided and merged, every shared one is found, and few of the others.
    #[test]
    fn counts_of_parts_are_those_of_the_whole() {
        let mut random = Random::new(4);
        for (count, parts) in [
            (0, 3),
            (5_000, 1),
            (5_000, 7),
            (KeyCounts::new().few() + 5_000, 3),
        ] {
            let keys: Vec<u64> = (0..count).map(|_| random.next()).collect();
            let (shared, alone) = keys.split_at(count / 4);
            let all: Vec<u64> = keys.iter().chain(shared).copied().collect();
            let mut whole = KeyCounts::new();
            for part in all.chunks(all.len() / parts + 1) {
                let mut counts = KeyCounts::new();
                part.chunks(1_000).for_each(|keys| counts.add(keys));
                whole.merge(&counts.state()).unwrap();
            }
            // A window evaluates the counts after each row.
            let bytes = whole.finish();
            assert_eq!(bytes, whole.finish());
            assert!(
                bytes.len() <= (4 * all.len()).max(256),
                "{count}: {} bytes",
                bytes.len()
            );
            let found = SharedKeys::new(&bytes).unwrap();
            assert!(shared.iter().all(|&key| found.contains(key)), "{count}");
            let wrong = alone.iter().filter(|&&key| found.contains(key)).count();
            assert!(wrong <= alone.len() / 4, "{count} {parts}: {wrong}");
        }
    }

    /// With more bytes, fewer of the other keys pass, also if a part has no keys or few.
    #[test]
    fn larger_filters_of_many_keys() {
        let mut random = Random::new(5);
        let keys: Vec<u64> = (0..KeyCounts::FEW.start() * 2)
            .map(|_| random.next())
            .collect();
        let (few, many) = keys.split_at(KeyCounts::FEW.start() / 2);
        let mut wrong = [0; 2];
        for (max_bytes, wrong) in [1 << 18, 1 << 21].into_iter().zip(&mut wrong) {
            let part = |keys: &[u64]| {
                let mut counts = KeyCounts::new();
                counts.set_max_bytes(max_bytes);
                counts.add(keys);
                counts.state()
            };
            let mut found = Vec::new();
            for order in [[0, 1, 2], [2, 1, 0]] {
                let parts = [KeyCounts::new().state(), part(few), part(many)];
                let mut whole = KeyCounts::new();
                for at in order {
                    whole.merge(&parts[at]).unwrap();
                }
                whole.add(&keys[..1_000]);
                let bytes = whole.finish();
                assert_eq!(bytes.len(), max_bytes);
                let filter = SharedKeys::new(&bytes).unwrap();
                assert!(keys[..1_000].iter().all(|&key| filter.contains(key)));
                *wrong = keys.iter().filter(|&&key| filter.contains(key)).count();
                found.push(bytes);
            }
            assert_eq!(found[0], found[1]);
        }
        assert!(wrong[1] * 3 < wrong[0], "{wrong:?}");
    }

    #[test]
    fn counters_are_added_up_to_two() {
        let mut random = Random::new(8);
        for _ in 0..2_000 {
            let mut counts =
                || -> Vec<u64> { (0..LANES).map(|_| u64::from(random.below(3))).collect() };
            let (a, b) = (counts(), counts());
            let word = |counts: &[u64]| {
                let lanes = counts.iter().enumerate();
                lanes.fold(0, |word, (lane, count)| word | count << (2 * lane))
            };
            let expected: Vec<u64> = a.iter().zip(&b).map(|(a, b)| (a + b).min(2)).collect();
            assert_eq!(sums(word(&a), word(&b)), word(&expected), "{a:?} {b:?}");
        }
    }

    /// A folded filter is the one that has as many counters from the beginning.
    #[test]
    fn folding_adds_the_counters_of_neighbouring_words() {
        let mut random = Random::new(9);
        let keys: Vec<u64> = (0..3_000).map(|_| random.next()).collect();
        let mut large = KeyFilter::new(usize::MAX, 1 << 16, 0);
        let mut small = KeyFilter::new(1_000, usize::MAX, 0);
        for filter in [&mut large, &mut small] {
            keys.iter()
                .chain(&keys[..500])
                .for_each(|&key| filter.add(key));
        }
        assert!(large.words.len() > 8 * small.words.len());
        let folded = large.folded(1_000).unwrap();
        assert!(small.folded(1_000).is_none() && small.folded(usize::MAX).is_none());
        assert_eq!(folded.words, small.words);
        assert!(
            keys.iter()
                .all(|&key| folded.is_shared(key) == small.is_shared(key))
        );
        assert!(keys[500..].iter().any(|&key| !small.is_shared(key)));
    }

    /// A cluster computes a filter once for each part of a plan that uses it. Filters that depended on the order of their keys
    /// let other keys pass in each, and passages were lost.
    #[test]
    fn the_order_of_keys_and_parts_makes_no_difference() {
        let mut random = Random::new(10);
        let keys: Vec<u64> = (0..1_500_000).map(|_| random.next()).collect();
        let (few, many) = keys.split_at(200_000);
        let counts = |keys: &mut dyn Iterator<Item = &u64>| {
            let mut counts = KeyCounts::new();
            counts.set_max_bytes(1 << 21);
            keys.for_each(|&key| counts.add(&[key]));
            counts
        };
        let expected = counts(&mut keys.iter()).finish();
        assert_eq!(expected.len(), 1 << 21);
        assert!(counts(&mut keys.iter().rev()).finish() == expected);
        let parts = [counts(&mut few.iter()), counts(&mut many.iter())];
        assert!(parts[0].filter.is_none() && parts[1].filter.is_some());
        for order in [[0, 1], [1, 0]] {
            let mut whole = KeyCounts::new();
            for at in order {
                whole.merge(&parts[at].state()).unwrap();
            }
            assert!(whole.finish() == expected);
        }
    }

    #[test]
    fn a_sum_of_counts_ends_at_two() {
        let key = 17;
        for (first, second) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
            let mut counts = [first, second].map(|times| {
                let mut filter = KeyFilter::new(1, 1 << 10, 0);
                (0..times).for_each(|_| filter.add(key));
                filter
            });
            let [own, other] = &mut counts;
            own.merge(&other.to_bytes()).unwrap();
            assert_eq!(own.is_shared(key), first + second >= 2, "{first} {second}");
            own.add(key);
            assert_eq!(own.is_shared(key), first + second >= 1, "{first} {second}");
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        assert!(SharedKeys::new(&[0; 24]).is_err());
        assert!(SharedKeys::new(&[]).is_err());
        assert!(KeyCounts::new().merge(&[]).is_err());
        for state in [&[][..], &[0, 1], &[1, 1], &[2]] {
            let bytes = [&[0; 8][..], state].concat();
            assert!(KeyCounts::new().merge(&bytes).is_err());
        }
    }
}
