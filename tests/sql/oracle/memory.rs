//! Joins of many parts under a memory limit: rows that do not fit are spilled, and the pairs are the same.

use super::corpus::{pairs, register, session, texts};
use super::same_pairs;
use datafusion::arrow::array::{ArrayRef, Int64Array, ListArray, RecordBatch};
use datafusion::arrow::datatypes::Float32Type;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use libtest_mimic::{Failed, Trial};
use neardup_datasets::generate::Kind;
use neardup_kernels::SplitMix64;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![Trial::test("oracle::joins with little memory", || {
        crate::run(little_memory())
    })]
}

/// Vectors in pairs: 64 numbers each.
fn vectors(rows: usize) -> Result<RecordBatch, Failed> {
    let mut random = SplitMix64::new(5);
    let mut vectors: Vec<Vec<f32>> = Vec::new();
    for row in 0..rows {
        let mut fresh = || random.below(2_000_001) as f32 / 1e6 - 1.0;
        vectors.push(match row % 2 {
            0 => (0..64).map(|_| fresh()).collect(),
            _ => vectors[row - 1].iter().map(|x| x + fresh() / 4.0).collect(),
        });
    }
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    let lists = vectors
        .iter()
        .map(|row| Some(row.iter().copied().map(Some)));
    let lists = ListArray::from_iter_primitive::<Float32Type, _, _>(lists);
    let columns = [("id", ids), ("vector", Arc::new(lists) as ArrayRef)];
    Ok(RecordBatch::try_from_iter(columns)?)
}

async fn little_memory() -> Result<(), Failed> {
    let vectors = vectors(6_000)?;
    let texts = texts(6_000, 3, Kind::Sentences);
    let config = SessionConfig::new()
        .with_target_partitions(2)
        .with_batch_size(256);
    for (megabytes, call) in [
        (
            44,
            "minhash_join(docs, shingle => 'char:5', threshold => 0.6, parts => 12)",
        ),
        (9, "projection_join(vectors, threshold => 0.9, parts => 12)"),
        (
            36,
            "projection_join(vectors, threshold => 0.9, method => 'bands', parts => 12)",
        ),
        (9, "cosine_join(vectors, threshold => 0.9, parts => 12)"),
    ] {
        let free = session(2)?;
        let pool = Arc::new(FairSpillPool::new(megabytes << 20));
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(pool)
            .build_arc()?;
        let limited = neardup::session(config.clone(), runtime)?;
        for context in [&free, &limited] {
            register(context, "docs", &texts)?;
            context.register_batch("vectors", vectors.clone())?;
        }
        let query = format!("SELECT * FROM {call}");
        let expected = pairs(&free, &query).await?;
        if expected.len() < 1_000 {
            return Err(format!("{call}: {} pairs", expected.len()).into());
        }
        same_pairs(call, &pairs(&limited, &query).await?, &expected)?;
        if spills(&limited, &query).await? == 0 {
            return Err(format!("{call}: nothing was written to disk").into());
        }
    }
    Ok(())
}

/// How often the operator spilled rows.
async fn spills(context: &SessionContext, query: &str) -> Result<u64, Failed> {
    let plan = context.sql(&format!("EXPLAIN ANALYZE {query}")).await?;
    let plan = plan.to_string().await?;
    let operator = plan.lines().find(|line| line.contains("SimilarPairsExec"));
    let operator = operator.ok_or("no SimilarPairsExec")?;
    let (_, count) = operator
        .split_once("spill_count=")
        .ok_or_else(|| format!("no spill_count in {operator}"))?;
    let digits = count.split(',').next().unwrap_or_default();
    Ok(digits.trim().parse()?)
}
