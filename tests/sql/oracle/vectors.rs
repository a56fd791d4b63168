//! Counts of terms, document frequencies, translations of both, and BM25 weights, against naive versions with maps.

use super::corpus::{register, session, texts};
use datafusion::arrow::array::{
    Array, AsArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use libtest_mimic::{Failed, Trial};
use neardup_datasets::generate::Kind;
use neardup_kernels::{SplitMix64, TermScratch, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::terms and their weights", || crate::run(weights())),
        Trial::test("oracle::terms in another vocabulary", || {
            crate::run(translated())
        }),
        Trial::test("oracle::terms on any number of partitions", || {
            crate::run(partitions())
        }),
    ]
}

/// A number for an id and a term. Numbers of the whole collection have id 0.
type Numbers = BTreeMap<(i64, String), f64>;

/// A translation table: source, target, probability.
type Table = Vec<(String, String, f64)>;

const MIN_COUNT: f64 = 3.0;
const MIN_TERMS: f64 = 20.0;

/// The expected result of term_counts.
fn naive_counts(texts: &[String]) -> Numbers {
    let english = Terms::new("en", true, true);
    let mut counts = Numbers::new();
    let mut totals: BTreeMap<String, f64> = BTreeMap::new();
    for (id, text) in texts.iter().enumerate() {
        english.for_each(text, &mut TermScratch::default(), |term| {
            *counts.entry((id as i64, term.to_owned())).or_default() += 1.0;
            *totals.entry(term.to_owned()).or_default() += 1.0;
        });
    }
    counts.retain(|(_, term), _| totals[term] >= MIN_COUNT);
    let lengths = naive_lengths(&counts);
    counts.retain(|(id, _), _| lengths[id] >= MIN_TERMS);
    counts
}

fn naive_lengths(counts: &Numbers) -> BTreeMap<i64, f64> {
    let mut lengths = BTreeMap::new();
    for ((id, _), tf) in counts {
        *lengths.entry(*id).or_default() += tf;
    }
    lengths
}

/// The expected result of document_frequencies, under id 0.
fn naive_frequencies(counts: &Numbers) -> Numbers {
    let mut frequencies = Numbers::new();
    for (_, term) in counts.keys() {
        *frequencies.entry((0, term.clone())).or_default() += 1.0;
    }
    frequencies
}

/// The expected result of translate_terms, up to rounding of sums.
fn naive_translated(numbers: &Numbers, table: &Table) -> Numbers {
    let mut by_source: BTreeMap<&String, Vec<(&String, f64)>> = BTreeMap::new();
    for (source, target, probability) in table {
        let targets = by_source.entry(source).or_default();
        targets.push((target, *probability));
    }
    let mut out = Numbers::new();
    for ((id, term), number) in numbers {
        for (target, probability) in by_source.get(term).into_iter().flatten() {
            *out.entry((*id, (*target).clone())).or_default() += probability * number;
        }
    }
    out
}

/// The expected result of bm25_vectors, up to rounding of sums.
fn naive_weights(counts: &Numbers, frequencies: &Numbers, k1: f64, b: f64) -> Numbers {
    let lengths = naive_lengths(counts);
    let documents = lengths.len() as f64;
    let mean = lengths.values().sum::<f64>() / documents;
    let weight = |((id, term), tf): (&(i64, String), &f64)| {
        let df = frequencies[&(0, term.clone())];
        let idf = (1.0 + (documents - df + 0.5) / (df + 0.5)).ln();
        let weight = idf * tf * (k1 + 1.0) / (tf + k1 * (1.0 - b + b * lengths[id] / mean));
        ((*id, term.clone()), weight)
    };
    counts.iter().map(weight).collect()
}

/// A translation table from the terms of counts to artificial terms. The probabilities of a target sum to at most 1.
fn made_up_table(counts: &Numbers) -> Table {
    let sources: BTreeSet<&String> = counts.keys().map(|(_, term)| term).collect();
    let mut random = SplitMix64::new(17);
    let mut table = Table::new();
    for (index, source) in sources.into_iter().enumerate() {
        if index % 11 == 0 {
            continue; // a term without translation
        }
        let targets: BTreeSet<u64> = (0..3).map(|_| random.below(400)).collect();
        for target in targets {
            let probability = (random.below(997)) as f64 / 99_700.0;
            table.push((source.clone(), format!("t{target}"), probability));
        }
    }
    table
}

fn register_table(context: &SessionContext, table: &Table) -> Result<()> {
    let sources = StringArray::from_iter_values(table.iter().map(|row| &row.0));
    let targets = StringArray::from_iter_values(table.iter().map(|row| &row.1));
    let probabilities = Float64Array::from_iter_values(table.iter().map(|row| row.2));
    let batch = RecordBatch::try_from_iter([
        ("german", Arc::new(sources) as _),
        ("english", Arc::new(targets) as _),
        ("p", Arc::new(probabilities) as _),
    ])?;
    context.register_batch("lexicon", batch)?;
    Ok(())
}

/// The result of a query for an id, a term and a number. Each pair of an id and a term must occur only once.
async fn numbers(context: &SessionContext, query: &str) -> Result<Numbers, Failed> {
    let mut numbers = Numbers::new();
    for batch in context.sql(query).await?.collect().await? {
        let columns: Vec<_> = batch
            .columns()
            .iter()
            .zip([DataType::Int64, DataType::Utf8, DataType::Float64])
            .map(|(column, wanted)| cast(column, &wanted))
            .collect::<std::result::Result<_, _>>()?;
        let ids: &Int64Array = columns[0].as_primitive::<Int64Type>();
        let terms: &StringArray = columns[1].as_string();
        let values = columns[2].as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            if columns.iter().any(|column| column.is_null(row)) {
                return Err(format!("{query}: NULL").into());
            }
            let key = (ids.value(row), terms.value(row).to_owned());
            if numbers.insert(key.clone(), values.value(row)).is_some() {
                return Err(format!("{query}: {key:?} stands twice").into());
            }
        }
    }
    Ok(numbers)
}

