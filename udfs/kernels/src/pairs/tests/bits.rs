//! Joins of signatures and vectors (all pairs, sorted windows, shared keys) against brute force.

use std::collections::BTreeMap;

use super::super::{
    AllPairs, Bits, Blocks, Csr, Groups, Items, MAX_PREDECESSORS, PairBatch, PairError, PairInput,
    PairJoin, Spec, Stats, Values, Vectors, Verify, WindowPairs, Windows,
};
use super::rows::SMALL;
use crate::bit_keys::{BitTables, bit_permutation, block_keys_into, pair_parts};
use crate::bit_model::found_in_tables;
use crate::forest::Forest;
use crate::split_mix::SplitMix64;

/// Rows with random signatures in clusters, and vectors that are independent of the signatures.
#[derive(Debug, Clone)]
struct Rows {
    bits: usize,
    words: Vec<u64>,
    dense32: Vec<f32>,
    dense64: Vec<f64>,
    dimensions: usize,
    sparse: (Vec<usize>, Vec<(u64, f64)>),
    offsets: Vec<usize>,
    side: Option<Vec<u8>>,
    group: Option<(Vec<u64>, Vec<bool>)>,
    agree: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Bits,
    Dense32,
    Dense64,
    Sparse,
    BitsAndDense,
}

impl Rows {
    fn random(seed: u64, count: usize, bits: usize, dimensions: usize) -> Self {
        let mut random = SplitMix64::new(seed);
        let width = bits.div_ceil(64);
        let mut words = Vec::new();
        let mut dense64: Vec<f64> = Vec::new();
        for row in 0..count {
            let near = row > 0 && random.below(2) == 0;
            let start = words.len();
            let base = random.below(row.max(1) as u64) as usize;
            for word in 0..width {
                let used = if word + 1 == width && !bits.is_multiple_of(64) {
                    (1 << (bits % 64)) - 1
                } else {
                    u64::MAX
                };
                let old = match near {
                    true => words[base * width + word],
                    false => random.next(),
                };
                words.push(old & used);
            }
            if near {
                for _ in 0..random.below(1 + bits as u64 / 4) {
                    let bit = random.below(bits as u64) as usize;
                    words[start + bit / 64] ^= 1 << (bit % 64);
                }
            }
            for at in 0..dimensions {
                let noise = random.below(2001) as f64 / 1000.0 - 1.0;
                let old = if near {
                    dense64[base * dimensions + at]
                } else {
                    0.0
                };
                // Some dimensions are empty, and some vectors zero.
                let value = if random.below(4) == 0 {
                    0.0
                } else {
                    old + noise
                };
                dense64.push(if row % 11 == 3 { 0.0 } else { value });
            }
        }
        Self {
            bits,
            words,
            dense32: dense64.iter().map(|&x| x as f32).collect(),
            sparse: Self::sparse_of(&dense64[..count * dimensions], dimensions),
            dense64,
            dimensions,
            offsets: vec![0; count + 1],
            side: None,
            group: None,
            agree: false,
        }
    }

    fn sparse_of(dense: &[f64], dimensions: usize) -> (Vec<usize>, Vec<(u64, f64)>) {
        let mut sparse = (vec![0], Vec::new());
        for row in dense.chunks(dimensions.max(1)) {
            let entries = row.iter().enumerate().filter(|(_, x)| **x != 0.0);
            sparse.1.extend(entries.map(|(at, &x)| (at as u64 * 7, x)));
            sparse.0.push(sparse.1.len());
        }
        sparse
    }

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn with_sides(mut self, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        self.side = Some((0..self.len()).map(|_| random.below(2) as u8).collect());
        self
    }

    fn with_groups(mut self, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let values = (0..self.len()).map(|_| random.below(3)).collect();
        self.group = Some((
            values,
            (0..self.len()).map(|_| random.below(6) > 0).collect(),
        ));
        self
    }

    fn that_agree(self) -> Self {
        Self {
            agree: true,
            ..self
        }
    }

