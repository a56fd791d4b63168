//! The join by blocks gives the pairs and the counts of [`PairJoin`], however the rows are divided.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::blocks::BlockSpec;
use super::super::{
    Block, KeyFilter, KeyPart, OversizedKeyCounter, OversizedKeys, PairError, Prober, Role, SetRow,
    SetRows, Spec, Stats,
};
use super::pivots::link;
use super::rows::{Pairs, Rows, exact};
use crate::test_random::Random;
use crate::{
    KeyOccurrences, LengthCounts, LengthParts, RepeatedKeyFilter, RepeatedKeys, is_marked,
};

impl Rows {
    pub(super) fn set_row(&self, row: usize) -> SetRow<'_> {
        SetRow {
            keys: &self.keys[row],
            set: &self.sets[row],
            side: self.side.as_ref().map_or(0, |sides| sides[row]),
            role: Role::Home,
        }
    }
}

/// Inserts a pair, which must be new.
fn insert(pairs: &mut Pairs, pair: (u32, u32), similarity: f64) {
    let before = pairs.insert(pair, similarity.to_bits());
    assert!(before.is_none(), "{pair:?} twice");
}

pub(super) fn oversized(rows: &Rows, spec: BlockSpec, limit: Option<usize>) -> OversizedKeys {
    let Some(limit) = limit else {
        return OversizedKeys::default();
    };
    let owned = |row: usize| {
        let keys = rows.keys[row].iter().copied();
        keys.filter(|&key| spec.owns(key))
    };
    let all = || 0..rows.keys.len();
    let keys = all().flat_map(owned).count();
    let mut counter = OversizedKeyCounter::new(keys, limit, rows.side.is_some());
    all().flat_map(owned).for_each(|key| counter.add(key));
    let is_any = counter.any();
    for row in all() {
        let side = rows.set_row(row).side;
        owned(row).for_each(|key| counter.count(key, side));
    }
    let found = counter.finish();
    assert!(is_any || found.is_empty());
    found
}

/// Joins the rows in blocks that `random` chooses, in the order of their lengths but for a few.
fn join(rows: &Rows, spec: Spec, filter: bool, random: &mut Random) -> (Pairs, Stats) {
    let roles = vec![Some(Role::Home); rows.keys.len()];
    join_part(rows, spec, filter, (None, &roles), random)
}

/// Joins the rows that have a role in a part.
fn join_part(
    rows: &Rows,
    spec: Spec,
    filter: bool,
    (part, roles): (Option<KeyPart>, &[Option<Role>]),
    random: &mut Random,
) -> (Pairs, Stats) {
    let block_spec = BlockSpec {
        threshold: spec.threshold,
        prefixes: spec.prefixes,
        two_sides: rows.side.is_some(),
        part,
    };
    let oversized = Arc::new(oversized(rows, block_spec, spec.max_bucket_pairwise));
    let members: Vec<usize> = (0..rows.keys.len())
        .filter(|&row| roles[row].is_some())
        .collect();
    let set_row = |row: usize| SetRow {
        role: roles[row].expect("a role"),
        ..rows.set_row(row)
    };
    let keys: usize = rows.keys.iter().map(Vec::len).sum();
    let mut filters = [0, 1].map(|stage| KeyFilter::new(keys, 1 << 20, stage));
    for stage in 0..2 {
        let owned = members.iter().flat_map(|&row| &rows.keys[row]);
        for &key in owned.filter(|&&key| block_spec.owns(key)) {
            if (0..stage).all(|earlier| filters[earlier].is_shared(key)) {
                filters[stage].add(key);
            }
        }
    }
    let is_kept = |key: &u64| {
        !filter
            || !block_spec.owns(*key)
            || filters
                .iter()
                .all(|filter: &KeyFilter| filter.is_shared(*key))
    };

    let runs = (1 + random.below(40) as usize, 1 + random.below(4) as usize);
    let (mut pairs, _, pivots) = link(rows, &members, block_spec, &oversized, runs);
    let mut stats = *pivots.stats();

    let mut order = members;
    order.sort_by_cached_key(|&row| rows.sets[row].len() + random.below(3) as usize);
    let is_home = |row: &usize| roles[*row] == Some(Role::Home);
    order.sort_by_key(|row| !is_home(row));
    let homes = order.partition_point(is_home);
    let (mut prober, mut found) = (Prober::new(spec.threshold), Vec::new());
    let mut rest = order.as_slice();
    while !rest.is_empty() {
        // A block has rows of one kind.
        let most = match rest.len().checked_sub(order.len() - homes) {
            None | Some(0) => rest.len(),
            Some(homes) => homes,
        };
        let (block_rows, later) = rest.split_at(1 + random.below(most as u32) as usize);
        rest = later;
        let portions = block_rows.chunks(1 + random.below(40) as usize);
        let portions = portions.map(|portion| {
            let mut rows_of = SetRows::with_capacity(0, 0, 0);
            for row in portion.iter().map(|&row| set_row(row)) {
                rows_of.push(row, row.keys.iter().copied().filter(is_kept));
            }
            rows_of
        });
        let block = Block::new(portions.collect(), block_spec, &oversized).expect("a block");
        assert_eq!(block.len(), block_rows.len());
        prober.begin(&block);
        for (number, &row) in block_rows.iter().enumerate() {
            found.clear();
            prober.probe_own(&block, number as u32, &mut found);
            for found in &found {
                assert!((found.row as usize) < number);
                let pair = rows.oriented(block_rows[found.row as usize], row);
                insert(&mut pairs, pair, found.similarity);
            }
        }
        for &row in later {
            found.clear();
            let set_row = set_row(row);
            let may_pair = prober.may_pair(&block, set_row, set_row.set.len());
            prober.probe_other(&block, set_row, &mut found);
            assert!(may_pair || found.is_empty(), "{row} is similar to a row");
            for found in &found {
                let pair = rows.oriented(block_rows[found.row as usize], row);
                insert(&mut pairs, pair, found.similarity);
            }
        }
    }
    stats.add(prober.stats());
    (pairs, stats)
}

