//! The join: probes each row, in ascending order, against the rows before it that share a key; then, if
//! buckets are oversized, probes each row against the pivots before it.

use super::first_key::ProbeKeys;
use super::index::{KeyIndex, List};
use super::input::PairInput;
use super::pivots::{EarlierComparison, Pivots};
use super::sketch::Sketches;
use super::spec::{PairError, Spec, Verify};
use super::stats::Stats;
use super::verify::{Candidate, Verifier};
use std::sync::Arc;

/// Work after which a batch is returned even if it is not full, so that the caller can stop or yield: about
/// 10 ms. The unit is the work of reading one posting.
const WORK: u64 = 1 << 22;
/// The work of filtering a candidate.
const FILTER_WORK: u64 = 8;
/// The work of verifying a candidate.
const VERIFY_WORK: u64 = 64;

/// Pairs found, as columns of equal length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PairBatch {
    /// The smaller row; for two sides, the row of side 0.
    pub a: Vec<u32>,
    /// The larger row; for two sides, the row of side 1.
    pub b: Vec<u32>,
    /// Their similarity; NaN where nothing is verified.
    pub similarity: Vec<f64>,
}

impl PairBatch {
    /// The number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.a.len()
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.a.is_empty()
    }

    pub(super) fn push(&mut self, a: u32, b: u32, similarity: f64) {
        self.a.push(a);
        self.b.push(b);
        self.similarity.push(similarity);
    }
}

/// The progress of the probe of a row.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    /// Whether the probe of the row has begun.
    begun: bool,
    /// The position of the current key among the row's keys.
    step: usize,
    /// Whether the candidates at that key have been gathered.
    gathered: bool,
    /// The next of these candidates to verify.
    candidate: usize,
    /// The number of pivots in the bucket of that key that the row is similar to.
    links: usize,
}

/// A join in progress. It holds data derived from the rows but not the rows themselves: every call is given
/// the same [`PairInput`].
#[derive(Debug)]
pub struct PairJoin {
    spec: Spec,
    index: Arc<KeyIndex>,
    /// The number of workers; each probes every `workers`-th block of rows.
    workers: u32,
    verifier: Verifier,
    /// For each row: the last probe row that it was a candidate of.
    seen_by: Vec<u32>,
    /// The pivots of oversized buckets; only the first worker has them.
    pivots: Option<Pivots>,
    /// Whether all other keys have been probed, so that rows are now probed against pivots.
    at_pivots: bool,
    probe_keys: ProbeKeys,
    /// The number of rows.
    rows: u32,
    /// The current probe row.
    row: u32,
    /// The number of keys in the inner zone of the current row.
    inner: usize,
    cursor: Cursor,
    /// The candidates gathered at the current key.
    candidates: Vec<Candidate>,
    stats: Stats,
}

impl PairJoin {
    /// Indexes the keys. Time is linear in the keys, memory 16 to 40 bytes a key.
    ///
    /// # Errors
    ///
    /// If a parameter is out of range, columns differ in length, the items do not have the data that the
    /// verification needs, or there are more rows or keys than `u32` can number.
    pub fn new(input: &PairInput<'_>, spec: Spec) -> Result<Self, PairError> {
        spec.check(input)?;
        let rows = input.keys.rows();
        let mut stats = Stats {
            rows: rows as u64,
            ..Stats::default()
        };
        let index = KeyIndex::build(input, &spec, &mut stats)?;
        Ok(Self {
            verifier: Verifier::new(input, &spec),
            seen_by: vec![u32::MAX; rows],
            pivots: Pivots::of(&index, rows),
            at_pivots: false,
            probe_keys: ProbeKeys::default(),
            rows: rows as u32,
            row: 0,
            inner: 0,
            cursor: Cursor::default(),
            candidates: Vec::new(),
            spec: Spec {
                blocks: spec.blocks.for_rows(rows),
                ..spec
            },
            index: Arc::new(index),
            workers: 1,
            stats,
        })
    }

    /// Divides the rows to probe among at most `workers` joins, which can run at the same time. Together they
    /// report each pair as often as this one would, and their statistics add up. As the choice of pivots
    /// depends on the order of the rows, only the first join handles oversized buckets. A join that has
    /// already begun is not divided.
    #[must_use]
    pub fn into_workers(mut self, workers: usize) -> Vec<Self> {
        let block = self.spec.blocks.probes;
        let max_workers = self.rows.div_ceil(block).max(1) as usize;
        let workers = workers.clamp(1, max_workers);
        if workers == 1 || self.row > 0 || self.at_pivots {
            return vec![self];
        }
        self.workers = workers as u32;
        let others: Vec<Self> = (1..self.workers)
            .map(|worker| Self {
                spec: self.spec,
                index: Arc::clone(&self.index),
                workers: self.workers,
                verifier: self.verifier.for_worker(),
                seen_by: vec![u32::MAX; self.rows as usize],
                pivots: None,
                at_pivots: false,
                probe_keys: ProbeKeys::default(),
                rows: self.rows,
                row: worker * block,
                inner: 0,
                cursor: Cursor::default(),
                candidates: Vec::new(),
                stats: Stats::default(),
            })
            .collect();
        let mut all = vec![self];
        all.extend(others);
        all
    }

