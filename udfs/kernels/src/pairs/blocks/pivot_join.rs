//! Oversized buckets: their rows are verified against pivots, as `pivots` describes.
//!
//! Rows come in runs, in ascending order of their ids; only pivots are held. Workers compare the rows of several runs at
//! a time with the pivots that there are ([`PivotProber`]). Then the rows are added one after the other
//! ([`PivotJoin::push`]): each is compared with the pivots that were added since then, and may become a pivot. So each
//! row is compared with all pivots before it, whatever the runs. Once the lists are full, nothing is left to add.

use super::super::jaccard_probe::JaccardProbe;
use super::super::sketch::{Sketches, different_bits, flip};
use super::super::spec::{MAX_PIVOTS, MIN_COVERING_PIVOTS};
use super::super::stats::Stats;
use super::block::{BlockSpec, SimilarRow};
use super::oversized_keys::OversizedKeys;
use super::rows::SetRow;
use std::ops::Range;
use std::sync::Arc;

/// A row that is a pivot of at least one bucket.
#[derive(Debug, Clone)]
struct Pivot {
    keys: Box<[u64]>,
    set: Box<[u64]>,
}

/// A pivot in the list of a bucket.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The number of the pivot.
    pivot: u32,
    /// The number of tokens of its set.
    length: u32,
}

/// The pivots of a bucket and side, in ascending order of their numbers.
#[derive(Debug, Clone, Default)]
struct List {
    entries: Vec<Entry>,
    /// The sketches of the pivots, one after the other.
    sketches: Vec<u64>,
}

impl List {
    fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.sketches.capacity() * size_of::<u64>()
    }
}

/// The pivots of all oversized buckets.
#[derive(Debug, Clone)]
pub struct PivotLists {
    spec: BlockSpec,
    oversized: Arc<OversizedKeys>,
    /// For each bucket and side.
    lists: Vec<List>,
    pivots: Vec<Pivot>,
    /// The number of words of a sketch.
    words: usize,
    /// Bytes of the elements of `lists` and `pivots`.
    bytes: usize,
}

impl PivotLists {
    fn sides(spec: &BlockSpec) -> usize {
        if spec.two_sides { 2 } else { 1 }
    }

    /// The number of pivots.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pivots.len()
    }

    /// Whether there are no pivots.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pivots.is_empty()
    }

    /// The pivots that the rows of a list are compared with: those of the other side, if there are two.
    #[inline]
    fn compared(&self, list: usize) -> &List {
        match self.spec.two_sides {
            true => &self.lists[list ^ 1],
            false => &self.lists[list],
        }
    }

    /// Whether there are pivots from this number on that a row in this bucket is compared with.
    fn has_newer(&self, bucket: Bucket, pivots: usize) -> bool {
        let last = self.compared(bucket.list as usize).entries.last();
        last.is_some_and(|last| last.pivot as usize >= pivots)
    }

    /// Whether a row in this bucket becomes a pivot of it, unless there are more pivots that it is similar to.
    fn takes(&self, bucket: Bucket) -> bool {
        let max_pivots = match bucket.links {
            0 => MAX_PIVOTS,
            _ => MAX_PIVOTS / 2,
        };
        (bucket.links as usize) < MIN_COVERING_PIVOTS
            && self.lists[bucket.list as usize].entries.len() < max_pivots
    }

    /// Adds the last pivot to a list.
    fn add_to(&mut self, list: usize, sketch: &[u64]) {
        let list = &mut self.lists[list];
        let length = self.pivots.last().map_or(0, |pivot| pivot.set.len());
        self.bytes -= list.memory();
        list.entries.push(Entry {
            pivot: self.pivots.len() as u32 - 1,
            length: u32::try_from(length).unwrap_or(u32::MAX),
        });
        list.sketches.extend_from_slice(sketch);
        self.bytes += list.memory();
    }

    fn add(&mut self, row: SetRow<'_>) {
        self.bytes += size_of_val(row.keys) + size_of_val(row.set);
        self.pivots.push(Pivot {
            keys: row.keys.into(),
            set: row.set.into(),
        });
    }

    /// Bytes held.
    fn memory(&self) -> usize {
        self.lists.capacity() * size_of::<List>()
            + self.pivots.capacity() * size_of::<Pivot>()
            + self.bytes
    }
}

