//! A relation argument is computed once, even if its rows differ between executions, and rows that take long to compute
//! are computed once in one process.

use super::cluster::{Cluster, session};
use super::run;
use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::{SessionConfig, SessionContext};
use libtest_mimic::{Failed, Trial};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Each text is in two files.
const TEXTS: usize = 6_000;
const FILES: usize = 4;

/// Calls over `$input` (`id`, `text`) that keep one of two equal texts, or pair them. The queries return the number of kept
/// rows, or of pairs, and the number of distinct texts.
const CALLS: &[(&str, &str)] = &[
    (
        "deduplicate",
        "SELECT count(*) AS n, count(DISTINCT text) AS texts FROM deduplicate($input, shingle => 'space:1')",
    ),
    (
        "deduplicate, longest",
        "SELECT count(*) AS n, count(DISTINCT text) AS texts FROM deduplicate($input, shingle => 'space:1', keep => 'longest')",
    ),
    (
        "field_join",
        "SELECT count(*) AS n, count(DISTINCT id_a) AS texts
         FROM field_join($input, fields => text, shingle => 'space:1', threshold => 1)",
    ),
    (
        "near_duplicates",
        "SELECT count(*) FILTER (WHERE kept) AS n, count(DISTINCT representative_id) AS texts
         FROM near_duplicates($input, shingle => 'space:1', keep => 'longest')
         WHERE (similarity IS NULL) = kept",
    ),
    (
        "repeated_passages",
        "SELECT count(*) AS n, count(DISTINCT first_id) AS texts FROM repeated_passages(
           (SELECT id, split_part(text, ' ', 1) || ' ' || text AS text FROM $input), min_words => 2)",
    ),
    (
        "repeated_text",
        "SELECT count(*) AS n, count(DISTINCT first_id) AS texts FROM repeated_text($input, min_length => 1)",
    ),
    (
        "repeated_text, similar",
        "SELECT count(*) AS n, count(DISTINCT first_id) AS texts FROM repeated_text($input, min_length => 1,
           threshold => 0.99, shingle => 'space:1')",
    ),
];

/// Relations whose rows differ from run to run, with the number of texts of each.
fn relations(files: &str) -> Vec<(&'static str, String, usize)> {
    let all = format!("'{files}/*.parquet'");
    vec![
        (
            "row numbers",
            format!("(SELECT row_number() OVER () AS id, text FROM {all})"),
            TEXTS,
        ),
        (
            "random ids",
            format!("(SELECT uuid() AS id, text FROM {all})"),
            TEXTS,
        ),
        (
            "a random number beside",
            format!("(SELECT CAST(random() * 9007199254740992 AS BIGINT) AS id, text FROM {all})"),
            TEXTS,
        ),
        ("a view", "numbered".to_owned(), TEXTS),
        ("a common table", "common".to_owned(), TEXTS),
        (
            "a limit",
            format!(
                "(SELECT row_number() OVER () AS id, text FROM (SELECT text FROM {all} LIMIT {TEXTS}))"
            ),
            0,
        ),
    ]
}

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("once::fixed relations are not kept", || {
            run(fixed_relations())
        }),
        Trial::test("once::rows that take long", || run(rows_that_take_long())),
    ];
    for partitions in [1, 2, 7] {
        trials.push(Trial::test(
            format!("once::rows are computed once on {partitions}"),
            move || run(local(partitions)),
        ));
    }
    trials.push(Trial::test(
        "once::rows are computed once on a cluster",
        on_a_cluster,
    ));
    trials
}

/// Writes files of texts, each text in two of them.
fn corpus() -> Result<tempfile::TempDir, Failed> {
    let directory = tempfile::tempdir()?;
    for file in 0..FILES {
        let numbers = (0..TEXTS).filter(|n| n % 2 == file % 2);
        let texts: StringArray = numbers
            .map(|n| Some(format!("{} {}", n * 7919, "x".repeat(n % 90))))
            .collect();
        let rows = RecordBatch::try_from_iter([("text", Arc::new(texts) as ArrayRef)])?;
        let path = directory.path().join(format!("{file}.parquet"));
        let mut writer = ArrowWriter::try_new(File::create(path)?, rows.schema(), None)?;
        writer.write(&rows)?;
        writer.close()?;
    }
    Ok(directory)
}

async fn check(context: &SessionContext, files: &str) -> Result<(), Failed> {
    let view = format!(
        "CREATE VIEW numbered AS SELECT row_number() OVER () AS id, text FROM '{files}/*.parquet'"
    );
    context.sql(&view).await?.collect().await?;
    for (relation, input, expected) in relations(files) {
        for (name, call) in CALLS {
            let call = call.replace("$input", &input);
            let sql = match relation {
                "a common table" => format!(
                    "WITH common AS (SELECT row_number() OVER () AS id, text FROM '{files}/*.parquet') {call}"
                ),
                _ => call,
            };
            let rows = context.sql(&sql).await?.collect().await;
            let rows = rows.map_err(|error| format!("{name} of {relation}: {error}"))?;
            let batch = rows
                .iter()
                .find(|batch| batch.num_rows() == 1)
                .ok_or("no row")?;
            let number = |column: usize| batch.column(column).as_primitive::<Int64Type>().value(0);
            let (kept, texts) = (number(0), number(1));
            // A limit takes any rows, so only check that the kept rows have distinct texts.
            let is_right = kept == texts && (expected == 0 || kept == expected as i64);
            if !is_right {
                return Err(format!(
                    "{name} of {relation}: {kept} rows are kept, {texts} texts\n{sql}"
                )
                .into());
            }
        }
    }
    Ok(())
}

