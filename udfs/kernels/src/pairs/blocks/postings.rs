//! The inverted index of a block, which also answers keys of other rows.
//!
//! Entries are grouped by the high bits of the hash of their key, and sorted within a group by key, zone and row. The
//! zones are those of `index`: two outer zones need not be compared if rows are compared at every key that they share.
//!
//! Most keys of a probed row are in no other row. A group says of most such keys that it does not hold them, so that its
//! entries, which are in no cache, are not read.

use std::ops::Range;

use super::super::spec::PairError;
use crate::prefetch::prefetch;

/// Marks an entry of the outer zone.
const OUTER: u32 = 1 << 31;
/// Groups with more entries are searched by binary search.
const SCANNED: usize = 16;

/// A key of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    key: u64,
    /// The position of the key among the keys of the row, and the zone in the highest bit.
    position: u32,
    pub(super) row: u32,
}

impl Entry {
    /// The position of the key among the keys of the row.
    #[inline]
    pub(super) fn position(self) -> u32 {
        self.position & !OUTER
    }

    #[inline]
    fn is_outer(self) -> bool {
        self.position & OUTER != 0
    }

    /// The order within a group.
    #[inline]
    fn order(&self) -> (u64, bool, u32) {
        (self.key, self.is_outer(), self.row)
    }
}

/// Where the entries of a group start, and which keys they have.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    start: u32,
    /// The bits of the keys of the entries ([`key_bit`]).
    held: u16,
    /// The bits of the keys of several entries.
    shared: u16,
}

/// Which keys of a row are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    /// All: any entry is one of another row.
    Held,
    /// Keys of several entries, one of which is that of the row.
    Shared,
}

#[derive(Debug)]
pub(super) struct Postings {
    shift: u32,
    /// The groups, and one without entries after the last one.
    groups: Vec<Group>,
    entries: Vec<Entry>,
}

impl Postings {
    /// The index of what `visit` passes to its argument: (key, row, position, whether the position is in the outer
    /// zone), in ascending order of rows. `visit` is called twice.
    pub(super) fn build(
        keys: usize,
        visit: impl Fn(&mut dyn FnMut(u64, u32, u32, bool)),
    ) -> Result<Self, PairError> {
        if keys >= u32::MAX as usize {
            return Err(PairError::Keys(keys));
        }
        let shift = 64 - Self::bits(keys);
        let mut groups = vec![Group::default(); (1 << Self::bits(keys)) + 1];
        visit(&mut |key, _, _, _| groups[group(key, shift) + 1].start += 1);
        let mut end = 0;
        for group in &mut groups {
            end += group.start;
            group.start = end;
        }
        let mut entries = vec![Entry::default(); end as usize];
        // Until the entries are placed, the start of a group is where its next entry goes.
        visit(&mut |key, row, position, is_outer| {
            let next = &mut groups[group(key, shift)].start;
            let position = position | if is_outer { OUTER } else { 0 };
            entries[*next as usize] = Entry { key, position, row };
            *next += 1;
        });
        // The next entry of a group would go where the following group starts.
        groups.rotate_right(1);
        groups[0].start = 0;
        let mut index = Self {
            shift,
            groups,
            entries,
        };
        index.sort();
        Ok(index)
    }

    /// Sorts the entries of each group, and notes their keys.
    fn sort(&mut self) {
        let Self {
            shift,
            groups,
            entries,
        } = self;
        let mut rest = groups.iter_mut().peekable();
        while let (Some(group), Some(next)) = (rest.next(), rest.peek()) {
            let entries = &mut entries[group.start as usize..next.start as usize];
            if entries.len() > 1 && !entries.is_sorted_by_key(Entry::order) {
                entries.sort_unstable_by_key(Entry::order);
            }
            for bucket in entries.chunk_by(|a, b| a.key == b.key) {
                let bit = key_bit(bucket[0].key, *shift);
                group.held |= bit;
                group.shared |= if bucket.len() > 1 { bit } else { 0 };
            }
        }
    }

