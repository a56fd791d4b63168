//! Orders the rows by a keyed permutation of their numbers, which is computed and not stored.
//!
//! Members of a cluster are neighbours in the layout; the permutation scatters them over the corpus. It is a bijection
//! of the next power of two (multiplications by odd numbers and shifts, each invertible), applied until the result is
//! inside the range (cycle walking: Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002); fewer
//! than two steps are expected.

use super::random::SplitMix64;

/// A permutation of `0..len`.
#[derive(Debug, Clone)]
pub(super) struct Permutation {
    len: u64,
    mask: u64,
    shift: u32,
    rounds: [(u64, u64); 4],
}

impl Permutation {
    pub(super) fn new(len: u64, random: &mut SplitMix64) -> Self {
        let bits = u64::BITS - len.saturating_sub(1).leading_zeros();
        let mask = if bits == u64::BITS {
            u64::MAX
        } else {
            (1 << bits) - 1
        };
        let rounds = std::array::from_fn(|_| (random.next() | 1, random.next()));
        Self {
            len,
            mask,
            shift: bits.div_ceil(2).max(1),
            rounds,
        }
    }

    /// The image of `index`, which must be below the length.
    #[inline]
    pub(super) fn apply(&self, index: u64) -> u64 {
        debug_assert!(index < self.len);
        let mut value = index;
        loop {
            for (factor, summand) in self.rounds {
                value = value.wrapping_mul(factor).wrapping_add(summand) & self.mask;
                value ^= value >> self.shift;
            }
            if value < self.len {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_once() {
        for len in [1u64, 2, 3, 7, 8, 9, 100, 1000, 4097] {
            for seed in 0..5 {
                let order = Permutation::new(len, &mut SplitMix64::new(seed));
                let mut seen: Vec<u64> = (0..len).map(|index| order.apply(index)).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..len), "length {len}, seed {seed}");
            }
        }
    }

    #[test]
    fn neighbours_are_scattered() {
        let len = 100_000;
        let order = Permutation::new(len, &mut SplitMix64::new(1));
        let near = (1..len)
            .filter(|&index| order.apply(index).abs_diff(order.apply(index - 1)) < 100)
            .count();
        assert!(
            near < 600,
            "{near} of {len} neighbours stayed within 100; 200 are expected"
        );
    }
}
