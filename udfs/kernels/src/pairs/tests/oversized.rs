//! Oversized buckets: rows are linked to pivots, in linear time, whatever the division of the keys.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{MAX_PIVOTS, MIN_COVERING_PIVOTS, Spec, Verify};
use super::rows::{Pairs, Rows, exact};
use crate::forest::Forest;
use crate::representatives::{Edge, representatives};
use crate::test_random::Random;

/// The result of linked mode for all keys by its definition.
#[derive(Debug, Default)]
struct Naive {
    pairs: Pairs,
    oversized: u64,
    rows_without_pivot: u64,
    pairs_not_compared: u64,
    /// The pivots of each oversized bucket.
    pivots: BTreeMap<u64, Vec<usize>>,
}

fn naive(rows: &Rows, spec: Spec, similarity: impl Fn(usize, usize) -> Option<f64>) -> Naive {
    let limit = spec.max_bucket_pairwise.expect("linked mode");
    let mut buckets: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (row, keys) in rows.keys.iter().enumerate() {
        for &key in keys {
            buckets.entry(key).or_default().push(row);
        }
    }
    let similar = |a: usize, b: usize| match rows.may_pair(a, b) {
        true => similarity(a, b),
        false => None,
    };
    let mut naive = Naive::default();
    for (&key, members) in &buckets {
        let mut compare = |a: usize, b: usize| match similar(a, b) {
            Some(similarity) => {
                let pair = rows.oriented(a, b);
                naive.pairs.insert(pair, similarity.to_bits());
                true
            }
            None => false,
        };
        if members.len() <= limit {
            for (position, &b) in members.iter().enumerate() {
                for &a in &members[..position] {
                    compare(a, b);
                }
            }
            continue;
        }
        let mut pivots: Vec<usize> = Vec::new();
        let mut compared = 0;
        for &row in members {
            compared += pivots.len();
            let links = pivots.iter().filter(|&&pivot| compare(pivot, row)).count();
            let max_pivots = if links == 0 {
                MAX_PIVOTS
            } else {
                MAX_PIVOTS / 2
            };
            if links < MIN_COVERING_PIVOTS && pivots.len() < max_pivots {
                pivots.push(row);
            } else if links == 0 {
                naive.rows_without_pivot += 1;
            }
        }
        naive.oversized += 1;
        naive.pairs_not_compared += (members.len() * (members.len() - 1) / 2 - compared) as u64;
        naive.pivots.insert(key, pivots);
    }
    naive
}

/// Whether each row is kept as a representative, given the keep order of the rows.
fn kept(pairs: &Pairs, order: &[usize]) -> Vec<bool> {
    let mut position = vec![0; order.len()];
    for (at, &row) in order.iter().enumerate() {
        position[row] = at as u32;
    }
    let edges: Vec<Edge> = pairs
        .iter()
        .map(|(&(a, b), &similarity)| Edge {
            a: position[a as usize],
            b: position[b as usize],
            similarity: f64::from_bits(similarity),
        })
        .collect();
    let found = representatives(order.len() as u32, &edges);
    (0..order.len())
        .map(|row| found[position[row] as usize].node == position[row])
        .collect()
}

/// Checks the guarantee for two similar rows that are both kept.
fn check_kept(
    rows: &Rows,
    naive: &Naive,
    kept: &[bool],
    similarity: &dyn Fn(usize, usize) -> Option<f64>,
) -> usize {
    let mut both = 0;
    for b in (0..kept.len()).filter(|&b| kept[b]) {
        for a in (0..b).filter(|&a| kept[a] && rows.may_pair(a, b)) {
            if similarity(a, b).is_none() || !rows.shares_key(a, b) {
                continue;
            }
            both += 1;
            for key in rows.keys[a].iter().filter(|key| rows.keys[b].contains(key)) {
                let pivots = naive.pivots.get(key).expect("an oversized bucket");
                assert!(!pivots.contains(&a), "{a} and {b} at {key}");
                for &pivot in pivots.iter().filter(|&&pivot| pivot < a) {
                    let similar = rows.may_pair(pivot, a) && similarity(pivot, a).is_some();
                    assert!(!similar || !kept[pivot], "{a} and {b} at {key}");
                }
            }
        }
    }
    both
}

