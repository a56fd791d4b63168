//! Which of the passages of a group already occur earlier.

use std::collections::HashMap;

/// Consecutive passages of a text that have the same anchor.
#[derive(Debug, Clone, Copy)]
pub struct AnchoredPassages<'a> {
    /// The place of the text among all texts.
    pub rank: i64,
    /// The position of the first passage.
    pub at: i64,
    /// The key of each passage, as [`AnchorGrams::keys`](super::AnchorGrams::keys) gives them.
    pub keys: &'a [[u8; 16]],
}

/// Consecutive passages of a text whose first occurrences are consecutive too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierPassages {
    /// The number of their list in the group.
    pub list: usize,
    /// The position of the first passage.
    pub at: i64,
    /// The number of passages.
    pub passages: i64,
    /// The number of the list in which they occur first.
    pub first_list: usize,
    /// The position of the first passage there.
    pub first_at: i64,
    /// The number of occurrences of the rarest passage, the first one included.
    pub copies: i64,
}

/// Finds the passages that already occur earlier. It keeps its buffers from group to group.
#[derive(Debug, Default)]
pub struct EarlierFinder {
    /// The lists of the group, in the order of their passages.
    order: Vec<usize>,
    /// The number of each key.
    numbers: HashMap<[u8; 16], usize>,
    /// By the number of the key.
    occurrences: Vec<Occurrences>,
    /// The number of the key of each passage, in order.
    keys: Vec<usize>,
}

/// The occurrences of a passage.
#[derive(Debug)]
struct Occurrences {
    first_list: usize,
    first_at: i64,
    count: i64,
}

impl EarlierFinder {
    /// Calls `f` with each run of passages that occur earlier in the group, by rank and position, and at least
    /// `min_copies` times in all, the first occurrence included. The passages of a group must be at different positions.
    pub fn for_each(
        &mut self,
        group: &[AnchoredPassages<'_>],
        min_copies: i64,
        mut f: impl FnMut(EarlierPassages),
    ) {
        self.order.clear();
        self.order.extend(0..group.len());
        self.order
            .sort_unstable_by_key(|&list| (group[list].rank, group[list].at));
        self.numbers.clear();
        self.occurrences.clear();
        self.keys.clear();
        for &list in &self.order {
            for (&key, at) in group[list].keys.iter().zip(group[list].at..) {
                let next = self.occurrences.len();
                let number = *self.numbers.entry(key).or_insert(next);
                if number == next {
                    self.occurrences.push(Occurrences {
                        first_list: list,
                        first_at: at,
                        count: 0,
                    });
                }
                self.occurrences[number].count += 1;
                self.keys.push(number);
            }
        }
        let mut keys = self.keys.iter();
        for &list in &self.order {
            let mut run: Option<EarlierPassages> = None;
            for (at, &key) in (group[list].at..).zip(keys.by_ref().take(group[list].keys.len())) {
                let first = &self.occurrences[key];
                let is_first = (first.first_list, first.first_at) == (list, at);
                if is_first || first.count < min_copies {
                    run.take().map(&mut f);
                    continue;
                }
                match &mut run {
                    Some(run)
                        if run.first_list == first.first_list
                            && run.first_at + run.passages == first.first_at =>
                    {
                        run.passages += 1;
                        run.copies = run.copies.min(first.count);
                    }
                    _ => {
                        let next = EarlierPassages {
                            list,
                            at,
                            passages: 1,
                            first_list: first.first_list,
                            first_at: first.first_at,
                            copies: first.count,
                        };
                        run.replace(next).map(&mut f);
                    }
                }
            }
            run.map(&mut f);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;

    /// A naive version: each passage by itself.
    fn oracle(group: &[AnchoredPassages<'_>], min_copies: i64) -> Vec<[i64; 5]> {
        let passages = || {
            group.iter().enumerate().flat_map(|(text, passages)| {
                let keys = passages.keys.iter().zip(passages.at..);
                keys.map(move |(&key, at)| (passages.rank, at, text, key))
            })
        };
        let mut found = Vec::new();
        for (rank, at, text, key) in passages() {
            let same = || passages().filter(|other| other.3 == key);
            let Some(first) = same().min() else { continue };
            let copies = same().count() as i64;
            if (first.0, first.1) < (rank, at) && copies >= min_copies {
                found.push([text as i64, at, first.2 as i64, first.1, copies]);
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn runs_are_those_of_single_passages() {
        let mut random = SplitMix64::new(71);
        let mut below = |end: u64| random.next() % end;
        let mut finder = EarlierFinder::default();
        let (mut total, mut long) = (0, 0);
        for round in 0..3_000 {
            let kinds = 1 + below(9);
            let lists: Vec<Vec<[u8; 16]>> = (0..below(6))
                .map(|_| {
                    let start = below(kinds);
                    let keys = (start..start + below(7)).map(|key| match below(8) {
                        0 => below(kinds),
                        _ => key,
                    });
                    keys.map(|key| u128::from(key).to_be_bytes()).collect()
                })
                .collect();
            // Two lists of one text are at different positions of it.
            let group: Vec<AnchoredPassages<'_>> = lists
                .iter()
                .enumerate()
                .map(|(number, keys)| AnchoredPassages {
                    rank: below(3) as i64,
                    at: (number * 10) as i64,
                    keys,
                })
                .collect();
            let min_copies = 2 + round % 3;
            let mut found = Vec::new();
            let mut rarest = Vec::new();
            finder.for_each(&group, min_copies, |run| {
                assert!(run.passages > 0);
                long += i64::from(run.passages > 2);
                for passage in 0..run.passages {
                    let place = [run.at + passage, run.first_at + passage];
                    found.push([run.list as i64, place[0], run.first_list as i64, place[1]]);
                }
                rarest.push((run.list as i64, run.at..run.at + run.passages, run.copies));
            });
            let expected = oracle(&group, min_copies);
            for (text, positions, copies) in rarest {
                let of_run = expected
                    .iter()
                    .filter(|passage| passage[0] == text && positions.contains(&passage[1]));
                assert_eq!(of_run.map(|passage| passage[4]).min(), Some(copies));
            }
            found.sort_unstable();
            let expected: Vec<[i64; 4]> = expected
                .iter()
                .map(|&[text, at, first_list, first_at, _]| [text, at, first_list, first_at])
                .collect();
            assert_eq!(found, expected, "{group:?}");
            total += found.len();
        }
        assert!(total > 3_000 && long > 300, "{total} {long}");
    }
}
