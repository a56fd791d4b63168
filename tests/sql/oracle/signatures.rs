//! The joins of bit signatures and of vectors against a comparison of every pair and against naive versions of tables
//! and sorted windows, for several numbers of partitions, parts and chunks.

use super::corpus::{pairs, session};
use super::{Pair, same_rows};
use datafusion::arrow::array::{
    ArrayRef, FixedSizeBinaryArray, Int64Array, ListArray, RecordBatch,
};
use datafusion::arrow::datatypes::Float32Type;
use datafusion::prelude::SessionContext;
use libtest_mimic::{Failed, Trial};
use neardup_kernels::{
    BitTables, DenseProjector, SplitMix64, bit_permutation, cosine, distance_for_recall,
    found_in_tables, hamming_distance, kept_by_distance,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oracle::signatures: hamming_join is brute force", || {
            crate::run(exact())
        }),
        Trial::test(
            "oracle::signatures: bands and windows are the plain methods",
            || crate::run(tables()),
        ),
        Trial::test(
            "oracle::signatures: joins of vectors are brute force",
            || crate::run(vectors()),
        ),
        Trial::test("oracle::signatures: recall is what the model says", || {
            crate::run(recall())
        }),
    ]
}

const BITS: usize = 100;
const PARTITIONS: [usize; 4] = [1, 2, 7, 64];

/// Vectors in clusters of three, and their signatures of 100 bits.
struct Rows {
    vectors: Vec<Vec<f32>>,
    signatures: Vec<Vec<u8>>,
}

impl Rows {
    fn random(count: usize, dimensions: usize, noise: f32, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut number = || random.below(2_000_001) as f32 / 1e6 - 1.0;
        let mut vectors: Vec<Vec<f32>> = Vec::new();
        for row in 0..count {
            let fresh: Vec<f32> = (0..dimensions).map(|_| number()).collect();
            vectors.push(match row % 3 {
                0 => fresh,
                _ => {
                    let base = &vectors[row / 3 * 3];
                    base.iter()
                        .zip(&fresh)
                        .map(|(base, fresh)| base + noise * fresh)
                        .collect()
                }
            });
        }
        let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let mut bytes = vec![0; count * 13];
        DenseProjector::new(BITS, 1, dimensions).signatures_into(&slices, &mut bytes);
        let signatures = bytes.chunks(13).map(<[u8]>::to_vec).collect();
        Self {
            vectors,
            signatures,
        }
    }

    fn register(&self, context: &SessionContext) -> Result<(), Failed> {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..self.vectors.len() as i64));
        let lists = self
            .vectors
            .iter()
            .map(|vector| Some(vector.iter().copied().map(Some)));
        let vectors = ListArray::from_iter_primitive::<Float32Type, _, _>(lists);
        let signatures = FixedSizeBinaryArray::try_from_iter(self.signatures.iter())?;
        let batch = RecordBatch::try_from_iter([
            ("id", ids),
            ("vector", Arc::new(vectors) as ArrayRef),
            ("signature", Arc::new(signatures)),
        ])?;
        context.register_batch("data", batch)?;
        Ok(())
    }

    fn brute_force(&self, value: impl Fn(usize, usize) -> Option<f64>) -> Vec<Pair> {
        let all =
            (0..self.vectors.len()).flat_map(|a| (a + 1..self.vectors.len()).map(move |b| (a, b)));
        all.filter_map(|(a, b)| Some((a as i64, b as i64, value(a, b)?)))
            .collect()
    }

    fn distance(&self, a: usize, b: usize) -> usize {
        hamming_distance(&self.signatures[a], &self.signatures[b]) as usize
    }

    fn within(&self, max_distance: usize) -> Vec<Pair> {
        self.brute_force(|a, b| {
            let distance = self.distance(a, b);
            (distance <= max_distance).then_some(distance as f64)
        })
    }

    fn cosine(&self, a: usize, b: usize) -> Option<f64> {
        cosine(&self.vectors[a], &self.vectors[b])
    }
}

fn distances(call: &str) -> String {
    format!("SELECT id_a, id_b, CAST(distance AS DOUBLE) FROM {call}")
}

