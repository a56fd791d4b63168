//! Oversized buckets: their rows are verified against a few of them, the *pivots*.
//!
//! Rows come in ascending order. A row is compared with the pivots that the bucket has so far; if it
//! resembles fewer than [`COVER`] of them, it becomes a pivot itself while there is a seat. What happens in a
//! bucket depends on its own rows only, so that the answer is the same for any division of the keys.
//!
//! One pivot that resembles all others would do for their components. But where one row is kept for all that
//! resemble it, a pivot may be removed for a row outside of the bucket, and rows that resemble no other
//! pivot would all be kept: hence several. The seats of the second half are for rows that resemble none.

use super::index::{KeyIndex, Slot};
use super::spec::{COVER, LEADERS};

/// The pivots of all oversized buckets of a join.
#[derive(Debug)]
pub(super) struct Pivots {
    /// For each bucket and side the pivots so far, and the positions of the key among theirs.
    lists: Vec<Vec<(u32, u32)>>,
    sides: usize,
    /// The row that met each row last, and the row that each was found similar to last.
    met: Vec<u32>,
    similar: Vec<u32>,
    /// Keys of the current row whose buckets are not oversized.
    others: Vec<u32>,
    /// Whose these are.
    others_of: Option<u32>,
}

impl Pivots {
    /// The pivots of an index of so many rows; `None` where no bucket is oversized.
    pub(super) fn of(index: &KeyIndex, rows: usize) -> Option<Self> {
        (index.oversized() > 0).then(|| Self {
            lists: vec![Vec::new(); index.oversized() * index.sides()],
            sides: index.sides(),
            met: vec![u32::MAX; rows],
            similar: vec![u32::MAX; rows],
            others: Vec::new(),
            others_of: None,
        })
    }

    /// The pivots that a row of a side is compared with.
    pub(super) fn compared(&self, bucket: usize, side: usize) -> &[(u32, u32)] {
        let other = if self.sides == 2 { 1 - side } else { 0 };
        &self.lists[bucket * self.sides + other]
    }

    /// Marks that a row meets another; what is known of the two if they have met before.
    #[inline]
    pub(super) fn meet(&mut self, row: u32, other: u32) -> Met {
        let met = &mut self.met[other as usize];
        if *met != row {
            *met = row;
            Met::First
        } else if self.similar[other as usize] == row {
            Met::Similar
        } else {
            Met::Different
        }
    }

    /// Marks that a row is similar to another.
    pub(super) fn resembles(&mut self, row: u32, other: u32) {
        self.similar[other as usize] = row;
    }

    /// Lets a row that resembles `links` pivots of a bucket be one, if it is wanted and there is a seat; false if
    /// it resembles none and there is no seat.
    pub(super) fn settle(
        &mut self,
        (bucket, side): (usize, usize),
        (row, position): (u32, u32),
        links: usize,
    ) -> bool {
        let list = &mut self.lists[bucket * self.sides + side];
        let seats = if links == 0 { LEADERS } else { LEADERS / 2 };
        let is_seated = links < COVER && list.len() < seats;
        if is_seated {
            list.push((row, position));
        }
        is_seated || links > 0
    }

    /// Whether two rows share a bucket that is not oversized: they are compared there.
    pub(super) fn share_another(
        &mut self,
        index: &KeyIndex,
        (row, keys): (u32, std::ops::Range<usize>),
        other: std::ops::Range<usize>,
    ) -> bool {
        let is_other = |slot: &Slot| !slot.is_giant();
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
            + (self.met.capacity() + self.similar.capacity()) * size_of::<u32>()
    }
}

/// What is known of a row and a pivot that it meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    First,
    Similar,
    Different,
}