/// Joins all parts. Each pair whose rows share no marked key belongs to one part.
fn join_parts(
    rows: &Rows,
    spec: Spec,
    parts: u32,
    filter: bool,
    random: &mut Random,
) -> (Pairs, Stats) {
    let mut ranges: BTreeMap<u64, KeyOccurrences> = BTreeMap::new();
    for &key in rows.keys.iter().flatten() {
        let counts = ranges.entry(key >> 58).or_default();
        counts.add(key).expect("one range");
    }
    // Some keys are marked whose buckets are not oversized.
    let most = spec
        .max_bucket_pairwise
        .map(|limit| limit.div_ceil(1 + random.below(2) as usize));
    let most = most.map_or(u32::MAX, |most| most as u32);
    let mut repeated = RepeatedKeyFilter::default();
    for counts in ranges.values_mut() {
        repeated.add(&counts.finish(most)).expect("keys");
    }
    let repeated = repeated.finish();
    let repeated = RepeatedKeys::new(&repeated).expect("a filter");
    let mut rows = rows.clone();
    for keys in &mut rows.keys {
        *keys = keys.iter().filter_map(|&key| repeated.get(key)).collect();
    }
    let mut lengths = LengthCounts::default();
    let all = rows.sets.iter().map(|set| set.len() as u64);
    all.clone().for_each(|length| lengths.add(length));
    let ranges = lengths.finish(parts);
    let ranges = LengthParts::new(&ranges).expect("ranges");
    let parts_of: Vec<Vec<u32>> = all
        .zip(&rows.keys)
        .map(|(length, keys)| {
            let mut parts = Vec::new();
            ranges.append(keys, length, spec.threshold, &mut parts);
            parts
        })
        .collect();
    // Rows that share a marked key may be compared as rows of an oversized bucket, too.
    let shares_marked = |(a, b): (u32, u32)| {
        let mut marked = rows.keys[a as usize].iter().filter(|&&key| is_marked(key));
        marked.any(|key| rows.keys[b as usize].contains(key))
    };
    let (mut all, mut stats) = (Pairs::new(), Stats::default());
    for part in 0..parts {
        let roles = parts_of.iter().map(|of_row| {
            of_row.contains(&part).then(|| match of_row[0].cmp(&part) {
                Ordering::Less => Role::Earlier,
                Ordering::Equal => Role::Home,
                Ordering::Greater => Role::Later,
            })
        });
        let roles: Vec<_> = roles.collect();
        let part = Some(KeyPart { part, parts });
        let (pairs, counts) = join_part(&rows, spec, filter, (part, &roles), random);
        stats.add(&counts);
        for (pair, similarity) in pairs {
            let before = all.insert(pair, similarity);
            assert!(before.is_none_or(|before| before == similarity));
            assert!(before.is_none() || shares_marked(pair), "{pair:?} {part:?}");
        }
    }
    (all, stats)
}

