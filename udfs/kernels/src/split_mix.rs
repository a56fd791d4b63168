//! The random number generator of the signature format.

/// SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, 2014).
///
/// All random choices of the signature format use it. The stream of a seed is part of the format and does not
/// change.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number of the stream.
    pub const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next number, scaled to `0..bound` by multiplication (bias below `bound` / 2^64).
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.next() as u128 * bound as u128) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_stream() {
        // The first outputs for seed 1234567, as listed on rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64.
        let mut stream = SplitMix64::new(1_234_567);
        assert_eq!(stream.next(), 6_457_827_717_110_365_317);
        assert_eq!(stream.next(), 3_203_168_211_198_807_973);
        assert_eq!(stream.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn below_stays_below() {
        let mut stream = SplitMix64::new(3);
        let mut seen = [false; 7];
        for _ in 0..1_000 {
            seen[stream.below(7) as usize] = true;
        }
        assert_eq!(seen, [true; 7]);
    }
}
