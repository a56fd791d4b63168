//! `shared_passages` gives exactly the passages of brute force: every diagonal of every pair of texts.

use super::corpus::{register, session};
use super::same_rows;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{Int64Type, UInt64Type};
use datafusion::prelude::SessionContext;
use libtest_mimic::{Failed, Trial};
use neardup_kernels::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};
use xxhash_rust::xxh3::xxh3_64;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test(
            "oracle::shared_passages",
            || crate::run(equal_brute_force()),
        ),
        Trial::test("oracle::shared_passages of many texts", || {
            crate::run(many_texts())
        }),
    ]
}

/// passage, id, start_char, end_char, start_byte, end_byte, length, occurrences, texts.
type Row = (u64, [i64; 8]);

/// Texts of few letters, of which some are copies, parts or compositions of others.
fn texts(seed: u64, count: usize, longest: u64, alphabet: &[&str]) -> Vec<String> {
    let mut random = SplitMix64::new(seed);
    let mut texts: Vec<Vec<&str>> = Vec::new();
    while texts.len() < count {
        let mut units: Vec<&str> = Vec::new();
        let wanted = random.below(longest) as usize;
        while units.len() < wanted {
            if !texts.is_empty() && random.below(3) == 0 {
                let from = &texts[random.below(texts.len() as u64) as usize];
                let start = random.below(from.len() as u64 + 1) as usize;
                let end = from.len().min(start + random.below(30) as usize);
                units.extend(&from[start..end]);
            }
            units.push(alphabet[random.below(alphabet.len() as u64) as usize]);
        }
        if random.below(6) == 0 && !texts.is_empty() {
            units = texts[random.below(texts.len() as u64) as usize].clone();
        }
        texts.push(units);
    }
    texts.iter().map(|units| units.concat()).collect()
}

/// A unit: start_byte, end_byte, start_char, end_char.
fn units(text: &str, by_space: bool) -> Vec<[usize; 4]> {
    let mut units: Vec<[usize; 4]> = Vec::new();
    let mut is_open = false;
    for (at, (byte, c)) in text.char_indices().enumerate() {
        let is_blank = by_space && c == ' ';
        if is_blank {
            is_open = false;
            continue;
        }
        let (end_byte, end_char) = (byte + c.len_utf8(), at + 1);
        match units.last_mut() {
            Some(unit) if is_open && by_space => (unit[1], unit[3]) = (end_byte, end_char),
            _ => units.push([byte, end_byte, at, end_char]),
        }
        is_open = true;
    }
    units
}

fn brute_force(texts: &[String], by_space: bool, length: usize) -> Vec<Row> {
    let all: Vec<Vec<[usize; 4]>> = texts.iter().map(|text| units(text, by_space)).collect();
    let unit = |text: usize, at: usize| &texts[text][all[text][at][0]..all[text][at][1]];
    let content = |text: usize, first: usize, length: usize| {
        let units: Vec<&str> = (first..first + length).map(|at| unit(text, at)).collect();
        units.join(if by_space { " " } else { "" })
    };
    // The occurrences of each content: text, first unit, number of units.
    let mut groups: BTreeMap<String, BTreeSet<(usize, usize, usize)>> = BTreeMap::new();
    for a in 0..texts.len() {
        for b in a + 1..texts.len() {
            for x in 0..all[a].len() {
                for y in 0..all[b].len() {
                    if x > 0 && y > 0 && unit(a, x - 1) == unit(b, y - 1) {
                        continue;
                    }
                    let most = (all[a].len() - x).min(all[b].len() - y);
                    let equal = (0..most)
                        .take_while(|by| unit(a, x + by) == unit(b, y + by))
                        .count();
                    if equal >= length {
                        let places = groups.entry(content(a, x, equal)).or_default();
                        places.extend([(a, x, equal), (b, y, equal)]);
                    }
                }
            }
        }
    }
    let mut rows = Vec::new();
    for (content, places) in groups {
        let texts: BTreeSet<usize> = places.iter().map(|place| place.0).collect();
        for &(text, first, length) in &places {
            let (first, last) = (all[text][first], all[text][first + length - 1]);
            let row = [
                text,
                first[2],
                last[3],
                first[0],
                last[1],
                length,
                places.len(),
                texts.len(),
            ];
            rows.push((xxh3_64(content.as_bytes()), row.map(|number| number as i64)));
        }
    }
    rows.sort_unstable();
    rows
}

async fn rows(context: &SessionContext, query: &str) -> Result<Vec<Row>, Failed> {
    let mut rows = Vec::new();
    for batch in context.sql(query).await?.collect().await? {
        let passages = batch.column(0).as_primitive::<UInt64Type>().values();
        for (row, &passage) in passages.iter().enumerate() {
            let number = |at: usize| {
                let column = batch.column(at + 1);
                column.as_primitive::<Int64Type>().value(row)
            };
            rows.push((passage, [0, 1, 2, 3, 4, 5, 6, 7].map(number)));
        }
    }
    rows.sort_unstable();
    Ok(rows)
}

async fn equal_brute_force() -> Result<(), Failed> {
    let mut total = 0;
    for (seed, alphabet) in [
        (1, &["a", "b"][..]),
        (2, &["a", "b", "ü", " "]),
        (3, &["ab ", "b ", "ü ", "漢 ", "c, "]),
        (
            4,
            &["one ", "two ", "three ", "four ", "five ", "six ", "seven "],
        ),
    ] {
        let texts = texts(seed, 24, 70, alphabet);
        // A filter of 256 bytes lets everything pass.
        for (partitions, filter_bytes) in [(1, 1 << 20), (7, 256)] {
            let context = session(partitions)?;
            register(&context, "docs", &texts)?;
            for (unit, by_space) in [("char", false), ("space", true)] {
                for length in [3, 8, 15] {
                    let expected = brute_force(&texts, by_space, length);
                    let query = format!(
                        "SELECT * FROM shared_passages(docs, min_passage => '{unit}:{length}', filter_bytes => {filter_bytes})"
                    );
                    let found = rows(&context, &query).await?;
                    let what = format!("seed {seed}, {partitions} partitions: {query}");
                    same_rows(&what, &found, &expected)?;
                    total += found.len();
                }
            }
        }
    }
    match total {
        0..10_000 => Err(format!("only {total} rows").into()),
        _ => Ok(()),
    }
}

/// A passage of 3000 texts has 3000 rows, and 2000 copies of a text have 2000: comparing texts in pairs takes minutes.
async fn many_texts() -> Result<(), Failed> {
    let passage = "this is the passage that stands in every one of these texts";
    let mut texts: Vec<String> = (0..3_000)
        .map(|at| format!("before {at} {passage} after {at}"))
        .collect();
    texts.extend(vec![
        "some other text of ten words that is copied often"
            .to_owned();
        2_000
    ]);
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    let query = "SELECT * FROM shared_passages(docs, min_words => 10)";
    let found = rows(&context, query).await?;
    let count = |places: i64| found.iter().filter(|row| row.1[6] == places).count();
    match (count(3_000), count(2_000), found.len()) {
        (3_000, 2_000, 5_000) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