    fn bits(&self) -> Bits<'_> {
        Bits {
            words: &self.words,
            width: self.bits.div_ceil(64),
        }
    }

    fn values(&self, kind: Kind) -> Values<'_> {
        match kind {
            Kind::Dense32 | Kind::BitsAndDense => Values::Dense32 {
                values: &self.dense32,
                dimensions: self.dimensions,
            },
            Kind::Sparse => Values::Sparse(Csr::new(&self.sparse.0, &self.sparse.1)),
            _ => Values::Dense64 {
                values: &self.dense64,
                dimensions: self.dimensions,
            },
        }
    }

    fn input<'a>(&'a self, kind: Kind, norms: &'a [f64], keys: Csr<'a, u64>) -> PairInput<'a> {
        PairInput {
            keys,
            side: self.side.as_deref(),
            group: self.group.as_ref().map(|(values, valid)| Groups {
                values,
                valid: Some(valid),
                agree: self.agree,
            }),
            items: match kind {
                Kind::Bits => Items::Bits(self.bits()),
                _ => Items::Vectors {
                    bits: (kind == Kind::BitsAndDense).then(|| self.bits()),
                    vectors: Vectors {
                        values: self.values(kind),
                        norms,
                    },
                },
            },
        }
    }

    fn may_pair(&self, a: usize, b: usize) -> bool {
        let sides = self.side.as_ref().is_none_or(|side| side[a] != side[b]);
        let groups = self.group.as_ref().is_none_or(|(values, valid)| {
            valid[a] && valid[b] && (values[a] == values[b]) == self.agree
        });
        sides && groups
    }

    fn oriented(&self, a: usize, b: usize) -> (u32, u32) {
        let swap = match &self.side {
            Some(side) => side[a] == 1,
            None => a > b,
        };
        if swap {
            (b as u32, a as u32)
        } else {
            (a as u32, b as u32)
        }
    }

    fn distance(&self, a: usize, b: usize) -> u32 {
        (0..self.bits)
            .filter(|&bit| {
                let of = |row: usize| {
                    self.words[row * self.bits.div_ceil(64) + bit / 64] >> (bit % 64) & 1
                };
                of(a) != of(b)
            })
            .count() as u32
    }

    /// The cosine by its definition, in double precision.
    fn cosine(&self, kind: Kind, a: usize, b: usize) -> f64 {
        let at = |row: usize, i: usize| match kind {
            Kind::Dense32 | Kind::BitsAndDense => {
                f64::from(self.dense32[row * self.dimensions + i])
            }
            _ => self.dense64[row * self.dimensions + i],
        };
        let dot =
            |a: usize, b: usize| -> f64 { (0..self.dimensions).map(|i| at(a, i) * at(b, i)).sum() };
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    /// The value that a pair must be reported with; `None` if it must not be reported.
    fn expected(&self, kind: Kind, spec: &Spec, a: usize, b: usize) -> Option<f64> {
        let (max_distance, value) = match spec.verify {
            Verify::Hamming(max_distance) => (max_distance, f64::from(self.distance(a, b))),
            Verify::Cosine(max_distance) => (max_distance, self.cosine(kind, a, b)),
            _ => return None,
        };
        let has_bits = matches!(kind, Kind::Bits | Kind::BitsAndDense);
        let near = !has_bits || self.distance(a, b) <= max_distance;
        let similar = matches!(spec.verify, Verify::Hamming(_)) || value >= spec.threshold;
        (self.may_pair(a, b) && near && similar).then_some(value)
    }

    fn brute_force(&self, kind: Kind, spec: &Spec) -> BTreeMap<(u32, u32), f64> {
        let pairs = (0..self.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs
            .filter_map(|(a, b)| Some((self.oriented(a, b), self.expected(kind, spec, a, b)?)))
            .collect()
    }
}

fn spec(verify: Verify, threshold: f64) -> Spec {
    Spec {
        threshold,
        verify,
        prefixes: false,
        part: 0,
        parts: 1,
        max_bucket_pairwise: None,
        max_bucket: None,
        blocks: SMALL,
    }
}

fn gather(found: &mut BTreeMap<(u32, u32), f64>, batch: PairBatch, once: bool) {
    for ((a, b), value) in batch.a.into_iter().zip(batch.b).zip(batch.similarity) {
        let before = found.insert((a, b), value);
        assert!(!once || before.is_none(), "{a}, {b} twice");
        assert!(before.is_none_or(|before| before == value));
    }
}

fn assert_same(
    found: &BTreeMap<(u32, u32), f64>,
    expected: &BTreeMap<(u32, u32), f64>,
    label: &str,
) {
    let keys = |pairs: &BTreeMap<(u32, u32), f64>| pairs.keys().copied().collect::<Vec<_>>();
    assert_eq!(keys(found), keys(expected), "{label}");
    for (pair, value) in expected {
        assert!((found[pair] - value).abs() < 1e-12, "{label}: {pair:?}");
    }
}

fn specs(kind: Kind, bits: usize) -> Vec<Spec> {
    match kind {
        Kind::Bits => [0, bits / 8, bits / 3, bits]
            .map(|max_distance| spec(Verify::Hamming(max_distance as u32), 0.5))
            .to_vec(),
        _ => [0.1, 0.5, 0.9]
            .map(|threshold| spec(Verify::Cosine(bits as u32 / 3), threshold))
            .to_vec(),
    }
}

const KINDS: [Kind; 5] = [
    Kind::Bits,
    Kind::Dense32,
    Kind::Dense64,
    Kind::Sparse,
    Kind::BitsAndDense,
];

#[test]
fn all_pairs_are_brute_force() {
    let mut pairs = 0;
    for (seed, count, bits, dimensions) in [
        (1, 0, 64, 3),
        (2, 1, 64, 3),
        (3, 90, 100, 5),
        (4, 150, 64, 17),
        (5, 131, 1024, 2),
    ] {
        let plain = Rows::random(seed, count, bits, dimensions);
        let sided = plain.clone().with_sides(seed);
        for rows in [
            plain.clone(),
            plain.clone().with_groups(seed),
            plain.with_groups(seed).that_agree(),
            sided.clone(),
            sided.clone().with_groups(seed),
            sided.with_groups(seed).that_agree(),
        ] {
            for kind in KINDS {
                let norms = rows.values(kind).norms();
                let input = rows.input(kind, &norms, Csr::new(&rows.offsets, &[]));
                for spec in specs(kind, bits) {
                    let expected = rows.brute_force(kind, &spec);
                    for workers in [1, 3] {
                        let mut found = BTreeMap::new();
                        let mut joins = AllPairs::new(&input, spec, false)
                            .expect("valid")
                            .into_workers(workers);
                        while let Some(join) = joins.last_mut() {
                            match join.next_batch(&input) {
                                Some(batch) => gather(&mut found, batch, true),
                                None => drop(joins.pop()),
                            }
                        }
                        assert_same(&found, &expected, &format!("{kind:?} of {count}, {spec:?}"));
                        pairs += found.len();
                    }
                }
            }
        }
    }
    assert!(pairs > 100_000, "{pairs}");
}

/// Comparing each pair of groups of rows on its own gives every pair once.
#[test]
fn parts_of_all_pairs_add_up() {
    let rows = Rows::random(8, 120, 100, 4);
    let plain = spec(Verify::Hamming(33), 0.5);
    let expected = rows.brute_force(Kind::Bits, &plain);
    for (groups, limit) in [(1, None), (2, None), (5, None), (2, Some(1)), (5, Some(1))] {
        let spec = Spec {
            max_bucket_pairwise: limit,
            ..plain
        };
        let mut found = BTreeMap::new();
        let mut members: BTreeMap<u64, Vec<(usize, Option<bool>)>> = BTreeMap::new();
        for row in 0..rows.len() {
            for (part, in_second) in pair_parts(row as u64 * 7 % groups, groups) {
                members.entry(part).or_default().push((row, in_second));
            }
        }
        for members in members.values() {
            let words: Vec<u64> = members
                .iter()
                .flat_map(|(row, _)| rows.bits().row(*row).to_vec())
                .collect();
            let sides: Option<Vec<u8>> = members
                .iter()
                .map(|(_, in_second)| in_second.map(u8::from))
                .collect();
            let offsets = vec![0; members.len() + 1];
            let input = PairInput {
                keys: Csr::new(&offsets, &[]),
                side: sides.as_deref(),
                group: None,
                items: Items::Bits(Bits {
                    words: &words,
                    width: 2,
                }),
            };
            let mut join = AllPairs::new(&input, spec, true).expect("valid");
            while let Some(mut batch) = join.next_batch(&input) {
                for row in batch.a.iter_mut().chain(&mut batch.b) {
                    *row = members[*row as usize].0 as u32;
                }
                gather(&mut found, batch, true);
            }
        }
        if limit.is_none() {
            assert_same(&found, &expected, &format!("{groups} groups"));
            continue;
        }
        assert!(found.len() < expected.len());
        assert_eq!(
            first_predecessors(&found, 1),
            first_predecessors(&expected, 1)
        );
        assert_eq!(
            spanning_forest(rows.len(), &found),
            spanning_forest(rows.len(), &expected)
        );
    }
}

/// The pairs of each row with its first `max_predecessors` similar predecessors.
fn first_predecessors(
    pairs: &BTreeMap<(u32, u32), f64>,
    max_predecessors: usize,
) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = pairs.keys().map(|&(a, b)| (b, a)).collect();
    found.sort_unstable();
    let first = found.chunk_by(|x, y| x.0 == y.0);
    first
        .flat_map(|pairs| pairs.iter().take(max_predecessors).copied())
        .collect()
}

