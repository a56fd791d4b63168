//! Finds the keys of oversized buckets.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::super::index::{KeyHasher, pairs_in_bucket};
use super::super::stats::Stats;

/// Bytes of an entry of a table: a key, and one or two numbers of 32 bits, with their alignment and the table's own byte.
const ENTRY: usize = size_of::<(u64, [u32; 2])>() + 1;

type KeyMap<V> = HashMap<u64, V, BuildHasherDefault<KeyHasher>>;

/// Counts keys in two passes over the rows. The first one counts in a table of counters that keys share, the second one
/// counts those keys exactly whose counter exceeds the limit.
#[derive(Debug)]
pub struct OversizedKeyCounter {
    max_bucket_pairwise: usize,
    two_sides: bool,
    counters: Vec<u32>,
    shift: u32,
    /// The number of rows of each side that hold a key.
    exact: KeyMap<[u32; 2]>,
}

impl OversizedKeyCounter {
    /// Counters for `keys` keys of rows on one side or two. Buckets of more than `max_bucket_pairwise` rows are
    /// oversized.
    #[must_use]
    pub fn new(keys: usize, max_bucket_pairwise: usize, two_sides: bool) -> Self {
        let bits = Self::bits(keys, max_bucket_pairwise);
        Self {
            max_bucket_pairwise,
            two_sides,
            counters: vec![0; 1 << bits],
            shift: 64 - bits,
            exact: KeyMap::default(),
        }
    }

    /// The bytes that [`Self::new`] allocates.
    #[must_use]
    pub fn memory_for(keys: usize, max_bucket_pairwise: usize) -> usize {
        size_of::<u32>() << Self::bits(keys, max_bucket_pairwise)
    }

    /// The logarithm of the number of counters: a counter has an eighth of the limit on average, so that few exceed it
    /// without an oversized bucket.
    fn bits(keys: usize, max_bucket_pairwise: usize) -> u32 {
        (keys / max_bucket_pairwise.max(1))
            .saturating_mul(8)
            .clamp(1 << 10, 1 << 24)
            .ilog2()
    }

    #[inline]
    fn counter(&self, key: u64) -> usize {
        (key.wrapping_mul(0xFF51_AFD7_ED55_8CCD) >> self.shift) as usize
    }

    /// First pass: counts a key of a row.
    #[inline]
    pub fn add(&mut self, key: u64) {
        let counter = self.counter(key);
        let counter = &mut self.counters[counter];
        *counter = counter.saturating_add(1);
    }

    /// After the first pass: whether a bucket may be oversized.
    #[must_use]
    pub fn any(&self) -> bool {
        self.counters
            .iter()
            .any(|&count| count as usize > self.max_bucket_pairwise)
    }

    /// Second pass: counts a key of a row of a side.
    #[inline]
    pub fn count(&mut self, key: u64, side: u8) {
        let counter = self.counter(key);
        if self.counters[counter] as usize > self.max_bucket_pairwise {
            let rows = &mut self.exact.entry(key).or_default()[usize::from(side & 1)];
            *rows = rows.saturating_add(1);
        }
    }

    /// The bytes that counting exactly holds so far.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<u32>() * self.counters.capacity() + ENTRY * self.exact.capacity()
    }

    /// The keys of oversized buckets, and their counts.
    #[must_use]
    pub fn finish(self) -> OversizedKeys {
        let mut stats = Stats::default();
        let mut numbers = KeyMap::default();
        for (key, rows) in self.exact {
            let [a, b] = rows.map(u64::from);
            if (a + b) as usize <= self.max_bucket_pairwise || self.two_sides && (a == 0 || b == 0)
            {
                continue;
            }
            numbers.insert(key, numbers.len() as u32);
            stats.oversized_buckets += 1;
            stats.rows_in_oversized_buckets += a + b;
            // Comparisons with pivots are subtracted when they are done.
            stats.pairs_not_compared += pairs_in_bucket([Some(a), self.two_sides.then_some(b)]);
        }
        OversizedKeys { numbers, stats }
    }
}

/// The keys of oversized buckets.
#[derive(Debug, Default)]
pub struct OversizedKeys {
    numbers: KeyMap<u32>,
    pub(super) stats: Stats,
}

impl OversizedKeys {
    /// Whether no bucket is oversized.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether a key belongs to an oversized bucket.
    #[inline]
    #[must_use]
    pub fn contains(&self, key: u64) -> bool {
        !self.numbers.is_empty() && self.numbers.contains_key(&key)
    }

    /// The number of the bucket of a key, if it is oversized.
    #[inline]
    pub(super) fn number(&self, key: u64) -> Option<usize> {
        self.numbers.get(&key).map(|&number| number as usize)
    }

    /// The number of buckets.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        ENTRY * self.numbers.capacity()
    }
}
