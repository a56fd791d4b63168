//! Winnowing: a few hashes of a text, such that texts with a long common run share one.
//!
//! Of each window of w consecutive hashes the smallest is selected, and the rightmost among equals (Schleimer,
//! Wilkerson, Aiken, SIGMOD 2003). Two windows of the same hashes have the same smallest one, so that two texts with a
//! common run of at least k + w − 1 units, which is a common run of w hashes of k units each, share a selected hash. Of
//! random hashes the share 2/(w + 1) is selected.

use std::collections::VecDeque;

/// The selection of hashes by windows. It keeps its buffer from text to text.
#[derive(Debug, Default)]
pub struct Winnower {
    /// Positions of the current window whose hashes are smaller than all later ones, ascending.
    smallest: VecDeque<usize>,
}

impl Winnower {
    /// Appends the positions of the selected hashes to `out`, ascending and each once. Fewer hashes than a window are
    /// one window.
    pub fn positions_into(&mut self, hashes: &[u64], window: usize, out: &mut Vec<usize>) {
        let start = out.len();
        self.for_each_window(hashes, window, |selected| {
            if out.len() == start || out.last() != Some(&selected) {
                out.push(selected);
            }
        });
    }

    /// Calls `f` with the position that is selected of each window, in order.
    pub(crate) fn for_each_window(
        &mut self,
        hashes: &[u64],
        window: usize,
        mut f: impl FnMut(usize),
    ) {
        let window = window.clamp(1, hashes.len().max(1));
        self.smallest.clear();
        for (at, &hash) in hashes.iter().enumerate() {
            while let Some(&last) = self.smallest.back()
                && hashes[last] >= hash
            {
                self.smallest.pop_back();
            }
            self.smallest.push_back(at);
            if let Some(&first) = self.smallest.front()
                && first + window <= at
            {
                self.smallest.pop_front();
            }
            if at + 1 >= window
                && let Some(&selected) = self.smallest.front()
            {
                f(selected);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;
    use crate::{Shingle, ShingleScratch};

    fn positions(hashes: &[u64], window: usize) -> Vec<usize> {
        let mut positions = vec![usize::MAX];
        Winnower::default().positions_into(hashes, window, &mut positions);
        assert_eq!(positions.remove(0), usize::MAX, "what was there stays");
        positions
    }

    /// The definition.
    fn oracle(hashes: &[u64], window: usize) -> Vec<usize> {
        let last = hashes.len().saturating_sub(window);
        let mut selected: Vec<usize> = (0..=last)
            .filter_map(|first| {
                let of_window = first..hashes.len().min(first + window);
                let smallest = hashes[of_window.clone()].iter().min()?;
                of_window.rev().find(|&at| hashes[at] == *smallest)
            })
            .collect();
        selected.dedup();
        selected
    }

    /// The example of the paper, section 3, with windows of 4 hashes.
    #[test]
    fn the_published_example() {
        let hashes = [
            77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98,
        ];
        let selected: Vec<u64> = positions(&hashes, 4).iter().map(|&at| hashes[at]).collect();
        assert_eq!(selected, [17, 17, 8, 39, 17]);
    }

    #[test]
    fn the_rightmost_of_equal_hashes() {
        assert_eq!(positions(&[5, 5, 5, 5], 3), [2, 3]);
        assert_eq!(positions(&[1, 2, 1], 3), [2]);
    }

    #[test]
    fn short_texts_have_one_hash() {
        assert_eq!(positions(&[], 4), []);
        assert_eq!(positions(&[9], 4), [0]);
        assert_eq!(positions(&[3, 2], 4), [1]);
        assert_eq!(positions(&[3, 2, 7], 1), [0, 1, 2]);
    }

    #[test]
    fn equals_the_definition() {
        let mut texts = RandomTexts::new(11);
        for _ in 0..5_000 {
            let hashes: Vec<u64> = (0..texts.below(40)).map(|_| texts.number() % 9).collect();
            let window = 1 + texts.below(9);
            assert_eq!(
                positions(&hashes, window),
                oracle(&hashes, window),
                "{hashes:?} {window}"
            );
        }
    }

    /// Two texts with a common run of k + w - 1 units share a selected hash, and it lies in the run.
    #[test]
    fn texts_with_a_common_run_share_a_hash() {
        let mut texts = RandomTexts::new(12);
        let mut scratch = ShingleScratch::default();
        for round in 0..3_000 {
            let (k, window) = (1 + texts.below(6), 1 + texts.below(6));
            let is_words = round % 2 == 0;
            let shingle = match is_words {
                true => Shingle::Space(k),
                false => Shingle::Char(k),
            };
            let mut units = |count: usize| -> Vec<String> {
                (0..count)
                    .map(|_| ["a", "b", "ü", "漢"][texts.below(4)].to_owned())
                    .collect()
            };
            let run = units(k + window - 1);
            let mut hashes_around = |before: usize, after: usize| {
                let all = [units(before), run.clone(), units(after)].concat();
                let text = all.join(if is_words { " " } else { "" });
                let mut hashes = Vec::new();
                shingle.repeated_hashes_into(&text, &mut scratch, &mut hashes);
                hashes
            };
            let (a, b) = (hashes_around(round % 7, 5), hashes_around(3, round % 5));
            let in_run = |hashes: &[u64], first: usize| {
                let of_run = first..first + window;
                let selected = positions(hashes, window).into_iter();
                selected
                    .filter(|at| of_run.contains(at))
                    .map(|at| (at - first, hashes[at]))
                    .collect::<Vec<_>>()
            };
            let (a, b) = (in_run(&a, round % 7), in_run(&b, 3));
            assert!(a.iter().any(|hash| b.contains(hash)), "{a:?} {b:?}");
        }
    }
}
