//! The keys that many rows may hold.

use crate::key_filter::WrongFilter;

/// The bit of a key, in a join of several parts, whose bucket may be oversized ([`FrequentKeys::mark`]).
const MARK: u64 = 1 << 63;
/// Up to this many keys are counted exactly.
const FEW: usize = 1 << 20;
/// The logarithm of the number of counters of more keys.
const BITS: u32 = 20;

/// Counts keys, to find those that more than a number of rows may hold. Few keys are counted exactly, of many those that
/// share a counter count as one: among 2^17 times as many keys as the number, a counter holds an eighth of it on
/// average.
#[derive(Debug, Default)]
pub struct FrequentKeyCounts {
    keys: Vec<u64>,
    /// Counters, if there are many keys.
    counters: Option<Vec<u32>>,
}

/// The counter of a key.
#[inline]
fn counter(key: u64) -> usize {
    (key.wrapping_mul(0xFF51_AFD7_ED55_8CCD) >> (64 - BITS)) as usize
}

impl FrequentKeyCounts {
    /// Counts keys of rows.
    pub fn add(&mut self, keys: &[u64]) {
        match &mut self.counters {
            None if self.keys.len() + keys.len() <= FEW => self.keys.extend(keys),
            _ => {
                let counters = self.in_counters();
                keys.iter()
                    .for_each(|&key| count(counters, counter(key), 1));
            }
        }
    }

    fn in_counters(&mut self) -> &mut Vec<u32> {
        let keys = std::mem::take(&mut self.keys);
        let counters = self.counters.get_or_insert_with(|| vec![0; 1 << BITS]);
        keys.iter()
            .for_each(|&key| count(counters, counter(key), 1));
        counters
    }

    /// Adds what another one counted, from its [`Self::state`].
    ///
    /// # Errors
    /// If the bytes are no such state.
    pub fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        match state.split_first() {
            Some((0, keys)) if keys.len() % 8 == 0 => {
                let (keys, _) = keys.as_chunks();
                let keys: Vec<u64> = keys.iter().map(|key| u64::from_le_bytes(*key)).collect();
                self.add(&keys);
                Ok(())
            }
            Some((1, counts)) if counts.len() == 4 << BITS => {
                let counters = self.in_counters();
                let (counts, _) = counts.as_chunks();
                for (at, rows) in counts.iter().enumerate() {
                    count(counters, at, u32::from_le_bytes(*rows));
                }
                Ok(())
            }
            _ => Err(WrongFilter(state.len())),
        }
    }

    /// What was counted, for [`Self::merge`].
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        match &self.counters {
            None => {
                let keys = self.keys.iter().flat_map(|key| key.to_le_bytes());
                std::iter::once(0).chain(keys).collect()
            }
            Some(counters) => {
                let counts = counters.iter().flat_map(|rows| rows.to_le_bytes());
                std::iter::once(1).chain(counts).collect()
            }
        }
    }

    /// The keys that more than `max_rows` rows may hold, for [`FrequentKeys`].
    #[must_use]
    pub fn finish(&self, max_rows: usize) -> Vec<u8> {
        let Some(counters) = &self.counters else {
            let mut keys = self.keys.clone();
            keys.sort_unstable();
            let groups = keys.chunk_by(|a, b| a == b);
            let frequent = groups.filter(|rows| rows.len() > max_rows);
            let frequent = frequent.filter_map(|rows| rows.first());
            let frequent = frequent.flat_map(|key| key.to_le_bytes());
            return std::iter::once(0).chain(frequent).collect();
        };
        let numbers = 0..counters.len() as u32;
        let frequent = numbers
            .zip(counters)
            .filter(|&(_, &rows)| rows as usize > max_rows);
        let frequent = frequent.flat_map(|(number, _)| number.to_le_bytes());
        std::iter::once(1).chain(frequent).collect()
    }

    /// The bytes that are allocated.
    #[must_use]
    pub fn memory(&self) -> usize {
        let counters = self.counters.as_ref().map_or(0, Vec::capacity);
        counters * size_of::<u32>() + self.keys.capacity() * size_of::<u64>()
    }
}

fn count(counters: &mut [u32], at: usize, rows: u32) {
    counters[at] = counters[at].saturating_add(rows);
}

