//! Sets as differences from a set that resembles them.
//!
//! Rows that share a key with many others, such as the rows of a template, resemble each other. Let R be the set of one
//! of them, the reference. For two sets A and B, with the tokens of R that they lack, L = R ∖ A and M = R ∖ B, and those
//! that they have beside it, X = A ∖ R and Y = B ∖ R,
//!
//! ```text
//! |A ∩ B| = |R| - |L| - |M| + |L ∩ M| + |X ∩ Y|.
//! ```
//!
//! L and M are bits, one for each token of R, so that |L ∩ M| takes an instruction for 64 tokens and more. Most tokens of X
//! are in no other row of the block, so that only the others are looked up if both rows are of it. A row that is compared
//! with many before it counts the tokens that they share by going through the rows that have each of them.
//!
//! If R is one of the rows, all others have in X and Y what R alone lacks. Many rows have their consensus as reference
//! instead, the tokens that most of them have.

use std::cmp::{Ordering, Reverse};

use super::super::probe_set::ProbeSet;
use crate::vector_units::Implementations;
#[cfg(target_arch = "x86_64")]
use crate::vector_units::VectorUnit;

/// Sets of fewer tokens are compared as they are.
const MIN_TOKENS: usize = 512;
/// The number of rows with the same key from which differences pay off: each is compared with so many others.
pub(super) const MIN_ROWS: usize = 8;
/// The number of other rows that are tried as the reference of a row.
const MAX_TRIES: usize = 2;
/// A difference has at most one token for this number of tokens of its set.
const MIN_SHARE: usize = 3;
/// The number of rows with one reference from which they have their consensus as reference.
const MIN_FOLLOWERS: usize = 32;
/// The number of these rows whose tokens are counted for it.
const SAMPLE: usize = 9;
/// All differences have at most one word for this number of tokens of all sets, and as many are held to find the tokens
/// that several rows have.
const MIN_SHARE_OF_ALL: usize = 8;
/// No row.
const NONE: u32 = u32::MAX;

/// The reference of each row that has one, and the difference from it.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// For each row the number of its reference, or [`NONE`]: that of a row, or the number of rows plus that of a consensus.
    /// Empty if there are no references.
    references: Vec<u32>,
    /// Sets that are no rows.
    consensus: Vec<Vec<u64>>,
    /// For each row the words of bits, and the number of its tokens beside the reference that another row has, too.
    bits: Vec<(u32, u32)>,
    /// Where the words of each row start, and where those of the last one end.
    starts: Vec<usize>,
    /// For each row its bits, the tokens that another row has, too, and the others.
    words: Vec<u64>,
    /// The number of words that all differences may have.
    max_words: usize,
    holders: Holders,
}

/// The rows that have each token which several rows have beside their references.
#[derive(Debug, Default)]
struct Holders {
    /// These tokens, ascending.
    tokens: Vec<u64>,
    /// Where the rows of each token start, and where those of the last one end.
    starts: Vec<u32>,
    /// The rows, ascending for each token.
    rows: Vec<u32>,
}

impl Holders {
    /// The rows before `row` that have the token.
    fn before(&self, row: u32, token: u64) -> &[u32] {
        let Ok(at) = self.tokens.binary_search(&token) else {
            return &[];
        };
        let rows = &self.rows[self.starts[at] as usize..self.starts[at + 1] as usize];
        &rows[..rows.partition_point(|&other| other < row)]
    }

    /// Bytes held.
    fn memory(&self) -> usize {
        self.tokens.capacity() * size_of::<u64>()
            + (self.starts.capacity() + self.rows.capacity()) * size_of::<u32>()
    }
}

/// The reference of a row: another row or a consensus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference(u32);

/// The difference of the set of a row of the block from its reference.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Difference<'a> {
    /// A bit for each token of the reference: whether the row lacks it.
    lacking: &'a [u64],
    /// The tokens beside the reference that another row of the block has beside its own one; ascending.
    common: &'a [u64],
    /// The other tokens beside the reference; ascending.
    single: &'a [u64],
}

