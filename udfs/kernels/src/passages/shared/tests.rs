use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::key_filter::{KeyCounts, SharedKeys};
use crate::passages::tests::{oracle, units};
use crate::passages::{PassageText, common_passages};
use crate::random_texts::RandomTexts;

/// A text, its first unit, and the number of units of a passage.
type Found = BTreeSet<(usize, usize, usize)>;

/// The passages of each text that another one has, too. `copies` is how often each text occurs.
fn expected(texts: &[String], copies: &[usize], shingle: Shingle) -> Found {
    let units: Vec<_> = texts.iter().map(|text| units(text, shingle)).collect();
    let mut found = Found::new();
    for a in 0..texts.len() {
        for b in 0..texts.len() {
            if a != b || copies[a] > 1 {
                let passages = oracle(&units[a], &units[b], shingle.window());
                found.extend(
                    passages
                        .iter()
                        .map(|passage| (a, passage.first_a, passage.length)),
                );
            }
        }
    }
    found
}

/// Calls `visit` with the passages of all parts of a collection.
fn of_parts<const UNIT: usize>(
    bytes: &[u8],
    length: usize,
    parts: u64,
    mut visit: impl FnMut(RunPassage),
) {
    let collection = RunCollection::<UNIT>::new([bytes]).expect("packed runs");
    for part in 0..parts {
        collection.for_each_passage(length, part, parts, &mut visit);
    }
}

/// The same by a collection of runs. Of the other anchors and n-grams, those with a hash below `more` are taken for shared
/// ones.
fn found(texts: &[String], copies: &[usize], shingle: Shingle, more: u64, parts: u64) -> Found {
    let hashes = GramHashes::new(shingle);
    let mut finder = RunFinder::default();
    let mut anchors: BTreeMap<u64, usize> = BTreeMap::new();
    for text in texts {
        let mut of_text = Vec::new();
        finder.anchors_into(text, hashes, &mut of_text);
        of_text
            .into_iter()
            .for_each(|anchor| *anchors.entry(anchor).or_default() += 1);
    }
    let has_anchor =
        |number: usize, anchor| anchor < more || copies[number] > 1 || anchors[&anchor] > 1;
    let mut grams: BTreeMap<u64, usize> = BTreeMap::new();
    for (number, text) in texts.iter().enumerate() {
        let mut of_text = Vec::new();
        finder.grams_into(
            text,
            hashes,
            |anchor| has_anchor(number, anchor),
            &mut of_text,
        );
        of_text
            .into_iter()
            .for_each(|gram| *grams.entry(gram).or_default() += 1);
    }
    let mut places: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, text) in texts.iter().enumerate() {
        let has_gram = |gram| gram < more || copies[number] > 1 || grams[&gram] > 1;
        finder.for_each(
            text,
            hashes,
            |anchor| has_anchor(number, anchor),
            has_gram,
            |first, run| {
                places
                    .entry(run.to_string())
                    .or_default()
                    .push((number, first));
            },
        );
    }
    let mut bytes = Vec::new();
    for (run, places) in &places {
        let (first, last) = (places[0].0 as u64, places[places.len() - 1].0 as u64);
        let texts = match copies[places[0].0] > 1 && first == last {
            true => [first, !first],
            false => [first, last],
        };
        pack_run(run, run_key(run), texts, shingle, &mut bytes);
    }
    let places: BTreeMap<_, _> = places
        .iter()
        .map(|(run, places)| (run_key(run), places))
        .collect();
    let mut found = Found::new();
    let visit = |passage: RunPassage| {
        for &(text, first) in places[&passage.key] {
            if passage.not_in != Some(text as u64) {
                let is_new = found.insert((text, first + passage.first, passage.length));
                assert!(is_new, "{passage:?} is there twice");
            }
        }
    };
    match shingle {
        Shingle::Char(_) => of_parts::<CHARACTER_BYTES>(&bytes, shingle.window(), parts, visit),
        _ => of_parts::<HASH_BYTES>(&bytes, shingle.window(), parts, visit),
    }
    found
}

#[test]
fn equals_every_diagonal_of_every_pair() {
    let mut random = RandomTexts::new(11);
    let mut total = 0;
    for round in 0..6_000 {
        let alphabet: &[char] = match round % 5 {
            0 => &['a'],
            1 => &['a', 'b'],
            2 => &['a', 'b', 'c'],
            3 => &['a', 'b', ' ', 'ü'],
            // A space and a combining mark after a full stop are a word.
            _ => &['a', 'b', 'c', ' ', '.', '漢', '\u{93e}'],
        };
        let frame = random.few_letters(30, alphabet);
        let texts: BTreeSet<String> = (0..1 + random.below(7))
            .map(|_| {
                let [before, after] = [0, 1].map(|_| {
                    let length = 1 + random.below(12);
                    random.few_letters(length, alphabet)
                });
                match random.below(4) {
                    0 => frame.clone(),
                    1 => format!("{before}{frame}"),
                    2 => format!("{before}{frame}{after}{frame}"),
                    _ => format!("{before}{after}"),
                }
            })
            .collect();
        let texts: Vec<String> = texts.into_iter().collect();
        let copies: Vec<usize> = texts.iter().map(|_| 1 + random.below(4) / 3).collect();
        let length = 1 + random.below(6);
        let shingle = match round % 3 {
            0 => Shingle::Char(length),
            1 => Shingle::Word(length),
            _ => Shingle::Space(length),
        };
        let expected = expected(&texts, &copies, shingle);
        let more = [0, u64::MAX / 3, u64::MAX][random.below(3)];
        let parts = 1 + random.below(3) as u64;
        let found = found(&texts, &copies, shingle, more, parts);
        assert_eq!(found, expected, "{shingle} of {texts:?}, {copies:?} times");
        total += expected.len();
    }
    assert!(total > 50_000, "{total}");
}

