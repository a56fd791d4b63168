//! A block of rows, and the probes of rows against it.

use super::super::first_key::ProbeKeys;
use super::super::index::inner_zone_of;
use super::super::jaccard_probe::JaccardProbe;
use super::super::sketch::{Sketches, different_bits};
use super::super::spec::PairError;
use super::super::stats::Stats;
use super::bucket_tiles::{self, BucketTiles, TileProbe};
use super::differences::{DifferenceProbe, Differences, MIN_ROWS};
use super::oversized_keys::OversizedKeys;
use super::postings::{Entry, Lookup, Postings};
use super::rows::{Role, SetRow, SetRows};
use crate::bounds;
use crate::is_marked;
use crate::prefetch::prefetch;

/// The number of entries whose rows are loaded at a time.
const WAITING: usize = 64;

/// Where a row is.
#[derive(Debug, Clone, Copy)]
struct Place {
    portion: u32,
    /// The number of the row in the portion.
    row: u32,
    /// The number of tokens of its set.
    length: u32,
}

/// The rows of a block, numbered from 0 through all portions, with an index of their keys.
#[derive(Debug)]
pub struct Block {
    portions: Vec<SetRows>,
    places: Vec<Place>,
    sketches: Sketches,
    postings: Postings,
    tiles: BucketTiles,
    differences: Differences,
    threshold: f64,
    /// Whether the keys are prefixes of the sets, so that positions filter.
    prefixes: bool,
    /// Whether no bucket is oversized, so that rows are compared at every key that they share.
    complete: bool,
    two_sides: bool,
    part: Option<KeyPart>,
}

/// One of several joins that divide the pairs ([`crate::LengthParts`]). A pair whose rows share a key that is not marked
/// belongs to the home of one of its rows, to which the other row is [`Role::Later`]. Other pairs are found by the joins
/// that own one of the marked keys which the rows share ([`crate::FrequentKeys::mark`]), as is the bucket of such a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPart {
    /// The number of this join, below `parts`.
    pub part: u32,
    /// The number of joins, at least 1.
    pub parts: u32,
}

impl KeyPart {
    /// Whether this join compares rows at a key.
    #[inline]
    #[must_use]
    pub fn owns(self, key: u64) -> bool {
        !is_marked(key) || key % u64::from(self.parts) == u64::from(self.part)
    }

    /// Whether this join looks for partners of a row at a key.
    #[inline]
    #[must_use]
    pub fn probes(self, role: Role, key: u64) -> bool {
        (role != Role::Earlier || is_marked(key)) && self.owns(key)
    }

    /// Whether this join finds a row at a key: its other rows are found at their homes, where partners look for them.
    #[inline]
    #[must_use]
    pub fn indexes(self, role: Role, key: u64) -> bool {
        (role == Role::Home || is_marked(key)) && self.owns(key)
    }
}

/// What a block does, besides its rows.
#[derive(Debug, Clone, Copy)]
pub struct BlockSpec {
    /// The minimal similarity of a pair, in (0, 1].
    pub threshold: f64,
    /// Whether the keys of a row are the first tokens of its set in one total order of all tokens.
    pub prefixes: bool,
    /// Whether only rows of different sides pair.
    pub two_sides: bool,
    /// Which of several joins this is; `None`: the only one.
    pub part: Option<KeyPart>,
}

impl BlockSpec {
    /// Whether rows are compared at a key.
    #[inline]
    #[must_use]
    pub fn owns(&self, key: u64) -> bool {
        self.part.is_none_or(|part| part.owns(key))
    }

    /// Whether a row is found at a key ([`KeyPart::indexes`]).
    #[inline]
    #[must_use]
    pub fn indexes(&self, role: Role, key: u64) -> bool {
        self.part.is_none_or(|part| part.indexes(role, key))
    }
}

