//! Runs of similar sentences: which sentences have similar neighbours, and which runs continue each other.
//!
//! The pairs of similar sentences of two documents are points of a matrix, whose rows are the sentences of one document
//! and whose columns are those of the other. A maximal run of points on a diagonal is a partial duplicate
//! (Zhang, Zhang, Yu, Huang, SIGIR 2010). A sentence that was altered, split, merged, inserted or deleted interrupts a
//! run; [`chains_into`] joins the runs on both sides of it.

use xxhash_rust::xxh3::xxh3_64;

use crate::forest::Forest;
use crate::hash_order::remove_repeats;

/// The largest gap of [`chains_into`], in sentences.
pub const MAX_GAP: u32 = 20;

/// The maximum number of sentences of a window of [`RunKeys`] without gaps.
const MAX_LENGTH: u32 = 4;

/// Keys by which sentences are joined that may belong to a common run: hashes of windows of sentences.
///
/// A sentence has a key for each window that contains it and for its position in that window, so that two sentences
/// share a key only if their neighbours are similar, too. A frequent sentence has few candidates where its neighbours
/// differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunKeys {
    /// The number of sentences of a window.
    length: u32,
    /// The largest difference of the positions of two sentences that follow each other in a window.
    reach: u32,
}

impl RunKeys {
    /// Keys that all pairs of a run share, if it has at least `min_length` pairs and gaps of at most `max_gap`, which is
    /// at most [`MAX_GAP`].
    pub fn new(min_length: u32, max_gap: u32) -> Self {
        // A chain of runs may branch, so that only two of its pairs are sure to follow each other.
        let longest = if max_gap == 0 { MAX_LENGTH } else { 2 };
        Self {
            length: min_length.clamp(1, longest),
            reach: 2 * max_gap.min(MAX_GAP) + 1,
        }
    }

    /// Appends (index of the sentence, key) for all keys of the sentences of a document to `out`, sorted and distinct.
    /// Sentences are given by their ascending positions and by their classes: similar sentences are of the same class.
    pub fn keys_into(self, positions: &[i64], classes: &[u64], out: &mut Vec<(usize, u64)>) {
        let start = out.len();
        let mut window = Vec::with_capacity(self.length as usize);
        for first in 0..positions.len().min(classes.len()) {
            window.push(first);
            self.extend(positions, classes, &mut window, out);
            window.pop();
        }
        out[start..].sort_unstable();
        remove_repeats(out, start);
    }

    /// Adds the keys of all windows that begin with the sentences of `window`.
    fn extend(
        self,
        positions: &[i64],
        classes: &[u64],
        window: &mut Vec<usize>,
        out: &mut Vec<(usize, u64)>,
    ) {
        if window.len() == self.length as usize {
            let mut bytes = [0_u8; 8 * (MAX_LENGTH as usize + 1)];
            for (place, &at) in window.iter().enumerate() {
                bytes[8 * place + 8..8 * place + 16].copy_from_slice(&classes[at].to_le_bytes());
            }
            let end = 8 * window.len() + 8;
            for (place, &at) in window.iter().enumerate() {
                bytes[0] = place as u8;
                out.push((at, xxh3_64(&bytes[..end])));
            }
            return;
        }
        let Some(&last) = window.last() else {
            return;
        };
        let end = positions[last].saturating_add(i64::from(self.reach));
        for next in last + 1..positions.len().min(classes.len()) {
            if positions[next] > end {
                break;
            }
            window.push(next);
            self.extend(positions, classes, window, out);
            window.pop();
        }
    }
}

/// A run of similar sentences of two documents, by the positions of its first and its last pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// First position in one document.
    pub first_a: i64,
    /// Last position in it.
    pub last_a: i64,
    /// First position in the other document.
    pub first_b: i64,
    /// Last position in it.
    pub last_b: i64,
}