#[test]
fn four_places_stand_for_all() {
    let mut random = RandomTexts::new(3);
    for _ in 0..20_000 {
        let (texts, units) = (1 + random.below(4), 1 + random.below(4));
        let mut all = Vec::new();
        let mut witnesses = Witnesses::default();
        for _ in 0..random.below(12) {
            let witness = (
                random.below(texts) as u64,
                Before::Unit(random.below(units) as u64),
            );
            all.push(witness);
            witnesses.add(witness);
        }
        for text in 0..=texts as u64 {
            for before in (0..=units as u64).map(Before::Unit) {
                let is_other = |found: Witness| found.0 != text && found.1 != before;
                let expected = all.iter().any(|&found| is_other(found));
                assert_eq!(witnesses.iter().any(is_other), expected, "{all:?}");
            }
        }
    }
}

#[test]
fn other_bytes_are_no_collection() {
    let mut bytes = Vec::new();
    pack_run(
        "a b c",
        run_key("a b c"),
        [1, 2],
        Shingle::Word(2),
        &mut bytes,
    );
    assert_eq!(bytes.len(), HEADER + 3 * HASH_BYTES);
    let read =
        |pieces: &[&[u8]]| RunCollection::<HASH_BYTES>::new(pieces.iter().copied()).map(|_| ());
    assert_eq!(read(&[]), Ok(()));
    assert_eq!(read(&[&bytes, &[], &bytes]), Ok(()));
    for end in 1..bytes.len() {
        assert_eq!(read(&[&bytes, &bytes[..end]]), Err(WrongRuns::Bytes(end)));
    }
    bytes[HEADER - 1] = 0xff;
    assert_eq!(read(&[&bytes]), Err(WrongRuns::Bytes(bytes.len())));
}

/// Where the way through a tree is long: two periodic texts have a passage at each place.
#[test]
fn periodic_texts_have_the_passages_of_the_pair() {
    let shingle = Shingle::Char(20);
    for period in ["-", "-=", "-=+"] {
        let text = |before: &str, units, after: &str| {
            let periodic: String = period.chars().cycle().take(units).collect();
            format!("{before}{periodic}{after}")
        };
        let texts = [
            text("a", 3_000, "b"),
            text("cd", 3_007, ""),
            text("", 500, "e"),
        ];
        let mut expected = Found::new();
        for a in 0..texts.len() {
            for b in (0..texts.len()).filter(|&b| b != a) {
                let [of_a, of_b] = [a, b].map(|at| PassageText::new(&texts[at], shingle));
                let mut passages = Vec::new();
                common_passages(&of_a, &of_b, shingle.window(), &mut passages);
                expected.extend(
                    passages
                        .iter()
                        .map(|found| (a, found.first_a, found.length)),
                );
            }
        }
        assert!(expected.len() > 2_000, "{}", expected.len());
        assert_eq!(
            found(&texts, &[1, 1, 1], shingle, 0, 3),
            expected,
            "{period}"
        );
    }
}

/// An n-gram that passes the filters by mistake is a run as long as a passage: texts that shared nothing left runs of
/// several times their length.
#[test]
fn texts_that_share_nothing_leave_few_runs() {
    let mut random = RandomTexts::new(7);
    let alphabet: Vec<char> = ('a'..='z').collect();
    let texts: Vec<String> = (0..200)
        .map(|_| random.few_letters(5_000, &alphabet))
        .collect();
    let all: usize = texts.iter().map(String::len).sum();
    let mut finder = RunFinder::default();
    for length in [12, 100, 600] {
        let hashes = GramHashes::new(Shingle::Char(length));
        let [mut anchors, mut grams] = [KeyCounts::new(), KeyCounts::new()];
        let mut keys = Vec::new();
        for text in &texts {
            keys.clear();
            finder.anchors_into(text, hashes, &mut keys);
            anchors.add(&keys);
        }
        let anchors = anchors.finish();
        let anchors = SharedKeys::new(&anchors).expect("a filter");
        for text in &texts {
            keys.clear();
            finder.grams_into(text, hashes, |key| anchors.contains(key), &mut keys);
            grams.add(&keys);
        }
        let grams = grams.finish();
        let grams = SharedKeys::new(&grams).expect("a filter");
        let (mut runs, mut most) = (0, 0);
        for text in &texts {
            let mut of_text = 0;
            let (has_anchor, has_gram) = (|key| anchors.contains(key), |key| grams.contains(key));
            finder.for_each(text, hashes, has_anchor, has_gram, |_, run| {
                of_text += run.len()
            });
            runs += of_text;
            most = most.max(of_text.saturating_sub(text.len()));
        }
        assert!(runs < all / 50, "{length}: {runs} of {all}");
        assert_eq!(most, 0, "{length}");
    }
}