    /// The logarithm of the number of groups: one or two entries for each.
    fn bits(keys: usize) -> u32 {
        keys.max(2).ilog2()
    }

    /// The bytes of an index of this number of keys.
    pub(super) fn memory_for(keys: usize) -> usize {
        let groups = (1 << Self::bits(keys)) + 1;
        keys.saturating_mul(size_of::<Entry>()) + size_of::<Group>() * groups
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        size_of::<Entry>() * self.entries.capacity() + size_of::<Group>() * self.groups.capacity()
    }

    /// The range of the entries of a key's group; an empty one if none of them is looked for.
    #[inline]
    pub(super) fn group(&self, key: u64, lookup: Lookup) -> (u32, u32) {
        let number = group(key, self.shift);
        let (group, next) = (self.groups[number], self.groups[number + 1]);
        let keys = match lookup {
            Lookup::Held => group.held,
            Lookup::Shared => group.shared,
        };
        let is_found = keys & key_bit(key, self.shift) != 0;
        (group.start, if is_found { next.start } else { group.start })
    }

    /// Begins to load the entries of a group.
    #[inline]
    pub(super) fn prefetch(&self, (start, end): (u32, u32)) {
        if start < end {
            prefetch(&self.entries, start as usize);
        }
    }

    /// The entries of a key in its group.
    #[inline]
    pub(super) fn bucket(&self, key: u64, (start, end): (u32, u32)) -> Bucket<'_> {
        let group = &self.entries[start as usize..end as usize];
        let range = match group {
            // The entries of most large groups have one key, and are not searched.
            [first, .., last] if first.key == key && last.key == key => 0..group.len(),
            _ => {
                let first = leading(group, |entry| entry.key < key);
                first..first + leading(&group[first..], |entry| entry.key == key)
            }
        };
        let start = start as usize + range.start;
        let bucket = &group[range];
        let inners = match bucket {
            [.., last] if !last.is_outer() => bucket.len(),
            _ => leading(bucket, |entry| !entry.is_outer()),
        };
        let (inners, outers) = bucket.split_at(inners);
        Bucket {
            start,
            inners,
            outers,
        }
    }

    /// The ranges of the entries of the buckets of at least this number of rows.
    pub(super) fn large_buckets(&self, min_rows: usize) -> Vec<Range<usize>> {
        let groups = self.groups.windows(2).map(|bounds| {
            let (start, end) = (bounds[0].start as usize, bounds[1].start as usize);
            (start, &self.entries[start..end])
        });
        let mut large = Vec::new();
        for (mut start, group) in groups.filter(|(_, group)| group.len() >= min_rows) {
            for bucket in group.chunk_by(|a, b| a.key == b.key) {
                if bucket.len() >= min_rows {
                    large.push(start..start + bucket.len());
                }
                start += bucket.len();
            }
        }
        large
    }

    /// The row of an entry, given by its number among all.
    #[inline]
    pub(super) fn row(&self, entry: usize) -> u32 {
        self.entries[entry].row
    }
}

/// The entries of a key, each zone in ascending order of rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket<'a> {
    /// The number of the first entry among all.
    pub(super) start: usize,
    pub(super) inners: &'a [Entry],
    /// They follow the inner ones.
    pub(super) outers: &'a [Entry],
}

impl Bucket<'_> {
    /// The number of entries.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.inners.len() + self.outers.len()
    }
}

/// The number of entries for which `is` holds, all of which are before the others.
#[inline]
fn leading(entries: &[Entry], is: impl Fn(&Entry) -> bool) -> usize {
    match entries.len() {
        ..=SCANNED => entries.iter().take_while(|entry| is(entry)).count(),
        _ => entries.partition_point(is),
    }
}

/// The number of the group of a key.
#[inline]
fn group(key: u64, shift: u32) -> usize {
    (hash(key) >> shift) as usize
}

/// One of 16 bits, by the bits of the hash of a key after those of its group.
#[inline]
fn key_bit(key: u64, shift: u32) -> u16 {
    1 << (hash(key) >> (shift - 4) & 15)
}

#[inline]
fn hash(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
