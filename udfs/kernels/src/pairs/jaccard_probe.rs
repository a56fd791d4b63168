//! A set that is compared with many others: the filters by length, position and sketch, and the similarity.

use super::probe_set::ProbeSet;
use crate::{bounds, overlap_at_least};

/// The row that is compared with others. Others are given by the lengths of their sets, and by their sets.
#[derive(Debug)]
pub(super) struct JaccardProbe {
    threshold: f64,
    /// The length of the set of the row.
    length: usize,
    /// The smallest and the largest length that can qualify with it.
    partners: (usize, usize),
    /// The number of sets that the row was compared with.
    compared: usize,
    /// The set of the row as a hash table, filled at the second comparison.
    table: ProbeSet,
    /// Whether the set of the row fits into `table`.
    has_table: bool,
}

impl JaccardProbe {
    pub(super) fn new(threshold: f64) -> Self {
        Self {
            threshold,
            length: 0,
            partners: (0, 0),
            compared: 0,
            table: ProbeSet::default(),
            has_table: false,
        }
    }

    /// Makes a row with a set of this length the one that is compared.
    pub(super) fn begin(&mut self, length: usize) {
        self.compared = 0;
        self.length = length;
        self.partners = bounds::partner_sizes(length, self.threshold);
    }

    /// The length filter: the number of common tokens that the row and another need to reach the threshold, or `None`
    /// if their lengths rule it out.
    #[inline]
    pub(super) fn needed(&self, other: usize) -> Option<u32> {
        let needed = || bounds::min_overlap(self.length, other, self.threshold);
        (self.partners.0 <= other && other <= self.partners.1)
            .then(|| u32::try_from(needed()).unwrap_or(u32::MAX))
    }

    /// The positional filter: whether the row and one with a set of length `other` can have `needed` common tokens,
    /// given that they share the token at these positions, first that of the row. If `first`, they share no token
    /// before it.
    #[inline]
    pub(super) fn position_qualifies(
        &self,
        other: usize,
        positions: (u32, u32),
        first: bool,
        needed: u32,
    ) -> bool {
        let after = |length: usize, position: u32| length.saturating_sub(position as usize + 1);
        let before = match first {
            true => 0,
            false => positions.0.min(positions.1) as usize,
        };
        let max_overlap =
            before + 1 + after(self.length, positions.0).min(after(other, positions.1));
        max_overlap >= needed as usize
    }

    /// Whether the row and one with a set of length `other`, whose sketches differ in this number of bits, can have
    /// `needed` common tokens.
    #[inline]
    pub(super) fn sketch_qualifies(&self, other: usize, different: usize, needed: u32) -> bool {
        different + 2 * needed as usize <= self.length + other
    }

    /// The similarity of `set`, which is that of the row, to another, if they have at least `needed` common tokens.
    pub(super) fn similarity(&mut self, set: &[u64], other: &[u64], needed: u32) -> Option<f64> {
        let overlap = self.overlap(set, other, needed)?;
        Some(bounds::jaccard(overlap, set.len() + other.len()))
    }

    /// The number of common tokens of `set`, which is that of the row, and another, if they are at least `needed`;
    /// `None` for empty sets.
    pub(super) fn overlap(&mut self, set: &[u64], other: &[u64], needed: u32) -> Option<usize> {
        if set == other {
            return (!set.is_empty()).then_some(set.len());
        }
        self.compared += 1;
        if self.compared == 2 {
            self.has_table = self.table.fill(set);
        }
        if self.compared >= 2 && self.has_table {
            self.table.overlap_at_least(other, needed as usize)
        } else {
            overlap_at_least(set, other, needed as usize)
        }
    }
}