async fn local(partitions: usize) -> Result<(), Failed> {
    let directory = corpus()?;
    let config = SessionConfig::new().with_target_partitions(partitions);
    let context = neardup::session(config, Arc::default())?;
    check(&context, &directory.path().to_string_lossy()).await
}

fn on_a_cluster() -> Result<(), Failed> {
    let cluster = Cluster::start(2)?;
    let directory = corpus()?;
    run(async move {
        let context = session(&cluster.url())?;
        check(&context, &directory.path().to_string_lossy()).await
    })
}

/// Only relations that may differ from run to run are stored.
async fn fixed_relations() -> Result<(), Failed> {
    let directory = corpus()?;
    let files = directory.path().to_string_lossy();
    let context = neardup::session(SessionConfig::new(), Arc::default())?;
    let docs = format!(
        "CREATE TABLE docs AS SELECT row_number() OVER () AS id, text FROM '{files}/*.parquet'"
    );
    context.sql(&docs).await?.collect().await?;
    for (relation, is_shared) in [
        ("docs", false),
        ("(SELECT id, text FROM docs WHERE id > 7)", false),
        (
            "(SELECT min(id) AS id, text FROM docs GROUP BY text)",
            false,
        ),
        (
            "(SELECT DISTINCT id, text FROM docs UNION ALL SELECT 0, 'a')",
            false,
        ),
        (
            "(SELECT id, max(text) OVER (PARTITION BY id) AS text FROM docs)",
            false,
        ),
        (
            "(SELECT id, text FROM docs WHERE id IN (SELECT id FROM docs LIMIT 5))",
            true,
        ),
        ("(SELECT id, text FROM docs ORDER BY text LIMIT 5)", true),
        ("(SELECT DISTINCT ON (text) id, text FROM docs)", true),
        (
            "(SELECT id, first_value(text) AS text FROM docs GROUP BY id)",
            true,
        ),
        ("(SELECT id, text FROM docs WHERE random() < 0.5)", true),
        (
            "(SELECT row_number() OVER (ORDER BY text) AS id, text FROM docs)",
            true,
        ),
    ] {
        let sql = format!("SELECT * FROM jaccard_join({relation})");
        let plan = context.sql(&sql).await?.into_optimized_plan()?;
        let plan = plan.display_indent().to_string();
        if plan.contains("SharedRows") != is_shared {
            return Err(format!("{relation}: expected shared rows {is_shared}\n{plan}").into());
        }
    }
    // Relations that are read only once are not stored either.
    let sql = "SELECT * FROM sentences((SELECT id, text FROM docs LIMIT 5))";
    let plan = context.sql(sql).await?.into_optimized_plan()?;
    match plan.display_indent().to_string() {
        plan if plan.contains("SharedRows") => Err(plan.into()),
        _ => Ok(()),
    }
}

/// A function of one text that returns it and counts how often it is called.
fn counted(calls: &Arc<AtomicUsize>) -> ScalarUDF {
    let calls = Arc::clone(calls);
    create_udf(
        "counted",
        vec![DataType::Utf8],
        DataType::Utf8,
        Volatility::Immutable,
        Arc::new(move |arguments: &[ColumnarValue]| {
            if let ColumnarValue::Array(texts) = &arguments[0] {
                calls.fetch_add(texts.len(), Ordering::Relaxed);
            }
            Ok(arguments[0].clone())
        }),
    )
}

/// Ranks, sentences, pairs and arguments that are more than a scan are computed once, however often a template reads them.
async fn rows_that_take_long() -> Result<(), Failed> {
    let calls = Arc::new(AtomicUsize::new(0));
    let context = neardup::session(
        SessionConfig::new().with_target_partitions(2),
        Arc::default(),
    )?;
    context.register_udf(counted(&calls));
    const ROWS: usize = 60;
    let docs = format!(
        "CREATE TABLE docs AS SELECT value AS id, concat('The mill number ', value / 2, ' burned down. It was built again.') AS text
         FROM generate_series(1, {ROWS})"
    );
    context.sql(&docs).await?.collect().await?;
    let plain = "(SELECT id, counted(text) AS text FROM docs)";
    let grouped = "(SELECT id, counted(max(text)) AS text FROM docs GROUP BY id)";
    for (call, times) in [
        (format!("near_duplicates({plain}, keep => 'longest')"), 1),
        (
            format!("near_duplicates({plain}, keep => 'longest', measure => 'containment')"),
            1,
        ),
        (
            format!("near_duplicates({plain}, method => 'minhash', keep_by => 'text desc')"),
            1,
        ),
        (format!("near_duplicates({grouped})"), 1),
        (
            format!("near_duplicates({grouped}, measure => 'edit', threshold => 0.9)"),
            1,
        ),
        // The rows that are returned are read beside the ranks.
        (format!("deduplicate({plain}, keep => 'longest')"), 2),
        // A filter and an aggregate call the function.
        (format!("partial_duplicates({plain}, min_length => 1)"), 2),
        (format!("repeated_text({plain}, min_length => 1)"), 2),
        (
            format!("repeated_text({plain}, min_length => 1, threshold => 0.9)"),
            2,
        ),
    ] {
        calls.store(0, Ordering::Relaxed);
        let sql = format!("SELECT * FROM {call}");
        context.sql(&sql).await?.collect().await?;
        let found = calls.load(Ordering::Relaxed);
        if found != times * ROWS {
            return Err(format!(
                "{call}: {found} calls for {ROWS} rows, expected {times} for each"
            )
            .into());
        }
    }
    Ok(())
}
