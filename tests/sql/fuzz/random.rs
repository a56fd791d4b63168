//! Random choices from a seed.

use neardup_kernels::SplitMix64;

/// A stream of random choices that is determined by its seed.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed ^ 0x6675_7a7a))
    }

    /// A number below `bound`, which must be at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }

    /// A number from `min` to `max`, inclusive.
    pub fn between(&mut self, min: usize, max: usize) -> usize {
        min + self.below(max - min + 1)
    }

    /// True with a probability of `of_hundred` percent.
    pub fn percent(&mut self, of_hundred: usize) -> bool {
        self.below(100) < of_hundred
    }

    /// A random element of a slice.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// A random word of a slice.
    pub fn word(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0.next()
    }
}
