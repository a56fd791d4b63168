//! Oversized buckets: their rows are verified against pivots, as `pivots` describes.
//!
//! Rows come one after the other, in ascending order of their ids; only pivots are held.

use super::super::jaccard_probe::JaccardProbe;
use super::super::spec::{MAX_PIVOTS, MIN_COVERING_PIVOTS};
use super::super::stats::Stats;
use super::block::{BlockSpec, SimilarRow};
use super::oversized_keys::OversizedKeys;
use super::rows::{SetRow, SetRows};
use std::sync::Arc;

/// The result of the comparison of a pivot with the current row.
#[derive(Debug, Clone, Copy)]
struct Compared {
    /// The number of the row.
    with: u64,
    is_similar: bool,
}

/// The pivots of all oversized buckets.
#[derive(Debug)]
pub struct PivotJoin {
    spec: BlockSpec,
    oversized: Arc<OversizedKeys>,
    /// For each bucket and side: the numbers of its pivots.
    lists: Vec<Vec<u32>>,
    /// Rows that are pivots of at least one bucket.
    pivots: Vec<SetRows>,
    compared: Vec<Compared>,
    probe: JaccardProbe,
    /// The number of the current row.
    row: u64,
    /// The keys of this join that the current row has and that are not oversized, ascending.
    others: Vec<u64>,
    stats: Stats,
}

impl PivotJoin {
    /// A join without pivots yet.
    #[must_use]
    pub fn new(spec: BlockSpec, oversized: Arc<OversizedKeys>) -> Self {
        let sides = if spec.two_sides { 2 } else { 1 };
        Self {
            lists: vec![Vec::new(); oversized.len() * sides],
            pivots: Vec::new(),
            compared: Vec::new(),
            probe: JaccardProbe::new(spec.threshold),
            row: 0,
            others: Vec::new(),
            stats: oversized.stats,
            spec,
            oversized,
        }
    }

    /// The maximum number of pivots.
    #[must_use]
    pub fn max_pivots(spec: &BlockSpec, oversized: &OversizedKeys) -> usize {
        let sides = if spec.two_sides { 2 } else { 1 };
        let rows = usize::try_from(oversized.stats.rows_in_oversized_buckets).unwrap_or(usize::MAX);
        rows.min(oversized.len() * sides * MAX_PIVOTS)
    }

    /// The maximum number of bytes that the join holds with these numbers of pivots, of their keys and of their hashes.
    #[must_use]
    pub fn memory_for(
        spec: &BlockSpec,
        oversized: &OversizedKeys,
        pivots: usize,
        keys: usize,
        tokens: usize,
    ) -> usize {
        let sides = if spec.two_sides { 2 } else { 1 };
        let lists = oversized.len() * sides * size_of::<Vec<u32>>()
            + Self::max_pivots(spec, oversized) * 2 * size_of::<u32>();
        let each = size_of::<SetRows>() + size_of::<Compared>() + SetRows::memory_for(1, 0, 0);
        lists + 2 * pivots * each + SetRows::memory_for(pivots, keys, tokens)
    }

    /// Counts of the work done so far, and of the pairs that are not compared.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        let lists: usize = self.lists.iter().map(Vec::capacity).sum();
        let pivots: usize = self.pivots.iter().map(SetRows::memory).sum();
        size_of::<u32>() * lists
            + self.lists.capacity() * size_of::<Vec<u32>>()
            + pivots
            + self.pivots.capacity() * size_of::<SetRows>()
            + self.compared.capacity() * size_of::<Compared>()
    }

    /// Compares a row with the pivots of its buckets, and appends the pivots that it is similar to and shares no other
    /// bucket with. Returns whether the row became a pivot, which then has the next number.
    pub fn push(&mut self, row: SetRow<'_>, found: &mut Vec<SimilarRow>) -> bool {
        self.row += 1;
        self.probe.begin(row.set.len());
        self.others.clear();
        let others = row
            .keys
            .iter()
            .filter(|&&key| self.spec.owns(key) && !self.oversized.contains(key));
        self.others.extend(others);
        self.others.sort_unstable();
        let before = found.len();
        let mut is_pivot = false;
        for &key in row.keys {
            let Some(bucket) = self.oversized.number(key) else {
                continue;
            };
            let (own, other) = match self.spec.two_sides {
                true => (
                    2 * bucket + usize::from(row.side),
                    2 * bucket + usize::from(1 - row.side),
                ),
                false => (bucket, bucket),
            };
            let mut links = 0;
            for at in 0..self.lists[other].len() {
                let pivot = self.lists[other][at];
                self.stats.pairs_not_compared = self.stats.pairs_not_compared.saturating_sub(1);
                links += usize::from(self.is_similar(row, pivot, found));
            }
            let max_pivots = match links {
                0 => MAX_PIVOTS,
                _ => MAX_PIVOTS / 2,
            };
            if links < MIN_COVERING_PIVOTS && self.lists[own].len() < max_pivots {
                if !is_pivot {
                    self.add(row);
                    is_pivot = true;
                }
                self.lists[own].push(self.pivots.len() as u32 - 1);
            } else if links == 0 {
                self.stats.rows_without_pivot += 1;
            }
        }
        self.stats.pairs += (found.len() - before) as u64;
        is_pivot
    }

    fn add(&mut self, row: SetRow<'_>) {
        let mut rows = SetRows::with_capacity(1, row.keys.len(), row.set.len());
        rows.push(row.keys.iter().copied(), row.side, row.set);
        self.pivots.push(rows);
        self.compared.push(Compared {
            with: self.row,
            is_similar: false,
        });
    }

    /// Whether the row is similar to a pivot. The first time that they are compared, a similar pivot is reported, unless
    /// the rows share a bucket that is not oversized: there the pair is reported as well.
    fn is_similar(&mut self, row: SetRow<'_>, number: u32, found: &mut Vec<SimilarRow>) -> bool {
        let compared = &mut self.compared[number as usize];
        if compared.with == self.row {
            return compared.is_similar;
        }
        compared.with = self.row;
        self.stats.candidates += 1;
        let pivot = self.pivots[number as usize].row(0);
        let similarity = self.probe.needed(pivot.set.len()).and_then(|needed| {
            self.stats.verified += 1;
            self.probe.similarity(row.set, pivot.set, needed)
        });
        compared.is_similar = similarity.is_some();
        if let Some(similarity) = similarity
            && !(pivot.keys.iter()).any(|key| self.others.binary_search(key).is_ok())
        {
            found.push(SimilarRow {
                row: number,
                similarity,
            });
        }
        compared.is_similar
    }
}
