//! Parses files of word vectors: bytes in, words and vectors out, one row at a time.
//!
//! ```text
//! ReadAt ─> Bytes (unpacked, buffered) ─┬─> text:   a line a word   (GloVe, word2vec text, .vec)
//!                                       ├─> binary: a record a word (word2vec binary)
//!                                       └─> fasttext: dictionary, n-gram rows, then word rows
//! ```
//!
//! This module does not depend on Arrow, threads or stores. Memory is bounded by a buffer, a line and a vector; a
//! fastText model also takes its dictionary and the vectors of its n-grams.
//!
//! **To add a format**, add a file that reads its rows, a variant of [`Format`], and its recognition in
//! `recognise.rs`.

mod binary;
mod bytes;
mod error;
mod fasttext;
mod recognise;
#[cfg(test)]
mod tests;
mod text;

use std::sync::Arc;

use neardup_wikidump::{OnError, ReadAt};
use serde::{Deserialize, Serialize};

use binary::BinaryRows;
pub(super) use error::VectorError;
use error::{Fault, Position};
use fasttext::ModelRows;
use recognise::{Found, recognise};
use text::TextRows;

/// Maximum dimension of a vector.
const MAX_DIMENSION: usize = 1 << 16;

/// Maximum length of a word in bytes.
const MAX_WORD_BYTES: usize = 1 << 16;

/// Formats of files, as the parameter `format` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// Lines of a word and its numbers.
    Glove,
    /// The same after a first line with the number of words and the number of components.
    Word2vec,
    /// Such a line, then words and little-endian Float32.
    Word2vecBinary,
    /// A fastText model, or its vectors as word2vec text.
    FastText,
}

/// The words and vectors of one file, in its order.
pub(super) struct VectorReader {
    rows: Rows,
    dimension: usize,
    skip: bool,
    skipped: u64,
}

enum Rows {
    Text(TextRows),
    Binary(BinaryRows),
    Model(Box<ModelRows>),
}

impl VectorReader {
    /// Starts to read a file; of a fastText model, reads everything but the rows of words.
    pub(super) fn open(
        source: Arc<dyn ReadAt>,
        format: Option<Format>,
        on_error: OnError,
    ) -> Result<Self, VectorError> {
        let Found { bytes, head } = recognise(Arc::clone(&source), format)?;
        let dimension = head.dimension();
        let rows = match head {
            recognise::Head::Text { words, .. } => {
                Rows::Text(TextRows::new(bytes, dimension, words))
            }
            recognise::Head::Binary { words, .. } => {
                Rows::Binary(BinaryRows::new(bytes, dimension, words))
            }
            recognise::Head::Model { .. } => Rows::Model(Box::new(ModelRows::open(source, bytes)?)),
        };
        Ok(Self {
            rows,
            dimension,
            skip: on_error == OnError::Skip,
            skipped: 0,
        })
    }

    /// The dimension of the vectors of a file, from its first bytes; `None` if the file has no vectors.
    pub(super) fn dimension_of(
        source: Arc<dyn ReadAt>,
        format: Option<Format>,
    ) -> Result<usize, VectorError> {
        Ok(recognise(source, format)?.head.dimension())
    }

    /// The dimension of the vectors.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of rows that were left out so far because of faults in them.
    pub(super) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The next word; its numbers are appended to `numbers`. `None` at the end.
    pub(super) fn next(&mut self, numbers: &mut Vec<f32>) -> Result<Option<&str>, VectorError> {
        let before = numbers.len();
        loop {
            let row = match &mut self.rows {
                Rows::Text(rows) => rows.next(numbers),
                Rows::Binary(rows) => rows.next(numbers),
                Rows::Model(rows) => rows.next(numbers),
            };
            match row {
                Ok(true) => break,
                Ok(false) => return Ok(None),
                Err(error) => {
                    numbers.truncate(before);
                    if !(self.skip && error.is_of_one_row()) {
                        return Err(error);
                    }
                    self.skipped += 1;
                }
            }
        }
        Ok(Some(match &self.rows {
            Rows::Text(rows) => rows.word(),
            Rows::Binary(rows) => rows.word(),
            Rows::Model(rows) => rows.word(),
        }))
    }
}

/// The numbers must be finite.
fn check_finite(numbers: &[f32], position: Position, word: &str) -> Result<(), VectorError> {
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(()),
        Some(index) => Err(position.fault(Fault::NotFinite {
            word: word.to_owned(),
            number: index + 1,
            value: numbers[index].to_string(),
        })),
    }
}

/// A word, which must be UTF-8 and not empty.
fn check_word(bytes: &[u8], position: Position, word: &mut String) -> Result<(), VectorError> {
    word.clear();
    match std::str::from_utf8(bytes) {
        Ok("") => Err(position.fault(Fault::EmptyWord)),
        Ok(text) => {
            word.push_str(text);
            Ok(())
        }
        Err(_) => Err(position.fault(Fault::NotUtf8(String::from_utf8_lossy(bytes).into_owned()))),
    }
}
