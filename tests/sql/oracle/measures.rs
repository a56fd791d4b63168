//! `near_duplicates` by every measure, against the definitions over all pairs.

use super::clusters::{Row, rows};
use super::corpus::{register, session, texts};
use super::naive;
use libtest_mimic::{Failed, Trial};
use neardup_datasets::generate::Kind;
use neardup_kernels::{Measure, containment, edit_similarity, jaccard, normalize_into};
use std::collections::BTreeMap;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial = |measure| {
        Trial::test(format!("oracle::near_duplicates by {measure}"), move || {
            crate::run(every_row(measure))
        })
    };
    [Measure::Jaccard, Measure::Containment, Measure::Edit]
        .map(trial)
        .into()
}

/// Sentences, excerpts of them, sentences around them, copies, and texts without words.
fn corpus() -> Vec<String> {
    let made = texts(260, 23, Kind::Sentences);
    let mut all = Vec::new();
    for (number, text) in made.iter().enumerate() {
        let words: Vec<&str> = text.split(' ').collect();
        let next = &made[(number + 7) % made.len()];
        all.push(match number % 6 {
            0 => format!("{text} {next}"),
            1 => words[words.len() / 4..].join(" "),
            2 => words[..words.len() - words.len() / 3].join(" "),
            3 => text.to_uppercase(),
            _ => text.clone(),
        });
        if number % 4 == 0 {
            all.push(text.clone());
        }
        if number % 50 == 0 {
            all.push(["", " ", "?!", "x"][number / 50 % 4].to_owned());
        }
    }
    // Neighbours in the corpus are not neighbours in the order of ids.
    let count = all.len();
    (0..count).map(|at| all[at * 101 % count].clone()).collect()
}

/// The rows that the definition gives: in keep order a row is removed if it is similar to a kept row before it. The
/// most similar kept row represents it, by containment of those before it and its copies; the first one among equals.
fn expected(
    order: &[usize],
    directed: bool,
    texts: &[String],
    similar: impl Fn(usize, usize) -> Option<f64>,
) -> BTreeMap<i64, (i64, Option<f64>)> {
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for (place, &row) in order.iter().enumerate() {
        if !kept.iter().any(|&(_, other)| similar(row, other).is_some()) {
            kept.push((place, row));
        }
    }
    let mut found = BTreeMap::new();
    let mut first_copies: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, &row) in order.iter().enumerate() {
        let first_copy = *first_copies.entry(&texts[row]).or_insert(place);
        let mut best: Option<(usize, f64)> = None;
        if !kept.contains(&(place, row)) {
            for &(before, other) in &kept {
                if directed && before > first_copy {
                    continue;
                }
                if let Some(similarity) = similar(row, other)
                    && best.is_none_or(|(_, best)| similarity > best)
                {
                    best = Some((other, similarity));
                }
            }
        }
        let (representative, similarity) = match best {
            Some((other, similarity)) => (other, Some(similarity)),
            None => (row, None),
        };
        found.insert(row as i64, (representative as i64, similarity));
    }
    found
}

async fn every_row(measure: Measure) -> Result<(), Failed> {
    let texts = corpus();
    let sets = naive::sets(&texts, "word:2");
    let normal: Vec<String> = texts
        .iter()
        .map(|text| {
            let mut normal = String::new();
            normalize_into(text, &mut normal);
            normal
        })
        .collect();
    let similarity = |a: usize, b: usize| match measure {
        Measure::Jaccard => jaccard(&sets[a], &sets[b]),
        Measure::Containment => containment(&sets[a], &sets[b]),
        _ => edit_similarity(&normal[a], &normal[b]),
    };
    let is_compared = |row: usize| match measure {
        Measure::Edit => !normal[row].is_empty(),
        _ => !sets[row].is_empty(),
    };
    let count = texts.len();
    let all: Vec<Vec<f64>> = (0..count)
        .map(|a| (0..count).map(|b| similarity(a, b)).collect())
        .collect();
    let first: Vec<usize> = (0..count).collect();
    let mut longest = first.clone();
    longest.sort_by_key(|&row| (std::cmp::Reverse(texts[row].chars().count()), row));
    let mut shortest = first.clone();
    shortest.sort_by_key(|&row| (texts[row].chars().count(), std::cmp::Reverse(row)));
    let shingle = match measure {
        Measure::Edit => "",
        _ => ", shingle => 'word:2'",
    };
    let mut removed = Vec::new();
    for partitions in [1, 7] {
        let context = session(partitions)?;
        register(&context, "docs", &texts)?;
        for threshold in [0.6, 0.7, 0.8, 0.9, 1.0] {
            for (order, argument) in [
                (&first, ""),
                (&longest, ", keep => 'longest'"),
                (&shortest, ", keep_by => 'length(text), id desc'"),
            ] {
                let similar = |row: usize, other: usize| {
                    let similarity = all[row][other];
                    let is_pair = is_compared(row) && is_compared(other);
                    (is_pair && similarity >= threshold).then_some(similarity)
                };
                let expected = expected(order, measure == Measure::Containment, &normal, similar);
                for parts in [1, 4] {
                    let call = format!(
                        "near_duplicates(docs, measure => '{measure}', threshold => {threshold}, parts => {parts}{shingle}{argument})"
                    );
                    let found = rows(&context, &call).await?;
                    check(&call, &found, &expected)?;
                    removed.push(found.values().filter(|row| !row.kept).count());
                }
            }
        }
    }
    // The corpus has rows to remove at every threshold, and more of them at lower ones.
    match removed.iter().min() {
        Some(5..) => Ok(()),
        least => Err(format!("{measure}: {least:?} rows are removed").into()),
    }
}

fn check(
    call: &str,
    found: &BTreeMap<i64, Row>,
    expected: &BTreeMap<i64, (i64, Option<f64>)>,
) -> Result<(), Failed> {
    if found.len() != expected.len() {
        return Err(format!("{call}: {} rows of {}", found.len(), expected.len()).into());
    }
    let mut sizes: BTreeMap<i64, i64> = BTreeMap::new();
    for (representative, _) in expected.values() {
        *sizes.entry(*representative).or_default() += 1;
    }
    for (id, (representative, similarity)) in expected {
        let row = &found[id];
        let is_equal = row.representative == *representative
            && row.similarity == *similarity
            && row.kept == similarity.is_none()
            && row.cluster == *representative
            && row.size == sizes[representative];
        if !is_equal {
            return Err(format!(
                "{call}: row {id} is {row:?}, expected {representative} with {similarity:?}"
            )
            .into());
        }
    }
    Ok(())
}
