//! Joins under a memory limit: rows that do not fit are spilled, and the pairs are the same.

use super::corpus::{limited_session, pairs, register, session, texts};
use super::same_rows;
use datafusion::arrow::array::{ArrayRef, Int64Array, ListArray, RecordBatch};
use datafusion::arrow::datatypes::Float32Type;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use libtest_mimic::{Failed, Trial};
use neardup_datasets::generate::Kind;
use neardup_kernels::SplitMix64;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::joins with little memory", || {
            crate::run(little_memory())
        }),
        Trial::test("oracle::joins of texts in blocks", || crate::run(blocks())),
    ]
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
        let limited = limited_session(config.clone(), megabytes << 20)?;
        for context in [&free, &limited] {
            register(context, "docs", &texts)?;
            context.register_batch("vectors", vectors.clone())?;
        }
        let query = format!("SELECT * FROM {call}");
        let expected = pairs(&free, &query).await?;
        if expected.len() < 1_000 {
            return Err(format!("{call}: {} pairs", expected.len()).into());
        }
        same_rows(call, &pairs(&limited, &query).await?, &expected)?;
        if metric(&operator(&limited, &query).await?, "spill_count")? == 0 {
            return Err(format!("{call}: nothing was written to disk").into());
        }
    }
    Ok(())
}

/// Joins of texts that read their rows from disk, block by block. The pairs and the counts of what is left out are those
/// of the join of sets in memory.
async fn blocks() -> Result<(), Failed> {
    let mut config = SessionConfig::new()
        .with_target_partitions(2)
        .with_batch_size(256);
    config.options_mut().execution.sort_spill_reservation_bytes = 64 << 10;
    let limited = limited_session(config, 8 << 20)?;
    let free = session(2)?;
    register(&free, "docs", &texts(10_000, 3, Kind::Sentences))?;
    for (table, keys) in [
        ("prefixes", "prefix_tokens(tokens, sketch, 0.6)"),
        (
            "bands",
            "minhash_bands(minhash(tokens, 32, 'char:5', 1, 32), 8, 4)",
        ),
    ] {
        let rows = format!(
            "SELECT 0 AS part, arrow_cast(id % 2, 'Int8') AS side, id, text, tokens, cardinality(tokens) AS length, {keys} AS keys
             FROM (SELECT id, text, shingle_hashes(text, 'char:5') AS tokens FROM docs)
             CROSS JOIN (SELECT token_frequencies(shingle_hashes(text, 'char:5')) AS sketch FROM docs)"
        );
        let rows = free.sql(&rows).await?.collect().await?;
        for context in [&free, &limited] {
            let rows = MemTable::try_new(rows[0].schema(), vec![rows.clone()])?;
            context.register_table(table, Arc::new(rows))?;
        }
    }
    let mut left_out = [0; 3];
    for (table, prefixes) in [("prefixes", true), ("bands", false)] {
        for more in [
            "",
            ", sides => 2",
            ", max_bucket_pairwise => 100",
            ", max_bucket_pairwise => 100, sides => 2",
        ] {
            let call = |shingle: &str| {
                format!(
                    "SELECT * FROM similar_pairs({table}, threshold => 0.6, prefixes => {prefixes}{more}{shingle})"
                )
            };
            let (in_memory, in_blocks) = (call(""), call(", shingle => 'char:5'"));
            let expected = pairs(&free, &in_memory).await?;
            if expected.len() < 1_000 {
                return Err(format!("{in_memory}: {} pairs", expected.len()).into());
            }
            same_rows(&in_blocks, &pairs(&free, &in_blocks).await?, &expected)?;
            same_rows(&in_blocks, &pairs(&limited, &in_blocks).await?, &expected)?;
            // Parts that wait are on disk. With oversized buckets several parts may report a pair.
            let all = match more {
                "" => Some("*"),
                ", max_bucket_pairwise => 100, sides => 2" => Some("DISTINCT *"),
                _ => None,
            };
            if let Some(all) = all {
                let limit = match more.contains("max_bucket_pairwise") {
                    true => ", max_bucket_pairwise => 100",
                    false => "",
                };
                let rows = format!(
                    "SELECT *, UNNEST(parts) AS part, parts[1] AS home
                     FROM rows_with_shared_keys((SELECT * EXCLUDE (part) FROM {table}), threshold => 0.6{limit}, parts => 9)"
                );
                let rows = free.sql(&rows).await?.collect().await?;
                let rows = MemTable::try_new(rows[0].schema(), vec![rows])?;
                limited.deregister_table("rows_of_parts")?;
                limited.register_table("rows_of_parts", Arc::new(rows))?;
                let in_parts = format!(
                    "SELECT {all} FROM similar_pairs(rows_of_parts,
                       threshold => 0.6, prefixes => {prefixes}{more}, shingle => 'char:5', parts => 9)"
                );
                same_rows(&in_parts, &pairs(&limited, &in_parts).await?, &expected)?;
                if metric(&operator(&limited, &in_parts).await?, "spill_count")? == 0 {
                    return Err(format!("{in_parts}: the parts did not spill").into());
                }
            }
            let limited_operator = operator(&limited, &in_blocks).await?;
            let free_operator = operator(&free, &in_memory).await?;
            for (name, least) in [("spill_count", 1), ("blocks", 2)] {
                let found = metric(&limited_operator, name)?;
                if found < least {
                    return Err(format!("{in_blocks}: {name} is {found}").into());
                }
            }
            for (name, sum) in [
                "oversized_buckets",
                "rows_without_pivot",
                "pairs_not_compared",
            ]
            .iter()
            .zip(&mut left_out)
            {
                let found = metric(&limited_operator, name)?;
                let expected = metric(&free_operator, name)?;
                if found != expected {
                    return Err(format!("{in_blocks}: {name} is {found}, not {expected}").into());
                }
                *sum += found;
            }
        }
    }
    match left_out[0] == 0 || left_out[2] == 0 {
        true => Err(format!("nothing was left out: {left_out:?}").into()),
        false => larger_limits(&free).await,
    }
}

