//! Sets as differences from a set that resembles them.
//!
//! Rows that share a key with many others, such as the rows of a template, resemble each other. Let R be the set of one
//! of them, the reference. For two sets A and B, with the symmetric differences D = A △ R and E = B △ R,
//!
//! ```text
//! |A ∩ B| = (|A| + |B| - |D| - |E|) / 2 + |D ∩ E|,
//! ```
//!
//! because A △ B = D △ E. The more the sets resemble each other, the shorter are the differences, and the sooner they
//! are compared.

use std::cmp::Ordering;

use super::super::probe_set::ProbeSet;
use crate::overlap_at_least;

/// Sets of fewer tokens are compared as they are.
const MIN_TOKENS: usize = 512;
/// The number of rows with the same key from which differences pay off: each is compared with so many others.
pub(super) const MIN_ROWS: usize = 8;
/// The number of other rows that are tried as the reference of a row.
const MAX_TRIES: usize = 2;
/// A difference has at most one token for this number of tokens of its set.
const MIN_SHARE: usize = 3;
/// All differences have at most one token for this number of tokens of all sets.
const MIN_SHARE_OF_ALL: usize = 8;
/// No row.
const NONE: u32 = u32::MAX;

/// The reference of each row that has one, and the difference from it.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// For each row the number of its reference, or [`NONE`]. Empty if there are no references.
    references: Vec<u32>,
    /// Where the difference of each row starts, and where the last one ends.
    starts: Vec<usize>,
    /// The differences, each ascending.
    tokens: Vec<u64>,
    /// The number of tokens that all differences may have.
    max_tokens: usize,
}

/// A row that can be the reference of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference(u32);

impl Differences {
    /// Whether sets are long enough for differences.
    fn pay_off(rows: usize, tokens: usize) -> bool {
        tokens / rows.max(1) >= MIN_TOKENS / 2
    }

    /// The bytes of the differences of `rows` sets of `tokens` tokens in all.
    pub(super) fn memory_for(rows: usize, tokens: usize) -> usize {
        if !Self::pay_off(rows, tokens) {
            return 0;
        }
        (rows + 1)
            .saturating_mul(size_of::<u32>() + size_of::<usize>())
            .saturating_add((tokens / MIN_SHARE_OF_ALL).saturating_mul(size_of::<u64>()))
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.references.capacity() * size_of::<u32>()
            + self.starts.capacity() * size_of::<usize>()
            + self.tokens.capacity() * size_of::<u64>()
    }

    /// The differences of `rows` sets of `tokens` tokens in all. `set` is the set of a row, in ascending order, and
    /// `first_rows` calls its argument with the first row of each bucket of at least [`MIN_ROWS`] rows that a row is
    /// in, until that returns true.
    pub(super) fn of<'a>(
        rows: usize,
        tokens: usize,
        set: impl Fn(u32) -> &'a [u64],
        first_rows: impl Fn(u32, &mut dyn FnMut(u32) -> bool),
    ) -> Self {
        if !Self::pay_off(rows, tokens) {
            return Self::default();
        }
        let mut all = Self {
            references: vec![NONE; rows],
            starts: Vec::with_capacity(rows + 1),
            tokens: Vec::new(),
            max_tokens: tokens / MIN_SHARE_OF_ALL,
        };
        all.starts.push(0);
        for row in 0..rows as u32 {
            let own = set(row);
            if own.len() >= MIN_TOKENS {
                let mut tried = [NONE; MAX_TRIES];
                let mut tries = 0;
                first_rows(row, &mut |first| {
                    let of_first = all.references.get(first as usize).copied();
                    let reference = of_first.filter(|&row| row != NONE).unwrap_or(first);
                    if tried.contains(&reference) {
                        return false;
                    }
                    tried[tries] = reference;
                    tries += 1;
                    all.add(row, own, reference, set(reference)) || tries == MAX_TRIES
                });
            }
            all.starts.push(all.tokens.len());
        }
        all.tokens.shrink_to_fit();
        all
    }

    /// Adds the difference of a row from a reference; false if it is too long.
    fn add(&mut self, row: u32, set: &[u64], reference: u32, of_reference: &[u64]) -> bool {
        let start = self.tokens.len();
        let max = (set.len() / MIN_SHARE).min(self.max_tokens - start);
        let is_near = row == reference || push_difference(set, of_reference, max, &mut self.tokens);
        if is_near {
            self.references[row as usize] = reference;
        } else {
            self.tokens.truncate(start);
        }
        is_near
    }

    /// The reference of a row.
    #[inline]
    pub(super) fn reference(&self, row: u32) -> Option<Reference> {
        let reference = self.references.get(row as usize).copied();
        reference.filter(|&row| row != NONE).map(Reference)
    }

    /// The difference of a row from its reference; empty if it has none.
    #[inline]
    pub(super) fn of_row(&self, row: u32) -> &[u64] {
        let row = row as usize;
        let bounds = self.starts.get(row).zip(self.starts.get(row + 1));
        bounds.map_or(&[], |(&start, &end)| &self.tokens[start..end])
    }
}

