//! Items found in texts, against a comparison of all positions.

use super::*;
use crate::test_random::Random;
use std::collections::{BTreeMap, BTreeSet};

const SPEC: ItemSpec = ItemSpec {
    min_run: 4,
    max_items: 2,
    min_words: 2,
};

fn found(items: &[(i64, &str)], spec: ItemSpec, text: &str, min_coverage: f64) -> Vec<FoundItem> {
    let (bytes, _) = item_index(items, spec).unwrap();
    let mut reversed = items.to_vec();
    reversed.reverse();
    assert_eq!(item_index(&reversed, spec).unwrap().0, bytes);
    let index = ItemIndex::from_bytes(&bytes).unwrap();
    let mut out = Vec::new();
    index.find(text, min_coverage, &mut ItemScratch::default(), &mut out);
    out
}

fn normal_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| {
        let mut normal = String::new();
        normalize_into(word, &mut normal);
        words.push(normal);
    });
    words
}

/// A run: first word in the text, in the item, words.
type Placed = (usize, usize, usize);

/// Number, kind, hits, ignored hits, coverage, longest run, and the runs.
type Expected = (i64, &'static str, u32, u32, f64, u32, Vec<Placed>);

/// Whether the end of one of two runs is close to the beginning of the other.
fn are_neighbours(a: Placed, b: Placed, min_run: usize) -> bool {
    let are_close = |before: Placed, after: Placed| {
        let in_text = after.0.abs_diff(before.0 + before.2);
        let in_item = after.1.abs_diff(before.1 + before.2);
        in_text.max(in_item) < min_run.min(before.2).min(after.2)
    };
    are_close(a, b) || are_close(b, a)
}

/// The items of a text by the definition: all diagonals of equal words.
fn naive(items: &[(i64, &str)], spec: ItemSpec, text: &str, min_coverage: f64) -> Vec<Expected> {
    let text = normal_words(text);
    let items: BTreeMap<i64, Vec<String>> = items
        .iter()
        .map(|(number, item)| (*number, normal_words(item)))
        .filter(|(_, words)| words.len() >= spec.min_words)
        .collect();
    let gram_of = |words: &[String]| spec.min_run.min(words.len());
    let shorter = (3 * spec.min_run).div_ceil(4);
    let mut holders: BTreeMap<Vec<String>, BTreeSet<&[String]>> = BTreeMap::new();
    let mut holders_of_shorter = holders.clone();
    for words in items.values() {
        for gram in words.windows(gram_of(words)) {
            holders.entry(gram.to_vec()).or_default().insert(words);
        }
        for gram in words.windows(shorter) {
            let holders = holders_of_shorter.entry(gram.to_vec()).or_default();
            holders.insert(words);
        }
    }
    let mut all = Vec::new();
    for (number, words) in &items {
        let gram = gram_of(words);
        let specific: Vec<bool> = words
            .windows(gram)
            .map(|gram| holders[gram].len() <= spec.max_items)
            .collect();
        let specific_shorter: Vec<bool> = words
            .windows(shorter)
            .map(|gram| holders_of_shorter[gram].len() <= spec.max_items)
            .collect();
        let counts = |place: usize| {
            (0..specific.len()).any(|at| specific[at] && (at..at + gram).contains(&place))
        };
        let counted: Vec<usize> = (0..words.len()).filter(|&place| counts(place)).collect();
        let share_of = |runs: &[Placed]| {
            let is_covered = |place: usize| {
                let mut places = runs.iter().map(|run| run.1..run.1 + run.2);
                places.any(|places| places.contains(&place))
            };
            let covered = counted.iter().filter(|&&place| is_covered(place));
            covered.count() as f64 / counted.len() as f64
        };
        let mut equal: Vec<Placed> = Vec::new();
        for at in 0..text.len() {
            for place in 0..words.len() {
                let begins = at == 0 || place == 0 || text[at - 1] != words[place - 1];
                let both = text[at..].iter().zip(&words[place..]);
                let length = both.take_while(|(a, b)| a == b).count();
                if begins && length > 0 {
                    equal.push((at, place, length));
                }
            }
        }
        let holds = |run: &Placed, length: usize, specific: &[bool]| {
            let mut grams = run.1..(run.1 + run.2 + 1).saturating_sub(length);
            grams.any(|at| specific[at])
        };
        let is_long = |run: &Placed| holds(run, gram, &specific);
        let is_whole = words.len() < spec.min_run;
        let has_shorter = !is_whole && words.len() >= 2 * shorter && words.len() < 3 * spec.min_run;
        let mut runs: Vec<Placed> = Vec::new();
        let mut seen: BTreeSet<Placed> = BTreeSet::new();
        for run in &equal {
            let is_evidence = is_long(run) || has_shorter && holds(run, shorter, &specific_shorter);
            if !is_evidence || seen.contains(run) {
                continue;
            }
            let (mut group, mut at) = (vec![*run], 0);
            while at < group.len() && !is_whole {
                for other in &equal {
                    if are_neighbours(group[at], *other, spec.min_run) && !group.contains(other) {
                        group.push(*other);
                    }
                }
                at += 1;
            }
            seen.extend(&group);
            if group.iter().any(is_long) || share_of(&group) >= 0.75 {
                runs.extend(group);
            }
        }
        runs.sort_unstable();
        let within = |place: usize, length: usize| {
            runs.iter()
                .any(|run| run.1 <= place && place + length <= run.1 + run.2)
        };
        let coverage = share_of(&runs);
        let Some(longest) = runs.iter().map(|run| run.2).max() else {
            continue;
        };
        let hits = (0..specific.len()).filter(|&at| within(at, gram));
        let (hits, ignored): (Vec<usize>, Vec<usize>) = hits.partition(|&at| specific[at]);
        let kind = match longest == words.len() {
            _ if words.len() < spec.min_run => "short",
            true => "verbatim",
            false => "near",
        };
        if coverage >= min_coverage {
            all.push((
                *number,
                kind,
                hits.len() as u32,
                ignored.len() as u32,
                coverage,
                longest as u32,
                runs,
            ));
        }
    }
    all
}

/// The characters of a text in the spans of items.
fn characters_of_spans(
    items: &[(i64, &str)],
    spec: ItemSpec,
    text: &str,
    min_coverage: f64,
) -> BTreeSet<u32> {
    let (bytes, _) = item_index(items, spec).unwrap();
    let index = ItemIndex::from_bytes(&bytes).unwrap();
    let spans = index.spans(text, min_coverage, &mut ItemScratch::default());
    assert!(spans.windows(2).all(|two| two[0].end < two[1].start));
    spans.into_iter().flatten().collect()
}

/// The same by the definition: the runs, and changed words between runs that follow one another in both.
fn characters_of_items(expected: &[Expected], spec: ItemSpec, words: &[Word]) -> BTreeSet<u32> {
    let mut characters = BTreeSet::new();
    for (.., runs) in expected {
        for (at, _, length) in runs {
            characters.extend(words[*at].start..words[at + length - 1].end);
        }
        for two in runs.windows(2) {
            let text = two[0].0 + two[0].2;
            let is_later = two[1].1 > two[0].1 && two[1].1 + two[1].2 > two[0].1 + two[0].2;
            if is_later && two[1].0 >= text && two[1].0 - text < spec.min_run {
                characters.extend(words[text - 1].end..words[two[1].0].start);
            }
        }
    }
    characters
}

fn check(items: &[(i64, &str)], spec: ItemSpec, text: &str, min_coverage: f64) -> Vec<FoundItem> {
    let found = found(items, spec, text, min_coverage);
    let expected = naive(items, spec, text, min_coverage);
    let case = format!("{items:?} {spec:?} {text:?} {min_coverage}");
    assert_eq!(found.len(), expected.len(), "{case}");
    let places = |text: &str| {
        let (mut words, mut normal) = (Vec::new(), String::new());
        words_into(text, &mut normal, &mut words);
        words
    };
    let of_text = places(text);
    assert_eq!(
        characters_of_spans(items, spec, text, min_coverage),
        characters_of_items(&expected, spec, &of_text),
        "{case}"
    );
    for (found, expected) in found.iter().zip(&expected) {
        let (number, kind, hits, ignored_hits, coverage, longest, runs) = expected;
        assert_eq!(
            (
                found.number,
                found.kind.word(),
                found.hits,
                found.ignored_hits,
                found.coverage,
                found.longest
            ),
            (*number, *kind, *hits, *ignored_hits, *coverage, *longest),
            "{case}"
        );
        let item = items.iter().find(|item| item.0 == *number).unwrap().1;
        let of_item = places(item);
        let expected: Vec<ItemRun> = runs
            .iter()
            .take(MAX_RUNS)
            .map(|&(at, place, length)| ItemRun {
                in_text: (of_text[at].start, of_text[at + length - 1].end),
                in_item: (of_item[place].start, of_item[place + length - 1].end),
                words: length as u32,
            })
            .collect();
        let end = runs.iter().map(|run| of_text[run.0 + run.2 - 1].end).max();
        assert_eq!(Some(found.span.1), end, "{case}");
        assert_eq!(found.span.0, expected[0].in_text.0, "{case}");
        assert_eq!(found.runs, expected, "{case}");
    }
    found
}

/// How a word is changed.
#[derive(Debug, Clone, Copy)]
enum Change {
    Replaced,
    Preceded,
    Removed,
}

const CHANGES: [Change; 3] = [Change::Replaced, Change::Preceded, Change::Removed];

/// Words of which those at some places, in ascending order, are changed.
fn changed(words: &[String], places: &[usize], change: Change) -> Vec<String> {
    let mut copy = words.to_vec();
    for &place in places.iter().rev() {
        match change {
            Change::Replaced => copy[place] = "other".to_owned(),
            Change::Preceded => copy.insert(place, "other".to_owned()),
            Change::Removed => drop(copy.remove(place)),
        }
    }
    copy
}

/// One place in every so many words, also in those that remain at the end.
fn places(words: usize, every: usize, random: &mut Random) -> Vec<usize> {
    let firsts = (0..words).step_by(every);
    firsts
        .map(|first| first + random.below(every.min(words - first) as u32) as usize)
        .collect()
}

#[test]
fn random_texts_equal_a_comparison_of_all_places() {
    let mut random = Random::new(7);
    let (mut count, mut without_long_runs) = (0, 0);
    let letters = ["a", "B", "c", "ü", "中", "d", "e", "f"];
    for round in 0..1_500 {
        let kinds = 2 + round % 7;
        let words = |random: &mut Random, max_words: u32| -> Vec<String> {
            let letter = |_| letters[random.below(kinds) as usize].to_owned();
            (0..max_words).map(letter).collect()
        };
        let mut some = |max_words: u32| {
            let length = random.below(max_words);
            words(&mut random, length)
        };
        let items: Vec<Vec<String>> = (0..5).map(|_| some(12 + round % 16)).collect();
        let (mut text, after) = (some(30), some(9));
        if round % 3 < 2 {
            let every = 3 + random.below(10) as usize;
            let mut copy = items[0].clone();
            if round % 3 == 1 {
                let places = places(copy.len(), every, &mut random);
                copy = changed(&copy, &places, CHANGES[random.below(3) as usize]);
            }
            text.extend(copy.iter().map(|word| word.to_uppercase()));
            text.extend(after);
        }
        let mut joined = |words: &[String]| words.join([" ", ", ", "  "][random.below(3) as usize]);
        let items: Vec<String> = items.iter().map(|item| joined(item)).collect();
        let text = joined(&text);
        let items: Vec<(i64, &str)> = items
            .iter()
            .enumerate()
            .map(|(at, item)| (at as i64 * 3, item.as_str()))
            .collect();
        for min_run in [1, 3, 4, 6, 8] {
            let spec = ItemSpec {
                min_run,
                max_items: 1 + round as usize % 4,
                min_words: 1 + round as usize % 3,
            };
            let min_coverage = [1e-9, 0.5, 1.0][(round / 7) as usize % 3];
            let found = check(&items, spec, &text, min_coverage);
            count += found.len();
            let without = |item: &&FoundItem| {
                item.kind == ItemMatch::Near && (item.longest as usize) < min_run
            };
            without_long_runs += found.iter().filter(without).count();
        }
    }
    assert!(count > 5_000, "{count}");
    assert!(without_long_runs > 60, "{without_long_runs}");
}

/// Items of a dozen words and more, of which one word in every dozen is replaced, preceded by another one or removed.
#[test]
fn one_change_in_every_dozen_words_hides_no_item() {
    let mut random = Random::new(9);
    let spec = ItemSpec {
        min_run: 8,
        max_items: 10,
        min_words: 4,
    };
    let mut scratch = ItemScratch::default();
    let mut exact = 0;
    for words in 12..=60 {
        let item: Vec<String> = (0..words).map(|at| format!("w{at}")).collect();
        let (bytes, _) = item_index(&[(1, &item.join(" "))], spec).unwrap();
        let index = ItemIndex::from_bytes(&bytes).unwrap();
        let mut all = Vec::new();
        match words {
            // All places.
            ..=24 => {
                for first in 0..12 {
                    let seconds = 12..words;
                    match seconds.is_empty() {
                        true => all.push(vec![first]),
                        false => all.extend(seconds.map(|second| vec![first, second])),
                    }
                }
            }
            _ => all.extend((0..100).map(|_| places(words, 12, &mut random))),
        }
        for (places, change) in all
            .iter()
            .flat_map(|places| CHANGES.map(|change| (places, change)))
        {
            let copy = changed(&item, places, change).join(" ");
            let text = format!("before it. {copy}. After it.");
            let mut found = Vec::new();
            index.find(&text, 0.5, &mut scratch, &mut found);
            assert_eq!(found.len(), 1, "{words} words {change:?} {places:?}");
            // Parts of three words and more are in the span.
            let mut ends = vec![0];
            ends.extend(places.iter().map(|place| place + 1));
            let lengths = ends.windows(2).map(|two| two[1] - two[0] - 1);
            let last = words - ends[ends.len() - 1];
            if lengths.chain([last]).all(|length| length > 2) {
                let end = 11 + copy.len() as u32;
                assert_eq!(found[0].span, (11, end), "{change:?} {places:?}");
                exact += 1;
            }
        }
    }
    assert!(exact > 2_000, "{exact}");
}

#[test]
fn an_item_without_a_long_run_needs_three_quarters_of_its_words() {
    let spec = ItemSpec {
        min_run: 8,
        max_items: 10,
        min_words: 4,
    };
    let item = "which town lies between the old mill and the harbour of port adeline on the coast";
    let kinds = |text: &str| {
        let found = check(&[(1, item)], spec, text, 0.5);
        let found = found.iter().map(|item| (item.kind.word(), item.coverage));
        found.collect::<Vec<_>>()
    };
    // A run of 8 words of 16, and 5 beside it.
    let text = "which town lies between the old mill and this port adeline on the coast";
    assert_eq!(kinds(text), [("near", 13.0 / 16.0)]);
    // 7 and 5 words.
    let text = "which town lies between the old mill then the harbour of port adeline";
    assert_eq!(kinds(text), [("near", 12.0 / 16.0)]);
    // 7 and 4 words, and 6 words that stand elsewhere.
    let text = "which town lies between the old mill then the harbour of port";
    assert_eq!(kinds(text), []);
    let apart =
        format!("{text} and so on, as everybody knows who was here: of port adeline on the coast");
    assert_eq!(kinds(&apart), []);
    // Shorter runs in another order.
    let text = "harbour of port adeline on the which town lies between the old mill";
    assert_eq!(kinds(text), []);
}

#[test]
fn shorter_runs_beside_a_run_are_in_its_group() {
    let item = "the mill by the river and the road to the old harbour of the town";
    let runs = |text: &str| {
        let found = check(&[(1, item)], SPEC, text, 0.1);
        let runs = found.iter().flat_map(|item| &item.runs);
        runs.map(|run| run.words).collect::<Vec<_>>()
    };
    assert_eq!(
        runs("the mill by a river and the road to the old port of the town"),
        [3, 7, 3]
    );
    // A word more, a word less, and a word twice.
    assert_eq!(
        runs("the mill by the river and also the road to the old harbour"),
        [6, 6]
    );
    assert_eq!(
        runs("the mill by the river and road to the old harbour"),
        [6, 5]
    );
    assert_eq!(
        runs("the mill by the river and and the road to the old harbour"),
        [6, 7]
    );
    // Two words are not beside a run if two others are in between.
    assert_eq!(
        runs("the mill on my river and the road to the old harbour"),
        [8]
    );
}

#[test]
fn an_item_is_found_with_its_places() {
    let items = [
        (1, "What is the capital of Norway?"),
        (2, "What is the capital of Denmark, and who is its king?"),
        (3, "Two words"),
        (4, "one"),
    ];
    let text = "Quiz: what IS the capital of Norway? Two  words.";
    let found = found(&items, SPEC, text, 0.5);
    let shown: Vec<_> = found
        .iter()
        .map(|item| (item.number, item.kind.word(), item.coverage))
        .collect();
    assert_eq!(shown, [(1, "verbatim", 1.0), (3, "short", 1.0)]);
    assert_eq!(
        found[0].runs,
        [ItemRun {
            in_text: (6, 35),
            in_item: (0, 29),
            words: 6
        }]
    );
    check(&items, SPEC, text, 0.1);
}

#[test]
fn changed_words_belong_to_the_spans() {
    let item = "the old mill stands by the river and the road to the north passes it";
    let text =
        "Once the old mill stands by THIS river and the road to the north passes it, and so on.";
    let (bytes, _) = item_index(&[(1, item)], SPEC).unwrap();
    let index = ItemIndex::from_bytes(&bytes).unwrap();
    let spans = index.spans(text, 0.5, &mut ItemScratch::default());
    assert_eq!((spans.len(), &spans[0]), (1, &(5..74)));
    // Two copies beside each other are two spans.
    let twice = format!("{item}; or {item}");
    let spans = index.spans(&twice, 0.5, &mut ItemScratch::default());
    assert_eq!(spans, [0..68, 73..141]);
}

#[test]
fn frequent_grams_are_ignored_and_counted() {
    let template = "Answer the question with one letter only please";
    let texts: Vec<String> = (0..5)
        .map(|at| format!("{template} alpha{at} beta{at} gamma{at} delta{at}"))
        .collect();
    let mut items: Vec<(i64, &str)> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| (at as i64, text.as_str()))
        .collect();
    items.push((9, template));
    let (bytes, left_out) = item_index(&items, SPEC).unwrap();
    assert_eq!(
        left_out,
        ItemsLeftOut {
            short: 0,
            frequent: 1,
            grams: 5
        }
    );
    let index = ItemIndex::from_bytes(&bytes);
    assert_eq!(index.map(|index| index.left_out()), Ok(left_out));
    // The instructions alone are no item.
    assert_eq!(found(&items, SPEC, template, 1e-9), []);
    let whole = found(&items, SPEC, &texts[3], 1.0);
    assert_eq!(
        (whole.len(), whole[0].number, whole[0].ignored_hits),
        (1, 3, 5)
    );
    check(&items, SPEC, &texts[3], 0.2);
}