/// The keys that many rows may hold: all that do, and few others.
#[derive(Debug, Clone, Copy)]
pub enum FrequentKeys<'a> {
    /// The keys themselves, ascending.
    Keys(&'a [[u8; 8]]),
    /// Their counters, ascending.
    Counters(&'a [[u8; 4]]),
}

impl<'a> FrequentKeys<'a> {
    /// The keys that [`FrequentKeyCounts::finish`] wrote.
    ///
    /// # Errors
    /// If the bytes are no such keys.
    pub fn new(bytes: &'a [u8]) -> Result<Self, WrongFilter> {
        match bytes.split_first() {
            Some((0, keys)) if keys.len() % 8 == 0 => Ok(Self::Keys(keys.as_chunks().0)),
            Some((1, numbers)) if numbers.len() % 4 == 0 => {
                Ok(Self::Counters(numbers.as_chunks().0))
            }
            _ => Err(WrongFilter(bytes.len())),
        }
    }

    /// Whether many rows may hold a key.
    #[inline]
    #[must_use]
    pub fn contains(&self, key: u64) -> bool {
        match self {
            Self::Keys(keys) => keys
                .binary_search_by_key(&key, |key| u64::from_le_bytes(*key))
                .is_ok(),
            Self::Counters(numbers) => {
                let number = counter(key) as u32;
                let of_counter = |number: &[u8; 4]| u32::from_le_bytes(*number);
                numbers.binary_search_by_key(&number, of_counter).is_ok()
            }
        }
    }

    /// The key with its highest bit set if many rows may hold it, and without it otherwise ([`is_marked`]). Keys that
    /// differ in that bit only become one; rows that share it are compared in any case.
    #[inline]
    #[must_use]
    pub fn mark(&self, key: u64) -> u64 {
        match self.contains(key) {
            true => key | MARK,
            false => key & !MARK,
        }
    }
}

/// Whether many rows may hold a key, if it went through [`FrequentKeys::mark`].
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

    /// Counts keys in several parts.
    fn counted(keys: &[u64], parts: usize) -> FrequentKeyCounts {
        let mut all = FrequentKeyCounts::default();
        for part in keys.chunks(keys.len().div_ceil(parts).max(1)) {
            let mut counts = FrequentKeyCounts::default();
            part.chunks(7).for_each(|keys| counts.add(keys));
            all.merge(&counts.state()).expect("a state");
        }
        all
    }

    #[test]
    fn every_frequent_key_is_marked_and_few_others() {
        let mut random = Random::new(8);
        for (rows, distinct) in [(1_000, 40), (50_000, 5_000), (FEW as u32 * 2, 400_000)] {
            // The square favours small numbers.
            let key = |_| u64::from(random.below(distinct)) * u64::from(random.below(distinct));
            let keys: Vec<u64> = (0..rows).map(key).map(|key| key << 40 | key).collect();
            let mut rows_of: BTreeMap<u64, usize> = BTreeMap::new();
            keys.iter()
                .for_each(|&key| *rows_of.entry(key).or_default() += 1);
            for parts in [1, 3, 64] {
                let bytes = counted(&keys, parts).finish(50);
                let frequent = FrequentKeys::new(&bytes).expect("keys");
                let mut others = 0;
                for (&key, &rows) in &rows_of {
                    let is_frequent = frequent.contains(key);
                    assert!(is_frequent || rows <= 50, "{rows} rows");
                    others += usize::from(is_frequent && rows <= 50);
                    let marked = frequent.mark(key);
                    assert_eq!(
                        (marked & !MARK, is_marked(marked)),
                        (key & !MARK, is_frequent)
                    );
                }
                let is_exact = rows as usize <= FEW;
                assert!(
                    others == 0 || !is_exact && others < rows_of.len() / 50,
                    "{others}"
                );
            }
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let mut counts = FrequentKeyCounts::default();
        for bytes in [&[][..], &[2], &[0, 1], &[1, 0, 0, 0, 0]] {
            assert!(counts.merge(bytes).is_err());
        }
        for bytes in [&[][..], &[2], &[0, 1], &[1, 0]] {
            assert!(FrequentKeys::new(bytes).is_err());
        }
        let none = FrequentKeyCounts::default().finish(0);
        assert!(!FrequentKeys::new(&none).expect("no keys").contains(0));
    }
}
