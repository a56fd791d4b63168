//! The overlap of one set with many others, by a hash table.
//!
//! A merge of two sorted sets takes one step after the other: each depends on the comparison before it. A row that is
//! verified against several others is cheaper as a hash table. Each token has one slot, given by its own bits (tokens
//! are hashes already), so that a lookup is one load without a branch and lookups are independent of each other. The
//! slots are in the order of the tokens: the lookups of a set in ascending order read the table from its beginning to
//! its end. A token whose slot is taken goes to a second table, which is only searched for the tokens that are not in
//! the first one, and one whose slot is taken there, too, to a list.

/// Tokens looked up between two checks of the bound.
const BLOCK: usize = 32;
/// Slots of the first table for each token.
const FIRST_SLOTS: usize = 4;
/// Minimum number of slots of the second table for each token.
const SECOND_SLOTS: usize = 2;
/// Minimum number of slots of a table.
const MIN_SLOTS: usize = 16;
/// One token for this number of tokens of the set may fit into neither table; with more, a set is not kept as a table.
/// Of hashes it is at most about one for 300.
const OVERFLOW_SHARE: usize = 32;
/// The number of tokens that may fit into neither table, however small the set is.
const MIN_OVERFLOW: usize = 4;

/// A hash table of the tokens of a set.
#[derive(Debug, Default)]
pub(super) struct ProbeSet {
    /// For each slot a token, or [`free`]. The slot of a token is in proportion to its value.
    first: Vec<u64>,
    /// The same for tokens whose slot in `first` is taken. The slot is given by the low bits.
    second: Vec<u64>,
    /// The number of tokens that are not in `first`.
    displaced: usize,
    /// Tokens whose slots in both tables are taken.
    overflow: Vec<u64>,
    /// Tokens of the other set that are not in `first`.
    missed: Vec<u64>,
}

#[inline]
fn first_slot(token: u64, slots: usize) -> usize {
    ((u128::from(token) * slots as u128) >> 64) as usize
}

/// The number of slots is a power of two.
#[inline]
fn second_slot(token: u64, slots: usize) -> usize {
    token as usize & (slots - 1)
}

/// The value of a slot without a token: in either table, no token with this value has this slot.
#[inline]
fn free(slot: usize) -> u64 {
    match slot {
        0 => u64::MAX,
        _ => 0,
    }
}

/// Makes a table of free slots, at least two.
fn clear(table: &mut Vec<u64>, slots: usize) {
    table.clear();
    table.resize(slots, 0);
    table[0] = free(0);
}

/// Puts a token into its slot; false if the slot is taken.
#[inline]
fn put(table: &mut [u64], slot: usize, token: u64) -> bool {
    let is_free = table[slot] == free(slot);
    if is_free {
        table[slot] = token;
    }
    is_free
}

impl ProbeSet {
    /// Makes `set` the set to look up; false if its tokens collide too often for a table, as those that are no hashes
    /// may do.
    pub(super) fn fill(&mut self, set: &[u64]) -> bool {
        let slots = (set.len() * FIRST_SLOTS).max(MIN_SLOTS);
        let second_slots = (set.len() * SECOND_SLOTS)
            .next_power_of_two()
            .max(MIN_SLOTS);
        clear(&mut self.first, slots);
        clear(&mut self.second, second_slots);
        self.displaced = 0;
        self.overflow.clear();
        let max_overflow = (set.len() / OVERFLOW_SHARE).max(MIN_OVERFLOW);
        for &token in set {
            if put(&mut self.first, first_slot(token, slots), token) {
                continue;
            }
            self.displaced += 1;
            if !put(&mut self.second, second_slot(token, second_slots), token) {
                if self.overflow.len() == max_overflow {
                    return false;
                }
                self.overflow.push(token);
            }
        }
        true
    }

