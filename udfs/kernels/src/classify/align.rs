//! The alignment of two lists of tokens: a longest common subsequence.
//!
//! Common ends are matched first. What remains is divided at tokens that occur once in both lists, in the longest
//! sequence of them that is in the same order in both (as in the "patience" comparison of files), until a passage is
//! small enough for dynamic programming. A large passage without such tokens is not aligned.

use std::ops::Range;

/// Maximum number of cells of the table of a passage.
const MAX_CELLS: usize = 512 * 512;

/// Maximum number of times that a passage is divided, so that the time is linear.
const MAX_DEPTH: u32 = 12;

/// Minimum number of tokens of both sides of a passage of whose table only a band is computed first, and the quotient of
/// these numbers and the tokens on either side of its diagonal.
const MIN_BANDED: usize = 64;
const BAND_SHARE: usize = 8;

/// For each token of `a` the token of `b` that it is matched with. Tokens weigh at most 100. `counts` is a buffer for numbers
/// of tokens up to the largest one.
pub(super) fn align(
    a: &[u32],
    b: &[u32],
    weights: &[u16],
    counts: &mut Counts,
) -> Vec<Option<usize>> {
    let mut matched = vec![None; a.len()];
    let counts = &mut counts.0;
    let mut largest = None;
    let mut passages = vec![(0..a.len(), 0..b.len(), 0)];
    while let Some((mut own, mut other, depth)) = passages.pop() {
        while !own.is_empty() && !other.is_empty() && a[own.start] == b[other.start] {
            matched[own.start] = Some(other.start);
            own.start += 1;
            other.start += 1;
        }
        while !own.is_empty() && !other.is_empty() && a[own.end - 1] == b[other.end - 1] {
            own.end -= 1;
            other.end -= 1;
            matched[own.end] = Some(other.end);
        }
        if own.is_empty() || other.is_empty() {
            continue;
        }
        if own.len() * other.len() <= MAX_CELLS {
            let passage = Passage {
                a: &a[own.clone()],
                b: &b[other.clone()],
                weights: &weights[own.clone()],
            };
            let found = passage.in_band().unwrap_or_else(|| passage.in_table());
            for (at, to) in found {
                matched[own.start + at] = Some(other.start + to);
            }
            continue;
        }
        if depth == MAX_DEPTH {
            continue;
        }
        let largest = *largest
            .get_or_insert_with(|| a.iter().chain(b).max().map_or(0, |&token| token as usize));
        if counts.len() <= largest {
            counts.resize(largest + 1, Count::default());
        }
        let (mut from_a, mut from_b) = (own.start, other.start);
        for (at, to) in anchors(a, b, own.clone(), other.clone(), counts) {
            matched[at] = Some(to);
            passages.push((from_a..at, from_b..to, depth + 1));
            (from_a, from_b) = (at + 1, to + 1);
        }
        if from_a > own.start {
            passages.push((from_a..own.end, from_b..other.end, depth + 1));
        }
    }
    matched
}

/// A passage of both lists. The sum of the weights of its matches fits into 16 bits: the shorter list has at most 512 tokens.
struct Passage<'a> {
    a: &'a [u32],
    b: &'a [u32],
    weights: &'a [u16],
}

