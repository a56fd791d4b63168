//! `near_duplicates`: every removed row is similar to a kept row, and clusters are those of naive algorithms over all
//! pairs.

use super::corpus::{limited_session, register, session, texts};
use super::{Pair, naive};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use libtest_mimic::{Failed, Trial};
use neardup_datasets::generate::Kind;
use neardup_kernels::{SplitMix64, jaccard};
use std::collections::BTreeMap;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let corpora = [
        ("char:5", 0.6, Kind::Sentences, 2_500),
        ("word:3", 0.8, Kind::Documents, 600),
    ];
    let mut trials = Vec::new();
    for (shingle, threshold, kind, rows) in corpora {
        let name = format!("oracle::near_duplicates of {kind:?}");
        trials.push(Trial::test(name, move || {
            crate::run(both(shingle, threshold, kind, rows))
        }));
    }
    trials.push(Trial::test("oracle::near_duplicates longest", || {
        crate::run(longest())
    }));
    trials.push(Trial::test("oracle::components", || {
        crate::run(components())
    }));
    trials.push(Trial::test("oracle::clusters of numbered ids", || {
        crate::run(numbered())
    }));
    trials.push(Trial::test("oracle::clusters beyond memory", || {
        crate::run(beyond_memory())
    }));
    trials
}

/// A row of the result.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub cluster: i64,
    pub representative: i64,
    pub similarity: Option<f64>,
    pub kept: bool,
    pub size: i64,
}

/// The result of a call, by id.
pub async fn rows(context: &SessionContext, call: &str) -> Result<BTreeMap<i64, Row>> {
    let mut rows = BTreeMap::new();
    for batch in context
        .sql(&format!("SELECT * FROM {call}"))
        .await?
        .collect()
        .await?
    {
        let integer = |column: usize| batch.column(column).as_primitive::<Int64Type>();
        let similarity = batch.column(3).as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            let value = Row {
                cluster: integer(1).value(row),
                representative: integer(2).value(row),
                similarity: similarity.is_valid(row).then(|| similarity.value(row)),
                kept: batch.column(4).as_boolean().value(row),
                size: integer(5).value(row),
            };
            rows.insert(integer(0).value(row), value);
        }
    }
    Ok(rows)
}

/// [`check_by`] with the Jaccard similarity of sets.
pub fn check(
    what: &str,
    rows: &BTreeMap<i64, Row>,
    sets: &[Vec<u64>],
    threshold: f64,
) -> Result<(), Failed> {
    let similarity = |a: i64, b: i64| jaccard(&sets[a as usize], &sets[b as usize]);
    check_by(what, rows, sets.len(), threshold, similarity)
}

/// Checks the invariants of every result with resolution 'representative': one row per id, removed rows are similar to
/// their kept representatives, similarities are exact, and cluster sizes add up.
pub fn check_by(
    what: &str,
    rows: &BTreeMap<i64, Row>,
    count: usize,
    threshold: f64,
    similarity_of: impl Fn(i64, i64) -> f64,
) -> Result<(), Failed> {
    let fail =
        |id: i64, why: &str| Err(format!("{what}: row {id} ({:?}) {why}", rows.get(&id)).into());
    if rows.len() != count {
        return Err(format!("{what}: {} rows of {count}", rows.len()).into());
    }
    let mut sizes: BTreeMap<i64, i64> = BTreeMap::new();
    for row in rows.values() {
        *sizes.entry(row.cluster).or_default() += 1;
    }
    for (&id, row) in rows {
        if sizes.get(&row.cluster) != Some(&row.size) {
            return fail(id, "has the wrong size");
        }
        if row.cluster != row.representative {
            return fail(id, "is in another cluster than its representative");
        }
        match (row.kept, row.similarity) {
            (true, None) if row.representative == id => {}
            (false, Some(similarity)) if row.representative != id => {
                if !rows[&row.representative].kept {
                    return fail(id, "is represented by a removed row");
                }
                let exact = similarity_of(id, row.representative);
                if similarity != exact || similarity < threshold {
                    return fail(
                        id,
                        &format!("has similarity {exact} with its representative"),
                    );
                }
            }
            _ => return fail(id, "is neither kept nor removed"),
        }
    }
    Ok(())
}

