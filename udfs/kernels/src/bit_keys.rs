//! Bucket keys of bit signatures: rows that share a key are candidates.

use std::ops::Range;

use crate::projection::MAX_BITS;
use crate::split_mix::SplitMix64;

/// The reason why a signature has no keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The signature has fewer bits than requested.
    #[error("a signature of {bytes} bytes has fewer than {bits} bits")]
    Length {
        /// Its length in bytes.
        bytes: usize,
        /// The number of bits requested.
        bits: usize,
    },
    /// The number of bits is out of range.
    #[error("bits must be between 1 and {MAX_BITS}, found {0}")]
    Bits(usize),
    /// A key has more bits than a signature.
    #[error("key_bits must be between 1 and the {bits} bits of a signature, found {key_bits}")]
    KeyBits {
        /// Bits of a signature.
        bits: usize,
        /// Bits of a key.
        key_bits: usize,
    },
}

/// The permutation of the bits of a table: element i is the bit at position i of the permuted signature. It is
/// a shuffle of `0..bits` (Durstenfeld 1964) drawn from the stream of (seed, table), and part of the signature
/// format.
#[must_use]
pub fn bit_permutation(bits: usize, seed: u64, table: u64) -> Vec<u32> {
    let seed = SplitMix64::new(seed).next();
    let mut random = SplitMix64::new(seed ^ SplitMix64::new(table).next());
    let mut order: Vec<u32> = (0..bits as u32).collect();
    for last in (1..order.len()).rev() {
        let chosen = random.below(last as u64 + 1) as usize;
        order.swap(last, chosen);
    }
    order
}

/// Appends the keys of `blocks` blocks of the first `bits` bits, of sizes that differ by at most one
/// bit. Two signatures that differ in fewer bits than there are blocks agree in a block (Manku, Jain,
/// Sarma, WWW 2007). If there are more blocks than bits, some blocks are empty and have the same key in all rows.
///
/// # Errors
/// If the signature is shorter than `bits`.
pub fn block_keys_into(
    signature: &[u8],
    bits: usize,
    blocks: usize,
    keys: &mut Vec<u64>,
) -> Result<(), KeyError> {
    check_length(signature, bits)?;
    keys.extend((0..blocks).map(|block| {
        let range = block * bits / blocks..(block + 1) * bits / blocks;
        key(signature, block, range.map(|bit| bit as u32))
    }));
    Ok(())
}

/// Tables whose keys consist of randomly chosen bits of a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitTables {
    bits: usize,
    key_bits: usize,
    /// The bits of each table's key.
    chosen: Vec<u32>,
}

impl BitTables {
    /// Chooses `key_bits` of `bits` bits for each of `tables` tables. Bits are taken in order from the
    /// permutation of table 0 while it has enough bits left for a key, then from that of table 1, and so on.
    /// Hence no two of the first `bits / key_bits` tables share a bit.
    ///
    /// # Errors
    /// If `bits` or `key_bits` is out of range.
    pub fn new(bits: usize, tables: usize, key_bits: usize, seed: u64) -> Result<Self, KeyError> {
        if !(1..=MAX_BITS).contains(&bits) {
            return Err(KeyError::Bits(bits));
        }
        if !(1..=bits).contains(&key_bits) {
            return Err(KeyError::KeyBits { bits, key_bits });
        }
        let each = bits / key_bits;
        let chosen = (0..tables.div_ceil(each))
            .flat_map(|shuffle| {
                let mut order = bit_permutation(bits, seed, shuffle as u64);
                order.truncate(each * key_bits);
                order
            })
            .take(tables * key_bits)
            .collect();
        Ok(Self {
            bits,
            key_bits,
            chosen,
        })
    }

    /// Appends the key of each table.
    ///
    /// # Errors
    /// If the signature is shorter than the bits.
    pub fn keys_into(&self, signature: &[u8], keys: &mut Vec<u64>) -> Result<(), KeyError> {
        check_length(signature, self.bits)?;
        let tables = self.chosen.chunks(self.key_bits).enumerate();
        keys.extend(tables.map(|(table, chosen)| key(signature, table, chosen.iter().copied())));
        Ok(())
    }
}

/// The key of a table for these bits of a signature. Within a table, keys of up to 64 bits are equal only if the
/// bits are equal; longer ones collide with probability 2^-64.
fn key(signature: &[u8], table: usize, bits: impl Iterator<Item = u32>) -> u64 {
    let mut key = SplitMix64::new(table as u64).next();
    let (mut word, mut filled) = (0_u64, 0);
    for bit in bits {
        let byte = signature.get(bit as usize / 8).copied().unwrap_or(0);
        word |= u64::from(byte >> (bit % 8) & 1) << filled;
        filled += 1;
        if filled == 64 {
            key = SplitMix64::new(key ^ word).next();
            (word, filled) = (0, 0);
        }
    }
    match filled {
        0 => key,
        _ => SplitMix64::new(key ^ word).next(),
    }
}

fn check_length(signature: &[u8], bits: usize) -> Result<(), KeyError> {
    match signature.len() * 8 >= bits {
        true => Ok(()),
        false => Err(KeyError::Length {
            bytes: signature.len(),
            bits,
        }),
    }
}

