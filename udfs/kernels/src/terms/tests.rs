use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::random_texts::RandomTexts;

const STEMMED: [&str; 18] = [
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv",
    "ta", "tr",
];

fn terms(rules: &Terms, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    rules.for_each(text, &mut TermScratch::default(), |term| {
        all.push(term.to_owned())
    });
    all
}

fn of(language: &str, text: &str) -> Vec<String> {
    terms(&Terms::new(language, true, true), text)
}

#[test]
fn examples() {
    assert_eq!(
        of(
            "en",
            "The nations were not united, and the Nations didn’t unite."
        ),
        ["nation", "unit", "nation", "unit"]
    );
    assert_eq!(
        of("en", "The dog's 3.5 houses: IT, Ｉ."),
        ["dog", "3.5", "hous"]
    );
    assert_eq!(
        of(
            "de",
            "Größere Überfälle auf Häuser, die Kinderlähmung und das Maß"
        ),
        ["gross", "uberfall", "haus", "kinderlahm", "mass"]
    );
    assert_eq!(
        of("fr", "L’homme qu'il aimait n'est pas d'ici"),
        ["homm", "aim", "ici"]
    );
    assert_eq!(of("it", "dell'arte"), ["arte"]);
    assert_eq!(of("en", " … "), [""; 0]);
}

#[test]
fn either_can_be_left_out() {
    let text = "The cats of Rome";
    let of = |stop_words, stem| terms(&Terms::new("en", stop_words, stem), text);
    assert_eq!(of(true, true), ["cat", "rome"]);
    assert_eq!(of(true, false), ["cats", "rome"]);
    assert_eq!(of(false, true), ["the", "cat", "of", "rome"]);
    assert_eq!(of(false, false), ["the", "cats", "of", "rome"]);
}

#[test]
fn codes_of_languages() {
    for code in ["de", "DE", "de-AT", "De_ch", "de-"] {
        assert_eq!(of(code, "die Häuser"), ["haus"], "{code}");
    }
    assert_eq!(of("nb", "bilene"), of("no", "bilene"));
    assert_eq!(of("simple", "cats"), ["cat"]);
    for unknown in ["xx", "", "-de", "german"] {
        assert_eq!(of(unknown, "die Häuser"), ["die", "häuser"], "{unknown}");
    }
}

/// The definition, step by step.
#[test]
fn equals_the_definition() {
    let mut texts = RandomTexts::new(5);
    for round in 0..4_000 {
        let text = match round % 3 {
            0 => texts.special_characters(40),
            1 => texts.prose(80),
            _ => texts.few_letters(30, &['a', 'l', 'd', '\'', '’', ' ', 's', 'ü']),
        };
        let mut normal = String::new();
        normalize_into(&text, &mut normal);
        for language in ["en", "fr", "xx"] {
            let list = stop_words::lookup(language).unwrap_or_default();
            let mut expected = Vec::new();
            for word in normal.unicode_words() {
                let word = word.replace('’', "'");
                let parts: Vec<&str> = match language {
                    "fr" => word.split('\'').collect(),
                    _ => vec![&word],
                };
                for part in parts {
                    if part.is_empty() || list.contains(&part) {
                        continue;
                    }
                    expected.push(match algorithm(language) {
                        None => part.to_owned(),
                        Some(algorithm) => {
                            let stem = Stemmer::create(algorithm).stem(part).into_owned();
                            if stem.is_empty() {
                                part.to_owned()
                            } else {
                                stem
                            }
                        }
                    });
                }
            }
            assert_eq!(of(language, &text), expected, "{language}: {text:?}");
        }
    }
}

/// Words of any script go through any stemmer, and no term is empty.
#[test]
fn any_word_in_any_language() {
    let mut texts = RandomTexts::new(6);
    for language in STEMMED {
        let rules = Terms::new(language, false, true);
        let list = stop_words::lookup(language).expect("a stop list");
        let letters: Vec<char> = list.iter().flat_map(|word| word.chars()).collect();
        for round in 0..6_000 {
            let text = match round % 3 {
                0 => texts.special_characters(60),
                1 => texts.few_letters(12, &letters),
                _ => texts.few_letters(60, &letters),
            };
            assert!(
                terms(&rules, &text).iter().all(|term| !term.is_empty()),
                "{language}: {text:?}"
            );
        }
    }
}

/// A stemmer takes quadratic time for some words; a text of one word takes linear time.
#[test]
fn very_long_words_stay_as_they_are() {
    for language in STEMMED {
        for letter in ["ß", "ü", "y", "i", "'b"] {
            let word = letter.repeat(200_000);
            assert!(!of(language, &word).is_empty(), "{language} {letter}");
        }
    }
    let (longest, longer) = ("ü".repeat(100), "ü".repeat(101));
    assert_eq!(of("de", &longest), ["u".repeat(100)]);
    assert_eq!(of("de", &longer), [longer]);
}

/// Lists and stemmers must not change, because terms are stored beside those of other runs. A line has the
/// language, the length of its list, and hashes of the list and of its stems.
#[test]
fn lists_and_stemmers_are_fixed() {
    let mut lines = String::new();
    for language in stop_words::available_languages() {
        let list = stop_words::lookup(language).expect("a stop list").join(" ");
        let words = list.split(' ').count();
        let stems = terms(&Terms::new(language, false, true), &list).join(" ");
        let (list, stems) = (xxh3_64(list.as_bytes()), xxh3_64(stems.as_bytes()));
        lines += &format!("{language} {words} {list:016x} {stems:016x}\n");
    }
    assert_eq!(lines, include_str!("../../golden/terms.txt"));
}
