//! The SQL text of a call gives the same rows as the call, in a session with only the scalar functions and aggregates
//! of neardup.

use super::calls::{CALLS, TABLES, session};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use libtest_mimic::{Failed, Trial};
use neardup::functions::{TABLE_FUNCTIONS, sql_text};
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("inline::every call", || super::run(every_call())),
        Trial::test("inline::calls without a SQL text", calls_without_text),
    ]
}

/// A session of the engine with the scalar functions and aggregates of neardup.
fn plain() -> SessionContext {
    let context = SessionContext::new();
    for function in neardup_udfs::scalar_functions() {
        context.register_udf(Arc::unwrap_or_clone(function));
    }
    for function in neardup_udfs::aggregate_functions() {
        context.register_udaf(Arc::unwrap_or_clone(function));
    }
    context
}

async fn rows(context: &SessionContext, query: &str) -> Result<String> {
    let batches = context.sql(query).await?.collect().await?;
    let table = pretty_format_batches(&batches)?.to_string();
    let mut lines: Vec<&str> = table.lines().collect();
    lines.sort_unstable();
    Ok(lines.join("\n"))
}

async fn every_call() -> Result<(), Failed> {
    let ours = session(SessionConfig::new()).await?;
    let theirs = plain();
    let mut tables: Vec<(String, SchemaRef)> = Vec::new();
    for &name in TABLES {
        let table = ours.table_provider(name).await?;
        tables.push((name.to_owned(), table.schema()));
        theirs.register_table(name, table)?;
    }
    let mut compared = 0;
    for (function, query) in CALLS {
        let is_public = TABLE_FUNCTIONS
            .iter()
            .any(|found| found.name == *function && found.public);
        let Some(call) = query.strip_prefix("SELECT * FROM ") else {
            continue;
        };
        if !is_public || ["wiki_pages", "word_vectors"].contains(function) {
            continue;
        }
        let text = sql_text(call, &tables)?;
        let expected = rows(&ours, query).await?;
        let found = rows(&theirs, &text).await;
        let found = found.map_err(|error| format!("{query}: {error}\n{text}"))?;
        if expected != found {
            return Err(format!("{query}\n{expected}\n{found}\n{text}").into());
        }
        compared += 1;
    }
    // All calls except those that read files, in all variants.
    if compared < 50 {
        return Err(format!("{compared} calls were compared").into());
    }
    Ok(())
}

fn calls_without_text() -> Result<(), Failed> {
    for (call, expected) in [
        ("wiki_pages('a.xml')", "no SQL of standard operators"),
        ("word_vectors('a.vec')", "no SQL of standard operators"),
        ("jaccard_join(docs)", "the columns of docs are not known"),
        ("jaccard_join()", "the first argument must be a relation"),
        ("jaccard_join((SELECT 1))", "is not the name of a table"),
        ("docs", "is not a call of a table function"),
        ("docs, docs", "is not a call of a table function"),
        ("lsh_plan(now())", "is no constant"),
        ("lsh_plan(-1)", "must be a number in (0, 1]"),
    ] {
        let error = sql_text(call, &[]).expect_err(call).strip_backtrace();
        if !error.contains(expected) {
            return Err(format!("{call}: {error}").into());
        }
    }
    Ok(())
}
