//! Tests that all readers of one store get the same rows.

use super::{SharedRowsExec, Store};
use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::Result;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{binary, col, lit};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ExecutionPlan, collect, collect_partitioned};
use std::sync::Arc;

const BATCHES: i64 = 40;
const ROWS: i64 = 1000;

/// A table of `partitions` partitions with numbers from `first`, ascending in each of them.
fn table(partitions: i64, first: i64) -> Result<Arc<dyn ExecutionPlan>> {
    let batch = |start: i64| -> Result<RecordBatch> {
        let numbers = Int64Array::from_iter_values(start..start + ROWS);
        let columns = [("n", Arc::new(numbers) as ArrayRef)];
        Ok(RecordBatch::try_from_iter(columns)?)
    };
    let partition = |partition: i64| -> Result<Vec<RecordBatch>> {
        let batches = (0..BATCHES).filter(|n| n % partitions == partition);
        batches.map(|n| batch(first + n * ROWS)).collect()
    };
    let batches: Vec<_> = (0..partitions).map(partition).collect::<Result<_>>()?;
    let schema = batches[0][0].schema();
    Ok(MemorySourceConfig::try_new_exec(&batches, schema, None)?)
}

fn context(bytes: usize) -> Result<Arc<TaskContext>> {
    let pool = Arc::new(FairSpillPool::new(bytes));
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(pool)
        .build_arc()?;
    Ok(Arc::new(TaskContext::default().with_runtime(runtime)))
}

fn numbers(batches: &[RecordBatch]) -> Vec<i64> {
    let columns = batches.iter().map(|batch| batch.column(0));
    let values = columns.map(|column| column.as_primitive::<Int64Type>().values().to_vec());
    values.flatten().collect()
}

/// Two copies of an operator whose inputs have different rows and numbers of partitions.
fn copies(store: &Arc<Store>) -> Result<[Arc<dyn ExecutionPlan>; 2]> {
    let first = SharedRowsExec::new(table(3, 0)?, Arc::clone(store));
    let second = SharedRowsExec::new(table(2, 1_000_000)?, Arc::clone(store));
    Ok([Arc::new(first), Arc::new(second)])
}

#[tokio::test]
async fn the_first_reader_decides_for_all() -> Result<()> {
    // Memory for all rows, for some of them, for none.
    for bytes in [64 << 20, 1 << 20, 1 << 10] {
        let context = context(bytes)?;
        let store = Arc::default();
        let [first, second] = copies(&store)?;
        let (a, b) = tokio::join!(
            collect(Arc::clone(&first), Arc::clone(&context)),
            collect(Arc::clone(&second), Arc::clone(&context)),
        );
        let (mut a, mut b) = (numbers(&a?), numbers(&b?));
        a.sort_unstable();
        b.sort_unstable();
        assert_eq!(a.len(), (BATCHES * ROWS) as usize);
        assert_eq!(a, b, "{bytes} bytes");
        // The rows can be read again, in the order of each partition.
        let again = collect_partitioned(first, Arc::clone(&context)).await?;
        for partition in again {
            assert!(numbers(&partition).is_sorted(), "{bytes} bytes");
        }
    }
    Ok(())
}

#[tokio::test]
async fn memory_and_files_are_released_with_the_plan() -> Result<()> {
    let limit = 1 << 20;
    let context = context(limit)?;
    let store = Arc::default();
    let [first, second] = copies(&store)?;
    collect(Arc::clone(&first), Arc::clone(&context)).await?;
    // The operators that read the rows have the rest of the memory.
    let reserved = context.memory_pool().reserved();
    assert!(
        (1..=limit / 8).contains(&reserved),
        "{reserved} bytes of {limit}"
    );
    let spilled = first.metrics().and_then(|metrics| metrics.spilled_rows());
    assert!(spilled.is_some_and(|rows| rows > 0));
    drop((first, second, store));
    assert_eq!(context.memory_pool().reserved(), 0);
    Ok(())
}

#[tokio::test]
async fn every_reader_gets_the_error() -> Result<()> {
    let context = context(64 << 20)?;
    let store = Arc::default();
    let failing = |first: i64| -> Result<Arc<dyn ExecutionPlan>> {
        let input = table(2, first)?;
        let schema = input.schema();
        let quotient = binary(col("n", &schema)?, Operator::Divide, lit(0_i64), &schema)?;
        let input = ProjectionExec::try_new([(quotient, "n".to_owned())], input)?;
        Ok(Arc::new(SharedRowsExec::new(
            Arc::new(input),
            Arc::clone(&store),
        )))
    };
    for plan in [failing(0)?, failing(1)?] {
        let answer = collect(plan, Arc::clone(&context)).await;
        let error = answer.map(|rows| rows.len()).unwrap_err().to_string();
        assert!(error.contains("Divide by zero"), "{error}");
    }
    Ok(())
}
