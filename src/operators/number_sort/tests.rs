use crate::{Memory, Resources};
use datafusion::arrow::array::{
    ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, UInt64Array,
};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::physical_plan::{collect, displayable};
use datafusion::prelude::SessionContext;
use neardup_kernels::SplitMix64;
use std::cmp::Reverse;
use std::sync::Arc;

/// The columns a, b, c and d of a row.
type Row = (Option<i64>, i32, u64, f64);

/// Rows with numbers of a few values, or of any.
fn rows(count: usize, random: &mut SplitMix64) -> Vec<Row> {
    let wide = random.below(2) == 0;
    (0..count)
        .map(|_| {
            let mut number = || match wide {
                true => random.next(),
                false => random.below(40).wrapping_sub(20),
            };
            let (a, b, c) = (number() as i64, number() as i32, number());
            // Rows that are equal in the other columns are equal.
            (Some(a), b, c, (a ^ i64::from(b) ^ c as i64) as f64 / 3.0)
        })
        .collect()
}

fn batch(rows: &[Row]) -> Result<RecordBatch> {
    let a: Int64Array = rows.iter().map(|row| row.0).collect();
    let b: Int32Array = rows.iter().map(|row| Some(row.1)).collect();
    let c: UInt64Array = rows.iter().map(|row| Some(row.2)).collect();
    let d: Float64Array = rows.iter().map(|row| Some(row.3)).collect();
    let columns: [(&str, ArrayRef); 4] = [
        ("a", Arc::new(a)),
        ("b", Arc::new(b)),
        ("c", Arc::new(c)),
        ("d", Arc::new(d)),
    ];
    Ok(RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, values)| (name, values, true)),
    )?)
}

/// A session with the table t, whose rows are in so many partitions.
fn session(rows: &[Row], partitions: usize, memory: Memory) -> Result<SessionContext> {
    let resources = Resources {
        threads: partitions,
        memory,
        ..Resources::default()
    };
    let context = resources.session()?;
    let size = rows.len().div_ceil(partitions).max(1);
    let mut runs = vec![vec![]; partitions];
    for (run, rows) in runs.iter_mut().zip(rows.chunks(size)) {
        for rows in rows.chunks(1_000) {
            run.push(batch(rows)?);
        }
    }
    let schema = batch(&[])?.schema();
    context.register_table("t", Arc::new(MemTable::try_new(schema, runs)?))?;
    Ok(context)
}

async fn sorted(context: &SessionContext, query: &str) -> Result<(String, Vec<RecordBatch>)> {
    let frame = context.sql(query).await?;
    let task = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await?;
    let shown = displayable(plan.as_ref()).indent(false).to_string();
    Ok((shown, collect(plan, task).await?))
}

fn text(batches: &[RecordBatch]) -> Result<String> {
    Ok(pretty_format_batches(batches)?.to_string())
}

#[tokio::test]
async fn rows_are_sorted_as_by_a_naive_sort() -> Result<()> {
    let mut random = SplitMix64::new(81);
    for partitions in [1, 2, 7] {
        for (count, memory) in [
            (0, Memory::Unlimited),
            (1, Memory::Unlimited),
            (40_000, Memory::Unlimited),
            // So many that buckets are divided again.
            (100_000, Memory::Unlimited),
            (40_000, Memory::Bytes(64 << 20)),
            // The records of 300,000 rows take 9.6 MB, more than an eighth of the limit.
            (300_000, Memory::Bytes(32 << 20)),
        ] {
            let mut rows = rows(count, &mut random);
            let context = session(&rows, partitions, memory)?;
            let query = "SELECT a, b, c, d FROM t ORDER BY a, c DESC, b";
            let (plan, found) = sorted(&context, query).await?;
            assert!(plan.contains("NumberSortExec"), "{plan}");
            assert!(!plan.contains("SortPreservingMergeExec"), "{plan}");
            rows.sort_by_key(|row| (row.0, Reverse(row.2), row.1));
            let expected = batch(&rows)?;
            let found = concat_batches(&expected.schema(), &found)?;
            assert!(found == expected, "{count} rows, {partitions} partitions");
        }
    }
    Ok(())
}

/// The engine's operators sort NULL, and what records cannot hold.
#[tokio::test]
async fn rows_that_records_cannot_hold() -> Result<()> {
    let mut random = SplitMix64::new(82);
    for partitions in [1, 2, 7] {
        let mut rows = rows(30_000, &mut random);
        for at in [17, 29_000] {
            rows[at].0 = None;
        }
        let context = session(&rows, partitions, Memory::Unlimited)?;
        let (plan, found) = sorted(&context, "SELECT * FROM t ORDER BY a DESC, b, c").await?;
        assert!(plan.contains("NumberSortExec"), "{plan}");
        rows.sort_by_key(|row| (row.0.is_some(), Reverse(row.0), row.1, row.2));
        assert_eq!(text(&found)?, text(&[batch(&rows)?])?);

        for query in [
            "SELECT a, b, CAST(c AS VARCHAR) AS c FROM t ORDER BY a",
            "SELECT a, b FROM t ORDER BY a LIMIT 10",
            "SELECT a, d FROM t ORDER BY d",
            "SELECT a, b, c, d, a + 1 AS e FROM t ORDER BY a",
        ] {
            let (plan, _) = sorted(&context, query).await?;
            assert!(!plan.contains("NumberSortExec"), "{query}\n{plan}");
        }
    }
    Ok(())
}

/// A join by sorting needs each partition sorted, not their merge.
#[tokio::test]
async fn partitions_are_sorted_one_by_one() -> Result<()> {
    let mut random = SplitMix64::new(83);
    let rows: Vec<Row> = (0..20_000)
        .map(|_| {
            (
                Some(random.below(9_000) as i64),
                random.below(5) as i32,
                0,
                0.5,
            )
        })
        .collect();
    let context = session(&rows, 4, Memory::Unlimited)?;
    context
        .sql("SET datafusion.optimizer.prefer_hash_join = false")
        .await?
        .collect()
        .await?;
    let query = "SELECT count(*) AS n FROM t AS x JOIN t AS y ON x.a = y.a AND x.b < y.b";
    let (plan, found) = sorted(&context, query).await?;
    assert!(plan.matches("NumberSortExec").count() == 2, "{plan}");
    let mut sorted: Vec<(i64, i32)> = rows
        .iter()
        .filter_map(|row| Some((row.0?, row.1)))
        .collect();
    sorted.sort_unstable();
    let mut expected = 0;
    for group in sorted.chunk_by(|x, y| x.0 == y.0) {
        for (x, y) in group.iter().flat_map(|x| group.iter().map(move |y| (x, y))) {
            expected += usize::from(x.1 < y.1);
        }
    }
    assert!(expected > 1_000);
    assert!(text(&found)?.contains(&format!("| {expected} ")));
    Ok(())
}
