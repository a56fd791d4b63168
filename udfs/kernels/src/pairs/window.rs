//! Sorted windows: compares rows whose signatures are close to each other in the sorted order of permuted
//! bits.
//!
//! Each table has its own permutation of the bits. Rows are sorted by their permuted signatures, ties by row,
//! and each is compared with the `window` rows before it (Ravichandran, Pantel, Hovy, ACL 2005; Ture,
//! Elsayed, Lin, SIGIR 2011). Tables are divided into chunks of rows. Windows extend into the preceding
//! chunk, so that the result does not depend on the chunks.
//!
//! A pair is reported once for each table in which it is found.

use std::ops::Range;
use std::sync::Arc;

use super::compare;
use super::input::{Bits, Items, PairInput};
use super::join::PairBatch;
use super::spec::{PairError, Spec, Verify};
use super::stats::Stats;
use super::tiles::{Comparison, Hit, LANES, transposed, words_until_far};
use crate::bit_keys::bit_permutation;

/// Parameters of the windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// The number of bits of a signature: at least 1, and at most 64 for each word of a signature. Further bits of the
    /// words do not affect the order.
    pub bits: usize,
    /// The number of tables, each with its own permutation; with 0 there are no pairs.
    pub tables: usize,
    /// The number of preceding rows that a row is compared with; with 0 there are no pairs.
    pub window: usize,
    /// The number of rows of a chunk; at least 1.
    pub chunk: usize,
    /// Seed of the permutations.
    pub seed: u64,
}

/// A comparison by sorted windows in progress. It holds data derived from the rows but not the rows
/// themselves: every call is given the same [`PairInput`].
#[derive(Debug)]
pub struct WindowPairs {
    spec: Spec,
    windows: Windows,
    /// The rows that may pair with others.
    rows: Arc<Vec<u32>>,
    /// The chunks left to compare: chunk c of table t has number t · chunks + c.
    units: Range<usize>,
    /// The table that is currently sorted.
    table: Option<usize>,
    /// The rows in the order of that table.
    order: Vec<u32>,
    /// The position in `order` of the first row of `words` and `tiles`.
    first: usize,
    /// The signatures of a chunk and of the window before it, in order.
    words: Vec<u64>,
    /// The same signatures, transposed into tiles.
    tiles: Vec<u64>,
    hits: Vec<Hit>,
    /// The position in `order` of the next row of the chunk; 0 before a chunk begins.
    at: usize,
    stats: Stats,
}

impl WindowPairs {
    /// A comparison of the chunks of all tables that belong to the part of `spec`. The chunks are divided
    /// nearly equally among `spec.parts` parts, and every part needs all rows. `input.keys` only determines
    /// the number of rows; its keys are not read.
    ///
    /// # Errors
    /// If a parameter is out of range, there are no bit signatures, or columns differ in length.
    pub fn new(input: &PairInput<'_>, spec: Spec, windows: Windows) -> Result<Self, PairError> {
        spec.check(input)?;
        let Some(bits) = signatures(input) else {
            return Err(PairError::Items("a sorted window", "bit signatures"));
        };
        if windows.bits == 0 || windows.bits > bits.width * 64 {
            return Err(PairError::Width(bits.width * 64, windows.bits));
        }
        let rows: Vec<u32> = (0..input.keys.rows())
            .filter(|&row| input.takes_part(row))
            .map(|row| row as u32)
            .collect();
        let units = windows.tables * chunks(rows.len(), &windows);
        let stats = Stats {
            rows: input.keys.rows() as u64,
            ..Stats::default()
        };
        Ok(Self {
            spec,
            windows,
            rows: Arc::new(rows),
            units: subrange(&(0..units), spec.part as usize, spec.parts as usize),
            table: None,
            order: Vec::new(),
            first: 0,
            words: Vec::new(),
            tiles: Vec::new(),
            hits: Vec::new(),
            at: 0,
            stats,
        })
    }

    /// Divides the chunks among at most `workers` joins, which can run at the same time.
    #[must_use]
    pub fn into_workers(self, workers: usize) -> Vec<Self> {
        let workers = workers.clamp(1, self.units.len().max(1));
        let units = self.units.clone();
        let mut all: Vec<Self> = (1..workers)
            .map(|worker| Self {
                spec: self.spec,
                windows: self.windows,
                rows: Arc::clone(&self.rows),
                units: subrange(&units, worker, workers),
                table: None,
                order: Vec::new(),
                first: 0,
                words: Vec::new(),
                tiles: Vec::new(),
                hits: Vec::new(),
                at: 0,
                stats: Stats::default(),
            })
            .collect();
        all.push(Self {
            units: subrange(&units, 0, workers),
            ..self
        });
        all
    }

    /// Counts of the work done so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// An upper bound of the bytes that each worker holds: sort keys and order of all rows, and two copies of
    /// the signatures of a chunk and of the window before it. `width` is the number of words of a signature.
    #[must_use]
    pub fn memory_of_worker(rows: usize, width: usize, windows: &Windows) -> usize {
        let chunk = windows.chunk.saturating_add(windows.window).min(rows);
        rows.saturating_mul(32).saturating_add(
            chunk
                .saturating_add(LANES)
                .saturating_mul(2 * width * size_of::<u64>()),
        )
    }

