//! Naive algorithms.

use super::Pair;
use neardup_kernels::{Shingle, ShingleScratch, edit_similarity, jaccard, normalize_into};
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

/// The value of a field of a record: its text as it is compared, and the set of its shingles.
pub type FieldValue = (String, BTreeSet<u64>);

/// The value of a field.
pub fn field_value(text: Option<&str>, shingle: &str, normalize: bool) -> FieldValue {
    let shingle: Shingle = shingle.parse().expect("a shingle");
    let text = text.unwrap_or_default();
    let (mut compared, mut hashes) = (String::new(), Vec::new());
    match normalize {
        true => normalize_into(text, &mut compared),
        false => compared.push_str(text),
    }
    shingle.hashes_into(&compared, &mut ShingleScratch::default(), &mut hashes);
    (compared, hashes.into_iter().collect())
}

/// The similarity of two values; `None` if one is missing.
fn field_similarity(
    measure: &str,
    (text, set): &FieldValue,
    (other_text, other_set): &FieldValue,
) -> Option<f64> {
    if measure == "edit" {
        let are_texts = !text.is_empty() && !other_text.is_empty();
        return are_texts.then(|| edit_similarity(text, other_text));
    }
    let common = set.intersection(other_set).count();
    let of = match measure {
        "containment" => set.len().min(other_set.len()),
        _ => set.len() + other_set.len() - common,
    };
    let are_sets = !set.is_empty() && !other_set.is_empty();
    are_sets.then(|| common as f64 / of as f64)
}

/// The weighted mean of the similarities of the fields of two records, and each of them; `None` if it is left out.
pub fn record_similarity(
    weights: &[f64],
    measures: &[&str],
    rescale: bool,
    a: &[FieldValue],
    b: &[FieldValue],
) -> (f64, Vec<Option<f64>>) {
    let (mut sum, mut of_fields, mut all) = (0.0, 0.0, Vec::new());
    for (at, (x, y)) in a.iter().zip(b).enumerate() {
        let similarity = field_similarity(measures[at], x, y);
        if similarity.is_none() && rescale {
            all.push(None);
            continue;
        }
        let similarity = similarity.unwrap_or(0.0);
        sum += weights[at] * similarity;
        of_fields += weights[at];
        all.push(Some(similarity));
    }
    let mean = if of_fields == 0.0 {
        0.0
    } else {
        sum / of_fields
    };
    (mean, all)
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