    /// The row that this worker probes after `row`.
    fn after(&self, row: u32) -> u32 {
        let block = self.spec.blocks.probes;
        match (row + 1).is_multiple_of(block) {
            false => row + 1,
            true => (row + 1).saturating_add((self.workers - 1).saturating_mul(block)),
        }
    }

    /// Counts of the work done so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Bytes held, without the rows.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.index.memory()
            + self.verifier.memory()
            + size_of::<u32>() * self.seen_by.capacity()
            + self.pivots.as_ref().map_or(0, Pivots::memory)
    }

    /// Bytes that each worker after the first holds for `rows` rows.
    #[must_use]
    pub fn memory_of_worker(rows: usize) -> usize {
        rows.saturating_mul(size_of::<u32>())
    }

    /// An upper bound of the bytes held while indexing `rows` rows with `keys` keys in all, `owned` of which
    /// belong to the part. `tokens` is the number of tokens of all sets, if sets are compared.
    #[must_use]
    pub fn memory_for(rows: usize, keys: usize, owned: usize, tokens: Option<usize>) -> usize {
        // For each row: seen_by, length, and seen_by and similar_to of pivots. For each key: its number. For each
        // owned key: its entry in the sort order and, if several rows hold the key, row and position of each
        // posting, and for each of up to four lists a count (twice while zones are counted), a start and an end.
        rows.saturating_mul(16)
            .saturating_add(keys.saturating_mul(4))
            .saturating_add(owned.saturating_mul(44))
            .saturating_add(tokens.map_or(0, |tokens| Sketches::memory_for(rows, tokens)))
    }

    /// The next pairs, at most `max_pairs` (at least 1); `None` when there are no more. A batch may
    /// be short, or empty, before the end. `input` is that of [`Self::new`].
    pub fn next_batch(&mut self, input: &PairInput<'_>, max_pairs: usize) -> Option<PairBatch> {
        if !self.has_row() {
            return None;
        }
        let mut batch = PairBatch::default();
        let mut work = WORK;
        while work > 0 && self.has_row() {
            if !self.probe_row(input, max_pairs.max(1), &mut batch, &mut work) {
                break;
            }
            self.row = match self.at_pivots {
                true => self.row + 1,
                false => self.after(self.row),
            };
            self.cursor = Cursor::default();
        }
        self.stats.pairs += batch.len() as u64;
        Some(batch)
    }

    /// Whether there is a row to probe. After the last row, starts again at the first one with pivots, if there
    /// are any.
    fn has_row(&mut self) -> bool {
        if self.row >= self.rows && !self.at_pivots && self.pivots.is_some() {
            self.at_pivots = true;
            self.row = 0;
        }
        self.row < self.rows
    }

    /// Probes the current row from the cursor on; false if it has to be continued in the next batch.
    fn probe_row(
        &mut self,
        input: &PairInput<'_>,
        max_pairs: usize,
        batch: &mut PairBatch,
        work: &mut u64,
    ) -> bool {
        let row = self.row;
        let keys = input.keys.range(row as usize);
        let side = input.side_of(row as usize);
        if !self.cursor.begun {
            self.cursor.begun = true;
            self.seen_by[row as usize] = row;
            self.inner = self.index.inner_zone(input, &self.spec, row as usize);
            self.verifier.begin(row, side);
            *work = work.saturating_sub(1 + keys.len() as u64);
        }
        while self.cursor.step < keys.len() {
            let key = self.cursor.step;
            let slot = self.index.slot(keys.start + key);
            if let Some(slot) = slot.filter(|slot| slot.is_oversized() == self.at_pivots) {
                let bucket = self.index.oversized_at(slot);
                if !self.cursor.gathered {
                    self.candidates.clear();
                    match bucket {
                        Some(bucket) => self.gather_pivots(bucket, side),
                        None => {
                            let inner = key < self.inner;
                            let (first, second) = self.index.compared(slot, side, inner);
                            self.gather(first);
                            if let Some(second) = second {
                                self.gather(second);
                            }
                        }
                    }
                    self.filter(input, key, work);
                    self.cursor.gathered = true;
                }
                if !self.verify_candidates(input, side, max_pairs, batch, work) {
                    return false;
                }
                if let (Some(bucket), Some(pivots)) = (bucket, &mut self.pivots)
                    && !pivots.add_if_needed((bucket, side), (row, key as u32), self.cursor.links)
                {
                    self.stats.rows_without_pivot += 1;
                }
            }
            self.cursor = Cursor {
                begun: true,
                step: self.cursor.step + 1,
                ..Cursor::default()
            };
        }
        true
    }

    /// Drops candidates that do not pass the filters. `position` is that of the current key among the keys of
    /// the current row.
    fn filter(&mut self, input: &PairInput<'_>, position: usize, work: &mut u64) {
        let gathered = self.candidates.len() as u64;
        *work = work.saturating_sub(gathered * FILTER_WORK);

        let row = self.row;
        let keys = input.keys.row(row as usize);
        let one_owner = self.spec.parts > 1 && !self.spec.repeats_pairs();
        // Whether the current key is the first one that the rows share.
        let first = self.spec.parts == 1 && self.index.complete;
        let Self {
            candidates,
            verifier,
            probe_keys,
            stats,
            spec,
            ..
        } = self;
        let position_qualifies = |candidate: &Candidate, first| {
            !spec.prefixes || verifier.position_qualifies(candidate, position, first)
        };
        candidates.retain_mut(|candidate| {
            if !input.may_pair(row, candidate.row) {
                return false;
            }
            stats.candidates += 1;
            let Some(needed) = verifier.needed(candidate.row) else {
                return false;
            };
            candidate.needed = needed;
            if !position_qualifies(candidate, first) || !verifier.sketch_qualifies(row, candidate) {
                return false;
            }
            if !one_owner {
                return true;
            }
            let others = input.keys.row(candidate.row as usize);
            let earlier = others.get(..candidate.position as usize).unwrap_or(others);
            !probe_keys.share_any(row, keys, earlier) && position_qualifies(candidate, true)
        });
    }

    /// Adds the rows of a list that have not been candidates of the current row before.
    #[inline]
    fn gather(&mut self, list: List) {
        let row = self.row;
        let (rows, positions) = self.index.members(list);
        for (&other, &position) in rows.iter().zip(positions) {
            if other >= row {
                break;
            }
            let seen_by = &mut self.seen_by[other as usize];
            if *seen_by != row {
                *seen_by = row;
                self.candidates.push(Candidate {
                    row: other,
                    position,
                    needed: 0,
                });
            }
        }
    }

    /// Adds the pivots of a bucket that have not been candidates of the current row before, and counts those
    /// that it was found similar to in an earlier bucket.
    fn gather_pivots(&mut self, bucket: usize, side: usize) {
        let Some(mut pivots) = self.pivots.take() else {
            return;
        };
        let row = self.row;
        for at in 0..pivots.compared(bucket, side).len() {
            let (other, position) = pivots.compared(bucket, side)[at];
            if other >= row {
                break;
            }
            self.stats.pairs_not_compared = self.stats.pairs_not_compared.saturating_sub(1);
            match pivots.mark_seen(row, other) {
                EarlierComparison::First => self.candidates.push(Candidate {
                    row: other,
                    position,
                    needed: 0,
                }),
                EarlierComparison::Similar => self.cursor.links += 1,
                EarlierComparison::Different => {}
            }
        }
        self.pivots = Some(pivots);
    }

    /// Verifies the candidates gathered; false if this has to be continued in the next batch.
    #[inline]
    fn verify_candidates(
        &mut self,
        input: &PairInput<'_>,
        side: usize,
        max_pairs: usize,
        batch: &mut PairBatch,
        work: &mut u64,
    ) -> bool {
        let row = self.row;
        while let Some(candidate) = self.candidates.get(self.cursor.candidate) {
            if batch.len() >= max_pairs || *work == 0 {
                return false;
            }
            self.cursor.candidate += 1;
            if self.spec.verify != Verify::None {
                self.stats.verified += 1;
                *work = work.saturating_sub(VERIFY_WORK);
            }
            let Some(similarity) = self.verifier.similarity(input, row, candidate) else {
                continue;
            };
            let other = candidate.row;
            if self.at_pivots
                && let Some(pivots) = &mut self.pivots
            {
                self.cursor.links += 1;
                pivots.mark_similar(row, other);
                let keys = |row: u32| input.keys.range(row as usize);
                if pivots.share_another(&self.index, (row, keys(row)), keys(other)) {
                    // The pair is reported at that bucket.
                    continue;
                }
            }
            let swap = input.side.is_some() && side == 0;
            let (a, b) = if swap { (row, other) } else { (other, row) };
            batch.push(a, b, similarity);
        }
        true
    }
}