/// The pairs (row, predecessor) that connect two components of the pairs before them.
fn spanning_forest(rows: usize, pairs: &BTreeMap<(u32, u32), f64>) -> Vec<(u32, u32)> {
    let mut ordered: Vec<(u32, u32)> = pairs.keys().map(|&(a, b)| (b, a)).collect();
    ordered.sort_unstable();
    let mut component: Vec<u32> = (0..rows as u32).collect();
    ordered.retain(|&(row, predecessor)| {
        let (own, other) = (component[row as usize], component[predecessor as usize]);
        component.iter_mut().for_each(|of| {
            if *of == own {
                *of = other;
            }
        });
        own != other
    });
    ordered
}

/// The smallest row of each row's component.
fn components(rows: usize, pairs: &BTreeMap<(u32, u32), f64>) -> Vec<u32> {
    let mut forest = Forest::new(rows as u32);
    for &(a, b) in pairs.keys() {
        forest.union(a, b);
    }
    (0..rows as u32).map(|row| forest.find(row)).collect()
}

/// Large clusters of rows that differ in a few bits, and single rows, in random order.
fn clusters(seed: u64, changed: u64) -> Rows {
    let mut random = SplitMix64::new(seed);
    let mut rows = Rows::random(seed, 300, 128, 6);
    let single = rows.words.clone();
    let single64 = rows.dense64.clone();
    for row in 0..300 {
        // Half of the rows are variants of one of three.
        let of = random.below(6) as usize;
        if of < 3 {
            rows.words[2 * row..2 * row + 2].copy_from_slice(&single[2 * of..2 * of + 2]);
            for _ in 0..random.below(changed) {
                let bit = random.below(128) as usize;
                rows.words[2 * row + bit / 64] ^= 1 << (bit % 64);
            }
            for at in 0..6 {
                let noise = random.below(100) as f64 * 1e-3 * changed as f64 / 8.0;
                rows.dense64[6 * row + at] = single64[6 * of + at] + noise;
            }
        }
    }
    rows.dense32 = rows.dense64.iter().map(|&x| x as f32).collect();
    rows.sparse = Rows::sparse_of(&rows.dense64, 6);
    rows
}