impl Differences {
    /// Whether sets are long enough for differences.
    fn pay_off(rows: usize, tokens: usize) -> bool {
        tokens / rows.max(1) >= MIN_TOKENS / 2
    }

    /// The bytes that are held while the differences of `rows` sets of `tokens` tokens in all are computed.
    pub(super) fn memory_for(rows: usize, tokens: usize) -> usize {
        if !Self::pay_off(rows, tokens) {
            return 0;
        }
        (rows + 1)
            .saturating_mul(4 * size_of::<u32>() + size_of::<(u32, u32)>() + size_of::<usize>())
            .saturating_add((3 * (tokens / MIN_SHARE_OF_ALL)).saturating_mul(size_of::<u64>()))
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let consensus = self.consensus.iter().map(Vec::capacity).sum::<usize>();
        self.references.capacity() * size_of::<u32>()
            + consensus * size_of::<u64>()
            + self.bits.capacity() * size_of::<(u32, u32)>()
            + self.starts.capacity() * size_of::<usize>()
            + self.words.capacity() * size_of::<u64>()
            + self.holders.memory()
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
            consensus: Vec::new(),
            bits: vec![(0, 0); rows],
            starts: Vec::with_capacity(rows + 1),
            words: Vec::new(),
            max_words: tokens / MIN_SHARE_OF_ALL,
            holders: Holders::default(),
        };
        all.starts.push(0);
        // The number of rows with each reference.
        let mut followers = vec![0_u32; rows];
        let mut found: Vec<u32> = Vec::new();
        for row in 0..rows as u32 {
            let own = set(row);
            if own.len() >= MIN_TOKENS {
                found.clear();
                first_rows(row, &mut |first| {
                    let of_first = all.references.get(first as usize).copied();
                    let reference = of_first.filter(|&row| row != NONE).unwrap_or(first);
                    if !found.contains(&reference) {
                        found.push(reference);
                    }
                    false
                });
                // Only rows with one reference are compared by their differences, so that the most frequent one is tried
                // first. The first row of a bucket may be its own reference, if it resembles no other.
                found.sort_by_key(|&reference| {
                    Reverse((reference != row, followers[reference as usize]))
                });
                let others = found
                    .iter()
                    .take_while(|&&reference| reference != row)
                    .take(MAX_TRIES);
                let itself = found.last().filter(|&&reference| reference == row);
                for &reference in others.chain(itself) {
                    if all.add(row, own, reference, set(reference)) {
                        followers[reference as usize] += 1;
                        break;
                    }
                }
            }
            all.starts.push(all.words.len());
        }
        all.take_consensus(set);
        all.words.shrink_to_fit();
        all.separate();
        all
    }

    /// Gives many rows of one reference their consensus instead.
    fn take_consensus<'a>(&mut self, set: impl Fn(u32) -> &'a [u64]) {
        let rows = self.references.len();
        let numbered = (0_u32..).zip(&self.references);
        let mut followers: Vec<(u32, u32)> = numbered
            .filter(|&(_, &reference)| reference != NONE)
            .map(|(row, &reference)| (reference, row))
            .collect();
        followers.sort_unstable();
        for group in followers.chunk_by(|a, b| a.0 == b.0) {
            if group.len() < MIN_FOLLOWERS {
                continue;
            }
            let sample = (0..SAMPLE).map(|at| set(group[at * group.len() / SAMPLE].1));
            // As much is held as for the tokens that several rows have.
            if sample.clone().map(<[u64]>::len).sum::<usize>() > self.max_words {
                continue;
            }
            let consensus = consensus(sample);
            let number = u32::try_from(rows + self.consensus.len());
            let left = self.max_words.checked_sub(consensus.len());
            let (Ok(number), Some(left)) = (number, left) else {
                break;
            };
            self.max_words = left;
            self.consensus.push(consensus);
            for &(_, row) in group {
                self.references[row as usize] = number;
            }
        }
        if self.consensus.is_empty() {
            return;
        }
        let references = std::mem::replace(&mut self.references, vec![NONE; rows]);
        self.words.clear();
        self.starts.truncate(1);
        for (row, reference) in (0_u32..).zip(references) {
            self.bits[row as usize] = (0, 0);
            if reference != NONE {
                let consensus = std::mem::take(&mut self.consensus);
                let of_reference = match consensus.get((reference as usize).wrapping_sub(rows)) {
                    Some(consensus) => consensus,
                    None => set(reference),
                };
                self.add(row, set(row), reference, of_reference);
                self.consensus = consensus;
            }
            self.starts.push(self.words.len());
        }
    }

    /// Adds the difference of a row from a reference; false if it is too long.
    fn add(&mut self, row: u32, set: &[u64], reference: u32, of_reference: &[u64]) -> bool {
        let start = self.words.len();
        let bits = of_reference.len().div_ceil(64);
        let max = set.len() / MIN_SHARE;
        let Some(max_beyond) = (self.max_words - start).checked_sub(bits) else {
            return false;
        };
        self.words.resize(start + bits, 0);
        let beyond = push_difference(set, of_reference, (max, max_beyond), start, &mut self.words);
        if beyond {
            self.references[row as usize] = reference;
            self.bits[row as usize].0 = bits as u32;
        } else {
            self.words.truncate(start);
        }
        beyond
    }

    /// Places the tokens that several rows have beside their references before the others, and notes which rows have them.
    fn separate(&mut self) {
        let Self {
            bits,
            starts,
            words,
            holders,
            ..
        } = self;
        let beyond = |row: usize, bits: u32| starts[row] + bits as usize..starts[row + 1];
        let mut tokens = Vec::new();
        for (row, &(bits, _)) in bits.iter().enumerate() {
            tokens.extend_from_slice(&words[beyond(row, bits)]);
        }
        tokens.sort_unstable();
        let (mut at, mut repeated) = (0, 0);
        while let Some(&token) = tokens.get(at) {
            let copies = tokens[at..].iter().take_while(|&&other| other == token);
            let copies = copies.count();
            if copies > 1 {
                tokens[repeated] = token;
                repeated += 1;
            }
            at += copies;
        }
        tokens.truncate(repeated);
        tokens.shrink_to_fit();
        let mut single = Vec::new();
        // The number of rows of each token, then where the next one goes.
        let mut ends = vec![0_u32; tokens.len() + 1];
        for (row, (bits, common)) in bits.iter_mut().enumerate() {
            let words = &mut words[beyond(row, *bits)];
            single.clear();
            let mut end = 0;
            for at in 0..words.len() {
                let token = words[at];
                if let Ok(place) = tokens.binary_search(&token) {
                    words[end] = token;
                    end += 1;
                    ends[place] += 1;
                } else {
                    single.push(token);
                }
            }
            words[end..].copy_from_slice(&single);
            *common = end as u32;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        holders.starts.clone_from(&ends);
        holders.rows = vec![0; sum as usize];
        for (row, &(bits, common)) in (0_u32..).zip(&*bits) {
            let from = starts[row as usize] + bits as usize;
            for token in &words[from..from + common as usize] {
                if let Ok(place) = tokens.binary_search(token) {
                    holders.rows[ends[place] as usize] = row;
                    ends[place] += 1;
                }
            }
        }
        holders.tokens = tokens;
    }

    /// The set of a reference; `set` is that of a row.
    pub(super) fn set_of<'a>(
        &'a self,
        reference: Reference,
        set: impl Fn(u32) -> &'a [u64],
    ) -> &'a [u64] {
        match (reference.0 as usize).checked_sub(self.references.len()) {
            Some(number) => self.consensus.get(number).map_or(&[], Vec::as_slice),
            None => set(reference.0),
        }
    }

    /// The reference of a row.
    #[inline]
    pub(super) fn reference(&self, row: u32) -> Option<Reference> {
        let reference = self.references.get(row as usize).copied();
        reference.filter(|&row| row != NONE).map(Reference)
    }

    /// The difference of a row from its reference; empty if it has none.
    #[inline]
    pub(super) fn of_row(&self, row: u32) -> Difference<'_> {
        let row = row as usize;
        let bounds = self.starts.get(row).zip(self.starts.get(row + 1));
        let Some(((&start, &end), &(bits, common))) = bounds.zip(self.bits.get(row)) else {
            return Difference::default();
        };
        let (lacking, beyond) = self.words[start..end].split_at(bits as usize);
        let (common, single) = beyond.split_at(common as usize);
        Difference {
            lacking,
            common,
            single,
        }
    }
}

