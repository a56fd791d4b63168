//! The overlap of one set with many others, by a hash table.
//!
//! A merge of two sorted sets costs a mispredicted branch at nearly every difference. A row that is verified
//! against several others is cheaper as a hash table. Each token has one slot, given by its own bits (tokens
//! are hashes already), so that a lookup is one load without a branch and lookups are independent of each
//! other. A token whose slot is taken goes to a second table, which is only searched for the tokens that are
//! not in the first one.

/// Tokens looked up between two checks of the bound.
const BLOCK: usize = 32;
/// The maximal number of tokens that fit into neither table; with more, a set is not kept as a table.
const MAX_OVERFLOW: usize = 4;

/// A hash table of the tokens of a set.
#[derive(Debug, Default)]
pub(super) struct ProbeSet {
    /// Slot `i` holds a token whose low bits are `i`; if it is free, a value with other low bits.
    first: Vec<u64>,
    /// The same for bits 32 and above, for tokens whose slot in `first` is taken.
    second: Vec<u64>,
    /// The number of tokens that are not in `first`.
    displaced: usize,
    /// Tokens whose slots in both tables are taken.
    overflow: Vec<u64>,
    /// Tokens of the other set that are not in `first`.
    missed: Vec<u64>,
}

#[inline]
fn first_slot(token: u64, mask: usize) -> usize {
    token as usize & mask
}

#[inline]
fn second_slot(token: u64, mask: usize) -> usize {
    (token >> 32) as usize & mask
}

impl ProbeSet {
    /// Makes `set` the set to look up; false if its tokens collide too often for a table.
    pub(super) fn fill(&mut self, set: &[u64]) -> bool {
        let slots = (set.len() * 4).next_power_of_two().max(16);
        self.first.clear();
        self.first.extend((0..slots as u64).map(|slot| !slot));
        self.second.clear();
        self.second
            .extend((0..slots as u64).map(|slot| !(slot << 32)));
        self.displaced = 0;
        self.overflow.clear();
        let mask = slots - 1;
        for &token in set {
            let slot = first_slot(token, mask);
            if first_slot(self.first[slot], mask) != slot {
                self.first[slot] = token;
                continue;
            }
            self.displaced += 1;
            let slot = second_slot(token, mask);
            if second_slot(self.second[slot], mask) != slot {
                self.second[slot] = token;
            } else if self.overflow.len() < MAX_OVERFLOW {
                self.overflow.push(token);
            } else {
                return false;
            }
        }
        true
    }

    /// The number of distinct tokens of `other` that are in the set, if it is at least `needed`.
    #[inline]
    pub(super) fn overlap_at_least(&mut self, other: &[u64], needed: usize) -> Option<usize> {
        // The number of tokens that may be absent from the first table before too few are left.
        let may_miss = (other.len() + self.displaced).checked_sub(needed)?;
        let first = self.first.as_slice();
        if first.is_empty() {
            return None;
        }
        let mask = first.len() - 1;
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
                misses += usize::from(first[first_slot(token, mask)] != token);
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
            let found = missed
                .iter()
                .filter(|&&token| second.get(second_slot(token, mask)) == Some(&token));
            overlap += found.count();
            if !self.overflow.is_empty() {
                overlap += missed
                    .iter()
                    .filter(|token| self.overflow.contains(token))
                    .count();
            }
        }
        (overlap >= needed).then_some(overlap)
    }
}

#[cfg(test)]
mod tests {
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
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect();
            let overlap = other.iter().filter(|token| set.contains(token)).count();
            for needed in 0..=overlap {
                assert_eq!(probe.overlap_at_least(&other, needed), Some(overlap));
            }
            assert_eq!(probe.overlap_at_least(&other, overlap + 1), None);
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
