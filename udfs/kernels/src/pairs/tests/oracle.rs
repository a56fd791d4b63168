//! Joins give the same pairs and similarities as brute force, for every way to verify.

use super::super::{Spec, Verify};
use super::rows::{Rows, exact};
use crate::test_random::Random;

#[test]
fn prefix_join_is_brute_force() {
    let mut found = 0;
    for seed in 0..12 {
        let sets = Rows::random_sets(seed, 150, 4 + 4 * seed as u32);
        let all: Vec<Vec<Option<f64>>> = (0..150)
            .map(|b| (0..b).map(|a| sets.jaccard(a, b, 0.0)).collect())
            .collect();
        for q in [1, 2, 3, 4, 5, 7, 9, 10, 11, 20] {
            for p in 1..=q {
                let threshold = f64::from(p) / f64::from(q);
                let rows = sets.clone().with_prefixes(threshold);
                let (pairs, stats) = rows.join(exact(threshold));
                assert_eq!(
                    pairs,
                    rows.brute_force(|a, b| all[b][a].filter(|s| *s >= threshold))
                );
                assert!(stats.verified <= stats.candidates);
                found += pairs.len();
            }
        }
    }
    assert!(found > 10_000, "{found}");
}

#[test]
fn two_sides_and_groups_are_brute_force() {
    for seed in 0..20 {
        let sets = Rows::random_sets(seed, 120, 20);
        for threshold in [0.3, 0.55, 0.8] {
            let plain = sets.clone().with_prefixes(threshold);
            for rows in [
                plain.clone().with_sides(seed),
                plain.clone().with_groups(seed, 3, false),
                plain.clone().with_groups(seed, 3, true),
                plain.clone().with_groups(seed, 3, true).that_agree(),
                plain
                    .clone()
                    .with_sides(seed)
                    .with_groups(seed, 2, false)
                    .that_agree(),
                plain.clone().with_sides(seed).with_groups(seed, 5, true),
            ] {
                for parts in [1, 3] {
                    let (pairs, _) = rows.join(Spec {
                        parts,
                        ..exact(threshold)
                    });
                    let expected = rows.brute_force(|a, b| rows.jaccard(a, b, threshold));
                    assert_eq!(pairs, expected);
                }
            }
        }
    }
}

#[test]
fn shares_of_the_first_side_are_brute_force() {
    let mut found = 0;
    for seed in 0..20 {
        let sets = Rows::random_sets(seed, 120, 20);
        for threshold in [0.1, 0.3, 0.55, 0.8, 1.0] {
            let rows = sets.clone().with_prefixes(threshold).with_sides(seed);
            let rows = rows.with_all_tokens_of_side_1();
            for rows in [
                rows.clone(),
                rows.clone().with_groups(seed, 3, true),
                rows.with_groups(seed, 3, true).that_agree(),
            ] {
                for parts in [1, 3] {
                    let spec = Spec {
                        verify: Verify::Containment,
                        prefixes: false,
                        parts,
                        ..exact(threshold)
                    };
                    let (pairs, _) = rows.join(spec);
                    let expected = rows.brute_force(|a, b| rows.contained(a, b, threshold));
                    assert_eq!(pairs, expected, "{seed} {threshold}");
                    found += pairs.len();
                }
            }
        }
    }
    assert!(found > 10_000, "{found}");
}

#[test]
fn band_keys_with_exact_verification() {
    for seed in 0..10 {
        let rows = Rows::random_sets(seed, 150, 20).with_bands(8, 2);
        for parts in [1, 4] {
            let spec = Spec {
                prefixes: false,
                parts,
                ..exact(0.6)
            };
            let (pairs, _) = rows.join(spec);
            let expected =
                rows.brute_force(|a, b| rows.jaccard(a, b, 0.6).filter(|_| rows.shares_key(a, b)));
            assert_eq!(pairs, expected);
        }
    }
}

#[test]
fn estimates_are_the_share_of_equal_positions() {
    let width = 16;
    for seed in 0..10 {
        let rows = Rows::random_sets(seed, 150, 20).with_bands(8, 2);
        for threshold in [0.1, 0.5, 0.56, 0.8, 1.0] {
            let spec = Spec {
                prefixes: false,
                verify: Verify::Estimate,
                ..exact(threshold)
            };
            let (pairs, _) = rows.join(spec);
            let expected = rows.brute_force(|a, b| {
                let (a, b) = (a * width, b * width);
                let equal = (0..width).filter(|i| rows.signatures[a + i] == rows.signatures[b + i]);
                let estimate = equal.count() as f64 / width as f64;
                (estimate >= threshold && rows.shares_key(a / width, b / width)).then_some(estimate)
            });
            assert_eq!(pairs, expected);
        }
    }
}

#[test]
fn without_verification_every_candidate_is_a_pair() {
    for seed in 0..10 {
        let rows = Rows::random_sets(seed, 100, 12)
            .with_bands(4, 2)
            .with_groups(seed, 9, false);
        for parts in [1, 2, 7] {
            let spec = Spec {
                prefixes: false,
                verify: Verify::None,
                parts,
                threshold: f64::NAN,
                ..exact(1.0)
            };
            let (pairs, stats) = rows.join(spec);
            let expected = rows.brute_force(|a, b| rows.shares_key(a, b).then_some(f64::NAN));
            assert_eq!(pairs, expected);
            assert_eq!(stats.verified, 0);
        }
    }
}

/// The edit distance by the full dynamic-programming table.
fn naive_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let substituted = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                substituted
                    .min(table[i - 1][j] + 1)
                    .min(table[i][j - 1] + 1)
            };
        }
    }
    table[a.len()][b.len()]
}

#[test]
fn edit_verification_counts_characters() {
    let mut random = Random::new(3);
    let mut rows = Rows::default();
    for i in 0..120u64 {
        let base = [
            "größe und länge",
            "a",
            "the quick brown fox",
            "日本語のテキスト",
            "",
        ][i as usize % 5];
        let mut text: Vec<char> = base.chars().collect();
        for _ in 0..random.below(5) {
            let at = random.below(1 + text.len() as u32) as usize;
            match random.below(2) {
                0 => text.insert(at, 'é'),
                _ => drop((at < text.len()).then(|| text.remove(at))),
            }
        }
        rows.keys.push(if text.is_empty() {
            vec![]
        } else {
            vec![i % 5, 77 + i % 3]
        });
        rows.texts.push(text.into_iter().collect());
    }
    rows.sets = vec![vec![]; rows.keys.len()];
    for threshold in [0.2, 0.5, 0.7, 0.75, 0.9, 1.0] {
        for parts in [1, 3] {
            let spec = Spec {
                prefixes: false,
                verify: Verify::Edit,
                parts,
                ..exact(threshold)
            };
            let (pairs, stats) = rows.join(spec);
            let expected = rows.brute_force(|a, b| {
                let (x, y) = (&rows.texts[a], &rows.texts[b]);
                let longest = x.chars().count().max(y.chars().count());
                let similarity = (longest - naive_distance(x, y)) as f64 / longest as f64;
                (similarity >= threshold && rows.shares_key(a, b)).then_some(similarity)
            });
            assert_eq!(pairs, expected);
            assert!(parts > 1 || stats.verified < stats.candidates || threshold < 0.5);
        }
    }
}
