//! Registers generated rows as tables of a session, and reads pairs.

use super::Pair;
use datafusion::arrow::array::{AsArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Float64Type, Int64Type, Schema};
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use neardup_datasets::generate::{Generator, Kind, Spec};
use std::sync::Arc;

/// The texts of a corpus. The id of a text is its index.
pub fn texts(rows: u64, seed: u64, kind: Kind) -> Vec<String> {
    Generator::new(Spec { rows, seed, kind })
        .map(|row| row.text)
        .collect()
}

/// A session with the given number of target partitions.
pub fn session(partitions: usize) -> Result<SessionContext> {
    let config = SessionConfig::new().with_target_partitions(partitions);
    neardup::session(config, Arc::default())
}

/// A session of this configuration whose operators may hold this number of bytes in all.
pub fn limited_session(config: SessionConfig, bytes: usize) -> Result<SessionContext> {
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(FairSpillPool::new(bytes)))
        .build_arc()?;
    neardup::session(config, runtime)
}

/// Registers texts as a table `id, text` of three partitions.
pub fn register(context: &SessionContext, name: &str, texts: &[String]) -> Result<()> {
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("text", DataType::Utf8, true),
    ]));
    let mut partitions = vec![];
    let size = texts.len().div_ceil(3).max(1);
    for (number, chunk) in texts.chunks(size).enumerate() {
        let first = (number * size) as i64;
        let ids = Int64Array::from_iter_values(first..first + chunk.len() as i64);
        let texts = StringArray::from_iter_values(chunk);
        let columns = vec![Arc::new(ids) as _, Arc::new(texts) as _];
        partitions.push(vec![RecordBatch::try_new(Arc::clone(&schema), columns)?]);
    }
    if partitions.is_empty() {
        partitions.push(vec![]);
    }
    let table = MemTable::try_new(schema, partitions)?;
    context.register_table(name, Arc::new(table))?;
    Ok(())
}

/// The pairs that a query of `id_a, id_b, similarity` gives, sorted.
pub async fn pairs(context: &SessionContext, query: &str) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for batch in context.sql(query).await?.collect().await? {
        let a = batch.column(0).as_primitive::<Int64Type>().values();
        let b = batch.column(1).as_primitive::<Int64Type>().values();
        let similarity = batch.column(2).as_primitive::<Float64Type>().values();
        pairs.extend(
            a.iter()
                .zip(b)
                .zip(similarity)
                .map(|((&a, &b), &s)| (a, b, s)),
        );
    }
    pairs.sort_by(|x, y| x.partial_cmp(y).unwrap_or(std::cmp::Ordering::Equal));
    Ok(pairs)
}

/// The one number that a query gives.
pub async fn count(context: &SessionContext, query: &str) -> Result<i64> {
    let batches = context.sql(query).await?.collect().await?;
    let first = batches.iter().find(|batch| batch.num_rows() > 0);
    Ok(first.map_or(0, |batch| {
        batch.column(0).as_primitive::<Int64Type>().value(0)
    }))
}
