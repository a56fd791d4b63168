//! Tests which plans merge partitions in order.

use super::in_order;
use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::physical_plan::{collect, displayable};
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

const PARTITIONS: i64 = 4;
const BATCHES: i64 = 50;
const ROWS: i64 = 100;

/// A session with the table `numbers`, whose partitions hold consecutive runs of 0, 1, 2, …
fn session() -> Result<SessionContext> {
    let config = SessionConfig::new().with_target_partitions(PARTITIONS as usize);
    let session = crate::session(config, Arc::default())?;
    let batch = |start: i64| -> Result<RecordBatch> {
        let numbers = Int64Array::from_iter_values(start..start + ROWS);
        Ok(RecordBatch::try_from_iter([(
            "n",
            Arc::new(numbers) as ArrayRef,
        )])?)
    };
    let run = |run: i64| {
        (0..BATCHES)
            .map(|n| batch((run * BATCHES + n) * ROWS))
            .collect()
    };
    let runs: Vec<Vec<_>> = (0..PARTITIONS).map(run).collect::<Result<_>>()?;
    let schema = runs[0][0].schema();
    session.register_table("numbers", Arc::new(MemTable::try_new(schema, runs)?))?;
    Ok(session)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rows_are_those_of_the_table_in_its_order() -> Result<()> {
    let session = session()?;
    for (sql, expected) in [
        ("SELECT n FROM numbers", 0..20_000),
        (
            "SELECT n FROM numbers WHERE n >= 4990 AND n < 15001",
            4990..15_001,
        ),
        ("SELECT n FROM numbers WHERE n >= 100 LIMIT 9000", 100..9100),
    ] {
        let frame = session.sql(sql).await?;
        let task = Arc::new(frame.task_ctx());
        let plan = in_order(frame.create_physical_plan().await?);
        let mut found = Vec::new();
        for batch in collect(plan, task).await? {
            found.extend_from_slice(batch.column(0).as_primitive::<Int64Type>().values());
        }
        assert_eq!(found, expected.collect::<Vec<i64>>(), "{sql}");
    }
    Ok(())
}

#[tokio::test]
async fn only_an_order_that_shows_is_kept() -> Result<()> {
    let session = session()?;
    for (sql, shows) in [
        ("SELECT n + 1 AS n FROM numbers LIMIT 7", true),
        ("SELECT max(n) FROM numbers WHERE n % 3 = 0", false),
        (
            "SELECT a.n FROM numbers a JOIN numbers b ON a.n = b.n + 1",
            false,
        ),
        ("SELECT n FROM numbers ORDER BY n DESC", false),
    ] {
        let plan = session.sql(sql).await?.create_physical_plan().await?;
        let text = displayable(plan.as_ref()).indent(false).to_string();
        assert_eq!(text.contains("InOrderExec"), shows, "{sql}\n{text}");
    }
    Ok(())
}

/// The rows of a LIMIT came in another order in one of ten runs: they were distributed over partitions again, for the
/// projection above.
#[tokio::test]
async fn rows_of_a_limit_are_not_distributed_again() -> Result<()> {
    let sql = "SELECT n, upper(CAST(n AS VARCHAR)) AS t FROM numbers WHERE n % 3 = 0 LIMIT 900";
    let plan = session()?.sql(sql).await?.create_physical_plan().await?;
    let text = displayable(plan.as_ref()).indent(false).to_string();
    assert!(text.contains("InOrderExec: fetch=900"), "{text}");
    assert!(!text.contains("RepartitionExec"), "{text}");
    Ok(())
}
