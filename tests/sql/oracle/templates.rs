//! Templates with many variants, which give oversized buckets: reported pairs grow linearly with the rows.

use super::clusters::{Row, check, check_by, rows};
use super::corpus::{count, register, session};
use super::naive;
use datafusion::arrow::array::{ArrayRef, Int64Array, ListArray, RecordBatch};
use datafusion::arrow::datatypes::Float64Type;
use libtest_mimic::{Failed, Trial};
use neardup_kernels::SplitMix64;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::template of 20000 variants", || {
            crate::run(template())
        }),
        Trial::test("oracle::template of 5000 identical texts", || {
            crate::run(identical())
        }),
        Trial::test("oracle::template of 3000 variants in small buckets", || {
            crate::run(small_buckets())
        }),
        Trial::test("oracle::3000 vectors near to each other", || {
            crate::run(near_vectors())
        }),
    ]
}

/// Variants of one sentence, each with its own number and name: any two have a similarity of at
/// least 0.8 on three words.
fn variants(rows: usize) -> Vec<String> {
    let name = |number: usize| {
        let letters = "bcdfghklmnprstvw".as_bytes();
        let mut syllables = String::new();
        for digit in [
            number >> 12 & 15,
            number >> 8 & 15,
            number >> 4 & 15,
            number & 15,
        ] {
            syllables.push(letters[digit] as char);
            syllables.push('a');
        }
        syllables
    };
    (0..rows)
        .map(|row| {
            format!(
                "{} is a village in the administrative district of the northern province close to the border, \
                 it lies about halfway between the old market town and the sea on the road that leads to the lake, \
                 and at the last census its population was counted together with that of the neighbouring hamlets",
                name(row)
            )
        })
        .collect()
}

async fn template() -> Result<(), Failed> {
    let texts = variants(20_000);
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for join in ["jaccard_join", "minhash_join"] {
        let query = format!("SELECT count(*) FROM {join}(docs, copies => 'linked')");
        let edges = count(&context, &query).await?;
        if !(19_999..400_000).contains(&edges) {
            return Err(format!("{query}: {edges} edges for 20000 rows").into());
        }
    }
    let query = "SELECT count(*) FROM near_duplicates(docs) WHERE kept";
    let kept = count(&context, query).await?;
    match kept {
        1 => Ok(()),
        _ => Err(format!("{query}: {kept} rows").into()),
    }
}

async fn identical() -> Result<(), Failed> {
    let texts = vec![variants(1)[0].clone(); 5_000];
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for join in ["jaccard_join", "minhash_join"] {
        let query = format!("SELECT count(*) FROM {join}(docs, copies => 'linked')");
        let edges = count(&context, &query).await?;
        if edges != 4_999 {
            return Err(format!("{query}: {edges} edges for 5000 copies").into());
        }
    }
    Ok(())
}

/// Oversized buckets leave pairs unreported, but every removed row still has a similar kept row.
async fn small_buckets() -> Result<(), Failed> {
    let texts = variants(3_000);
    let sets = naive::sets(&texts, "word:3");
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for method in ["exact", "minhash"] {
        let call =
            format!("near_duplicates(docs, method => '{method}', max_bucket_pairwise => 100)");
        let found = rows(&context, &call).await?;
        check(&call, &found, &sets, 0.8)?;
        let kept = found.values().filter(|row| row.kept).count();
        if kept > 10 {
            return Err(format!("{call}: {kept} of 3000 rows kept").into());
        }
    }
    Ok(())
}

/// The same for vectors: 3,000 that are similar to each other, and some that are not.
async fn near_vectors() -> Result<(), Failed> {
    const DIMENSIONS: usize = 24;
    let mut random = SplitMix64::new(11);
    let mut number = |scale: f64| scale * (random.below(2001) as f64 / 1000.0 - 1.0);
    let base: Vec<f64> = (0..DIMENSIONS).map(|_| number(1.0)).collect();
    let vectors: Vec<Vec<f64>> = (0..3_200)
        .map(|row| match row % 16 {
            15 => (0..DIMENSIONS).map(|_| number(1.0)).collect(),
            _ => base.iter().map(|x| x + number(0.2)).collect(),
        })
        .collect();
    let context = session(2)?;
    let ids = Arc::new(Int64Array::from_iter_values(0..vectors.len() as i64));
    let lists = vectors
        .iter()
        .map(|row| Some(row.iter().copied().map(Some)));
    let lists = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists));
    let table = RecordBatch::try_from_iter([("id", ids as ArrayRef), ("vector", lists)])?;
    context.register_batch("vectors", table)?;
    let cosine = |a: i64, b: i64| {
        let dot = |a: i64, b: i64| {
            let pairs = vectors[a as usize].iter().zip(&vectors[b as usize]);
            pairs.map(|(x, y)| x * y).sum::<f64>()
        };
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    let all = "near_duplicates(vectors, method => 'projection'";
    let expected = rows(&context, &format!("{all})")).await?;
    let kept = |rows: &BTreeMap<i64, Row>| rows.values().filter(|row| row.kept).count();
    for parts in [1, 5] {
        let call = format!("{all}, max_bucket_pairwise => 100, parts => {parts})");
        let found = rows(&context, &call).await?;
        let rounded = |a, b| {
            found[&a]
                .similarity
                .filter(|s| (s - cosine(a, b)).abs() < 1e-12)
        };
        check_by(&call, &found, vectors.len(), 0.8, |a, b| {
            rounded(a, b).unwrap_or(f64::NAN)
        })?;
        if kept(&found) > kept(&expected) + 10 {
            let (found, expected) = (kept(&found), kept(&expected));
            return Err(format!("{call}: {found} rows kept, {expected} if all are paired").into());
        }
        let pairs = format!("EXPLAIN ANALYZE SELECT * FROM {call}");
        let plan = context.sql(&pairs).await?.to_string().await?;
        if !plan.contains("pairs_not_reported=") || plan.contains("pairs_not_reported=0,") {
            return Err(format!("{call}: nothing is left out in {plan}").into());
        }
    }
    Ok(())
}
