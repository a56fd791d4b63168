//! `field_join` gives exactly the pairs of brute force, with bitwise equal similarities.

use super::corpus::session;
use super::naive::{FieldValue, field_value, record_similarity};
use super::same_rows;
use datafusion::arrow::array::{Array, AsArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use libtest_mimic::{Failed, Trial};
use neardup_kernels::SplitMix64;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::field_join", || crate::run(all_settings())),
        Trial::test("oracle::field_join at similarities", || {
            crate::run(at_similarities())
        }),
    ]
}

const NAMES: [&str; 3] = ["title", "body", "answer"];

/// The fields of a record, of which some are NULL, empty or blank.
type Record = [Option<String>; 3];

/// Pairs with the similarity of each field; `None` if it is left out.
type Found = Vec<(i64, i64, f64, Vec<Option<f64>>)>;

/// How records are compared.
struct Setting {
    weights: [f64; 3],
    measures: [&'static str; 3],
    shingles: [&'static str; 3],
    rescale: bool,
    /// The rows of this relation may be in a pair: all, those of one group, or those of two groups.
    groups: &'static str,
}

const SETTINGS: [Setting; 14] = [
    setting([0.4, 0.2, 0.4], "jjj", false, ""),
    setting([0.4, 0.2, 0.4], "jjc", false, ""),
    setting([0.4, 0.2, 0.4], "jjj", true, ""),
    setting([0.9, 0.07, 0.03], "jjj", false, ""),
    setting([0.0, 0.5, 0.5], "ccc", false, ", within => site"),
    setting([0.3, 0.0, 0.7], "cjj", true, ", across => site"),
    setting(
        [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
        "jcj",
        false,
        ", across => site",
    ),
    setting([0.1, 0.2, 0.7], "ccj", true, ", within => site"),
    setting([0.4, 0.2, 0.4], "eee", false, ""),
    setting([0.5, 0.2, 0.3], "ejc", false, ""),
    setting([0.3, 0.3, 0.4], "jee", true, ""),
    setting([0.03, 0.9, 0.07], "eje", false, ""),
    setting([0.5, 0.0, 0.5], "eej", false, ", within => site"),
    setting([0.6, 0.2, 0.2], "ece", true, ", across => site"),
];

const fn setting(
    weights: [f64; 3],
    measures: &str,
    rescale: bool,
    groups: &'static str,
) -> Setting {
    let m = measures.as_bytes();
    Setting {
        weights,
        measures: [measure(m[0]), measure(m[1]), measure(m[2])],
        shingles: ["word:1", "word:2", "char:3"],
        rescale,
        groups,
    }
}

/// The measure of that first letter.
const fn measure(letter: u8) -> &'static str {
    match letter {
        b'j' => "jaccard",
        b'c' => "containment",
        _ => "edit",
    }
}

/// Records of few words, so that many are similar.
fn records(count: usize, seed: u64) -> Vec<Record> {
    let words = [
        "visa", "wife", "long", "weeks", "car", "sell", "Price", "new", "old", "job",
    ];
    let mut random = SplitMix64::new(seed);
    let mut all: Vec<Record> = Vec::new();
    for _ in 0..count {
        // Half of the records are made from others.
        let from = match all.len() {
            0 => None,
            made if random.below(2) == 0 => Some(random.below(made as u64) as usize),
            _ => None,
        };
        let mut field = |at: usize| match (random.below(12), from) {
            (0, _) => None,
            (1, _) => Some(String::new()),
            (2, _) => Some("  ".to_owned()),
            (3..6, Some(from)) => all[from][at].clone(),
            // A character is inserted or replaced.
            (edit @ 6..8, Some(from)) => all[from][at].as_ref().map(|text| {
                let start = random.below(1 + text.chars().count() as u64) as usize;
                let end = start + (edit == 6) as usize;
                let characters = text.chars().take(start).chain(['ß']);
                characters.chain(text.chars().skip(end)).collect()
            }),
            _ => {
                let words = (0..1 + random.below(7)).map(|_| words[random.below(10) as usize]);
                Some(words.collect::<Vec<_>>().join(" "))
            }
        };
        let record = [field(0), field(1), field(2)];
        all.push(record);
    }
    all
}

/// A table of records in three partitions; the id of a record is its index, and its site the index modulo 3.
fn register(context: &SessionContext, name: &str, records: &[Record]) -> Result<(), Failed> {
    let batch = |rows: std::ops::Range<usize>| -> Result<RecordBatch, Failed> {
        let ids = Int64Array::from_iter_values(rows.clone().map(|row| row as i64));
        let sites = Int64Array::from_iter_values(rows.clone().map(|row| row as i64 % 3));
        let field = |at: usize| {
            let texts = records[rows.clone()].iter();
            Arc::new(StringArray::from_iter(
                texts.map(|record| record[at].as_deref()),
            )) as _
        };
        Ok(RecordBatch::try_from_iter_with_nullable([
            ("id", Arc::new(ids) as _, false),
            ("title", field(0), true),
            ("body", field(1), true),
            ("answer", field(2), true),
            ("site", Arc::new(sites) as _, false),
        ])?)
    };
    let third = records.len() / 3;
    let batches = [0..third, third..2 * third, 2 * third..records.len()].map(batch);
    let batches = batches.into_iter().collect::<Result<Vec<_>, _>>()?;
    let schema = batches[0].schema();
    let partitions = batches.into_iter().map(|batch| vec![batch]).collect();
    context.register_table(name, Arc::new(MemTable::try_new(schema, partitions)?))?;
    Ok(())
}

/// The value of each field of each record.
fn values(records: &[Record], shingles: [&str; 3]) -> Vec<[FieldValue; 3]> {
    let of_record = |record: &Record| {
        [0, 1, 2].map(|at| field_value(record[at].as_deref(), shingles[at], true))
    };
    records.iter().map(of_record).collect()
}

/// Every pair of a setting at a similarity above 0, by comparing all of them.
fn compared(setting: &Setting, first: &[Record], second: Option<&[Record]>) -> Found {
    let own = values(first, setting.shingles);
    let other = second.map(|second| values(second, setting.shingles));
    let mut found = Found::new();
    for (a, fields) in own.iter().enumerate() {
        let from = if other.is_some() { 0 } else { a + 1 };
        let others = other.as_ref().unwrap_or(&own);
        for (b, others) in others.iter().enumerate().skip(from) {
            let is_same_site = a % 3 == b % 3;
            match setting.groups {
                ", within => site" if !is_same_site => continue,
                ", across => site" if is_same_site => continue,
                _ => {}
            }
            let (weights, measures) = (&setting.weights, &setting.measures);
            let (similarity, all) =
                record_similarity(weights, measures, setting.rescale, fields, others);
            if similarity > 0.0 {
                found.push((a as i64, b as i64, similarity, all));
            }
        }
    }
    found
}

async fn joined(context: &SessionContext, query: &str) -> Result<Found, Failed> {
    let mut found = Found::new();
    for batch in context.sql(query).await?.collect().await? {
        let ids = |at: usize| {
            batch
                .column(at)
                .as_primitive::<Int64Type>()
                .values()
                .to_vec()
        };
        let number = |at: usize, row: usize| {
            let column = batch.column(at).as_primitive::<Float64Type>();
            column.is_valid(row).then(|| column.value(row))
        };
        for (row, (a, b)) in ids(0).into_iter().zip(ids(1)).enumerate() {
            let similarity = number(2, row).ok_or("a pair without a similarity")?;
            let fields = (3..6).map(|at| number(at, row)).collect();
            found.push((a, b, similarity, fields));
        }
    }
    found.sort_by_key(|pair| (pair.0, pair.1));
    Ok(found)
}

fn call(setting: &Setting, relations: &str, threshold: f64, parts: usize) -> String {
    let list = |values: [String; 3]| values.join(", ");
    format!(
        "SELECT * FROM field_join({relations}, fields => [{}], weights => [{}], measures => [{}], shingles => [{}], missing => '{}', threshold => {threshold:?}, parts => {parts}{})",
        NAMES.join(", "),
        list(setting.weights.map(|weight| format!("{weight:?}"))),
        list(setting.measures.map(|measure| format!("'{measure}'"))),
        list(setting.shingles.map(|shingle| format!("'{shingle}'"))),
        if setting.rescale { "rescale" } else { "zero" },
        setting.groups
    )
}

/// The pairs at a threshold. A similarity that is less by rounding is the threshold.
fn at(all: &Found, threshold: f64) -> Found {
    let above = all
        .iter()
        .filter(|pair| pair.2 >= threshold * (1.0 - 1e-12));
    above
        .map(|(a, b, similarity, fields)| (*a, *b, similarity.max(threshold), fields.clone()))
        .collect()
}

async fn all_settings() -> Result<(), Failed> {
    // The second relation has some records of the first one, and others.
    let (first, second) = (records(240, 5), records(300, 5).split_off(150));
    for (partitions, parts, thresholds) in [(1, 1, &[0.05, 0.5, 0.9][..]), (7, 3, &[0.4, 1.0][..])]
    {
        let context = session(partitions)?;
        register(&context, "docs", &first)?;
        register(&context, "others", &second)?;
        for setting in &SETTINGS {
            for (relations, second) in [("docs", None), ("docs, others", Some(&second[..]))] {
                let all = compared(setting, &first, second);
                for &threshold in thresholds {
                    let query = call(setting, relations, threshold, parts);
                    let expected = at(&all, threshold);
                    if expected.is_empty() && threshold <= 0.5 {
                        return Err(format!("no pairs: {query}").into());
                    }
                    let found = joined(&context, &query).await?;
                    same_rows(&format!("{query} on {partitions}"), &found, &expected)?;
                }
            }
        }
    }
    Ok(())
}

/// Thresholds that some pairs just reach, or miss by rounding, or by more.
async fn at_similarities() -> Result<(), Failed> {
    let docs = records(90, 9);
    let context = session(2)?;
    register(&context, "docs", &docs)?;
    for setting in &SETTINGS {
        let all = compared(setting, &docs, None);
        let mut similarities: Vec<f64> = all.iter().map(|pair| pair.2.min(1.0)).collect();
        similarities.sort_by(f64::total_cmp);
        similarities.dedup();
        for similarity in similarities.iter().step_by(similarities.len() / 4 + 1) {
            for threshold in [
                *similarity,
                similarity.next_up().min(1.0),
                (similarity * (1.0 + 2e-12)).min(1.0),
            ] {
                let query = call(setting, "docs", threshold, 1);
                same_rows(
                    &query,
                    &joined(&context, &query).await?,
                    &at(&all, threshold),
                )?;
            }
        }
    }
    Ok(())
}