/// An oversized bucket that a row is in.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// The list of the bucket and the side of the row.
    list: u32,
    /// The number of pivots that the row is similar to.
    links: u32,
}

/// A row that was compared.
#[derive(Debug, Clone, Copy)]
struct Compared {
    /// The number of pivots that there were.
    pivots: usize,
    /// The end of its oversized buckets.
    buckets: usize,
    /// The end of the pivots that it is similar to.
    found: usize,
}

/// The rows of a run, compared with the pivots that there were.
#[derive(Debug, Default)]
pub struct ComparedRows {
    rows: Vec<Compared>,
    buckets: Vec<Bucket>,
    found: Vec<SimilarRow>,
    stats: Stats,
}

impl ComparedRows {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.rows.capacity() * size_of::<Compared>()
            + self.buckets.capacity() * size_of::<Bucket>()
            + self.found.capacity() * size_of::<SimilarRow>()
    }

    /// The number of pivots that a row was compared with, and the ranges of its buckets and of its similar pivots.
    fn row(&self, row: usize) -> (usize, Range<usize>, Range<usize>) {
        let (buckets, found) = match row.checked_sub(1) {
            None => (0, 0),
            Some(before) => (self.rows[before].buckets, self.rows[before].found),
        };
        let row = self.rows[row];
        (row.pivots, buckets..row.buckets, found..row.found)
    }
}

/// The state of one worker that compares rows with pivots.
#[derive(Debug)]
pub struct PivotProber {
    /// For each pivot: twice the number of the last row that it was compared with, plus one if they are similar.
    seen_by: Vec<u32>,
    /// The number of the current row, from 1.
    number: u32,
    probe: JaccardProbe,
    /// The sketch of the current row.
    sketch: Vec<u64>,
    /// The keys of this join that the current row has and that are not oversized, ascending.
    others: Vec<u64>,
    stats: Stats,
}

