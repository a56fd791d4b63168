//! The sketches of the rows of large buckets, in tiles: a row is compared with 16 others at a time.
//!
//! In a bucket of many rows, such as the variants of a template, most pairs are not similar. Reading the sketch of each
//! row from where it is takes several times as long as comparing it. Therefore the rows of a large bucket have their
//! sketches beside each other, shorter ones, once for each such bucket that they are in.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use super::super::index::KeyHasher;
use super::super::sketch::Sketches;
use super::super::tiles::{self, LANES};
use crate::bounds;

/// Buckets of fewer rows are compared row by row.
pub(super) const MIN_ROWS: usize = 16;
/// The number of entries in tiles that are compared in the time of one entry beside its row.
pub(super) const ENTRIES_AT_A_TIME: usize = LANES;
/// Sketches of more words are not copied.
const MAX_WORDS: usize = 8;
/// All tiles have at most one word for this number of tokens of all sets.
const MIN_SHARE_OF_ALL: usize = 8;

/// The tiles of a block.
#[derive(Debug, Default)]
pub(super) struct BucketTiles {
    /// The number of words of a sketch in a tile, a power of two.
    words: usize,
    /// For each large bucket, by the number of its first entry: where its tiles start in `lanes`.
    starts: HashMap<u64, usize, BuildHasherDefault<KeyHasher>>,
    /// The sketches, transposed: those of [`LANES`] rows beside each other, word by word.
    lanes: Vec<u64>,
    /// The number of tokens of the largest set.
    longest: usize,
}

impl BucketTiles {
    /// The bytes of the tiles of rows with this number of keys and tokens in all.
    pub(super) fn memory_for(keys: usize, tokens: usize) -> usize {
        let entry = size_of::<(u64, usize)>() + 1;
        let buckets = 2 * (keys / MIN_ROWS + 1);
        (tokens / MIN_SHARE_OF_ALL)
            .saturating_mul(size_of::<u64>())
            .saturating_add(buckets.saturating_mul(entry))
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.lanes.capacity() * size_of::<u64>()
            + self.starts.capacity() * (size_of::<(u64, usize)>() + 1)
    }

    /// The tiles of the largest of these buckets, which are ranges of entries of at least [`MIN_ROWS`] rows. `row` is
    /// the row of an entry; all rows together have `tokens` tokens, and the largest set has `longest`.
    pub(super) fn of(
        mut buckets: Vec<Range<usize>>,
        row: impl Fn(usize) -> u32,
        sketches: &Sketches,
        (tokens, longest): (usize, usize),
        threshold: f64,
    ) -> Self {
        let average = tokens / sketches.len().max(1);
        let Some(words) = words(average, threshold).filter(|&words| words <= sketches.words())
        else {
            return Self::default();
        };
        buckets.sort_unstable_by_key(|bucket| (Reverse(bucket.len()), bucket.start));
        let size = |bucket: &Range<usize>| bucket.len().next_multiple_of(LANES) * words;
        let max = tokens / MIN_SHARE_OF_ALL;
        let mut end = 0;
        buckets.retain(|bucket| {
            let fits = size(bucket) <= max - end;
            end += if fits { size(bucket) } else { 0 };
            fits
        });
        let mut tiles = Self {
            words,
            starts: HashMap::with_capacity_and_hasher(buckets.len(), Default::default()),
            lanes: vec![0; end],
            longest,
        };
        let mut start = 0;
        for bucket in buckets {
            tiles.starts.insert(bucket.start as u64, start);
            let end = start + size(&bucket);
            for (position, entry) in bucket.enumerate() {
                let tile = start + position / LANES * LANES * words;
                let lane = &mut tiles.lanes[tile + position % LANES..];
                let sketch = sketches.row(row(entry) as usize).unwrap_or_default();
                for (at, word) in sketch.iter().enumerate() {
                    lane[at % words * LANES] ^= word;
                }
            }
            start = end;
        }
        tiles
    }

    /// Makes a set of `length` tokens, with this sketch, the one that is compared with the rows of tiles.
    #[inline]
    pub(super) fn begin(&self, sketch: &[u64], length: usize, threshold: f64) -> TileProbe {
        let mut probe = TileProbe::default();
        if !self.lanes.is_empty() {
            for (at, word) in sketch.iter().enumerate() {
                probe.sketch[at % self.words] ^= word;
            }
            probe.max_distance = max_distance(length, self.longest, threshold);
        }
        probe
    }