impl Block {
    /// Indexes the rows of several portions. Keys of oversized buckets are left out: [`super::PivotJoin`] handles them.
    ///
    /// # Errors
    /// If there are more rows or keys than `u32` can number, or the threshold is out of range.
    pub fn new(
        portions: Vec<SetRows>,
        spec: BlockSpec,
        oversized: &OversizedKeys,
    ) -> Result<Self, PairError> {
        if !(spec.threshold > 0.0 && spec.threshold <= 1.0) {
            return Err(PairError::Threshold(spec.threshold));
        }
        let rows: usize = portions.iter().map(SetRows::len).sum();
        // `u32::MAX` means "no row".
        if rows >= u32::MAX as usize {
            return Err(PairError::Rows(rows));
        }
        let tokens = portions.iter().map(|rows| rows.tokens()).sum();
        let mut places = Vec::with_capacity(rows);
        let mut sketches = Sketches::with_capacity(rows, tokens);
        for (number, portion) in portions.iter().enumerate() {
            for (at, row) in portion.iter().enumerate() {
                places.push(Place {
                    portion: number as u32,
                    row: at as u32,
                    length: u32::try_from(row.set.len()).unwrap_or(u32::MAX),
                });
                sketches.push(row.set);
            }
        }
        let all = || portions.iter().flat_map(SetRows::iter);
        // Other joins own marked keys.
        let is_divided =
            spec.part.is_some() && all().any(|row| row.keys.iter().any(|&key| is_marked(key)));
        let complete = oversized.is_empty() && !is_divided;
        let zoned = complete && spec.prefixes;
        let is_indexed = |role: Role, key: u64| {
            spec.indexes(role, key) && (oversized.is_empty() || !oversized.contains(key))
        };
        let keys = all().map(|row| match spec.part {
            None => row.keys.len(),
            Some(part) => {
                let keys = row.keys.iter();
                keys.filter(|&&key| part.indexes(row.role, key)).count()
            }
        });
        let keys = keys.sum();
        let postings = Postings::build(keys, |visit| {
            for (number, row) in all().enumerate() {
                let inner = match zoned {
                    true => inner_zone_of(row.set.len(), spec.threshold),
                    false => usize::MAX,
                };
                for (position, &key) in row.keys.iter().enumerate() {
                    if is_indexed(row.role, key) {
                        visit(key, number as u32, position as u32, position >= inner);
                    }
                }
            }
        })?;
        let longest = places.iter().map(|place| place.length).max();
        let tiles = BucketTiles::of(
            postings.large_buckets(bucket_tiles::MIN_ROWS),
            |entry| postings.row(entry),
            &sketches,
            (tokens, longest.unwrap_or(0) as usize),
            spec.threshold,
        );
        let mut block = Self {
            portions,
            places,
            sketches,
            postings,
            tiles,
            differences: Differences::default(),
            threshold: spec.threshold,
            prefixes: spec.prefixes,
            complete,
            two_sides: spec.two_sides,
            part: spec.part,
        };
        block.differences = Differences::of(
            rows,
            tokens,
            |row| block.set(row),
            |row, visit| block.visit_first_rows(row, visit),
        );
        Ok(block)
    }

    /// Calls `visit` with the first row of each bucket of at least [`MIN_ROWS`] rows that a row is in, until it returns
    /// true.
    fn visit_first_rows(&self, row: u32, visit: &mut dyn FnMut(u32) -> bool) {
        for &key in self.row(self.places[row as usize]).keys {
            let group = self.postings.group(key, Lookup::Held);
            let bucket = self.postings.bucket(key, group);
            if let Some(first) = bucket.inners.first()
                && bucket.len() >= MIN_ROWS
                && visit(first.row)
            {
                return;
            }
        }
    }

    /// An upper bound of the bytes of a block, without its portions.
    #[must_use]
    pub fn memory_for(rows: usize, keys: usize, tokens: usize) -> usize {
        Postings::memory_for(keys)
            .saturating_add(Sketches::memory_for(rows, tokens))
            .saturating_add(BucketTiles::memory_for(keys, tokens))
            .saturating_add(Differences::memory_for(rows, tokens))
            .saturating_add(rows.saturating_mul(size_of::<Place>()))
    }

    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        let portions: usize = self.portions.iter().map(SetRows::memory).sum();
        portions
            + self.places.capacity() * size_of::<Place>()
            + self.sketches.memory()
            + self.postings.memory()
            + self.tiles.memory()
            + self.differences.memory()
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The side of a row; 0 if there is no such row.
    #[must_use]
    pub fn side(&self, row: u32) -> u8 {
        let place = self.places.get(row as usize);
        place.map_or(0, |&place| self.row(place).side)
    }

