//! Bucket keys of MinHash signatures, by bands or by random draws of positions.
//!
//! Texts that share a key are candidates. A key is the XXH3-64 hash of the number of the band (or
//! draw) and of the signature's values in it, each as eight little-endian bytes. Hence equal values give
//! equal keys in either type of signature, and two bands share a key only if the hash collides.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::minhash::{MAX_HASHES, SignatureValue};
use crate::split_mix::SplitMix64;

/// Is combined with a seed, so that [`Draws`] uses another random stream than the hash functions of that
/// seed: the letters `draws`.
const DRAWS_STREAM: u64 = 0x0064_7261_7773;

/// The maximal number of values of a key that are hashed at once, from the stack.
const MAX_AT_ONCE: usize = 63;

/// The reason why bands or draws cannot be used, for any signature or for the one given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BandsError {
    /// The number of bands or rows is 0.
    #[error("bands and rows must be at least 1, found {bands} x {rows}")]
    None {
        /// The number of bands requested.
        bands: usize,
        /// The number of rows requested.
        rows: usize,
    },
    /// The bands have more positions than the signature.
    #[error(
        "{bands} bands of {rows} rows need a signature of {bands} x {rows} hashes, found {num_hashes}"
    )]
    TooMany {
        /// The number of bands requested.
        bands: usize,
        /// The number of rows requested.
        rows: usize,
        /// The number of positions of the signature.
        num_hashes: usize,
    },
    /// The number of hashes to draw from is out of range.
    #[error("num_hashes must be between 1 and {MAX_HASHES}, found {0}")]
    NumHashes(usize),
    /// The number of draws is out of range.
    #[error("draws must be between 1 and {MAX_HASHES}, found {0}")]
    Draws(usize),
    /// The size of a draw is out of range.
    #[error("draw_size must be between 1 and {MAX_HASHES}, found {0}")]
    DrawSize(usize),
    /// The draws were made for signatures of another length.
    #[error("the draws are over signatures of {expected} hashes, found {num_hashes}")]
    Length {
        /// The number of positions that the draws were made for.
        expected: usize,
        /// The number of positions of the signature.
        num_hashes: usize,
    },
}

/// Appends the keys of a signature: one for each of `bands` runs of `rows` consecutive positions.
/// Positions after the last band are not used.
///
/// # Errors
/// Those of [`check_bands`] for the length of the signature.
pub fn bands_into<V: SignatureValue>(
    signature: &[V],
    bands: usize,
    rows: usize,
    out: &mut Vec<u64>,
) -> Result<(), BandsError> {
    check_bands(signature.len(), bands, rows)?;
    for (number, band) in signature.chunks_exact(rows).take(bands).enumerate() {
        out.push(key(number, band.iter().map(|&value| value.into())));
    }
    Ok(())
}

/// Checks that `bands` bands of `rows` positions fit a signature of `num_hashes` positions.
///
/// # Errors
/// If either is 0, or there are more positions in the bands than in the signature.
pub fn check_bands(num_hashes: usize, bands: usize, rows: usize) -> Result<(), BandsError> {
    if bands == 0 || rows == 0 {
        return Err(BandsError::None { bands, rows });
    }
    if bands
        .checked_mul(rows)
        .is_none_or(|needed| needed > num_hashes)
    {
        return Err(BandsError::TooMany {
            bands,
            rows,
            num_hashes,
        });
    }
    Ok(())
}

/// Random draws of positions with replacement, the same for every text: the scheme of Ayhan, Bradley,
/// Weissman and of Meng, Zheng, who take 10 draws of 10 from 20 hashes.
///
/// Draws overlap and are therefore not independent. With few hashes, the recall of any number of draws is
/// limited; bands over the same number of hashes have a higher recall.
#[derive(Debug, Clone)]
pub struct Draws {
    /// `draw_size` positions for each draw, one draw after the other.
    positions: Vec<u16>,
    draw_size: usize,
    num_hashes: usize,
}

impl Draws {
    /// Draws `draws` times `draw_size` of `num_hashes` positions; each of the three is 1 to [`MAX_HASHES`].
    ///
    /// The positions are consecutive numbers of [`SplitMix64::below`] of the stream whose seed is the first
    /// number of the stream of (`seed` xor the letters `draws`). It is independent of the stream of the hash
    /// functions.
    ///
    /// # Errors
    /// If a number is outside of its range.
    pub fn new(
        num_hashes: usize,
        draws: usize,
        draw_size: usize,
        seed: u64,
    ) -> Result<Self, BandsError> {
        let valid = 1..=MAX_HASHES;
        if !valid.contains(&num_hashes) {
            return Err(BandsError::NumHashes(num_hashes));
        }
        if !valid.contains(&draws) {
            return Err(BandsError::Draws(draws));
        }
        if !valid.contains(&draw_size) {
            return Err(BandsError::DrawSize(draw_size));
        }
        let mut stream = SplitMix64::new(SplitMix64::new(seed ^ DRAWS_STREAM).next());
        let positions = (0..draws * draw_size)
            .map(|_| stream.below(num_hashes as u64) as u16)
            .collect();
        Ok(Self {
            positions,
            draw_size,
            num_hashes,
        })
    }

    /// The positions of each draw.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u16]> {
        self.positions.chunks_exact(self.draw_size)
    }

    /// The number of positions of the signatures.
    pub fn num_hashes(&self) -> usize {
        self.num_hashes
    }

    /// Appends the keys of a signature: one for each draw, of the values at its positions in the
    /// order in which they were drawn.
    ///
    /// # Errors
    /// If the signature is not of the length that the draws were made for.
    pub fn keys_into<V: SignatureValue>(
        &self,
        signature: &[V],
        out: &mut Vec<u64>,
    ) -> Result<(), BandsError> {
        if signature.len() != self.num_hashes {
            return Err(BandsError::Length {
                expected: self.num_hashes,
                num_hashes: signature.len(),
            });
        }
        for (number, draw) in self.iter().enumerate() {
            out.push(key(
                number,
                draw.iter().map(|&at| signature[usize::from(at)].into()),
            ));
        }
        Ok(())
    }
}

