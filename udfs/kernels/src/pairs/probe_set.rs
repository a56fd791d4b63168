//! The overlap of one set with many.
//!
//! A merge of two sorted sets costs a mispredicted branch at nearly every difference. A row that is
//! verified against several others is cheaper as a table: each token has one place, chosen by its own
//! bits (tokens are hashes already), so that a lookup is one load and no branch, and lookups do not
//! wait for each other. Tokens whose place is taken go to a second, smaller table, where only those
//! of the other set that missed the first are looked up.

/// Tokens looked up between two checks of the bound.
const BLOCK: usize = 32;
/// Tokens without a place in either table, beyond which a set is not worth a table.
const MAX_HOMELESS: usize = 4;

/// A set of tokens to look up.
#[derive(Debug, Default)]
pub(super) struct ProbeSet {
    /// Place `i` holds a token whose low bits are `i`, or one of other low bits if it is free.
    first: Vec<u64>,
    /// The same for the bits from 32 up, of tokens without a place in `first`.
    second: Vec<u64>,
    /// How many tokens have no place in `first`.
    displaced: usize,
    /// Tokens without a place in either.
    homeless: Vec<u64>,
    /// Tokens of the other set that are not in `first`.
    missed: Vec<u64>,
}

#[inline]
fn first_place(token: u64, mask: usize) -> usize {
    token as usize & mask
}

#[inline]
fn second_place(token: u64, mask: usize) -> usize {
    (token >> 32) as usize & mask
}

impl ProbeSet {
    /// Makes `set` the set to look up; false if its tokens collide too often for a table.
    pub(super) fn fill(&mut self, set: &[u64]) -> bool {
        let places = (set.len() * 4).next_power_of_two().max(16);
        self.first.clear();
        self.first.extend((0..places as u64).map(|place| !place));
        self.second.clear();
        self.second
            .extend((0..places as u64).map(|place| !(place << 32)));
        self.displaced = 0;
        self.homeless.clear();
        let mask = places - 1;
        for &token in set {
            let place = first_place(token, mask);
            if first_place(self.first[place], mask) != place {
                self.first[place] = token;
                continue;
            }
            self.displaced += 1;
            let place = second_place(token, mask);
            if second_place(self.second[place], mask) != place {
                self.second[place] = token;
            } else if self.homeless.len() < MAX_HOMELESS {
                self.homeless.push(token);
            } else {
                return false;
            }
        }
        true
    }

    /// How many of the distinct tokens of `other` are in the set, if they are `needed` or more.
    #[inline]
    pub(super) fn overlap_at_least(&mut self, other: &[u64], needed: usize) -> Option<usize> {
        // What may miss the first table before too few are left.
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
            // Each token is written; only those that miss stay.
            let room = self.missed.get_mut(missed..missed + block.len())?;
            let mut misses = 0;
            for &token in block {
                room[misses] = token;
                misses += usize::from(first[first_place(token, mask)] != token);
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
                .filter(|&&token| second.get(second_place(token, mask)) == Some(&token));
            overlap += found.count();
            if !self.homeless.is_empty() {
                overlap += missed
                    .iter()
                    .filter(|token| self.homeless.contains(token))
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
        // Equal in both places.
        let set: Vec<u64> = (0..10).map(|i| i << 20).collect();
        assert!(!probe.fill(&set));
        assert!(probe.fill(&set[..6]));
        assert_eq!(probe.overlap_at_least(&set, 6), Some(6));
    }
}