    /// The first position of a probed row of this length from which it is not compared with outer entries.
    fn inner_zone(&self, length: usize) -> usize {
        match self.complete && self.prefixes {
            true => inner_zone_of(length, self.threshold),
            false => usize::MAX,
        }
    }

    /// The groups of the entries of the keys of a row, of which those of other joins have none. The loads are independent
    /// of each other, so that the processor overlaps them.
    #[inline]
    fn groups(&self, keys: &[u64], role: Role, is_own: bool, groups: &mut Vec<(u32, u32)>) {
        groups.clear();
        groups.extend(keys.iter().map(|&key| match self.part {
            Some(part) if !part.probes(role, key) => (0, 0),
            // A row may look for others at a key at which it is not found itself.
            Some(_) => self.postings.group(key, Lookup::Held),
            None if is_own => self.postings.group(key, Lookup::Shared),
            None => self.postings.group(key, Lookup::Held),
        }));
        for &group in &*groups {
            self.postings.prefetch(group);
        }
    }

    /// A row.
    #[inline]
    fn row(&self, place: Place) -> SetRow<'_> {
        self.portions[place.portion as usize].row(place.row as usize)
    }

    /// The set of a row.
    #[inline]
    fn set(&self, row: u32) -> &[u64] {
        self.row(self.places[row as usize]).set
    }
}

/// A row of a block that is similar to a probed row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarRow {
    /// The number of the row in its block.
    pub row: u32,
    /// The Jaccard similarity of the sets.
    pub similarity: f64,
}

/// The state of one worker that probes rows.
#[derive(Debug)]
pub struct Prober {
    /// For each row of the block: the last probe that it was a candidate of.
    seen_by: Vec<u32>,
    /// The number of the current probe, from 1.
    number: u32,
    probe: JaccardProbe,
    differences: DifferenceProbe,
    /// The sketch of the probed row.
    sketch: Vec<u64>,
    tile_probe: TileProbe,
    /// The groups of the entries of the keys of the probed row.
    groups: Vec<(u32, u32)>,
    /// The positions of entries of a bucket whose sketches are near that of the probed row.
    near: Vec<u32>,
    /// Entries that will be compared, each with the position of the key in the probed row, while what is read of their rows is loaded.
    waiting: Vec<(u32, Entry)>,
    /// The keys of the probed row, if the join is one of several.
    keys: ProbeKeys,
    stats: Stats,
}

impl Prober {
    /// A worker that probes rows against blocks of this threshold.
    #[must_use]
    pub fn new(threshold: f64) -> Self {
        Self {
            seen_by: Vec::new(),
            number: 0,
            probe: JaccardProbe::new(threshold),
            differences: DifferenceProbe::default(),
            sketch: Vec::new(),
            tile_probe: TileProbe::default(),
            groups: Vec::new(),
            near: Vec::new(),
            waiting: Vec::with_capacity(WAITING),
            keys: ProbeKeys::default(),
            stats: Stats::default(),
        }
    }

    /// The bytes held for a block of this number of rows.
    #[must_use]
    pub fn memory_for(rows: usize) -> usize {
        rows.saturating_mul(2 * size_of::<u32>())
    }

    /// Counts of the work done so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Makes a block the one that is probed.
    pub fn begin(&mut self, block: &Block) {
        self.seen_by.clear();
        self.seen_by.shrink_to(block.len());
        self.seen_by.resize(block.len(), 0);
        self.keys = ProbeKeys::default();
        self.number = 0;
    }

    /// Appends the rows of the block before `row` that are similar to it. Returns the work done, in units of about a
    /// nanosecond.
    pub fn probe_own(&mut self, block: &Block, row: u32, found: &mut Vec<SimilarRow>) -> usize {
        match block.places.get(row as usize) {
            Some(&place) => {
                (self.differences).begin_own(&block.differences, row, |row| block.set(row));
                self.probe(block, block.row(place), row, found)
            }
            None => 0,
        }
    }

