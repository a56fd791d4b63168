//! Tests `docs/cross_lingual.md`: its statements on its own sample, whose answers must be those on the page, and on
//! corpora in a separate directory.
#![expect(
    clippy::print_stdout,
    reason = "the figures, and that corpora are absent"
)]

use super::Pair;
use super::corpus::{count, pairs, session};
use datafusion::arrow::array::{
    ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use libtest_mimic::{Failed, Trial};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::the page of translations", || crate::run(page())),
        Trial::test("oracle::translations of a parliament", || {
            crate::run(parliament())
        }),
        Trial::test(
            "oracle::translations of captions",
            || crate::run(captions()),
        ),
    ]
}

/// The default target recall of projection_join.
const TARGET_RECALL: f64 = 0.99;

/// Every statement of the page, in order, gives the answer that the page shows.
async fn page() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let pairs_file = directory.path().join("sentence_pairs.parquet");
    let pairs_file = pairs_file.display().to_string();
    super::page::run(
        "cross_lingual.md",
        &[("sentence_pairs.parquet", &pairs_file)],
    )
    .await
}

/// A file of the corpora, or `None` with a printed message if NEARDUP_SHARED is not set to their directory.
fn shared(name: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("NEARDUP_SHARED") else {
        println!("skipped: NEARDUP_SHARED is not set, so {name} is not there");
        return None;
    };
    let path = Path::new(&root).join("datasets").join(name);
    assert!(
        path.exists(),
        "NEARDUP_SHARED: {} does not exist",
        path.display()
    );
    Some(path)
}

/// The text of a file, plain or gzip.
fn read(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(path)?;
    let mut text = String::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text)?;
    } else {
        (&bytes[..]).read_to_string(&mut text)?;
    }
    Ok(text)
}