/// Fails if two results differ by more than rounding of sums.
fn same(what: &str, found: &Numbers, expected: &Numbers) -> Result<(), Failed> {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-3);
    let keys: BTreeSet<_> = found.keys().chain(expected.keys()).collect();
    for key in &keys {
        match (found.get(key), expected.get(key)) {
            (Some(a), Some(b)) if near(*a, *b) => {}
            (found, expected) => {
                return Err(format!("{what}: {key:?} is {found:?}, expected {expected:?}").into());
            }
        }
    }
    match keys.is_empty() {
        true => Err(format!("{what}: nothing").into()),
        false => Ok(()),
    }
}

const COUNTS: &str = "SELECT id, term, tf FROM term_counts(docs, min_count => 3, min_terms => 20)";
const FREQUENCIES: &str = "SELECT term, df FROM document_frequencies(counts)";
const TABLE: &str = "lexicon, source => german, target => english, probability => p";

/// A session of documents with the tables counts, frequencies and lexicon.
async fn prepared(partitions: usize, texts: &[String], table: &Table) -> Result<SessionContext> {
    let context = session(partitions)?;
    register(&context, "docs", texts)?;
    register_table(&context, table)?;
    for (name, query) in [("counts", COUNTS), ("frequencies", FREQUENCIES)] {
        let create = format!("CREATE TABLE {name} AS {query}");
        context.sql(&create).await?.collect().await?;
    }
    Ok(context)
}

fn unnested(vectors: &str) -> String {
    format!(
        "SELECT id, entry['term'], entry['weight'] FROM (SELECT id, UNNEST(vector) AS entry FROM {vectors})"
    )
}

async fn weights() -> Result<(), Failed> {
    let texts = texts(400, 51, Kind::Documents);
    let counts = naive_counts(&texts);
    let frequencies = naive_frequencies(&counts);
    let context = prepared(2, &texts, &Table::new()).await?;
    same(COUNTS, &numbers(&context, COUNTS).await?, &counts)?;
    let query = "SELECT 0, term, df FROM frequencies";
    same(query, &numbers(&context, query).await?, &frequencies)?;
    for (k1, b) in [(1.2, 0.75), (0.0, 0.0), (2.0, 1.0)] {
        let query = unnested(&format!(
            "bm25_vectors(counts, frequencies, k1 => {k1:?}, b => {b:?})"
        ));
        let expected = naive_weights(&counts, &frequencies, k1, b);
        same(&query, &numbers(&context, &query).await?, &expected)?;
    }
    Ok(())
}

async fn translated() -> Result<(), Failed> {
    let texts = texts(300, 52, Kind::Documents);
    let counts = naive_counts(&texts);
    let frequencies = naive_frequencies(&counts);
    let table = made_up_table(&counts);
    let positive = |table: &Table| table.iter().filter(|row| row.2 > 0.0).cloned().collect();
    let (english, expected) = (
        naive_translated(&counts, &positive(&table)),
        naive_translated(&frequencies, &positive(&table)),
    );
    let context = prepared(2, &texts, &table).await?;
    let query = format!("SELECT * FROM translate_terms(counts, {TABLE})");
    same(&query, &numbers(&context, &query).await?, &english)?;
    let query = format!("SELECT 0, * FROM translate_terms(frequencies, {TABLE})");
    same(&query, &numbers(&context, &query).await?, &expected)?;
    let query = unnested(&format!(
        "bm25_vectors(
           (SELECT * FROM translate_terms(counts, {TABLE})),
           (SELECT * FROM translate_terms(frequencies, {TABLE})))"
    ));
    let expected = naive_weights(&english, &expected, 1.2, 0.75);
    same(&query, &numbers(&context, &query).await?, &expected)
}

/// The same numbers, bit for bit, for 1, 2, 7 and 64 partitions.
async fn partitions() -> Result<(), Failed> {
    let texts = texts(300, 53, Kind::Documents);
    let table = made_up_table(&naive_counts(&texts));
    let mut first = None;
    for partitions in [2, 1, 7, 64] {
        let context = prepared(partitions, &texts, &table).await?;
        for (name, of) in [("english", "counts"), ("english_df", "frequencies")] {
            let create =
                format!("CREATE TABLE {name} AS SELECT * FROM translate_terms({of}, {TABLE})");
            context.sql(&create).await?.collect().await?;
        }
        let mut found = Vec::new();
        for query in [
            "SELECT id, term, tf FROM counts".to_owned(),
            "SELECT id, term, tf FROM english".to_owned(),
            "SELECT 0, term, df FROM english_df".to_owned(),
            unnested("bm25_vectors(counts, frequencies)"),
            unnested("bm25_vectors(english, english_df)"),
        ] {
            found.push(numbers(&context, &query).await?);
        }
        if found.iter().any(Numbers::is_empty) {
            return Err("nothing is compared".into());
        }
        if *first.get_or_insert_with(|| found.clone()) != found {
            return Err(format!("other numbers on {partitions} partitions").into());
        }
    }
    Ok(())
}