    /// The next pairs; `None` when there are no more. A batch may be empty before the end.
    pub fn next_batch(&mut self, input: &PairInput<'_>) -> Option<PairBatch> {
        let bits = signatures(input)?;
        let chunks = chunks(self.rows.len(), &self.windows);
        if self.units.is_empty() || chunks == 0 {
            return None;
        }
        let (table, chunk) = (self.units.start / chunks, self.units.start % chunks);
        let start = chunk * self.windows.chunk;
        let end = (start + self.windows.chunk).min(self.rows.len());
        if self.table != Some(table) {
            self.order = sorted(&self.rows, &bits, &self.windows, table);
            self.table = Some(table);
        }
        if self.at == 0 {
            self.at = start;
            self.first = start.saturating_sub(self.windows.window);
            self.words.clear();
            let rows = &self.order[self.first..end];
            for &row in rows {
                self.words.extend_from_slice(bits.row(row as usize));
            }
            self.tiles = transposed(rows, bits.width, |row| {
                bits.row(row as usize).iter().copied()
            });
        }
        let mut batch = PairBatch::default();
        let rows = (self.spec.blocks.comparisons / self.windows.window.max(1)).max(1);
        let until = (self.at + rows).min(end);
        let range = self.at - self.first..until - self.first;
        self.compare(input, bits.width, range, &mut batch);
        self.stats.pairs += batch.len() as u64;
        self.at = until;
        if until == end {
            self.units.start += 1;
            self.at = 0;
        }
        Some(batch)
    }

    /// Compares the rows of a range of the chunk with those before them.
    fn compare(
        &mut self,
        input: &PairInput<'_>,
        width: usize,
        range: Range<usize>,
        batch: &mut PairBatch,
    ) {
        let max_distance = match self.spec.verify {
            Verify::Hamming(max_distance) | Verify::Cosine(max_distance) => max_distance,
            _ => return,
        };
        let window = self.windows.window;
        let first = words_until_far(width, max_distance);
        self.hits.clear();
        let tiles = range.start.saturating_sub(window) / LANES..range.end.div_ceil(LANES);
        for tile in tiles {
            // The rows whose windows contain a row of the tile.
            let right = tile * LANES;
            let rows = range.start.max(right + 1)..range.end.min(right + LANES + window);
            if rows.is_empty() {
                continue;
            }
            let comparison = Comparison {
                lanes: &self.tiles[right * width..(right + LANES) * width],
                rows: &self.words[rows.start * width..rows.end * width],
                width,
                first,
                left: rows.start,
                right,
                max_distance,
            };
            comparison.run(&mut self.hits);
        }
        self.stats.candidates += range.map(|at| at.min(window) as u64).sum::<u64>();
        let order = &self.order[self.first..];
        for hit in &self.hits {
            let (at, before) = (hit.left as usize, hit.right as usize);
            if before >= at || at - before > window {
                continue;
            }
            let (row, other) = (order[at], order[before]);
            let side = input.side_of(row as usize);
            if input.side.is_some() && input.side_of(other as usize) == side
                || !input.may_pair(row, other)
            {
                continue;
            }
            self.stats.verified += 1;
            let (a, b) = match input.side {
                Some(_) if side == 1 => (other, row),
                Some(_) => (row, other),
                None => (row.min(other), row.max(other)),
            };
            let value = compare::of_distance(
                self.spec.threshold,
                &input.items,
                a as usize,
                b as usize,
                hit.distance,
            );
            if let Some(value) = value {
                batch.push(a, b, value);
            }
        }
    }
}

fn signatures<'a>(input: &PairInput<'a>) -> Option<Bits<'a>> {
    match input.items {
        Items::Bits(bits) => Some(bits),
        Items::Vectors { bits, .. } => bits,
        _ => None,
    }
}

fn chunks(rows: usize, windows: &Windows) -> usize {
    rows.div_ceil(windows.chunk.max(1))
}

/// The `number`th (from 0) of `count` nearly equal subranges.
fn subrange(range: &Range<usize>, number: usize, count: usize) -> Range<usize> {
    let at = |number: usize| {
        range.start + (range.len() as u128 * number as u128 / count.max(1) as u128) as usize
    };
    at(number)..at(number + 1)
}

/// Rows in the order of the permuted signatures of a table; rows with equal signatures in ascending order.
fn sorted(rows: &[u32], bits: &Bits<'_>, windows: &Windows, table: usize) -> Vec<u32> {
    let permutation = bit_permutation(windows.bits, windows.seed, table as u64);
    let words: Vec<&[u32]> = permutation.chunks(64).collect();
    let mut keyed: Vec<(u64, u32)> = rows.iter().map(|&row| (0, row)).collect();
    // Runs of rows that are equal in all words before the given one.
    let mut open = vec![(0..keyed.len(), 0)];
    while let Some((range, word)) = open.pop() {
        let Some(positions) = words.get(word) else {
            continue;
        };
        let run = &mut keyed[range.clone()];
        for (key, row) in run.iter_mut() {
            *key = permuted(bits.row(*row as usize), positions);
        }
        run.sort_unstable();
        let mut start = 0;
        for end in 1..=run.len() {
            if end == run.len() || run[end].0 != run[start].0 {
                if end - start > 1 {
                    open.push((range.start + start..range.start + end, word + 1));
                }
                start = end;
            }
        }
    }
    keyed.into_iter().map(|(_, row)| row).collect()
}

/// The bits at these positions; the first one becomes the highest bit.
#[inline]
fn permuted(signature: &[u64], positions: &[u32]) -> u64 {
    positions.iter().fold(0, |key, &bit| {
        let word = signature.get(bit as usize / 64).copied().unwrap_or(0);
        key << 1 | (word >> (bit % 64) & 1)
    })
}
