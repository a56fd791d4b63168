//! Cleaning of real pages and of the inputs of other parsers' tests.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::pages::{Page, pages};
use crate::shared_data::corpus;
use neardup_wikitext::to_plain;

/// Cleans, and checks what holds for every input.
fn clean(wikitext: &str) -> String {
    let plain = to_plain(wikitext, Some("en"));
    assert!(plain.len() <= wikitext.len() * 2 + 64);
    for block in plain.split('\n').filter(|_| !plain.is_empty()) {
        assert!(
            !block.is_empty() && block == block.trim_matches(' '),
            "{plain:?}"
        );
    }
    plain
}

#[test]
fn inputs_of_mwparserfromhell() {
    let Some(directory) = corpus("conformance/mwparserfromhell") else {
        return;
    };
    let mut inputs = 0;
    for file in files(&directory, "mwtest") {
        for line in file.lines().filter_map(|line| line.strip_prefix("input:")) {
            let wikitext: String = serde_json::from_str(line.trim()).unwrap_or_else(|_| {
                line.trim()
                    .trim_matches('"')
                    .replace("\\n", "\n")
                    .replace("\\t", "\t")
            });
            clean(&wikitext);
            inputs += 1;
        }
    }
    println!("{inputs} inputs");
    assert!(inputs >= 500);
}

#[test]
fn inputs_of_mediawiki() {
    let Some(directory) = corpus("conformance/mediawiki") else {
        return;
    };
    let mut inputs = 0;
    for file in files(&directory, "txt") {
        for section in file
            .split("\n!!")
            .filter(|s| s.trim_start().starts_with("wikitext"))
        {
            clean(section.split_once('\n').map_or("", |(_, text)| text));
            inputs += 1;
        }
        clean(&file);
    }
    println!("{inputs} inputs");
    assert!(inputs >= 1_500);
}

fn files(directory: &Path, extension: &str) -> Vec<String> {
    let mut paths: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned())
        .collect()
}

fn words(text: &str) -> HashMap<String, usize> {
    let mut bag = HashMap::new();
    let separated = text.split(|c: char| !c.is_alphanumeric());
    for word in separated.filter(|word| !word.is_empty()) {
        *bag.entry(word.to_lowercase()).or_default() += 1;
    }
    bag
}

/// Cleans the pages of a dump: markup must not leak, and the words of the golden documents must
/// stay.
fn compare(dump: &str, golden: &str) {
    let (Some(dump), Some(golden)) = (corpus(dump), corpus(golden)) else {
        return;
    };
    let pages = pages(&dump);
    let plain: HashMap<&str, String> = pages
        .iter()
        .map(|page: &Page| (page.id.as_str(), clean(&page.wikitext)))
        .collect();
    let leaking: Vec<&Page> = pages
        .iter()
        .filter(|page| {
            let markup = ["{{", "}}", "[[", "]]", "{|"];
            markup.iter().any(|m| plain[page.id.as_str()].contains(m))
        })
        .collect();
    for page in &leaking {
        println!("leaks: {} {} in {}", page.id, page.title, page.namespace);
    }
    println!("{} of {} pages leak", leaking.len(), pages.len());
    assert!(leaking.len() * 100 <= pages.len());

    let (mut kept, mut all) = (0, 0);
    let mut lost: HashMap<String, usize> = HashMap::new();
    for line in fs::read_to_string(golden).unwrap().lines() {
        let (id, text) = line.split_once(",\t").unwrap();
        let ours = words(&plain[id]);
        let (mut page_kept, mut page_all) = (0, 0);
        for (word, count) in words(text) {
            let found = count.min(ours.get(&word).copied().unwrap_or(0));
            page_all += count;
            page_kept += found;
            if found < count {
                *lost.entry(word).or_default() += count - found;
            }
        }
        if page_kept * 100 < page_all * 90 {
            println!("page {id}: {page_kept} of {page_all} words");
        }
        kept += page_kept;
        all += page_all;
    }
    let mut lost: Vec<_> = lost.into_iter().collect();
    lost.sort_by_key(|(word, count)| (std::cmp::Reverse(*count), word.clone()));
    println!("lost most: {:?}", &lost[..lost.len().min(60)]);
    println!(
        "{kept} of {all} golden words: {:.2} %",
        100.0 * kept as f64 / all as f64
    );
    assert!(kept * 100 >= all * 97);
}

#[test]
fn words_of_the_seed_dump() {
    compare(
        "seed-enwiki-part/wikidump.part.xml.bz2",
        "seed-enwiki-part/wikiclean-sample.txt",
    );
}

#[test]
fn words_of_the_near_duplicate_articles() {
    compare(
        "seed-wikiduper/near-duplicate-wiki-articles.xml.bz2",
        "wikiclean-golden/near-duplicate-wiki-articles.wikiclean-1.2.txt",
    );
}

#[test]
fn words_of_the_katrina_articles() {
    compare(
        "seed-wikiduper/Katrina.xml",
        "wikiclean-golden/katrina.wikiclean-1.2.txt",
    );
}

/// One small dump for each of some hundred languages, named after its language.
#[test]
fn many_languages_do_not_leak() {
    let Some(directory) = corpus("dbpedia-minidumps") else {
        return;
    };
    let (mut all, mut leaking) = (0, 0);
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let language = name.split_once("-wiki").map_or("", |(code, _)| code);
        if language.starts_with("wikidata") {
            // its pages are JSON
            continue;
        }
        for page in pages(&path) {
            let plain = to_plain(&page.wikitext, Some(language));
            all += 1;
            if ["{{", "}}", "[[", "]]", "{|"]
                .iter()
                .any(|m| plain.contains(m))
            {
                leaking += 1;
                println!("leaks: {language} {} in {}", page.title, page.namespace);
            }
        }
    }
    println!("{leaking} of {all} pages leak");
    assert!(all > 100 && leaking * 100 <= all);
}