impl PivotProber {
    /// A worker that compares rows with pivots at this threshold.
    #[must_use]
    pub fn new(threshold: f64) -> Self {
        Self {
            seen_by: Vec::new(),
            number: 0,
            probe: JaccardProbe::new(threshold),
            sketch: Vec::new(),
            others: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// The maximum number of bytes that are held for a number of pivots.
    #[must_use]
    pub fn memory_for(pivots: usize) -> usize {
        pivots.saturating_mul(2 * size_of::<u32>())
    }

    /// Compares the next row of a run with the pivots of its buckets.
    pub fn compare(&mut self, lists: &PivotLists, row: SetRow<'_>, run: &mut ComparedRows) {
        let start = run.buckets.len();
        let buckets = row
            .keys
            .iter()
            .filter_map(|&key| lists.oversized.number(key));
        run.buckets.extend(buckets.map(|bucket| Bucket {
            list: match lists.spec.two_sides {
                true => 2 * bucket as u32 + u32::from(row.side),
                false => bucket as u32,
            },
            links: 0,
        }));
        self.compare_from(lists, row, 0, &mut run.buckets[start..], &mut run.found);
        run.stats.add(&std::mem::take(&mut self.stats));
        run.rows.push(Compared {
            pivots: lists.len(),
            buckets: run.buckets.len(),
            found: run.found.len(),
        });
    }

    /// Compares a row with the pivots of its buckets from number `from` on: adds to the links of the buckets, and appends
    /// the pivots that it is similar to and shares no other bucket with.
    fn compare_from(
        &mut self,
        lists: &PivotLists,
        row: SetRow<'_>,
        from: usize,
        buckets: &mut [Bucket],
        found: &mut Vec<SimilarRow>,
    ) {
        if self.number == u32::MAX >> 1 {
            self.seen_by.fill(0);
            self.number = 0;
        }
        self.number += 1;
        self.seen_by.resize(lists.len(), 0);
        self.probe.begin(row.set.len());
        self.fill_sketch(lists, row.set);
        self.others.clear();
        let others = row.keys.iter();
        let others = others.filter(|&&key| lists.spec.owns(key) && !lists.oversized.contains(key));
        self.others.extend(others);
        self.others.sort_unstable();
        for bucket in buckets {
            let list = lists.compared(bucket.list as usize);
            let start = (list.entries).partition_point(|entry| (entry.pivot as usize) < from);
            let sketches = list.sketches.chunks_exact(lists.words).skip(start);
            for (&entry, sketch) in list.entries[start..].iter().zip(sketches) {
                bucket.links += u32::from(self.is_similar(lists, row, (entry, sketch), found));
            }
        }
    }

    fn fill_sketch(&mut self, lists: &PivotLists, set: &[u64]) {
        self.sketch.clear();
        self.sketch.resize(lists.words, 0);
        flip(&mut self.sketch, set);
    }

    /// Whether the row is similar to a pivot. The first time that they are compared, a similar pivot is reported, unless
    /// the rows share a bucket that is not oversized: there the pair is reported as well.
    #[inline]
    fn is_similar(
        &mut self,
        lists: &PivotLists,
        row: SetRow<'_>,
        (entry, sketch): (Entry, &[u64]),
        found: &mut Vec<SimilarRow>,
    ) -> bool {
        let seen_by = &mut self.seen_by[entry.pivot as usize];
        if *seen_by >> 1 == self.number {
            return *seen_by & 1 == 1;
        }
        *seen_by = self.number << 1;
        self.stats.candidates += 1;
        let length = entry.length as usize;
        let Some(needed) = self.probe.needed(length) else {
            return false;
        };
        let different = different_bits(&self.sketch, sketch);
        if !self.probe.sketch_qualifies(length, different, needed) {
            return false;
        }
        self.stats.verified += 1;
        let pivot = &lists.pivots[entry.pivot as usize];
        let Some(similarity) = self.probe.similarity(row.set, &pivot.set, needed) else {
            return false;
        };
        self.seen_by[entry.pivot as usize] |= 1;
        if !(pivot.keys.iter()).any(|key| self.others.binary_search(key).is_ok()) {
            found.push(SimilarRow {
                row: entry.pivot,
                similarity,
            });
        }
        true
    }
}

/// The rows of oversized buckets, added in ascending order of their ids.
#[derive(Debug)]
pub struct PivotJoin {
    lists: Arc<PivotLists>,
    prober: PivotProber,
    stats: Stats,
}

impl PivotJoin {
    /// A join without pivots yet, of rows that have `tokens` tokens in all.
    #[must_use]
    pub fn new(
        spec: BlockSpec,
        oversized: Arc<OversizedKeys>,
        (rows, tokens): (usize, usize),
    ) -> Self {
        Self {
            prober: PivotProber::new(spec.threshold),
            stats: oversized.stats,
            lists: Arc::new(PivotLists {
                lists: vec![List::default(); oversized.len() * PivotLists::sides(&spec)],
                pivots: Vec::new(),
                words: Sketches::words_for(rows, tokens),
                bytes: 0,
                spec,
                oversized,
            }),
        }
    }

    /// The maximum number of pivots.
    #[must_use]
    pub fn max_pivots(spec: &BlockSpec, oversized: &OversizedKeys) -> usize {
        let rows = usize::try_from(oversized.stats.rows_in_oversized_buckets).unwrap_or(usize::MAX);
        rows.min(oversized.len() * PivotLists::sides(spec) * MAX_PIVOTS)
    }

    /// The maximum number of bytes of the lists of pivots, for rows that have `tokens` tokens in all.
    #[must_use]
    pub fn memory_of_lists(
        spec: &BlockSpec,
        oversized: &OversizedKeys,
        (rows, tokens): (usize, usize),
    ) -> usize {
        let entry = size_of::<Entry>() + Sketches::words_for(rows, tokens) * size_of::<u64>();
        let lists = oversized.len() * PivotLists::sides(spec) * size_of::<List>();
        lists + 2 * Self::max_pivots(spec, oversized) * entry
    }

    /// The maximum number of bytes of this number of pivots with these numbers of keys and of tokens.
    #[must_use]
    pub fn memory_of_pivots(pivots: usize, keys: usize, tokens: usize) -> usize {
        2 * pivots * size_of::<Pivot>()
            + PivotProber::memory_for(pivots)
            + (keys + tokens) * size_of::<u64>()
    }

    /// Counts of the work done for the runs added so far, and of the pairs that are not compared.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.lists.memory() + PivotProber::memory_for(self.lists.len())
    }

    /// The pivots so far, for workers that compare rows. While others hold them, adding a pivot copies all of them.
    #[must_use]
    pub fn lists(&self) -> Arc<PivotLists> {
        Arc::clone(&self.lists)
    }

    /// Whether a row of the run may become a pivot.
    #[must_use]
    pub fn may_take(&self, run: &ComparedRows) -> bool {
        run.buckets.iter().any(|&bucket| self.lists.takes(bucket))
    }

    /// Whether [`Self::push`] reads the set of a row of a run: the row may become a pivot, or there are pivots that it has
    /// not been compared with.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn needs_set(&self, run: &ComparedRows, row: usize) -> bool {
        let (pivots, buckets, _) = run.row(row);
        let lists = &self.lists;
        let mut buckets = run.buckets[buckets].iter();
        buckets.any(|&bucket| lists.takes(bucket) || lists.has_newer(bucket, pivots))
    }