impl Passage<'_> {
    /// The matches of a longest common subsequence, by the sum of weights.
    fn in_table(&self) -> Vec<(usize, usize)> {
        let width = self.b.len() + 1;
        // best[i * width + j]: of the tokens from i in a and from j in b.
        let mut best = vec![0_u16; (self.a.len() + 1) * width];
        let mut rows = best.chunks_exact_mut(width).rev();
        let mut below: &[u16] = rows.next().unwrap_or_default();
        for (row, (&token, &weight)) in rows.zip(self.a.iter().zip(self.weights).rev()) {
            let end = row.len() - 1;
            fill(
                &mut row[..end],
                &below[..end],
                &below[1..],
                self.b,
                (token, weight),
            );
            below = row;
        }
        let best = |i: usize, j: usize| Some(best[i * width + j]);
        self.matches(best).unwrap_or_default()
    }

    /// The same, if a band around the diagonal has all that is needed for it.
    ///
    /// A path that leaves the band skips so many tokens of `a` that what it can match weighs no more than what the band has:
    /// this is checked for each cell that the matches depend on.
    fn in_band(&self) -> Option<Vec<(usize, usize)>> {
        let (n, m) = (self.a.len(), self.b.len());
        if n.min(m) < MIN_BANDED {
            return None;
        }
        let beside = n.max(m) / BAND_SHARE;
        // The cell (i, j) is in the band if j - i is from -left to right.
        let (left, right) = (n.saturating_sub(m) + beside, m.saturating_sub(n) + beside);
        let width = left + right + 1;
        if 2 * width > m {
            return None;
        }
        // A row has the cells of the band, after one that is not in it.
        let mut best = vec![0_u16; (n + 1) * (width + 1)];
        let mut rests = vec![0_u32; n + 1];
        let mut rows = best.chunks_exact_mut(width + 1).rev();
        let mut below: &[u16] = rows.next().unwrap_or_default();
        for (row, i) in rows.zip((0..n).rev()) {
            let (token, weight) = (self.a[i], self.weights[i]);
            rests[i] = rests[i + 1] + u32::from(weight);
            // The first column of the band that is one of the table, and the end of them.
            let first = left.saturating_sub(i);
            let end = width.min(m + left - i);
            let columns = 1 + first..1 + end;
            fill(
                &mut row[columns.clone()],
                &below[first..end],
                &below[columns],
                &self.b[first + i - left..end + i - left],
                (token, weight),
            );
            below = row;
        }
        let least = self.weights.iter().min().copied().map_or(0, usize::from);
        self.matches(|i, j| {
            if i == n || j == m {
                return Some(0);
            }
            let column = (j + left).checked_sub(i).filter(|&column| column < width)?;
            let found = best[i * (width + 1) + 1 + column];
            // To leave the band on the left, a path skips tokens of a; on the right, it has to skip them later.
            let skipped = (column + 1).min(right + 1 + n - m);
            let without = least * skipped;
            (usize::from(found) + without >= rests[i] as usize).then_some(found)
        })
    }

    /// The matches of the path through a table. `best` is the weight of what the tokens from `i` in `a` and from `j` in `b`
    /// have in common, `None` if it is not known.
    fn matches(&self, best: impl Fn(usize, usize) -> Option<u16>) -> Option<Vec<(usize, usize)>> {
        let mut matches = vec![];
        let (mut i, mut j) = (0, 0);
        while i < self.a.len() && j < self.b.len() {
            let here = best(i, j)?;
            if self.a[i] == self.b[j] && here == best(i + 1, j + 1)? + self.weights[i] {
                matches.push((i, j));
                i += 1;
                j += 1;
            } else if here == best(i + 1, j)? {
                i += 1;
            } else {
                j += 1;
            }
        }
        Some(matches)
    }
}

/// Fills cells of a row of a table, from those with the same token of `b` in the row below and those with the next one.
fn fill(row: &mut [u16], same: &[u16], next: &[u16], b: &[u32], (token, weight): (u32, u16)) {
    // Without what follows in this row, a cell does not depend on another one of it.
    for ((cell, (same, next)), other) in row.iter_mut().zip(same.iter().zip(next)).zip(b) {
        let matched = match token == *other {
            true => next + weight,
            false => 0,
        };
        *cell = matched.max(*same);
    }
    let mut after = 0;
    for cell in row.iter_mut().rev() {
        after = after.max(*cell);
        *cell = after;
    }
}

/// A buffer of [`align`].
#[derive(Debug, Default)]
pub(super) struct Counts(Vec<Count>);

/// How often a token occurs in two passages, and where it did last.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    in_a: u32,
    in_b: u32,
    at: usize,
    to: usize,
}