#[test]
fn rows_with_many_predecessors_keep_the_first_and_their_components() {
    let mut saved = 0;
    for (seed, changed) in [(1, 8), (2, 8), (3, 24), (4, 40)] {
        let rows = clusters(seed, changed);
        for kind in KINDS {
            let norms = rows.values(kind).norms();
            let input = rows.input(kind, &norms, Csr::new(&rows.offsets, &[]));
            for plain in specs(kind, 128) {
                let expected = rows.brute_force(kind, &plain);
                let forest = spanning_forest(300, &expected);
                for limit in [1, 20, 60, 1000] {
                    let spec = Spec {
                        max_bucket_pairwise: Some(limit),
                        ..plain
                    };
                    let label = format!("{kind:?}, seed {seed}, {spec:?}");
                    let max_predecessors = limit.min(MAX_PREDECESSORS);
                    let first = first_predecessors(&expected, max_predecessors);
                    for workers in [1, 3] {
                        let mut found = BTreeMap::new();
                        let mut stats = Stats::default();
                        let join = AllPairs::new(&input, spec, false).expect("valid");
                        for mut join in join.into_workers(workers) {
                            while let Some(batch) = join.next_batch(&input) {
                                gather(&mut found, batch, true);
                            }
                            stats.add(join.stats());
                        }
                        for (pair, value) in &found {
                            assert!((expected[pair] - value).abs() < 1e-12, "{label}");
                        }
                        assert_eq!(
                            first_predecessors(&found, max_predecessors),
                            first,
                            "{label}"
                        );
                        assert_eq!(
                            components(300, &found),
                            components(300, &expected),
                            "{label}"
                        );
                        assert_eq!(spanning_forest(300, &found), forest, "{label}");
                        let pairs_not_reported = expected.len() - first.len();
                        assert_eq!(
                            stats.pairs_not_reported as usize, pairs_not_reported,
                            "{label}"
                        );
                        assert_eq!(
                            stats.rows_with_many_neighbours > 0,
                            pairs_not_reported > 0,
                            "{label}"
                        );
                        // Pairs that join two components are fewer than the rows.
                        assert!(found.len() <= first.len() + 300 * workers, "{label}");
                        saved += expected.len() - found.len();
                    }
                }
            }
        }
    }
    assert!(saved > 1_000_000, "{saved}");
}

