//! The rows are the same, byte for byte, for any number of partitions and threads, any batch size, repeated runs, any
//! input format, and in one process or on a cluster.
//!
//! Not every combination is tested: all pairs of a number of partitions and a format are, and batch sizes and threads
//! alternate so that all pairs with them occur, too. Repeated runs and the cluster are added. The queries cover each
//! kind of plan: the exact join, MinHash with linked copies, both resolutions, sets that come from texts cut into
//! sentences, counts, and bit signatures. `dev/determinism` does the same on a large corpus, and for jobs.

use super::cluster::{Cluster, session as remote_session};
use super::fuzz::cells;
use datafusion::common::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use libtest_mimic::{Failed, Trial};
use neardup_datasets::generate::{Generator, Kind, Spec};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("determinism::in one process", in_one_process),
        Trial::test("determinism::on a cluster", on_a_cluster),
    ]
}

const PARTITIONS: [usize; 4] = [1, 2, 7, 64];
const BATCHES: [usize; 3] = [1, 100, 8192];
const FORMATS: [&str; 4] = ["parquet", "jsonl", "csv", "xml"];

/// Queries over `$docs`, a relation of `id, text`.
const QUERIES: [&str; 6] = [
    "SELECT * FROM jaccard_join($docs, threshold => 0.6)",
    "SELECT * FROM minhash_join($docs, shingle => 'char:5', threshold => 0.6, copies => 'linked')",
    "SELECT * FROM near_duplicates($docs, keep => 'longest', threshold => 0.5)",
    "SELECT * FROM deduplicate($docs, method => 'minhash', resolution => 'components', threshold => 0.5)",
    "SELECT * FROM simhash_join((SELECT * FROM sentences($docs)), id => sentence_id, text => sentence)",
    "SELECT * FROM term_counts($docs, min_terms => 1)",
];

/// The queries over the rows of a file.
fn queries(directory: &Path, format: &str) -> Vec<String> {
    let file = format!(
        "'{}'",
        directory.join("rows").with_extension(format).display()
    );
    let docs = match format {
        "xml" => format!("(SELECT page_id AS id, wikitext AS text FROM wiki_pages({file}))"),
        _ => format!("(SELECT id, text FROM {file})"),
    };
    QUERIES
        .iter()
        .map(|query| query.replace("$docs", &docs))
        .collect()
}

/// Writes the same rows in each format. The texts can be represented in every format.
async fn write(directory: &Path) -> Result<()> {
    let spec = Spec {
        rows: 40,
        seed: 77,
        kind: Kind::Documents,
    };
    let rows: Vec<(i64, String)> = (1..)
        .zip(Generator::new(spec).map(|row| row.text))
        .collect();
    let (mut lines, mut csv, mut xml) = (
        String::new(),
        String::from("id,text\n"),
        String::from("<mediawiki>\n"),
    );
    for (id, text) in &rows {
        let quoted = text.replace('"', "\"\"");
        let escaped = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let object = serde_json::json!({ "id": id, "text": text });
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{object}");
        let _ = writeln!(csv, "{id},\"{quoted}\"");
        let _ = writeln!(
            xml,
            "<page><title>Page {id}</title><ns>0</ns><id>{id}</id><revision><id>{id}</id>\
             <timestamp>2024-01-01T00:00:00Z</timestamp><text>{escaped}</text></revision></page>"
        );
    }
    std::fs::write(directory.join("rows.jsonl"), lines)?;
    std::fs::write(directory.join("rows.csv"), csv)?;
    std::fs::write(directory.join("rows.xml"), xml + "</mediawiki>\n")?;
    let context = neardup::session(SessionConfig::new(), Arc::default())?;
    let copy = format!(
        "COPY (SELECT * FROM '{0}/rows.jsonl' ORDER BY id) TO '{0}/rows.parquet'",
        directory.display()
    );
    context.sql(&copy).await?.collect().await?;
    Ok(())
}

/// The answers of all queries over one format, each sorted.
async fn answers(
    context: &SessionContext,
    directory: &Path,
    format: &str,
) -> Result<Vec<Vec<Vec<String>>>> {
    let mut answers = Vec::new();
    for query in queries(directory, format) {
        answers.push(cells(&context.sql(&query).await?.collect().await?)?);
    }
    Ok(answers)
}

/// Fails if two runs differ, and names the query.
fn same(
    what: &str,
    found: &[Vec<Vec<String>>],
    expected: &[Vec<Vec<String>>],
) -> Result<(), Failed> {
    for ((found, expected), query) in found.iter().zip(expected).zip(QUERIES) {
        if expected.is_empty() {
            return Err(format!("{query} gives nothing").into());
        }
        if found != expected {
            let wrong = found.iter().find(|row| !expected.contains(row));
            let missing = expected.iter().find(|row| !found.contains(row));
            return Err(format!(
                "{what}: {query}: {} rows, expected {}; not expected: {wrong:?}; not found: {missing:?}",
                found.len(),
                expected.len()
            )
            .into());
        }
    }
    Ok(())
}

/// Runs a future on that many threads.
fn on_threads<T: Send + 'static>(
    threads: usize,
    future: impl Future<Output = T> + Send + 'static,
) -> Result<T, Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(super::STACK_BYTES)
        .enable_all()
        .build()?;
    Ok(runtime.block_on(runtime.spawn(future))?)
}

fn in_one_process() -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let directory = scratch.path().to_owned();
    let path = directory.clone();
    super::run(async move { write(&path).await })?;
    // All combinations of partitions and formats, some of them twice.
    let all = PARTITIONS
        .iter()
        .flat_map(|&partitions| FORMATS.map(|format| (partitions, format)));
    let again = [(7, "parquet"), (7, "parquet"), (2, "csv"), (2, "csv")];
    let mut expected: Option<Vec<Vec<Vec<String>>>> = None;
    for (number, (partitions, format)) in all.chain(again).enumerate() {
        let (batch, threads) = (BATCHES[number % BATCHES.len()], 1 + number / 2 % 2);
        let path = directory.clone();
        let found = on_threads(threads, async move {
            let config = SessionConfig::new()
                .with_target_partitions(partitions)
                .with_batch_size(batch);
            let context = neardup::session(config, Arc::default())?;
            answers(&context, &path, format).await
        })??;
        let what =
            format!("{partitions} partitions, {threads} threads, batches of {batch}, {format}");
        same(&what, &found, expected.get_or_insert_with(|| found.clone()))?;
    }
    Ok(())
}

fn on_a_cluster() -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let directory = scratch.path().to_owned();
    let cluster = Cluster::start(2)?;
    let url = cluster.url();
    super::run(async move {
        write(&directory).await?;
        let local = neardup::session(SessionConfig::new(), Arc::default())?;
        let expected = answers(&local, &directory, "parquet").await?;
        let context = remote_session(&url)?;
        for format in FORMATS.into_iter().chain(["parquet"]) {
            let found = answers(&context, &directory, format).await?;
            same(&format!("a cluster, {format}"), &found, &expected)?;
        }
        Ok(())
    })
}
