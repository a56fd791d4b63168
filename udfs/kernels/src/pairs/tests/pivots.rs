//! Rows in runs of any lengths are linked to the pivots that the definition gives.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::blocks::{BlockSpec, ComparedRows, PivotLists, PivotProber};
use super::super::{
    KeyPart, MAX_PIVOTS, MIN_COVERING_PIVOTS, OversizedKeys, PivotJoin, SetRow, Stats,
};
use super::blocks::oversized;
use super::rows::{Pairs, Rows};
use crate::test_random::Random;

/// The pairs of pivots and rows, the rows that are pivots, and the join.
pub(super) type Linked = (Pairs, Vec<usize>, PivotJoin);

/// Compares runs of `length` rows with pivots, `at_a_time` of them before the first is added.
pub(super) fn link(
    rows: &Rows,
    members: &[usize],
    spec: BlockSpec,
    oversized: &Arc<OversizedKeys>,
    (length, at_a_time): (usize, usize),
) -> Linked {
    let tokens = rows.sets.iter().map(Vec::len).sum();
    let mut join = PivotJoin::new(spec, Arc::clone(oversized), (rows.sets.len(), tokens));
    let (mut pairs, mut pivots, mut found) = (Pairs::new(), Vec::new(), Vec::new());
    let mut probers = [0, 1].map(|_| PivotProber::new(spec.threshold));
    for runs in members.chunks(length * at_a_time) {
        let lists = join.lists();
        let compared = runs.chunks(length).enumerate().map(|(number, run)| {
            let mut compared = ComparedRows::default();
            for &row in run {
                probers[number % 2].compare(&lists, rows.set_row(row), &mut compared);
            }
            assert_eq!(compared.len(), run.len());
            (run, compared)
        });
        let compared: Vec<_> = compared.collect();
        drop(lists);
        for (run, mut compared) in compared {
            let may_take = join.may_take(&compared);
            for (number, &row) in run.iter().enumerate() {
                let mut set_row = rows.set_row(row);
                if !join.needs_set(&compared, number) {
                    set_row.set = &[];
                }
                found.clear();
                if join.push(&mut compared, number, set_row, &mut found) {
                    assert!(may_take);
                    pivots.push(row);
                }
                for found in &found {
                    let pair = rows.oriented(pivots[found.row as usize], row);
                    let before = pairs.insert(pair, found.similarity.to_bits());
                    assert!(before.is_none(), "{pair:?} twice");
                }
            }
        }
    }
    (pairs, pivots, join)
}

/// What the definition gives.
#[derive(Debug, Default)]
struct Expected {
    pairs: Pairs,
    /// The rows that are pivots.
    pivots: Vec<usize>,
    /// The pivots of each oversized bucket and side.
    lists: BTreeMap<(u64, u8), Vec<usize>>,
    stats: Stats,
}

