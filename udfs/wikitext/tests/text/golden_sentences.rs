//! The golden sentences of the published systems, found again by our cleaning of the same pages and
//! the default splitter.
//!
//! The goldens come from another cleaner and another splitter, and some of them are not sentences.
//! Those are dropped by the classes below, each of which is counted and printed:
//!
//! - *heading*: a heading of the page runs into the text after it;
//! - *list*: a list marker is in the text, or list items run together;
//! - *cut*: the expression stopped at an abbreviation or before a lower-case letter, or begins
//!   where such a stop (or text that it cannot begin with) was left behind;
//! - *markup*: the other cleaner left markup;
//! - *hole*: the other cleaner left out words of a template (units, foreign words, dates) that
//!   belong to the sentence: one of our sentences has all of the golden's letters in order, begins
//!   and ends alike, and has more; or it has the golden's letters beside the words for formulas;
//! - *gap*: the other cleaner left spaces or separators beside what it left out ("Asia ( or) is"):
//!   one of our sentences has the same letters without them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;

use crate::pages::pages;
use crate::shared_data::corpus;
use neardup_wikitext::sentences::{Splitter, split};
use neardup_wikitext::to_plain;

/// White space runs as one space.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The headings of a page as the other cleaner leaves them.
fn headings(wikitext: &str) -> HashSet<String> {
    wikitext
        .lines()
        .filter_map(|line| {
            let line = line.split("<!--").next()?.trim_end();
            let inner = line.strip_prefix('=')?.strip_suffix('=')?;
            let title = squeeze(&to_plain(inner.trim_matches('='), None));
            (!title.is_empty()).then_some(title)
        })
        .collect()
}

fn runs_into_heading(sentence: &str, headings: &HashSet<String>) -> bool {
    headings.iter().any(|heading| {
        sentence.match_indices(heading.as_str()).any(|(at, _)| {
            let rest = &sentence[at + heading.len()..];
            let starts_word = at == 0 || sentence[..at].ends_with(' ');
            let fused = rest.strip_prefix(' ').is_some_and(|rest| {
                rest.starts_with(|c: char| !c.is_lowercase() && !matches!(c, '(' | '–' | '-' | '='))
            });
            starts_word && (fused || (rest.is_empty() && at > 0))
        })
    })
}

