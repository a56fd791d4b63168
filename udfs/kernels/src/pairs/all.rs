//! All pairs of rows: compares every signature, or every vector, with every other.
//!
//! Rows are divided into blocks, and pairs of blocks are compared one at a time. The rows of the right-hand
//! block are transposed into `tiles`.
//!
//! Dense vectors are scaled to unit length and compared in f32. Pairs whose cosine may reach the threshold,
//! given the largest possible rounding error, are compared again in f64.
//!
//! Sparse vectors are compared through an inverted index from each term to the rows that hold it.
//!
//! In linked mode each row is paired with its first similar predecessors, up to a maximum, and with further
//! ones so that the connected components are those of all similar pairs (`links`). One worker then compares a
//! block of rows with all blocks of predecessors, in ascending order.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::compare;
use super::input::{PairInput, Payload, Values, Vectors};
use super::join::PairBatch;
use super::links::{Link, Links};
use super::spec::{MAX_PREDECESSORS, PairError, Spec, Verify};
use super::stats::Stats;
use super::tiles::{Comparison, Hit, LANES, transposed, words_until_far};
use crate::cosine::cosine_of;
use crate::dot_products;

/// The maximal number of pairs of a batch.
const MAX_BATCH: usize = 262_144;

/// A comparison of all pairs in progress. It holds data derived from the rows but not the rows themselves:
/// every call is given the same [`PairInput`]. Workers take units of work (a pair of blocks, or a block of
/// probe rows) from a common counter.
#[derive(Debug)]
pub struct AllPairs {
    spec: Spec,
    shared: Arc<Shared>,
    hits: Vec<Hit>,
    /// Signatures of the rows of a block.
    block: Vec<u64>,
    /// Vectors of the rows of a block, transposed as [`dot_products::products`] takes them.
    unit_vectors: Vec<[f32; dot_products::ROWS]>,
    /// For sparse vectors: the dot product of the probe row with each row, zero between probes.
    sums: Vec<f64>,
    /// In linked mode: the current block of probe rows.
    probes: Option<Probes>,
    /// In linked mode: the spanning forest of the pairs found so far.
    links: Links,
    /// In linked mode: pairs of the spanning forest that are still to be reported.
    pending: Vec<Link>,
    stats: Stats,
}

/// A block of probe rows, which is compared with one block of predecessors after the other.
#[derive(Debug)]
struct Probes {
    /// The unit of work.
    unit: usize,
    /// Whether the probe rows are on the right and their predecessors on the left.
    swapped: bool,
    /// The positions of the probe rows in their list.
    positions: Range<usize>,
    /// The next block of predecessors.
    next: usize,
    /// The number of similar predecessors found so far for each probe row.
    found: Vec<usize>,
}

#[derive(Debug)]
struct Shared {
    /// The rows that are compared with those on the right.
    left: Vec<u32>,
    /// The rows on the right; `None` if the rows on the left are compared with each other.
    right: Option<Vec<u32>>,
    /// Whether sides are two relations, so that pairs give the row of side 0 first.
    by_side: bool,
    tiles: Tiles,
    /// The number of rows of a block.
    block: usize,
    /// The rows on the left, transposed, where those on the right are compared with them too.
    left_tiles: Option<Tiles>,
    /// In linked mode: the maximal number of similar predecessors that a row is paired with.
    max_predecessors: Option<usize>,
    /// The next unit of work.
    next: AtomicUsize,
    /// The number of units of work: pairs of blocks, or blocks of probe rows.
    units: usize,
}

/// Rows that others are compared with, transposed or, if sparse, as an inverted index.
#[derive(Debug)]
enum Tiles {
    Bits { words: Vec<u64>, width: usize },
    Dense { values: Vec<f32>, dimensions: usize },
    Sparse(Postings),
}