/// Compares the rows in order with all pivots before them.
fn expected(rows: &Rows, members: &[usize], spec: BlockSpec, limit: usize) -> Expected {
    let mut sizes: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
    for row in members.iter().map(|&row| rows.set_row(row)) {
        for &key in row.keys.iter().filter(|&&key| spec.owns(key)) {
            sizes.entry(key).or_default()[usize::from(row.side)] += 1;
        }
    }
    sizes.retain(|_, [a, b]| *a + *b > limit as u64 && (!spec.two_sides || *a > 0 && *b > 0));
    let mut expected = Expected::default();
    for [a, b] in sizes.values() {
        expected.stats.oversized_buckets += 1;
        expected.stats.rows_in_oversized_buckets += a + b;
        expected.stats.pairs_not_compared += match spec.two_sides {
            true => a * b,
            false => a * (a - 1) / 2,
        };
    }
    for &row in members {
        let SetRow { keys, side, .. } = rows.set_row(row);
        let mut compared = BTreeSet::new();
        let mut is_pivot = false;
        for &key in keys.iter().filter(|key| sizes.contains_key(key)) {
            let other = if spec.two_sides { 1 - side } else { side };
            let pivots = expected.lists.entry((key, other)).or_default();
            let is_similar = |&pivot: &usize| rows.jaccard(pivot, row, spec.threshold).is_some();
            let links = pivots.iter().filter(|pivot| is_similar(pivot)).count();
            compared.extend(pivots.iter().copied());
            expected.stats.pairs_not_compared -= pivots.len() as u64;
            let list = expected.lists.entry((key, side)).or_default();
            let max_pivots = if links == 0 {
                MAX_PIVOTS
            } else {
                MAX_PIVOTS / 2
            };
            if links < MIN_COVERING_PIVOTS && list.len() < max_pivots {
                list.push(row);
                is_pivot = true;
            } else if links == 0 {
                expected.stats.rows_without_pivot += 1;
            }
        }
        if is_pivot {
            expected.pivots.push(row);
        }
        expected.stats.candidates += compared.len() as u64;
        for pivot in compared {
            let shares_another = keys.iter().any(|key| {
                spec.owns(*key) && !sizes.contains_key(key) && rows.keys[pivot].contains(key)
            });
            if let Some(similarity) = rows.jaccard(pivot, row, spec.threshold)
                && !shares_another
            {
                let pair = rows.oriented(pivot, row);
                expected.pairs.insert(pair, similarity.to_bits());
            }
        }
    }
    expected.stats.pairs = expected.pairs.len() as u64;
    expected
}

#[test]
fn runs_of_any_length_give_the_pairs_and_pivots_of_the_definition() {
    let (mut pairs, mut rows_without_pivot, mut ruled_out) = (0, 0, 0);
    for seed in 0..6 {
        let threshold = [0.3, 0.6, 0.9][seed as usize % 3];
        let sets = Rows::random_sets(seed, 300, 24).with_prefixes(threshold);
        // With few keys that do not depend on similarity, lists reach their maximum lengths.
        let mut coarse = sets.clone();
        for (row, keys) in coarse.keys.iter_mut().enumerate() {
            keys.truncate(3);
            keys.push(row as u64 % 3);
            keys.push(10 + row as u64 % 2);
        }
        for rows in [
            sets.clone(),
            sets.with_sides(seed),
            coarse.clone(),
            coarse.with_sides(seed),
        ] {
            // Of several joins, those that own marked keys compare rows at these.
            let mut marked = rows.clone();
            for key in marked.keys.iter_mut().flatten() {
                *key |= 1 << 63;
            }
            let part = |part| KeyPart { part, parts: 2 };
            for (rows, part) in [
                (&rows, None),
                (&marked, Some(part(0))),
                (&marked, Some(part(1))),
            ] {
                let spec = BlockSpec {
                    threshold,
                    prefixes: false,
                    two_sides: rows.side.is_some(),
                    part,
                };
                let members = 0..rows.keys.len();
                let members =
                    members.filter(|&row| rows.keys[row].iter().any(|&key| spec.owns(key)));
                let members: Vec<usize> = members.collect();
                for limit in [1, 5, 40] {
                    let case = format!("seed {seed} {spec:?} limit {limit}");
                    let keys = Arc::new(oversized(rows, spec, Some(limit)));
                    let expected = expected(rows, &members, spec, limit);
                    let mut verified = None;
                    for runs in [(1, 1), (7, 1), (1000, 1), (1, 5), (7, 3), (50, 2)] {
                        let (found, pivots, join) = link(rows, &members, spec, &keys, runs);
                        assert_eq!(found, expected.pairs, "{case} {runs:?}");
                        assert_eq!(pivots, expected.pivots, "{case} {runs:?}");
                        for (&(key, side), list) in &expected.lists {
                            let found = join.lists().of(key, side).into_iter();
                            let found: Vec<_> = found.map(|pivot| pivots[pivot as usize]).collect();
                            assert_eq!(found, *list, "{case} {runs:?} key {key} side {side}");
                        }
                        let mut stats = *join.stats();
                        assert!(
                            stats.pairs <= stats.verified && stats.verified <= stats.candidates
                        );
                        let of_first = *verified.get_or_insert(stats.verified);
                        assert_eq!(stats.verified, of_first, "{case} {runs:?}");
                        ruled_out += stats.candidates - stats.verified;
                        stats.verified = 0;
                        assert_eq!(stats, expected.stats, "{case} {runs:?}");
                    }
                    pairs += expected.pairs.len();
                    rows_without_pivot += expected.stats.rows_without_pivot;
                }
            }
        }
    }
    assert!(
        pairs > 10_000 && rows_without_pivot > 1_000 && ruled_out > 1_000,
        "{pairs} {rows_without_pivot} {ruled_out}"
    );
}

