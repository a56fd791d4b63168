//! The sample is what its README says.

use std::collections::{BTreeMap, HashSet};
use std::io::Read;

use bzip2::read::BzDecoder;
use quick_xml::events::Event;

use crate::test_similarity::characters;

use super::{SAMPLE_DOCUMENTS, SAMPLE_DUMP};

const PLAIN: &str = include_str!("../../sample/samplewiki-pages-articles.xml");
const EXPECTED: &str = include_str!("../../sample/expected.tsv");
const EXPECTED_DOCUMENTS: &str = include_str!("../../sample/expected_documents.tsv");

/// Title to (declared length, wikitext), read with a general XML reader.
fn pages() -> BTreeMap<String, (usize, String)> {
    let mut reader = quick_xml::Reader::from_str(PLAIN);
    let (mut pages, mut title, mut value, mut declared) =
        (BTreeMap::new(), String::new(), String::new(), 0);
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(tag) => {
                value.clear();
                if tag.name().as_ref() == b"text" {
                    let bytes = tag.try_get_attribute("bytes").unwrap().expect("bytes");
                    declared = std::str::from_utf8(&bytes.value).unwrap().parse().unwrap();
                }
            }
            Event::Text(text) => value.push_str(&text.decode().unwrap()),
            Event::GeneralRef(entity) => value.push_str(match entity.decode().unwrap().as_ref() {
                "amp" => "&",
                "lt" => "<",
                "gt" => ">",
                "quot" => "\"",
                other => panic!("unexpected entity {other}"),
            }),
            Event::End(tag) => match tag.name().as_ref() {
                b"title" => title = std::mem::take(&mut value),
                b"text" => {
                    pages.insert(title.clone(), (declared, std::mem::take(&mut value)));
                }
                _ => {}
            },
            Event::Eof => return pages,
            _ => {}
        }
    }
}

/// Whether the words of `sentence` occur in `wikitext` in order, with little markup between.
fn occurs(wikitext: &str, sentence: &str) -> bool {
    let words: Vec<&str> = sentence.split(' ').collect();
    wikitext.match_indices(words[0]).any(|(start, _)| {
        let mut at = start;
        words.iter().all(|word| {
            let window: String = wikitext[at..].chars().take(60 + word.len()).collect();
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            window
                .find(bare)
                .inspect(|found| at += found + bare.len())
                .is_some()
        })
    })
}

#[test]
fn both_forms_hold_the_same_bytes() {
    let mut decoded = String::new();
    BzDecoder::new(SAMPLE_DUMP)
        .read_to_string(&mut decoded)
        .unwrap();
    assert_eq!(decoded, PLAIN);
}

#[test]
fn lengths_are_those_of_the_texts() {
    let pages = pages();
    assert_eq!(pages.len(), 61);
    for (title, (declared, text)) in &pages {
        assert_eq!(*declared, text.len(), "bytes attribute of {title:?}");
    }
}

#[test]
fn planted_sentences_are_in_their_pages_and_similar() {
    let pages = pages();
    let mut kinds = BTreeMap::<&str, usize>::new();
    for line in EXPECTED.lines().skip(1) {
        let [kind, title_a, title_b, a, b] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns expected: {line:?}");
        };
        assert_ne!(title_a, title_b);
        for (title, sentence) in [(title_a, a), (title_b, b)] {
            assert!(
                occurs(&pages[title].1, sentence),
                "{title:?} lacks {sentence:?}"
            );
            assert!((20..=2000).contains(&sentence.chars().count()));
        }
        let similarity = characters(a, b);
        assert!(similarity >= 0.6, "{similarity:.3}: {a:?} and {b:?}");
        assert_eq!(kind == "identical", a == b, "{kind}: {a:?} and {b:?}");
        *kinds.entry(kind).or_default() += 1;
    }
    for kind in [
        "identical",
        "copy_edit",
        "factual_drift",
        "template",
        "reference",
    ] {
        assert!(kinds[kind] >= 3, "{kinds:?}");
    }
}

#[test]
fn documents_are_one_json_object_a_line() {
    let text = std::str::from_utf8(SAMPLE_DOCUMENTS).unwrap();
    assert_eq!(text.lines().count(), 33);
    for (number, line) in text.lines().enumerate() {
        assert!(
            line.starts_with(&format!("{{\"id\": {}, ", number + 1)),
            "{line}"
        );
        assert!(line.ends_with('}'), "{line}");
    }
}

#[test]
fn expected_documents_are_the_pairs_at_the_threshold() {
    let documents = std::str::from_utf8(SAMPLE_DOCUMENTS).unwrap();
    // The bodies hold no letter, digit or quotation mark after an escape, so a cut is enough.
    let bodies: Vec<HashSet<Vec<String>>> = documents
        .lines()
        .map(|line| {
            let body = line.split_once("\"body\": ").unwrap().1.to_lowercase();
            let words: Vec<String> = body
                .trim_end_matches('}')
                .split(|c: char| !(c.is_alphanumeric() || "'.,:’".contains(c)))
                .map(|word| {
                    word.trim_matches(|c: char| !c.is_alphanumeric())
                        .to_string()
                })
                .filter(|word| !word.is_empty() && word != "null")
                .collect();
            words.windows(3).map(<[String]>::to_vec).collect()
        })
        .collect();
    let mut found = Vec::new();
    for a in 0..bodies.len() {
        for b in a + 1..bodies.len() {
            let shared = bodies[a].intersection(&bodies[b]).count();
            let union = bodies[a].len() + bodies[b].len() - shared;
            if shared > 0 && shared as f64 / union as f64 >= 0.8 {
                found.push((a + 1, b + 1));
            }
        }
    }
    let mut expected: Vec<(usize, usize)> = EXPECTED_DOCUMENTS
        .lines()
        .skip(1)
        .map(|line| {
            let mut columns = line.split('\t').skip(1).map(|id| id.parse().unwrap());
            (columns.next().unwrap(), columns.next().unwrap())
        })
        .collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
}