/// The probed row as a difference from the reference of the rows that it is compared with.
#[derive(Debug, Default)]
pub(super) struct DifferenceProbe {
    /// The reference of the last row that was compared.
    reference: Option<Reference>,
    /// The number of tokens of the reference.
    reference_tokens: usize,
    /// The number of rows with this reference that the probed row was compared with.
    compared: usize,
    /// Whether the difference of the probed row from the reference is known.
    is_known: bool,
    /// The probed row, if it is one of the block with a difference of its own.
    own: Option<u32>,
    /// The number of rows before it whose differences were compared with its own.
    compared_own: usize,
    /// Of the tokens that it has beside the reference, the number that each row before it has beside its own one, once they
    /// are counted; empty before.
    counts: Vec<u32>,
    /// The work of counting them, in rows of tokens, once it is known.
    work: Option<usize>,
    /// A bit for each token of the reference: whether the probed row lacks it.
    lacking: Vec<u64>,
    /// The number of tokens of the probed row beside the reference.
    tokens_beyond: usize,
    /// These tokens; of a row of the block those that another row of it has, too.
    beyond: Vec<u64>,
    /// The same as a hash table, if it is one.
    table: ProbeSet,
    has_table: bool,
}

impl DifferenceProbe {
    /// Begins with a row that is not of the block.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.reference = None;
        self.compared = 0;
        self.is_known = false;
        self.own = None;
        self.compared_own = 0;
        self.counts.clear();
        self.work = None;
    }

    /// Begins with a row of the block; `set_of` is the set of one.
    pub(super) fn begin_own<'a>(
        &mut self,
        differences: &'a Differences,
        row: u32,
        set_of: impl Fn(u32) -> &'a [u64],
    ) {
        self.begin();
        if let Some(reference) = differences.reference(row) {
            self.own = Some(row);
            let difference = differences.of_row(row);
            self.reference = Some(reference);
            self.reference_tokens = differences.set_of(reference, set_of).len();
            self.lacking.clear();
            self.lacking.extend_from_slice(difference.lacking);
            self.beyond.clear();
            self.beyond.extend_from_slice(difference.common);
            self.tokens_beyond = difference.common.len() + difference.single.len();
            self.fill();
        }
    }

    fn fill(&mut self) {
        self.has_table = self.table.fill(&self.beyond);
        self.is_known = true;
    }

    /// Whether the probed row, with this set, and a row with this reference can be compared by their differences. `set_of` is
    /// the set of a reference.
    #[inline]
    pub(super) fn resembles<'a>(
        &mut self,
        set: &[u64],
        reference: Reference,
        set_of: impl Fn(Reference) -> &'a [u64],
    ) -> bool {
        if self.reference != Some(reference) {
            // Rows that a row resembles mostly have one reference.
            if self.is_known {
                return false;
            }
            self.reference = Some(reference);
            self.compared = 0;
        }
        self.compared += 1;
        // The difference costs as much as a comparison of the sets.
        if self.compared == 2 && !self.is_known && set.len() >= MIN_TOKENS {
            let of_reference = set_of(reference);
            let bits = of_reference.len().div_ceil(64);
            let words = &mut self.lacking;
            words.clear();
            words.resize(bits, 0);
            let max = set.len() / MIN_SHARE;
            if push_difference(set, of_reference, (max, max), 0, words) {
                self.reference_tokens = of_reference.len();
                self.beyond.clear();
                self.beyond.extend_from_slice(&words[bits..]);
                self.tokens_beyond = self.beyond.len();
                words.truncate(bits);
                self.fill();
            }
        }
        self.is_known
    }

    /// The number of common tokens of the probed row and one with the same reference, if they are at least `needed`.
    /// `tokens` are the numbers of their tokens. If the probed row is one of the block, the other one is before it.
    #[inline]
    pub(super) fn overlap(
        &mut self,
        tokens: (usize, usize),
        differences: &Differences,
        other: u32,
        needed: u32,
    ) -> Option<usize> {
        let row = other;
        let other = differences.of_row(row);
        if !self.is_known {
            return None;
        }
        let reference = self.reference_tokens;
        let other_beyond = other.common.len() + other.single.len();
        // Of a set of n tokens of which b are beside the reference, n - b are in the reference.
        let lacking = (reference + self.tokens_beyond).checked_sub(tokens.0)?;
        let other_lacking = (reference + other_beyond).checked_sub(tokens.1)?;
        let both = common_bits(&self.lacking, other.lacking);
        let within = (reference + both).checked_sub(lacking + other_lacking)?;
        let needed = (needed as usize).saturating_sub(within);
        if self.tokens_beyond.min(other_beyond) < needed {
            return None;
        }
        if let Some(own) = self.own {
            let both = match self.is_counted(own, &differences.holders) {
                true => self.counts.get(row as usize).map(|&count| count as usize),
                false => self.beyond_at_least(other.common, needed),
            };
            return both
                .filter(|&both| both >= needed)
                .map(|both| within + both);
        }
        let common = needed.saturating_sub(other.single.len());
        let common = self.beyond_at_least(other.common, common)?;
        let single = self.beyond_at_least(other.single, needed.saturating_sub(common))?;
        Some(within + common + single)
    }

    /// Whether it is known how many of its tokens beside the reference the probed row `own` shares with each row before it. They are
    /// counted once this takes no more work than the lookups so far.
    #[inline]
    fn is_counted(&mut self, own: u32, holders: &Holders) -> bool {
        if !self.counts.is_empty() {
            return true;
        }
        self.compared_own += 1;
        if self.compared_own < MIN_ROWS {
            return false;
        }
        let beyond = &self.beyond;
        let rows_before = || beyond.iter().map(|&token| holders.before(own, token));
        let work = (self.work).get_or_insert_with(|| rows_before().map(<[u32]>::len).sum());
        if *work > self.compared_own * beyond.len() {
            return false;
        }
        self.counts.resize(own as usize, 0);
        for &row in rows_before().flatten() {
            self.counts[row as usize] += 1;
        }
        true
    }

    /// The number of these tokens, in ascending order, that the probed row has beside the reference, if they are at
    /// least `needed`.
    #[inline]
    fn beyond_at_least(&mut self, tokens: &[u64], needed: usize) -> Option<usize> {
        if self.beyond.is_empty() || tokens.is_empty() {
            return (needed == 0).then_some(0);
        }
        match self.has_table {
            true => self.table.overlap_at_least(tokens, needed),
            false => crate::overlap_at_least(&self.beyond, tokens, needed),
        }
    }
}

