//! Hamming distances of bit signatures, and their relation to the cosine of the vectors.

use std::f64::consts::PI;

/// The number of bits in which two signatures differ. The shorter signature is padded with zeros.
///
/// ```
/// assert_eq!(neardup_kernels::hamming_distance(&[0b1010], &[0b0110]), 2);
/// ```
#[must_use]
pub fn hamming_distance(a: &[u8], b: &[u8]) -> u32 {
    let common = a.len().min(b.len());
    let (a, rest_a) = a.split_at(common);
    let (b, rest_b) = b.split_at(common);
    let (words_a, last_a) = a.as_chunks::<8>();
    let (words_b, last_b) = b.as_chunks::<8>();
    let words: u32 = words_a
        .iter()
        .zip(words_b)
        .map(|(a, b)| (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b)).count_ones())
        .sum();
    let ones = |bytes: &[u8]| bytes.iter().map(|byte| byte.count_ones()).sum::<u32>();
    let last: u32 = last_a
        .iter()
        .zip(last_b)
        .map(|(a, b)| (a ^ b).count_ones())
        .sum();
    words + last + ones(rest_a) + ones(rest_b)
}

/// An estimate of the cosine of two vectors whose signatures of `bits` bits by random projection differ in `distance`
/// bits: `cos(π · distance / bits)`, in [-1, 1]. A distance outside of [0, bits] gives the cosine of that angle, and 0
/// bits give NaN. The SQL function returns NULL for such a distance and refuses 0 bits.
#[must_use]
pub fn hamming_to_cosine(distance: f64, bits: f64) -> f64 {
    match distance / bits {
        // The exact value; cos(π/2) in floating point is not 0.
        0.5 => 0.0,
        share => (PI * share).cos(),
    }
}

/// The expected distance, in bits, of the signatures of `bits` bits of two vectors of the given cosine:
/// `bits · acos(cosine) / π`, in [0, bits]. A cosine outside of [-1, 1] gives NaN.
#[must_use]
pub fn cosine_to_hamming(cosine: f64, bits: f64) -> f64 {
    bits * cosine.acos() / PI
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;

    #[test]
    fn distance_is_a_count_of_differing_bits() {
        let mut random = SplitMix64::new(1);
        for length in 0..40 {
            let a: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            let b: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            let bit = |bytes: &[u8], i: usize| bytes[i / 8] >> (i % 8) & 1;
            let differing = (0..8 * length)
                .filter(|&i| bit(&a, i) != bit(&b, i))
                .count();
            assert_eq!(hamming_distance(&a, &b) as usize, differing);
            assert_eq!(hamming_distance(&a, &a), 0);
        }
        assert_eq!(hamming_distance(&[1, 2], &[1]), 1);
    }

    #[test]
    fn cosine_and_distance_are_inverse() {
        assert_eq!(hamming_to_cosine(0.0, 64.0), 1.0);
        assert_eq!(hamming_to_cosine(32.0, 64.0), 0.0);
        assert_eq!(hamming_to_cosine(64.0, 64.0), -1.0);
        assert_eq!(cosine_to_hamming(0.0, 64.0), 32.0);
        // The published threshold: 403 of 1,000 bits at a cosine of 0.3.
        assert_eq!(cosine_to_hamming(0.3, 1000.0).floor(), 403.0);
        assert!(cosine_to_hamming(1.1, 64.0).is_nan());
        for distance in 0..=64 {
            let cosine = hamming_to_cosine(f64::from(distance), 64.0);
            assert!((cosine_to_hamming(cosine, 64.0) - f64::from(distance)).abs() < 1e-6);
        }
    }
}