/// A session with the page's tables: `sentences` and `lexicon` from two files of aligned lines, of which a fixed number
/// make a document, and then all further tables. `None` if the corpora are absent.
async fn prepared(
    english: &str,
    german: &str,
    lines: usize,
    lines_of_document: usize,
) -> Result<Option<SessionContext>, Failed> {
    let lexicon = "lex-de-en/decoded/wmt12.en-de.tsv.gz";
    let (Some(english), Some(german), Some(lexicon)) =
        (shared(english), shared(german), shared(lexicon))
    else {
        return Ok(None);
    };
    let context = session(2)?;
    let sides = [("en", read(&english)?), ("de", read(&german)?)];
    let mut rows: Vec<(String, i64, &str)> = Vec::new();
    for (language, text) in &sides {
        for (line, text) in text.lines().take(lines).enumerate() {
            let document = format!("{language}-{}", line / lines_of_document + 1);
            rows.push((document, line as i64 + 1, text));
        }
    }
    assert_eq!(rows.len(), 2 * lines, "lines of both languages");
    let strings = |values: Vec<&str>| -> ArrayRef { Arc::new(StringArray::from(values)) };
    let lines = Int64Array::from_iter_values(rows.iter().map(|row| row.1));
    let language = |row: &(String, i64, &'_ str)| if row.0.starts_with("en") { "en" } else { "de" };
    let columns = [
        ("line", Arc::new(lines) as ArrayRef),
        (
            "document",
            strings(rows.iter().map(|row| row.0.as_str()).collect()),
        ),
        ("language", strings(rows.iter().map(language).collect())),
        ("text", strings(rows.iter().map(|row| row.2).collect())),
    ];
    context.register_batch("sentences", RecordBatch::try_from_iter(columns)?)?;
    let lexicon = read(&lexicon)?;
    let (mut from, mut to, mut probabilities) = (Vec::new(), Vec::new(), Vec::new());
    for line in lexicon.lines() {
        let mut fields = line.split('\t');
        let (Some(english), Some(german), Some(probability)) =
            (fields.next(), fields.next(), fields.next())
        else {
            return Err(format!("no entry of a translation table: {line}").into());
        };
        from.push(english);
        to.push(german);
        probabilities.push(probability.parse::<f64>()?);
    }
    let probabilities = Arc::new(Float64Array::from(probabilities)) as ArrayRef;
    let columns = [
        ("english", strings(from)),
        ("german", strings(to)),
        ("p", probabilities),
    ];
    context.register_batch("lexicon", RecordBatch::try_from_iter(columns)?)?;
    for statement in super::page::statements("cross_lingual.md") {
        let sql = &statement.sql;
        let own_data = sql.contains("everyday.tsv") || sql.contains("TABLE lexicon");
        if sql.starts_with("CREATE") && !own_data {
            context.sql(sql).await?.collect().await?;
        }
    }
    Ok(Some(context))
}

/// The fraction of German documents whose best match is their translation. Documents without a match count as failures.
async fn top_1(context: &SessionContext) -> Result<f64, Failed> {
    let all = "SELECT count(*) FROM documents WHERE language = 'de'";
    let right = "SELECT count(*) FROM matches WHERE substr(german, 4) = substr(english, 4)";
    let (right, all) = (count(context, right).await?, count(context, all).await?);
    println!("top-1: {right} of {all} = {:.3}", right as f64 / all as f64);
    Ok(right as f64 / all as f64)
}

/// Fails if there are fewer candidates than the model predicts, or if the exact join does not find some of them.
async fn check_candidates(context: &SessionContext) -> Result<(), Failed> {
    let number = "CAST(substr(id_a, 4) AS BIGINT) AS a, CAST(substr(id_b, 4) AS BIGINT) AS b";
    let candidates = format!(
        "SELECT {number}, similarity
         FROM (SELECT german AS id_a, english AS id_b, similarity FROM candidates)"
    );
    let exact = format!(
        "SELECT {number}, similarity
         FROM cosine_join(vectors, threshold => 0.3, across => language)"
    );
    let found: Vec<Pair> = pairs(context, &candidates).await?;
    let exact: Vec<Pair> = pairs(context, &exact).await?;
    if let Some(wrong) = found.iter().find(|pair| !exact.contains(pair)) {
        return Err(format!("projection_join has {wrong:?}, which cosine_join has not").into());
    }
    let recall = found.len() as f64 / exact.len() as f64;
    let deviation = (TARGET_RECALL * (1.0 - TARGET_RECALL) / exact.len() as f64).sqrt();
    let min_recall = TARGET_RECALL - 3.0 * deviation;
    println!(
        "candidates: {} of {} = {recall:.4}, at least {min_recall:.4}",
        found.len(),
        exact.len()
    );
    match recall >= min_recall {
        true => Ok(()),
        false => Err(format!("recall {recall} is below {min_recall}").into()),
    }
}

/// Prints the cosines of translations and of other pairs of documents, and the pairs of sentences.
async fn print_cosines(context: &SessionContext) -> Result<(), Failed> {
    let query = "
        SELECT min(similarity), avg(similarity), max(similarity)
        FROM cosine_join(vectors, threshold => 1e-9, across => language)
        WHERE (substr(id_a, 4) = substr(id_b, 4)) = ";
    for (name, translations) in [("translations", true), ("others", false)] {
        let query = format!("{query}{translations}");
        let batches = context.sql(&query).await?.collect().await?;
        let number = |column: usize| {
            let column = batches[0].column(column);
            column.as_primitive::<Float64Type>().value(0)
        };
        println!(
            "cosines of {name}: {:.3} to {:.3}, mean {:.3}",
            number(0),
            number(2),
            number(1)
        );
    }
    let all = count(context, "SELECT count(*) FROM sentence_pairs").await?;
    let right = "SELECT count(*) FROM sentence_pairs WHERE german_line = english_line";
    let right = count(context, right).await?;
    println!("pairs of sentences: {all}, of the same line {right}");
    Ok(())
}

/// Documents of ten lines of the proceedings of a parliament. Only the first 490 lines of the sample are aligned.
async fn parliament() -> Result<(), Failed> {
    let file = |language| format!("seed-europarl-gt/europarl-v6.sample.{language}");
    let Some(context) = prepared(&file("en"), &file("de"), 490, 10).await? else {
        return Ok(());
    };
    print_cosines(&context).await?;
    check_candidates(&context).await?;
    match top_1(&context).await? {
        share if share >= 0.95 => Ok(()),
        share => Err(format!("top-1 is {share}").into()),
    }
}

/// Single captions of photographs: they are short, and many are similar to each other.
async fn captions() -> Result<(), Failed> {
    let file = |language| format!("multi30k/val.{language}.gz");
    let Some(context) = prepared(&file("en"), &file("de"), 1014, 1).await? else {
        return Ok(());
    };
    print_cosines(&context).await?;
    check_candidates(&context).await?;
    match top_1(&context).await? {
        share if share >= 0.55 => Ok(()),
        share => Err(format!("top-1 is {share}").into()),
    }
}