/// The tokens that more than half of the sets have, in ascending order.
fn consensus<'a>(sets: impl Iterator<Item = &'a [u64]> + Clone) -> Vec<u64> {
    let half = sets.clone().count() / 2;
    let mut tokens: Vec<u64> = sets.flatten().copied().collect();
    tokens.sort_unstable();
    let of_most = tokens.chunk_by(|a, b| a == b);
    of_most
        .filter(|copies| copies.len() > half)
        .map(|copies| copies[0])
        .collect()
}

/// Sets the bits, from the word `start` on, of the tokens of the reference `b` that `a` lacks, and appends the tokens of
/// `a` that `b` lacks, both in ascending order. False, and only a part of it, if there are more than the first of `max` in
/// all, or more than the second that `b` lacks.
fn push_difference(
    a: &[u64],
    b: &[u64],
    max: (usize, usize),
    start: usize,
    words: &mut Vec<u64>,
) -> bool {
    if a.len().abs_diff(b.len()) > max.0 {
        return false;
    }
    let before = words.len();
    let (mut i, mut j, mut lacking) = (0, 0, 0);
    loop {
        let order = match (a.get(i), b.get(j)) {
            (Some(a), Some(b)) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return true,
        };
        match order {
            Ordering::Equal => {
                i += 1;
                j += 1;
                continue;
            }
            Ordering::Less => {
                words.push(a[i]);
                i += 1;
            }
            Ordering::Greater => {
                words[start + j / 64] |= 1 << (j % 64);
                lacking += 1;
                j += 1;
            }
        }
        let beyond = words.len() - before;
        if beyond + lacking > max.0 || beyond > max.1 {
            return false;
        }
    }
}