async fn both(
    shingle: &'static str,
    threshold: f64,
    kind: Kind,
    rows_wanted: u64,
) -> Result<(), Failed> {
    let texts = texts(rows_wanted, 71, kind);
    let sets = naive::sets(&texts, shingle);
    let pairs = naive::self_pairs(&sets, threshold);
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    let arguments = format!("docs, shingle => '{shingle}', threshold => {threshold}");

    let call = format!("near_duplicates({arguments})");
    let found = rows(&context, &call).await?;
    check(&call, &found, &sets, threshold)?;
    let expected = naive::representatives(texts.len(), &pairs);
    for (&id, row) in &found {
        if row.representative != expected[id as usize] {
            return Err(format!(
                "{call}: {id} has {row:?}, expected {}",
                expected[id as usize]
            )
            .into());
        }
    }

    let call = format!("near_duplicates({arguments}, method => 'minhash', seed => 9)");
    check(&call, &rows(&context, &call).await?, &sets, threshold)?;

    let call = format!("near_duplicates({arguments}, resolution => 'components')");
    same_components(&call, &rows(&context, &call).await?, texts.len(), &pairs)?;
    Ok(())
}

fn same_components(
    call: &str,
    found: &BTreeMap<i64, Row>,
    rows: usize,
    pairs: &[Pair],
) -> Result<(), Failed> {
    let expected = naive::components(rows, pairs);
    if found.len() != rows {
        return Err(format!("{call}: {} rows of {rows}", found.len()).into());
    }
    for (&id, row) in found {
        if row.cluster != expected[id as usize] || row.kept != (row.cluster == id) {
            return Err(format!(
                "{call}: {id} has {row:?}, expected {}",
                expected[id as usize]
            )
            .into());
        }
    }
    Ok(())
}

/// The longest row of each cluster is kept; of equally long rows the first.
async fn longest() -> Result<(), Failed> {
    let texts = texts(2_000, 81, Kind::Sentences);
    let sets = naive::sets(&texts, "word:2");
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    let call = "near_duplicates(docs, shingle => 'word:2', threshold => 0.6, keep => 'longest')";
    let found = rows(&context, call).await?;
    check(call, &found, &sets, 0.6)?;

    // The expected result: the rows in keep order, resolved by their ranks.
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&row| (std::cmp::Reverse(texts[row].chars().count()), row));
    let sorted: Vec<Vec<u64>> = order.iter().map(|&row| sets[row].clone()).collect();
    let expected = naive::representatives(order.len(), &naive::self_pairs(&sorted, 0.6));
    for (rank, &row) in order.iter().enumerate() {
        let expected = order[expected[rank] as usize] as i64;
        if found[&(row as i64)].representative != expected {
            return Err(format!(
                "{call}: {row} has {:?}, expected {expected}",
                found[&(row as i64)]
            )
            .into());
        }
    }
    Ok(())
}

/// `components` over the pairs of a join.
async fn components() -> Result<(), Failed> {
    let texts = texts(3_000, 91, Kind::Sentences);
    let pairs = naive::self_pairs(&naive::sets(&texts, "word:1"), 0.7);
    let expected = naive::components(texts.len(), &pairs);
    let context = session(7)?;
    register(&context, "docs", &texts)?;
    let query = "SELECT id, cluster_id, CAST(cluster_size AS DOUBLE) FROM components((
        SELECT id_a, id_b FROM jaccard_join(docs, shingle => 'word:1', threshold => 0.7)))";
    let found = super::corpus::pairs(&context, query).await?;
    let mut sizes: BTreeMap<i64, usize> = BTreeMap::new();
    for cluster in &expected {
        *sizes.entry(*cluster).or_default() += 1;
    }
    let wanted: Vec<Pair> = expected
        .iter()
        .enumerate()
        .filter(|(_, cluster)| sizes[cluster] > 1)
        .map(|(id, cluster)| (id as i64, *cluster, sizes[cluster] as f64))
        .collect();
    super::same_rows(query, &found, &wanted)
}

/// A session with the options of a memory limit, under which clusters number the ids of pairs.
fn with_limit(partitions: usize, memory: usize) -> Result<SessionContext> {
    let mut config = SessionConfig::new()
        .with_target_partitions(partitions)
        .with_batch_size(512);
    let options = config.options_mut();
    options.optimizer.prefer_hash_join = false;
    options.execution.sort_spill_reservation_bytes = 64 << 10;
    limited_session(config, memory)
}