/// Pairs of positions of the tokens that occur once in both passages, ascending in both. `counts` has a count of zero
/// for each token, before and after.
fn anchors(
    a: &[u32],
    b: &[u32],
    own: Range<usize>,
    other: Range<usize>,
    counts: &mut [Count],
) -> Vec<(usize, usize)> {
    for at in own.clone() {
        let count = &mut counts[a[at] as usize];
        count.in_a += 1;
        count.at = at;
    }
    for to in other {
        let count = &mut counts[b[to] as usize];
        if count.in_a > 0 {
            count.in_b += 1;
            count.to = to;
        }
    }
    let unique = own.clone().filter_map(|at| {
        let count = counts[a[at] as usize];
        (count.in_a == 1 && count.in_b == 1).then_some((count.at, count.to))
    });
    let unique: Vec<(usize, usize)> = unique.collect();
    for at in own {
        counts[a[at] as usize] = Count::default();
    }
    // Longest increasing subsequence: ends[k] is the last element of the best sequence of k + 1 elements.
    let mut ends: Vec<usize> = vec![];
    let mut before = vec![usize::MAX; unique.len()];
    for (index, &(_, to)) in unique.iter().enumerate() {
        let length = ends.partition_point(|&end| unique[end].1 < to);
        if length > 0 {
            before[index] = ends[length - 1];
        }
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut sequence = vec![];
    let mut at = ends.last().copied();
    while let Some(index) = at {
        sequence.push(unique[index]);
        at = (before[index] != usize::MAX).then(|| before[index]);
    }
    sequence.reverse();
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    /// The largest sum of the weights of a common subsequence.
    fn most(a: &[u32], b: &[u32], weights: &[u16]) -> u16 {
        let (Some((x, a_rest)), Some((y, b_rest))) = (a.split_first(), b.split_first()) else {
            return 0;
        };
        let skipped = most(a_rest, b, &weights[1..]).max(most(a, b_rest, weights));
        match x == y {
            true => skipped.max(weights[0] + most(a_rest, b_rest, &weights[1..])),
            false => skipped,
        }
    }

    fn check(a: &[u32], b: &[u32], matched: &[Option<usize>]) {
        let pairs: Vec<(usize, usize)> = matched
            .iter()
            .enumerate()
            .filter_map(|(at, to)| Some((at, (*to)?)))
            .collect();
        assert!(pairs.iter().all(|&(at, to)| a[at] == b[to]));
        assert!(pairs.windows(2).all(|two| two[0].1 < two[1].1));
    }

    /// The band gives the matches of the whole table, or none.
    #[test]
    fn a_band_has_the_matches_of_the_table() {
        let mut random = Random::new(31);
        let mut banded = 0;
        for round in 0..2_000 {
            let vocabulary = [5, 40, 1_000][round % 3];
            let length = 60 + random.below(150);
            let a: Vec<u32> = (0..length).map(|_| random.below(vocabulary)).collect();
            let mut b = a.clone();
            for _ in 0..random.below(40) {
                let at = random.below(b.len() as u32) as usize;
                match random.below(3) {
                    0 => drop(b.remove(at)),
                    1 => b.insert(at, random.below(vocabulary)),
                    _ => b[at] = random.below(vocabulary),
                }
            }
            if random.below(4) == 0 {
                let at = random.below(b.len() as u32) as usize;
                b.rotate_left(at);
            }
            if random.below(2) == 0 {
                let at = random.below(b.len() as u32) as usize;
                b.drain(at..b.len().min(at + random.below(40) as usize));
            }
            let (a, b) = match random.below(2) {
                0 => (a, b),
                _ => (b, a),
            };
            let weights: Vec<u16> = a.iter().map(|&token| 3 + token as u16 % 2).collect();
            let passage = Passage {
                a: &a,
                b: &b,
                weights: &weights,
            };
            if let Some(matches) = passage.in_band() {
                banded += 1;
                assert_eq!(matches, passage.in_table(), "{a:?} {b:?}");
            }
        }
        assert!(banded > 500, "{banded}");
    }

    #[test]
    fn short_lists_have_the_heaviest_common_subsequence() {
        let mut random = Random::new(9);
        for _ in 0..500 {
            let mut list =
                || -> Vec<u32> { (0..random.below(9)).map(|_| random.below(4)).collect() };
            let (a, b) = (list(), list());
            let weights: Vec<u16> = a.iter().map(|&token| 3 + token as u16 % 2).collect();
            let matched = align(&a, &b, &weights, &mut Counts::default());
            check(&a, &b, &matched);
            let found = matched.iter().zip(&weights);
            let found = found.filter_map(|(to, weight)| to.map(|_| *weight));
            assert_eq!(found.sum::<u16>(), most(&a, &b, &weights), "{a:?} {b:?}");
        }
    }

    /// Lists of a million tokens are aligned without a table of a million squared cells.
    #[test]
    fn long_lists_are_divided_at_unique_tokens() {
        let a: Vec<u32> = (0..200_000).collect();
        let b: Vec<u32> = a
            .iter()
            .map(|&n| if n % 10 == 5 { n + 1_000_000 } else { n })
            .collect();
        let matched = align(&a, &b, &vec![1; a.len()], &mut Counts::default());
        check(&a, &b, &matched);
        assert_eq!(matched.iter().flatten().count(), 180_000);
        let equal = vec![7_u32; 100_000];
        let mut other = equal.clone();
        other.insert(0, 1);
        other.push(2);
        check(
            &equal,
            &other,
            &align(
                &equal,
                &other,
                &vec![1; equal.len()],
                &mut Counts::default(),
            ),
        );
    }
}
