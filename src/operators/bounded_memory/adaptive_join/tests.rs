use crate::{Memory, Resources};
use datafusion::common::Result;
use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::SessionContext;
use std::sync::Arc;

/// 10,000 texts of 240 characters each (2.4 MB), of which every third has a list of its spans.
const TEXTS: &str = "SELECT value AS id, CASE WHEN value % 7 <> 0 THEN value % 500 END AS code, \
                     repeat(CAST(value + 100000 AS VARCHAR), 40) AS text FROM generate_series(1, 10000)";

async fn session(
    memory: Memory,
    threads: usize,
    directory: &tempfile::TempDir,
) -> Result<SessionContext> {
    let resources = |memory| Resources {
        threads,
        memory,
        ..Resources::default()
    };
    let path = directory.path().join("texts.parquet");
    if !path.exists() {
        let writer = resources(Memory::Unlimited).session()?;
        let copy = format!("COPY ({TEXTS}) TO '{}'", path.display());
        writer.sql(&copy).await?.collect().await?;
    }
    let context = resources(memory).session()?;
    for view in [
        format!("CREATE VIEW texts AS SELECT * FROM '{}'", path.display()),
        // The sizes of these are not known before they are computed.
        "CREATE VIEW spans AS SELECT id % 9 * 3 AS place, code, array_agg(id) AS ids FROM texts GROUP BY 1, 2".to_owned(),
        "CREATE VIEW copies AS SELECT UNNEST([id, id + 5000, NULL]) AS id, code, text AS copy FROM texts".to_owned(),
    ] {
        context.sql(&view).await?.collect().await?;
    }
    Ok(context)
}

async fn planned(context: &SessionContext, sql: &str) -> Result<Arc<dyn ExecutionPlan>> {
    context.sql(sql).await?.create_physical_plan().await
}

fn text(plan: &Arc<dyn ExecutionPlan>) -> String {
    displayable(plan.as_ref()).indent(false).to_string()
}

/// The rows in the hash tables of the adaptive joins, from the first to the last.
fn hashed_rows(plan: &Arc<dyn ExecutionPlan>) -> Vec<usize> {
    let mut rows = Vec::new();
    let mut nodes = vec![Arc::clone(plan)];
    while let Some(node) = nodes.pop() {
        nodes.extend(node.children().into_iter().cloned());
        if node.name() == "AdaptiveJoinExec" {
            let metrics = node.metrics().unwrap_or_default();
            rows.extend(
                metrics
                    .sum_by_name("hashed_rows")
                    .map(|value| value.as_usize()),
            );
        }
    }
    rows
}

/// 5,000 spans are hashed, 30,000 copies of texts with 6 MB of them are not.
#[tokio::test]
async fn rows_are_those_of_joins_without_a_limit() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let unlimited = session(Memory::Unlimited, 2, &directory).await?;
    let spans = "(SELECT place, code, UNNEST(ids) AS least FROM spans)";
    let (mut by_hash, mut by_sorting) = (0, 0);
    for (limit, threads) in [(20 << 20, 1), (80 << 20, 1), (80 << 20, 2), (80 << 20, 7)] {
        let context = session(Memory::Bytes(limit), threads, &directory).await?;
        for join in [
            "JOIN",
            "LEFT JOIN",
            "RIGHT JOIN",
            "FULL JOIN",
            "LEFT SEMI JOIN",
            "LEFT ANTI JOIN",
            "RIGHT SEMI JOIN",
            "RIGHT ANTI JOIN",
        ] {
            for (left, right, on) in [
                (spans, "texts", "l.code = r.code"),
                ("texts", spans, "l.code = r.code AND l.id > r.least + 20"),
                (
                    "copies",
                    "texts",
                    "l.id = r.id AND l.code IS NOT DISTINCT FROM r.code",
                ),
                (
                    "texts",
                    "copies",
                    "l.id = r.id AND length(r.copy) > l.id % 300",
                ),
            ] {
                let columns = match join {
                    "LEFT SEMI JOIN" | "LEFT ANTI JOIN" => "count(l.code), sum(l.code)",
                    "RIGHT SEMI JOIN" | "RIGHT ANTI JOIN" => "count(r.code), sum(r.code)",
                    _ => "count(l.code), count(r.code), sum(l.code * 3 + r.code)",
                };
                let sql = format!(
                    "SELECT count(*), {columns} FROM (SELECT * FROM {left} AS l) AS l {join} {right} AS r ON {on}"
                );
                let expected = unlimited.sql(&sql).await?.to_string().await?;
                let plan = planned(&context, &sql).await?;
                let found = collect(Arc::clone(&plan), context.task_ctx()).await?;
                let found = datafusion::arrow::util::pretty::pretty_format_batches(&found)?;
                assert_eq!(
                    found.to_string(),
                    expected.trim_end(),
                    "{limit} {threads} {sql}"
                );
                for rows in hashed_rows(&plan) {
                    match rows {
                        0 => by_sorting += 1,
                        _ => by_hash += 1,
                    }
                }
            }
        }
    }
    assert!(by_hash > 10 && by_sorting > 3, "{by_hash} {by_sorting}");
    Ok(())
}