/// A join with oversized buckets passes at every limit above the smallest one at which it does: pivots are compared
/// before blocks where no block fits beside them.
async fn larger_limits(free: &SessionContext) -> Result<(), Failed> {
    let query = "SELECT * FROM similar_pairs(bands, threshold => 0.6, max_bucket_pairwise => 100, shingle => 'char:5')";
    let expected = pairs(free, query).await?;
    let rows = free.table("bands").await?.collect().await?;
    let mut passed = 0;
    for limit in (73..=81).map(|quarters| quarters << 18) {
        let config = SessionConfig::new()
            .with_target_partitions(1)
            .with_batch_size(256);
        let limited = limited_session(config, limit)?;
        let table = MemTable::try_new(rows[0].schema(), vec![rows.clone()])?;
        limited.register_table("bands", Arc::new(table))?;
        match pairs(&limited, query).await {
            Ok(found) => same_rows(query, &found, &expected)?,
            Err(_) if passed == 0 => continue,
            Err(error) => return Err(format!("{limit} bytes: {error}").into()),
        }
        passed += 1;
    }
    match passed {
        0 => Err("no limit is large enough".into()),
        _ => Ok(()),
    }
}

/// The operator with its metrics, as EXPLAIN ANALYZE shows it.
async fn operator(context: &SessionContext, query: &str) -> Result<String, Failed> {
    let plan = context.sql(&format!("EXPLAIN ANALYZE {query}")).await?;
    let plan = plan.to_string().await?;
    let operator = plan.lines().find(|line| line.contains("SimilarPairsExec"));
    Ok(operator.ok_or("no SimilarPairsExec")?.to_owned())
}

/// A metric that is a whole number. EXPLAIN ANALYZE rounds large ones: 1.23 K.
fn metric(operator: &str, name: &str) -> Result<u64, Failed> {
    let (_, count) = operator
        .split_once(&format!("{name}="))
        .ok_or_else(|| format!("no {name} in {operator}"))?;
    let count = count.split([',', ']']).next().unwrap_or_default().trim();
    let (digits, unit) = count.split_once(' ').unwrap_or((count, ""));
    let unit = match unit {
        "K" => 1e3,
        "M" => 1e6,
        _ => 1.0,
    };
    Ok((digits.parse::<f64>()? * unit) as u64)
}