/// The probed row as a difference from the reference of the rows that it is compared with.
#[derive(Debug, Default)]
pub(super) struct DifferenceProbe {
    /// The reference of the last row that was compared.
    reference: Option<Reference>,
    /// The number of rows with this reference that the probed row was compared with.
    compared: usize,
    /// The difference of the probed row from the reference; `None` if it is not known or too long.
    difference: Option<Vec<u64>>,
    /// The difference as a hash table, if it is one.
    table: ProbeSet,
    has_table: bool,
    /// The capacity of a difference that is no longer needed.
    spare: Vec<u64>,
}

impl DifferenceProbe {
    /// Begins with a row that has no reference of its own.
    #[inline]
    pub(super) fn begin(&mut self) {
        if let Some(difference) = self.difference.take() {
            self.spare = difference;
        }
        self.reference = None;
        self.compared = 0;
    }

    /// Begins with a row of the block.
    pub(super) fn begin_own(&mut self, differences: &Differences, row: u32) {
        self.begin();
        if let Some(reference) = differences.reference(row) {
            self.reference = Some(reference);
            let mut difference = std::mem::take(&mut self.spare);
            difference.clear();
            difference.extend_from_slice(differences.of_row(row));
            self.fill(difference);
        }
    }

    fn fill(&mut self, difference: Vec<u64>) {
        self.has_table = self.table.fill(&difference);
        self.difference = Some(difference);
    }

    /// Whether the probed row, with this set, and a row with this reference can be compared by their differences.
    #[inline]
    pub(super) fn resembles<'a>(
        &mut self,
        set: &[u64],
        reference: Reference,
        set_of: impl Fn(u32) -> &'a [u64],
    ) -> bool {
        if self.reference != Some(reference) {
            // Rows that a row resembles mostly have one reference.
            if self.difference.is_some() {
                return false;
            }
            self.reference = Some(reference);
            self.compared = 0;
        }
        self.compared += 1;
        // The difference costs as much as a comparison of the sets.
        if self.compared == 2 && self.difference.is_none() && set.len() >= MIN_TOKENS {
            let mut difference = std::mem::take(&mut self.spare);
            difference.clear();
            let max = set.len() / MIN_SHARE;
            if push_difference(set, set_of(reference.0), max, &mut difference) {
                self.fill(difference);
            } else {
                self.spare = difference;
            }
        }
        self.difference.is_some()
    }

    /// The number of common tokens of the probed row and one with the same reference, if they are at least `needed`.
    /// `tokens` are the numbers of their tokens, and `other` is the difference of the other one.
    #[inline]
    pub(super) fn overlap(
        &mut self,
        tokens: (usize, usize),
        other: &[u64],
        needed: u32,
    ) -> Option<usize> {
        let own = self.difference.as_deref()?;
        // It is even, because |A △ R| is even exactly if |A| + |R| is, and negative if both sets lack much of R.
        let sum = (tokens.0 + tokens.1) as isize - (own.len() + other.len()) as isize;
        let beside = sum / 2;
        let needed = usize::try_from(needed as isize - beside).unwrap_or(0);
        let shared = match self.has_table && !own.is_empty() {
            true => self.table.overlap_at_least(other, needed)?,
            false => overlap_at_least(own, other, needed)?,
        };
        usize::try_from(beside + shared as isize).ok()
    }
}

