//! The splitters on real text: the published goldens and the golden rules of many languages.

use std::collections::BTreeMap;
use std::fs;

use crate::shared_data::corpus;
use neardup_wikitext::sentences::{Splitter, split};

#[test]
fn published_splitter_gives_the_golden_sentences() {
    let (Some(documents), Some(golden)) = (
        corpus("seed-enwiki-part/wikiclean-sample.txt"),
        corpus("seed-enwiki-part/output_rp.txt"),
    ) else {
        return;
    };
    let documents = fs::read_to_string(documents).unwrap();
    let golden = fs::read_to_string(golden).unwrap();
    let mut found = String::with_capacity(golden.len());
    for line in documents.lines() {
        let (id, text) = line.split_once(",\t").unwrap();
        for (start, end) in split(text, None, Splitter::Published) {
            found.push_str(id);
            found.push('\t');
            found.push_str(&text[start..end]);
            found.push('\n');
        }
    }
    assert_eq!(found.lines().count(), 14_966);
    assert!(found == golden);
}

fn language_code(name: &str) -> &str {
    match name {
        "amharic" => "am",
        "armenian" => "hy",
        "arabic" => "ar",
        "bulgarian" => "bg",
        "burmese" => "my",
        "chinese" => "zh",
        "danish" => "da",
        "deutsch" => "de",
        "dutch" => "nl",
        "french" => "fr",
        "greek" => "el",
        "hindi" => "hi",
        "italian" => "it",
        "japanese" => "ja",
        "kazakh" => "kk",
        "marathi" => "mr",
        "persian" => "fa",
        "polish" => "pl",
        "russian" => "ru",
        "slovak" => "sk",
        "spanish" => "es",
        "urdu" => "ur",
        _ => "en",
    }
}

#[test]
fn golden_rules() {
    let Some(rules) = corpus("conformance/sentence_golden_rules.jsonl") else {
        return;
    };
    let mut passed: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in fs::read_to_string(rules).unwrap().lines() {
        let rule: serde_json::Value = serde_json::from_str(line).unwrap();
        let language = rule["lang"].as_str().unwrap();
        let text = rule["text"].as_str().unwrap();
        let expected: Vec<&str> = rule["sentences"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|s| s.as_str())
            .collect();
        let found: Vec<&str> = split(text, Some(language_code(language)), Splitter::Default)
            .map(|(start, end)| &text[start..end])
            .collect();
        let counts = passed.entry(language.to_owned()).or_default();
        counts.1 += 1;
        if found == expected {
            counts.0 += 1;
        } else {
            let short: String = text.chars().take(60).collect();
            let (found, expected) = (found.len(), expected.len());
            println!("{language} {}: {found} for {expected}: {short}", rule["n"]);
        }
    }
    for (language, (passed, of)) in &passed {
        println!("{language}: {passed} of {of}");
    }
    assert!(passed["english_golden_rules"].0 >= 46);
}

/// The cases of `sentencex` itself, whose word lists the default splitter shares: a text, `---`, and
/// its sentences a line, with `===` between cases and `#` before comments.
#[test]
fn cases_of_sentencex() {
    let Some(directory) = corpus("conformance/sentencex") else {
        return;
    };
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    let (mut all_passed, mut all) = (0, 0);
    for file in files {
        let language = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let content = fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
        let (mut passed, mut of) = (0, 0);
        for case in content.split("===") {
            let lines = case.lines().filter(|line| !line.starts_with('#'));
            let case = lines.collect::<Vec<_>>().join("\n");
            let Some((text, expected)) = case.split_once("---") else {
                continue;
            };
            // its paragraphs are set apart by blank lines, ours by line feeds
            let text = text.trim().replace('\n', " ");
            let expected: Vec<String> = expected
                .lines()
                .map(squeeze)
                .filter(|s| !s.is_empty())
                .collect();
            let found: Vec<String> = split(&text, Some(&language), Splitter::Default)
                .map(|(start, end)| squeeze(&text[start..end]))
                .collect();
            of += 1;
            if found == expected {
                passed += 1;
            } else if std::env::var_os("SHOW").is_some_and(|l| l == language.as_str()) {
                println!("{language}: {expected:?}\n    {found:?}");
            }
        }
        println!("{language}: {passed} of {of}");
        (all_passed, all) = (all_passed + passed, all + of);
    }
    println!("{all_passed} of {all}");
    assert!(all_passed * 100 >= all * 85);
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
