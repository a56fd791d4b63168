//! All pairs of rows: every signature with every other, or every vector.
//!
//! Rows are cut into blocks; a pair of blocks is compared at a time. The rows of one block lie
//! transposed, in `strips`.
//!
//! Dense vectors are compared in f32, scaled to a length of 1. What may reach the threshold, with all that
//! rounding can take away, is compared again in f64.
//!
//! Sparse vectors are compared through an inverted index: a row adds its products to the rows that
//! hold its terms.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::compare;
use super::giants::Giants;
use super::input::{PairInput, Payload, Values, Vectors};
use super::join::PairBatch;
use super::spec::{PairError, Spec, Verify};
use super::stats::Stats;
use super::strips::{Comparison, Hit, LANES, transposed, words_until_far};
use crate::cosine::cosine_of;
use crate::tile;

/// Rows of a block.
const BLOCK: usize = if cfg!(test) { 2 * LANES } else { 512 };
/// Probe rows of sparse vectors at a time.
const SPARSE_BLOCK: usize = if cfg!(test) { 5 } else { 64 };

/// All pairs in progress. It holds what it derives from the rows, not the rows: every call gets the
/// same [`PairInput`]. Sharers take one block after the other from a common list.
#[derive(Debug)]
pub struct AllPairs {
    spec: Spec,
    shared: Arc<Shared>,
    hits: Vec<Hit>,
    /// Signatures of the rows of a block.
    block: Vec<u64>,
    /// Vectors of the rows of a block, transposed as [`tile::products`] takes them.
    unit_vectors: Vec<[f32; tile::ROWS]>,
    /// Sums of the probe row with each row, for sparse vectors.
    sums: Vec<f64>,
    stats: Stats,
}

#[derive(Debug)]
struct Shared {
    /// Rows that are compared with those on the right.
    left: Vec<u32>,
    /// `None`: the same rows, each pair of them once.
    right: Option<Vec<u32>>,
    /// Sides are relations: pairs name the row of side 0 first.
    by_side: bool,
    strips: Strips,
    giants: Giants,
    /// The next pair of blocks.
    next: AtomicUsize,
    units: usize,
}

/// The rows on the right, transposed.
#[derive(Debug)]
enum Strips {
    Bits { words: Vec<u64>, width: usize },
    Dense { values: Vec<f32>, dimensions: usize },
    Sparse(Postings),
}

/// For each term the rows that hold it.
#[derive(Debug, Default)]
struct Postings {
    terms: Vec<u64>,
    /// Where the rows of each term begin, and the last one's end.
    starts: Vec<usize>,
    /// Places on the right, ascending within a term.
    places: Vec<u32>,
    weights: Vec<f64>,
}

impl AllPairs {
    /// Transposes the rows. With two sides (`input.side`), rows of side 0 are compared with rows of side
    /// 1; `halves` says that the sides are two halves of one relation, so that pairs come in ascending
    /// order. Keys are not read, but their number is that of the rows.
    ///
    /// # Errors
    /// If parameters are out of range or columns do not fit together.
    pub fn new(input: &PairInput<'_>, spec: Spec, halves: bool) -> Result<Self, PairError> {
        spec.check(input)?;
        if !matches!(spec.verify, Verify::Hamming(_) | Verify::Cosine(_)) {
            return Err(PairError::Payload(
                "a comparison of all rows",
                "signatures or vectors",
            ));
        }
        let rows = |side: usize| -> Vec<u32> {
            (0..input.keys.rows())
                .filter(|&row| input.takes_part(row) && input.side_of(row) == side)
                .map(|row| row as u32)
                .collect()
        };
        let left = rows(0);
        let right = input.side.map(|_| rows(1));
        // Of two relations, or groups, the members of a giant may be pairs with none of its leaders.
        let limit = spec.bucket_limit;
        let limit = limit.filter(|_| (right.is_none() || halves) && input.group.is_none());
        let giants = limit.map_or_else(Giants::default, |limit| {
            let rows: Vec<u32> = (0..input.keys.rows() as u32).collect();
            Giants::find(input, &spec, &rows, limit)
        });
        let strips = Strips::of(input, right.as_ref().unwrap_or(&left));
        let sparse = matches!(strips, Strips::Sparse(_));
        let blocks = |rows: &[u32]| rows.len().div_ceil(BLOCK);
        let units = match (&right, sparse) {
            (_, true) => left.len().div_ceil(SPARSE_BLOCK),
            (Some(right), _) => blocks(&left) * blocks(right),
            (None, _) => blocks(&left) * (blocks(&left) + 1) / 2,
        };
        let stats = Stats {
            rows: input.keys.rows() as u64,
            giants: giants.count(),
            rows_in_giants: giants.rows(),
            ..Stats::default()
        };
        Ok(Self {
            spec,
            shared: Arc::new(Shared {
                left,
                right,
                by_side: !halves,
                strips,
                giants,
                next: AtomicUsize::new(0),
                units,
            }),
            hits: Vec::new(),
            block: Vec::new(),
            unit_vectors: Vec::new(),
            sums: Vec::new(),
            stats,
        })
    }

