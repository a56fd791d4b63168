//! `jaccard_join` of columns of lists gives exactly the pairs of brute force, for lists of strings, of hashes, and for
//! each kind of signature.

use super::corpus::{pairs, register, session, texts};
use super::{at_least, naive, same_rows};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{Int64Type, UInt64Type};
use libtest_mimic::{Failed, Trial};
use neardup_datasets::generate::Kind;
use std::collections::BTreeMap;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::jaccard_join of signatures", || {
            crate::run(signatures())
        }),
        Trial::test("oracle::i_match", || crate::run(i_match())),
    ]
}

const THRESHOLDS: [f64; 5] = [0.2, 0.5, 2.0 / 3.0, 0.8, 1.0];

async fn signatures() -> Result<(), Failed> {
    let texts = texts(1_200, 31, Kind::Sentences);
    for (what, expression) in [
        ("words", "shingles(normalize_text(text), 'word:1')"),
        ("hashes", "shingle_hashes(normalize_text(text), 'word:3')"),
        ("winnowing", "winnow(normalize_text(text), 'char:6', 4)"),
        (
            "SpotSigs",
            "spot_signatures(normalize_text(text), ['the', 'of', 'in', 'a', 'and', 'was', 'to', 'by'])",
        ),
    ] {
        for (partitions, parts) in [(2, 1), (7, 5)] {
            let context = session(partitions)?;
            register(&context, "docs", &texts)?;
            let view = format!("CREATE VIEW signed AS SELECT id, {expression} AS items FROM docs");
            context.sql(&view).await?.collect().await?;
            // What brute force compares does not come from the join.
            let mut sets = vec![Vec::new(); texts.len()];
            let query = "SELECT id, set_hashes(items) AS hashes FROM signed";
            for batch in context.sql(query).await?.collect().await? {
                let ids = batch.column(0).as_primitive::<Int64Type>().values();
                let lists = batch.column(1).as_list::<i32>();
                for (row, &id) in ids.iter().enumerate() {
                    let hashes = lists.value(row);
                    sets[id as usize] = hashes.as_primitive::<UInt64Type>().values().to_vec();
                }
            }
            if what == "hashes" && sets != naive::sets(&texts, "word:3") {
                return Err("the sets of hashes are not those of the kernel".into());
            }
            let all = naive::self_pairs(&sets, THRESHOLDS[0]);
            for threshold in THRESHOLDS {
                let expected = at_least(threshold, &all);
                let query = format!(
                    "SELECT * FROM jaccard_join(signed, signature_column => items, threshold => {threshold}, parts => {parts})"
                );
                same_rows(
                    &format!("{what}: {query}"),
                    &pairs(&context, &query).await?,
                    &expected,
                )?;
                if expected.is_empty() {
                    return Err(format!("{what}: no pairs at {threshold}").into());
                }
            }
        }
    }
    Ok(())
}

/// The groups of equal signatures are those of equal words in the range of idf, counted naively.
async fn i_match() -> Result<(), Failed> {
    let texts: Vec<String> = texts(800, 17, Kind::Sentences)
        .iter()
        .map(|text| {
            let kept = text
                .chars()
                .filter(|c| c.is_ascii_alphabetic() || *c == ' ');
            kept.collect::<String>().to_lowercase()
        })
        .collect();
    let words = |text: &str| {
        let words: std::collections::BTreeSet<String> =
            text.split_whitespace().map(str::to_owned).collect();
        words
    };
    let mut df: BTreeMap<String, f64> = BTreeMap::new();
    for text in &texts {
        for word in words(text) {
            *df.entry(word).or_default() += 1.0;
        }
    }
    let total = texts.len() as f64;
    let idf = |df: f64| (total / df).ln();
    let (low, high) = df.values().fold((f64::MAX, f64::MIN), |(low, high), &df| {
        (low.min(idf(df)), high.max(idf(df)))
    });
    for (min_idf, max_idf) in [(0.1, 1.0), (0.25, 0.85), (0.0, 0.5)] {
        let mut groups: BTreeMap<Vec<String>, Vec<i64>> = BTreeMap::new();
        for (id, text) in texts.iter().enumerate() {
            let in_range = words(text).into_iter().filter(|word| {
                let idf = (idf(df[word]) - low) / (high - low);
                // No word may be so near to a bound that rounding decides.
                assert!((idf - min_idf).abs() > 1e-9 || min_idf == 0.0, "{word}");
                assert!((idf - max_idf).abs() > 1e-9 || max_idf == 1.0, "{word}");
                idf >= min_idf && idf <= max_idf + 1e-12
            });
            let in_range: Vec<String> = in_range.collect();
            if !in_range.is_empty() {
                groups.entry(in_range).or_default().push(id as i64);
            }
        }
        let mut expected: Vec<Vec<i64>> = groups.into_values().collect();
        expected.sort_unstable();
        for partitions in [1, 7] {
            let context = session(partitions)?;
            register(&context, "docs", &texts)?;
            let query = format!(
                "SELECT array_sort(array_agg(id)) FROM i_match(docs, min_idf => {min_idf}, max_idf => {max_idf})
                 WHERE cardinality(signature) > 0 GROUP BY signature[1]"
            );
            let mut found: Vec<Vec<i64>> = Vec::new();
            for batch in context.sql(&query).await?.collect().await? {
                let lists = batch.column(0).as_list::<i32>();
                for row in 0..batch.num_rows() {
                    let ids = lists.value(row);
                    found.push(ids.as_primitive::<Int64Type>().values().to_vec());
                }
            }
            found.sort_unstable();
            if found != expected {
                return Err(format!("{query}: found {found:?}, expected {expected:?}").into());
            }
        }
        if !expected.iter().any(|group| group.len() > 1) {
            return Err(format!("no equal signatures from {min_idf} to {max_idf}").into());
        }
    }
    Ok(())
}