/// Appends the number of the chain of each run to `out`: the index of the first run of its chain.
///
/// A run continues another one if it begins after the end of that one in both documents, with i sentences between them
/// in one document and j in the other, where the smaller of i and j is at most `max_gap`, and so is their difference.
/// One altered sentence (1, 1), an inserted or deleted one (0, 1), and one that is split or merged (1, 2) need a gap of
/// 1. A chain is a connected component of this relation.
pub fn chains_into(runs: &[Run], max_gap: u32, out: &mut Vec<u32>) {
    let gap = i64::from(max_gap.min(MAX_GAP));
    let mut ends: Vec<(i64, i64, u32)> = (0..)
        .zip(runs)
        .map(|(at, run)| (run.last_a, run.last_b, at))
        .collect();
    ends.sort_unstable();
    let mut forest = Forest::new(runs.len() as u32);
    for (at, run) in (0..).zip(runs) {
        for i in 0..=2 * gap {
            let smallest = if i <= gap { (i - gap).max(0) } else { i - gap };
            let largest = if i <= gap { i + gap } else { gap };
            for j in smallest..=largest {
                let end = (
                    run.first_a.saturating_sub(i + 1),
                    run.first_b.saturating_sub(j + 1),
                );
                let from = ends.partition_point(|&(a, b, _)| (a, b) < end);
                for &(a, b, before) in &ends[from..] {
                    if (a, b) != end {
                        break;
                    }
                    forest.union(before, at);
                }
            }
        }
    }
    let nodes = 0..runs.len() as u32;
    let roots: Vec<u32> = nodes.map(|node| forest.find(node)).collect();
    let mut first = vec![u32::MAX; runs.len()];
    for (at, &root) in (0..).zip(&roots) {
        let first = &mut first[root as usize];
        *first = (*first).min(at);
    }
    out.extend(roots.iter().map(|&root| first[root as usize]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    fn keys(spec: RunKeys, positions: &[i64], classes: &[u64]) -> Vec<(usize, u64)> {
        let mut keys = vec![(9, 9)];
        spec.keys_into(positions, classes, &mut keys);
        assert_eq!(keys.remove(0), (9, 9), "what was there stays");
        keys
    }

    fn share(a: &[(usize, u64)], at_a: usize, b: &[(usize, u64)], at_b: usize) -> bool {
        let of = |(at, key): &(usize, u64), wanted: usize| (*at == wanted).then_some(*key);
        a.iter()
            .filter_map(|x| of(x, at_a))
            .any(|x| b.iter().filter_map(|y| of(y, at_b)).any(|y| x == y))
    }

    #[test]
    fn sentences_share_keys_if_their_neighbours_are_alike() {
        let spec = RunKeys::new(3, 0);
        let a = keys(spec, &[0, 1, 2, 3], &[7, 1, 2, 3]);
        let b = keys(spec, &[5, 6, 7, 9], &[1, 2, 3, 7]);
        for (at_a, at_b) in [(1, 0), (2, 1), (3, 2)] {
            assert!(share(&a, at_a, &b, at_b));
        }
        assert!(!share(&a, 0, &b, 3), "only the sentence itself is alike");
        // A position that is left out interrupts a window.
        assert!(keys(spec, &[0, 1, 3], &[1, 2, 3]).is_empty());
        assert_eq!(keys(RunKeys::new(1, 0), &[0, 9], &[1, 1]).len(), 2);
    }

    /// Whether a run that ends at (i, j) sentences before another one is continued by it, from the definition.
    fn continues(before: Run, after: Run, gap: i64) -> bool {
        let i = after.first_a - before.last_a - 1;
        let j = after.first_b - before.last_b - 1;
        i >= 0 && j >= 0 && i.min(j) <= gap && (i - j).abs() <= gap
    }

    #[test]
    fn altered_inserted_and_split_sentences_are_stepped_over() {
        let run = |first_a, last_a, first_b, last_b| Run {
            first_a,
            last_a,
            first_b,
            last_b,
        };
        let before = run(0, 3, 10, 13);
        for (i, j, gap) in [
            (0, 0, 0),
            (1, 1, 1),
            (0, 1, 1),
            (2, 1, 1),
            (2, 2, 2),
            (4, 2, 2),
        ] {
            let after = run(4 + i, 6 + i, 14 + j, 16 + j);
            for max_gap in 0..4 {
                let mut chains = vec![];
                chains_into(&[after, before], max_gap, &mut chains);
                let expected = if max_gap >= gap { [0, 0] } else { [0, 1] };
                assert_eq!(chains, expected, "{i} {j} {max_gap}");
            }
        }
    }

    #[test]
    fn chains_equal_repeated_merging() {
        let mut random = Random::new(3);
        for round in 0..3_000 {
            let count = random.below(12);
            let runs: Vec<Run> = (0..count)
                .map(|_| {
                    let (a, b) = (random.below(14).into(), random.below(14).into());
                    let length = i64::from(random.below(3));
                    Run {
                        first_a: a,
                        last_a: a + length,
                        first_b: b,
                        last_b: b + length,
                    }
                })
                .collect();
            let gap = round % 4;
            let mut expected: Vec<u32> = (0..count).collect();
            loop {
                let before = expected.clone();
                for x in 0..runs.len() {
                    for y in 0..runs.len() {
                        if continues(runs[x], runs[y], gap.into()) {
                            let min = expected[x].min(expected[y]);
                            (expected[x], expected[y]) = (min, min);
                        }
                    }
                }
                if before == expected {
                    break;
                }
            }
            let mut chains = vec![];
            chains_into(&runs, gap, &mut chains);
            assert_eq!(chains, expected, "{runs:?} {gap}");
        }
    }

    /// Any two neighbours of a chain share a key, whatever is between them.
    #[test]
    fn pairs_of_a_run_share_a_key() {
        let mut random = Random::new(5);
        for round in 0..2_000 {
            let (gap, length) = (round % 3, 1 + round % 6);
            let spec = RunKeys::new(length, gap);
            let (mut a, mut b) = ((vec![], vec![]), (vec![], vec![]));
            let (mut at_a, mut at_b) = (0_i64, 0_i64);
            let mut run = vec![];
            let mut fresh = 1_000;
            for _ in 0..length {
                // The sentences between two pairs of the run.
                let (i, j) = loop {
                    let (i, j) = (random.below(2 * gap + 1), random.below(2 * gap + 1));
                    if i.min(j) <= gap && i.abs_diff(j) <= gap {
                        break (i, j);
                    }
                };
                for (document, at, count) in [(&mut a, &mut at_a, i), (&mut b, &mut at_b, j)] {
                    for _ in 0..count {
                        fresh += 1;
                        document.0.push(*at);
                        document.1.push(fresh);
                        *at += 1;
                    }
                }
                let class = u64::from(random.below(3));
                run.push((a.0.len(), b.0.len()));
                for (document, at) in [(&mut a, &mut at_a), (&mut b, &mut at_b)] {
                    document.0.push(*at);
                    document.1.push(class);
                    *at += 1;
                }
            }
            let (a, b) = (keys(spec, &a.0, &a.1), keys(spec, &b.0, &b.1));
            for (at_a, at_b) in run {
                assert!(share(&a, at_a, &b, at_b), "{spec:?}");
            }
        }
    }

    #[test]
    fn positions_at_the_ends_of_the_range() {
        let positions = [i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX];
        assert_eq!(keys(RunKeys::new(2, 0), &positions, &[1; 4]).len(), 4);
        let run = |at| Run {
            first_a: at,
            last_a: at,
            first_b: at,
            last_b: at,
        };
        let mut chains = vec![];
        chains_into(&[run(i64::MIN + 1), run(i64::MAX)], 1, &mut chains);
        assert_eq!(chains, [0, 1]);
    }
}