#[test]
fn linked_mode_follows_the_rule_for_any_number_of_parts() {
    let (mut oversized, mut rows_without_pivot, mut both) = (0, 0, 0);
    for seed in 0..16 {
        let threshold = [0.2, 0.4, 0.6, 0.8][seed as usize % 4];
        let plain = Rows::random_sets(seed, 250, 10).with_prefixes(threshold);
        // With few keys that do not depend on similarity, buckets reach the maximal number of pivots.
        let mut coarse = plain.clone();
        for (row, keys) in coarse.keys.iter_mut().enumerate() {
            keys.truncate(2);
            keys.push(row as u64 % 3);
        }
        let grouped = plain.clone().with_groups(seed, 4, false);
        for (rows, is_coarse) in [(plain, false), (grouped, false), (coarse, true)] {
            for limit in [1, 3, 10, 1000] {
                let similarity = |a, b| rows.jaccard(a, b, threshold);
                let spec = Spec {
                    max_bucket_pairwise: Some(limit),
                    prefixes: !is_coarse,
                    ..exact(threshold)
                };
                let expected = naive(&rows, spec, similarity);
                for parts in [1, 2, 3, 7, 64] {
                    let (pairs, stats) = rows.join(Spec { parts, ..spec });
                    assert_eq!(
                        pairs, expected.pairs,
                        "seed {seed} limit {limit} parts {parts}"
                    );
                    assert_eq!(stats.oversized_buckets, expected.oversized);
                    assert_eq!(stats.rows_without_pivot, expected.rows_without_pivot);
                    assert_eq!(stats.pairs_not_compared, expected.pairs_not_compared);
                }
                oversized += expected.oversized;
                rows_without_pivot += expected.rows_without_pivot;
                let mut order: Vec<usize> = (0..250).collect();
                for shuffle in 0..3 {
                    let kept = kept(&expected.pairs, &order);
                    both += check_kept(&rows, &expected, &kept, &similarity);
                    Random::new(seed + shuffle).shuffle(&mut order);
                }
            }
        }
    }
    assert!(
        oversized > 100 && rows_without_pivot > 100,
        "{oversized} {rows_without_pivot}"
    );
    assert!(both > 0, "two kept rows may be similar");
}

/// Variants of a template. The first of them is similar to an earlier row that shares no bucket with the others.
#[test]
fn a_removed_pivot_does_not_leave_its_rows_alone() {
    // 40 shared tokens; variants replace one by a token of their own, row 0 has only 33 of them.
    let template: Vec<u64> = (100..140).collect();
    let mut sets = vec![template[..33].to_vec(), template[..36].to_vec()];
    for variant in 0..400u64 {
        let mut set = template.clone();
        set[20 + (variant % 20) as usize] = 1000 + variant;
        set.sort_unstable();
        sets.push(set);
    }
    // Rows 0 and 1 share a key of their own; row 1 and all variants another.
    let mut keys = vec![vec![1], vec![1, 2]];
    keys.extend((0..400).map(|_| vec![2]));
    let rows = Rows {
        keys,
        sets,
        ..Rows::default()
    };
    let threshold = 0.85;
    assert!(rows.jaccard(0, 1, threshold).is_some());
    assert!((2..402).all(|row| rows.jaccard(0, row, threshold).is_none()));
    let spec = Spec {
        prefixes: false,
        max_bucket_pairwise: Some(10),
        ..exact(threshold)
    };
    let order: Vec<usize> = (0..402).collect();
    for parts in [1, 2, 4, 16, 64] {
        let (pairs, stats) = rows.join(Spec { parts, ..spec });
        assert_eq!(
            (stats.oversized_buckets, stats.rows_in_oversized_buckets),
            (1, 401)
        );
        let kept = kept(&pairs, &order);
        let left: Vec<usize> = (0..402).filter(|&row| kept[row]).collect();
        assert_eq!(
            left,
            [0, 2],
            "row 1 is removed, row 2 stands for the variants"
        );
    }
}

#[test]
fn without_verification_an_oversized_bucket_is_a_few_stars() {
    let rows = Rows {
        keys: vec![vec![5]; 100],
        ..Rows::default()
    };
    let spec = Spec {
        verify: Verify::None,
        prefixes: false,
        max_bucket_pairwise: Some(10),
        ..exact(1.0)
    };
    let (pairs, stats) = rows.join(spec);
    let cover = MIN_COVERING_PIVOTS as u32;
    let expected: BTreeSet<_> = (0..cover)
        .flat_map(|pivot| (pivot + 1..100).map(move |row| (pivot, row)))
        .collect();
    assert_eq!(pairs.keys().copied().collect::<BTreeSet<_>>(), expected);
    assert_eq!(
        (
            stats.oversized_buckets,
            stats.rows_in_oversized_buckets,
            stats.rows_without_pivot
        ),
        (1, 100, 0)
    );
}

