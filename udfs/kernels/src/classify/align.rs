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

/// For each token of `a` the token of `b` that it is matched with. Tokens are numbered from 0 on, without large gaps, and
/// weigh at most 100.
pub(super) fn align(a: &[u32], b: &[u32], weights: &[u16]) -> Vec<Option<usize>> {
    let mut matched = vec![None; a.len()];
    let mut counts: Vec<Count> = vec![];
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
            table(a, b, weights, own, other, &mut matched);
            continue;
        }
        if depth == MAX_DEPTH {
            continue;
        }
        if counts.is_empty() {
            let most = a.iter().chain(b).copied().max().unwrap_or_default();
            counts.resize(most as usize + 1, Count::default());
        }
        let (mut from_a, mut from_b) = (own.start, other.start);
        for (at, to) in anchors(a, b, own.clone(), other.clone(), &mut counts) {
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

/// The longest common subsequence of a passage, by the sum of weights. The sum fits: the shorter list has at most 512 tokens.
fn table(
    a: &[u32],
    b: &[u32],
    weights: &[u16],
    own: Range<usize>,
    other: Range<usize>,
    matched: &mut [Option<usize>],
) {
    let width = other.len() + 1;
    // best[i * width + j]: of the tokens from i in a and from j in b.
    let mut best = vec![0_u16; (own.len() + 1) * width];
    let mut rows = best.chunks_exact_mut(width).rev();
    let mut below: &[u16] = rows.next().unwrap_or_default();
    for (row, at) in rows.zip(own.clone().rev()) {
        let (token, weight) = (a[at], weights[at]);
        // Without what follows in this row, a cell does not depend on another one of it.
        let cells = row.iter_mut().zip(below.windows(2));
        for ((cell, below), other) in cells.zip(&b[other.clone()]) {
            let matched = match token == *other {
                true => below[1] + weight,
                false => 0,
            };
            *cell = matched.max(below[0]);
        }
        let mut after = 0;
        for cell in row.iter_mut().rev() {
            after = after.max(*cell);
            *cell = after;
        }
        below = row;
    }
    let (mut i, mut j) = (0, 0);
    while i < own.len() && j < other.len() {
        let here = best[i * width + j];
        let token = a[own.start + i];
        let after = best[(i + 1) * width + j + 1] + weights[own.start + i];
        if token == b[other.start + j] && here == after {
            matched[own.start + i] = Some(other.start + j);
            i += 1;
            j += 1;
        } else if here == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

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

    #[test]
    fn short_lists_have_the_heaviest_common_subsequence() {
        let mut random = Random::new(9);
        for _ in 0..500 {
            let mut list =
                || -> Vec<u32> { (0..random.below(9)).map(|_| random.below(4)).collect() };
            let (a, b) = (list(), list());
            let weights: Vec<u16> = a.iter().map(|&token| 3 + token as u16 % 2).collect();
            let matched = align(&a, &b, &weights);
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
        let matched = align(&a, &b, &vec![1; a.len()]);
        check(&a, &b, &matched);
        assert_eq!(matched.iter().flatten().count(), 180_000);
        let equal = vec![7_u32; 100_000];
        let mut other = equal.clone();
        other.insert(0, 1);
        other.push(2);
        check(
            &equal,
            &other,
            &align(&equal, &other, &vec![1; equal.len()]),
        );
    }
}
