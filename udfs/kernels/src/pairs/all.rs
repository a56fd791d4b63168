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
//!
//! In linked mode each row is paired with its first similar predecessors, up to a maximum, and with others
//! that these pairs do not connect it to. Then a block of rows is compared with one block after the other,
//! from the first row on, by one sharer.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::compare;
use super::input::{PairInput, Payload, Values, Vectors};
use super::join::PairBatch;
use super::spec::{PREDECESSORS, PairError, Spec, Verify};
use super::stats::Stats;
use super::strips::{Comparison, Hit, LANES, transposed, words_until_far};
use crate::cosine::cosine_of;
use crate::forest::Forest;
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
    /// In linked mode: the rows that are probed.
    probes: Option<Probes>,
    /// In linked mode: what the pairs reported so far connect.
    connected: Forest,
    stats: Stats,
}

/// A block of rows that meets one block of predecessors after the other.
#[derive(Debug)]
struct Probes {
    /// The rows are on the right, and meet those on the left.
    swapped: bool,
    /// Their places.
    places: Range<usize>,
    /// The next block that they meet.
    next: usize,
    /// Similar predecessors of each so far.
    found: Vec<usize>,
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
    /// The rows on the left, transposed, where those on the right meet them.
    left_strips: Option<Strips>,
    /// In linked mode: the most similar predecessors that a row is paired with.
    predecessors: Option<usize>,
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
        let limit = spec.bucket_limit.map(|limit| limit.min(PREDECESSORS));
        let predecessors = limit.filter(|_| (right.is_none() || halves) && input.group.is_none());
        let strips = Strips::of(input, right.as_ref().unwrap_or(&left));
        let both = right.is_some() && predecessors.is_some();
        let left_strips = both.then(|| Strips::of(input, &left));
        let block = strips.block();
        let blocks = |rows: &[u32]| rows.len().div_ceil(block);
        let sparse = matches!(strips, Strips::Sparse(_));
        let units = match &right {
            Some(right) if predecessors.is_some() => blocks(&left) + blocks(right),
            None if predecessors.is_some() => blocks(&left),
            _ if sparse => blocks(&left),
            Some(right) => blocks(&left) * blocks(right),
            None => blocks(&left) * (blocks(&left) + 1) / 2,
        };
        let stats = Stats {
            rows: input.keys.rows() as u64,
            ..Stats::default()
        };
        let connected = predecessors.map_or(0, |_| input.keys.rows() as u32);
        Ok(Self {
            spec,
            connected: Forest::new(connected),
            shared: Arc::new(Shared {
                left,
                right,
                by_side: !halves,
                strips,
                left_strips,
                predecessors,
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
                probes: None,
                connected: self.connected.clone(),
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
        let left = self.shared.left_strips.as_ref().map_or(0, Strips::memory);
        (lists + self.connected.len()) * size_of::<u32>() + self.shared.strips.memory() + left
    }

    /// The next pairs; `None` when there are no more. A batch may be empty before the end, and has the
    /// pairs of one pair of blocks, at most 262,144. `input` is that of [`Self::new`].
    pub fn next_batch(&mut self, input: &PairInput<'_>) -> Option<PairBatch> {
        let shared = Arc::clone(&self.shared);
        if let Some(most) = shared.predecessors {
            return self.next_predecessors(input, &shared, most);
        }
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
        self.sweep(
            input,
            (shared.left.as_slice(), &shared.strips),
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

    /// The next pairs of linked mode.
    fn next_predecessors(
        &mut self,
        input: &PairInput<'_>,
        shared: &Shared,
        most: usize,
    ) -> Option<PairBatch> {
        let mut probes = match self.probes.take() {
            Some(probes) => probes,
            None => {
                let unit = shared.next.fetch_add(1, Ordering::Relaxed);
                shared.probes(unit)?
            }
        };
        let mut batch = PairBatch::default();
        let (rows, others, strips) = shared.sides(probes.swapped);
        if let Strips::Sparse(postings) = strips {
            self.sparse_predecessors(input, (shared, postings), &mut probes, most, &mut batch);
        } else {
            let rights = probes.next * BLOCK..((probes.next + 1) * BLOCK).min(others.len());
            let is_before = |row: u32| others.get(rights.start).is_some_and(|&first| first < row);
            let last = rows.get(probes.places.end.wrapping_sub(1)).copied();
            if last.is_some_and(is_before) {
                probes.next += 1;
                self.dense_predecessors(input, shared, &mut probes, &rights, most, &mut batch);
                self.probes = Some(probes);
            }
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
        most: usize,
        batch: &mut PairBatch,
    ) {
        let (rows, others, strips) = shared.sides(probes.swapped);
        let before = |row: &u32| others[rights.clone()].partition_point(|other| other < row) as u64;
        let compared: u64 = rows[probes.places.clone()].iter().map(before).sum();
        self.stats.candidates += compared;
        self.hits.clear();
        self.sweep(input, (rows, strips), probes.places.clone(), rights);
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
                let found = &mut probes.found[hit.left as usize - probes.places.start];
                *found += 1;
                self.stats.similar += 1;
                let joins = self.connected.union(row, other);
                if *found <= most || joins {
                    shared.push(batch, row, other, value);
                }
                self.stats.unreported += u64::from(*found > most);
                self.stats.crowded += u64::from(*found == most + 1);
            }
        }
    }

    fn sparse_predecessors(
        &mut self,
        input: &PairInput<'_>,
        (shared, postings): (&Shared, &Postings),
        probes: &mut Probes,
        most: usize,
        batch: &mut PairBatch,
    ) {
        let (rows, others, _) = shared.sides(probes.swapped);
        for place in probes.places.clone() {
            let row = rows[place];
            let end = others.partition_point(|&other| other < row);
            let mut found = self.sparse_probe(input, postings, row, (others, end));
            found.sort_unstable_by_key(|&(other, _)| other);
            self.stats.verified += found.len() as u64;
            for (place, &(other, cosine)) in found.iter().enumerate() {
                let joins = self.connected.union(row, other);
                if place < most || joins {
                    shared.push(batch, row, other, cosine);
                }
            }
            self.stats.similar += found.len() as u64;
            let beyond = found.len().saturating_sub(most) as u64;
            self.stats.unreported += beyond;
            self.stats.crowded += u64::from(beyond > 0);
        }
    }

    /// Gathers what may be a pair of two blocks.
    fn sweep(
        &mut self,
        input: &PairInput<'_>,
        (left, strips_of_right): (&[u32], &Strips),
        lefts: Range<usize>,
        rights: &Range<usize>,
    ) {
        let strips = rights.start / LANES..rights.end.div_ceil(LANES);
        let hits = &mut self.hits;
        match (strips_of_right, input.payload) {
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
                for &row in &left[lefts.clone()] {
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
                let rows = &left[lefts.clone()];
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
        let right = shared.right.as_ref().unwrap_or(&shared.left);
        let places = unit * SPARSE_BLOCK..((unit + 1) * SPARSE_BLOCK).min(shared.left.len());
        for place in places {
            let a = shared.left[place];
            // Each pair of one relation once: with the rows before.
            let end = if shared.right.is_some() {
                right.len()
            } else {
                place
            };
            for (b, cosine) in self.sparse_probe(input, postings, a, (right.as_slice(), end)) {
                if input.may_pair(a, b) {
                    self.stats.verified += 1;
                    shared.push(batch, a, b, cosine);
                }
            }
        }
    }

    /// The rows among the first `end` of `others`, in no order, that a row is similar to, and their cosines.
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
            let (places, weights) = postings.of(term);
            for (&place, other_weight) in places.iter().zip(weights) {
                if place as usize >= end {
                    break;
                }
                let sum = &mut self.sums[place as usize];
                if *sum == 0.0 {
                    touched.push(place);
                }
                *sum += weight * other_weight;
            }
        }
        let mut found = Vec::new();
        for place in touched {
            let sum = std::mem::replace(&mut self.sums[place as usize], 0.0);
            let other = others[place as usize];
            let norms = vectors.norms[row as usize] * vectors.norms[other as usize];
            // A sum that came to zero on the way may stand twice; the second time it is zero.
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

/// What two rows are reported with whose signatures differ in `distance` bits, if there are any.
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
    /// The rows that are probed, those that they meet, and these transposed.
    fn sides(&self, swapped: bool) -> (&[u32], &[u32], &Strips) {
        match (&self.right, &self.left_strips) {
            (Some(right), Some(strips)) if swapped => {
                (right.as_slice(), self.left.as_slice(), strips)
            }
            (Some(right), _) => (self.left.as_slice(), right.as_slice(), &self.strips),
            (None, _) => (self.left.as_slice(), self.left.as_slice(), &self.strips),
        }
    }

    /// The rows of a unit of linked mode: the first ones first, so that they are connected when others meet
    /// them.
    fn probes(&self, unit: usize) -> Option<Probes> {
        let block = self.strips.block();
        if unit >= self.units {
            return None;
        }
        let of_left = self.left.len().div_ceil(block);
        let (swapped, at) = match unit.checked_sub(of_left) {
            Some(at) => (true, at),
            None => (false, unit),
        };
        let rows = self.sides(swapped).0.len();
        let places = at * block..((at + 1) * block).min(rows);
        Some(Probes {
            swapped,
            found: vec![0; places.len()],
            places,
            next: 0,
        })
    }

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

    /// Rows that are probed at a time.
    fn block(&self) -> usize {
        match self {
            Self::Sparse(_) => SPARSE_BLOCK,
            _ => BLOCK,
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