    /// Joins that take turns, and can run at the same time.
    #[must_use]
    pub fn share(self, sharers: usize) -> Vec<Self> {
        let sharers = sharers.clamp(1, self.shared.units.max(1));
        let others: Vec<Self> = (1..sharers)
            .map(|_| Self {
                spec: self.spec,
                shared: Arc::clone(&self.shared),
                hits: Vec::new(),
                block: Vec::new(),
                unit_vectors: Vec::new(),
                sums: Vec::new(),
                stats: Stats::default(),
            })
            .collect();
        let mut all = vec![self];
        all.extend(others);
        all
    }

    /// What was done so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Bytes held, the rows apart.
    #[must_use]
    pub fn memory(&self) -> usize {
        let lists = self.shared.left.len() + self.shared.right.as_ref().map_or(0, Vec::len);
        lists * size_of::<u32>() + self.shared.strips.memory() + self.shared.giants.memory()
    }

    /// The next pairs; `None` when there are no more. A batch may be empty before the end, and has the
    /// pairs of one pair of blocks, at most 262,144. `input` is that of [`Self::new`].
    pub fn next_batch(&mut self, input: &PairInput<'_>) -> Option<PairBatch> {
        let shared = Arc::clone(&self.shared);
        let unit = shared.next.fetch_add(1, Ordering::Relaxed);
        if unit >= shared.units {
            return None;
        }
        self.hits.clear();
        let mut batch = PairBatch::default();
        if let Strips::Sparse(postings) = &shared.strips {
            self.sparse_unit(input, &shared, postings, unit, &mut batch);
        } else {
            self.dense_unit(input, &shared, unit, &mut batch);
        }
        self.stats.pairs += batch.len() as u64;
        Some(batch)
    }

    fn dense_unit(
        &mut self,
        input: &PairInput<'_>,
        shared: &Shared,
        unit: usize,
        batch: &mut PairBatch,
    ) {
        let right = shared.right.as_ref().unwrap_or(&shared.left);
        let (i, j) = match &shared.right {
            Some(right) => {
                let blocks = right.len().div_ceil(BLOCK).max(1);
                (unit / blocks, unit % blocks)
            }
            None => triangle(unit),
        };
        let block =
            |block: usize, rows: &[u32]| block * BLOCK..((block + 1) * BLOCK).min(rows.len());
        let (lefts, rights) = (block(i, &shared.left), block(j, right));
        let same = shared.right.is_none() && i == j;
        let compared = match same {
            true => lefts.len() * lefts.len().saturating_sub(1) / 2,
            false => lefts.len() * rights.len(),
        };
        self.stats.candidates += compared as u64;
        let vectors_only = matches!(input.payload, Payload::Vectors { bits: None, .. });
        self.sweep(input, shared, lefts, &rights);
        for hit in &self.hits {
            if hit.right as usize >= rights.end || same && hit.right >= hit.left {
                continue;
            }
            let (a, b) = (shared.left[hit.left as usize], right[hit.right as usize]);
            if !input.may_pair(a, b) || shared.giants.connect(a, b) {
                continue;
            }
            self.stats.verified += 1;
            let value = match vectors_only {
                true => compare::compared(
                    u32::MAX,
                    self.spec.threshold,
                    &input.payload,
                    a as usize,
                    b as usize,
                ),
                false => compare::of_distance(
                    self.spec.threshold,
                    &input.payload,
                    a as usize,
                    b as usize,
                    hit.distance,
                ),
            };
            if let Some(value) = value {
                shared.push(batch, a, b, value);
            }
        }
    }