#[test]
fn many_seeds_are_divided() {
    let mut random = Random::new(3);
    let mut words = |count: usize| {
        let words: Vec<String> = (0..count)
            .map(|_| format!("w{}", random.below(4)))
            .collect();
        words.join(" ")
    };
    let items: Vec<String> = (0..60).map(|_| words(30)).collect();
    let items: Vec<(i64, &str)> = items
        .iter()
        .enumerate()
        .map(|(at, item)| (at as i64, item.as_str()))
        .collect();
    let spec = ItemSpec {
        min_run: 1,
        max_items: 1_000,
        min_words: 1,
    };
    let text = words(4_000);
    let (bytes, _) = item_index(&items, spec).unwrap();
    let index = ItemIndex::from_bytes(&bytes).unwrap();
    let mut scratch = ItemScratch::default();
    let mut all = Vec::new();
    index.find(&text, 0.9, &mut scratch, &mut all);
    assert!(
        scratch.seeds.capacity() <= 4 * MAX_SEEDS,
        "{}",
        scratch.seeds.capacity()
    );
    let numbers: Vec<i64> = all.iter().map(|item| item.number).collect();
    assert_eq!(numbers, (0..60).collect::<Vec<_>>());
    // One item at a time has the same runs.
    for (found, item) in all.iter().zip(&items).step_by(17) {
        let (bytes, _) = item_index(&[*item], spec).unwrap();
        let mut alone = Vec::new();
        let index = ItemIndex::from_bytes(&bytes).unwrap();
        index.find(&text, 0.9, &mut scratch, &mut alone);
        assert_eq!(
            (found.longest, found.span, &found.runs),
            (alone[0].longest, alone[0].span, &alone[0].runs)
        );
    }
}