    /// Appends the rows of the block that are similar to a row outside of it. Returns the work done, in units of about
    /// a nanosecond.
    pub fn probe_other(
        &mut self,
        block: &Block,
        row: SetRow<'_>,
        found: &mut Vec<SimilarRow>,
    ) -> usize {
        self.differences.begin();
        self.probe(block, row, u32::MAX, found)
    }

    /// Whether a row outside of the block may be similar to one of its rows: it shares a key with one, and their
    /// lengths and the positions of the key do not rule the pair out. `length` is the number of tokens of its set.
    ///
    /// The set itself is not needed, so that it has to be computed only if this is true.
    pub fn may_pair(&mut self, block: &Block, row: SetRow<'_>, length: usize) -> bool {
        let SetRow {
            keys, side, role, ..
        } = row;
        self.probe.begin(length);
        let inner = block.inner_zone(length);
        let mut groups = std::mem::take(&mut self.groups);
        block.groups(keys, role, false, &mut groups);
        let mut found = false;
        for (position, (&key, &group)) in keys.iter().zip(&groups).enumerate() {
            if group.0 == group.1 {
                continue;
            }
            let bucket = block.postings.bucket(key, group);
            let outers = match position < inner {
                true => bucket.outers,
                false => &[],
            };
            found = bucket.inners.iter().chain(outers).any(|entry| {
                let place = block.places[entry.row as usize];
                let positions = (position as u32, entry.position());
                (!block.two_sides || block.row(place).side != side)
                    && (self.needed(block, place.length as usize, positions)).is_some()
            });
            if found {
                break;
            }
        }
        self.groups = groups;
        found
    }

    /// Appends the rows below `below` that are similar to a row.
    fn probe(
        &mut self,
        block: &Block,
        row: SetRow<'_>,
        below: u32,
        found: &mut Vec<SimilarRow>,
    ) -> usize {
        let before = found.len();
        // `u32::MAX` means "no row".
        if self.number == u32::MAX - 1 {
            self.seen_by.fill(0);
            self.keys = ProbeKeys::default();
            self.number = 0;
        }
        self.number += 1;
        self.probe.begin(row.set.len());
        block.sketches.fill(&mut self.sketch, row.set);
        self.tile_probe = (block.tiles).begin(&self.sketch, row.set.len(), block.threshold);
        let inner = block.inner_zone(row.set.len());
        let mut groups = std::mem::take(&mut self.groups);
        block.groups(row.keys, row.role, below != u32::MAX, &mut groups);
        let mut read = row.keys.len();
        for (position, (&key, &group)) in row.keys.iter().zip(&groups).enumerate() {
            if group.0 == group.1 {
                continue;
            }
            let bucket = block.postings.bucket(key, group);
            let outers = (position < inner).then_some(bucket.outers);
            let mut start = 0;
            for entries in [bucket.inners, outers.unwrap_or_default()] {
                let zone = (start, entries);
                start += entries.len();
                if bucket.len() >= bucket_tiles::MIN_ROWS {
                    let row = (row, position);
                    let work = self.probe_tiles(block, row, bucket.start, zone, below, found);
                    if let Some(work) = work {
                        read += work;
                        continue;
                    }
                }
                for entry in entries {
                    if entry.row >= below {
                        break;
                    }
                    read += 1;
                    self.wait(block, row, (position as u32, *entry), found);
                }
            }
        }
        self.compare_waiting(block, row, found);
        self.groups = groups;
        self.stats.pairs += (found.len() - before) as u64;
        2 * read + 200
    }

