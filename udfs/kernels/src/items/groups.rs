//! Groups of runs that stand beside each other, and which of them show that an item occurs in a text.
//!
//! A changed word divides a run. What is left of it on both sides may be shorter than an n-gram, but stands at the
//! same position in the text as in the item, next to the other part:
//!
//! ```text
//! item  which town lies between the | old     | mill and the harbour of
//! text  which town lies between the | ancient | mill and the harbour of
//!       run of 5 words                1 word    run of 5 words: neighbours
//! ```
//!
//! Two runs are neighbours if the end of one and the beginning of the other are close, in the text and in the item:
//! by fewer words than either of them has, and than an n-gram has. Neighbours, and theirs, are a group. A group
//! counts if one of its runs has the words of an n-gram. An item of one and a half to three n-grams may have no such
//! run where two of its words were changed: for it, a run of three quarters of an n-gram suffices if the group holds
//! three quarters of the item.

use std::collections::BTreeSet;

use super::layout::Item;
use super::{ItemIndex, Run, Word};

/// The minimum share of an item's words that a group without a run of an n-gram's words holds.
const MIN_SHARE: f64 = 0.75;

/// The number of runs around which others are looked for, of an item in a text. Texts of few different words, such as
/// tables of digits, have runs at nearly all of their places.
const MAX_SEARCHES: usize = 256;
/// The number of runs that are found in this way.
const MAX_NEIGHBOURS: usize = 256;

/// The number of words of a shorter n-gram, for n-grams of `gram` words.
pub(super) fn shorter_gram(gram: usize) -> usize {
    (3 * gram).div_ceil(4)
}

/// The minimum number of words of a run that can be the only long one of a group, for an item of `words` words.
///
/// An item that has two shorter n-grams keeps one of them if one of its words is changed; of an item of three
/// n-grams, two changed words leave one n-gram.
pub(super) fn min_evidence(gram: usize, words: usize) -> usize {
    let shorter = shorter_gram(gram);
    match words {
        _ if words < gram => words,
        _ if (2 * shorter..3 * gram).contains(&words) => shorter,
        _ => gram,
    }
}

/// Reusable memory.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The runs of all groups.
    seen: BTreeSet<Run>,
    /// The runs of one group.
    group: Vec<Run>,
    marks: Vec<bool>,
}

impl ItemIndex<'_> {
    /// Appends the runs of the groups that count, in the order of the text. `evidence` are the runs of an item with
    /// an n-gram, or a shorter one, that is looked up; they are sorted.
    pub(super) fn runs_of_groups(
        &self,
        words: &[Word],
        item: Item,
        evidence: &[Run],
        groups: &mut Groups,
        runs: &mut Vec<Run>,
    ) {
        let Groups { seen, group, marks } = groups;
        seen.clear();
        let long = self.layout.gram.min(item.words);
        let (mut searches, mut neighbours) = (0, 0);
        for first in evidence {
            if !seen.insert(*first) {
                continue;
            }
            group.clear();
            group.push(*first);
            let mut at = 0;
            while let Some(&run) = group.get(at).filter(|_| searches < MAX_SEARCHES) {
                at += 1;
                searches += 1;
                self.for_each_neighbour(words, item, run, |neighbour| {
                    if neighbours < MAX_NEIGHBOURS && seen.insert(neighbour) {
                        neighbours += 1;
                        group.push(neighbour);
                    }
                });
            }
            let is_long =
                |run: &Run| run.length as usize >= long && evidence.binary_search(run).is_ok();
            if group.iter().any(is_long) || self.coverage(item, group, marks) >= MIN_SHARE {
                runs.extend_from_slice(group);
            }
        }
        runs.sort_unstable();
    }

    /// Calls `f` with each neighbour of a run: the maximal runs of equal words whose beginning is close to its end,
    /// or whose end is close to its beginning. An item of fewer words than an n-gram occurs as a whole, so that its
    /// runs have none.
    fn for_each_neighbour(&self, words: &[Word], item: Item, run: Run, mut f: impl FnMut(Run)) {
        if item.words < self.layout.gram {
            return;
        }
        let (text, place, length) = (run.text as usize, run.item as usize, run.length as usize);
        // All positions that are closer than this.
        let near = self.layout.gram.min(length);
        let around = |at: usize, end: usize| (at + 1).saturating_sub(near)..(at + near).min(end);
        let is_equal = |text: usize, place: usize| {
            words[text].hash == self.layout.word(item.first + place).hash
        };
        let (text_end, place_end) = (text + length, place + length);
        for at in around(text_end, words.len()) {
            for of_item in around(place_end, item.words) {
                let continues = at > 0 && of_item > 0 && is_equal(at - 1, of_item - 1);
                if continues || !is_equal(at, of_item) {
                    continue;
                }
                let max = (words.len() - at).min(item.words - of_item);
                let length = (1..max).take_while(|by| is_equal(at + by, of_item + by));
                let length = 1 + length.count();
                if length > text_end.abs_diff(at).max(place_end.abs_diff(of_item)) {
                    f(Run {
                        text: at as u32,
                        item: of_item as u32,
                        length: length as u32,
                    });
                }
            }
        }
        for end in around(text, words.len() + 1) {
            for of_item in around(place, item.words + 1) {
                let is_end = end > 0 && of_item > 0 && is_equal(end - 1, of_item - 1);
                let continues = end < words.len() && of_item < item.words && is_equal(end, of_item);
                if continues || !is_end {
                    continue;
                }
                let max = end.min(of_item);
                let length = (2..=max).take_while(|by| is_equal(end - by, of_item - by));
                let length = 1 + length.count();
                if length > text.abs_diff(end).max(place.abs_diff(of_item)) {
                    f(Run {
                        text: (end - length) as u32,
                        item: (of_item - length) as u32,
                        length: length as u32,
                    });
                }
            }
        }
    }
}
