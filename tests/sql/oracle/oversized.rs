//! Oversized buckets: the answer does not depend on the division of the work, removed rows are similar to a kept row,
//! and uncompared pairs are counted.

use super::clusters::{Row, check, check_by, rows};
use super::corpus::register;
use super::naive;
use datafusion::arrow::array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::Float64Type;
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use libtest_mimic::{Failed, Trial};
use neardup_kernels::SplitMix64;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = ["exact", "minhash", "projection"]
        .into_iter()
        .map(|method| {
            let name = format!("oracle::oversized buckets of {method} in any division");
            Trial::test(name, move || crate::run(any_division(method)))
        })
        .collect();
    trials.push(Trial::test(
        "oracle::three templates of 30000 variants",
        || crate::run(three_templates()),
    ));
    trials
}

const ROWS: usize = 120;

/// Templates whose variants differ in one to five of 16 words, a chain in which each row is similar only to its
/// neighbours, and rows that begin like a template, so that pivots of its variants are removed themselves.
fn texts(seed: u64) -> Vec<String> {
    let mut random = SplitMix64::new(seed);
    let mut texts: Vec<String> = Vec::new();
    for row in 0..ROWS as u64 {
        let words: Vec<String> = match row % 8 {
            0 => (row..row + 12).map(|word| format!("chain{word}")).collect(),
            1 => (0..13)
                .map(|word| format!("of{}word{word}", random.below(2)))
                .collect(),
            _ => {
                let template = random.below(2);
                let mut words: Vec<String> = (0..16)
                    .map(|word| format!("of{template}word{word}"))
                    .collect();
                for _ in 0..=random.below(5) {
                    words[random.below(16) as usize] = format!("value{}", random.below(30));
                }
                words
            }
        };
        texts.push(words.join(" "));
    }
    texts
}

/// Vectors around a few centres, some of them far away.
fn vectors(seed: u64) -> Vec<Vec<f64>> {
    let mut random = SplitMix64::new(seed);
    let mut number = |scale: f64| scale * (random.below(2001) as f64 / 1000.0 - 1.0);
    let points: Vec<Vec<f64>> = (0..3)
        .map(|_| (0..8).map(|_| number(1.0)).collect())
        .collect();
    (0..ROWS)
        .map(|row| points[row % 3].iter().map(|x| x + number(0.5)).collect())
        .collect()
}

/// How a query runs.
#[derive(Debug, Clone, Copy)]
struct Division {
    parts: usize,
    partitions: usize,
    batch_size: usize,
    reversed: bool,
}

/// A session over rows of a table `docs` (id, text, vector, score) in some order.
fn session(division: Division, texts: &[String], vectors: &[Vec<f64>]) -> Result<SessionContext> {
    let config = SessionConfig::new()
        .with_target_partitions(division.partitions)
        .with_batch_size(division.batch_size);
    let context = neardup::session(config, Arc::default())?;
    let mut order: Vec<usize> = (0..texts.len()).collect();
    if division.reversed {
        order.reverse();
    }
    let ids = Int64Array::from_iter_values(order.iter().map(|&row| row as i64));
    let scores = order.iter().map(|&row| (row * 37 % 101) as i64);
    let lists = order
        .iter()
        .map(|&row| Some(vectors[row].iter().copied().map(Some)));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(ids)),
        (
            "text",
            Arc::new(StringArray::from_iter_values(
                order.iter().map(|&row| &texts[row]),
            )),
        ),
        (
            "vector",
            Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists)),
        ),
        ("score", Arc::new(Int64Array::from_iter_values(scores))),
    ];
    let all = RecordBatch::try_from_iter(columns)?;
    let pieces = |start: usize| {
        let from = (start..all.num_rows()).step_by(3);
        let rows: Vec<RecordBatch> = from.map(|row| all.slice(row, 1)).collect();
        concat_batches(&all.schema(), &rows)
    };
    let partitions = (0..3)
        .map(|start| Ok(vec![pieces(start)?]))
        .collect::<Result<Vec<_>>>()?;
    let table = MemTable::try_new(all.schema(), partitions)?;
    context.register_table("docs", Arc::new(table))?;
    Ok(context)
}