#[tokio::test]
async fn the_side_that_fits_is_hashed_whichever_it_is() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let spans = "(SELECT code, ids FROM spans WHERE code < 40)";
    let unlimited = session(Memory::Unlimited, 1, &directory).await?;
    let small = unlimited
        .sql(&format!("SELECT * FROM {spans}"))
        .await?
        .count()
        .await?;
    assert!(small > 300);
    for threads in [1, 2] {
        let context = session(Memory::Bytes(24 << 20), threads, &directory).await?;
        for (from, expected) in [
            (
                format!("{spans} AS s JOIN copies AS t ON s.code = t.code"),
                small,
            ),
            (
                format!("copies AS t JOIN {spans} AS s ON s.code = t.code"),
                small,
            ),
            (
                format!("copies AS t LEFT JOIN {spans} AS s ON s.code = t.code"),
                small,
            ),
            // The rows of the small side without a partner would be in the result of each partition.
            (
                format!("{spans} AS s LEFT JOIN copies AS t ON s.code = t.code"),
                0,
            ),
        ] {
            let sql = format!("SELECT max(t.copy), max(cardinality(s.ids)) FROM {from}");
            let plan = planned(&context, &sql).await?;
            assert!(text(&plan).contains("AdaptiveJoinExec"), "{}", text(&plan));
            collect(Arc::clone(&plan), context.task_ctx()).await?;
            assert_eq!(hashed_rows(&plan), [expected], "{sql}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn joins_whose_partitions_are_used_stay() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = session(Memory::Bytes(200 << 20), 2, &directory).await?;
    let joined = "copies AS t JOIN spans AS s ON s.code = t.code";
    let of_spans = "copies AS t RIGHT JOIN spans AS s ON s.code = t.code";
    let sql = format!("SELECT s.code, sum(cardinality(ids)) FROM {of_spans} GROUP BY s.code");
    let plan = planned(&context, &sql).await?;
    assert!(text(&plan).contains("SortMergeJoinExec"), "{}", text(&plan));
    assert!(!text(&plan).contains("AdaptiveJoinExec"), "{}", text(&plan));
    // The order of a join is not known, so that rows are sorted above it.
    for sql in [
        format!("SELECT place, max(ids) FROM {joined} GROUP BY place ORDER BY place"),
        format!("SELECT s.code, copy, ids FROM {of_spans} ORDER BY s.code NULLS FIRST"),
        format!(
            "SELECT max(ids) FROM (SELECT t.code, copy, ids FROM {joined} ORDER BY t.code NULLS FIRST LIMIT 5)"
        ),
    ] {
        let plan = planned(&context, &sql).await?;
        assert!(text(&plan).contains("AdaptiveJoinExec"), "{}", text(&plan));
    }
    Ok(())
}

#[tokio::test]
async fn memory_is_given_back_when_all_rows_were_returned() -> Result<()> {
    let directory = tempfile::tempdir()?;
    for limit in [20 << 20, 400 << 20] {
        let context = session(Memory::Bytes(limit), 2, &directory).await?;
        let sql =
            "SELECT count(copy), count(s.text) FROM copies AS t JOIN texts AS s ON s.id + 0 = t.id";
        for _ in 0..2 {
            let plan = planned(&context, sql).await?;
            let rows = collect(Arc::clone(&plan), context.task_ctx()).await?;
            assert_eq!(rows.len(), 1);
            // Tasks that were stopped give back theirs when they run again.
            let pool = &context.runtime_env().memory_pool;
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert_eq!(pool.reserved(), 0, "{limit}");
            assert_eq!(hashed_rows(&plan)[0] > 0, limit > 100 << 20);
        }
    }
    Ok(())
}

#[tokio::test]
async fn errors_of_the_side_that_is_read_first_are_returned() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = session(Memory::Bytes(80 << 20), 2, &directory).await?;
    let sql = "SELECT count(copy) FROM (SELECT code, max(10 / (id - 77)) AS n FROM texts GROUP BY code) AS s \
               JOIN copies AS t ON s.code = t.code AND s.n < 100";
    let error = context
        .sql(sql)
        .await?
        .collect()
        .await
        .map(|rows| rows.len());
    let error = error.map_or_else(|error| error.to_string(), |rows| rows.to_string());
    assert!(error.to_lowercase().contains("divide by zero"), "{error}");
    Ok(())
}
