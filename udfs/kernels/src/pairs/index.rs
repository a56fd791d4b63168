//! The inverted index from each key to the rows that hold it.
//!
//! Keys are numbered by a partitioned hash table: they are first partitioned by high bits of their hash, so
//! that the table of each partition fits into the cache. A key that only one row holds is dropped at once.
//! Each remaining key has posting *lists* of its rows, in ascending order: one for each side and *zone*. The
//! lists of an oversized bucket are empty, as `pivots` handles it.
//!
//! Zones belong to the prefix filter. The first `size - min_overlap(size, size) + 1` tokens of a set are its
//! inner zone; the rest of its prefix is the outer zone. The first token that a qualifying pair shares is in
//! the inner zone of the smaller set (Xiao et al. 2008, "indexing prefix"), so outer zones need not be
//! compared with each other. This holds only if rows are compared at every key they share, in this part and
//! all others. If buckets are oversized or capped there is therefore only one zone.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::input::{Items, PairInput};
use super::spec::{PairError, Spec};
use super::stats::Stats;
use crate::bounds::min_overlap;

/// The number of keys that cannot lead to a pair and have no list.
pub(super) const NONE: u32 = u32::MAX;
/// The bit that marks the number of the key of an oversized bucket.
const OVERSIZED: u32 = 1 << 31;
/// The average number of keys of a partition.
const PARTITION: usize = 4096;

/// The number of a key, with the mark of an oversized bucket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot(u32);

impl Slot {
    /// Whether the key belongs to an oversized bucket.
    #[inline]
    pub(super) fn is_oversized(self) -> bool {
        self.0 & OVERSIZED != 0
    }

    /// The number itself.
    #[inline]
    pub(super) fn number(self) -> u32 {
        self.0 & !OVERSIZED
    }
}

/// The number of a list of rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct List(usize);

#[derive(Debug)]
pub(super) struct KeyIndex {
    /// The number of each key of the input, or `NONE`.
    slots: Vec<u32>,
    /// The number of sides: 1 or 2.
    sides: usize,
    /// The number of zones of each side: 1 or 2.
    zones: usize,
    /// Where each list begins, and where the last one ends.
    starts: Vec<u32>,
    /// Where each list ends so far.
    ends: Vec<u32>,
    /// The rows of all lists.
    rows: Vec<u32>,
    /// For each of these rows, the position of the list's key among the keys of the row.
    positions: Vec<u32>,
    /// The numbers of the keys of oversized buckets, ascending.
    oversized: Vec<u32>,
    /// Whether rows are compared at every key they share.
    pub(super) complete: bool,
}

impl KeyIndex {
    pub(super) fn build(
        input: &PairInput<'_>,
        spec: &Spec,
        stats: &mut Stats,
    ) -> Result<Self, PairError> {
        let too_many = || PairError::Keys(input.keys.values().len());
        let (mut slots, keys) = number_keys(input, spec, stats);
        let sides = if input.side.is_some() { 2 } else { 1 };
        if keys > OVERSIZED as usize / 4 {
            return Err(too_many());
        }

        let mut counts = vec![0u32; keys * sides];
        // The numbers of rows beyond the cap; empty if there are none.
        let mut beyond: Vec<u32> = Vec::new();
        let cap = spec
            .max_bucket
            .map_or(u32::MAX, |cap| u32::try_from(cap).unwrap_or(u32::MAX));
        for row in 0..input.keys.rows() {
            let side = input.side_of(row);
            for slot in slots[input.keys.range(row)]
                .iter_mut()
                .filter(|slot| **slot != NONE)
            {
                let number = *slot as usize * sides + side;
                let count = &mut counts[number];
                if *count < cap {
                    *count += 1;
                } else {
                    *slot = NONE;
                    stats.rows_beyond_max_bucket += 1;
                    if beyond.is_empty() {
                        beyond = vec![0; keys * sides];
                    }
                    beyond[number] += 1;
                }
            }
        }
        for (counts, beyond) in counts.chunks_exact(sides).zip(beyond.chunks_exact(sides)) {
            let all = [0, 1].map(|side| Some(u64::from(counts.get(side)? + beyond[side])));
            let compared = [0, 1].map(|side| counts.get(side).map(|&n| n.into()));
            let lost = pairs_in_bucket(all) - pairs_in_bucket(compared);
            stats.capped_buckets += u64::from(beyond.iter().any(|&rows| rows > 0));
            stats.pairs_not_compared += lost;
        }

        let limit = spec.max_bucket_pairwise.unwrap_or(usize::MAX);
        let mut oversized = Vec::new();
        for (key, counts) in counts.chunks_exact_mut(sides).enumerate() {
            let rows: usize = counts.iter().map(|&count| count as usize).sum();
            if counts.contains(&0) {
                // All rows are on one side.
                counts.fill(0);
            } else if rows > limit {
                oversized.push(key as u32);
                stats.oversized_buckets += 1;
                stats.rows_in_oversized_buckets += rows as u64;
                // Comparisons with pivots are subtracted when they are done.
                stats.pairs_not_compared +=
                    pairs_in_bucket([0, 1].map(|side| counts.get(side).map(|&n| n.into())));
                counts.fill(0);
            }
        }
        if !oversized.is_empty() {
            for slot in slots.iter_mut().filter(|slot| **slot != NONE) {
                if oversized.binary_search(slot).is_ok() {
                    *slot |= OVERSIZED;
                }
            }
        }

        let complete = stats.oversized_buckets == 0 && stats.rows_beyond_max_bucket == 0;
        let zones = if complete && spec.prefixes && !spec.repeats_pairs() {
            2
        } else {
            1
        };
        if zones == 2 {
            counts = count_by_zone(input, spec, &slots, &counts, sides);
        }
        let mut starts = Vec::with_capacity(counts.len() + 1);
        let mut end = 0u32;
        for &count in &counts {
            starts.push(end);
            end = end.checked_add(count).ok_or_else(too_many)?;
        }
        let ends = starts.clone();
        starts.push(end);
        stats.postings = u64::from(end);
        let (rows, positions) = (vec![0; end as usize], vec![0; end as usize]);
        let mut index = Self {
            slots,
            sides,
            zones,
            starts,
            ends,
            rows,
            positions,
            oversized,
            complete,
        };
        index.fill(input, spec);
        Ok(index)
    }

