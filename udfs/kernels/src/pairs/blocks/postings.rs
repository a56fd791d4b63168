//! The inverted index of a block, which also answers keys of other rows.
//!
//! Entries are grouped by the high bits of the hash of their key, and sorted within a group by key, zone and row. The
//! zones are those of `index`: two outer zones need not be compared if rows are compared at every key that they share.

use std::ops::Range;

use super::super::spec::PairError;

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

#[derive(Debug)]
pub(super) struct Postings {
    shift: u32,
    /// Where each group starts, and where the last one ends.
    starts: Vec<u32>,
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
        let mut starts = vec![0; (1 << Self::bits(keys)) + 1];
        visit(&mut |key, _, _, _| starts[group(key, shift) + 1] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut entries = vec![Entry::default(); end as usize];
        // Until the entries are placed, the start of a group is where its next entry goes.
        visit(&mut |key, row, position, is_outer| {
            let next = &mut starts[group(key, shift)];
            let position = position | if is_outer { OUTER } else { 0 };
            entries[*next as usize] = Entry { key, position, row };
            *next += 1;
        });
        // The next entry of a group would go where the following group starts.
        starts.rotate_right(1);
        starts[0] = 0;
        let mut index = Self {
            shift,
            starts,
            entries,
        };
        index.sort();
        Ok(index)
    }

    fn sort(&mut self) {
        let Self {
            starts, entries, ..
        } = self;
        for bounds in starts.windows(2) {
            let group = &mut entries[bounds[0] as usize..bounds[1] as usize];
            if group.len() > 1 && !group.is_sorted_by_key(Entry::order) {
                group.sort_unstable_by_key(Entry::order);
            }
        }
    }

    /// The logarithm of the number of groups: one or two entries for each.
    fn bits(keys: usize) -> u32 {
        keys.max(2).ilog2()
    }

    /// The bytes of an index of this number of keys.
    pub(super) fn memory_for(keys: usize) -> usize {
        keys.saturating_mul(size_of::<Entry>()) + (size_of::<u32>() << Self::bits(keys)) + 8
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        size_of::<Entry>() * self.entries.capacity() + size_of::<u32>() * self.starts.capacity()
    }

    /// The range of the entries of a key's group.
    #[inline]
    pub(super) fn group(&self, key: u64) -> (u32, u32) {
        let group = group(key, self.shift);
        (self.starts[group], self.starts[group + 1])
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
        let groups = self.starts.windows(2).map(|bounds| {
            let (start, end) = (bounds[0] as usize, bounds[1] as usize);
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
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize
}