#[test]
fn sketches_rule_out_variants_of_a_template_that_differ() {
    let mut random = Random::new(5);
    let template: Vec<u64> = (0..300).map(|_| random.next()).collect();
    let variant = |random: &mut Random, replaced: usize| {
        let mut set = template.clone();
        random.shuffle(&mut set);
        set[..replaced].fill_with(|| random.next());
        set.sort_unstable();
        set
    };
    // Every hundredth row is similar to all others, which are not similar to each other.
    let sets = (0..2_000).map(|row| variant(&mut random, if row % 100 == 0 { 0 } else { 60 }));
    let rows = Rows {
        sets: sets.collect(),
        keys: vec![vec![7, 8]; 2_000],
        ..Rows::default()
    };
    let spec = BlockSpec {
        threshold: 0.66,
        prefixes: false,
        two_sides: false,
        part: None,
    };
    let members: Vec<usize> = (0..2_000).collect();
    let keys = Arc::new(oversized(&rows, spec, Some(100)));
    let (pairs, pivots, join) = link(&rows, &members, spec, &keys, (64, 4));
    let stats = join.stats();
    assert!(stats.candidates > 30 * 2_000, "{stats:?}");
    assert!(stats.verified < stats.candidates / 10, "{stats:?}");
    assert!(pairs.len() >= 1_999 && stats.pairs == pairs.len() as u64);
    assert!((1..2_000).all(|row| pivots.contains(&row) || pairs.contains_key(&(0, row as u32))));
}

#[test]
fn only_rows_that_may_become_pivots_or_have_newer_pivots_need_their_sets() {
    let rows = Rows {
        sets: vec![(0..20).collect(); 300],
        keys: vec![vec![7]; 300],
        ..Rows::default()
    };
    let spec = BlockSpec {
        threshold: 0.8,
        prefixes: false,
        two_sides: false,
        part: None,
    };
    let keys = Arc::new(oversized(&rows, spec, Some(100)));
    let mut join = PivotJoin::new(spec, keys, (300, 6_000));
    let mut prober = PivotProber::new(spec.threshold);
    let mut needed = Vec::new();
    for run in 0..3 {
        let lists: Arc<PivotLists> = join.lists();
        let mut compared = ComparedRows::default();
        for row in 100 * run..100 * (run + 1) {
            prober.compare(&lists, rows.set_row(row), &mut compared);
        }
        assert!(compared.memory() > 0 && !compared.is_empty());
        drop(lists);
        let before = join.lists().len();
        assert_eq!(join.may_take(&compared), run == 0);
        let mut count = 0;
        for number in 0..100 {
            let row = rows.set_row(100 * run + number);
            count += usize::from(join.needs_set(&compared, number));
            join.push(&mut compared, number, row, &mut Vec::new());
        }
        needed.push(count);
        assert!(!join.lists().is_empty());
        assert_eq!(before == 0, run == 0);
    }
    assert_eq!(needed, [100, 0, 0]);
    assert_eq!(join.lists().len(), MIN_COVERING_PIVOTS);
    assert!(join.memory() > MIN_COVERING_PIVOTS * 20 * size_of::<u64>());
}
