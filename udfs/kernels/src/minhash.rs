//! MinHash signatures (Broder 1997) with multiply-shift hash functions (Dietzfelbinger, Hagerup,
//! Katajainen, Penttonen 1997).
//!
//! Position i of a signature is the smallest value of `F_i(x) = (a_i·x + b_i mod 2^64) >> (64 − bits)`
//! over the hashes x of a set, with a_i odd. The probability that two sets agree in a position is their Jaccard
//! similarity J, so the share of equal positions estimates J, with variance J(1 − J)/num_hashes. With few bits,
//! unequal minima collide: about |A ∪ B| / 2^bits of the positions agree by chance.

mod minima;

use crate::split_mix::SplitMix64;

/// The largest number of positions of a signature.
pub const MAX_HASHES: usize = 4_096;

/// A family of hash functions that its parameters determine; part of the signature format.
#[derive(Debug, Clone)]
pub struct MinHasher {
    /// a_i, odd, padded to whole blocks of [`minima::LANES`].
    factors: Vec<u64>,
    /// b_i, padded the same.
    addends: Vec<u64>,
    num_hashes: usize,
    bits: u32,
}

/// The parameter of a [`MinHasher`] that is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MinHashError {
    /// The number of positions is out of range.
    #[error("num_hashes must be between 1 and {MAX_HASHES}, found {0}")]
    NumHashes(usize),
    /// The number of bits of a position is out of range.
    #[error("bits must be between 1 and 64, found {0}")]
    Bits(u32),
}

/// The type of one position of a signature: `u32` for up to 32 bits, `u64` for more.
///
/// The values, and all results derived from them, are the same in either type.
pub trait SignatureValue: Copy + Eq + Into<u64> + sealed::FromMinimum {
    /// The number of bits of the type.
    const BITS: u32;
}

mod sealed {
    pub trait FromMinimum {
        /// Converts a value that fits.
        fn from_minimum(value: u64) -> Self;
    }
}

impl SignatureValue for u32 {
    const BITS: u32 = 32;
}
impl sealed::FromMinimum for u32 {
    fn from_minimum(value: u64) -> Self {
        value as Self
    }
}

impl SignatureValue for u64 {
    const BITS: u32 = 64;
}
impl sealed::FromMinimum for u64 {
    fn from_minimum(value: u64) -> Self {
        value
    }
}

impl MinHasher {
    /// The functions of `seed`: a_0, b_0, a_1, b_1, … are consecutive numbers of
    /// [`SplitMix64`], each a with its lowest bit set. Hence the first n positions do not depend on `num_hashes`.
    ///
    /// `num_hashes` is 1 to [`MAX_HASHES`], `bits` 1 to 64.
    ///
    /// # Errors
    /// If either is outside of its range.
    pub fn new(num_hashes: usize, seed: u64, bits: u32) -> Result<Self, MinHashError> {
        if !(1..=MAX_HASHES).contains(&num_hashes) {
            return Err(MinHashError::NumHashes(num_hashes));
        }
        if !(1..=64).contains(&bits) {
            return Err(MinHashError::Bits(bits));
        }
        let padded = num_hashes.next_multiple_of(minima::LANES);
        let mut stream = SplitMix64::new(seed);
        let (mut factors, mut addends) = (vec![1; padded], vec![0; padded]);
        for (factor, addend) in factors.iter_mut().zip(&mut addends).take(num_hashes) {
            *factor = stream.next() | 1;
            *addend = stream.next();
        }
        Ok(Self {
            factors,
            addends,
            num_hashes,
            bits,
        })
    }

    /// The number of positions of a signature.
    pub fn num_hashes(&self) -> usize {
        self.num_hashes
    }

    /// The number of bits of a position.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Writes the signature of a set of hashes; their order and repeats do not matter.
    ///
    /// The signature of the empty set has the largest value, 2^bits − 1, in all positions. Empty sets therefore
    /// agree in all positions although empty texts count as dissimilar; code that forms pairs has to exclude them.
    ///
    /// # Panics
    ///
    /// If `out` does not have [`num_hashes`](Self::num_hashes) positions, or its type fewer bits
    /// than [`bits`](Self::bits).
    pub fn signature_into<V: SignatureValue>(&self, hashes: &[u64], out: &mut [V]) {
        assert_eq!(
            out.len(),
            self.num_hashes,
            "a signature has num_hashes positions"
        );
        assert!(
            self.bits <= V::BITS,
            "the type of a position holds its bits"
        );
        // The shift is monotone, so it is enough to shift the smallest value.
        let shift = 64 - self.bits;
        let blocks = self.factors.as_chunks::<{ minima::LANES }>().0;
        let blocks = blocks
            .iter()
            .zip(self.addends.as_chunks::<{ minima::LANES }>().0);
        for ((factors, addends), out) in blocks.zip(out.chunks_mut(minima::LANES)) {
            let minima = minima::of_block(factors, addends, hashes);
            for (position, minimum) in out.iter_mut().zip(minima) {
                *position = V::from_minimum(minimum >> shift);
            }
        }
    }
}

