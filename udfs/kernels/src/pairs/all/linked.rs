//! Linked mode: each row is paired with its first similar predecessors, up to a maximum, and with further ones so that
//! the connected components are those of all similar pairs.
//!
//! One worker compares a block of probe rows with all blocks of predecessors, in ascending order. On two sides it
//! compares rows on the left with those on the right, then rows on the right with those on the left.

use std::ops::Range;

use super::super::input::PairInput;
use super::super::join::PairBatch;
use super::links::{Link, Links};
use super::postings::Postings;
use super::rows::{Prepared, Rows};
use super::{AllPairs, verified};

/// The maximal number of pairs of the spanning forest in a batch.
const MAX_BATCH: usize = 262_144;

/// The progress of a worker in linked mode.
#[derive(Debug)]
pub(super) struct Linked {
    /// The current block of probe rows.
    probes: Option<Probes>,
    /// The spanning forest of the pairs found so far.
    links: Links,
    /// Pairs of the spanning forest that are still to be reported.
    pending: Vec<Link>,
}

impl Linked {
    pub(super) fn new(rows: u32) -> Self {
        Self {
            probes: None,
            links: Links::new(rows),
            pending: Vec::new(),
        }
    }

    /// The progress of a further worker, where this one has not begun.
    pub(super) fn for_worker(&self) -> Self {
        Self {
            probes: None,
            links: self.links.clone(),
            pending: Vec::new(),
        }
    }
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

impl Probes {
    fn new(rows: &Rows, unit: usize, swapped: bool) -> Self {
        let positions = rows.probes(unit, swapped);
        Self {
            unit,
            swapped,
            found: vec![0; positions.len()],
            positions,
            next: 0,
        }
    }
}

impl AllPairs {
    /// Adds the next pairs to the batch; `None` when there are no more.
    pub(super) fn next_predecessors(
        &mut self,
        input: &PairInput<'_>,
        rows: &Rows,
        max_predecessors: usize,
        batch: &mut PairBatch,
    ) -> Option<()> {
        let pending = &mut self.linked.pending;
        if !pending.is_empty() {
            let rest = pending.len().saturating_sub(MAX_BATCH);
            for link in pending.drain(rest..) {
                rows.push(batch, link.row, link.predecessor, link.similarity);
            }
            if rest == 0 {
                *pending = Vec::new();
            }
            return Some(());
        }
        let mut probes = match self.linked.probes.take() {
            Some(probes) => probes,
            None => Probes::new(rows, rows.next_unit()?, false),
        };
        let (list, others, prepared) = rows.sides(probes.swapped);
        let is_finished = if let Prepared::Sparse(postings) = prepared {
            self.sparse_predecessors(input, (rows, postings), &probes, max_predecessors, batch);
            true
        } else {
            let rights = rows.block(probes.next, others);
            let is_before = |row: u32| others.get(rights.start).is_some_and(|&first| first < row);
            let last = list[probes.positions.clone()].last().copied();
            let has_predecessors = last.is_some_and(is_before);
            if has_predecessors {
                probes.next += 1;
                self.dense_predecessors(input, rows, &mut probes, &rights, max_predecessors, batch);
            }
            !has_predecessors
        };
        if !is_finished {
            self.linked.probes = Some(probes);
        } else if rows.right.is_some() && !probes.swapped {
            self.linked.probes = Some(Probes::new(rows, probes.unit, true));
        } else {
            self.linked.pending = self.linked.links.finish_block();
        }
        Some(())
    }

    /// Compares probe rows with a block of predecessors, which are signatures or dense vectors.
    fn dense_predecessors(
        &mut self,
        input: &PairInput<'_>,
        rows: &Rows,
        probes: &mut Probes,
        rights: &Range<usize>,
        max_predecessors: usize,
        batch: &mut PairBatch,
    ) {
        let (list, others, prepared) = rows.sides(probes.swapped);
        let before = |row: &u32| others[rights.clone()].partition_point(|other| other < row) as u64;
        let compared: u64 = list[probes.positions.clone()].iter().map(before).sum();
        self.stats.candidates += compared;
        let lefts = probes.positions.clone();
        let hits = self
            .sweep
            .run(&self.spec, input, (list, prepared), lefts, rights);
        hits.sort_unstable_by_key(|hit| (hit.left, hit.right));
        for hit in hits {
            if hit.right as usize >= rights.end {
                continue;
            }
            let (row, other) = (list[hit.left as usize], others[hit.right as usize]);
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
                    rows.push(batch, row, other, value);
                }
                self.linked.links.add(Link {
                    row,
                    predecessor: other,
                    similarity: value,
                    is_first,
                });
                self.stats.pairs_not_reported += u64::from(*found > max_predecessors);
                self.stats.rows_with_many_neighbours += u64::from(*found == max_predecessors + 1);
            }
        }
    }

    /// Compares probe rows with all predecessors, which are sparse vectors.
    fn sparse_predecessors(
        &mut self,
        input: &PairInput<'_>,
        (rows, postings): (&Rows, &Postings),
        probes: &Probes,
        max_predecessors: usize,
        batch: &mut PairBatch,
    ) {
        let (list, others, _) = rows.sides(probes.swapped);
        for position in probes.positions.clone() {
            let row = list[position];
            let end = others.partition_point(|&other| other < row);
            self.stats.candidates += end as u64;
            let threshold = self.spec.threshold;
            let mut found = self
                .sums
                .similar(input, postings, threshold, row, (others, end));
            found.sort_unstable_by_key(|&(other, _)| other);
            self.stats.verified += found.len() as u64;
            for (before, &(other, cosine)) in found.iter().enumerate() {
                let is_first = before < max_predecessors;
                if is_first {
                    rows.push(batch, row, other, cosine);
                }
                self.linked.links.add(Link {
                    row,
                    predecessor: other,
                    similarity: cosine,
                    is_first,
                });
            }
            self.stats.similar += found.len() as u64;
            let beyond = found.len().saturating_sub(max_predecessors) as u64;
            self.stats.pairs_not_reported += beyond;
            self.stats.rows_with_many_neighbours += u64::from(beyond > 0);
        }
    }
}
