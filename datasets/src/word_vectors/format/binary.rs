//! The binary format of word2vec: records of a word, a space, and little-endian Float32, each optionally followed by a
//! line feed.

use super::bytes::Bytes;
use super::error::{Fault, Position, VectorError};
use super::{MAX_WORD_BYTES, check_finite, check_word};

pub(super) struct BinaryRows {
    bytes: Bytes,
    dimension: usize,
    /// Number of words in the header.
    words: u64,
    rows: u64,
    raw: Vec<u8>,
    word: String,
}

impl BinaryRows {
    pub(super) fn new(bytes: Bytes, dimension: usize, words: u64) -> Self {
        Self {
            bytes,
            dimension,
            words,
            rows: 0,
            raw: Vec::new(),
            word: String::new(),
        }
    }

    pub(super) fn word(&self) -> &str {
        &self.word
    }

    /// Reads the next row and appends its numbers; false at the end.
    pub(super) fn next(&mut self, numbers: &mut Vec<f32>) -> Result<bool, VectorError> {
        let (promised, found) = (self.words, self.rows);
        let position = Position::Byte(self.bytes.offset());
        let io = |error| position.io(error);
        self.bytes.fill(1).map_err(io)?;
        if self.bytes.ahead().first() == Some(&b'\n') {
            self.bytes.consume(1);
        }
        let position = Position::Byte(self.bytes.offset());
        let more = self.bytes.fill(1).map_err(io)?;
        match (more, found < promised) {
            (true, true) => {}
            (false, false) => return Ok(false),
            (true, false) => return Err(position.fault(Fault::More { promised })),
            (false, true) => return Err(Position::File.fault(Fault::Fewer { promised, found })),
        }
        let Some(length) = self.bytes.find(b' ', MAX_WORD_BYTES + 1).map_err(io)? else {
            let long = self.bytes.ahead().len() > MAX_WORD_BYTES;
            return Err(position.fault(match long {
                true => Fault::LongWord,
                false => Fault::Truncated,
            }));
        };
        self.raw.clear();
        self.raw.extend_from_slice(&self.bytes.ahead()[..length]);
        self.bytes.consume(length + 1);
        let before = numbers.len();
        if !append(&mut self.bytes, self.dimension, numbers).map_err(io)? {
            return Err(position.fault(Fault::Truncated));
        }
        self.rows += 1;
        check_word(&self.raw, position, &mut self.word)?;
        check_finite(&numbers[before..], position, &self.word)?;
        Ok(true)
    }
}

/// Appends little-endian numbers; false if there are fewer.
pub(super) fn append(
    bytes: &mut Bytes,
    count: usize,
    numbers: &mut Vec<f32>,
) -> std::io::Result<bool> {
    let length = count * size_of::<f32>();
    if !bytes.fill(length)? {
        return Ok(false);
    }
    let (raw, _) = bytes.ahead()[..length].as_chunks();
    numbers.extend(raw.iter().map(|number| f32::from_le_bytes(*number)));
    bytes.consume(length);
    Ok(true)
}
