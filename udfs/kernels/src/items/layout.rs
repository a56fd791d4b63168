//! The bytes of an index of items.
//!
//! A header of ten numbers of 64 bits, then items, words, three bit sets over the words, a Bloom filter of the n-grams, a
//! hash table from n-grams to lists of places, and these lists. All numbers are little-endian. The bytes are read in
//! place.
//!
//! Nearly all n-grams of a text are in no item. The filter, which is small enough for the caches, answers for most of
//! them.

use std::ops::Range;

use thiserror::Error;

use super::{ItemsLeftOut, MAX_ITEM_GRAM, Word};

/// The first number of an index.
const MAGIC: u64 = u64::from_le_bytes(*b"items 04");
const HEADER: usize = 10 * 8;
/// Bytes of an item: number, first word, words, words that count.
const ITEM: usize = 4 * 8;
/// Bytes of a word: hash, offsets of its first character and after its last one.
const WORD: usize = 16;
/// Slots for each word of the filter: it has at least eight bits for each n-gram.
const SLOTS_OF_WORD: usize = 16;
/// Bytes of a slot: hash, first occurrence and number of occurrences.
const SLOT: usize = 16;
/// Bytes of an occurrence: item, first word of the n-gram in the item.
const OCCURRENCE: usize = 8;

/// Bytes that are not an index of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0} bytes are not an index of items")]
pub struct IndexError(usize);

/// An item of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) number: i64,
    pub(super) first: usize,
    pub(super) words: usize,
    pub(super) counted: usize,
}

/// The parts of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout<'a> {
    /// Words of an n-gram.
    pub(super) gram: usize,
    /// Bit n - 1 is set if there are n-grams of n words.
    pub(super) lengths: u64,
    pub(super) left_out: ItemsLeftOut,
    items: &'a [u8],
    words: &'a [u8],
    specific: &'a [u8],
    specific_shorter: &'a [u8],
    counted: &'a [u8],
    filter: &'a [u8],
    slots: &'a [u8],
    places: &'a [u8],
}

