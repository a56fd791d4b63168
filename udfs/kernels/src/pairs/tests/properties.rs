//! The result does not depend on the number of parts, the order of rows or the size of batches.

use std::collections::BTreeMap;

use super::super::{Spec, Verify};
use super::rows::{Rows, exact};
use crate::test_random::Random;

const PARTS: [u64; 6] = [1, 2, 3, 7, 64, 1000];

#[test]
fn the_number_of_parts_does_not_matter() {
    for seed in 0..10 {
        for threshold in [0.2, 0.5, 0.6, 0.8, 0.9] {
            let rows = Rows::random_sets(seed, 200, 24).with_prefixes(threshold);
            let (expected, once) = rows.join(exact(threshold));
            for parts in PARTS {
                let (pairs, stats) = rows.join(Spec {
                    parts,
                    ..exact(threshold)
                });
                assert_eq!(pairs, expected);
                assert!(
                    stats.verified <= once.candidates,
                    "a pair is verified by one part at most"
                );
            }
        }
    }
}

#[test]
fn a_part_needs_only_the_rows_that_hold_its_keys() {
    let rows = Rows::random_sets(5, 200, 24).with_prefixes(0.5);
    let (expected, _) = rows.join(exact(0.5));
    let parts = 5;
    let mut found = BTreeMap::new();
    for part in 0..parts {
        let holds: Vec<usize> = (0..rows.keys.len())
            .filter(|&row| rows.keys[row].iter().any(|key| key % parts == part))
            .collect();
        let few = Rows {
            keys: holds.iter().map(|&row| rows.keys[row].clone()).collect(),
            sets: holds.iter().map(|&row| rows.sets[row].clone()).collect(),
            ..Rows::default()
        };
        for ((a, b), similarity) in few
            .join_part(
                Spec {
                    part,
                    parts,
                    ..exact(0.5)
                },
                77,
            )
            .0
        {
            let pair = (holds[a as usize] as u32, holds[b as usize] as u32);
            assert!(found.insert(pair, similarity).is_none());
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let rows = Rows::random_sets(9, 200, 24).with_prefixes(0.5);
    let (pairs, _) = rows.join(exact(0.5));
    let mut order: Vec<usize> = (0..rows.sets.len()).collect();
    for seed in 0..5 {
        Random::new(seed).shuffle(&mut order);
        let shuffled = Rows {
            keys: order.iter().map(|&row| rows.keys[row].clone()).collect(),
            sets: order.iter().map(|&row| rows.sets[row].clone()).collect(),
            ..Rows::default()
        };
        let (found, _) = shuffled.join(exact(0.5));
        let renamed: BTreeMap<_, _> = found
            .into_iter()
            .map(|((a, b), similarity)| {
                (
                    rows.oriented(order[a as usize], order[b as usize]),
                    similarity,
                )
            })
            .collect();
        assert_eq!(renamed, pairs);
    }
}

#[test]
fn the_size_of_batches_does_not_matter() {
    let rows = Rows::random_sets(11, 1500, 6).with_prefixes(0.3);
    for limit in [None, Some(4)] {
        let spec = Spec {
            max_bucket_pairwise: limit,
            ..exact(0.3)
        };
        let (expected, stats) = rows.join_part(spec, usize::MAX);
        assert!(expected.len() > 500);
        for max_pairs in [1, 2, 3, 10, 499, 500, 100_000] {
            assert_eq!(rows.join_part(spec, max_pairs), (expected.clone(), stats));
        }
    }
}

#[test]
fn pairs_come_by_ascending_probe_row() {
    let rows = Rows::random_sets(12, 200, 12).with_prefixes(0.5);
    let (pairs, _) = rows.join_part(exact(0.5), 10);
    assert!(pairs.iter().all(|((a, b), _)| a < b));
    assert!(pairs.is_sorted_by_key(|((_, b), _)| *b));
}

#[test]
fn empty_inputs() {
    assert_eq!(Rows::default().join_part(exact(0.5), 10).0, []);
    let rows = Rows {
        sets: vec![vec![]; 3],
        ..Rows::default()
    }
    .with_prefixes(0.5);
    assert_eq!(rows.join_part(exact(0.5), 10).0, []);
    for verify in [Verify::None, Verify::Exact] {
        let rows = Rows {
            keys: vec![vec![], vec![1], vec![]],
            sets: vec![vec![1]; 3],
            ..Rows::default()
        };
        let spec = Spec {
            verify,
            prefixes: false,
            ..exact(0.5)
        };
        assert_eq!(rows.join_part(spec, 10).0, []);
    }
}

#[test]
fn equal_sets_and_repeated_keys() {
    let rows = Rows {
        keys: vec![vec![1, 1, 2, 1], vec![1, 2, 2], vec![2, 2, 2]],
        sets: vec![vec![1, 2]; 3],
        ..Rows::default()
    };
    let one = 1.0f64.to_bits();
    for max_bucket_pairwise in [None, Some(1), Some(2)] {
        let spec = Spec {
            prefixes: false,
            max_bucket_pairwise,
            ..exact(1.0)
        };
        let (pairs, _) = rows.join_part(spec, 10);
        let expected = [((0, 1), one), ((0, 2), one), ((1, 2), one)];
        assert!(
            pairs.iter().all(|pair| expected.contains(pair)),
            "{pairs:?}"
        );
        assert!(pairs.len() >= 2);
    }
}
