//! Buckets above the limit: linked to leaders, in linear time.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{LEADERS, Spec, Verify};
use super::rows::{Pairs, Rows, exact};
use crate::forest::Forest;
use crate::test_random::Random;

/// The rule, word for word, for the keys of one part: a row links to the leaders of its giants, then
/// meets the rows of its other keys that no leader connects it to.
fn naive_linked(
    rows: &Rows,
    spec: Spec,
    similarity: impl Fn(usize, usize) -> Option<f64>,
) -> (Pairs, u64, u64) {
    let limit = spec.bucket_limit.expect("linked mode");
    let mut buckets: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (row, keys) in rows.keys.iter().enumerate() {
        for &key in keys.iter().filter(|&key| key % spec.parts == spec.part) {
            buckets.entry(key).or_default().push(row);
        }
    }
    let (giants, others): (Vec<_>, Vec<_>) =
        buckets.values().partition(|members| members.len() > limit);
    let mut leaders = vec![Vec::new(); giants.len()];
    let mut connected = Forest::new(rows.keys.len() as u32);
    let mut pairs = Pairs::new();
    let mut unlinked = 0;
    for row in 0..rows.keys.len() {
        let similar = |other: usize| match rows.may_pair(other, row) {
            true => similarity(other, row),
            false => None,
        };
        for (members, leaders) in giants.iter().zip(&mut leaders) {
            if !members.contains(&row) {
                continue;
            }
            let mut linked = false;
            for &leader in leaders.iter() {
                if let Some(similarity) = similar(leader) {
                    linked = true;
                    connected.union(leader as u32, row as u32);
                    pairs.insert(rows.oriented(leader, row), similarity.to_bits());
                }
            }
            if !linked && leaders.len() < LEADERS {
                leaders.push(row);
            } else if !linked {
                unlinked += 1;
            }
        }
        for members in others.iter().filter(|members| members.contains(&row)) {
            for &other in members.iter().take_while(|&&other| other < row) {
                if connected.find(other as u32) == connected.find(row as u32) {
                    continue;
                }
                if let Some(similarity) = similar(other) {
                    pairs.insert(rows.oriented(other, row), similarity.to_bits());
                }
            }
        }
    }
    (pairs, giants.len() as u64, unlinked)
}

#[test]
fn linked_mode_follows_the_rule_for_any_number_of_parts() {
    let (mut all_giants, mut all_unlinked) = (0, 0);
    for seed in 0..16 {
        let threshold = [0.2, 0.4, 0.6, 0.8][seed as usize % 4];
        let plain = Rows::random_sets(seed, 250, 10).with_prefixes(threshold);
        // Few keys that say nothing about similarity fill the seats of leaders.
        let mut coarse = plain.clone();
        for (row, keys) in coarse.keys.iter_mut().enumerate() {
            keys.truncate(2);
            keys.push(row as u64 % 3);
        }
        let grouped = plain.clone().with_groups(seed, 4, false);
        for (rows, is_coarse) in [(plain, false), (grouped, false), (coarse, true)] {
            for limit in [1, 3, 10, 1000] {
                let mut components = None;
                for parts in [1, 2, 3, 7, 64] {
                    let prefix_filter = !is_coarse;
                    let spec = Spec {
                        bucket_limit: Some(limit),
                        parts,
                        prefix_filter,
                        ..exact(threshold)
                    };
                    let (mut expected, mut giants, mut unlinked) = (Pairs::new(), 0, 0);
                    for part in 0..parts {
                        let spec = Spec { part, ..spec };
                        let found = naive_linked(&rows, spec, |a, b| rows.jaccard(a, b, threshold));
                        expected.extend(found.0);
                        giants += found.1;
                        unlinked += found.2;
                    }
                    let (pairs, stats) = rows.join(spec);
                    assert_eq!(pairs, expected, "seed {seed} limit {limit} parts {parts}");
                    assert_eq!((stats.giants, stats.unlinked), (giants, unlinked));
                    let mut forest = Forest::new(rows.keys.len() as u32);
                    for &(a, b) in pairs.keys() {
                        forest.union(a, b);
                    }
                    let roots: Vec<u32> = (0..rows.keys.len() as u32)
                        .map(|row| forest.find(row))
                        .collect();
                    assert_eq!(*components.get_or_insert(roots.clone()), roots);
                    all_giants += giants;
                    all_unlinked += unlinked;
                }
            }
        }
    }
    assert!(
        all_giants > 100 && all_unlinked > 100,
        "{all_giants} {all_unlinked}"
    );
}

#[test]
fn without_verification_a_giant_is_a_star() {
    let rows = Rows {
        keys: vec![vec![5]; 100],
        ..Rows::default()
    };
    let spec = Spec {
        verify: Verify::None,
        prefix_filter: false,
        bucket_limit: Some(10),
        ..exact(1.0)
    };
    let (pairs, stats) = rows.join(spec);
    let expected: BTreeSet<_> = (1..100).map(|row| (0, row)).collect();
    assert_eq!(pairs.keys().copied().collect::<BTreeSet<_>>(), expected);
    assert_eq!(
        (stats.giants, stats.rows_in_giants, stats.unlinked),
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
            bucket_limit: Some(1000),
            parts,
            ..exact(0.8)
        };
        let (pairs, stats) = rows.join(spec);
        assert_eq!((stats.giants, stats.rows_in_giants), (5, 5 * n));
        assert_eq!(stats.unlinked, 0);
        assert!(stats.verified <= parts * n * LEADERS as u64);
        assert!(pairs.len() as u64 <= n * LEADERS as u64);
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
    // 20,000 rows with 30 tokens in common and 4 of 100 values: each row shares small keys with hundreds.
    let n = 20_000u64;
    let common = 1_000_000_000..1_000_000_030;
    let mut random = Random::new(3);
    let values: Vec<Vec<u64>> = (0..n)
        .map(|_| {
            (0..4)
                .map(|place| 100 * place + u64::from(random.below(100)))
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
        bucket_limit: Some(1000),
        ..exact(0.75)
    };
    let (pairs, stats) = rows.join(spec);
    assert_eq!(stats.giants, 5);
    assert!(pairs.len() as u64 <= n * LEADERS as u64, "{}", pairs.len());
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
fn two_sides_link_to_leaders_of_the_other_side() {
    let n = 2000;
    let rows = Rows {
        keys: vec![vec![5]; n],
        sets: vec![vec![1, 2, 3]; n],
        side: Some((0..n).map(|row| (row % 2) as u8).collect()),
        ..Rows::default()
    };
    let spec = Spec {
        prefix_filter: false,
        bucket_limit: Some(10),
        ..exact(0.9)
    };
    let (pairs, stats) = rows.join(spec);
    assert!(pairs.keys().all(|(a, b)| a % 2 == 0 && b % 2 == 1));
    // Row 0 leads side 0; rows of side 1 link to it. Other rows of side 0 find no leader opposite
    // and take the seats.
    let others = LEADERS - 1;
    assert_eq!(
        pairs.len(),
        (n / 2) + others * (n / 2) - (1..=others).sum::<usize>()
    );
    assert_eq!(stats.unlinked as usize, n / 2 - LEADERS);
}