/// The share of positions in which two signatures agree: an estimate of the Jaccard similarity of
/// their sets. 0.0 for signatures without positions.
///
/// # Panics
///
/// If the signatures have different numbers of positions.
pub fn signature_similarity<V: SignatureValue>(a: &[V], b: &[V]) -> f64 {
    assert_eq!(
        a.len(),
        b.len(),
        "signatures of one family have the same number of positions"
    );
    let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
    if a.is_empty() {
        0.0
    } else {
        equal as f64 / a.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;

    /// The definition, one function after the other.
    fn oracle(num_hashes: usize, seed: u64, bits: u32, hashes: &[u64]) -> Vec<u64> {
        let mut stream = SplitMix64::new(seed);
        let mut signature = Vec::new();
        for _ in 0..num_hashes {
            let (a, b) = (u128::from(stream.next() | 1), u128::from(stream.next()));
            let value = |&x: &u64| ((a * u128::from(x) + b) % (1 << 64)) >> (64 - bits);
            let smallest = hashes.iter().map(value).min().unwrap_or((1 << bits) - 1);
            signature.push(smallest as u64);
        }
        signature
    }

    #[test]
    fn signatures_equal_the_oracle() {
        let mut random = RandomTexts::new(3);
        for num_hashes in [1, 7, 8, 31, 32, 33, 128, 200, MAX_HASHES] {
            for bits in [1, 5, 31, 32, 33, 60, 64] {
                let hashes = random.set(40, u64::MAX);
                let seed = random.number();
                let hasher = MinHasher::new(num_hashes, seed, bits).expect("valid parameters");
                let expected = oracle(num_hashes, seed, bits, &hashes);
                let mut wide = vec![0_u64; num_hashes];
                hasher.signature_into(&hashes, &mut wide);
                assert_eq!(wide, expected, "{num_hashes} hashes, {bits} bits");
                if bits <= 32 {
                    let mut narrow = vec![0_u32; num_hashes];
                    hasher.signature_into(&hashes, &mut narrow);
                    assert!(narrow.iter().map(|&v| u64::from(v)).eq(expected));
                }
            }
        }
    }

    #[test]
    fn the_empty_set_has_all_bits_set() {
        let hasher = MinHasher::new(3, 1, 5).expect("valid parameters");
        let mut signature = [0_u32; 3];
        hasher.signature_into(&[], &mut signature);
        assert_eq!(signature, [31; 3]);
    }

    #[test]
    fn the_estimate_is_near_the_similarity() {
        // Two sets of 400 with 300 in common: 0.6, standard deviation 0.0077 at 4096 positions.
        let mut random = RandomTexts::new(4);
        let numbers: Vec<u64> = (0..500).map(|_| random.number()).collect();
        for bits in [32, 64] {
            let hasher = MinHasher::new(MAX_HASHES, 1, bits).expect("valid parameters");
            let (mut a, mut b) = (vec![0_u64; MAX_HASHES], vec![0_u64; MAX_HASHES]);
            hasher.signature_into(&numbers[..400], &mut a);
            hasher.signature_into(&numbers[100..], &mut b);
            let estimate = signature_similarity(&a, &b);
            assert!((estimate - 0.6).abs() < 0.03, "{estimate} at {bits} bits");
        }
        assert_eq!(signature_similarity(&[1_u32, 2, 3, 4], &[1, 2, 0, 4]), 0.75);
        assert_eq!(signature_similarity::<u32>(&[], &[]), 0.0);
    }

    #[test]
    fn errors_name_parameter_and_rule() {
        let error = |num_hashes, bits| {
            MinHasher::new(num_hashes, 1, bits)
                .map(drop)
                .map_err(|e| e.to_string())
        };
        assert_eq!(
            error(0, 32),
            Err("num_hashes must be between 1 and 4096, found 0".to_owned())
        );
        assert_eq!(
            error(4_097, 32),
            Err("num_hashes must be between 1 and 4096, found 4097".to_owned())
        );
        assert_eq!(
            error(128, 0),
            Err("bits must be between 1 and 64, found 0".to_owned())
        );
        assert_eq!(
            error(128, 65),
            Err("bits must be between 1 and 64, found 65".to_owned())
        );
    }
}
