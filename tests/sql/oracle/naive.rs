//! Naive algorithms.

use super::Pair;
use neardup_kernels::{Shingle, ShingleScratch, jaccard, normalize_into};
use std::collections::{BTreeMap, BTreeSet};

/// The sets of hashes of the normalised texts.
pub fn sets(texts: &[String], shingle: &str) -> Vec<Vec<u64>> {
    let shingle: Shingle = shingle.parse().expect("a shingle");
    let mut scratch = ShingleScratch::default();
    let set = |text: &String| {
        let (mut normal, mut hashes) = (String::new(), Vec::new());
        normalize_into(text, &mut normal);
        shingle.hashes_into(&normal, &mut scratch, &mut hashes);
        hashes
    };
    texts.iter().map(set).collect()
}

/// Every pair of different rows with at least the given similarity, sorted. Pairs that the lengths of their sets rule
/// out are not compared.
pub fn self_pairs(sets: &[Vec<u64>], min_similarity: f64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (a, set) in sets.iter().enumerate() {
        compare(&mut pairs, a, set, sets, a + 1, min_similarity);
    }
    pairs
}

/// Every pair of a row of the first and a row of the second relation, sorted.
pub fn cross_pairs(first: &[Vec<u64>], second: &[Vec<u64>], min_similarity: f64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (a, set) in first.iter().enumerate() {
        compare(&mut pairs, a, set, second, 0, min_similarity);
    }
    pairs
}

fn compare(
    out: &mut Vec<Pair>,
    a: usize,
    set: &[u64],
    others: &[Vec<u64>],
    from: usize,
    min_similarity: f64,
) {
    if set.is_empty() {
        return;
    }
    for (b, other) in others.iter().enumerate().skip(from) {
        let (short, long) = (set.len().min(other.len()), set.len().max(other.len()));
        if (short as f64 / long as f64) < min_similarity {
            continue;
        }
        let similarity = jaccard(set, other);
        if similarity >= min_similarity {
            out.push((a as i64, b as i64, similarity));
        }
    }
}

/// The same from sets of strings, computed without the kernels: windows of characters, or of words separated by white
/// space, of texts in lower case with single spaces.
pub fn string_pairs(
    texts: &[String],
    window: usize,
    words: bool,
    min_similarity: f64,
) -> Vec<Pair> {
    let cut = |text: &String| -> BTreeSet<String> {
        let units: Vec<String> = match words {
            true => text.split(' ').map(str::to_owned).collect(),
            false => text.chars().map(String::from).collect(),
        };
        let joined = |units: &[String]| units.join(if words { " " } else { "" });
        match units.len() <= window {
            true => BTreeSet::from([joined(&units)]),
            false => units.windows(window).map(joined).collect(),
        }
    };
    let sets: Vec<_> = texts.iter().map(cut).collect();
    let mut pairs = Vec::new();
    for (a, set) in sets.iter().enumerate() {
        for (b, other) in sets.iter().enumerate().skip(a + 1) {
            let both = set.intersection(other).count();
            let similarity = both as f64 / (set.len() + other.len() - both) as f64;
            if similarity >= min_similarity {
                pairs.push((a as i64, b as i64, similarity));
            }
        }
    }
    pairs
}

/// For each of `rows` rows, the smallest row of its component.
pub fn components(rows: usize, pairs: &[Pair]) -> Vec<i64> {
    let mut parent: Vec<usize> = (0..rows).collect();
    fn root(parent: &mut [usize], mut row: usize) -> usize {
        while parent[row] != row {
            parent[row] = parent[parent[row]];
            row = parent[row];
        }
        row
    }
    for &(a, b, _) in pairs {
        let (a, b) = (root(&mut parent, a as usize), root(&mut parent, b as usize));
        let (low, high) = (a.min(b), a.max(b));
        parent[high] = low;
    }
    (0..rows).map(|row| root(&mut parent, row) as i64).collect()
}

/// The representative of each row. In order, a row that is similar to an earlier kept row is removed. Then the most
/// similar kept row represents it, and the first one among equals.
pub fn representatives(rows: usize, pairs: &[Pair]) -> Vec<i64> {
    let mut similar: BTreeMap<i64, Vec<(i64, f64)>> = BTreeMap::new();
    for &(a, b, similarity) in pairs {
        similar.entry(a).or_default().push((b, similarity));
        similar.entry(b).or_default().push((a, similarity));
    }
    let of = |row: i64| similar.get(&row).into_iter().flatten().copied();
    let mut kept = vec![true; rows];
    for row in 0..rows as i64 {
        kept[row as usize] = !of(row).any(|(other, _)| other < row && kept[other as usize]);
    }
    let representative = |row: i64| {
        let mut best = (row, f64::NEG_INFINITY);
        for (other, similarity) in of(row) {
            let first_of_equals = similarity == best.1 && other < best.0;
            if kept[other as usize] && (similarity > best.1 || first_of_equals) {
                best = (other, similarity);
            }
        }
        best.0
    };
    (0..rows as i64)
        .map(|row| {
            if kept[row as usize] {
                row
            } else {
                representative(row)
            }
        })
        .collect()
}