    /// Appends every row to its lists.
    fn fill(&mut self, input: &PairInput<'_>, spec: &Spec) {
        for row in 0..input.keys.rows() {
            let side = input.side_of(row);
            let inner = self.inner_zone(input, spec, row);
            for (position, at) in input.keys.range(row).enumerate() {
                if let Some(slot) = self.slot(at).filter(|slot| !slot.is_oversized()) {
                    let own = self.own(slot, side, position < inner);
                    self.append(own, row as u32, position as u32);
                }
            }
        }
    }

    /// The number of sides.
    pub(super) fn sides(&self) -> usize {
        self.sides
    }

    /// The number of oversized buckets.
    pub(super) fn oversized(&self) -> usize {
        self.oversized.len()
    }

    /// The rank of a key among the keys of oversized buckets, if it is one.
    #[inline]
    pub(super) fn oversized_at(&self, slot: Slot) -> Option<usize> {
        if !slot.is_oversized() {
            return None;
        }
        self.oversized.binary_search(&slot.number()).ok()
    }

    /// The key at index `at` of all keys of the input, if it can lead to a pair.
    #[inline]
    pub(super) fn slot(&self, at: usize) -> Option<Slot> {
        self.slots
            .get(at)
            .filter(|&&slot| slot != NONE)
            .map(|&slot| Slot(slot))
    }

    /// The number of keys of a row that are in its inner zone.
    #[inline]
    pub(super) fn inner_zone(&self, input: &PairInput<'_>, spec: &Spec, row: usize) -> usize {
        if self.zones == 2 {
            inner_zone(input, spec, row)
        } else {
            usize::MAX
        }
    }

    /// The lists that a row of this side and zone is compared with: one, or two for the inner of two zones.
    #[inline]
    pub(super) fn compared(&self, slot: Slot, side: usize, inner: bool) -> (List, Option<List>) {
        let other = if self.sides == 2 { 1 - side } else { 0 };
        let first = self.first_list(slot, other);
        (
            List(first),
            (self.zones == 2 && inner).then_some(List(first + 1)),
        )
    }

    /// The list that a row of this side and zone belongs to.
    #[inline]
    fn own(&self, slot: Slot, side: usize, inner: bool) -> List {
        List(self.first_list(slot, side) + usize::from(!inner))
    }

    #[inline]
    fn first_list(&self, slot: Slot, side: usize) -> usize {
        (slot.number() as usize * self.sides + side) * self.zones
    }

    /// The rows of a list so far, in ascending order, and the position of the key in each.
    #[inline]
    pub(super) fn members(&self, list: List) -> (&[u32], &[u32]) {
        let range = self.starts[list.0] as usize..self.ends[list.0] as usize;
        (&self.rows[range.clone()], &self.positions[range])
    }