/// An inverted index: for each term the posting list of the rows that hold it.
#[derive(Debug, Default)]
struct Postings {
    /// The terms, ascending.
    terms: Vec<u64>,
    /// Where the posting list of each term begins, and where the last one ends.
    starts: Vec<usize>,
    /// Positions of rows in the list of rows, ascending within a term.
    positions: Vec<u32>,
    /// The weight of the term in each row.
    weights: Vec<f64>,
}

impl AllPairs {
    /// Transposes the rows. With two sides (`input.side`), rows of side 0 are compared with rows of side
    /// 1; if `halves`, the sides are two halves of one relation, so that pairs give the smaller row first.
    /// `input.keys` only determines the number of rows; its keys are not read.
    ///
    /// # Errors
    /// If a parameter is out of range, the payload is neither signatures nor vectors, or columns differ in
    /// length.
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
        let limit = spec.bucket_limit.map(|limit| limit.min(MAX_PREDECESSORS));
        let max_predecessors =
            limit.filter(|_| (right.is_none() || halves) && input.group.is_none());
        let tiles = Tiles::of(input, right.as_ref().unwrap_or(&left));
        let both = right.is_some() && max_predecessors.is_some();
        let left_tiles = both.then(|| Tiles::of(input, &left));
        let sparse = matches!(tiles, Tiles::Sparse(_));
        let sizes = spec.blocks.for_rows(input.keys.rows());
        let block = if sparse { sizes.sparse } else { sizes.dense };
        let blocks = |rows: &[u32]| rows.len().div_ceil(block);
        let units = match &right {
            _ if max_predecessors.is_some() => input.keys.rows().div_ceil(probe_rows(block, both)),
            _ if sparse => blocks(&left),
            Some(right) => blocks(&left) * blocks(right),
            None => blocks(&left) * (blocks(&left) + 1) / 2,
        };
        let stats = Stats {
            rows: input.keys.rows() as u64,
            ..Stats::default()
        };
        let rows = max_predecessors.map_or(0, |_| input.keys.rows() as u32);
        Ok(Self {
            spec,
            links: Links::new(rows),
            pending: Vec::new(),
            shared: Arc::new(Shared {
                left,
                right,
                by_side: !halves,
                tiles,
                block,
                left_tiles,
                max_predecessors,
                next: AtomicUsize::new(0),
                units,
            }),
            hits: Vec::new(),
            block: Vec::new(),
            unit_vectors: Vec::new(),
            sums: Vec::new(),
            probes: None,
            stats,
        })
    }

    /// Divides the work among at most `workers` joins, which can run at the same time. Together they report
    /// the pairs that this one would report, and their statistics add up; in linked mode they may report more
    /// pairs of rows that pairs of other workers connect.
    #[must_use]
    pub fn into_workers(self, workers: usize) -> Vec<Self> {
        let workers = workers.clamp(1, self.shared.units.max(1));
        let others: Vec<Self> = (1..workers)
            .map(|_| Self {
                spec: self.spec,
                shared: Arc::clone(&self.shared),
                hits: Vec::new(),
                block: Vec::new(),
                unit_vectors: Vec::new(),
                sums: Vec::new(),
                probes: None,
                links: self.links.clone(),
                pending: Vec::new(),
                stats: Stats::default(),
            })
            .collect();
        let mut all = vec![self];
        all.extend(others);
        all
    }

    /// Counts of the work done so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Bytes that all workers hold together, without the rows.
    #[must_use]
    pub fn memory(&self) -> usize {
        let lists = self.shared.left.len() + self.shared.right.as_ref().map_or(0, Vec::len);
        let left = self.shared.left_tiles.as_ref().map_or(0, Tiles::memory);
        lists * size_of::<u32>() + self.shared.tiles.memory() + left
    }

    /// An upper bound of the bytes that each worker holds in linked mode, beyond [`Self::memory`].
    #[must_use]
    pub const fn memory_of_linked_worker(rows: usize) -> usize {
        Links::memory_for(rows)
    }

    /// The next pairs; `None` when there are no more. A batch may be empty before the end. It holds at most
    /// 262,144 pairs of signatures or dense vectors, and at most those of a block of sparse vectors with all rows.
    /// `input` is that of [`Self::new`].
    pub fn next_batch(&mut self, input: &PairInput<'_>) -> Option<PairBatch> {
        let shared = Arc::clone(&self.shared);
        if let Some(max_predecessors) = shared.max_predecessors {
            return self.next_predecessors(input, &shared, max_predecessors);
        }
        let unit = shared.next.fetch_add(1, Ordering::Relaxed);
        if unit >= shared.units {
            return None;
        }
        self.hits.clear();
        let mut batch = PairBatch::default();
        if let Tiles::Sparse(postings) = &shared.tiles {
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
                let blocks = right.len().div_ceil(shared.block).max(1);
                (unit / blocks, unit % blocks)
            }
            None => triangle(unit),
        };
        let (lefts, rights) = (shared.rows_of(i, &shared.left), shared.rows_of(j, right));
        let same = shared.right.is_none() && i == j;
        let compared = match same {
            true => lefts.len() * lefts.len().saturating_sub(1) / 2,
            false => lefts.len() * rights.len(),
        };
        self.stats.candidates += compared as u64;
        self.sweep(
            input,
            (shared.left.as_slice(), &shared.tiles),
            lefts,
            &rights,
        );
        for hit in &self.hits {
            if hit.right as usize >= rights.end || same && hit.right >= hit.left {
                continue;
            }
            let (a, b) = (shared.left[hit.left as usize], right[hit.right as usize]);
            if !input.may_pair(a, b) {
                continue;
            }
            self.stats.verified += 1;
            if let Some(value) = verified(&self.spec, input, (a, b), hit.distance) {
                shared.push(batch, a, b, value);
            }
        }
    }

    /// The next batch of pairs in linked mode.
    fn next_predecessors(
        &mut self,
        input: &PairInput<'_>,
        shared: &Shared,
        max_predecessors: usize,
    ) -> Option<PairBatch> {
        let mut batch = PairBatch::default();
        if !self.pending.is_empty() {
            let rest = self.pending.len().saturating_sub(MAX_BATCH);
            for link in self.pending.drain(rest..) {
                shared.push(&mut batch, link.row, link.predecessor, link.similarity);
            }
            if rest == 0 {
                self.pending = Vec::new();
            }
            self.stats.pairs += batch.len() as u64;
            return Some(batch);
        }
        let mut probes = match self.probes.take() {
            Some(probes) => probes,
            None => {
                let unit = shared.next.fetch_add(1, Ordering::Relaxed);
                if unit >= shared.units {
                    return None;
                }
                shared.probes(unit, false)
            }
        };
        let is_finished = if let (_, _, Tiles::Sparse(postings)) = shared.sides(probes.swapped) {
            self.sparse_predecessors(
                input,
                (shared, postings),
                &mut probes,
                max_predecessors,
                &mut batch,
            );
            true
        } else {
            let (rows, others, _) = shared.sides(probes.swapped);
            let rights = shared.rows_of(probes.next, others);
            let is_before = |row: u32| others.get(rights.start).is_some_and(|&first| first < row);
            let last = rows[probes.positions.clone()].last().copied();
            let has_predecessors = last.is_some_and(is_before);
            if has_predecessors {
                probes.next += 1;
                self.dense_predecessors(
                    input,
                    shared,
                    &mut probes,
                    &rights,
                    max_predecessors,
                    &mut batch,
                );
            }
            !has_predecessors
        };
        if !is_finished {
            self.probes = Some(probes);
        } else if shared.right.is_some() && !probes.swapped {
            self.probes = Some(shared.probes(probes.unit, true));
        } else {
            self.pending = self.links.finish_block();
        }
        self.stats.pairs += batch.len() as u64;
        Some(batch)
    }

    fn dense_predecessors(
        &mut self,
        input: &PairInput<'_>,
        shared: &Shared,
        probes: &mut Probes,
        rights: &Range<usize>,
        max_predecessors: usize,
        batch: &mut PairBatch,
    ) {
        let (rows, others, tiles) = shared.sides(probes.swapped);
        let before = |row: &u32| others[rights.clone()].partition_point(|other| other < row) as u64;
        let compared: u64 = rows[probes.positions.clone()].iter().map(before).sum();
        self.stats.candidates += compared;
        self.hits.clear();
        self.sweep(input, (rows, tiles), probes.positions.clone(), rights);
        self.hits.sort_unstable_by_key(|hit| (hit.left, hit.right));
        for hit in &self.hits {
            if hit.right as usize >= rights.end {
                continue;
            }
            let (row, other) = (rows[hit.left as usize], others[hit.right as usize]);
            if other >= row {
                continue;
            }
            self.stats.verified += 1;
            if let Some(value) = verified(&self.spec, input, (row, other), hit.distance) {
                let found = &mut probes.found[hit.left as usize - probes.positions.start];
                *found += 1;
                self.stats.similar += 1;
                let is_first = *found <= max_predecessors;
                if is_first {
                    shared.push(batch, row, other, value);
                }
                self.links.add(Link {
                    row,
                    predecessor: other,
                    similarity: value,
                    is_first,
                });
                self.stats.unreported += u64::from(*found > max_predecessors);
                self.stats.crowded += u64::from(*found == max_predecessors + 1);
            }
        }
    }

    fn sparse_predecessors(
        &mut self,
        input: &PairInput<'_>,
        (shared, postings): (&Shared, &Postings),
        probes: &mut Probes,
        max_predecessors: usize,
        batch: &mut PairBatch,
    ) {
        let (rows, others, _) = shared.sides(probes.swapped);
        for position in probes.positions.clone() {
            let row = rows[position];
            let end = others.partition_point(|&other| other < row);
            let mut found = self.sparse_probe(input, postings, row, (others, end));
            found.sort_unstable_by_key(|&(other, _)| other);
            self.stats.verified += found.len() as u64;
            for (before, &(other, cosine)) in found.iter().enumerate() {
                let is_first = before < max_predecessors;
                if is_first {
                    shared.push(batch, row, other, cosine);
                }
                self.links.add(Link {
                    row,
                    predecessor: other,
                    similarity: cosine,
                    is_first,
                });
            }
            self.stats.similar += found.len() as u64;
            let beyond = found.len().saturating_sub(max_predecessors) as u64;
            self.stats.unreported += beyond;
            self.stats.crowded += u64::from(beyond > 0);
        }
    }

    /// Appends the possible pairs of two blocks to `hits`.
    fn sweep(
        &mut self,
        input: &PairInput<'_>,
        (left, right_tiles): (&[u32], &Tiles),
        lefts: Range<usize>,
        rights: &Range<usize>,
    ) {
        let tiles = rights.start / LANES..rights.end.div_ceil(LANES);
        let hits = &mut self.hits;
        match (right_tiles, input.payload) {
            (
                Tiles::Bits { words, width },
                Payload::Bits(bits)
                | Payload::Vectors {
                    bits: Some(bits), ..
                },
            ) => {
                let max_distance = match self.spec.verify {
                    Verify::Hamming(max_distance) | Verify::Cosine(max_distance) => max_distance,
                    _ => return,
                };
                self.block.clear();
                for &row in &left[lefts.clone()] {
                    self.block.extend_from_slice(bits.row(row as usize));
                }
                let first = words_until_far(*width, max_distance);
                for tile in tiles {
                    let lanes = tile * width * LANES..(tile + 1) * width * LANES;
                    let comparison = Comparison {
                        lanes: words.get(lanes).unwrap_or(&[]),
                        rows: &self.block,
                        width: *width,
                        first,
                        left: lefts.start,
                        right: tile * LANES,
                        max_distance,
                    };
                    comparison.run(hits);
                }
            }
            (Tiles::Dense { values, dimensions }, Payload::Vectors { vectors, .. }) => {
                let rows = &left[lefts.clone()];
                self.unit_vectors.clear();
                for rows in rows.chunks(dot_products::ROWS) {
                    let start = self.unit_vectors.len();
                    self.unit_vectors
                        .resize(start + dimensions, [0.0; dot_products::ROWS]);
                    for (at, &row) in rows.iter().enumerate() {
                        let numbers = &mut self.unit_vectors[start..];
                        for (number, x) in numbers.iter_mut().zip(unit_vector(&vectors, row)) {
                            number[at] = x;
                        }
                    }
                }
                // Each of n products and sums is rounded by at most half a unit in the last place.
                let rounding = (*dimensions as f64 + 8.0) * f64::from(f32::EPSILON);
                let min_cosine = (self.spec.threshold - rounding) as f32;
                let (lanes, _) = values.as_chunks::<LANES>();
                for tile in tiles {
                    let lanes = &lanes[tile * dimensions..(tile + 1) * dimensions];
                    let groups = self.unit_vectors.chunks((*dimensions).max(1));
                    for (group, rows) in groups.zip(lefts.clone().step_by(dot_products::ROWS)) {
                        let cosines = dot_products::products(lanes, group);
                        for (left, cosines) in (rows..lefts.end).zip(&cosines) {
                            for (lane, _) in cosines
                                .iter()
                                .enumerate()
                                .filter(|(_, x)| **x >= min_cosine)
                            {
                                hits.push(Hit {
                                    left: left as u32,
                                    right: (tile * LANES + lane) as u32,
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
        let right = shared.right.as_ref().unwrap_or(&shared.left);
        for position in shared.rows_of(unit, &shared.left) {
            let a = shared.left[position];
            // Within one relation, a row is compared with the rows before it, so that each pair is found once.
            let end = if shared.right.is_some() {
                right.len()
            } else {
                position
            };
            for (b, cosine) in self.sparse_probe(input, postings, a, (right.as_slice(), end)) {
                if input.may_pair(a, b) {
                    self.stats.verified += 1;
                    shared.push(batch, a, b, cosine);
                }
            }
        }
    }

    /// The rows among the first `end` of `others` that are similar to `row`, and their cosines, in no
    /// particular order.
    fn sparse_probe(
        &mut self,
        input: &PairInput<'_>,
        postings: &Postings,
        row: u32,
        (others, end): (&[u32], usize),
    ) -> Vec<(u32, f64)> {
        let Payload::Vectors { vectors, .. } = input.payload else {
            return Vec::new();
        };
        let Values::Sparse(lists) = vectors.values else {
            return Vec::new();
        };
        if self.sums.len() < others.len() {
            self.sums.resize(others.len(), 0.0);
        }
        let mut touched: Vec<u32> = Vec::new();
        self.stats.candidates += end as u64;
        for &(term, weight) in lists.row(row as usize) {
            let (positions, weights) = postings.of(term);
            for (&position, other_weight) in positions.iter().zip(weights) {
                if position as usize >= end {
                    break;
                }
                let sum = &mut self.sums[position as usize];
                if *sum == 0.0 {
                    touched.push(position);
                }
                *sum += weight * other_weight;
            }
        }
        let mut found = Vec::new();
        for position in touched {
            let sum = std::mem::replace(&mut self.sums[position as usize], 0.0);
            let other = others[position as usize];
            let norms = vectors.norms[row as usize] * vectors.norms[other as usize];
            // A row whose sum returned to zero in between is listed twice; the second time its sum is zero.
            if sum == 0.0 || norms <= 0.0 {
                continue;
            }
            let cosine = cosine_of(sum, norms);
            if cosine >= self.spec.threshold {
                found.push((other, cosine));
            }
        }
        found
    }
}

/// The rows of a unit of linked mode, on two sides those of both.
fn probe_rows(block: usize, two_sides: bool) -> usize {
    block * (1 + usize::from(two_sides))
}

/// The value that a pair is reported with, if it qualifies. `distance` is that of the signatures, which is
/// not read for vectors without signatures.
fn verified(spec: &Spec, input: &PairInput<'_>, (a, b): (u32, u32), distance: u32) -> Option<f64> {
    let (a, b) = (a as usize, b as usize);
    match input.payload {
        Payload::Vectors { bits: None, .. } => {
            compare::compared(u32::MAX, spec.threshold, &input.payload, a, b)
        }
        _ => compare::of_distance(spec.threshold, &input.payload, a, b, distance),
    }
}

impl Shared {
    /// The positions of the rows of a block in a list of rows.
    fn rows_of(&self, block: usize, rows: &[u32]) -> Range<usize> {
        block * self.block..((block + 1) * self.block).min(rows.len())
    }

    /// The list of probe rows, the list of rows that they are compared with, and the tiles of the latter.
    fn sides(&self, swapped: bool) -> (&[u32], &[u32], &Tiles) {
        match (&self.right, &self.left_tiles) {
            (Some(right), Some(tiles)) if swapped => {
                (right.as_slice(), self.left.as_slice(), tiles)
            }
            (Some(right), _) => (self.left.as_slice(), right.as_slice(), &self.tiles),
            (None, _) => (self.left.as_slice(), self.left.as_slice(), &self.tiles),
        }
    }

    /// The probe rows of a unit of linked mode: rows with successive numbers, of one side or, if `swapped`, of the
    /// other. Units are in ascending order of rows.
    fn probes(&self, unit: usize, swapped: bool) -> Probes {
        let block = probe_rows(self.block, self.right.is_some());
        let (rows, _, _) = self.sides(swapped);
        let position = |first: usize| rows.partition_point(|&row| (row as usize) < first);
        let positions = position(unit * block)..position((unit + 1) * block);
        Probes {
            unit,
            swapped,
            found: vec![0; positions.len()],
            positions,
            next: 0,
        }
    }

    fn push(&self, batch: &mut PairBatch, a: u32, b: u32, value: f64) {
        let ascending = self.right.is_none() || !self.by_side;
        let (a, b) = if ascending && a > b { (b, a) } else { (a, b) };
        batch.push(a, b, value);
    }
}

impl Tiles {
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
            Self::Sparse(postings) => postings.positions.len() * 12 + postings.terms.len() * 16,
        }
    }
}

/// The components of a dense vector scaled to unit length; zeros for a zero vector.
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
        for (position, &number) in rows.iter().enumerate() {
            let entry = |&(term, weight): &(u64, f64)| (term, position as u32, weight);
            entries.extend(row(number as usize).iter().map(entry));
        }
        entries.sort_unstable_by_key(|&(term, position, _)| (term, position));
        let mut postings = Self::default();
        for (term, position, weight) in entries {
            if postings.terms.last() != Some(&term) {
                postings.terms.push(term);
                postings.starts.push(postings.positions.len());
            }
            postings.positions.push(position);
            postings.weights.push(weight);
        }
        postings.starts.push(postings.positions.len());
        postings
    }

    fn of(&self, term: u64) -> (&[u32], &[f64]) {
        match self.terms.binary_search(&term) {
            Ok(at) => {
                let range = self.starts[at]..self.starts[at + 1];
                (&self.positions[range.clone()], &self.weights[range])
            }
            Err(_) => (&[], &[]),
        }
    }
}

/// The pair of blocks (i, j), j ≤ i, with a given number, in the order (0, 0), (1, 0), (1, 1), (2, 0), …
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
