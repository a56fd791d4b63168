//! Sketches: an upper bound of the overlap of two sets that is cheaper to compute than the overlap.
//!
//! Each token flips one bit of its set's sketch. Tokens in both sets flip the same bits of both sketches, so
//! two sketches differ in at most as many bits as there are tokens in exactly one of the sets. Hence, if `d`
//! bits differ, the sets have at most `(|x| + |y| - d) / 2` tokens in common. (Sandes, Teodoro and Melo,
//! "Bitmap filter: speeding up exact set similarity joins with bitwise operations", Information Systems 88,
//! 2020, with the XOR method.)

use super::input::Csr;
use crate::prefetch::prefetch;

/// Bits of a sketch for each token of a set of average size.
const BITS_PER_TOKEN: usize = 2;
/// The allowed numbers of words of a sketch.
const WORDS: std::ops::RangeInclusive<usize> = 2..=64;

/// The sketches of all sets, of equal length.
#[derive(Debug, Default)]
pub(super) struct Sketches {
    words: usize,
    bits: Vec<u64>,
}

impl Sketches {
    /// The number of sketches.
    pub(super) fn len(&self) -> usize {
        self.bits.len().checked_div(self.words).unwrap_or(0)
    }

    /// The number of words of each sketch.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The number of words of a sketch for `rows` sets of `tokens` tokens in all.
    pub(super) fn words_for(rows: usize, tokens: usize) -> usize {
        let average = tokens / rows.max(1);
        let words = (average * BITS_PER_TOKEN / 64).next_power_of_two();
        words.clamp(*WORDS.start(), *WORDS.end())
    }

    /// Bytes of the sketches of `rows` sets of `tokens` tokens in all.
    pub(super) fn memory_for(rows: usize, tokens: usize) -> usize {
        rows.saturating_mul(Self::words_for(rows, tokens) * size_of::<u64>())
    }

    pub(super) fn new(sets: Csr<'_, u64>) -> Self {
        let mut sketches = Self::with_capacity(sets.rows(), sets.values().len());
        (0..sets.rows()).for_each(|row| sketches.push(sets.row(row)));
        sketches
    }

    /// No sketches, with capacity for those of `rows` sets of `tokens` tokens in all.
    pub(super) fn with_capacity(rows: usize, tokens: usize) -> Self {
        let words = Self::words_for(rows, tokens);
        let bits = Vec::with_capacity(words * rows);
        Self { words, bits }
    }

    /// Adds the sketch of a set.
    pub(super) fn push(&mut self, set: &[u64]) {
        let start = self.bits.len();
        self.bits.resize(start + self.words, 0);
        flip(&mut self.bits[start..], set);
    }

    /// Replaces `sketch` by the sketch of a set, as long as those of the rows.
    pub(super) fn fill(&self, sketch: &mut Vec<u64>, set: &[u64]) {
        sketch.clear();
        sketch.resize(self.words, 0);
        flip(sketch, set);
    }

    /// Begins to load the sketch of a row.
    #[inline]
    pub(super) fn prefetch(&self, row: usize) {
        prefetch(&self.bits, row * self.words);
        if self.words > 4 {
            prefetch(&self.bits, (row + 1) * self.words - 1);
        }
    }

    /// The sketch of a row; `None` if there is none.
    #[inline]
    pub(super) fn row(&self, row: usize) -> Option<&[u64]> {
        let sketch = self.bits.get(row * self.words..(row + 1) * self.words)?;
        (!sketch.is_empty()).then_some(sketch)
    }

    /// The number of bits in which the sketches of two sets differ; `None` if there are no sketches.
    #[inline]
    pub(super) fn distance(&self, a: usize, b: usize) -> Option<usize> {
        Some(different_bits(self.row(a)?, self.row(b)?))
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        size_of::<u64>() * self.bits.capacity()
    }
}

/// Flips the bit of each token.
pub(super) fn flip(sketch: &mut [u64], set: &[u64]) {
    for &token in set {
        // Not the bits that determine the rank of a token among the keys.
        let bit = (token >> 40) as usize & (sketch.len() * 64 - 1);
        sketch[bit / 64] ^= 1 << (bit % 64);
    }
}

/// The number of bits in which two sketches differ.
#[inline]
pub(super) fn different_bits(a: &[u64], b: &[u64]) -> usize {
    let different = a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones());
    different.sum::<u32>() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    #[test]
    fn never_more_bits_than_tokens_in_one_set_only() {
        let mut random = Random::new(9);
        let (mut values, mut offsets) = (Vec::new(), vec![0]);
        for row in 0..200u32 {
            let mut set: Vec<u64> = (0..random.below(3 * row + 1))
                .map(|_| u64::from(random.below(500)).wrapping_mul(0x9E37_79B9_7F4A_7C15))
                .collect();
            set.sort_unstable();
            set.dedup();
            values.extend(set);
            offsets.push(values.len());
        }
        let sets = Csr::new(&offsets, &values);
        let sketches = Sketches::new(sets);
        let mut tight = 0;
        for a in 0..sets.rows() {
            for b in 0..sets.rows() {
                let common = sets
                    .row(a)
                    .iter()
                    .filter(|token| sets.row(b).contains(token));
                let one_only = sets.row(a).len() + sets.row(b).len() - 2 * common.count();
                let distance = sketches.distance(a, b).unwrap();
                assert!(distance <= one_only);
                tight += usize::from(2 * distance >= one_only);
            }
        }
        assert!(
            tight > 10_000,
            "{tight} of 40000 are within a factor of two"
        );
        assert_eq!(Sketches::default().distance(0, 1), None);
    }
}
