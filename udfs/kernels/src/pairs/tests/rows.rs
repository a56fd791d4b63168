//! Owned rows for tests, and the join of all their parts.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Blocks, Csr, Groups, Items, PairInput, PairJoin, Spec, Stats, Texts, Verify};
use crate::bounds::prefix_len;
use crate::test_random::Random;

/// Pairs and the bits of their similarity.
pub(super) type Pairs = BTreeMap<(u32, u32), u64>;

/// The pairs in the order reported.
pub(super) type Reported = Vec<((u32, u32), u64)>;

#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    pub(super) keys: Vec<Vec<u64>>,
    pub(super) sets: Vec<Vec<u64>>,
    pub(super) texts: Vec<String>,
    pub(super) signatures: Vec<u32>,
    pub(super) side: Option<Vec<u8>>,
    pub(super) group: Option<(Vec<u64>, Option<Vec<bool>>)>,
    /// Whether rows of the same group pair, instead of rows of different groups.
    pub(super) agree: bool,
}

/// Sizes with which a few hundred rows are many units of work.
pub(super) const SMALL: Blocks = Blocks {
    probes: 4,
    dense: 32,
    sparse: 5,
    comparisons: 50,
};

pub(super) fn exact(threshold: f64) -> Spec {
    Spec {
        threshold,
        verify: Verify::Exact,
        prefixes: true,
        part: 0,
        parts: 1,
        max_bucket_pairwise: None,
        max_bucket: None,
        blocks: SMALL,
    }
}

fn csr<T: Copy>(lists: &[Vec<T>]) -> (Vec<usize>, Vec<T>) {
    let mut offsets = vec![0];
    let mut values = Vec::new();
    for list in lists {
        values.extend_from_slice(list);
        offsets.push(values.len());
    }
    (offsets, values)
}

impl Rows {
    /// Clusters of sets that differ by a few tokens, of skewed frequencies, some empty, some equal.
    pub(super) fn random_sets(seed: u64, count: usize, size: u32) -> Self {
        let mut random = Random::new(seed);
        let mut sets: Vec<Vec<u64>> = Vec::new();
        while sets.len() < count {
            let token = |random: &mut Random| {
                let bound = 1 + random.below(60 * size);
                Random::new(u64::from(random.below(bound))).next()
            };
            let len = random.below(size);
            let base: Vec<u64> = (0..len).map(|_| token(&mut random)).collect();
            for _ in 0..=random.below(6) {
                let mut set = base.clone();
                for _ in 0..random.below(1 + len / 2) {
                    let at = random.below(len) as usize;
                    match random.below(3) {
                        0 => set[at] = token(&mut random),
                        1 => set.push(token(&mut random)),
                        _ => drop(set.swap_remove(at % set.len())),
                    }
                    if set.len() < len as usize {
                        break;
                    }
                }
                set.sort_unstable();
                set.dedup();
                sets.push(set);
            }
        }
        random.shuffle(&mut sets);
        sets.truncate(count);
        Self {
            sets,
            ..Self::default()
        }
    }

    /// Keys: the prefixes of the sets in the order of exact frequencies.
    pub(super) fn with_prefixes(mut self, threshold: f64) -> Self {
        let mut frequency: BTreeMap<u64, usize> = BTreeMap::new();
        for &token in self.sets.iter().flatten() {
            *frequency.entry(token).or_default() += 1;
        }
        self.keys = self
            .sets
            .iter()
            .map(|set| {
                let mut keys = set.clone();
                keys.sort_by_key(|token| (frequency[token], *token));
                keys.truncate(prefix_len(set.len(), threshold));
                keys
            })
            .collect();
        self
    }

    /// Keys: one for each band of a small signature, which the rows hold too.
    pub(super) fn with_bands(mut self, bands: usize, rows: usize) -> Self {
        self.signatures.clear();
        self.keys.clear();
        for set in &self.sets {
            let signature: Vec<u32> = (0..(bands * rows) as u64)
                .map(|i| {
                    let hashes = set.iter().map(|token| Random::new(token ^ (i << 7)).next());
                    hashes.min().unwrap_or(u64::MAX) as u32 & 0xFF
                })
                .collect();
            let keys = signature.chunks(rows).enumerate().map(|(band, values)| {
                values.iter().fold(band as u64, |key, &v| {
                    Random::new(key ^ u64::from(v)).next()
                })
            });
            self.keys.push(if set.is_empty() {
                Vec::new()
            } else {
                keys.collect()
            });
            self.signatures.extend(signature);
        }
        self
    }

    pub(super) fn with_sides(mut self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        self.side = Some(
            (0..self.sets.len())
                .map(|_| random.below(2) as u8)
                .collect(),
        );
        self
    }

    pub(super) fn with_groups(mut self, seed: u64, groups: u32, nulls: bool) -> Self {
        let mut random = Random::new(seed);
        let values = (0..self.sets.len())
            .map(|_| u64::from(random.below(groups)))
            .collect();
        let valid = nulls.then(|| (0..self.sets.len()).map(|_| random.below(5) > 0).collect());
        self.group = Some((values, valid));
        self
    }

    /// Pairs rows of the same group instead of rows of different groups.
    pub(super) fn that_agree(self) -> Self {
        Self {
            agree: true,
            ..self
        }
    }

    /// Whether two rows may pair, by sides and groups.
    pub(super) fn may_pair(&self, a: usize, b: usize) -> bool {
        let sides = self.side.as_ref().is_none_or(|side| side[a] != side[b]);
        let groups = self.group.as_ref().is_none_or(|(values, valid)| {
            let valid = valid.as_ref().is_none_or(|valid| valid[a] && valid[b]);
            valid && (values[a] == values[b]) == self.agree
        });
        sides && groups && !self.keys[a].is_empty() && !self.keys[b].is_empty()
    }

