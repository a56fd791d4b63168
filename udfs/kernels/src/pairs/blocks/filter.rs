//! Which keys several rows hold.

/// The number of counters for each key.
const COUNTERS: usize = 8;
/// The number of counters in a word, of two bits each.
const LANES: usize = 32;

/// Counters of keys, of two bits each, that stop at 2. Keys that share a counter are counted together, so that a key
/// that only one row holds may seem to be shared; the reverse does not happen.
#[derive(Debug)]
pub struct KeyFilter {
    words: Vec<u64>,
    /// The counter of a key: the high bits of its product with this factor.
    factor: u64,
    shift: u32,
}

impl KeyFilter {
    /// Counters for this number of keys, within this number of bytes. Filters with different `stage` share counters
    /// between different keys.
    #[must_use]
    pub fn new(keys: usize, max_bytes: usize, stage: u64) -> Self {
        let bits = Self::bits(keys, max_bytes);
        let factors = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F];
        Self {
            words: vec![0; (1 << bits) / LANES],
            factor: factors[stage as usize % factors.len()],
            shift: 64 - bits,
        }
    }

    /// The bytes that [`Self::new`] allocates.
    #[must_use]
    pub fn memory_for(keys: usize, max_bytes: usize) -> usize {
        (1 << Self::bits(keys, max_bytes)) / LANES * size_of::<u64>()
    }

    /// The logarithm of the number of counters.
    fn bits(keys: usize, max_bytes: usize) -> u32 {
        let wanted = keys.saturating_mul(COUNTERS).max(1024);
        let most = max_bytes.saturating_mul(4).max(1024);
        let bits = (wanted - 1).ilog2() + 1;
        bits.min(most.ilog2()).min(40)
    }

    #[inline]
    fn place(&self, key: u64) -> (usize, u32) {
        let counter = (key.wrapping_mul(self.factor) >> self.shift) as usize;
        (counter / LANES, (counter % LANES) as u32 * 2)
    }

    /// Counts a key of a row.
    #[inline]
    pub fn add(&mut self, key: u64) {
        let (word, shift) = self.place(key);
        let word = &mut self.words[word];
        let count = *word >> shift & 3;
        *word += u64::from(count < 2) << shift;
    }

    /// Whether several rows may hold a key.
    #[inline]
    #[must_use]
    pub fn is_shared(&self, key: u64) -> bool {
        let (word, shift) = self.place(key);
        self.words[word] >> shift & 2 != 0
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
                assert!(alone.iter().filter(|key| first.is_shared(**key)).count() < 3_000);
                assert!(alone.iter().filter(is_shared).count() < 300);
            }
        }
    }
}
