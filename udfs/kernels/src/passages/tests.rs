use super::*;
use crate::random_texts::RandomTexts;

/// The units of a text, by the definition.
pub(super) fn units(text: &str, shingle: Shingle) -> Vec<String> {
    use unicode_segmentation::UnicodeSegmentation;
    match shingle {
        Shingle::Char(_) => text.chars().map(String::from).collect(),
        Shingle::Word(_) => text.unicode_words().map(String::from).collect(),
        Shingle::Space(_) => text.split_whitespace().map(String::from).collect(),
    }
}

/// Each maximal run of each diagonal.
pub(super) fn oracle(a: &[String], b: &[String], length: usize) -> Vec<Passage> {
    let mut found = Vec::new();
    for first_a in 0..a.len() {
        for first_b in 0..b.len() {
            if first_a > 0 && first_b > 0 && a[first_a - 1] == b[first_b - 1] {
                continue;
            }
            let pairs = a[first_a..].iter().zip(&b[first_b..]);
            let equal = pairs.take_while(|(x, y)| x == y).count();
            if equal >= length {
                found.push(Passage {
                    first_a,
                    first_b,
                    length: equal,
                });
            }
        }
    }
    found
}

fn found(a: &str, b: &str, shingle: Shingle) -> Vec<Passage> {
    let texts = [a, b].map(|text| PassageText::new(text, shingle));
    let mut out = vec![Passage {
        first_a: 9,
        first_b: 9,
        length: 0,
    }];
    common_passages(&texts[0], &texts[1], shingle.window(), &mut out);
    assert_eq!(out.remove(0).length, 0, "what was there stays");
    out
}

#[test]
fn windows_are_no_longer_than_hashed_runs() {
    for length in 1..200 {
        let (hashed, window) = passage_window(length);
        assert_eq!(hashed + window - 1, length);
        assert!(window <= hashed && window >= 1);
    }
}

#[test]
fn equals_every_diagonal() {
    let mut texts = RandomTexts::new(41);
    let mut total = 0;
    for round in 0..20_000 {
        let alphabet: &[char] = match round % 4 {
            0 => &['a'],
            1 => &['a', 'b'],
            2 => &['a', 'b', ' ', 'ü'],
            _ => &['a', 'b', 'c', ' ', '.', '漢'],
        };
        let a = texts.few_letters(40, alphabet);
        let b = match round % 5 {
            0 => a.clone(),
            1 => format!("{}{a}", texts.few_letters(6, alphabet)),
            _ => texts.few_letters(40, alphabet),
        };
        let length = 1 + texts.below(9);
        for shingle in [
            Shingle::Char(length),
            Shingle::Word(length),
            Shingle::Space(length),
        ] {
            let expected = oracle(&units(&a, shingle), &units(&b, shingle), length);
            assert_eq!(
                found(&a, &b, shingle),
                expected,
                "{shingle} of {a:?} and {b:?}"
            );
            total += expected.len();
        }
    }
    assert!(total > 10_000, "{total}");
}

#[test]
fn offsets_are_those_of_the_text() {
    let mut texts = RandomTexts::new(42);
    for _ in 0..2_000 {
        let text = texts.special_characters(60);
        for shingle in [Shingle::Char(1), Shingle::Word(1), Shingle::Space(1)] {
            let made = PassageText::new(&text, shingle);
            let expected = units(&text, shingle);
            assert_eq!(made.text().units().len(), expected.len());
            for (at, (unit, expected)) in made.text().units().iter().zip(&expected).enumerate() {
                assert_eq!(&text[unit.start_byte..unit.end_byte], expected);
                let chars: String = text
                    .chars()
                    .skip(unit.start_char)
                    .take(unit.end_char - unit.start_char)
                    .collect();
                assert_eq!(chars, *expected);
                assert_eq!(
                    made.text().hash(at, 1, &mut String::new()),
                    xxh3_64(expected.as_bytes())
                );
            }
        }
    }
}

#[test]
fn hashes_of_passages_are_those_of_joined_units() {
    let text = "The old mill, by the  river";
    let hash = |shingle, first, length| {
        UnitText::new(text, shingle).hash(first, length, &mut String::from("x"))
    };
    assert_eq!(hash(Shingle::Word(2), 1, 3), xxh3_64(b"old mill by"));
    assert_eq!(hash(Shingle::Space(2), 1, 3), xxh3_64(b"old mill, by"));
    assert_eq!(hash(Shingle::Char(2), 4, 9), xxh3_64(b"old mill,"));
}

/// Of a periodic text each shift is a passage, and their number is linear.
#[test]
fn periodic_texts() {
    let (a, b) = ("x ".repeat(300), "x ".repeat(200));
    let found = found(&a, &b, Shingle::Word(10));
    assert_eq!(found.len(), 300 + 200 - 1 - 2 * 9);
}