    /// The pair as it is reported: the smaller row first, or the row of side 0.
    pub(super) fn oriented(&self, a: usize, b: usize) -> (u32, u32) {
        let (a, b) = (a.min(b), a.max(b));
        let swap = self.side.as_ref().is_some_and(|side| side[a] > side[b]);
        let (a, b) = if swap { (b, a) } else { (a, b) };
        (a as u32, b as u32)
    }

    pub(super) fn shares_key(&self, a: usize, b: usize) -> bool {
        let keys: BTreeSet<u64> = self.keys[a].iter().copied().collect();
        self.keys[b].iter().any(|key| keys.contains(key))
    }

    /// The pairs of one part, in the order reported, and the counts of the work.
    pub(super) fn join_part(&self, spec: Spec, max_pairs: usize) -> (Reported, Stats) {
        let (key_offsets, keys) = csr(&self.keys);
        let (set_offsets, sets) = csr(&self.sets);
        let mut text_offsets = vec![0];
        let mut text = String::new();
        for row in &self.texts {
            text.push_str(row);
            text_offsets.push(text.len());
        }
        let items = match spec.verify {
            Verify::None | Verify::Hamming(_) | Verify::Cosine(_) => Items::None,
            Verify::Exact | Verify::Containment => Items::Sets(Csr::new(&set_offsets, &sets)),
            Verify::Edit => Items::Texts(Texts::new(&text_offsets, &text)),
            Verify::Estimate => Items::Signatures32 {
                values: &self.signatures,
                width: self.signatures.len() / self.keys.len().max(1),
            },
        };
        let input = PairInput {
            keys: Csr::new(&key_offsets, &keys),
            side: self.side.as_deref(),
            group: self.group.as_ref().map(|(values, valid)| Groups {
                values,
                valid: valid.as_deref(),
                agree: self.agree,
            }),
            items,
        };
        let mut join = PairJoin::new(&input, spec).expect("rows and parameters fit");
        let mut pairs = Vec::new();
        while let Some(batch) = join.next_batch(&input, max_pairs) {
            assert!(batch.len() <= max_pairs);
            for i in 0..batch.len() {
                pairs.push(((batch.a[i], batch.b[i]), batch.similarity[i].to_bits()));
            }
        }
        let distinct: BTreeSet<_> = pairs.iter().map(|(pair, _)| pair).collect();
        assert_eq!(distinct.len(), pairs.len(), "a part reports a pair once");
        assert_eq!(join.stats().pairs as usize, pairs.len());
        let shared = PairJoin::new(&input, spec).expect("rows and parameters fit");
        let (mut found, mut done) = (Vec::new(), Stats::default());
        for mut join in shared.into_workers(3) {
            while let Some(batch) = join.next_batch(&input, max_pairs) {
                for i in 0..batch.len() {
                    found.push(((batch.a[i], batch.b[i]), batch.similarity[i].to_bits()));
                }
            }
            done.add(join.stats());
        }
        let mut sorted = pairs.clone();
        sorted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, sorted, "what three report together");
        assert_eq!(done, *join.stats());
        (pairs, *join.stats())
    }

    /// The pairs of all parts. Checks that several parts report the same pair only where this is allowed, with
    /// the same similarity.
    pub(super) fn join(&self, spec: Spec) -> (Pairs, Stats) {
        let mut all = Pairs::new();
        let mut stats = Stats::default();
        for part in 0..spec.parts {
            let (pairs, done) = self.join_part(Spec { part, ..spec }, 1000);
            stats.add(&done);
            for (pair, similarity) in pairs {
                let before = all.insert(pair, similarity);
                assert!(
                    before.is_none() || spec.repeats_pairs(),
                    "{pair:?} in several parts"
                );
                assert!(before.is_none_or(|before| before == similarity));
            }
        }
        (all, stats)
    }

    /// Every pair for which `similarity` gives a value.
    pub(super) fn brute_force(&self, similarity: impl Fn(usize, usize) -> Option<f64>) -> Pairs {
        let mut pairs = Pairs::new();
        for b in 0..self.keys.len() {
            for a in (0..b).filter(|&a| self.may_pair(a, b)) {
                if let Some(similarity) = similarity(a, b) {
                    pairs.insert(self.oriented(a, b), similarity.to_bits());
                }
            }
        }
        pairs
    }

    /// The Jaccard similarity by definition, if it reaches the threshold.
    /// Makes the tokens of the sets of side 1 their keys, all of them, and sorts those of side 0 as they are.
    pub(super) fn with_all_tokens_of_side_1(mut self) -> Self {
        let sides = self.side.iter().flatten();
        for ((keys, set), side) in self.keys.iter_mut().zip(&self.sets).zip(sides) {
            match side {
                0 => keys.sort_unstable(),
                _ => keys.clone_from(set),
            }
        }
        self
    }

    /// The share of the set of side 0 that is in the other one.
    pub(super) fn contained(&self, a: usize, b: usize, threshold: f64) -> Option<f64> {
        let side = self.side.as_ref()?;
        let (a, b) = if side[a] == 0 { (a, b) } else { (b, a) };
        let common = self.sets[a]
            .iter()
            .filter(|token| self.sets[b].contains(token));
        let share = common.count() as f64 / self.sets[a].len() as f64;
        (share >= threshold).then_some(share)
    }

    pub(super) fn jaccard(&self, a: usize, b: usize, threshold: f64) -> Option<f64> {
        let a: BTreeSet<u64> = self.sets[a].iter().copied().collect();
        let b: BTreeSet<u64> = self.sets[b].iter().copied().collect();
        let similarity = a.intersection(&b).count() as f64 / a.union(&b).count() as f64;
        (similarity >= threshold).then_some(similarity)
    }
}