#[test]
fn pairs_of_many_near_rows_grow_with_the_rows() {
    let mut random = SplitMix64::new(9);
    let base = [random.next(), random.next()];
    let count = 3000;
    let mut rows = Rows::random(9, 0, 128, 1);
    for _ in 0..count {
        let mut words = base;
        for _ in 0..4 {
            words[random.below(2) as usize] ^= 1 << random.below(64);
        }
        rows.words.extend(words);
    }
    rows.offsets = vec![0; count + 1];
    let input = rows.input(Kind::Bits, &[], Csr::new(&rows.offsets, &[]));
    for limit in [100, 1000] {
        let spec = Spec {
            max_bucket_pairwise: Some(limit),
            ..spec(Verify::Hamming(8), 0.5)
        };
        let mut join = AllPairs::new(&input, spec, false).expect("valid");
        let mut pairs = 0;
        while let Some(batch) = join.next_batch(&input) {
            pairs += batch.len();
        }
        // All are within 8 bits of each other.
        let max_predecessors = limit.min(MAX_PREDECESSORS);
        assert_eq!(
            pairs,
            max_predecessors * (max_predecessors - 1) / 2
                + (count - max_predecessors) * max_predecessors
        );
        assert_eq!(
            join.stats().rows_with_many_neighbours as usize,
            count - max_predecessors - 1
        );
    }
}

/// The smallest and the largest sizes, the default ones, and sizes that are no multiple of a tile.
const SIZES: [usize; 5] = [0, 1, 17, 100, usize::MAX];

fn sizes() -> Vec<Blocks> {
    let blocks = SIZES.map(|size| Blocks {
        probes: u32::try_from(size).unwrap_or(u32::MAX),
        dense: size,
        sparse: size,
        comparisons: size,
    });
    [blocks.as_slice(), &[Blocks::default()]].concat()
}