    /// Replaces `near` by the positions, among those in `range`, of the rows of a bucket whose sketches are near enough
    /// that of the probed set for the sets to be similar; false if the bucket has no tiles. The bucket is given by the
    /// number of its first entry.
    pub(super) fn near(
        &self,
        bucket: usize,
        range: Range<usize>,
        probe: &TileProbe,
        near: &mut Vec<u32>,
    ) -> bool {
        near.clear();
        let Some(&start) = self.starts.get(&(bucket as u64)) else {
            return false;
        };
        let (first, end) = (range.start / LANES, range.end.div_ceil(LANES));
        let size = LANES * self.words;
        let lanes = &self.lanes[start + first * size..start + end * size];
        let sketch = &probe.sketch[..self.words];
        tiles::near_row(lanes, sketch, first * LANES, probe.max_distance, near);
        // The first and the last tile have lanes beside the range.
        near.retain(|&position| range.contains(&(position as usize)));
        true
    }
}

/// A set that is compared with the rows of tiles.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TileProbe {
    /// Its sketch, in the words of the tiles.
    sketch: [u64; MAX_WORDS],
    /// The largest number of bits in which the sketches of similar sets differ.
    max_distance: u32,
}

/// The smallest number of words, a power of two, of sketches that are unlikely to be near for sets of this number of
/// tokens which differ in twice as many tokens as similar ones may; `None` if it exceeds [`MAX_WORDS`].
fn words(tokens: usize, threshold: f64) -> Option<usize> {
    let max = f64::from(max_distance(tokens, tokens, threshold));
    let numbers = (1..=MAX_WORDS.ilog2()).map(|exponent| 1 << exponent);
    let mut far = numbers.filter(|&words: &usize| {
        let (mean, deviation) = distance(64.0 * words as f64, 2.0 * max);
        mean - 2.0 * deviation > max
    });
    far.next()
}

/// The mean and the standard deviation of the number of bits that differ between sketches of this number of bits, of
/// sets of which this number of tokens is in one only.
///
/// Each of these tokens flips one bit at random. With `x` = 1 for a bit that is the same and -1 for one that differs, the
/// mean of `x` is (1 - 2 / bits)^tokens, and that of the product for two bits is (1 - 4 / bits)^tokens.
fn distance(bits: f64, tokens: f64) -> (f64, f64) {
    let one = (1.0 - 2.0 / bits).powf(tokens);
    let two = (1.0 - 4.0 / bits).powf(tokens);
    let variance = bits * (1.0 - one * one) + bits * (bits - 1.0) * (two - one * one);
    (bits * (1.0 - one) / 2.0, variance.max(0.0).sqrt() / 2.0)
}