    /// Gathers what may be a pair of two blocks.
    fn sweep(
        &mut self,
        input: &PairInput<'_>,
        shared: &Shared,
        lefts: Range<usize>,
        rights: &Range<usize>,
    ) {
        let strips = rights.start / LANES..rights.end.div_ceil(LANES);
        let hits = &mut self.hits;
        match (&shared.strips, input.payload) {
            (
                Strips::Bits { words, width },
                Payload::Bits(bits)
                | Payload::Vectors {
                    bits: Some(bits), ..
                },
            ) => {
                let most = match self.spec.verify {
                    Verify::Hamming(most) | Verify::Cosine(most) => most,
                    _ => return,
                };
                self.block.clear();
                for &row in &shared.left[lefts.clone()] {
                    self.block.extend_from_slice(bits.row(row as usize));
                }
                let first = words_until_far(*width, most);
                for strip in strips {
                    let lanes = strip * width * LANES..(strip + 1) * width * LANES;
                    let comparison = Comparison {
                        lanes: words.get(lanes).unwrap_or(&[]),
                        rows: &self.block,
                        width: *width,
                        first,
                        left: lefts.start,
                        right: strip * LANES,
                        most,
                    };
                    comparison.run(hits);
                }
            }
            (Strips::Dense { values, dimensions }, Payload::Vectors { vectors, .. }) => {
                let rows = &shared.left[lefts.clone()];
                self.unit_vectors.clear();
                for rows in rows.chunks(tile::ROWS) {
                    let start = self.unit_vectors.len();
                    self.unit_vectors
                        .resize(start + dimensions, [0.0; tile::ROWS]);
                    for (at, &row) in rows.iter().enumerate() {
                        let numbers = &mut self.unit_vectors[start..];
                        for (number, x) in numbers.iter_mut().zip(unit_vector(&vectors, row)) {
                            number[at] = x;
                        }
                    }
                }
                // Each of n products and sums is off by half a unit of the last place at most.
                let rounding = (*dimensions as f64 + 8.0) * f64::from(f32::EPSILON);
                let least = (self.spec.threshold - rounding) as f32;
                let (lanes, _) = values.as_chunks::<LANES>();
                for strip in strips {
                    let lanes = &lanes[strip * dimensions..(strip + 1) * dimensions];
                    let tiles = self.unit_vectors.chunks((*dimensions).max(1));
                    for (tile, rows) in tiles.zip(lefts.clone().step_by(tile::ROWS)) {
                        let cosines = tile::products(lanes, tile);
                        for (left, cosines) in (rows..lefts.end).zip(&cosines) {
                            for (lane, _) in
                                cosines.iter().enumerate().filter(|(_, x)| **x >= least)
                            {
                                hits.push(Hit {
                                    left: left as u32,
                                    right: (strip * LANES + lane) as u32,
                                    distance: 0,
                                });
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn sparse_unit(
        &mut self,
        input: &PairInput<'_>,
        shared: &Shared,
        postings: &Postings,
        unit: usize,
        batch: &mut PairBatch,
    ) {
        let Payload::Vectors { vectors, .. } = input.payload else {
            return;
        };
        let Values::Sparse(lists) = vectors.values else {
            return;
        };
        let right = shared.right.as_ref().unwrap_or(&shared.left);
        self.sums.resize(right.len(), 0.0);
        let places = unit * SPARSE_BLOCK..((unit + 1) * SPARSE_BLOCK).min(shared.left.len());
        let mut touched: Vec<u32> = Vec::new();
        for place in places {
            let a = shared.left[place];
            // Each pair of one relation once: with the rows before.
            let end = if shared.right.is_some() {
                right.len()
            } else {
                place
            };
            self.stats.candidates += end as u64;
            for &(term, weight) in lists.row(a as usize) {
                let (others, weights) = postings.of(term);
                for (&other, other_weight) in others.iter().zip(weights) {
                    if other as usize >= end {
                        break;
                    }
                    let sum = &mut self.sums[other as usize];
                    if *sum == 0.0 {
                        touched.push(other);
                    }
                    *sum += weight * other_weight;
                }
            }
            for other in touched.drain(..) {
                let sum = std::mem::replace(&mut self.sums[other as usize], 0.0);
                let b = right[other as usize];
                let norms = vectors.norms[a as usize] * vectors.norms[b as usize];
                // A sum that came to zero on the way may stand twice; the second time it is zero.
                if sum == 0.0 || norms <= 0.0 {
                    continue;
                }
                let cosine = cosine_of(sum, norms);
                let reports = input.may_pair(a, b) && !shared.giants.connect(a, b);
                if cosine >= self.spec.threshold && reports {
                    self.stats.verified += 1;
                    shared.push(batch, a, b, cosine);
                }
            }
        }
    }
}

impl Shared {
    fn push(&self, batch: &mut PairBatch, a: u32, b: u32, value: f64) {
        let ascending = self.right.is_none() || !self.by_side;
        let (a, b) = if ascending && a > b { (b, a) } else { (a, b) };
        batch.push(a, b, value);
    }
}

impl Strips {
    fn of(input: &PairInput<'_>, rows: &[u32]) -> Self {
        match input.payload {
            Payload::Bits(bits)
            | Payload::Vectors {
                bits: Some(bits), ..
            } => Self::Bits {
                words: transposed(rows, bits.width, |row| {
                    bits.row(row as usize).iter().copied()
                }),
                width: bits.width,
            },
            Payload::Vectors { vectors, .. } => match vectors.values {
                Values::Dense32 { dimensions, .. } | Values::Dense64 { dimensions, .. } => {
                    Self::Dense {
                        values: transposed(rows, dimensions, |row| unit_vector(&vectors, row)),
                        dimensions,
                    }
                }
                Values::Sparse(lists) => {
                    Self::Sparse(Postings::of_rows(rows, |row| lists.row(row)))
                }
            },
            _ => Self::Sparse(Postings::default()),
        }
    }

    fn memory(&self) -> usize {
        match self {
            Self::Bits { words, .. } => size_of_val(words.as_slice()),
            Self::Dense { values, .. } => size_of_val(values.as_slice()),
            Self::Sparse(postings) => postings.places.len() * 12 + postings.terms.len() * 16,
        }
    }
}

/// The numbers of a dense vector, scaled to a length of 1; zeros of a zero vector.
fn unit_vector<'a>(vectors: &Vectors<'a>, row: u32) -> impl Iterator<Item = f32> + use<'a> {
    let row = row as usize;
    let norm = vectors.norms.get(row).copied().unwrap_or(0.0);
    let scale = if norm > 0.0 { norm.sqrt().recip() } else { 0.0 };
    let (narrow, wide): (&[f32], &[f64]) = match vectors.values {
        Values::Dense32 { values, dimensions } => (
            values
                .get(row * dimensions..(row + 1) * dimensions)
                .unwrap_or(&[]),
            &[],
        ),
        Values::Dense64 { values, dimensions } => (
            &[],
            values
                .get(row * dimensions..(row + 1) * dimensions)
                .unwrap_or(&[]),
        ),
        Values::Sparse(_) => (&[], &[]),
    };
    let narrow = narrow.iter().map(|&x| f64::from(x));
    narrow
        .chain(wide.iter().copied())
        .map(move |x| (x * scale) as f32)
}

impl Postings {
    fn of_rows<'a>(rows: &[u32], row: impl Fn(usize) -> &'a [(u64, f64)]) -> Self {
        let mut entries: Vec<(u64, u32, f64)> = Vec::new();
        for (place, &number) in rows.iter().enumerate() {
            let entry = |&(term, weight): &(u64, f64)| (term, place as u32, weight);
            entries.extend(row(number as usize).iter().map(entry));
        }
        entries.sort_unstable_by_key(|&(term, place, _)| (term, place));
        let mut postings = Self::default();
        for (term, place, weight) in entries {
            if postings.terms.last() != Some(&term) {
                postings.terms.push(term);
                postings.starts.push(postings.places.len());
            }
            postings.places.push(place);
            postings.weights.push(weight);
        }
        postings.starts.push(postings.places.len());
        postings
    }

    fn of(&self, term: u64) -> (&[u32], &[f64]) {
        match self.terms.binary_search(&term) {
            Ok(at) => {
                let range = self.starts[at]..self.starts[at + 1];
                (&self.places[range.clone()], &self.weights[range])
            }
            Err(_) => (&[], &[]),
        }
    }
}

/// The pair of blocks (i, j), j ≤ i, of a number: (0, 0), (1, 0), (1, 1), (2, 0), …
fn triangle(unit: usize) -> (usize, usize) {
    let first = |i: usize| i * (i + 1) / 2;
    let mut i = (((8.0 * unit as f64 + 1.0).sqrt() - 1.0) / 2.0) as usize;
    while first(i) > unit {
        i -= 1;
    }
    while first(i + 1) <= unit {
        i += 1;
    }
    (i, unit - first(i))
}
