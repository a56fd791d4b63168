use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation;

use super::*;
use crate::random_texts::RandomTexts;

/// The definition.
fn oracle(shingle: Shingle, text: &str) -> Vec<String> {
    let (units, glue): (Vec<String>, &str) = match shingle {
        Shingle::Char(_) => (text.chars().map(String::from).collect(), ""),
        Shingle::Word(_) => (text.unicode_words().map(String::from).collect(), " "),
        Shingle::Space(_) => (text.split_whitespace().map(String::from).collect(), " "),
    };
    if units.is_empty() {
        let blank = text.chars().all(char::is_whitespace);
        return if blank { vec![] } else { vec![text.to_owned()] };
    }
    if units.len() < shingle.window() {
        return vec![units.join(glue)];
    }
    units
        .windows(shingle.window())
        .map(|window| window.join(glue))
        .collect()
}

fn shingles(spec: &str, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let shingle: Shingle = spec.parse().expect("a valid spec");
    shingle.for_each(text, &mut ShingleScratch::default(), |shingle| {
        all.push(shingle.to_owned())
    });
    all
}

#[test]
fn the_oracle() {
    let word = |text| oracle(Shingle::Word(2), text);
    assert_eq!(word("The cat, the cat!"), ["The cat", "cat the", "the cat"]);
    assert_eq!(word("cat"), ["cat"]);
    assert_eq!(word("?! "), ["?! "]);
    assert!(word(" \t").is_empty());
    assert_eq!(oracle(Shingle::Char(3), "été!"), ["été", "té!"]);
    assert_eq!(oracle(Shingle::Space(2), " a, b\u{a0}c "), ["a, b", "b c"]);
}

#[test]
fn fewer_units_than_the_window() {
    assert_eq!(shingles("char:5", "caf\u{e9}"), ["café"]);
    assert_eq!(shingles("char:5", "cafe"), ["cafe"]);
    assert_eq!(shingles("word:3", "Hello,  world"), ["Hello world"]);
    assert_eq!(shingles("space:3", " Hello,\n world"), ["Hello, world"]);
}

#[test]
fn blank_and_empty_texts() {
    for spec in ["char:3", "word:3", "space:3"] {
        assert!(shingles(spec, "").is_empty(), "{spec}");
    }
    assert_eq!(shingles("char:3", "  "), ["  "]);
    assert!(shingles("word:3", " \u{3000}\n").is_empty());
    assert!(shingles("space:3", " \u{3000}\n").is_empty());
    assert_eq!(shingles("word:3", "— …"), ["— …"]);
    assert_eq!(shingles("space:3", "— …"), ["— …"]);
}

#[test]
fn every_shingle_equals_the_oracle() {
    let mut texts = RandomTexts::new(1);
    let mut scratch = ShingleScratch::default();
    for round in 0..6_000 {
        let text = match round % 3 {
            0 => texts.special_characters(30),
            1 => texts.prose(120),
            _ => texts.few_letters(40, &['a', ' ', 'b', '.']),
        };
        let window = 1 + texts.below(20);
        for shingle in [
            Shingle::Char(window),
            Shingle::Word(window),
            Shingle::Space(window),
        ] {
            let expected = oracle(shingle, &text);
            let mut found = Vec::new();
            shingle.for_each(&text, &mut scratch, |shingle| {
                found.push(shingle.to_owned())
            });
            assert_eq!(found, expected, "{shingle} of {text:?}");

            let mut hashes = vec![7];
            shingle.hashes_into(&text, &mut scratch, &mut hashes);
            let distinct: BTreeSet<u64> = expected.iter().map(|s| xxh3_64(s.as_bytes())).collect();
            assert_eq!(hashes[0], 7, "what was there stays");
            assert_eq!(
                hashes[1..],
                distinct.into_iter().collect::<Vec<_>>(),
                "{shingle} of {text:?}"
            );
        }
    }
}

/// Runs of ASCII characters, longer and shorter than those that are hashed as bytes, between other characters.
#[test]
fn hashes_are_those_of_the_shingles_in_order() {
    let mut texts = RandomTexts::new(3);
    let mut scratch = ShingleScratch::default();
    for round in 0..6_000 {
        let mut text = String::new();
        for _ in 0..texts.below(4) {
            text.push_str(&texts.special_characters(3));
            for _ in 0..texts.below(2 * MIN_ASCII) {
                text.push(char::from(b'a' + texts.below(26) as u8));
            }
        }
        if round % 2 == 0 {
            text.push_str(&texts.special_characters(20));
        }
        for window in [1 + texts.below(FIXED_WINDOWS.len() - 1), 12, 17, 80] {
            let shingle = Shingle::Char(window);
            let mut hashes = vec![7];
            shingle.repeated_hashes_into(&text, &mut scratch, &mut hashes);
            let expected = oracle(shingle, &text);
            let expected = expected.iter().map(|shingle| xxh3_64(shingle.as_bytes()));
            assert!(
                hashes.into_iter().eq([7].into_iter().chain(expected)),
                "{shingle} of {text:?}"
            );
        }
    }
}

#[test]
fn specs_print_as_they_parse() {
    for spec in ["char:1", "char:12", "word:3", "space:1000"] {
        assert_eq!(
            spec.parse::<Shingle>()
                .map(|shingle| shingle.to_string())
                .as_deref(),
            Ok(spec)
        );
    }
}

#[test]
fn errors_name_the_spec_and_the_rule() {
    let error = |spec: &str| {
        spec.parse::<Shingle>()
            .expect_err("an invalid spec")
            .to_string()
    };
    let unit = "must start with 'char:', 'word:' or 'space:', as in 'word:3'";
    let window = "must end with a window of 1 to 1000, as in 'word:3'";
    for spec in ["", "word", "Word:3", "bytes:3", " word:3"] {
        assert_eq!(error(spec), format!("shingle '{spec}' {unit}"));
    }
    for spec in [
        "word:",
        "word:0",
        "char:1001",
        "char:-1",
        "char:+5",
        "char: 5",
        "char:99999999999999999999",
    ] {
        assert_eq!(error(spec), format!("shingle '{spec}' {window}"));
    }
}
