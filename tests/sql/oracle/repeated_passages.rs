//! `repeated_passages` cuts exactly the words of the definition: each run of n words that already occurs before, but
//! for the words that it has in common with its first occurrence.

use super::corpus::{register, session};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::prelude::SessionContext;
use libtest_mimic::{Failed, Trial};
use neardup_kernels::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::repeated_passages", || {
            crate::run(equal_brute_force())
        }),
        Trial::test("oracle::repeated_passages of many texts", || {
            crate::run(many_texts())
        }),
    ]
}

/// A text: its words in lower case, with the offset of the first character and after the last one.
type Words = Vec<(String, i64, i64)>;

/// Texts of few words, of which some hold parts of others, or of themselves.
fn texts(random: &mut SplitMix64, count: usize, vocabulary: u64) -> Vec<(String, Words)> {
    let mut texts: Vec<(String, Words)> = Vec::new();
    while texts.len() < count {
        let mut words: Vec<String> = Vec::new();
        let wanted = random.below(60) as usize;
        while words.len() < wanted {
            let from = match random.below(4) {
                0 if !texts.is_empty() => {
                    let of_text = &texts[random.below(texts.len() as u64) as usize].1;
                    of_text.iter().map(|(word, ..)| word.clone()).collect()
                }
                1 => words.clone(),
                _ => Vec::new(),
            };
            let start = random.below(from.len() as u64 + 1) as usize;
            let end = from.len().min(start + random.below(25) as usize);
            words.extend_from_slice(&from[start..end]);
            words.push(format!("ü{}", random.below(vocabulary)));
        }
        let (mut text, mut places) = (String::new(), Vec::new());
        for word in words {
            text.push_str([" ", " - ", "\n", ", "][random.below(4) as usize]);
            let start = text.chars().count() as i64;
            match random.below(4) {
                0 => text.push_str(&word.to_uppercase()),
                _ => text.push_str(&word),
            }
            let end = text.chars().count() as i64;
            places.push((word, start, end));
        }
        texts.push((text, places));
    }
    texts
}

/// The words of each text that are cut, by the definition.
fn brute_force(texts: &[Words], length: usize, min_copies: usize) -> Vec<BTreeSet<usize>> {
    let mut places: BTreeMap<Vec<&str>, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, words) in texts.iter().enumerate() {
        let words: Vec<&str> = words.iter().map(|(word, ..)| word.as_str()).collect();
        for (at, gram) in words.windows(length).enumerate() {
            places.entry(gram.to_vec()).or_default().push((number, at));
        }
    }
    let mut cut = vec![BTreeSet::new(); texts.len()];
    for places in places.values().filter(|places| places.len() >= min_copies) {
        let first = places[0];
        for &(text, at) in &places[1..] {
            let start = match text == first.0 {
                true => at.max(first.1 + length),
                false => at,
            };
            cut[text].extend(start..at + length);
        }
    }
    cut
}

/// id, start_char, end_char, first_id, first_start_char, first_end_char, words, copies
async fn rows(context: &SessionContext, query: &str) -> Result<Vec<[i64; 8]>, Failed> {
    let mut rows = Vec::new();
    for batch in context.sql(query).await?.collect().await? {
        for row in 0..batch.num_rows() {
            let number = |at: usize| batch.column(at).as_primitive::<Int64Type>().value(row);
            rows.push([0, 1, 2, 3, 4, 5, 6, 7].map(number));
        }
    }
    rows.sort_unstable();
    Ok(rows)
}

/// The numbers of the words of a text between two offsets, which must be those of words.
fn words_between(words: &Words, start: i64, end: i64) -> Result<(usize, usize), Failed> {
    let first = words.iter().position(|word| word.1 == start);
    let last = words.iter().position(|word| word.2 == end);
    first
        .zip(last)
        .ok_or_else(|| format!("no words from {start} to {end}: {words:?}").into())
}

async fn equal_brute_force() -> Result<(), Failed> {
    let mut random = SplitMix64::new(71);
    let mut total = 0;
    for (round, vocabulary) in [2, 3, 5, 20, 300].into_iter().enumerate() {
        let all = texts(&mut random, 40, vocabulary);
        let (texts, words): (Vec<String>, Vec<Words>) = all.into_iter().unzip();
        for partitions in [1, 7] {
            let context = session(partitions)?;
            register(&context, "docs", &texts)?;
            for (length, min_copies) in [(1, 2), (2, 2), (3, 3), (6, 2), (11, 2)] {
                let query = format!(
                    "SELECT * FROM repeated_passages(docs, min_words => {length}, min_copies => {min_copies})"
                );
                let expected = brute_force(&words, length, min_copies);
                let mut found = vec![BTreeSet::new(); texts.len()];
                for row in rows(&context, &query).await? {
                    let [
                        id,
                        start,
                        end,
                        first_id,
                        first_start,
                        first_end,
                        count,
                        copies,
                    ] = row;
                    let (own, others) = (&words[id as usize], &words[first_id as usize]);
                    let (first, last) = words_between(own, start, end)?;
                    let (there, last_there) = words_between(others, first_start, first_end)?;
                    let texts_of = |words: &Words, first: usize, last: usize| -> Vec<String> {
                        words[first..=last]
                            .iter()
                            .map(|word| word.0.clone())
                            .collect()
                    };
                    let is_right = texts_of(own, first, last)
                        == texts_of(others, there, last_there)
                        && (first_id, there) < (id, first)
                        && count == (last + 1 - first) as i64
                        && copies >= min_copies as i64;
                    if !is_right {
                        return Err(format!("{query}: {row:?}").into());
                    }
                    found[id as usize].extend(first..=last);
                    total += 1;
                }
                if let Some(text) = (0..texts.len()).find(|&text| found[text] != expected[text]) {
                    return Err(format!(
                        "round {round}, {partitions} partitions: {query}: of text {text}, {:?}, found {:?}, expected {:?}",
                        texts[text], found[text], expected[text]
                    )
                    .into());
                }
            }
        }
    }
    match total {
        0..5_000 => Err(format!("only {total} rows").into()),
        _ => Ok(()),
    }
}

/// A passage of 3,000 texts has a row for each but the first one.
async fn many_texts() -> Result<(), Failed> {
    let passage = "this is the passage that stands in every one of these texts";
    let texts: Vec<String> = (0..3_000)
        .map(|at| format!("before {at} {passage} after {at}"))
        .collect();
    let context = session(3)?;
    register(&context, "docs", &texts)?;
    let query = "SELECT * FROM repeated_passages(docs, min_words => 9)";
    let found = rows(&context, query).await?;
    let is_right = |row: &[i64; 8]| row[3] == 0 && row[6] == 13 && row[7] == 3_000;
    match found.len() == 2_999 && found.iter().all(is_right) {
        true => Ok(()),
        false => Err(format!("{} rows, {:?}", found.len(), found.first()).into()),
    }
}
