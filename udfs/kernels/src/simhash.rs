//! SimHash: one bit for each bit position of the hashes of a weighted set.

use crate::split_mix::SplitMix64;

/// Writes the SimHash of weighted hashes (Charikar 2002; Manku, Jain, Sarma, WWW 2007): bit i is 1 iff
/// the weights of the hashes whose bit i is set exceed the weights of the others. Bit i is bit `i % 8`
/// of byte `i / 8`. The first 64 bits use the hashes themselves; the next 64 use one random number that is seeded
/// with each hash. The empty set has no bit set. `out` has 8 or 16 bytes. Weights are summed in the order given.
pub fn simhash_into(features: impl Iterator<Item = (u64, f64)>, out: &mut [u8]) {
    let mut sums = [0.0_f64; 128];
    let bits = (out.len() * 8).min(128);
    for (hash, weight) in features {
        let words = [hash, SplitMix64::new(hash).next()];
        for (sums, word) in sums[..bits].chunks_mut(64).zip(words) {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum += if word >> i & 1 == 1 { weight } else { -weight };
            }
        }
    }
    for (byte, sums) in out.iter_mut().zip(sums.chunks(8)) {
        *byte = sums
            .iter()
            .enumerate()
            .fold(0, |byte, (bit, &sum)| byte | u8::from(sum > 0.0) << bit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(features: &[(u64, f64)], bytes: usize) -> Vec<u8> {
        let mut out = vec![0xff; bytes];
        simhash_into(features.iter().copied(), &mut out);
        out
    }

    #[test]
    fn bits_are_majorities() {
        assert_eq!(of(&[], 8), [0; 8]);
        let one = of(&[(0x0123_4567_89ab_cdef, 1.0)], 16);
        assert_eq!(one[..8], 0x0123_4567_89ab_cdef_u64.to_le_bytes());
        assert_eq!(
            one[8..],
            SplitMix64::new(0x0123_4567_89ab_cdef).next().to_le_bytes()
        );
        let three = [(0b011, 1.0), (0b110, 1.0), (0b010, 1.0)];
        assert_eq!(of(&three, 8)[0], 0b010);
        let weighted = [(0b011, 1.0), (0b110, 3.0), (0b010, 1.0)];
        assert_eq!(of(&weighted, 8)[0], 0b110);
        // A tie is 0.
        assert_eq!(of(&[(1, 1.0), (2, 1.0)], 8)[0], 0);
    }
}
