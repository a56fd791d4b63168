//! Oversized buckets: their rows are verified against a few of them, the *pivots*.
//!
//! Rows come in ascending order. A row is compared with the pivots that the bucket has so far. If it is
//! similar to fewer than [`MIN_COVERING_PIVOTS`] of them and the bucket has room for another pivot, it becomes
//! one itself. The result for a bucket depends only on its rows, so it is the same for any division of the
//! keys.
//!
//! Connected components need only one pivot among rows that are similar to it. But if one representative is
//! kept for all rows similar to it, a pivot may be removed in favour of a row outside of the bucket; rows
//! without another similar pivot would then all be kept. Therefore a row is linked to several pivots. The
//! second half of the pivots is reserved for rows that are similar to no pivot.

use super::index::{KeyIndex, Slot};
use super::spec::{MAX_PIVOTS, MIN_COVERING_PIVOTS};

/// The pivots of all oversized buckets of a join.
#[derive(Debug)]
pub(super) struct Pivots {
    /// For each bucket and side: the pivots so far, and the position of the key among the keys of each.
    lists: Vec<Vec<(u32, u32)>>,
    sides: usize,
    /// For each row: the last row that it was a candidate of as a pivot.
    seen_by: Vec<u32>,
    /// For each row: the last row that it was found similar to as a pivot.
    similar_to: Vec<u32>,
    /// The keys of row `others_of` whose buckets are not oversized, ascending.
    others: Vec<u32>,
    others_of: Option<u32>,
}

impl Pivots {
    /// Empty lists of pivots for an index of `rows` rows; `None` if no bucket is oversized.
    pub(super) fn of(index: &KeyIndex, rows: usize) -> Option<Self> {
        (index.oversized() > 0).then(|| Self {
            lists: vec![Vec::new(); index.oversized() * index.sides()],
            sides: index.sides(),
            seen_by: vec![u32::MAX; rows],
            similar_to: vec![u32::MAX; rows],
            others: Vec::new(),
            others_of: None,
        })
    }

    /// The pivots that a row of a side is compared with: those of the other side, if there are two.
    pub(super) fn compared(&self, bucket: usize, side: usize) -> &[(u32, u32)] {
        let other = if self.sides == 2 { 1 - side } else { 0 };
        &self.lists[bucket * self.sides + other]
    }

    /// Marks the pivot `other` as a candidate of `row`, and returns the result of their comparison in an
    /// earlier bucket.
    #[inline]
    pub(super) fn mark_seen(&mut self, row: u32, other: u32) -> EarlierComparison {
        let seen_by = &mut self.seen_by[other as usize];
        if *seen_by != row {
            *seen_by = row;
            EarlierComparison::First
        } else if self.similar_to[other as usize] == row {
            EarlierComparison::Similar
        } else {
            EarlierComparison::Different
        }
    }

    /// Marks that `row` is similar to the pivot `other`.
    pub(super) fn mark_similar(&mut self, row: u32, other: u32) {
        self.similar_to[other as usize] = row;
    }

    /// Makes a row that is similar to `links` pivots of a bucket a pivot itself, if these are too few and
    /// there is room for another pivot. Returns whether the row is linked: similar to a pivot, or a pivot.
    pub(super) fn add_if_needed(
        &mut self,
        (bucket, side): (usize, usize),
        (row, position): (u32, u32),
        links: usize,
    ) -> bool {
        let list = &mut self.lists[bucket * self.sides + side];
        let max_pivots = if links == 0 {
            MAX_PIVOTS
        } else {
            MAX_PIVOTS / 2
        };
        let is_pivot = links < MIN_COVERING_PIVOTS && list.len() < max_pivots;
        if is_pivot {
            list.push((row, position));
        }
        is_pivot || links > 0
    }

    /// Whether two rows share a bucket that is not oversized, where they are compared as well.
    pub(super) fn share_another(
        &mut self,
        index: &KeyIndex,
        (row, keys): (u32, std::ops::Range<usize>),
        other: std::ops::Range<usize>,
    ) -> bool {
        let is_other = |slot: &Slot| !slot.is_oversized();
        if self.others_of != Some(row) {
            self.others_of = Some(row);
            self.others.clear();
            let slots = keys.filter_map(|at| index.slot(at)).filter(is_other);
            self.others.extend(slots.map(Slot::number));
            self.others.sort_unstable();
        }
        let mut slots = other.filter_map(|at| index.slot(at)).filter(is_other);
        slots.any(|slot| self.others.binary_search(&slot.number()).is_ok())
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let lists: usize = self.lists.iter().map(Vec::capacity).sum();
        lists * size_of::<(u32, u32)>()
            + self.lists.capacity() * size_of::<Vec<(u32, u32)>>()
            + (self.seen_by.capacity() + self.similar_to.capacity()) * size_of::<u32>()
    }
}

/// The result of comparing a row with a pivot in an earlier bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EarlierComparison {
    /// They have not been compared before.
    First,
    Similar,
    Different,
}