/// Appends the symmetric difference of two sets in ascending order; false, and only a part of it, if it has more than
/// `max` tokens.
fn push_difference(a: &[u64], b: &[u64], max: usize, difference: &mut Vec<u64>) -> bool {
    if a.len().abs_diff(b.len()) > max {
        return false;
    }
    let end = difference.len() + max;
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            Ordering::Equal => {
                i += 1;
                j += 1;
                continue;
            }
            Ordering::Less => {
                difference.push(a[i]);
                i += 1;
            }
            Ordering::Greater => {
                difference.push(b[j]);
                j += 1;
            }
        }
        if difference.len() > end {
            return false;
        }
    }
    difference.extend_from_slice(&a[i..]);
    difference.extend_from_slice(&b[j..]);
    difference.len() <= end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    fn sorted(mut set: Vec<u64>) -> Vec<u64> {
        set.sort_unstable();
        set.dedup();
        set
    }

    /// Sets of about `tokens` tokens, each with up to `edits` tokens of its own instead of common ones.
    fn alike(random: &mut Random, sets: usize, tokens: u32, edits: u32) -> Vec<Vec<u64>> {
        let base: Vec<u64> = (0..tokens).map(|_| random.next()).collect();
        let edited = |_| {
            let mut set = base.clone();
            for _ in 0..random.below(edits + 1) {
                match random.below(2) {
                    0 => drop(set.swap_remove(random.below(set.len() as u32) as usize)),
                    _ => set.push(random.next()),
                }
            }
            sorted(set)
        };
        (0..sets).map(edited).collect()
    }

    fn differences(sets: &[Vec<u64>]) -> Differences {
        let tokens = sets.iter().map(Vec::len).sum();
        let set = |row: u32| sets[row as usize].as_slice();
        let differences = Differences::of(sets.len(), tokens, set, |_, visit| {
            visit(0);
        });
        assert!(differences.memory() <= Differences::memory_for(sets.len(), tokens));
        differences
    }

    #[test]
    fn the_overlap_is_that_of_the_sets() {
        let mut random = Random::new(3);
        let (mut compared, mut found) = (0, 0);
        for edits in [0, 1, 20, 60, 200] {
            let sets = alike(&mut random, 12, 900, edits);
            let differences = differences(&sets);
            let mut probe = DifferenceProbe::default();
            for own in [true, false] {
                for (a, set) in sets.iter().enumerate() {
                    match own {
                        true => probe.begin_own(&differences, a as u32),
                        false => probe.begin(),
                    }
                    for (b, other) in sets.iter().enumerate() {
                        let overlap = crate::overlap(set, other);
                        let Some(reference) = differences.reference(b as u32) else {
                            continue;
                        };
                        if !probe.resembles(set, reference, |row| &sets[row as usize]) {
                            continue;
                        }
                        compared += 1;
                        let tokens = (set.len(), other.len());
                        let difference = differences.of_row(b as u32);
                        for needed in [0, 1, overlap - 1, overlap, overlap + 1, 2000] {
                            let expected = (overlap >= needed).then_some(overlap);
                            found += usize::from(expected.is_some());
                            let needed = needed as u32;
                            assert_eq!(probe.overlap(tokens, difference, needed), expected);
                        }
                    }
                }
            }
        }
        assert!(compared > 500 && found > 1_000, "{compared}, {found}");
    }

    #[test]
    fn sets_that_differ_much_have_no_reference() {
        let mut random = Random::new(4);
        let sets: Vec<Vec<u64>> = (0..20)
            .flat_map(|_| alike(&mut random, 1, 700, 0))
            .collect();
        let differences = differences(&sets);
        assert!(differences.reference(0).is_some(), "the reference itself");
        assert!((1..20).all(|row| differences.reference(row).is_none()));
        assert_eq!(differences.tokens, []);
    }

    #[test]
    fn differences_take_at_most_a_share_of_the_sets() {
        let mut random = Random::new(5);
        let sets = alike(&mut random, 200, 900, 320);
        let all: usize = sets.iter().map(Vec::len).sum();
        let differences = differences(&sets);
        assert!(differences.tokens.len() <= all / MIN_SHARE_OF_ALL);
        assert!(differences.tokens.len() > all / MIN_SHARE_OF_ALL - 900);
        assert!(differences.references.contains(&NONE));
    }

    #[test]
    fn short_sets_have_no_differences() {
        let sets = alike(&mut Random::new(6), 20, 100, 3);
        assert!(differences(&sets).references.is_empty());
        assert_eq!(Differences::memory_for(20, 2_000), 0);
    }
}