#[test]
fn repeated_words_are_linear() {
    let item = "a ".repeat(60);
    let text = "a ".repeat(20_000);
    let found = found(&[(1, &item)], SPEC, &text, 1.0);
    assert_eq!((found[0].longest, found[0].runs.len()), (60, MAX_RUNS));
}

/// Two periods of few words share runs at nearly all places: with all of those beside others, the time is that of
/// millions of them.
#[test]
fn few_words_that_repeat_have_few_runs_beside_others() {
    let item = "a a a a a a a a b ".repeat(600);
    let text = "a a a a a a a a a b ".repeat(600);
    let found = found(&[(1, &item)], SPEC, &text, 0.1);
    assert_eq!(found[0].runs.len(), MAX_RUNS);
}

#[test]
fn other_bytes_are_an_error() {
    let (bytes, _) = item_index(&[(1, "a b c d e")], SPEC).unwrap();
    assert!(ItemIndex::from_bytes(&bytes).is_ok());
    for end in 0..bytes.len() {
        assert!(ItemIndex::from_bytes(&bytes[..end]).is_err(), "{end}");
    }
    let mut more = bytes.clone();
    more.push(0);
    assert!(ItemIndex::from_bytes(&more).is_err());
    // Wrong numbers inside are no panic.
    let mut random = Random::new(5);
    for _ in 0..2_000 {
        let mut wrong = bytes.clone();
        let at = 8 + random.below(wrong.len() as u32 - 8) as usize;
        wrong[at] = random.below(256) as u8;
        if let Ok(index) = ItemIndex::from_bytes(&wrong) {
            index.find(
                "x a b c d e",
                0.1,
                &mut ItemScratch::default(),
                &mut Vec::new(),
            );
        }
    }
}

#[test]
fn nothing_is_found_in_nothing() {
    assert_eq!(found(&[], SPEC, "a b c d e", 0.1), []);
    assert_eq!(found(&[(1, "")], SPEC, "", 0.1), []);
    assert_eq!(found(&[(1, "a b c d")], SPEC, "...", 0.1), []);
}