/// The rows, clusters and representatives are the same for any division of the work.
async fn any_division(method: &'static str) -> Result<(), Failed> {
    let division = |parts, partitions, batch_size, reversed| Division {
        parts,
        partitions,
        batch_size,
        reversed,
    };
    let divisions = [
        division(2, 2, 8192, false),
        division(4, 7, 1, true),
        division(16, 1, 100, false),
        division(64, 16, 8192, true),
        division(1, 7, 100, true),
    ];
    let mut removed = 0;
    for (seed, limit) in [2, 5, 10].into_iter().enumerate() {
        let (texts, vectors) = (texts(seed as u64), vectors(seed as u64));
        let sets = naive::sets(&texts, "word:1");
        let keep = [
            "keep => 'first'",
            "keep => 'longest'",
            "keep_by => 'score desc'",
        ][seed];
        for resolution in ["representative", "components"] {
            let call = |parts: usize| {
                format!(
                    "near_duplicates(docs, method => '{method}', shingle => 'word:1', threshold => 0.65, \
                     max_bucket_pairwise => {limit}, parts => {parts}, resolution => '{resolution}', {keep})"
                )
            };
            let whole = session(division(1, 2, 8192, false), &texts, &vectors)?;
            let expected = rows(&whole, &call(1)).await?;
            if resolution == "representative" {
                check_all(&call(1), method, &expected, &sets)?;
                removed += expected.values().filter(|row| !row.kept).count();
            }
            for division in divisions {
                let context = session(division, &texts, &vectors)?;
                let call = call(division.parts);
                let found = rows(&context, &call).await?;
                let shown = |row: Option<&Row>| format!("{row:?}");
                let differs = |id: &&i64| shown(found.get(*id)) != shown(expected.get(*id));
                if let Some(id) = expected.keys().find(differs) {
                    let (found, expected) = (shown(found.get(id)), shown(expected.get(id)));
                    return Err(format!(
                        "{call}, {division:?}: {id} is {found}, in one part {expected}"
                    )
                    .into());
                }
            }
        }
    }
    match removed > ROWS {
        true => Ok(()),
        false => Err(format!("{method}: {removed} rows removed").into()),
    }
}

fn check_all(
    call: &str,
    method: &str,
    found: &BTreeMap<i64, Row>,
    sets: &[Vec<u64>],
) -> Result<(), Failed> {
    match method {
        "projection" => check_by(call, found, ROWS, 0.65, |a, _| {
            found[&a].similarity.unwrap_or(f64::NAN)
        }),
        _ => check(call, found, sets, 0.65),
    }
}

/// Three templates, each with 30,000 variants of its own numbers.
async fn three_templates() -> Result<(), Failed> {
    const VARIANTS: usize = 30_000;
    let name = |number: usize| -> String {
        let letters = "bcdfghklmnprstvw".as_bytes();
        let digits = [16, 12, 8, 4, 0].map(|shift| letters[number >> shift & 15] as char);
        digits
            .into_iter()
            .flat_map(|letter| [letter, 'a'])
            .collect()
    };
    // A step that is coprime to the number of rows permutes them.
    let texts: Vec<String> = (0..3 * VARIANTS)
        .map(|row| row * 7_919 % (3 * VARIANTS))
        .map(|row| {
            let name = name(row);
            match row % 3 {
                0 => format!("{name} is a village in the administrative district of the northern province close to the border and lies about halfway between the old market town and the sea on the road that leads to the lake"),
                1 => format!("the comet {name} was found with a small telescope on the roof of the institute and belongs to the family of short period comets whose orbits lie between those of the outer planets beyond the belt"),
                _ => format!("{name} was a painter who moved to the capital at an early age where the academy taught drawing and anatomy to everyone who could pay for it and many of the works were lost in the winter of the great frost"),
            }
        })
        .collect();
    let sets = naive::sets(&texts, "word:3");
    let config = SessionConfig::new().with_target_partitions(2);
    let context = neardup::session(config, Arc::default())?;
    register(&context, "docs", &texts)?;
    let mut first = None;
    for parts in [1, 4] {
        let call = format!("near_duplicates(docs, parts => {parts})");
        let found = rows(&context, &call).await?;
        check(&call, &found, &sets, 0.8)?;
        let kept = found.values().filter(|row| row.kept).count();
        if kept != 3 {
            return Err(format!("{call}: {kept} rows kept of 3 templates").into());
        }
        let found = format!("{found:?}");
        if *first.get_or_insert_with(|| found.clone()) != found {
            return Err(format!("{call}: another answer than in one part").into());
        }
    }
    let query = "EXPLAIN ANALYZE SELECT * FROM jaccard_join(docs, copies => 'linked')";
    let plan = context.sql(query).await?.to_string().await?;
    for count in ["oversized_buckets=", "pairs_not_compared="] {
        if !plan.contains(count) || plan.contains(&format!("{count}0,")) {
            return Err(format!("{query}: no {count} in {plan}").into());
        }
    }
    Ok(())
}