    /// Adds the row with this number in a run, after all rows before it, and appends the pivots that it is similar to and
    /// shares no other bucket with. Returns whether the row became a pivot, which then has the next number.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn push(
        &mut self,
        run: &mut ComparedRows,
        number: usize,
        row: SetRow<'_>,
        found: &mut Vec<SimilarRow>,
    ) -> bool {
        let before = found.len();
        let (pivots, buckets, similar) = run.row(number);
        found.extend_from_slice(&run.found[similar]);
        let buckets = &mut run.buckets[buckets];
        let lists = &self.lists;
        if buckets
            .iter()
            .any(|&bucket| lists.has_newer(bucket, pivots))
        {
            self.prober.compare_from(lists, row, pivots, buckets, found);
        }
        let mut is_pivot = false;
        for &bucket in buckets.iter() {
            let list = bucket.list as usize;
            let compared = self.lists.compared(list).entries.len() as u64;
            let left = self.stats.pairs_not_compared.saturating_sub(compared);
            self.stats.pairs_not_compared = left;
            if self.lists.takes(bucket) {
                let lists = Arc::make_mut(&mut self.lists);
                if !is_pivot {
                    lists.add(row);
                    self.prober.fill_sketch(lists, row.set);
                    is_pivot = true;
                }
                lists.add_to(list, &self.prober.sketch);
            } else if bucket.links == 0 {
                self.stats.rows_without_pivot += 1;
            }
        }
        self.stats.add(&std::mem::take(&mut run.stats));
        self.stats.add(&std::mem::take(&mut self.prober.stats));
        self.stats.pairs += (found.len() - before) as u64;
        is_pivot
    }
}

#[cfg(test)]
impl PivotLists {
    /// The pivots of the bucket of a key, of a side if there are two.
    pub(in super::super) fn of(&self, key: u64, side: u8) -> Vec<u32> {
        let Some(bucket) = self.oversized.number(key) else {
            return Vec::new();
        };
        let list = bucket * Self::sides(&self.spec) + usize::from(side);
        let entries = self.lists[list].entries.iter();
        entries.map(|entry| entry.pivot).collect()
    }
}