async fn exact() -> Result<(), Failed> {
    let rows = Rows::random(400, 20, 0.4, 5);
    for partitions in PARTITIONS {
        let context = session(partitions)?;
        rows.register(&context)?;
        for max_distance in [0, 3, 9, 30, 100] {
            let expected = rows.within(max_distance);
            for (method, parts) in [
                ("exact", 1),
                ("exact", 7),
                ("exhaustive", 1),
                ("exhaustive", 5),
            ] {
                if method == "exact" && max_distance > 9 && partitions != 2 {
                    continue;
                }
                let query = distances(&format!(
                    "hamming_join(data, method => '{method}', max_distance => {max_distance}, parts => {parts})"
                ));
                same_rows(&query, &pairs(&context, &query).await?, &expected)?;
            }
        }
        // With two relations, pairs of a row with itself and both orders of a pair are reported, too.
        let query = distances(
            "hamming_join(data, data, method => 'exhaustive', max_distance => 9, parts => 4)",
        );
        let mut expected: Vec<Pair> = (0..rows.vectors.len() as i64)
            .map(|id| (id, id, 0.0))
            .collect();
        for (a, b, distance) in rows.within(9) {
            expected.extend([(a, b, distance), (b, a, distance)]);
        }
        expected.sort_by_key(|pair| (pair.0, pair.1));
        same_rows(&query, &pairs(&context, &query).await?, &expected)?;
    }
    Ok(())
}

/// The pairs among the compared rows `met` that are within a distance.
fn compared(
    rows: &Rows,
    max_distance: usize,
    met: impl IntoIterator<Item = (usize, usize)>,
) -> Vec<Pair> {
    let mut found = BTreeMap::new();
    for (a, b) in met {
        let distance = rows.distance(a, b);
        if distance <= max_distance {
            found.insert((a.min(b) as i64, a.max(b) as i64), distance as f64);
        }
    }
    found
        .into_iter()
        .map(|((a, b), distance)| (a, b, distance))
        .collect()
}

async fn tables() -> Result<(), Failed> {
    let rows = Rows::random(500, 20, 0.6, 8);
    let count = rows.vectors.len();
    let keyed = BitTables::new(BITS, 9, 12, 3)?;
    let keys: Vec<Vec<u64>> = rows
        .signatures
        .iter()
        .map(|signature| {
            let mut keys = Vec::new();
            keyed.keys_into(signature, &mut keys).map(|()| keys)
        })
        .collect::<Result<_, _>>()?;
    let agree = |a: usize, b: usize| keys[a].iter().zip(&keys[b]).any(|(a, b)| a == b);
    let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let by_bands = compared(&rows, 40, all.filter(|&(a, b)| agree(a, b)));

    let mut met = Vec::new();
    for table in 0..5 {
        let permutation = bit_permutation(BITS, 3, table);
        let bit = |row: usize, at: u32| rows.signatures[row][at as usize / 8] >> (at % 8) & 1;
        let mut order: Vec<(Vec<u8>, usize)> = (0..count)
            .map(|row| (permutation.iter().map(|&at| bit(row, at)).collect(), row))
            .collect();
        order.sort();
        for at in 0..count {
            met.extend((at.saturating_sub(6)..at).map(|before| (order[before].1, order[at].1)));
        }
    }
    let by_windows = compared(&rows, 40, met);
    for partitions in PARTITIONS {
        let context = session(partitions)?;
        rows.register(&context)?;
        for parts in [1, 3] {
            let common = format!("max_distance => 40, bits => {BITS}, seed => 3, parts => {parts}");
            let query = distances(&format!(
                "hamming_join(data, method => 'bands', tables => 9, key_bits => 12, {common})"
            ));
            same_rows(&query, &pairs(&context, &query).await?, &by_bands)?;
            for chunk in [6, 50, 100_000] {
                let query = distances(&format!(
                    "hamming_join(data, method => 'window', tables => 5, window => 6, chunk => {chunk}, {common})"
                ));
                same_rows(&query, &pairs(&context, &query).await?, &by_windows)?;
            }
        }
    }
    Ok(())
}