/// XXH3-64 of the number and the values. Values that do not fit the buffer are hashed as a stream, with the
/// same result.
fn key(number: usize, values: impl ExactSizeIterator<Item = u64>) -> u64 {
    let count = values.len() + 1;
    let words = std::iter::once(number as u64).chain(values);
    if count > MAX_AT_ONCE + 1 {
        let mut hash = Xxh3::new();
        words.for_each(|word| hash.update(&word.to_le_bytes()));
        return hash.digest();
    }
    let mut bytes = [[0; 8]; MAX_AT_ONCE + 1];
    for (bytes, word) in bytes.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    xxh3_64(bytes[..count].as_flattened())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;

    fn oracle(number: usize, values: &[u64]) -> u64 {
        let mut bytes = (number as u64).to_le_bytes().to_vec();
        values
            .iter()
            .for_each(|value| bytes.extend(value.to_le_bytes()));
        xxh3_64(&bytes)
    }

    #[test]
    fn keys_equal_the_oracle_in_either_type() {
        let mut random = RandomTexts::new(6);
        for (bands, rows) in [
            (1, 1),
            (16, 6),
            (1, 62),
            (1, 63),
            (2, 64),
            (1, 65),
            (2, 1_000),
        ] {
            let narrow: Vec<u32> = (0..bands * rows + 3)
                .map(|_| random.number() as u32)
                .collect();
            let wide: Vec<u64> = narrow.iter().map(|&value| value.into()).collect();
            let mut expected = vec![5];
            expected.extend(
                wide.chunks_exact(rows)
                    .take(bands)
                    .enumerate()
                    .map(|(i, band)| oracle(i, band)),
            );
            let (mut from_narrow, mut from_wide) = (vec![5], vec![5]);
            bands_into(&narrow, bands, rows, &mut from_narrow).expect("it fits");
            bands_into(&wide, bands, rows, &mut from_wide).expect("it fits");
            assert_eq!(from_narrow, expected, "{bands} x {rows}");
            assert_eq!(from_wide, expected, "{bands} x {rows}");
        }
    }

    #[test]
    fn draws_are_the_same_for_every_text() {
        let draws = Draws::new(20, 10, 7, 1).expect("valid parameters");
        let signature: Vec<u64> = (100..120).collect();
        let mut keys = Vec::new();
        draws.keys_into(&signature, &mut keys).expect("it fits");
        let values = |draw: &[u16]| {
            draw.iter()
                .map(|&at| signature[usize::from(at)])
                .collect::<Vec<_>>()
        };
        let expected: Vec<u64> = draws
            .iter()
            .enumerate()
            .map(|(i, draw)| oracle(i, &values(draw)))
            .collect();
        assert_eq!(keys, expected);
        assert_eq!(draws.iter().len(), 10);
        let again = Draws::new(20, 10, 7, 1).expect("valid parameters");
        assert!(again.iter().eq(draws.iter()));
        let other = Draws::new(20, 10, 7, 2).expect("valid parameters");
        assert!(!other.iter().eq(draws.iter()));
    }

    #[test]
    fn draws_are_spread_evenly_and_with_replacement() {
        let draws = Draws::new(20, 4_000, 10, 9).expect("valid parameters");
        let mut counts = [0; 20];
        draws
            .iter()
            .flatten()
            .for_each(|&at| counts[usize::from(at)] += 1);
        assert!(
            counts.iter().all(|count| (1_800..2_200).contains(count)),
            "{counts:?}"
        );
        let repeats = |draw: &&[u16]| (1..draw.len()).any(|i| draw[..i].contains(&draw[i]));
        // 1 - 20!/(10! 20^10) of the draws hold a position twice.
        let with_repeats = draws.iter().filter(repeats).count();
        assert!((3_650..3_850).contains(&with_repeats), "{with_repeats}");
    }

    #[test]
    fn errors_name_parameter_and_rule() {
        let mut out = Vec::new();
        let mut bands = |b, r| bands_into(&[0_u32; 8], b, r, &mut out).map_err(|e| e.to_string());
        assert_eq!(
            bands(0, 3),
            Err("bands and rows must be at least 1, found 0 x 3".to_owned())
        );
        let needs = |b, r| {
            Err(format!(
                "{b} bands of {r} rows need a signature of {b} x {r} hashes, found 8"
            ))
        };
        assert_eq!(bands(3, 3), needs(3, 3));
        assert_eq!(bands(usize::MAX, 2), needs(usize::MAX, 2));
        assert!(out.is_empty());
        let draws = |h, n, k| Draws::new(h, n, k, 1).map(drop).map_err(|e| e.to_string());
        assert_eq!(
            draws(0, 1, 1),
            Err("num_hashes must be between 1 and 4096, found 0".to_owned())
        );
        assert_eq!(
            draws(1, 0, 1),
            Err("draws must be between 1 and 4096, found 0".to_owned())
        );
        assert_eq!(
            draws(1, 1, 4_097),
            Err("draw_size must be between 1 and 4096, found 4097".to_owned())
        );
        let draws = Draws::new(20, 1, 1, 1).expect("valid parameters");
        assert_eq!(
            draws
                .keys_into(&[0_u32; 8], &mut Vec::new())
                .map_err(|e| e.to_string()),
            Err("the draws are over signatures of 20 hashes, found 8".to_owned())
        );
    }
}