fn has_list_marker(sentence: &str) -> bool {
    sentence.split(' ').any(|word| {
        let rest = word.trim_start_matches(['*', '#', ';', ':']);
        let marker = &word[..word.len() - rest.len()];
        !marker.is_empty() && !rest.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn has_markup(sentence: &str) -> bool {
    let markup = ["http", "[[", "]]", "{", "}", "|", "__", "[//", "=="];
    markup.iter().any(|m| sentence.contains(m))
}

/// Ends in an abbreviation or an initial.
fn ends_in_abbreviation(sentence: &str) -> bool {
    const ABBREVIATIONS: &[&str] = &[
        "al", "approx", "art", "assn", "aug", "ave", "bros", "brig", "ca", "capt", "cf", "ch",
        "co", "col", "corp", "dec", "dept", "dr", "ed", "eds", "esp", "est", "etc", "ex", "feb",
        "ff", "fig", "fl", "fr", "ft", "gen", "gk", "gov", "hon", "inc", "jan", "jr", "lat", "lit",
        "lt", "ltd", "maj", "mr", "mrs", "ms", "mt", "no", "nov", "oct", "op", "ph", "pl", "pp",
        "pres", "prof", "rep", "resp", "rev", "sec", "sen", "sep", "sept", "sgt", "sing", "sr",
        "st", "trans", "univ", "viz", "vol", "vols", "vs",
    ];
    let Some(text) = sentence.trim_end_matches(['"', '\'']).strip_suffix('.') else {
        return false;
    };
    let word = text
        .rsplit(|c: char| c.is_whitespace() || "([\"'–—-/".contains(c))
        .next()
        .unwrap_or("");
    let short = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let dotted = word.contains('.') && word.split('.').all(|part| part.len() < 4);
    short || dotted || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().all(|c| rest.any(|d| d == c))
}

/// True if one of our sentences is the golden one with words that it lacks.
fn has_hole(sentence: &str, ours: &[String]) -> bool {
    let golden = letters(sentence);
    let edge = |text: &str, from_end: bool| -> String {
        let n = 6.min(text.chars().count());
        match from_end {
            true => text.chars().rev().take(n).collect(),
            false => text.chars().take(n).collect(),
        }
    };
    ours.iter().any(|sentence| {
        if sentence.contains("FORMULA") && letters(&sentence.replace("FORMULA", "")) == golden {
            return true;
        }
        let whole = letters(sentence);
        whole.len() > golden.len()
            && edge(&golden, false) == edge(&whole, false)
            && edge(&golden, true) == edge(&whole, true)
            && is_subsequence(&golden, &whole)
    })
}

/// True if a separator has lost what it separates, and one of our sentences is the golden one without
/// such separators and spaces.
fn has_gap(sentence: &str, ours: &[String]) -> bool {
    let gaps = [" ,", " .", " )", "( ", "(,", "(;", "()", ",,", ";;"];
    let gapped = |text: &str| gaps.iter().any(|gap| text.contains(gap));
    let golden = letters(sentence);
    gapped(sentence)
        && ours
            .iter()
            .any(|own| !gapped(own) && letters(own) == golden)
}

#[test]
fn golden_sentences_are_found() {
    let (Some(dump), Some(documents)) = (
        corpus("seed-enwiki-part/wikidump.part.xml.bz2"),
        corpus("seed-enwiki-part/wikiclean-sample.txt"),
    ) else {
        return;
    };
    let pages: HashMap<String, String> = pages(&dump)
        .into_iter()
        .map(|page| (page.id, page.wikitext))
        .collect();
    let mut dropped: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut goldens, mut found, mut left, mut spaces) = (0, 0, 0, 0);
    for line in fs::read_to_string(documents).unwrap().lines() {
        let (id, text) = line.split_once(",\t").unwrap();
        let wikitext = &pages[id];
        let headings = headings(wikitext);
        let plain = to_plain(wikitext, Some("en"));
        let exact: HashSet<&str> = split(&plain, Some("en"), Splitter::Default)
            .map(|(start, end)| &plain[start..end])
            .collect();
        let ours: Vec<String> = exact.iter().map(|sentence| squeeze(sentence)).collect();
        let set: HashSet<&str> = ours.iter().map(String::as_str).collect();
        let (mut last_end, mut last_is_cut) = (0, false);
        for (start, end) in split(text, None, Splitter::Published) {
            goldens += 1;
            let sentence = squeeze(&text[start..end]);
            let is_found = set.contains(sentence.as_str());
            spaces += usize::from(is_found && !exact.contains(text[start..end].trim()));
            let after = text[end..].trim_start();
            let is_cut = ends_in_abbreviation(&sentence)
                || after.starts_with(|c: char| c.is_lowercase() || c == ',');
            let begins_late = last_is_cut || !text[last_end..start].trim().is_empty();
            let class = if runs_into_heading(&sentence, &headings) {
                Some("heading")
            } else if has_list_marker(&sentence) {
                Some("list")
            } else if is_cut || begins_late {
                Some("cut")
            } else if has_markup(&sentence) {
                Some("markup")
            } else if !is_found && has_hole(&sentence, &ours) {
                Some("hole")
            } else if !is_found && has_gap(&sentence, &ours) {
                Some("gap")
            } else {
                None
            };
            match class {
                Some(class) => {
                    let counts = dropped.entry(class).or_default();
                    counts.0 += 1;
                    counts.1 += usize::from(is_found);
                }
                None => {
                    left += 1;
                    found += usize::from(is_found);
                    if !is_found {
                        println!("missed {id}: {sentence}");
                    }
                }
            }
            (last_end, last_is_cut) = (end, is_cut);
        }
    }
    println!("{goldens} goldens");
    for (class, (all, found)) in &dropped {
        println!("dropped as {class}: {all} (of which {found} are found)");
    }
    println!("{spaces} found in other white space only");
    println!(
        "{found} of {left}: {:.2} %",
        100.0 * found as f64 / left as f64
    );
    assert_eq!(goldens, 14_966);
    assert!(found * 100 >= left * 98);
}