#[test]
fn blocks_give_the_pairs_and_counts_of_one_join() {
    let (mut all, mut oversized, mut rows_without_pivot) = (0, 0, 0);
    for seed in 0..12 {
        let threshold = [0.2, 0.4, 0.6, 0.8, 0.95, 1.0][seed as usize % 6];
        let sets = || Rows::random_sets(seed, 220, 14);
        let prefixes = sets().with_prefixes(threshold);
        // With few keys that do not depend on similarity, buckets reach the maximal number of pivots.
        let mut coarse = prefixes.clone();
        for (row, keys) in coarse.keys.iter_mut().enumerate() {
            keys.truncate(2);
            keys.push(row as u64 % 3);
        }
        let mut bands = sets().with_bands(6, 2);
        for keys in &mut bands.keys {
            // Two bands may have the same key, but keys must be distinct.
            keys.sort_unstable();
            keys.dedup();
        }
        let cases = [
            (prefixes.clone(), true),
            (prefixes.with_sides(seed), true),
            (bands.clone(), false),
            (bands.with_sides(seed), false),
            (coarse.clone(), false),
            (coarse.with_sides(seed), false),
        ];
        for (rows, prefixes) in &cases {
            for max_bucket_pairwise in [None, Some(1), Some(4), Some(12), Some(1000)] {
                let spec = Spec {
                    max_bucket_pairwise,
                    prefixes: *prefixes,
                    ..exact(threshold)
                };
                let (expected, counts) = rows.join(spec);
                let mut random = Random::new(seed);
                for filter in [false, true] {
                    // Without its rarest tokens a prefix is no prefix of the set.
                    if filter && *prefixes {
                        continue;
                    }
                    let (pairs, stats) = join(rows, spec, filter, &mut random);
                    assert_eq!(pairs, expected, "seed {seed} limit {max_bucket_pairwise:?}");
                    let left_out = |stats: Stats| {
                        let oversized = (stats.oversized_buckets, stats.rows_in_oversized_buckets);
                        (
                            oversized,
                            stats.rows_without_pivot,
                            stats.pairs_not_compared,
                            stats.pairs,
                        )
                    };
                    assert_eq!(left_out(stats), left_out(counts));
                }
                let parts = 1 + random.below(5);
                let found = join_parts(rows, spec, parts, !prefixes, &mut random);
                assert_eq!(
                    found.0, expected,
                    "seed {seed} {parts} parts {max_bucket_pairwise:?}"
                );
                let left_out = |stats: Stats| {
                    let oversized = (stats.oversized_buckets, stats.rows_in_oversized_buckets);
                    (
                        oversized,
                        stats.rows_without_pivot,
                        stats.pairs_not_compared,
                    )
                };
                assert_eq!(left_out(found.1), left_out(counts));
                all += expected.len();
                oversized += counts.oversized_buckets;
                rows_without_pivot += counts.rows_without_pivot;
            }
        }
    }
    assert!(all > 10_000 && oversized > 1_000 && rows_without_pivot > 100);
}

#[test]
fn many_rows_with_one_key() {
    let rows = Rows {
        keys: vec![vec![7]; 700],
        sets: (0..700).map(|row| (0..20 + row / 25).collect()).collect(),
        ..Rows::default()
    };
    let spec = Spec {
        prefixes: false,
        ..exact(0.9)
    };
    let (pairs, _) = join(&rows, spec, true, &mut Random::new(1));
    assert_eq!(pairs, rows.brute_force(|a, b| rows.jaccard(a, b, 0.9)));
}

/// Variants of a few sets, each in a bucket with hundreds of others, of which few are similar.
#[test]
fn large_buckets_are_compared_by_tiles_first() {
    let mut all = 0;
    for (seed, threshold) in [0.4, 0.6, 0.8, 0.9].into_iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let bases: Vec<Vec<u64>> = (0..3)
            .map(|_| (0..150).map(|_| random.next()).collect())
            .collect();
        let mut sets = Rows::default();
        for row in 0..600 {
            let mut set = bases[row % 3].clone();
            set.truncate(100 + random.below(50) as usize);
            for _ in 0..random.below(60) {
                let at = random.below(set.len() as u32) as usize;
                set[at] = random.next();
            }
            set.sort_unstable();
            set.dedup();
            sets.sets.push(set);
            sets.keys
                .push(vec![7 + row as u64 % 3, 90 + row as u64 % 2]);
        }
        let prefixes = Rows {
            sets: sets.sets.clone(),
            ..Rows::default()
        };
        let prefixes = prefixes.with_prefixes(threshold);
        for (rows, prefixes) in [
            (prefixes.clone().with_sides(1), true),
            (prefixes, true),
            (sets.clone().with_sides(2), false),
            (sets.clone(), false),
        ] {
            let spec = Spec {
                prefixes,
                ..exact(threshold)
            };
            let (expected, _) = rows.join(spec);
            let (pairs, stats) = join(&rows, spec, !prefixes, &mut random);
            assert_eq!(pairs, expected, "threshold {threshold}");
            let found = join_parts(&rows, spec, 3, !prefixes, &mut random);
            assert_eq!(found.0, expected, "threshold {threshold}");
            if !prefixes && threshold >= 0.8 {
                assert!(stats.verified < stats.candidates / 3, "{stats:?}");
            }
            all += pairs.len();
        }
    }
    assert!(all > 20_000, "{all} pairs");
}

