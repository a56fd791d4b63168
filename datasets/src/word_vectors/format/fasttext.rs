//! fastText models (`.bin`): the vector of a word as fastText computes it.
//!
//! A model holds arguments, a dictionary, and a matrix with a row for each word and one for each bucket
//! of character n-grams. The vector of a word is the mean of its own row and of those of its n-grams
//! (Bojanowski et al., Enriching Word Vectors with Subword Information, 2017). The rows of n-grams are stored after
//! those of words, but the first word may need any of them, so they are held in memory.

use std::sync::Arc;

use neardup_wikidump::ReadAt;

use super::binary::append;
use super::bytes::Bytes;
use super::error::{Fault, Position, VectorError};
use super::{MAX_DIMENSION, MAX_WORD_BYTES, check_finite, check_word};

/// The magic number at the beginning of a model.
pub(super) const MAGIC: [u8; 4] = 0x2F4F_16BA_u32.to_le_bytes();

const VERSION: i32 = 12;

/// Number of bytes of the arguments after the version.
const ARGUMENTS: usize = 12 * 4 + 8;

/// Maximum size in bytes of n-gram vectors. Published models have 2.4 GB: two million buckets of 300 numbers.
const MAX_GRAM_BYTES: u64 = 4 << 30;

/// The end of a sentence, which has no n-grams.
const END: &[u8] = b"</s>";

pub(super) struct ModelRows {
    rows: Bytes,
    dimension: usize,
    /// The words one after the other, and where each ends.
    words: Vec<u8>,
    ends: Vec<usize>,
    at: usize,
    grams: Grams,
    word: String,
}

/// Characters of an n-gram, and the vectors of their buckets.
struct Grams {
    min_length: usize,
    max_length: usize,
    buckets: usize,
    vectors: Vec<f32>,
}

/// The dimension in the arguments of a model; nothing is consumed.
pub(super) fn dimension(bytes: &mut Bytes) -> Result<usize, VectorError> {
    if !bytes
        .fill(12)
        .map_err(|error| Position::Byte(0).io(error))?
    {
        return Err(Position::Byte(0).fault(Fault::Truncated));
    }
    let field = |at: usize| {
        let bytes = bytes.ahead().get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| i32::from_le_bytes(*bytes))
    };
    let (version, dimension) = (field(4), field(8));
    if version != VERSION {
        return Err(Position::Byte(4).fault(Fault::Version(version)));
    }
    usize::try_from(dimension)
        .ok()
        .filter(|number| (1..=MAX_DIMENSION).contains(number))
        .ok_or_else(|| Position::Byte(8).fault(Fault::Dimension(dimension.to_string())))
}

fn take<const N: usize>(bytes: &mut Bytes) -> Result<[u8; N], VectorError> {
    let position = Position::Byte(bytes.offset());
    bytes.fill(N).map_err(|error| position.io(error))?;
    let Some(&taken) = bytes.ahead().first_chunk() else {
        return Err(position.fault(Fault::Truncated));
    };
    bytes.consume(N);
    Ok(taken)
}

fn size(bytes: &mut Bytes, what: &str) -> Result<usize, VectorError> {
    let position = Position::Byte(bytes.offset());
    let number = i32::from_le_bytes(take(bytes)?);
    number
        .try_into()
        .map_err(|_| position.fault(Fault::Model(format!("says it has {number} {what}"))))
}

fn long(bytes: &mut Bytes) -> Result<i64, VectorError> {
    Ok(i64::from_le_bytes(take(bytes)?))
}