/// The place of a word of a filter of this number of words, a power of two, and the two bits of it that an n-gram with
/// this hash sets. The low bits of the hash give its slot.
#[inline]
fn filter_bits(hash: u64, words: usize) -> (usize, u64) {
    let word = (hash >> 24) as usize & (words - 1);
    (word, 1 << (hash >> 58) | 1 << (hash >> 52 & 63))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn bit_at(bytes: &[u8], at: usize) -> bool {
    bytes
        .get(at / 8)
        .is_some_and(|byte| byte >> (at % 8) & 1 == 1)
}

/// The sizes of the parts of an index, in bytes.
fn sizes(items: usize, words: usize, slots: usize, places: usize) -> Option<[usize; 8]> {
    Some([
        items.checked_mul(ITEM)?,
        words.checked_mul(WORD)?,
        words.div_ceil(8),
        words.div_ceil(8),
        words.div_ceil(8),
        slots.div_ceil(SLOTS_OF_WORD) * 8,
        slots.checked_mul(SLOT)?,
        places.checked_mul(OCCURRENCE)?,
    ])
}

/// Writes an index. `items` have their words and how many of them count, `bits` are those of the words that begin an
/// n-gram that is looked up, of those that begin a shorter one, and of those that count; `grams` are those that are
/// looked up, with their hash, item and position, sorted.
pub(super) fn write(
    gram: usize,
    lengths: u64,
    left_out: ItemsLeftOut,
    items: &[(i64, Range<usize>, usize)],
    words: &[Word],
    bits: [&[bool]; 3],
    grams: &[(u64, u32, u32)],
) -> Vec<u8> {
    let distinct = grams.chunk_by(|a, b| a.0 == b.0).count();
    let slots = (distinct * 2).next_power_of_two();
    let header = [
        MAGIC,
        gram as u64,
        lengths,
        items.len() as u64,
        words.len() as u64,
        slots as u64,
        grams.len() as u64,
        left_out.short as u64,
        left_out.frequent as u64,
        left_out.grams as u64,
    ];
    let mut out: Vec<u8> = header
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    for (number, range, counted) in items {
        out.extend(number.to_le_bytes());
        for number in [range.start, range.len(), *counted] {
            out.extend((number as u64).to_le_bytes());
        }
    }
    for word in words {
        out.extend(word.hash.to_le_bytes());
        out.extend(word.start.to_le_bytes());
        out.extend(word.end.to_le_bytes());
    }
    for bits in bits {
        out.extend(bits.chunks(8).map(|bits| {
            let bits = bits.iter().enumerate();
            bits.fold(0_u8, |byte, (at, &bit)| byte | u8::from(bit) << at)
        }));
    }
    let mut filter = vec![0_u64; slots.div_ceil(SLOTS_OF_WORD)];
    let mut table = vec![(0_u64, 0_u32, 0_u32); slots];
    let mut first = 0;
    for same in grams.chunk_by(|a, b| a.0 == b.0) {
        let hash = same[0].0;
        let (word, bits) = filter_bits(hash, filter.len());
        filter[word] |= bits;
        let mut slot = hash as usize & (slots - 1);
        while table[slot].2 > 0 {
            slot = (slot + 1) & (slots - 1);
        }
        table[slot] = (hash, first, same.len() as u32);
        first += same.len() as u32;
    }
    for word in filter {
        out.extend(word.to_le_bytes());
    }
    for (hash, first, count) in table {
        out.extend(hash.to_le_bytes());
        out.extend(first.to_le_bytes());
        out.extend(count.to_le_bytes());
    }
    for (_, item, place) in grams {
        out.extend(item.to_le_bytes());
        out.extend(place.to_le_bytes());
    }
    out
}

impl<'a> Layout<'a> {
    /// Reads the header and divides the bytes.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, IndexError> {
        let wrong = || IndexError(bytes.len());
        let header = |at: usize| usize::try_from(u64_at(bytes, at * 8)).map_err(|_| wrong());
        let (gram, lengths) = (header(1)?, u64_at(bytes, 16));
        let [items, words, slots, places] = [header(3)?, header(4)?, header(5)?, header(6)?];
        let left_out = ItemsLeftOut {
            short: header(7)?,
            frequent: header(8)?,
            grams: header(9)?,
        };
        let sizes = sizes(items, words, slots, places).ok_or_else(wrong)?;
        let mut rest = bytes.get(HEADER..).ok_or_else(wrong)?;
        let is_index = u64_at(bytes, 0) == MAGIC
            && (1..=MAX_ITEM_GRAM).contains(&gram)
            && slots.is_power_of_two();
        let mut parts: [&[u8]; 8] = [&[]; 8];
        for (part, size) in parts.iter_mut().zip(sizes) {
            (*part, rest) = rest.split_at_checked(size).ok_or_else(wrong)?;
        }
        let [
            items,
            words,
            specific,
            specific_shorter,
            counted,
            filter,
            slots,
            places,
        ] = parts;
        match is_index && rest.is_empty() {
            true => Ok(Self {
                gram,
                lengths,
                left_out,
                items,
                words,
                specific,
                specific_shorter,
                counted,
                filter,
                slots,
                places,
            }),
            false => Err(wrong()),
        }
    }

    /// The number of items.
    pub(super) fn items(&self) -> usize {
        self.items.len() / ITEM
    }

    /// An item, by its position in the index.
    pub(super) fn item(&self, at: usize) -> Item {
        let field = |field: usize| u64_at(self.items, at * ITEM + field * 8);
        let all = self.words.len() / WORD;
        let first = (field(1) as usize).min(all);
        Item {
            number: field(0) as i64,
            first,
            words: (field(2) as usize).min(all - first),
            counted: field(3) as usize,
        }
    }

    /// A word, by its position among those of all items.
    #[inline]
    pub(super) fn word(&self, at: usize) -> Word {
        Word {
            hash: u64_at(self.words, at * WORD),
            start: u32_at(self.words, at * WORD + 8),
            end: u32_at(self.words, at * WORD + 12),
        }
    }

    /// Whether the n-gram, or the shorter n-gram, that begins with this word is looked up.
    pub(super) fn is_specific(&self, word: usize, is_shorter: bool) -> bool {
        match is_shorter {
            true => bit_at(self.specific_shorter, word),
            false => bit_at(self.specific, word),
        }
    }

    /// Whether a word counts: an n-gram with it is looked up.
    pub(super) fn counts(&self, word: usize) -> bool {
        bit_at(self.counted, word)
    }

    /// Whether an item may hold an n-gram.
    #[inline]
    fn may_hold(&self, hash: u64) -> bool {
        let (word, bits) = filter_bits(hash, self.filter.len() / 8);
        u64_at(self.filter, word * 8) & bits == bits
    }

    /// The items that hold an n-gram, and the first word of it in each.
    #[inline]
    pub(super) fn postings(&self, hash: u64) -> impl Iterator<Item = (u32, u32)> {
        let slots = self.slots.len() / SLOT;
        let mut slot = hash as usize & (slots - 1);
        let mut found = 0..0;
        // At least half of the slots are empty.
        let searched = match self.may_hold(hash) {
            true => slots,
            false => 0,
        };
        for _ in 0..searched {
            let at = slot * SLOT;
            let count = u32_at(self.slots, at + 12) as usize;
            if count == 0 {
                break;
            }
            if u64_at(self.slots, at) == hash {
                let first = u32_at(self.slots, at + 8) as usize;
                found = first..(first + count).min(self.places.len() / OCCURRENCE);
                break;
            }
            slot = (slot + 1) & (slots - 1);
        }
        let places = self.places;
        found.map(move |at| {
            (
                u32_at(places, at * OCCURRENCE),
                u32_at(places, at * OCCURRENCE + 4),
            )
        })
    }
}