/// Groups of long sets that resemble each other, as templates do, among sets that resemble nothing.
fn long_sets(random: &mut Random) -> Vec<Vec<u64>> {
    let mut sets = Vec::new();
    let long = |random: &mut Random, tokens: u32| -> Vec<u64> {
        (0..tokens).map(|_| random.next()).collect()
    };
    for group in 0..6 {
        let tokens = 500 + random.below(400);
        let base = long(random, tokens);
        for _ in 0..4 + 6 * group {
            let mut set = base.clone();
            for _ in 0..random.below(1 + tokens / 6) {
                let at = random.below(set.len() as u32) as usize;
                match random.below(3) {
                    0 => set[at] = random.next(),
                    1 => set.push(random.next()),
                    _ => drop(set.swap_remove(at)),
                }
            }
            sets.push(set);
        }
    }
    for _ in 0..10 {
        let tokens = random.below(900);
        sets.push(long(random, tokens));
    }
    random.shuffle(&mut sets);
    for set in &mut sets {
        set.sort_unstable();
        set.dedup();
    }
    sets
}

#[test]
fn long_sets_that_resemble_a_reference() {
    let mut all = 0;
    for (seed, threshold) in [0.5, 0.7, 0.8, 0.9, 1.0].into_iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let sets = Rows {
            sets: long_sets(&mut random),
            ..Rows::default()
        };
        let prefixes = sets.clone().with_prefixes(threshold);
        let mut one_bucket = sets.clone();
        one_bucket.keys = vec![vec![7]; sets.sets.len()];
        for (rows, prefixes) in [
            (prefixes.clone().with_sides(1), true),
            (prefixes, true),
            (one_bucket.clone().with_sides(2), false),
            (one_bucket, false),
        ] {
            let spec = Spec {
                prefixes,
                ..exact(threshold)
            };
            let (pairs, _) = join(&rows, spec, false, &mut random);
            let expected = rows.brute_force(|a, b| rows.jaccard(a, b, threshold));
            assert_eq!(pairs, expected, "threshold {threshold}");
            all += pairs.len();
        }
    }
    assert!(all > 5_000, "{all} pairs");
}

#[test]
fn a_threshold_out_of_range_is_an_error() {
    let spec = BlockSpec {
        threshold: 0.0,
        prefixes: false,
        two_sides: false,
        part: None,
    };
    let error = Block::new(Vec::new(), spec, &OversizedKeys::default()).expect_err("no threshold");
    assert_eq!(error, PairError::Threshold(0.0));
}

#[test]
fn a_row_may_pair_if_it_shares_a_key_with_one_of_a_suitable_length() {
    let spec = |two_sides, prefixes| BlockSpec {
        threshold: 0.5,
        prefixes,
        two_sides,
        part: None,
    };
    let block = |spec| {
        let mut rows = SetRows::with_capacity(1, 2, 4);
        let row = SetRow {
            keys: &[7, 1],
            set: &[1, 2, 7, 9],
            side: 0,
            role: Role::Home,
        };
        rows.push(row, [7, 1]);
        Block::new(vec![rows], spec, &OversizedKeys::default()).expect("a block")
    };
    let bands = block(spec(false, false));
    let may_pair = |block: &Block, keys: &[u64], length, side| {
        let mut prober = Prober::new(0.5);
        prober.begin(block);
        let row = SetRow {
            keys,
            set: &[],
            side,
            role: Role::Home,
        };
        prober.may_pair(block, row, length)
    };
    assert!(may_pair(&bands, &[3, 1], 4, 0));
    assert!(!may_pair(&bands, &[3, 2, 9], 4, 0), "another key");
    assert!(may_pair(&bands, &[7], 8, 0) && may_pair(&bands, &[7], 2, 0));
    assert!(
        !may_pair(&bands, &[7], 9, 0) && !may_pair(&bands, &[7], 1, 0),
        "a length"
    );
    assert!(may_pair(&block(spec(true, false)), &[7], 4, 1));
    assert!(
        !may_pair(&block(spec(true, false)), &[7], 4, 0),
        "the same side"
    );
    // Sets of four tokens need three in common; after a third position that is the first common one, two may follow.
    let prefixes = block(spec(false, true));
    assert!(may_pair(&prefixes, &[7, 5], 4, 0));
    assert!(!may_pair(&prefixes, &[2, 3, 7], 4, 0), "a position");
}