    /// The number of tokens of `other`, which are distinct and ascending, that are in the set, if it is at least
    /// `needed`.
    #[inline]
    pub(super) fn overlap_at_least(&mut self, other: &[u64], needed: usize) -> Option<usize> {
        // The number of tokens that may be absent from the first table before too few are left.
        let may_miss = (other.len() + self.displaced).checked_sub(needed)?;
        let first = self.first.as_slice();
        if first.is_empty() {
            return None;
        }
        let slots = first.len();
        if self.missed.len() < other.len() {
            self.missed.resize(other.len(), 0);
        }
        let mut missed = 0;
        for block in other.chunks(BLOCK) {
            // Every token is written; the next one overwrites it unless it is absent from the first table.
            let room = self.missed.get_mut(missed..missed + block.len())?;
            let mut misses = 0;
            for &token in block {
                room[misses] = token;
                misses += usize::from(first[first_slot(token, slots)] != token);
            }
            missed += misses;
            if missed > may_miss {
                return None;
            }
        }
        let mut overlap = other.len() - missed;
        if self.displaced > 0 {
            let second = self.second.as_slice();
            let missed = &self.missed[..missed];
            let is_second = |token: &&u64| second[second_slot(**token, second.len())] == **token;
            overlap += missed.iter().filter(is_second).count();
            // Missed tokens are in the order of `other`.
            let is_missed = |token: &&u64| missed.binary_search(token).is_ok();
            overlap += self.overflow.iter().filter(is_missed).count();
        }
        (overlap >= needed).then_some(overlap)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::test_random::Random;

    #[test]
    fn counts_what_is_in_both() {
        let mut random = Random::new(4);
        let mut probe = ProbeSet::default();
        for size in 0..300u32 {
            let set: Vec<u64> = (0..size).map(|_| random.next()).collect();
            assert!(probe.fill(&set));
            let other: Vec<u64> = (0..200)
                .map(|_| match random.below(2) {
                    0 if size > 0 => set[random.below(size) as usize],
                    _ => random.next(),
                })
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect();
            let overlap = other.iter().filter(|token| set.contains(token)).count();
            for needed in 0..=overlap {
                assert_eq!(probe.overlap_at_least(&other, needed), Some(overlap));
            }
            assert_eq!(probe.overlap_at_least(&other, overlap + 1), None);
        }
    }

    /// Sets of hashes of every size are tables, and the numbers of common tokens are those of the sets.
    #[test]
    fn large_sets_of_hashes_are_tables() {
        let mut random = Random::new(5);
        let mut probe = ProbeSet::default();
        let sizes = [
            600, 1_000, 2_000, 4_000, 6_500, 7_500, 8_192, 9_000, 12_000, 15_000, 16_384, 60_000,
        ];
        for size in sizes {
            let set: BTreeSet<u64> = (0..size).map(|_| random.next()).collect();
            let sorted: Vec<u64> = set.iter().copied().collect();
            assert!(probe.fill(&sorted), "{size} tokens");
            assert_eq!(probe.overlap_at_least(&sorted, size), Some(size));
            // Tokens are in each of the three places.
            assert!(probe.displaced > 0 && (size < 4_000 || !probe.overflow.is_empty()));
            for percent in [0, 2, 50, 100] {
                let other: BTreeSet<u64> = set
                    .iter()
                    .map(|&token| match random.below(100) < percent {
                        true => random.next(),
                        false => token,
                    })
                    .collect();
                let overlap = set.intersection(&other).count();
                let other: Vec<u64> = other.into_iter().collect();
                for needed in [0, overlap] {
                    let found = probe.overlap_at_least(&other, needed);
                    assert_eq!(found, Some(overlap), "{size} tokens, {percent} % others");
                }
                assert_eq!(probe.overlap_at_least(&other, overlap + 1), None);
            }
        }
    }

    /// Tokens that have the value of a free slot.
    #[test]
    fn the_least_and_the_greatest_token() {
        let mut probe = ProbeSet::default();
        let ends = [0, 1, u64::MAX - 1, u64::MAX];
        for chosen in 0..16_u32 {
            let is_chosen = |at: &usize| chosen & (1 << at) != 0;
            let set: Vec<u64> = (0..4).filter(is_chosen).map(|at| ends[at]).collect();
            assert!(probe.fill(&set));
            assert_eq!(probe.overlap_at_least(&ends, 0), Some(set.len()));
            for token in ends {
                let found = probe.overlap_at_least(&[token], 1);
                assert_eq!(found.is_some(), set.contains(&token), "{token} in {set:?}");
            }
        }
    }

    #[test]
    fn tokens_that_are_no_hashes_are_counted_or_refused() {
        let mut probe = ProbeSet::default();
        let mut counted = 0;
        for step in [
            1,
            2,
            3,
            16,
            1 << 20,
            1 << 32,
            1 << 40,
            (1 << 32) + 1,
            u64::MAX / 3,
        ] {
            for size in [4, 6, 100] {
                let set: Vec<u64> = (0..size).map(|i| step.wrapping_mul(i)).collect();
                if probe.fill(&set) {
                    counted += 1;
                    assert_eq!(probe.overlap_at_least(&set, 0), Some(set.len()));
                    let other: Vec<u64> = (0..2000).filter(|x| !set.contains(x)).collect();
                    assert_eq!(probe.overlap_at_least(&other, 0), Some(0));
                }
            }
        }
        assert!(counted > 20);
        // The tokens have the same slots in both tables.
        let set: Vec<u64> = (0..10).map(|i| i << 20).collect();
        assert!(!probe.fill(&set));
        assert!(probe.fill(&set[..6]));
        assert_eq!(probe.overlap_at_least(&set, 6), Some(6));
    }
}