    /// Compares the probed row with the entries of a zone of a large bucket that are below a row: by their tiles, then
    /// one by one. The zone begins at this position in the bucket. Returns the work done, in the unit of entries;
    /// `None` if the bucket has no tiles.
    fn probe_tiles(
        &mut self,
        block: &Block,
        (row, position): (SetRow<'_>, usize),
        bucket: usize,
        (start, zone): (usize, &[Entry]),
        below: u32,
        found: &mut Vec<SimilarRow>,
    ) -> Option<usize> {
        let entries = zone.partition_point(|entry| entry.row < below);
        let range = start..start + entries;
        let mut near = std::mem::take(&mut self.near);
        let has_tiles = (block.tiles).near(bucket, range, &self.tile_probe, &mut near);
        for &at in &near {
            let entry = zone[at as usize - start];
            self.wait(block, row, (position as u32, entry), found);
        }
        self.stats.candidates += if has_tiles { entries - near.len() } else { 0 } as u64;
        let work = near.len() + entries.div_ceil(bucket_tiles::ENTRIES_AT_A_TIME);
        self.near = near;
        has_tiles.then_some(work)
    }

    /// The number of common tokens that the probed row and one of `length` tokens, which share the key at these
    /// positions, need to be similar; `None` if their lengths or the positions rule it out.
    #[inline]
    fn needed(&self, block: &Block, length: usize, positions: (u32, u32)) -> Option<u32> {
        let needed = self.probe.needed(length)?;
        let qualifies = !block.prefixes
            || (self.probe).position_qualifies(length, positions, block.complete, needed);
        qualifies.then_some(needed)
    }

    /// Compares the probed row later with one that shares the key at this position.
    #[inline]
    fn wait(
        &mut self,
        block: &Block,
        row: SetRow<'_>,
        (position, entry): (u32, Entry),
        found: &mut Vec<SimilarRow>,
    ) {
        let other = entry.row as usize;
        prefetch(&self.seen_by, other);
        prefetch(&block.places, other);
        block.sketches.prefetch(other);
        self.waiting.push((position, entry));
        if self.waiting.len() == WAITING {
            self.compare_waiting(block, row, found);
        }
    }

    /// Compares the probed row with those that wait for it, in their order.
    fn compare_waiting(&mut self, block: &Block, row: SetRow<'_>, found: &mut Vec<SimilarRow>) {
        let mut waiting = std::mem::take(&mut self.waiting);
        for (position, entry) in waiting.drain(..) {
            self.compare(block, row, position, entry, found);
        }
        self.waiting = waiting;
    }

    /// Compares the probed row with one that shares the key at `position`.
    #[inline]
    fn compare(
        &mut self,
        block: &Block,
        row: SetRow<'_>,
        position: u32,
        entry: Entry,
        found: &mut Vec<SimilarRow>,
    ) {
        let seen_by = &mut self.seen_by[entry.row as usize];
        if *seen_by == self.number {
            return;
        }
        *seen_by = self.number;
        let place = block.places[entry.row as usize];
        if block.two_sides && block.row(place).side == row.side {
            return;
        }
        self.stats.candidates += 1;
        let length = place.length as usize;
        let positions = (position, entry.position());
        let Some(needed) = self.needed(block, length, positions) else {
            return;
        };
        if let Some(sketch) = block.sketches.row(entry.row as usize) {
            let different = different_bits(&self.sketch, sketch);
            if !self.probe.sketch_qualifies(length, different, needed) {
                return;
            }
        }
        let other = block.row(place);
        // At marked keys rows meet whose other keys are compared at their homes.
        let is_compared_here = other.role == Role::Home && row.role != Role::Earlier;
        if block.part.is_some() && !is_compared_here && is_marked(row.keys[position as usize]) {
            let unmarked = other.keys.iter().copied().filter(|&key| !is_marked(key));
            let shared = self.keys.first_shared(self.number, row.keys, unmarked);
            if shared.is_some() {
                return;
            }
        }
        self.stats.verified += 1;
        if let Some(overlap) = self.overlap(block, row.set, entry.row, needed) {
            found.push(SimilarRow {
                row: entry.row,
                similarity: bounds::jaccard(overlap, row.set.len() + length),
            });
        }
    }

    /// The number of common tokens of the probed row, with this set, and a row of the block, if they are at least
    /// `needed`.
    #[inline]
    fn overlap(&mut self, block: &Block, set: &[u64], row: u32, needed: u32) -> Option<usize> {
        let other = block.set(row);
        if let Some(reference) = block.differences.reference(row)
            && (self.differences).resembles(set, reference, |reference| {
                (block.differences).set_of(reference, |row| block.set(row))
            })
        {
            let tokens = (set.len(), other.len());
            return (self.differences).overlap(tokens, &block.differences, row, needed);
        }
        self.probe.overlap(set, other, needed)
    }
}
