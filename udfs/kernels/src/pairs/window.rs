//! Sorted windows: rows whose signatures are near in the order of permuted bits.
//!
//! Each table has a permutation of the bits. Rows are sorted by their permuted signatures, then by row,
//! and each is compared with the `window` rows before it (Ravichandran, Pantel, Hovy, ACL 2005; Ture,
//! Elsayed, Lin, SIGIR 2011). A table is cut into chunks of rows, each compared with the rows before it
//! also where those belong to the chunk before, so that the answer does not depend on chunks.
//!
//! A pair is reported once for each table in which it is found.

use std::ops::Range;
use std::sync::Arc;

use super::compare;
use super::input::{Bits, PairInput, Payload};
use super::join::PairBatch;
use super::spec::{PairError, Spec, Verify};
use super::stats::Stats;
use super::strips::{Comparison, Hit, LANES, transposed, words_until_far};
use crate::bit_keys::bit_permutation;

/// Comparisons of a batch: a few milliseconds.
const WORK: usize = if cfg!(test) { 50 } else { 1 << 20 };

/// Parameters of the windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// Bits of a signature that count; the others are not permuted.
    pub bits: usize,
    /// Tables, each with a permutation of its own.
    pub tables: usize,
    /// Rows before a row that it is compared with.
    pub window: usize,
    /// Rows of a chunk; at least 1.
    pub chunk: usize,
    /// Seed of the permutations.
    pub seed: u64,
}

/// Sorted windows in progress. It holds what it derives from the rows, not the rows: every call gets the
/// same [`PairInput`].
#[derive(Debug)]
pub struct WindowPairs {
    spec: Spec,
    windows: Windows,
    /// Rows that take part.
    rows: Arc<Vec<u32>>,
    /// The chunks to compare: chunk c of table t has number t · chunks + c.
    units: Range<usize>,
    /// The table that is sorted, and its rows in order.
    table: Option<usize>,
    order: Vec<u32>,
    /// The signatures of a chunk in order, from row `first` on, one after the other and in strips.
    first: usize,
    words: Vec<u64>,
    strips: Vec<u64>,
    hits: Vec<Hit>,
    /// The next row of the chunk.
    at: usize,
    stats: Stats,
}

impl WindowPairs {
    /// The chunks of all tables that belong to the part of `spec`: `spec.parts` parts have about as many
    /// each. Every part has all rows. Keys are not read, but their number is that of the rows.
    ///
    /// # Errors
    /// If parameters are out of range or columns do not fit together.
    pub fn new(input: &PairInput<'_>, spec: Spec, windows: Windows) -> Result<Self, PairError> {
        spec.check(input)?;
        let Some(bits) = signatures(input) else {
            return Err(PairError::Payload("a sorted window", "bit signatures"));
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
            units: share_of(&(0..units), spec.part as usize, spec.parts as usize),
            table: None,
            order: Vec::new(),
            first: 0,
            words: Vec::new(),
            strips: Vec::new(),
            hits: Vec::new(),
            at: 0,
            stats,
        })
    }

    /// Divides the chunks among joins that can run at the same time.
    #[must_use]
    pub fn share(self, sharers: usize) -> Vec<Self> {
        let sharers = sharers.clamp(1, self.units.len().max(1));
        let units = self.units.clone();
        let mut all: Vec<Self> = (1..sharers)
            .map(|sharer| Self {
                spec: self.spec,
                windows: self.windows,
                rows: Arc::clone(&self.rows),
                units: share_of(&units, sharer, sharers),
                table: None,
                order: Vec::new(),
                first: 0,
                words: Vec::new(),
                strips: Vec::new(),
                hits: Vec::new(),
                at: 0,
                stats: Stats::default(),
            })
            .collect();
        all.push(Self {
            units: share_of(&units, 0, sharers),
            ..self
        });
        all
    }

    /// What was done so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// An upper bound of the bytes that each sharer holds: sort keys and order of all rows, and the
    /// signatures of a chunk and of the window before it, twice.
    #[must_use]
    pub fn memory_of_sharer(rows: usize, width: usize, windows: &Windows) -> usize {
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
            self.strips = transposed(rows, bits.width, |row| {
                bits.row(row as usize).iter().copied()
            });
        }
        let mut batch = PairBatch::default();
        let rows = (WORK / self.windows.window.max(1)).max(1);
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
        let most = match self.spec.verify {
            Verify::Hamming(most) | Verify::Cosine(most) => most,
            _ => return,
        };
        let window = self.windows.window;
        let first = words_until_far(width, most);
        self.hits.clear();
        let strips = range.start.saturating_sub(window) / LANES..range.end.div_ceil(LANES);
        for strip in strips {
            // The rows that have some of the strip in their windows.
            let right = strip * LANES;
            let rows = range.start.max(right + 1)..range.end.min(right + LANES + window);
            if rows.is_empty() {
                continue;
            }
            let comparison = Comparison {
                lanes: &self.strips[right * width..(right + LANES) * width],
                rows: &self.words[rows.start * width..rows.end * width],
                width,
                first,
                left: rows.start,
                right,
                most,
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
                &input.payload,
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
    match input.payload {
        Payload::Bits(bits) => Some(bits),
        Payload::Vectors { bits, .. } => bits,
        _ => None,
    }
}

fn chunks(rows: usize, windows: &Windows) -> usize {
    rows.div_ceil(windows.chunk.max(1))
}

/// The `number`th of `count` nearly equal stretches.
fn share_of(range: &Range<usize>, number: usize, count: usize) -> Range<usize> {
    let at = |number: usize| {
        range.start + (range.len() as u128 * number as u128 / count.max(1) as u128) as usize
    };
    at(number)..at(number + 1)
}

/// Rows in the order of the permuted signatures of a table, equal ones in ascending order.
fn sorted(rows: &[u32], bits: &Bits<'_>, windows: &Windows, table: usize) -> Vec<u32> {
    let permutation = bit_permutation(windows.bits, windows.seed, table as u64);
    let words: Vec<&[u32]> = permutation.chunks(64).collect();
    let mut keyed: Vec<(u64, u32)> = rows.iter().map(|&row| (0, row)).collect();
    // Stretches that are equal in all words before this one.
    let mut open = vec![(0..keyed.len(), 0)];
    while let Some((range, word)) = open.pop() {
        let Some(positions) = words.get(word) else {
            continue;
        };
        let stretch = &mut keyed[range.clone()];
        for (key, row) in stretch.iter_mut() {
            *key = permuted(bits.row(*row as usize), positions);
        }
        stretch.sort_unstable();
        let mut start = 0;
        for end in 1..=stretch.len() {
            if end == stretch.len() || stretch[end].0 != stretch[start].0 {
                if end - start > 1 {
                    open.push((range.start + start..range.start + end, word + 1));
                }
                start = end;
            }
        }
    }
    keyed.into_iter().map(|(_, row)| row).collect()
}

/// The bits at these positions, the first one highest.
#[inline]
fn permuted(signature: &[u64], positions: &[u32]) -> u64 {
    positions.iter().fold(0, |key, &bit| {
        let word = signature.get(bit as usize / 64).copied().unwrap_or(0);
        key << 1 | (word >> (bit % 64) & 1)
    })
}
