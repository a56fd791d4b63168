//! What a cluster cannot run is refused by the client, at once and in words that help.

use super::processes::{Cluster, TIMEOUT};
use super::{rows, session};
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use libtest_mimic::{Failed, Trial};
use std::sync::Arc;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("cluster::limits: refused at once", refused)]
}

/// Statements, and what their errors say.
const REFUSED: &[(&str, &str)] = &[
    (
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
        "WITH RECURSIVE r does not run on a cluster: run it in one process",
    ),
    (
        "SELECT count(*) FROM d WHERE id IN (
            WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r)",
        "WITH RECURSIVE r does not run on a cluster: run it in one process",
    ),
    (
        "SELECT * FROM d FULL JOIN d AS e ON d.id < e.id",
        "a FULL JOIN whose condition is not an equality of columns does not run on a cluster: write it as",
    ),
    (
        "SELECT count(*) FROM d GROUP BY GROUPING SETS ((), ())",
        "GROUPING SETS of the empty set alone do not run on a cluster: leave GROUP BY out",
    ),
    (
        "SELECT id FROM d OFFSET 4294967296",
        "OFFSET 4294967296 does not run on a cluster: an offset there is at most 4294967295",
    ),
    (
        "SELECT sum(id) FILTER (WHERE id > 1) OVER () FROM d",
        "a window function with FILTER does not run on a cluster",
    ),
    (
        "SELECT id FROM d WHERE id IN (SELECT lag(id) IGNORE NULLS OVER (ORDER BY id) FROM d)",
        "a window function with IGNORE NULLS does not run on a cluster",
    ),
    (
        "EXPLAIN ANALYZE INSERT INTO d SELECT 1",
        "EXPLAIN ANALYZE of a statement that writes does not run on a cluster",
    ),
    (
        "SELECT count(*) FROM generate_series(1, 20000000)",
        "sees (scratch)",
    ),
];

/// There is no executor, so that a statement that is sent would wait for ever.
fn refused() -> Result<(), Failed> {
    let cluster = Cluster::start(0)?;
    crate::run(async move {
        let remote = session(&cluster.url())?;
        let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        remote.register_batch("d", RecordBatch::try_from_iter([("id", ids)])?)?;
        for (statement, said) in REFUSED {
            let answer = tokio::time::timeout(TIMEOUT, rows(&remote, statement)).await;
            let answer = answer.map_err(|_| format!("{statement}: it was sent"))?;
            let error = answer.err().map(|error| error.to_string());
            let error = error.ok_or_else(|| format!("{statement}: there is no error"))?;
            if !error.contains(said) {
                return Err(format!("{statement}: {error}").into());
            }
        }
        Ok(())
    })
}
