//! `minhash_join` reports no pair below the threshold, and reaches its target recall.

use super::corpus::{pairs, register, session, texts};
use super::naive;
use libtest_mimic::{Failed, Trial};
use neardup_datasets::generate::Kind;
use std::collections::BTreeMap;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let corpora = [
        ("word:1", Kind::Sentences, 2_000),
        ("word:3", Kind::Sentences, 3_000),
        ("char:5", Kind::Sentences, 2_000),
        ("word:3", Kind::Documents, 500),
        ("char:12", Kind::Documents, 300),
    ];
    let mut trials: Vec<Trial> = corpora
        .into_iter()
        .map(|(shingle, kind, rows)| {
            let name = format!("oracle::recall of {shingle} in {kind:?}");
            Trial::test(name, move || crate::run(recall(shingle, kind, rows)))
        })
        .collect();
    trials.push(Trial::test("oracle::recall of a lower target", || {
        crate::run(lower_target())
    }));
    trials
}

const SEEDS: u64 = 4;

async fn recall(shingle: &'static str, kind: Kind, rows: u64) -> Result<(), Failed> {
    let texts = texts(rows, 51, kind);
    let all = naive::self_pairs(&naive::sets(&texts, shingle), 0.5);
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    for threshold in [0.5, 0.6, 0.7, 0.8, 0.9, 0.95] {
        let truth: BTreeMap<_, _> = all
            .iter()
            .filter(|pair| pair.2 >= threshold)
            .map(|&(a, b, s)| ((a, b), s))
            .collect();
        // Copies are always found, so recall is measured on the other pairs.
        let hard = truth
            .values()
            .filter(|&&similarity| similarity < 1.0)
            .count();
        let (mut found_all, mut found_hard) = (0, 0);
        for seed in 1..=SEEDS {
            let query = format!(
                "SELECT * FROM minhash_join(docs, shingle => '{shingle}', threshold => {threshold}, seed => {seed})"
            );
            for (a, b, similarity) in pairs(&context, &query).await? {
                if truth.get(&(a, b)) != Some(&similarity) {
                    return Err(format!("{query}: ({a}, {b}, {similarity}) is no pair").into());
                }
                found_all += 1;
                found_hard += usize::from(similarity < 1.0);
            }
        }
        let share = |found: usize, of: usize| match of {
            0 => 1.0,
            _ => found as f64 / (SEEDS as usize * of) as f64,
        };
        let (of_all, of_hard) = (share(found_all, truth.len()), share(found_hard, hard));
        if of_all < 0.99 || of_hard < 0.99 {
            return Err(format!(
                "{shingle} at {threshold}: {of_all:.4} of {} pairs, {of_hard:.4} of {hard} that are no copies",
                truth.len()
            )
            .into());
        }
    }
    Ok(())
}

/// A lower target recall finds fewer pairs, about as many as the bands predict.
async fn lower_target() -> Result<(), Failed> {
    let texts = texts(3_000, 61, Kind::Sentences);
    let truth: Vec<_> = naive::self_pairs(&naive::sets(&texts, "char:5"), 0.6);
    let context = session(2)?;
    register(&context, "docs", &texts)?;
    let (bands, rows) = (4, 5);
    let expected: f64 = truth
        .iter()
        .map(|pair| 1.0 - (1.0 - pair.2.powi(rows)).powi(bands))
        .sum();
    let mut found = 0;
    for seed in 1..=10 {
        let query = format!(
            "SELECT * FROM minhash_join(docs, shingle => 'char:5', threshold => 0.6, bands => {bands}, rows => {rows}, seed => {seed})"
        );
        found += pairs(&context, &query).await?.len();
    }
    let found = found as f64 / 10.0;
    match (found / expected - 1.0).abs() < 0.05 {
        true => Ok(()),
        false => Err(format!("found {found} pairs on average, the bands say {expected}").into()),
    }
}
