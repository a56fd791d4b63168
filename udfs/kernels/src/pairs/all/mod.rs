//! All pairs of rows: compares every signature, or every vector, with every other.
//!
//! ```text
//! rows: lists, blocks, units of work ─┬─> blocks: pairs of blocks ───────┬─> sweep: signatures, dense vectors
//!                                     └─> linked: rows and predecessors ─┴─> postings: sparse vectors
//!                                           └─> links: the spanning forest
//! ```
//!
//! Rows are divided into blocks. Workers take units of work, a pair of blocks or in linked mode a block of probe rows,
//! from a common counter.

mod blocks;
mod linked;
mod links;
mod postings;
mod rows;
mod sweep;

use std::sync::Arc;

use super::compare;
use super::input::{Items, PairInput};
use super::join::PairBatch;
use super::spec::{MAX_PREDECESSORS, PairError, Spec, Verify};
use super::stats::Stats;
use linked::Linked;
use links::Links;
use postings::Sums;
use rows::{Prepared, Rows};
use sweep::Sweep;

/// A comparison of all pairs in progress. It holds data derived from the rows but not the rows themselves:
/// every call is given the same [`PairInput`].
#[derive(Debug)]
pub struct AllPairs {
    spec: Spec,
    rows: Arc<Rows>,
    sweep: Sweep,
    sums: Sums,
    linked: Linked,
    stats: Stats,
}

impl AllPairs {
    /// Transposes the rows. With two sides (`input.side`), rows of side 0 are compared with rows of side
    /// 1; in a `self_join` both sides are rows of one relation, so that pairs give the smaller row first.
    /// `input.keys` only determines the number of rows; its keys are not read.
    ///
    /// # Errors
    /// If a parameter is out of range, the items are neither signatures nor vectors, or columns differ in
    /// length.
    pub fn new(input: &PairInput<'_>, spec: Spec, self_join: bool) -> Result<Self, PairError> {
        spec.check(input)?;
        if !matches!(spec.verify, Verify::Hamming(_) | Verify::Cosine(_)) {
            return Err(PairError::Items(
                "a comparison of all rows",
                "signatures or vectors",
            ));
        }
        let count = input.keys.rows();
        let is_linked = (input.side.is_none() || self_join) && input.group.is_none();
        let limit = spec.max_bucket_pairwise.filter(|_| is_linked);
        let max_predecessors = limit.map(|limit| limit.min(MAX_PREDECESSORS));
        let rows = Rows::new(input, &spec, self_join, max_predecessors);
        Ok(Self {
            spec,
            rows: Arc::new(rows),
            sweep: Sweep::default(),
            sums: Sums::default(),
            linked: Linked::new(max_predecessors.map_or(0, |_| count as u32)),
            stats: Stats {
                rows: count as u64,
                ..Stats::default()
            },
        })
    }

    /// Divides the work among at most `workers` joins, which can run at the same time. Together they report
    /// the pairs that this one would report, and their statistics add up; in linked mode they may report more
    /// pairs of rows that pairs of other workers connect.
    #[must_use]
    pub fn into_workers(self, workers: usize) -> Vec<Self> {
        let workers = workers.clamp(1, self.rows.units.max(1));
        let others: Vec<Self> = (1..workers)
            .map(|_| Self {
                spec: self.spec,
                rows: Arc::clone(&self.rows),
                sweep: Sweep::default(),
                sums: Sums::default(),
                linked: self.linked.for_worker(),
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
        self.rows.memory()
    }

    /// An upper bound of the bytes that each worker holds in linked mode, beyond [`Self::memory`].
    #[must_use]
    pub const fn memory_of_linked_worker(rows: usize) -> usize {
        Links::memory_for(rows)
    }

    /// The next pairs; `None` when there are no more. A batch may be empty before the end. With the default
    /// [`Blocks`](super::Blocks) it holds at most 262,144 pairs of signatures or dense vectors, and at most those of a
    /// block of sparse vectors with all rows. `input` is that of [`Self::new`].
    pub fn next_batch(&mut self, input: &PairInput<'_>) -> Option<PairBatch> {
        let rows = Arc::clone(&self.rows);
        let mut batch = PairBatch::default();
        match rows.max_predecessors {
            Some(max_predecessors) => {
                self.next_predecessors(input, &rows, max_predecessors, &mut batch)?;
            }
            None => {
                let unit = rows.next_unit()?;
                match &rows.prepared {
                    Prepared::Sparse(postings) => {
                        self.sparse_block(input, (&rows, postings), unit, &mut batch);
                    }
                    _ => self.pair_of_blocks(input, &rows, unit, &mut batch),
                }
            }
        }
        self.stats.pairs += batch.len() as u64;
        Some(batch)
    }
}

/// The value that a pair is reported with, if it qualifies. `distance` is that of the signatures, which is
/// not read for vectors without signatures.
fn verified(spec: &Spec, input: &PairInput<'_>, (a, b): (u32, u32), distance: u32) -> Option<f64> {
    let (a, b) = (a as usize, b as usize);
    match input.items {
        Items::Vectors { bits: None, .. } => {
            compare::compared(u32::MAX, spec.threshold, &input.items, a, b)
        }
        _ => compare::of_distance(spec.threshold, &input.items, a, b, distance),
    }
}
