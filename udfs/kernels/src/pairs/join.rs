//! The join: rows in ascending order, each probed against the rows before it; then, where buckets are
//! oversized, each against the pivots before it.

use super::first_key::ProbeKeys;
use super::index::{KeyIndex, List};
use super::input::PairInput;
use super::pivots::{Met, Pivots};
use super::sketch::Sketches;
use super::spec::{PairError, Spec, Verify};
use super::stats::Stats;
use super::verify::{Candidate, Verifier};
use std::sync::Arc;

/// Work done before a batch is handed out even if it is not full, so that a caller can stop or let
/// others run: about 10 ms.
const WORK: u64 = 1 << 22;
/// The work of a candidate that is filtered, and of one that is verified, in postings read.
const FILTER_WORK: u64 = 8;
const VERIFY_WORK: u64 = 64;
/// Rows that a sharer takes in a row: few enough to spread the work, many enough to keep its cache.
const STRETCH: u32 = if cfg!(test) { 4 } else { 256 };

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

/// Where the probe of a row stands.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    /// The row is set up.
    begun: bool,
    /// Position among the row's keys.
    step: usize,
    /// The candidates met at that key are gathered.
    gathered: bool,
    /// The next of them to verify.
    candidate: usize,
    /// Pivots that the row resembles in the bucket of that key.
    links: usize,
}

/// A join in progress. It holds what it derives from the rows, not the rows: every call gets the
/// same [`PairInput`].
#[derive(Debug)]
pub struct PairJoin {
    spec: Spec,
    index: Arc<KeyIndex>,
    /// How many share the rows; each takes one stretch of [`STRETCH`] in turn.
    sharers: u32,
    verifier: Verifier,
    /// The probe row that met each row last.
    met: Vec<u32>,
    /// Oversized buckets, which one of those that share the rows looks at.
    pivots: Option<Pivots>,
    /// Rows have met at all other keys: now they meet pivots.
    at_pivots: bool,
    probe_keys: ProbeKeys,
    rows: u32,
    row: u32,
    /// Keys in the inner zone of the current row.
    inner: usize,
    cursor: Cursor,
    /// The candidates met at the current key.
    candidates: Vec<Candidate>,
    stats: Stats,
}