    /// Appends a row to a list. The lists of keys that cannot lead to a pair have a capacity of 0.
    #[inline]
    fn append(&mut self, list: List, row: u32, position: u32) {
        let end = &mut self.ends[list.0];
        if *end == self.starts[list.0 + 1] {
            return;
        }
        self.rows[*end as usize] = row;
        self.positions[*end as usize] = position;
        *end += 1;
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let arrays = [
            &self.slots,
            &self.starts,
            &self.ends,
            &self.rows,
            &self.positions,
            &self.oversized,
        ];
        arrays
            .iter()
            .map(|array| size_of::<u32>() * array.capacity())
            .sum()
    }
}

/// The number of pairs of rows in a bucket, given the number of rows of each side; with one number, of all
/// pairs.
pub(super) fn pairs_in_bucket(rows: [Option<u64>; 2]) -> u64 {
    match rows {
        [Some(a), Some(b)] => a * b,
        [Some(a), None] => a * a.saturating_sub(1) / 2,
        _ => 0,
    }
}

/// The number of tokens of a row that are in its inner zone.
fn inner_zone(input: &PairInput<'_>, spec: &Spec, row: usize) -> usize {
    let Items::Sets(sets) = input.items else {
        return usize::MAX;
    };
    inner_zone_of(sets.row(row).len(), spec.threshold)
}

/// The number of tokens of a set of this size that are in its inner zone.
pub(super) fn inner_zone_of(size: usize, threshold: f64) -> usize {
    size + 1 - min_overlap(size, size, threshold).min(size + 1)
}

/// The number of rows of each list if there are two zones. Lists with a count of 0 stay empty.
fn count_by_zone(
    input: &PairInput<'_>,
    spec: &Spec,
    slots: &[u32],
    counts: &[u32],
    sides: usize,
) -> Vec<u32> {
    let mut zones = vec![0u32; counts.len() * 2];
    for row in 0..input.keys.rows() {
        let side = input.side_of(row);
        let inner = inner_zone(input, spec, row);
        for (position, &slot) in slots[input.keys.range(row)].iter().enumerate() {
            let list = slot as usize * sides + side;
            if slot != NONE && counts[list] > 0 {
                zones[list * 2 + usize::from(position >= inner)] += 1;
            }
        }
    }
    zones
}

/// The number of each key that this part owns and that occurs more than once, [`NONE`] for the others; and
/// how many numbers there are.
fn number_keys(input: &PairInput<'_>, spec: &Spec, stats: &mut Stats) -> (Vec<u32>, usize) {
    let keys = input.keys.values();
    let mut slots = vec![NONE; keys.len()];

    // Indexes of the owned keys, by partition, ascending within a partition.
    let bits = (keys.len() / PARTITION)
        .checked_ilog2()
        .map_or(1, |bits| (bits + 1).min(16));
    let partition = |key: u64| (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize;
    let owned = |visit: &mut dyn FnMut(usize, u64)| {
        for row in (0..input.keys.rows()).filter(|&row| input.takes_part(row)) {
            for at in input.keys.range(row) {
                if spec.owns(keys[at]) {
                    visit(at, keys[at]);
                }
            }
        }
    };
    let mut ends = vec![0usize; 1 << bits];
    owned(&mut |_, key| ends[partition(key)] += 1);
    let mut total = 0;
    for end in &mut ends {
        total += std::mem::replace(end, total);
    }
    let mut order = vec![0u32; total];
    owned(&mut |at, key| {
        let end = &mut ends[partition(key)];
        order[*end] = at as u32;
        *end += 1;
    });
    stats.keys = total as u64;

    let mut local: HashMap<u64, u32, BuildHasherDefault<KeyHasher>> = HashMap::default();
    let mut counts: Vec<u32> = Vec::new();
    let mut numbers = 0u32;
    let mut start = 0;
    for end in ends {
        let members = &order[start..end];
        start = end;
        local.clear();
        counts.clear();
        for &at in members {
            let next = counts.len() as u32;
            let number = *local.entry(keys[at as usize]).or_insert(next);
            if number == next {
                counts.push(0);
            }
            counts[number as usize] = counts[number as usize].saturating_add(1);
            slots[at as usize] = number;
        }
        for count in &mut counts {
            *count = if *count > 1 {
                numbers += 1;
                numbers - 1
            } else {
                NONE
            };
        }
        for &at in members {
            let slot = &mut slots[at as usize];
            *slot = counts[*slot as usize];
        }
    }
    (slots, numbers as usize)
}

/// A hash of one `u64` by folded multiplication. The multiplier differs from that of the partition, whose
/// product has the same high bits for all keys of a partition.
#[derive(Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, key: u64) {
        let product = u128::from(key ^ 0x2545_F491_4F6C_DD1D) * 0xD6E8_FEB8_6659_FD93;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }
}
