//! XXH3-64 (Collet, xxHash 0.8) of 1 to 16 bytes whose number is a constant, with seed 0.
//!
//! The same values as [`xxhash_rust::xxh3::xxh3_64`], which selects a method by the length of each input unless the
//! compiler happens to inline it. Here no hash of a window of a text has a branch.

/// The first 56 bytes of the default secret of XXH3.
const SECRET: [u64; 7] = [
    0xbe4b_a423_396c_feb8,
    0x1cad_21f7_2c81_017c,
    0xdb97_9083_e96d_d4de,
    0x1f67_b3b7_a4a4_4072,
    0x78e5_c0cc_4ee6_79cb,
    0x2172_ffcc_7dd0_5a82,
    0x8e24_43f7_7446_08b8,
];

/// The hash of `N` bytes, 1 to 16.
#[inline(always)]
pub(crate) fn xxh3_short<const N: usize>(bytes: &[u8; N]) -> u64 {
    const { assert!(1 <= N && N <= 16) }
    match N {
        1..=3 => {
            let (first, middle, last) = (bytes[0], bytes[N / 2], bytes[N - 1]);
            let all = u32::from_le_bytes([last, N as u8, first, middle]);
            let flip = SECRET[0] as u32 ^ (SECRET[0] >> 32) as u32;
            let mut hash = u64::from(all ^ flip);
            hash ^= hash >> 33;
            hash = hash.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
            hash ^= hash >> 29;
            hash = hash.wrapping_mul(0x1656_67b1_9e37_79f9);
            hash ^ hash >> 32
        }
        4..=8 => {
            let half = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
            let both = u64::from(half(N - 4)) | u64::from(half(0)) << 32;
            let mut hash = both ^ SECRET[1] ^ SECRET[2];
            hash ^= hash.rotate_left(49) ^ hash.rotate_left(24);
            hash = hash.wrapping_mul(0x9fb2_1c65_1e98_df25);
            hash ^= (hash >> 35).wrapping_add(N as u64);
            hash = hash.wrapping_mul(0x9fb2_1c65_1e98_df25);
            hash ^ hash >> 28
        }
        _ => {
            let half = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
            let low = half(0) ^ SECRET[3] ^ SECRET[4];
            let high = half(N - 8) ^ SECRET[5] ^ SECRET[6];
            let product = u128::from(low) * u128::from(high);
            let mut hash = (N as u64)
                .wrapping_add(low.swap_bytes())
                .wrapping_add(high)
                .wrapping_add(product as u64 ^ (product >> 64) as u64);
            hash ^= hash >> 37;
            hash = hash.wrapping_mul(0x1656_6791_9e37_79f9);
            hash ^ hash >> 32
        }
    }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::test_random::Random;

    fn check<const N: usize>() {
        let mut random = Random::new(N as u64);
        for round in 0..2_000 {
            let bytes: [u8; N] = match round {
                0 => [0; N],
                1 => [255; N],
                _ => std::array::from_fn(|_| random.next() as u8),
            };
            assert_eq!(xxh3_short(&bytes), xxh3_64(&bytes), "{bytes:?}");
        }
    }

    #[test]
    fn every_length_has_the_values_of_the_library() {
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<6>();
        check::<7>();
        check::<8>();
        check::<9>();
        check::<10>();
        check::<11>();
        check::<12>();
        check::<13>();
        check::<14>();
        check::<15>();
        check::<16>();
    }
}