/// The machine must have the features that the function is compiled for.
type CommonBits = unsafe fn(&[u64], &[u64]) -> usize;

static COMMON_BITS: Implementations<CommonBits> = Implementations {
    for_units: &[
        #[cfg(target_arch = "x86_64")]
        (VectorUnit::Avx512Vpopcntdq, common_bits_avx512),
        #[cfg(target_arch = "x86_64")]
        (VectorUnit::Avx2, common_bits_avx2),
    ],
    portable: common_bits_portable,
};

/// The number of bits that are in both.
#[inline]
fn common_bits(a: &[u64], b: &[u64]) -> usize {
    // SAFETY: the machine has the features that the selected function is compiled for.
    unsafe { COMMON_BITS.selected()(a, b) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn common_bits_avx512(a: &[u64], b: &[u64]) -> usize {
    common_bits_portable(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn common_bits_avx2(a: &[u64], b: &[u64]) -> usize {
    common_bits_portable(a, b)
}

#[inline(always)]
fn common_bits_portable(a: &[u64], b: &[u64]) -> usize {
    let common = a
        .iter()
        .zip(b)
        .map(|(a, b)| u64::from((a & b).count_ones()));
    common.sum::<u64>() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;
    use crate::vector_units::tests::for_each;

    fn sorted(mut set: Vec<u64>) -> Vec<u64> {
        set.sort_unstable();
        set.dedup();
        set
    }

    /// Sets of about `tokens` tokens, each with up to `edits` other ones, half of which few of the sets have.
    fn alike(random: &mut Random, sets: usize, tokens: u32, edits: u32) -> Vec<Vec<u64>> {
        let base: Vec<u64> = (0..tokens).map(|_| random.next()).collect();
        let others: Vec<u64> = (0..300).map(|_| random.next()).collect();
        let edited = |_| {
            let mut set = base.clone();
            for _ in 0..random.below(edits + 1) {
                match random.below(4) {
                    0 | 1 => drop(set.swap_remove(random.below(set.len() as u32) as usize)),
                    2 => set.push(random.next()),
                    _ => set.push(others[random.below(others.len() as u32) as usize]),
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
        let (mut compared, mut found, mut counted) = (0, 0, 0);
        for edits in [0, 1, 20, 60, 200] {
            let rows = if edits % 3 == 0 { 12 } else { 100 };
            let sets = alike(&mut random, rows, 900, edits);
            let differences = differences(&sets);
            assert_eq!(differences.consensus.len(), usize::from(rows == 100));
            let mut probe = DifferenceProbe::default();
            for own in [true, false] {
                for (a, set) in sets.iter().enumerate() {
                    match own {
                        true => probe.begin_own(&differences, a as u32, |row| &sets[row as usize]),
                        false => probe.begin(),
                    }
                    // A row is compared with those before it.
                    let others = sets.iter().enumerate();
                    for (b, other) in others.filter(|&(b, _)| !own || b < a) {
                        let overlap = crate::overlap(set, other);
                        let Some(reference) = differences.reference(b as u32) else {
                            continue;
                        };
                        let of_row = |row: u32| sets[row as usize].as_slice();
                        let set_of = |reference| differences.set_of(reference, of_row);
                        if !probe.resembles(set, reference, set_of) {
                            continue;
                        }
                        compared += 1;
                        let tokens = (set.len(), other.len());
                        for needed in [0, 1, overlap - 1, overlap, overlap + 1, 2000] {
                            let expected = (overlap >= needed).then_some(overlap);
                            found += usize::from(expected.is_some());
                            let needed = needed as u32;
                            let found = probe.overlap(tokens, &differences, b as u32, needed);
                            assert_eq!(found, expected);
                        }
                    }
                    counted += usize::from(!probe.counts.is_empty());
                }
            }
        }
        assert!(compared > 500 && found > 1_000, "{compared}, {found}");
        assert!(counted > 100, "{counted}");
    }

    #[test]
    fn every_function_counts_the_same_bits() {
        let mut random = Random::new(7);
        let mut words = |count: usize| -> Vec<u64> {
            let word = |_| match random.below(3) {
                0 => u64::MAX,
                1 => 0,
                _ => random.next(),
            };
            (0..count).map(word).collect()
        };
        for count in 0..70 {
            let (a, b) = (words(count), words(count));
            let bit = |words: &[u64], at: usize| words[at / 64] >> (at % 64) & 1;
            let both = (0..64 * count).filter(|&at| bit(&a, at) & bit(&b, at) == 1);
            let expected = both.count();
            for_each("common bits", &COMMON_BITS, |name, function| {
                // SAFETY: the machine has the features that the function is compiled for.
                let found = unsafe { function(&a, &b) };
                assert_eq!(found, expected, "{name}");
            });
        }
    }

    #[test]
    fn the_consensus_of_a_template_is_what_its_rows_have_in_common() {
        let mut random = Random::new(12);
        let sets = alike(&mut random, 101, 900, 60);
        let base = &consensus(sets.iter().map(Vec::as_slice));
        let differences = differences(&sets);
        assert_eq!(differences.consensus.len(), 1);
        assert_eq!(&differences.consensus[0], base);
        let words = differences.words.len();
        let own: usize = sets
            .iter()
            .map(|set| set.len() - crate::overlap(set, base))
            .sum();
        assert_eq!(words, sets.len() * base.len().div_ceil(64) + own);
        for (row, set) in (0..).zip(&sets) {
            let Difference {
                lacking,
                common,
                single,
            } = differences.of_row(row);
            let lacking: u32 = lacking.iter().map(|word| word.count_ones()).sum();
            assert_eq!(lacking as usize, base.len() - crate::overlap(set, base));
            let others = sets.iter().zip(0..).filter(|&(_, other)| other != row);
            let is_common = |token: &u64| {
                others
                    .clone()
                    .any(|(other, _)| other.binary_search(token).is_ok())
            };
            assert!(common.iter().all(is_common));
            assert!(!single.iter().any(is_common));
        }
    }

    /// Each row is the first one of a bucket of its own, and the rows of a template are in several buckets.
    #[test]
    fn rows_of_a_template_have_one_reference() {
        let mut random = Random::new(9);
        let sets = alike(&mut random, 100, 900, 100);
        let tokens = sets.iter().map(Vec::len).sum();
        let set = |row: u32| sets[row as usize].as_slice();
        let differences = Differences::of(sets.len(), tokens, set, |row, visit| {
            let _ = visit(row) || visit(row - row % 7) || visit(row % 5);
        });
        let of_rows = (0..100).filter_map(|row| differences.reference(row));
        assert_eq!(
            of_rows
                .filter(|&reference| reference == Reference(100))
                .count(),
            100
        );
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
        assert_eq!(differences.words, [0; 700_usize.div_ceil(64)]);
    }

    #[test]
    fn differences_take_at_most_a_share_of_the_sets() {
        let mut random = Random::new(5);
        let base: Vec<u64> = (0..900).map(|_| random.next()).collect();
        // The first set is the base.
        let with_others = |row| {
            let others = (0..280).filter(|_| row > 0).map(|_| random.next());
            sorted(base.iter().copied().chain(others).collect())
        };
        let sets: Vec<Vec<u64>> = (0..200).map(with_others).collect();
        let all: usize = sets.iter().map(Vec::len).sum();
        let differences = differences(&sets);
        assert!(differences.words.len() <= all / MIN_SHARE_OF_ALL);
        let consensus = differences.consensus[0].len();
        assert!(differences.words.len() + consensus > all / MIN_SHARE_OF_ALL - 900);
        assert!(differences.references.contains(&NONE));
    }

    #[test]
    fn short_sets_have_no_differences() {
        let sets = alike(&mut Random::new(6), 20, 100, 3);
        assert!(differences(&sets).references.is_empty());
        assert_eq!(Differences::memory_for(20, 2_000), 0);
    }
}