/// Rows of a query, in the order of their texts.
async fn sorted(context: &SessionContext, query: &str) -> Result<Vec<String>> {
    let batches = context.sql(query).await?.collect().await?;
    let text = pretty_format_batches(&batches)?.to_string();
    let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
    rows.sort();
    Ok(rows)
}

/// Clusters of pairs whose ids are numbered by sorts are those of the aggregates: for integers and texts, for pairs
/// that occur twice, in either direction, with a NULL or with the same id twice, and for similarities that are equal,
/// NULL or NaN.
async fn numbered() -> Result<(), Failed> {
    let free = session(2)?;
    let mut random = SplitMix64::new(3);
    let mut values = Vec::new();
    for (nodes, edges) in [(1, 1), (40, 30), (60, 90), (2_000, 2_500), (500, 3_000)] {
        let first = values.len() as u64 * 1_000;
        for _ in 0..edges {
            let mut id = || match random.below(40) {
                0 => "NULL".to_owned(),
                _ => (first + random.below(nodes)).to_string(),
            };
            let (a, b) = (id(), id());
            let similarity = match random.below(12) {
                0 => "NULL".to_owned(),
                1 => "CAST('NaN' AS DOUBLE)".to_owned(),
                step => format!("0.{step}"),
            };
            values.push(format!("({a}, {b}, {similarity})"));
        }
    }
    let pairs = format!(
        "CREATE TABLE pairs AS SELECT column1 AS id_a, column2 AS id_b, CAST(column3 AS DOUBLE) AS similarity FROM (VALUES {})",
        values.join(", ")
    );
    let texts = "CREATE TABLE texts AS SELECT 'é' || id_a AS id_a, 'é' || id_b AS id_b, similarity FROM pairs";
    let mut limited = Vec::new();
    for partitions in [1, 2, 7] {
        limited.push(with_limit(partitions, 64 << 20)?);
    }
    for context in limited.iter().chain([&free]) {
        for statement in [&pairs, texts] {
            context.sql(statement).await?.collect().await?;
        }
    }
    for relation in ["pairs", "texts", "(SELECT * FROM pairs WHERE id_a < 0)"] {
        for function in ["components", "pair_representatives"] {
            let query = format!("SELECT * FROM {function}({relation})");
            let expected = sorted(&free, &query).await?;
            for context in &limited {
                let found = sorted(context, &query).await?;
                if found != expected {
                    let other = found.iter().zip(&expected).find(|(a, b)| a != b);
                    return Err(format!(
                        "{query}: {} rows, not {}: {other:?}",
                        found.len(),
                        expected.len()
                    )
                    .into());
                }
            }
        }
    }
    Ok(())
}

/// Chains, stars and pairs of many ids, of which the aggregates would hold more than the memory limit.
async fn beyond_memory() -> Result<(), Failed> {
    let context = with_limit(2, 20 << 20)?;
    for (pairs, components, representatives) in [
        // Every second id of a chain is kept; an id between two kept ones goes to the first of them.
        (
            "SELECT value AS id_b, value - 1 AS id_a",
            "300001 | 1 | 300001",
            "300001 | 150001 | 1.0",
        ),
        (
            "SELECT 0 AS id_a, value AS id_b",
            "300001 | 1 | 300001",
            "300001 | 1 | 1.0",
        ),
        (
            "SELECT 2 * value AS id_a, 2 * value + 1 AS id_b",
            "600000 | 300000 | 2",
            "600000 | 300000 | 1.0",
        ),
    ] {
        let pairs = format!("({pairs}, 1.0 AS similarity FROM generate_series(1, 300000))");
        for (query, expected) in [
            (
                format!(
                    "SELECT count(*), count(DISTINCT cluster_id), max(cluster_size) FROM components({pairs})"
                ),
                components,
            ),
            (
                format!(
                    "SELECT count(*), count(DISTINCT representative_id), max(similarity) FROM pair_representatives({pairs})"
                ),
                representatives,
            ),
        ] {
            let rows = sorted(&context, &query).await?;
            let squeezed: Vec<String> = (rows.iter())
                .map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect();
            if !squeezed.contains(&format!("| {expected} |")) {
                return Err(format!("{query}: {squeezed:?}, not {expected}").into());
            }
        }
    }
    Ok(())
}