#[test]
fn variants_of_a_template_stay_linear() {
    // 100,000 rows with 30 tokens in common and 2 of their own.
    let n = 100_000u64;
    let common = 1_000_000_000..1_000_000_030;
    let rows = Rows {
        keys: (0..n)
            .map(|row| {
                [2 * row, 2 * row + 1]
                    .into_iter()
                    .chain(common.clone().take(5))
                    .collect()
            })
            .collect(),
        sets: (0..n)
            .map(|row| {
                [2 * row, 2 * row + 1]
                    .into_iter()
                    .chain(common.clone())
                    .collect()
            })
            .collect(),
        ..Rows::default()
    };
    let mut first = None;
    for parts in [1, 3] {
        let spec = Spec {
            max_bucket_pairwise: Some(1000),
            parts,
            ..exact(0.8)
        };
        let (pairs, stats) = rows.join(spec);
        assert_eq!(
            (stats.oversized_buckets, stats.rows_in_oversized_buckets),
            (5, 5 * n)
        );
        assert_eq!(stats.rows_without_pivot, 0);
        assert!(stats.verified <= parts * n * MAX_PIVOTS as u64);
        assert!(pairs.len() as u64 <= n * MAX_PIVOTS as u64);
        let mut forest = Forest::new(n as u32);
        for &(a, b) in pairs.keys() {
            forest.union(a, b);
        }
        assert!(
            (0..n as u32).all(|row| forest.find(row) == 0),
            "one cluster"
        );
        assert_eq!(*first.get_or_insert(pairs.clone()), pairs);
    }
}

#[test]
fn variants_that_share_values_stay_linear() {
    // 6,000 rows with 30 tokens in common and 4 of 100 values: each row shares small keys with hundreds. Rows
    // that share a bucket within the limit are paired there, whether or not they are linked to pivots.
    let n = 6_000u64;
    let common = 1_000_000_000..1_000_000_030;
    let mut random = Random::new(3);
    let values: Vec<Vec<u64>> = (0..n)
        .map(|_| {
            (0..4)
                .map(|position| 100 * position + u64::from(random.below(100)))
                .collect()
        })
        .collect();
    let with = |common: std::ops::Range<u64>| -> Vec<Vec<u64>> {
        values
            .iter()
            .map(|row| row.iter().copied().chain(common.clone()).collect())
            .collect()
    };
    let rows = Rows {
        keys: with(common.start..common.start + 5),
        sets: with(common),
        ..Rows::default()
    };
    let spec = Spec {
        max_bucket_pairwise: Some(100),
        ..exact(0.75)
    };
    let (pairs, stats) = rows.join(spec);
    assert_eq!(stats.oversized_buckets, 5);
    let max_pairs = n * (MAX_PIVOTS as u64 + 4 * 100 / 2);
    assert!(pairs.len() as u64 <= max_pairs, "{}", pairs.len());
    let mut forest = Forest::new(n as u32);
    for &(a, b) in pairs.keys() {
        forest.union(a, b);
    }
    assert!(
        (0..n as u32).all(|row| forest.find(row) == 0),
        "one cluster"
    );
}

#[test]
fn two_sides_link_to_pivots_of_the_other_side() {
    let n = 2000;
    let rows = Rows {
        keys: vec![vec![5]; n],
        sets: vec![vec![1, 2, 3]; n],
        side: Some((0..n).map(|row| (row % 2) as u8).collect()),
        ..Rows::default()
    };
    let spec = Spec {
        prefixes: false,
        max_bucket_pairwise: Some(10),
        ..exact(0.9)
    };
    let (pairs, stats) = rows.join(spec);
    assert!(pairs.keys().all(|(a, b)| a % 2 == 0 && b % 2 == 1));
    for row in [n as u32 - 1, n as u32 - 2] {
        let pairs = pairs.keys().filter(|(a, b)| *a == row || *b == row);
        assert!((1..=MAX_PIVOTS).contains(&pairs.count()));
    }
    assert!(pairs.len() <= n * MAX_PIVOTS);
    assert_eq!(stats.rows_without_pivot, 0);
    assert_eq!(stats.pairs_not_compared as usize, n * n / 4 - pairs.len());
}
