//! Which of the passages of a group already occur earlier.

use std::collections::HashMap;
use std::ops::Range;

/// Consecutive passages that have the same anchor.
#[derive(Debug, Clone, Copy)]
pub struct AnchoredPassages<'a> {
    /// The key of each passage, as [`AnchorGrams::keys`](super::AnchorGrams::keys) gives them.
    pub keys: &'a [[u8; 16]],
    /// Where they occur.
    pub places: &'a [Place],
}

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The place of the text among all texts.
    pub rank: i64,
    /// The position in the text.
    pub at: i64,
}

/// Consecutive passages of a text whose first occurrences are consecutive too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierPassages {
    /// The number of the place from which they were read, among the places of all passages of the group.
    pub place: usize,
    /// The position of the first passage.
    pub at: i64,
    /// The number of passages.
    pub passages: i64,
    /// The number of the place from which their first occurrences were read.
    pub first_place: usize,
    /// The position of the first passage there.
    pub first_at: i64,
    /// The number of occurrences of the rarest passage, the first one included.
    pub copies: i64,
}

/// Finds the passages that already occur earlier. It keeps its buffers from group to group.
#[derive(Debug, Default)]
pub struct EarlierFinder {
    /// The places of the group, in order.
    order: Vec<Occurrence>,
    /// The number of each key.
    numbers: HashMap<[u8; 16], usize>,
    /// By the number of the key.
    found: Vec<Found>,
    /// The numbers of the keys of all passages of the group.
    keys: Vec<usize>,
}

/// One occurrence of consecutive passages.
#[derive(Debug, Clone)]
struct Occurrence {
    place: Place,
    /// The number of the place.
    number: usize,
    /// Where the numbers of their keys are.
    keys: Range<usize>,
}

/// The occurrences of a passage.
#[derive(Debug)]
struct Found {
    count: i64,
    /// The number of the place from which the first one was read, and its position.
    first: Option<(usize, i64)>,
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
        self.numbers.clear();
        self.found.clear();
        self.keys.clear();
        for passages in group {
            let first = self.keys.len();
            for &key in passages.keys {
                let next = self.found.len();
                let number = *self.numbers.entry(key).or_insert(next);
                if number == next {
                    self.found.push(Found {
                        count: 0,
                        first: None,
                    });
                }
                self.found[number].count += passages.places.len() as i64;
                self.keys.push(number);
            }
            let keys = first..self.keys.len();
            let number = self.order.len();
            let places = passages.places.iter().zip(number..);
            self.order.extend(places.map(|(&place, number)| Occurrence {
                place,
                number,
                keys: keys.clone(),
            }));
        }
        self.order
            .sort_unstable_by_key(|occurrence| occurrence.place);
        for occurrence in &self.order {
            let mut run: Option<EarlierPassages> = None;
            let keys = &self.keys[occurrence.keys.clone()];
            for (at, &key) in (occurrence.place.at..).zip(keys) {
                let found = &mut self.found[key];
                let Some((first_place, first_at)) = found.first else {
                    found.first = Some((occurrence.number, at));
                    run.take().map(&mut f);
                    continue;
                };
                if found.count < min_copies {
                    run.take().map(&mut f);
                    continue;
                }
                match &mut run {
                    Some(run)
                        if run.first_place == first_place
                            && run.first_at + run.passages == first_at =>
                    {
                        run.passages += 1;
                        run.copies = run.copies.min(found.count);
                    }
                    _ => {
                        let next = EarlierPassages {
                            place: occurrence.number,
                            at,
                            passages: 1,
                            first_place,
                            first_at,
                            copies: found.count,
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
        let mut passages = Vec::new();
        let mut number = 0;
        for list in group {
            for &place in list.places {
                let keys = list.keys.iter().zip(place.at..);
                passages.extend(keys.map(|(&key, at)| (Place { at, ..place }, number, key)));
                number += 1;
            }
        }
        let mut found = Vec::new();
        for &(place, number, key) in &passages {
            let same = || passages.iter().filter(|other| other.2 == key);
            let Some(first) = same().min() else { continue };
            let copies = same().count() as i64;
            if first.0 < place && copies >= min_copies {
                found.push([number, place.at, first.1, first.0.at, copies]);
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn runs_are_those_of_single_passages() {
        let mut random = SplitMix64::new(71);
        let mut finder = EarlierFinder::default();
        let (mut total, mut long) = (0, 0);
        for round in 0..3_000 {
            let kinds = 1 + random.below(9);
            let mut position = 0;
            let lists: Vec<(Vec<[u8; 16]>, Vec<Place>)> = (0..random.below(5))
                .map(|_| {
                    let start = random.below(kinds);
                    let keys = (start..start + random.below(7)).map(|key| {
                        let key = match random.below(8) {
                            0 => random.below(kinds),
                            _ => key,
                        };
                        u128::from(key).to_be_bytes()
                    });
                    let keys = keys.collect();
                    // Two places in one text are at different positions of it.
                    let places = (0..1 + random.below(3)).map(|_| {
                        position += 10;
                        Place {
                            rank: random.below(3) as i64,
                            at: position,
                        }
                    });
                    (keys, places.collect())
                })
                .collect();
            let group: Vec<AnchoredPassages<'_>> = lists
                .iter()
                .map(|(keys, places)| AnchoredPassages { keys, places })
                .collect();
            let min_copies = 2 + round % 3;
            let mut found = Vec::new();
            let mut rarest = Vec::new();
            finder.for_each(&group, min_copies, |run| {
                assert!(run.passages > 0);
                long += i64::from(run.passages > 2);
                for passage in 0..run.passages {
                    let at = [run.at + passage, run.first_at + passage];
                    found.push([run.place as i64, at[0], run.first_place as i64, at[1]]);
                }
                let positions = run.at..run.at + run.passages;
                rarest.push((run.place as i64, positions, run.copies));
            });
            let expected = oracle(&group, min_copies);
            for (place, positions, copies) in rarest {
                let of_run = expected
                    .iter()
                    .filter(|passage| passage[0] == place && positions.contains(&passage[1]));
                assert_eq!(of_run.map(|passage| passage[4]).min(), Some(copies));
            }
            found.sort_unstable();
            let expected: Vec<[i64; 4]> = expected
                .iter()
                .map(|&[place, at, first_place, first_at, _]| [place, at, first_place, first_at])
                .collect();
            assert_eq!(found, expected, "{group:?}");
            total += found.len();
        }
        assert!(total > 3_000 && long > 300, "{total} {long}");
    }
}
