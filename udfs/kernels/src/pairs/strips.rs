//! Strips of rows, transposed: [`LANES`] rows lie next to each other word by word, so that a vector unit
//! compares one row with all of them without adding across its lanes. A comparison ends early if all of the
//! lanes differ in too many bits after as many words as unrelated rows need for that.
//!
//! On a Xeon with AVX-512 (`vpopcntdq`) a pair of 1,024-bit signatures takes 1.4 ns where no word can be
//! spared and 1.0 ns at the distance of a cosine of 0.8 (2.2 and 1.7 while other work runs beside it), a loop
//! over pairs 18 and 25 times as long in the same run; `examples/all_pairs.rs` measures it.

use crate::tile;
use std::mem::transmute;

/// Rows of a strip.
pub(super) const LANES: usize = tile::LANES;

/// Places of two rows in their lists, and the distance of their signatures.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) distance: u32,
}

/// Strip after strip of [`LANES`] rows, in a strip value after value; missing rows are zeros.
pub(super) fn transposed<T: Copy + Default, I: Iterator<Item = T>>(
    rows: &[u32],
    width: usize,
    row: impl Fn(u32) -> I,
) -> Vec<T> {
    let mut out = vec![T::default(); rows.len().div_ceil(LANES) * width * LANES];
    for (place, &number) in rows.iter().enumerate() {
        let strip = place / LANES * width * LANES;
        for (at, value) in row(number).take(width).enumerate() {
            out[strip + at * LANES + place % LANES] = value;
        }
    }
    out
}

/// The words after which unrelated rows differ in more than `most` bits by six standard deviations; all of
/// `width` if there is no such number.
pub(super) fn words_until_far(width: usize, most: u32) -> usize {
    let far = |words: &usize| {
        let words = *words as f64;
        32.0 * words - 24.0 * words.sqrt() > f64::from(most)
    };
    (1..width).find(far).unwrap_or(width)
}

/// Rows of one block and a strip of another, in words.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    /// The rows of the strip, transposed: `width` times [`LANES`] words.
    pub(super) lanes: &'a [u64],
    /// The rows that are compared with them, one after the other.
    pub(super) rows: &'a [u64],
    pub(super) width: usize,
    /// Words that are compared before a strip may be given up.
    pub(super) first: usize,
    /// The places of the first row of either.
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) most: u32,
}

impl Comparison<'_> {
    /// Gathers what is within the distance.
    pub(super) fn run(self, hits: &mut Vec<Hit>) {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512vpopcntdq")
                && std::arch::is_x86_feature_detected!("avx512f")
            {
                // SAFETY: the processor has the features that the function is compiled for.
                return unsafe { self.with_avx512(hits) };
            }
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("popcnt")
            {
                // SAFETY: the processor has the features that the function is compiled for.
                return unsafe { self.with_avx2(hits) };
            }
        }
        self.in_order(hits);
    }

    /// Two rows at a time with the two vectors of a strip. (What the compiler makes of `in_order` for
    /// this unit takes longer.)
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn with_avx512(self, hits: &mut Vec<Hit>) {
        use std::arch::x86_64::{
            __m512i, _mm512_add_epi64, _mm512_cmple_epu64_mask, _mm512_popcnt_epi64,
            _mm512_set1_epi64, _mm512_setzero_si512, _mm512_xor_si512,
        };
        let limit = _mm512_set1_epi64(i64::from(self.most));
        let (lanes, _) = self.lanes.as_chunks::<LANES>();
        let mut left = self.left;
        for pair in self.rows.chunks(2 * self.width) {
            let (row, other) = pair.split_at(self.width);
            // A last row without a second one is compared twice.
            let other = if other.is_empty() { row } else { other };
            let mut sums = [[_mm512_setzero_si512(); 2]; 2];
            let mut near = [0_u16; 2];
            let chunks = row.chunks(self.first).zip(other.chunks(self.first));
            for ((row, other), lanes) in chunks.zip(lanes.chunks(self.first)) {
                for ((&word, &other), lane) in row.iter().zip(other).zip(lanes) {
                    // SAFETY: both are the same 1,024 bits, of which all values are valid.
                    let lane = unsafe { transmute::<[u64; LANES], [__m512i; 2]>(*lane) };
                    for (sums, word) in sums.iter_mut().zip([word, other]) {
                        let word = _mm512_set1_epi64(word.cast_signed());
                        for (sum, lane) in sums.iter_mut().zip(lane) {
                            let differ = _mm512_popcnt_epi64(_mm512_xor_si512(word, lane));
                            *sum = _mm512_add_epi64(*sum, differ);
                        }
                    }
                }
                near = sums.map(|[low, high]| {
                    u16::from(_mm512_cmple_epu64_mask(low, limit))
                        | u16::from(_mm512_cmple_epu64_mask(high, limit)) << 8
                });
                if near == [0, 0] {
                    break;
                }
            }
            let rows = pair.len() / self.width;
            for (sums, near) in sums.iter().zip(near).take(rows) {
                if near != 0 {
                    // SAFETY: as above.
                    let distances = unsafe { transmute::<[__m512i; 2], [u64; LANES]>(*sums) };
                    push_near(hits, left, self.right, &distances, self.most);
                }
                left += 1;
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn with_avx2(self, hits: &mut Vec<Hit>) {
        self.in_order(hits);
    }

    #[inline(always)]
    fn in_order(self, hits: &mut Vec<Hit>) {
        let (lanes, _) = self.lanes.as_chunks::<LANES>();
        for (row, words) in self.rows.chunks(self.width).enumerate() {
            let mut distances = [0_u64; LANES];
            let mut near = true;
            for (words, lanes) in words.chunks(self.first).zip(lanes.chunks(self.first)) {
                for (word, lane) in words.iter().zip(lanes) {
                    for (distance, other) in distances.iter_mut().zip(lane) {
                        *distance = distance.wrapping_add(u64::from((word ^ other).count_ones()));
                    }
                }
                near = distances.iter().fold(false, |near, &distance| {
                    near | (distance <= u64::from(self.most))
                });
                if !near {
                    break;
                }
            }
            if near {
                push_near(hits, self.left + row, self.right, &distances, self.most);
            }
        }
    }
}

fn push_near(hits: &mut Vec<Hit>, place: usize, first: usize, distances: &[u64; LANES], most: u32) {
    for (lane, &distance) in distances.iter().enumerate() {
        if distance <= u64::from(most) {
            hits.push(Hit {
                left: place as u32,
                right: (first + lane) as u32,
                distance: distance as u32,
            });
        }
    }
}