/// The largest number of bits in which the sketch of a set of `length` tokens can differ from that of a similar set of
/// at most `longest` tokens.
fn max_distance(length: usize, longest: usize, threshold: f64) -> u32 {
    let (_, partner) = bounds::partner_sizes(length, threshold);
    let largest = partner.min(longest);
    // Of sums of lengths that are both even or both odd, the larger one allows at least as many bits.
    let bits = [largest, largest.saturating_sub(1)].map(|other| {
        let needed = bounds::min_overlap(length, other, threshold);
        (length + other).saturating_sub(2 * needed)
    });
    u32::try_from(bits[0].max(bits[1])).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::sketch::different_bits;
    use crate::test_random::Random;

    #[test]
    fn the_largest_distance_is_that_of_all_partners() {
        for threshold in [0.05, 0.3, 0.5, 2.0 / 3.0, 0.8, 0.9, 1.0] {
            for length in 1..80 {
                for longest in [1, length / 2 + 1, length, length + 7, 5 * length] {
                    let (least, most) = bounds::partner_sizes(length, threshold);
                    let partners = least.max(1)..=most.min(longest);
                    let bits = partners.map(|other| {
                        let needed = bounds::min_overlap(length, other, threshold);
                        (length + other).saturating_sub(2 * needed)
                    });
                    let largest = bits.max().unwrap_or(0);
                    let found = max_distance(length, longest, threshold) as usize;
                    assert!(found >= largest, "{threshold} {length} {longest}");
                    if longest >= least {
                        assert!(found <= largest + 1, "{threshold} {length} {longest}");
                    }
                }
            }
        }
    }

    #[test]
    fn words_grow_with_the_number_of_bits_that_may_differ() {
        assert_eq!(words(190, 0.8), Some(4));
        assert_eq!(words(190, 0.5), Some(8));
        assert_eq!(words(190, 0.2), None);
        assert_eq!(words(500, 0.8), Some(8));
        assert_eq!(words(1000, 0.8), None);
        assert_eq!(words(20, 0.9), Some(2));
    }

    #[test]
    fn the_distance_of_sketches_is_as_expected() {
        let mut random = Random::new(4);
        for (words, tokens) in [(2, 4), (2, 84), (4, 84), (8, 400)] {
            let distances: Vec<f64> = (0..400)
                .map(|_| {
                    let mut sketch = vec![0_u64; words];
                    for _ in 0..tokens {
                        let bit = random.below(64 * words as u32) as usize;
                        sketch[bit / 64] ^= 1 << (bit % 64);
                    }
                    different_bits(&sketch, &vec![0; words]) as f64
                })
                .collect();
            let mean = distances.iter().sum::<f64>() / 400.0;
            let squares = distances.iter().map(|distance| (distance - mean).powi(2));
            let deviation = (squares.sum::<f64>() / 400.0).sqrt();
            let expected = distance(64.0 * words as f64, f64::from(tokens));
            assert!((mean - expected.0).abs() < 0.25 * expected.1.max(0.4));
            assert!(
                (deviation / expected.1 - 1.0).abs() < 0.2,
                "{deviation} {expected:?}"
            );
        }
    }

    /// Sets of about 190 tokens: variants of a few sets.
    fn sets(random: &mut Random, count: usize) -> Vec<Vec<u64>> {
        let bases: Vec<Vec<u64>> = (0..4)
            .map(|_| (0..190).map(|_| random.next()).collect())
            .collect();
        let variant = |row: usize| {
            let mut set = bases[row % bases.len()].clone();
            for _ in 0..random.below(60) {
                let at = random.below(set.len() as u32) as usize;
                set[at] = random.next();
            }
            set
        };
        (0..count).map(variant).collect()
    }

    #[test]
    fn rows_in_the_range_are_near_if_their_short_sketches_are() {
        let mut random = Random::new(2);
        let sets = sets(&mut random, 500);
        let tokens = 190 * sets.len();
        let mut sketches = Sketches::with_capacity(sets.len(), tokens);
        sets.iter().for_each(|set| sketches.push(set));
        // Entries of two large buckets in an order of their own.
        let row = |entry: usize| (entry * 7 % 500) as u32;
        let buckets = [64..64 + 203, 300..300 + 64];
        let tiles = BucketTiles::of(buckets.to_vec(), row, &sketches, (tokens, 190), 0.8);
        assert_eq!(tiles.words, 4);
        assert!(tiles.memory() <= BucketTiles::memory_for(8 * sets.len(), tokens));
        let short = |row: usize| {
            let mut short = vec![0; 4];
            let words = sketches.row(row).unwrap().iter();
            words
                .enumerate()
                .for_each(|(at, word)| short[at % 4] ^= word);
            short
        };
        let (mut found, mut far) = (0, 0);
        for probe in 0..50 {
            for bucket in &buckets {
                for range in [0..0, 0..1, 0..16, 5..37, 16..64, 0..bucket.len()] {
                    let limit = max_distance(190, 190, 0.8) as usize;
                    let is_near = |&position: &u32| {
                        let other = row(bucket.start + position as usize) as usize;
                        different_bits(&short(probe), &short(other)) <= limit
                    };
                    let positions = range.start as u32..range.end as u32;
                    let expected: Vec<u32> = positions.filter(is_near).collect();
                    let mut near = vec![9];
                    let probe = tiles.begin(sketches.row(probe).unwrap(), 190, 0.8);
                    assert!(tiles.near(bucket.start, range.clone(), &probe, &mut near));
                    assert_eq!(near, expected);
                    found += expected.len();
                    far += range.len() - expected.len();
                }
            }
        }
        assert!(found > 500 && far > 10_000, "{found} near, {far} far");
        let probe = tiles.begin(sketches.row(0).unwrap(), 190, 0.8);
        assert!(!tiles.near(65, 0..5, &probe, &mut Vec::new()));
    }

    #[test]
    fn tiles_take_at_most_a_share_of_the_sets() {
        let mut random = Random::new(3);
        let sets = sets(&mut random, 500);
        let tokens = 190 * sets.len();
        let mut sketches = Sketches::with_capacity(sets.len(), tokens);
        sets.iter().for_each(|set| sketches.push(set));
        let buckets: Vec<_> = (0..100).map(|at| at * 500..at * 500 + 100 + at).collect();
        let row = |entry: usize| (entry % 500) as u32;
        let tiles = BucketTiles::of(buckets, row, &sketches, (tokens, 190), 0.8);
        let max = tokens / MIN_SHARE_OF_ALL;
        assert!(tiles.lanes.len() <= max && tiles.lanes.len() > max - 4 * 208);
        let has_tiles = |at: usize| tiles.starts.contains_key(&(at as u64 * 500));
        assert!(has_tiles(99) && !has_tiles(0), "the largest buckets first");
    }
}