#[test]
fn blocks_of_any_size_give_all_pairs() {
    for kind in KINDS {
        let plain = clusters(7, 24);
        for rows in [plain.clone(), plain.with_sides(7)] {
            let norms = rows.values(kind).norms();
            let input = rows.input(kind, &norms, Csr::new(&rows.offsets, &[]));
            let plain = specs(kind, 128)[1];
            let expected = rows.brute_force(kind, &plain);
            for blocks in sizes() {
                for (max_bucket_pairwise, workers) in
                    [(None, 1), (None, 3), (Some(20), 1), (Some(20), 3)]
                {
                    let spec = Spec {
                        blocks,
                        max_bucket_pairwise,
                        ..plain
                    };
                    let label = format!("{kind:?}, {spec:?}");
                    let self_join = max_bucket_pairwise.is_some();
                    let join = AllPairs::new(&input, spec, self_join).expect("valid");
                    let mut found = BTreeMap::new();
                    for mut join in join.into_workers(workers) {
                        while let Some(batch) = join.next_batch(&input) {
                            gather(&mut found, batch, true);
                        }
                    }
                    if max_bucket_pairwise.is_none() {
                        assert_same(&found, &expected, &label);
                        continue;
                    }
                    let ascending = |pairs: &BTreeMap<(u32, u32), f64>| -> BTreeMap<_, _> {
                        let pair =
                            |(&(a, b), &value): (&(u32, u32), &f64)| ((a.min(b), a.max(b)), value);
                        pairs.iter().map(pair).collect()
                    };
                    let expected = ascending(&expected);
                    assert!(found.len() < expected.len(), "{label}");
                    assert_eq!(
                        first_predecessors(&found, 20),
                        first_predecessors(&expected, 20),
                        "{label}"
                    );
                    assert_eq!(
                        spanning_forest(rows.len(), &found),
                        spanning_forest(rows.len(), &expected),
                        "{label}"
                    );
                }
            }
        }
    }
}

/// Sorted windows by their definition: sorts whole permuted bit strings and compares each row with those before it.
fn naive_windows(
    rows: &Rows,
    kind: Kind,
    spec: &Spec,
    windows: &Windows,
) -> BTreeMap<(u32, u32), f64> {
    let mut found = BTreeMap::new();
    for table in 0..windows.tables {
        let permutation = bit_permutation(windows.bits, windows.seed, table as u64);
        let mut order: Vec<(Vec<bool>, usize)> = (0..rows.len())
            .filter(|&row| rows.group.as_ref().is_none_or(|(_, valid)| valid[row]))
            .map(|row| {
                let word =
                    |bit: u32| rows.bits().row(row)[bit as usize / 64] >> (bit % 64) & 1 == 1;
                (permutation.iter().map(|&bit| word(bit)).collect(), row)
            })
            .collect();
        order.sort();
        for at in 0..order.len() {
            for before in at.saturating_sub(windows.window)..at {
                let (a, b) = (order[before].1, order[at].1);
                if let Some(value) = rows.expected(kind, spec, a, b) {
                    found.insert(rows.oriented(a, b), value);
                }
            }
        }
    }
    found
}

#[test]
fn windows_are_the_plain_method_whatever_the_chunks_and_parts() {
    for (seed, count, bits) in [
        (1, 0, 64),
        (2, 1, 100),
        (3, 90, 100),
        (4, 80, 7),
        (6, 70, 200),
    ] {
        let plain = Rows::random(seed, count, bits, 5);
        let sided = plain.clone().with_sides(seed);
        for rows in [plain.clone(), plain.with_groups(seed), sided] {
            for kind in [Kind::Bits, Kind::BitsAndDense] {
                let spec = specs(kind, bits)[1];
                let norms = rows.values(kind).norms();
                let input = rows.input(kind, &norms, Csr::new(&rows.offsets, &[]));
                for (tables, window, chunk) in [(1, 3, 1000), (4, 7, 7), (4, 7, 20), (3, 500, 10)] {
                    let windows = Windows {
                        bits,
                        tables,
                        window,
                        chunk,
                        seed: 5,
                    };
                    let expected = naive_windows(&rows, kind, &spec, &windows);
                    for (parts, workers) in [(1, 1), (1, 3), (2, 1), (7, 2)] {
                        let mut found = BTreeMap::new();
                        for part in 0..parts {
                            let spec = Spec {
                                part,
                                parts,
                                ..spec
                            };
                            let join = WindowPairs::new(&input, spec, windows).expect("valid");
                            for mut join in join.into_workers(workers) {
                                while let Some(batch) = join.next_batch(&input) {
                                    gather(&mut found, batch, false);
                                }
                            }
                        }
                        assert_same(&found, &expected, &format!("{windows:?} in {parts} parts"));
                    }
                }
            }
        }
    }
}