impl ModelRows {
    /// Reads arguments, dictionary and n-grams. `bytes` are those of the file from its beginning.
    pub(super) fn open(source: Arc<dyn ReadAt>, mut bytes: Bytes) -> Result<Self, VectorError> {
        let dimension = dimension(&mut bytes)?;
        take::<8>(&mut bytes)?;
        let arguments: [u8; ARGUMENTS] = take(&mut bytes)?;
        let argument = |index: usize| -> usize {
            let bytes = arguments.get(index * 4..).and_then(<[u8]>::first_chunk);
            // Counts are never negative.
            bytes.map_or(0, |bytes| {
                i32::from_le_bytes(*bytes).try_into().unwrap_or(0)
            })
        };
        let (buckets, min_length, max_length) = (argument(8), argument(9), argument(10));

        let entries = size(&mut bytes, "entries")?;
        let count = size(&mut bytes, "words")?;
        size(&mut bytes, "labels")?;
        long(&mut bytes)?;
        let pruned = long(&mut bytes)?;
        let (mut words, mut ends) = (Vec::new(), Vec::new());
        for entry in 0..entries {
            let word = entry_of(&mut bytes)?;
            // Labels follow the words.
            if entry < count {
                words.extend_from_slice(&word);
                ends.push(words.len());
            }
        }
        let position = Position::Byte(bytes.offset());
        let [quantized] = take(&mut bytes)?;
        if pruned > 0 || quantized != 0 {
            return Err(position.fault(Fault::Quantized));
        }
        let (rows, columns) = (long(&mut bytes)?, long(&mut bytes)?);
        let fault = |what: String| position.fault(Fault::Model(what));
        if columns != dimension as i64 {
            return Err(fault(format!(
                "has vectors of {dimension} numbers, and a matrix of {columns}"
            )));
        }
        let row_bytes = (dimension * size_of::<f32>()) as u64;
        // Zero means that all n-grams were pruned.
        let buckets = if max_length > 0 && pruned != 0 {
            buckets
        } else {
            0
        };
        let needed = (count + buckets) as u64;
        if ends.len() < count || u64::try_from(rows).is_ok_and(|rows| rows < needed) || rows < 0 {
            return Err(fault(format!(
                "has {count} words and {buckets} buckets of n-grams, but {entries} entries and {rows} rows"
            )));
        }
        let start = bytes.offset();
        let behind = start.checked_add(needed.saturating_mul(row_bytes));
        if behind.is_none_or(|behind| behind > source.len()) {
            return Err(Position::Byte(source.len()).fault(Fault::Truncated));
        }
        if buckets as u64 * row_bytes > MAX_GRAM_BYTES {
            return Err(fault(format!(
                "needs {} bytes of memory for the vectors of n-grams, at most {MAX_GRAM_BYTES} are used",
                buckets as u64 * row_bytes
            )));
        }
        let mut vectors = Vec::with_capacity(buckets * dimension);
        let mut rest = Bytes::plain(Arc::clone(&source), start + count as u64 * row_bytes);
        for _ in 0..buckets {
            let position = Position::Byte(rest.offset());
            if !append(&mut rest, dimension, &mut vectors).map_err(|error| position.io(error))? {
                return Err(position.fault(Fault::Truncated));
            }
        }
        Ok(Self {
            rows: Bytes::plain(source, start),
            dimension,
            words,
            ends,
            at: 0,
            grams: Grams {
                min_length,
                max_length,
                buckets,
                vectors,
            },
            word: String::new(),
        })
    }

    pub(super) fn word(&self) -> &str {
        &self.word
    }

    /// Reads the next row and appends its numbers; false at the end.
    pub(super) fn next(&mut self, numbers: &mut Vec<f32>) -> Result<bool, VectorError> {
        let Some(&end) = self.ends.get(self.at) else {
            return Ok(false);
        };
        let start = match self.at {
            0 => 0,
            at => self.ends[at - 1],
        };
        self.at += 1;
        let position = Position::Byte(self.rows.offset());
        let before = numbers.len();
        if !append(&mut self.rows, self.dimension, numbers).map_err(|error| position.io(error))? {
            return Err(position.fault(Fault::Truncated));
        }
        let word = &self.words[start..end];
        if word != END {
            self.grams.average(word, &mut numbers[before..]);
        }
        check_word(word, position, &mut self.word)?;
        check_finite(&numbers[before..], position, &self.word)?;
        Ok(true)
    }
}

/// A word of the dictionary; its count and type follow it.
fn entry_of(bytes: &mut Bytes) -> Result<Vec<u8>, VectorError> {
    let position = Position::Byte(bytes.offset());
    let end = bytes
        .find(0, MAX_WORD_BYTES + 1)
        .map_err(|error| position.io(error))?;
    let Some(end) = end else {
        let long = bytes.ahead().len() > MAX_WORD_BYTES;
        return Err(position.fault(match long {
            true => Fault::LongWord,
            false => Fault::Truncated,
        }));
    };
    let word = bytes.ahead()[..end].to_vec();
    bytes.consume(end + 1);
    take::<9>(bytes)?;
    Ok(word)
}

impl Grams {
    /// Turns the row of a word into the mean of it and of those of its n-grams, in the order and with
    /// the roundings of fastText.
    fn average(&self, word: &[u8], vector: &mut [f32]) {
        let mut count = 1_u32;
        let between = [b"<", word, b">"].concat();
        each(&between, self.min_length, self.max_length, |gram| {
            if self.buckets == 0 {
                return;
            }
            let bucket = hash(gram) as usize % self.buckets;
            let row = &self.vectors[bucket * vector.len()..][..vector.len()];
            for (sum, number) in vector.iter_mut().zip(row) {
                *sum += number;
            }
            count += 1;
        });
        let share = (1.0 / f64::from(count)) as f32;
        for number in vector {
            *number *= share;
        }
    }
}

/// Visits the n-grams of `min_length` to `max_length` characters, except single boundary markers.
fn each(word: &[u8], min_length: usize, max_length: usize, mut visit: impl FnMut(&[u8])) {
    let begins = |at: usize| word.get(at).is_none_or(|byte| byte & 0xC0 != 0x80);
    for start in (0..word.len()).filter(|&at| begins(at)) {
        let mut end = start;
        for length in 1..=max_length {
            if end == word.len() {
                break;
            }
            end += 1;
            while !begins(end) {
                end += 1;
            }
            let mark = length == 1 && (start == 0 || end == word.len());
            if length >= min_length && !mark {
                visit(&word[start..end]);
            }
        }
    }
}

/// The FNV-1a hash in fastText's variant, which sign-extends the bytes.
fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(2_166_136_261, |hash, &byte| {
        (hash ^ i32::from(byte.cast_signed()).cast_unsigned()).wrapping_mul(16_777_619)
    })
}