impl PairJoin {
    /// Indexes the keys. Time is linear in the keys, memory 16 to 40 bytes a key.
    ///
    /// # Errors
    ///
    /// If parameters are out of range, columns do not fit together, or there are more rows or keys
    /// than `u32` can number.
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
            met: vec![u32::MAX; rows],
            pivots: Pivots::of(&index, rows),
            at_pivots: false,
            probe_keys: ProbeKeys::default(),
            rows: rows as u32,
            row: 0,
            inner: 0,
            cursor: Cursor::default(),
            candidates: Vec::new(),
            spec,
            index: Arc::new(index),
            sharers: 1,
            stats,
        })
    }

    /// Divides the rows left to probe among `sharers` joins, which can run at the same time; together
    /// they report each pair as often as this one would, and their statistics add up. Which rows are pivots
    /// depends on the order of the rows: the first join looks at oversized buckets alone.
    #[must_use]
    pub fn share(mut self, sharers: usize) -> Vec<Self> {
        let most = self.rows.div_ceil(STRETCH).max(1) as usize;
        let sharers = sharers.clamp(1, most);
        if sharers == 1 || self.row > 0 || self.at_pivots {
            return vec![self];
        }
        self.sharers = sharers as u32;
        let others: Vec<Self> = (1..self.sharers)
            .map(|sharer| Self {
                spec: self.spec,
                index: Arc::clone(&self.index),
                sharers: self.sharers,
                verifier: self.verifier.share(),
                met: vec![u32::MAX; self.rows as usize],
                pivots: None,
                at_pivots: false,
                probe_keys: ProbeKeys::default(),
                rows: self.rows,
                row: sharer * STRETCH,
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

    /// The row to probe after `row`.
    fn after(&self, row: u32) -> u32 {
        match (row + 1).is_multiple_of(STRETCH) {
            false => row + 1,
            true => (row + 1).saturating_add((self.sharers - 1).saturating_mul(STRETCH)),
        }
    }

    /// What was done so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Bytes held, the rows apart.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.index.memory()
            + self.verifier.memory()
            + size_of::<u32>() * self.met.capacity()
            + self.pivots.as_ref().map_or(0, Pivots::memory)
    }

    /// Bytes that each further sharer of `rows` rows holds.
    #[must_use]
    pub fn memory_of_sharer(rows: usize) -> usize {
        rows.saturating_mul(size_of::<u32>())
    }

    /// An upper bound of the bytes held while indexing `keys` keys of `rows` rows, of which the part owns
    /// `owned`, and whose sets, where sets are compared, hold `tokens`.
    #[must_use]
    pub fn memory_for(rows: usize, keys: usize, owned: usize, tokens: Option<usize>) -> usize {
        // Rows: met, lengths, met and similar of pivots. Keys: number. Own keys: order and, of keys that are held
        // twice at least, row and position of each posting, and for each of up to four lists a count, twice while
        // zones are counted, a start and an end.
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

    /// Whether there is a row to probe; after the last one rows are probed against pivots, if there are any.
    fn has_row(&mut self) -> bool {
        if self.row >= self.rows && !self.at_pivots && self.pivots.is_some() {
            self.at_pivots = true;
            self.row = 0;
        }
        self.row < self.rows
    }

    /// Probes the current row from the cursor on; false if it is to be continued.
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
            self.met[row as usize] = row;
            self.inner = self.index.inner_zone(input, &self.spec, row as usize);
            self.verifier.begin(row);
            *work = work.saturating_sub(1 + keys.len() as u64);
        }
        while self.cursor.step < keys.len() {
            let key = self.cursor.step;
            let slot = self.index.slot(keys.start + key);
            if let Some(slot) = slot.filter(|slot| slot.is_giant() == self.at_pivots) {
                let bucket = self.index.oversized_at(slot);
                if !self.cursor.gathered {
                    self.candidates.clear();
                    match bucket {
                        Some(bucket) => self.meet_pivots(bucket, side),
                        None => {
                            let inner = key < self.inner;
                            let (first, second) = self.index.compared(slot, side, inner);
                            self.meet(first);
                            if let Some(second) = second {
                                self.meet(second);
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
                    && !pivots.settle((bucket, side), (row, key as u32), self.cursor.links)
                {
                    self.stats.unlinked += 1;
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

    /// Leaves the candidates, met at a key of the current row, that pass the filters.
    fn filter(&mut self, input: &PairInput<'_>, position: usize, work: &mut u64) {
        let met = self.candidates.len() as u64;
        *work = work.saturating_sub(met * FILTER_WORK);

        let row = self.row;
        let keys = input.keys.row(row as usize);
        let one_owner = self.spec.parts > 1 && !self.spec.repeats_pairs();
        // Met at the first key they share?
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
            !spec.prefix_filter || verifier.position_qualifies(candidate, position, first)
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

    /// Takes the rows of a list that the current row has not met before.
    #[inline]
    fn meet(&mut self, list: List) {
        let row = self.row;
        let (rows, positions) = self.index.members(list);
        for (&other, &position) in rows.iter().zip(positions) {
            if other >= row {
                break;
            }
            let met = &mut self.met[other as usize];
            if *met != row {
                *met = row;
                self.candidates.push(Candidate {
                    row: other,
                    position,
                    needed: 0,
                });
            }
        }
    }

    /// Takes the pivots of a bucket that the current row has not met before, and counts those that it was
    /// found similar to in another.
    fn meet_pivots(&mut self, bucket: usize, side: usize) {
        let Some(mut pivots) = self.pivots.take() else {
            return;
        };
        let row = self.row;
        for at in 0..pivots.compared(bucket, side).len() {
            let (other, position) = pivots.compared(bucket, side)[at];
            if other >= row {
                break;
            }
            self.stats.uncompared = self.stats.uncompared.saturating_sub(1);
            match pivots.meet(row, other) {
                Met::First => self.candidates.push(Candidate {
                    row: other,
                    position,
                    needed: 0,
                }),
                Met::Similar => self.cursor.links += 1,
                Met::Different => {}
            }
        }
        self.pivots = Some(pivots);
    }

    /// Verifies what was gathered; false if it is to be continued.
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
                pivots.resembles(row, other);
                let keys = |row: u32| input.keys.range(row as usize);
                if pivots.share_another(&self.index, (row, keys(row)), keys(other)) {
                    // Reported there.
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