#[test]
fn batches_of_any_size_give_the_pairs_of_windows() {
    let rows = Rows::random(5, 90, 100, 5);
    let plain = specs(Kind::Bits, 100)[1];
    let input = rows.input(Kind::Bits, &[], Csr::new(&rows.offsets, &[]));
    for (window, chunk) in [(3, 1000), (7, 20)] {
        let windows = Windows {
            bits: 100,
            tables: 3,
            window,
            chunk,
            seed: 5,
        };
        let expected = naive_windows(&rows, Kind::Bits, &plain, &windows);
        for blocks in sizes() {
            let spec = Spec { blocks, ..plain };
            let mut join = WindowPairs::new(&input, spec, windows).expect("valid");
            let mut found = BTreeMap::new();
            while let Some(batch) = join.next_batch(&input) {
                gather(&mut found, batch, false);
            }
            assert_same(&found, &expected, &format!("{windows:?}, {blocks:?}"));
        }
    }
}

#[test]
fn keys_of_blocks_of_bits_find_every_near_signature() {
    for (seed, bits) in [(1, 64), (2, 100), (3, 7)] {
        let rows = Rows::random(seed, 120, bits, 3);
        for max_distance in [0, 2, 6, 9] {
            let (mut offsets, mut keys) = (vec![0], Vec::new());
            for row in 0..rows.len() {
                let bytes: Vec<u8> = rows
                    .bits()
                    .row(row)
                    .iter()
                    .flat_map(|word| word.to_le_bytes())
                    .collect();
                block_keys_into(&bytes, bits, max_distance + 1, &mut keys).expect("long enough");
                offsets.push(keys.len());
            }
            let plain = spec(Verify::Hamming(max_distance as u32), 0.5);
            let expected = rows.brute_force(Kind::Bits, &plain);
            let input = rows.input(Kind::Bits, &[], Csr::new(&offsets, &keys));
            for blocks in sizes() {
                let spec = Spec { blocks, ..plain };
                let join = PairJoin::new(&input, spec).expect("valid");
                let mut found = BTreeMap::new();
                for mut join in join.into_workers(3) {
                    while let Some(batch) = join.next_batch(&input, 50) {
                        gather(&mut found, batch, true);
                    }
                }
                let label = format!("{max_distance} of {bits}, {blocks:?}");
                assert_same(&found, &expected, &label);
            }
        }
    }
}

