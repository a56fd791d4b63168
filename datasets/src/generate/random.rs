//! The random number generator SplitMix64. Its stream determines the corpus of a seed.
//!
//! Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; the output
//! function is the variant 13 of Stafford's mixers.

/// The increment of the counter: 2^64 divided by the golden ratio, odd.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of 64-bit numbers from a seed, the same on every machine.
#[derive(Debug, Clone)]
pub(super) struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A stream of random numbers: the same `seed`, `domain` and `number` give the same stream.
    pub(super) fn of(seed: u64, domain: u64, number: u64) -> Self {
        Self::new(mix(
            mix(seed ^ domain.wrapping_mul(STEP)) ^ number.wrapping_mul(STEP)
        ))
    }

    #[inline]
    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix(self.state)
    }

    /// A number below `bound`, or 0 for a bound of 0. By multiplication: the bias is below
    /// `bound` / 2^32, of no consequence for text.
    #[inline]
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let high = self.next() >> 32;
        ((high * (bound as u64 & 0xFFFF_FFFF)) >> 32) as usize
    }

    /// True with a probability of `percent` percent.
    #[inline]
    pub(super) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// 1, 2, 3 … up to `cap`, each step further with a probability of 45 percent.
    pub(super) fn geometric(&mut self, cap: usize) -> usize {
        let mut steps = 1;
        while steps < cap && self.percent(45) {
            steps += 1;
        }
        steps
    }
}

/// A bijection of 64-bit numbers without visible structure.
#[inline]
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn stream_is_the_published_one() {
        // The first outputs for seed 1234567 in the reference implementation.
        let mut random = SplitMix64::new(1_234_567);
        let got: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(
            got,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn below_stays_below() {
        let mut random = SplitMix64::new(1);
        for bound in [1, 2, 7, 1000] {
            let seen: std::collections::BTreeSet<usize> =
                (0..bound * 40).map(|_| random.below(bound)).collect();
            assert!(*seen.last().unwrap() < bound);
            assert!(seen.len() * 10 >= bound * 9, "{} of {bound}", seen.len());
        }
        assert_eq!(random.below(0), 0);
    }
}
