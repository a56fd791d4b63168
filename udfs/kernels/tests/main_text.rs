//! How much of the main content of pages `html_text_into` keeps, and how much else.
//!
//! The pages in `main_text/` are made for this test. Two comments mark the main content of each, as a reader sees it:
//! `<!--main-->` and `<!--/main-->`. The figures are stated in `docs/shared_text.md`.

use std::collections::BTreeMap;
use std::path::Path;

use neardup_kernels::html_text_into;

/// Of each page: the words of its text, those of the main content, those that are kept, and those of the main content
/// that are kept.
const FIGURES: &[(&str, [usize; 4])] = &[
    ("blog", [215, 140, 140, 140]),
    // The short answer of the thread is lost, names of members stay.
    ("forum", [107, 79, 82, 74]),
    ("manual", [133, 101, 101, 101]),
    ("news", [223, 172, 172, 172]),
    // The only paragraph follows a list of links, of which it is taken for a part.
    ("shop", [67, 30, 0, 0]),
    ("verein", [74, 66, 70, 66]),
    ("xinwen", [17, 11, 11, 11]),
];

/// The words of a text, each with its number of occurrences.
fn words(text: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
}

/// The text of a page, or of a part of it.
fn text(html: &str, main_only: bool) -> String {
    let mut text = String::new();
    html_text_into(html, main_only, &mut text);
    text
}

/// The text between the comments.
fn main_content(page: &str) -> String {
    let parts = page.split("<!--main-->").skip(1);
    let mains = parts.map(|part| part.split("<!--/main-->").next().unwrap_or_default());
    mains.collect::<Vec<_>>().join("<p>")
}

#[test]
fn main_content_of_pages() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/main_text");
    let mut figures = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let page = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let (all, main, kept) = (
            text(&page, false),
            text(&main_content(&page), false),
            text(&page, true),
        );
        let (all, main, kept) = (words(&all), words(&main), words(&kept));
        let both = kept
            .iter()
            .map(|(word, count)| *count.min(main.get(word).unwrap_or(&0)));
        let sum = |words: &BTreeMap<&str, usize>| words.values().sum();
        figures.push((name, [sum(&all), sum(&main), sum(&kept), both.sum()]));
    }
    figures.sort();
    let expected: Vec<_> = FIGURES
        .iter()
        .map(|&(name, figures)| (name.to_owned(), figures))
        .collect();
    assert_eq!(figures, expected);
}
