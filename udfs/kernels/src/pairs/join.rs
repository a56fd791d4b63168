//! The join: rows in ascending order, each probed against the rows before it.

use super::first_key::ProbeKeys;
use super::index::{KeyIndex, Posting, Slot};
use super::input::PairInput;
use super::spec::{PairError, Spec, Verify};
use super::stats::Stats;
use super::verify::Verifier;

/// Work done before a batch is handed out even if it is not full, so that a caller can stop or let
/// others run: about 10 ms.
const WORK: u64 = 1 << 22;
/// The work of a candidate that is filtered, and of one that is verified, in postings read.
const FILTER_WORK: u64 = 8;
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

    fn push(&mut self, a: u32, b: u32, similarity: f64) {
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
    key: usize,
    /// Position in the list of that key.
    posting: usize,
    /// At this key, a giant, the row resembles a leader.
    linked: bool,
}

/// A join in progress. It holds what it derives from the rows, not the rows: every call gets the
/// same [`PairInput`].
#[derive(Debug)]
pub struct PairJoin {
    spec: Spec,
    index: KeyIndex,
    verifier: Verifier,
    /// The probe row that met each row last.
    met: Vec<u32>,
    /// The probe row that each row was found similar to last; only kept if there are giants.
    similar: Vec<u32>,
    probe_keys: ProbeKeys,
    rows: u32,
    row: u32,
    cursor: Cursor,
    stats: Stats,
}

impl PairJoin {
    /// Indexes the keys. Time is linear in the keys, memory about 16 bytes a key.
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
        let similar = if stats.giants > 0 { rows } else { 0 };
        Ok(Self {
            verifier: Verifier::new(input, &spec),
            met: vec![u32::MAX; rows],
            similar: vec![u32::MAX; similar],
            probe_keys: ProbeKeys::default(),
            rows: rows as u32,
            row: 0,
            cursor: Cursor::default(),
            spec,
            index,
            stats,
        })
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
            + size_of::<u32>() * (self.met.capacity() + self.similar.capacity())
    }

    /// An upper bound of the bytes held while indexing `keys` keys of `rows` rows.
    #[must_use]
    pub fn memory_for(rows: usize, keys: usize) -> usize {
        // Rows: met, similar, lengths. Keys: number, order, posting, and list ends of pairs of keys.
        rows.saturating_mul(12)
            .saturating_add(keys.saturating_mul(24))
    }

    /// The next pairs, at most `max_pairs` (at least 1); `None` when there are no more. A batch may
    /// be short, or empty, before the end. `input` is that of [`Self::new`].
    pub fn next_batch(&mut self, input: &PairInput<'_>, max_pairs: usize) -> Option<PairBatch> {
        if self.row >= self.rows {
            return None;
        }
        let mut batch = PairBatch::default();
        let mut work = WORK;
        while self.row < self.rows && work > 0 {
            if !self.probe_row(input, max_pairs.max(1), &mut batch, &mut work) {
                break;
            }
            self.row += 1;
            self.cursor = Cursor::default();
        }
        self.stats.pairs += batch.len() as u64;
        Some(batch)
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
            self.verifier.begin(row);
            *work = work.saturating_sub(1 + keys.len() as u64);
        }
        while self.cursor.key < keys.len() {
            let key = self.cursor.key;
            if let Some(slot) = self.index.slot(keys.start + key) {
                if !self.probe_key(input, slot, side, max_pairs, batch, work) {
                    return false;
                }
                let (_, own) = self.index.lists(slot, side);
                let posting = Posting {
                    row,
                    position: key as u32,
                };
                let stands_alone = !(slot.is_giant() && self.cursor.linked);
                if stands_alone && !self.index.join(own, posting) && slot.is_giant() {
                    self.stats.unlinked += 1;
                }
            }
            self.cursor = Cursor {
                begun: true,
                key: key + 1,
                posting: 0,
                linked: false,
            };
        }
        true
    }

    /// Compares the current row with those before it that hold the key at the cursor; false if it
    /// is to be continued.
    #[inline]
    fn probe_key(
        &mut self,
        input: &PairInput<'_>,
        slot: Slot,
        side: usize,
        max_pairs: usize,
        batch: &mut PairBatch,
        work: &mut u64,
    ) -> bool {
        let row = self.row;
        let (others, _) = self.index.lists(slot, side);
        let count = self.index.rows(others).len();
        while self.cursor.posting < count {
            let postings = &self.index.rows(others)[self.cursor.posting..];
            // Most rows of a list were met at an earlier key.
            let seen = postings
                .iter()
                .take_while(|posting| self.met[posting.row as usize] == row)
                .inspect(|posting| {
                    self.cursor.linked |=
                        slot.is_giant() && self.similar[posting.row as usize] == row;
                })
                .count();
            self.cursor.posting += seen;
            *work = work.saturating_sub(seen as u64);
            let Some(&posting) = postings.get(seen) else {
                return true;
            };
            if batch.len() >= max_pairs || *work == 0 {
                return false;
            }
            self.cursor.posting += 1;
            let other = posting.row;
            self.met[other as usize] = row;
            if !input.may_pair(row, other) {
                continue;
            }
            self.stats.candidates += 1;
            let Some(similarity) = self.verify(input, posting, work) else {
                continue;
            };
            if let Some(similar) = self.similar.get_mut(other as usize) {
                *similar = row;
                self.cursor.linked |= slot.is_giant();
            }
            let (a, b) = if input.side.is_some() && side == 0 {
                (row, other)
            } else {
                (other, row)
            };
            batch.push(a, b, similarity);
        }
        true
    }

    /// The similarity of a candidate, met at the key at the cursor, if it is a pair of this part.
    #[inline]
    fn verify(&mut self, input: &PairInput<'_>, posting: Posting, work: &mut u64) -> Option<f64> {
        let (row, other) = (self.row, posting.row);
        let (position, other_position) = (self.cursor.key, posting.position as usize);
        *work = work.saturating_sub(FILTER_WORK);
        if !self.verifier.length_qualifies(other) {
            return None;
        }
        let all_keys = self.spec.parts == 1 && self.index.complete;
        let position_qualifies = |first| {
            !self.spec.prefix_filter
                || self
                    .verifier
                    .position_qualifies(other, position, other_position, first)
        };
        if !position_qualifies(all_keys) {
            return None;
        }
        if self.spec.parts > 1 && !self.spec.repeats_pairs() {
            let keys = input.keys.row(row as usize);
            let earlier = input.keys.row(other as usize).get(..other_position)?;
            if self.probe_keys.share_any(row, keys, earlier) || !position_qualifies(true) {
                return None;
            }
        }
        if self.spec.verify != Verify::None {
            self.stats.verified += 1;
            *work = work.saturating_sub(VERIFY_WORK);
        }
        self.verifier.similarity(input, row, other)
    }
}