/// Plants pairs of random signatures that differ in a random number of bits: tables and windows find the
/// share of them that the model predicts.
#[test]
fn planted_pairs_are_found_as_the_model_predicts() {
    let (bits, pairs, tables) = (128, 3_000, 6);
    let mut random = SplitMix64::new(12);
    for rho in [0.05, 0.1, 0.2] {
        let mut words = Vec::new();
        for _ in 0..pairs {
            let base = [random.next(), random.next()];
            words.extend(base);
            for word in base {
                let flips =
                    (0..64).filter(|_| (random.below(1 << 20) as f64) < rho * f64::from(1 << 20));
                words.push(flips.fold(word, |word, bit| word ^ 1 << bit));
            }
        }
        let cosine = (rho * std::f64::consts::PI).cos();
        let share = |found: &BTreeMap<(u32, u32), f64>| {
            let planted = (0..pairs).filter(|i| found.contains_key(&(2 * i, 2 * i + 1)));
            planted.count() as f64 / f64::from(pairs)
        };
        let check = |found: f64, expected: f64, label: &str| {
            // Four standard deviations of a share of 3,000, and rounding of log2(C/B).
            assert!(
                (found - expected).abs() < 0.03,
                "{label} at {rho}: {found}, not {expected}"
            );
        };
        let spec = spec(Verify::Hamming(128), 0.5);
        let rows = 2 * pairs as usize;

        for key_bits in [8, 16] {
            let keyed = BitTables::new(bits, tables, key_bits, 3).expect("in range");
            let (mut offsets, mut keys) = (vec![0], Vec::new());
            for row in words.chunks(2) {
                let bytes: Vec<u8> = row.iter().flat_map(|word| word.to_le_bytes()).collect();
                keyed.keys_into(&bytes, &mut keys).expect("long enough");
                offsets.push(keys.len());
            }
            let input = PairInput {
                keys: Csr::new(&offsets, &keys),
                side: None,
                group: None,
                items: Items::Bits(Bits {
                    words: &words,
                    width: 2,
                }),
            };
            let mut join = PairJoin::new(&input, spec).expect("valid");
            let mut found = BTreeMap::new();
            while let Some(batch) = join.next_batch(&input, 10_000) {
                gather(&mut found, batch, true);
            }
            check(
                share(&found),
                found_in_tables(cosine, key_bits as f64, tables),
                "tables",
            );
        }

        for window in [12, 47, 200] {
            let offsets = vec![0; rows + 1];
            let input = PairInput {
                keys: Csr::new(&offsets, &[]),
                side: None,
                group: None,
                items: Items::Bits(Bits {
                    words: &words,
                    width: 2,
                }),
            };
            let windows = Windows {
                bits,
                tables,
                window,
                chunk: 1000,
                seed: 3,
            };
            let mut join = WindowPairs::new(&input, spec, windows).expect("valid");
            let mut found = BTreeMap::new();
            while let Some(batch) = join.next_batch(&input) {
                gather(&mut found, batch, false);
            }
            let key_bits = (rows as f64 / window as f64).log2();
            check(
                share(&found),
                found_in_tables(cosine, key_bits, tables),
                "windows",
            );
        }
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let rows = Rows::random(1, 3, 64, 2);
    let csr = Csr::new(&rows.offsets, &[]);
    let norms = rows.values(Kind::Dense64).norms();
    let bits = rows.input(Kind::Bits, &[], csr);
    let vectors = rows.input(Kind::Dense64, &norms, csr);
    let windows = Windows {
        bits: 64,
        tables: 1,
        window: 1,
        chunk: 1,
        seed: 1,
    };
    let hamming = spec(Verify::Hamming(3), 0.5);
    let cosine = spec(Verify::Cosine(3), 0.5);
    assert!(matches!(
        AllPairs::new(&bits, cosine, false),
        Err(PairError::Items(..))
    ));
    assert!(matches!(
        AllPairs::new(&vectors, hamming, false),
        Err(PairError::Items(..))
    ));
    assert!(matches!(
        AllPairs::new(&bits, spec(Verify::None, 0.5), false),
        Err(PairError::Items(..))
    ));
    assert!(matches!(
        WindowPairs::new(&vectors, cosine, windows),
        Err(PairError::Items(..))
    ));
    let wide = Windows {
        bits: 65,
        ..windows
    };
    assert!(matches!(
        WindowPairs::new(&bits, hamming, wide),
        Err(PairError::Width(64, 65))
    ));
    let short = rows.input(Kind::Dense64, &norms[..2], csr);
    assert!(matches!(
        AllPairs::new(&short, cosine, false),
        Err(PairError::Lengths { .. })
    ));
    let zero = spec(Verify::Cosine(3), 0.0);
    assert!(matches!(
        AllPairs::new(&vectors, zero, false),
        Err(PairError::Threshold(_))
    ));
}
