//! The sweep over two blocks of signatures or dense vectors: which of their rows may be pairs.
//!
//! The rows on the right are transposed into tiles. Dense vectors are scaled to unit length and compared in f32: pairs
//! whose cosine may reach the threshold, given the largest possible rounding error, are hits, which the caller compares
//! again in f64.

use std::ops::Range;

use super::super::input::{Bits, Items, PairInput, Vectors};
use super::super::spec::{Spec, Verify};
use super::super::tiles::{Comparison, Hit, LANES, words_until_far};
use super::rows::{Prepared, unit_vector};
use crate::dot_products;

/// Buffers of a sweep.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    hits: Vec<Hit>,
    /// Signatures of the rows on the left.
    words: Vec<u64>,
    /// Vectors of the rows on the left, transposed as [`dot_products::products`] takes them.
    unit_vectors: Vec<[f32; dot_products::ROWS]>,
}

impl Sweep {
    /// The possible pairs of the rows at `lefts` of `left` with the rows in the tiles that contain the positions
    /// `rights`, of which the first one begins a tile. The last tile may contain rows after `rights`.
    pub(super) fn run(
        &mut self,
        spec: &Spec,
        input: &PairInput<'_>,
        (left, right): (&[u32], &Prepared),
        lefts: Range<usize>,
        rights: &Range<usize>,
    ) -> &mut Vec<Hit> {
        self.hits.clear();
        let tiles = rights.start / LANES..rights.end.div_ceil(LANES);
        match (right, input.items) {
            (
                Prepared::Bits { words, width },
                Items::Bits(bits)
                | Items::Vectors {
                    bits: Some(bits), ..
                },
            ) => {
                if let Verify::Hamming(max_distance) | Verify::Cosine(max_distance) = spec.verify {
                    self.bits(&bits, left, lefts, (words, *width), tiles, max_distance);
                }
            }
            (Prepared::Dense { values, dimensions }, Items::Vectors { vectors, .. }) => {
                let right = (values.as_slice(), *dimensions);
                self.dense(&vectors, left, lefts, right, tiles, spec.threshold);
            }
            _ => {}
        }
        &mut self.hits
    }

    fn bits(
        &mut self,
        bits: &Bits<'_>,
        left: &[u32],
        lefts: Range<usize>,
        (right, width): (&[u64], usize),
        tiles: Range<usize>,
        max_distance: u32,
    ) {
        self.words.clear();
        for &row in &left[lefts.clone()] {
            self.words.extend_from_slice(bits.row(row as usize));
        }
        let first = words_until_far(width, max_distance);
        for tile in tiles {
            let lanes = tile * width * LANES..(tile + 1) * width * LANES;
            let comparison = Comparison {
                lanes: right.get(lanes).unwrap_or(&[]),
                rows: &self.words,
                width,
                first,
                left: lefts.start,
                right: tile * LANES,
                max_distance,
            };
            comparison.run(&mut self.hits);
        }
    }

    fn dense(
        &mut self,
        vectors: &Vectors<'_>,
        left: &[u32],
        lefts: Range<usize>,
        (right, dimensions): (&[f32], usize),
        tiles: Range<usize>,
        threshold: f64,
    ) {
        self.unit_vectors.clear();
        for rows in left[lefts.clone()].chunks(dot_products::ROWS) {
            let start = self.unit_vectors.len();
            self.unit_vectors
                .resize(start + dimensions, [0.0; dot_products::ROWS]);
            for (at, &row) in rows.iter().enumerate() {
                let numbers = &mut self.unit_vectors[start..];
                for (number, x) in numbers.iter_mut().zip(unit_vector(vectors, row)) {
                    number[at] = x;
                }
            }
        }
        // Each of n products and sums is rounded by at most half a unit in the last place.
        let rounding = (dimensions as f64 + 8.0) * f64::from(f32::EPSILON);
        let min_cosine = (threshold - rounding) as f32;
        let (lanes, _) = right.as_chunks::<LANES>();
        for tile in tiles {
            let lanes = &lanes[tile * dimensions..(tile + 1) * dimensions];
            let groups = self.unit_vectors.chunks(dimensions.max(1));
            for (group, rows) in groups.zip(lefts.clone().step_by(dot_products::ROWS)) {
                let cosines = dot_products::products(lanes, group);
                for (left, cosines) in (rows..lefts.end).zip(&cosines) {
                    let near = cosines.iter().enumerate();
                    for (lane, _) in near.filter(|(_, x)| **x >= min_cosine) {
                        self.hits.push(Hit {
                            left: left as u32,
                            right: (tile * LANES + lane) as u32,
                            distance: 0,
                        });
                    }
                }
            }
        }
    }
}