async fn vectors() -> Result<(), Failed> {
    let rows = Rows::random(300, 30, 0.8, 13);
    for partitions in PARTITIONS {
        let context = session(partitions)?;
        rows.register(&context)?;
        for threshold in [0.3, 0.7, 0.95] {
            let expected =
                rows.brute_force(|a, b| rows.cosine(a, b).filter(|&cosine| cosine >= threshold));
            for parts in [1, 6] {
                let query = format!(
                    "SELECT * FROM cosine_join(data, threshold => {threshold}, parts => {parts})"
                );
                same_rows(&query, &pairs(&context, &query).await?, &expected)?;
            }
            // Only the pairs that the distance test keeps are expected.
            let max_distance = distance_for_recall(BITS, threshold, 0.9)?;
            let kept: Vec<Pair> = expected
                .iter()
                .copied()
                .filter(|&(a, b, _)| rows.distance(a as usize, b as usize) <= max_distance)
                .collect();
            let query = format!(
                "SELECT * FROM projection_join(data, threshold => {threshold}, bits => {BITS}, target_recall => 0.9, parts => {partitions})"
            );
            same_rows(&query, &pairs(&context, &query).await?, &kept)?;
        }
    }
    Ok(())
}

/// Pairs whose cosine is near the threshold are found with the frequency that the target and the model predict.
async fn recall() -> Result<(), Failed> {
    let rows = Rows::random(9_000, 60, 0.6, 21);
    let threshold = 0.84;
    let truth: Vec<Pair> = (0..3_000)
        .flat_map(|cluster| {
            [
                (3 * cluster, 3 * cluster + 1),
                (3 * cluster, 3 * cluster + 2),
            ]
        })
        .filter_map(|(a, b)| Some((a as i64, b as i64, rows.cosine(a, b)?)))
        .filter(|pair| pair.2 >= threshold)
        .collect();
    let context = session(2)?;
    rows.register(&context)?;
    let check = |what: &str, found: &[Pair], expected: f64, at_least: bool| -> Result<(), Failed> {
        let there: std::collections::BTreeSet<_> =
            found.iter().map(|pair| (pair.0, pair.1)).collect();
        let share = truth
            .iter()
            .filter(|pair| there.contains(&(pair.0, pair.1)))
            .count() as f64
            / truth.len() as f64;
        let low = share < expected - 0.03;
        let high = !at_least && share > expected + 0.03;
        match low || high {
            false => Ok(()),
            true => Err(format!("{what}: recall {share:.4}, expected {expected:.4}").into()),
        }
    };
    for target in [0.8, 0.99] {
        for method in ["exhaustive", "bands"] {
            let query = format!(
                "SELECT * FROM projection_join(data, threshold => {threshold}, bits => 2048, target_recall => {target}, method => '{method}')"
            );
            // Pairs above the threshold are found more often than those at it.
            check(&query, &pairs(&context, &query).await?, target, true)?;
        }
    }
    // The model pair by pair.
    let mean = |model: &dyn Fn(f64) -> f64| {
        truth.iter().map(|pair| model(pair.2)).sum::<f64>() / truth.len() as f64
    };
    let max_distance = 210;
    let kept = |cosine: f64| kept_by_distance(cosine, 1024, 0, max_distance);
    for (tables, key_bits) in [(10, 16), (30, 20)] {
        let expected = mean(&|cosine| {
            found_in_tables(cosine, key_bits as f64, tables)
                * kept_by_distance(cosine, 1024, key_bits, max_distance)
        });
        let query = format!(
            "SELECT * FROM projection_join(data, threshold => {threshold}, max_distance => {max_distance}, method => 'bands', tables => {tables}, key_bits => {key_bits})"
        );
        check(&query, &pairs(&context, &query).await?, expected, false)?;
    }
    for (tables, window) in [(10_usize, 20), (40, 5)] {
        let key_bits = (rows.vectors.len() as f64 / f64::from(window)).log2();
        let expected = mean(&|cosine| found_in_tables(cosine, key_bits, tables) * kept(cosine));
        let query = format!(
            "SELECT * FROM projection_join(data, threshold => {threshold}, max_distance => {max_distance}, method => 'window', tables => {tables}, window => {window})"
        );
        check(&query, &pairs(&context, &query).await?, expected, false)?;
    }
    Ok(())
}
