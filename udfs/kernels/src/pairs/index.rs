//! From key to the rows that hold it.
//!
//! Keys are numbered by a partitioned hash table: they are first scattered by high bits of their
//! hash, so that each partition's table stays in the cache. A key that one row holds is dropped at
//! once. Each key left has a *list*, or one for each side, with room for all of its rows (for the
//! leaders, if it is a giant), which fills while rows are probed: a row sees the rows before it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::input::PairInput;
use super::spec::{LEADERS, PairError, Spec};
use super::stats::Stats;

/// "No list", for keys that cannot lead to a pair.
pub(super) const NONE: u32 = u32::MAX;
/// Marks the number of a giant key.
const GIANT: u32 = 1 << 31;
/// Keys of one partition, on average.
const PARTITION: usize = 4096;

/// A row that holds a key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Posting {
    pub(super) row: u32,
    /// The position of the key among the row's keys.
    pub(super) position: u32,
}

/// The number of a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot(u32);

impl Slot {
    /// Whether more rows than the limit hold the key.
    pub(super) fn is_giant(self) -> bool {
        self.0 & GIANT != 0
    }
}

/// A list of rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct List(usize);

#[derive(Debug)]
pub(super) struct KeyIndex {
    /// The number of each key of the input, or `NONE`.
    slots: Vec<u32>,
    /// Lists a key: 1, or 2 for two sides.
    sides: usize,
    /// Where each list begins, and the last one ends.
    starts: Vec<u32>,
    /// Where the next row of each list goes.
    filled: Vec<u32>,
    postings: Vec<Posting>,
    /// Whether rows meet at every key they share.
    pub(super) complete: bool,
}

impl KeyIndex {
    pub(super) fn build(
        input: &PairInput<'_>,
        spec: &Spec,
        stats: &mut Stats,
    ) -> Result<Self, PairError> {
        let (mut slots, keys) = number_keys(input, spec, stats);
        let sides = if input.side.is_some() { 2 } else { 1 };
        if keys > (GIANT as usize - 1) / sides {
            return Err(PairError::Keys(input.keys.values().len()));
        }

        let cap = spec
            .max_bucket
            .map_or(u32::MAX, |cap| u32::try_from(cap).unwrap_or(u32::MAX));
        let mut counts = vec![0u32; keys * sides];
        for row in 0..input.keys.rows() {
            let side = input.side_of(row);
            for slot in &mut slots[input.keys.range(row)] {
                if *slot == NONE {
                    continue;
                }
                let count = &mut counts[*slot as usize * sides + side];
                if *count < cap {
                    *count += 1;
                } else {
                    *slot = NONE;
                    stats.capped += 1;
                }
            }
        }

        let limit = spec.bucket_limit.unwrap_or(usize::MAX);
        let mut giant = vec![false; if spec.bucket_limit.is_some() { keys } else { 0 }];
        for (key, counts) in counts.chunks_exact_mut(sides).enumerate() {
            let rows: usize = counts.iter().map(|&count| count as usize).sum();
            if counts.contains(&0) {
                // All on one side.
                counts.fill(0);
            } else if rows > limit {
                giant[key] = true;
                stats.giants += 1;
                stats.rows_in_giants += rows as u64;
                for count in counts {
                    *count = (*count).min(LEADERS as u32);
                }
            }
        }
        if stats.giants > 0 {
            for slot in &mut slots {
                if *slot != NONE && giant[*slot as usize] {
                    *slot |= GIANT;
                }
            }
        }

        let mut starts = Vec::with_capacity(counts.len() + 1);
        let mut end = 0u32;
        for &count in &counts {
            starts.push(end);
            end = end
                .checked_add(count)
                .ok_or(PairError::Keys(input.keys.values().len()))?;
        }
        let filled = starts.clone();
        starts.push(end);
        stats.postings = u64::from(end);
        let complete = stats.giants == 0 && stats.capped == 0;
        let postings = vec![Posting::default(); end as usize];
        Ok(Self {
            slots,
            sides,
            starts,
            filled,
            postings,
            complete,
        })
    }

    /// The key at a position of the input, if it can lead to a pair.
    #[inline]
    pub(super) fn slot(&self, at: usize) -> Option<Slot> {
        self.slots
            .get(at)
            .filter(|&&slot| slot != NONE)
            .map(|&slot| Slot(slot))
    }

    /// The list that a row of this side is compared with, and the one it joins.
    #[inline]
    pub(super) fn lists(&self, slot: Slot, side: usize) -> (List, List) {
        let first = (slot.0 & !GIANT) as usize * self.sides;
        match self.sides {
            1 => (List(first), List(first)),
            _ => (List(first + 1 - side), List(first + side)),
        }
    }

    /// The rows that have joined a list, in ascending order.
    #[inline]
    pub(super) fn rows(&self, list: List) -> &[Posting] {
        &self.postings[self.starts[list.0] as usize..self.filled[list.0] as usize]
    }

    /// Lets a row join a list; false if there is no room.
    #[inline]
    pub(super) fn join(&mut self, list: List, posting: Posting) -> bool {
        let at = &mut self.filled[list.0];
        if *at == self.starts[list.0 + 1] {
            return false;
        }
        self.postings[*at as usize] = posting;
        *at += 1;
        true
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        size_of::<u32>() * (self.slots.capacity() + self.starts.capacity() + self.filled.capacity())
            + size_of::<Posting>() * self.postings.capacity()
    }
}

/// The number of each key that this part owns and that occurs more than once, `NONE` for the
/// others; and how many numbers were given.
fn number_keys(input: &PairInput<'_>, spec: &Spec, stats: &mut Stats) -> (Vec<u32>, usize) {
    let keys = input.keys.values();
    let mut slots = vec![NONE; keys.len()];

    // Positions of the owned keys, by partition, ascending within one.
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

/// A hash of one `u64`: folded multiplication. (The high bits of the product that chooses the
/// partition are the same throughout a partition, so this takes another multiplier.)
#[derive(Default)]
struct KeyHasher(u64);

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