/// Divides the comparison of all pairs into parts, one for each pair of groups of rows (g, h) with g ≤ h.
/// Returns the parts that a row of `group` belongs to, each with whether the row is in the second of the two
/// groups of the part, the one with the higher number. Rows of the first group are compared with rows of the
/// second one. In the part of a single group, for which this is `None`, all rows are compared.
pub fn pair_parts(group: u64, groups: u64) -> impl Iterator<Item = (u64, Option<bool>)> {
    let first = move |low: u64| -> u64 {
        // Parts are numbered row by row of the triangle: (0, 0), (0, 1), …, (1, 1), …
        low * groups - low * low.saturating_sub(1) / 2
    };
    let range: Range<u64> = 0..groups;
    range.map(move |other| {
        let (low, high) = (group.min(other), group.max(other));
        let is_second = (low < high).then_some(group == high);
        (first(low) + (high - low), is_second)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::hamming_distance;

    fn random_signature(random: &mut SplitMix64, bytes: usize) -> Vec<u8> {
        (0..bytes).map(|_| random.next() as u8).collect()
    }

    fn flipped(signature: &[u8], bits: usize, count: usize, random: &mut SplitMix64) -> Vec<u8> {
        let mut out = signature.to_vec();
        let mut order: Vec<usize> = (0..bits).collect();
        for i in 0..count {
            let j = i + random.below((bits - i) as u64) as usize;
            order.swap(i, j);
            out[order[i] / 8] ^= 1 << (order[i] % 8);
        }
        out
    }

    #[test]
    fn near_signatures_share_a_block() {
        let mut random = SplitMix64::new(4);
        for bits in [8_usize, 64, 100, 128] {
            for distance in [0_usize, 1, 3, 7] {
                for _ in 0..50 {
                    let a = random_signature(&mut random, bits.div_ceil(8));
                    let b = flipped(&a, bits, distance, &mut random);
                    assert_eq!(hamming_distance(&a, &b) as usize, distance);
                    let keys = |signature: &[u8]| {
                        let mut keys = Vec::new();
                        block_keys_into(signature, bits, distance + 1, &mut keys)
                            .expect("long enough");
                        keys
                    };
                    let (a, b) = (keys(&a), keys(&b));
                    assert_eq!(a.len(), distance + 1);
                    assert!(a.iter().zip(&b).any(|(a, b)| a == b));
                }
            }
        }
        let mut keys = Vec::new();
        block_keys_into(&[7], 8, 20, &mut keys).expect("long enough");
        let mut others = Vec::new();
        block_keys_into(&[8], 8, 20, &mut others).expect("long enough");
        assert!(
            keys.iter().zip(&others).any(|(a, b)| a == b),
            "an empty block"
        );
        assert_eq!(
            block_keys_into(&[7], 9, 2, &mut keys),
            Err(KeyError::Length { bytes: 1, bits: 9 })
        );
    }

    #[test]
    fn keys_are_equal_iff_the_bits_are() {
        let mut random = SplitMix64::new(6);
        for (bits, key_bits) in [(20_usize, 3), (64, 64), (200, 70), (128, 16)] {
            let tables = BitTables::new(bits, 11, key_bits, 9).expect("in range");
            let each = bits / key_bits;
            for (number, shuffle) in tables.chosen.chunks(each * key_bits).enumerate() {
                let order = bit_permutation(bits, 9, number as u64);
                assert_eq!(shuffle, &order[..shuffle.len()]);
            }
            for _ in 0..40 {
                let a = random_signature(&mut random, bits.div_ceil(8));
                let b = flipped(&a, bits, bits / 8, &mut random);
                let (mut keys_a, mut keys_b) = (Vec::new(), Vec::new());
                tables.keys_into(&a, &mut keys_a).expect("long enough");
                tables.keys_into(&b, &mut keys_b).expect("long enough");
                assert_eq!(keys_a.len(), 11);
                for (table, chosen) in tables.chosen.chunks(key_bits).enumerate() {
                    let bit = |s: &[u8], at: u32| s[at as usize / 8] >> (at % 8) & 1;
                    let agree = chosen.iter().all(|&at| bit(&a, at) == bit(&b, at));
                    assert_eq!(keys_a[table] == keys_b[table], agree);
                }
            }
        }
        assert_eq!(
            BitTables::new(8, 1, 9, 0),
            Err(KeyError::KeyBits {
                bits: 8,
                key_bits: 9
            })
        );
        assert_eq!(BitTables::new(0, 1, 1, 0), Err(KeyError::Bits(0)));
    }

    #[test]
    fn permutations_are_permutations_and_differ() {
        let mut order = bit_permutation(100, 1, 0);
        assert_ne!(order, bit_permutation(100, 1, 1));
        assert_ne!(order, bit_permutation(100, 2, 0));
        order.sort_unstable();
        assert!(
            order
                .iter()
                .enumerate()
                .all(|(at, &bit)| at == bit as usize)
        );
    }

    #[test]
    fn every_two_rows_meet_in_one_part() {
        for groups in 1..6 {
            let parts = groups * (groups + 1) / 2;
            for a in 0..groups {
                for b in 0..groups {
                    let met: Vec<u64> = pair_parts(a, groups)
                        .filter(|(part, in_second)| {
                            pair_parts(b, groups).any(|(other, other_in_second)| {
                                *part == other
                                    && (in_second.is_none() || *in_second != other_in_second)
                            })
                        })
                        .map(|(part, _)| part)
                        .collect();
                    assert_eq!(met.len(), 1, "{a} and {b} of {groups}");
                    assert!(met[0] < parts);
                }
            }
        }
    }
}
