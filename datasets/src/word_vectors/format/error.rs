//! Errors in a file, and their positions.

use std::fmt;
use std::io;

use super::{MAX_DIMENSION, MAX_WORD_BYTES};

/// A position in the decompressed bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// From 1.
    Line(u64),
    /// From 0.
    Byte(u64),
    /// The file as a whole.
    File,
}

/// What cannot be read.
#[derive(Debug)]
pub(in super::super) struct VectorError {
    position: Position,
    fault: Fault,
}

#[derive(Debug)]
pub(super) enum Fault {
    Io(io::Error),
    Empty,
    Unknown,
    Finalfusion,
    PackedModel,
    NotOfFormat(&'static str),
    Dimension(String),
    Count {
        expected: usize,
        found: usize,
    },
    NotANumber {
        word: String,
        number: usize,
        value: String,
    },
    NotFinite {
        word: String,
        number: usize,
        value: String,
    },
    NotUtf8(String),
    EmptyWord,
    LongWord,
    LongLine(usize),
    Truncated,
    Fewer {
        promised: u64,
        found: u64,
    },
    More {
        promised: u64,
    },
    Version(i32),
    Quantized,
    Model(String),
}

impl Position {
    pub(super) fn fault(self, fault: Fault) -> VectorError {
        VectorError {
            position: self,
            fault,
        }
    }

    pub(super) fn io(self, error: io::Error) -> VectorError {
        self.fault(Fault::Io(error))
    }
}

impl VectorError {
    /// Whether the error is a line that is too long.
    pub(super) fn is_too_long(&self) -> bool {
        matches!(self.fault, Fault::LongLine(_))
    }

    /// Whether the rows after the faulty one can still be read.
    pub(super) fn is_of_one_row(&self) -> bool {
        matches!(
            self.fault,
            Fault::Count { .. }
                | Fault::NotANumber { .. }
                | Fault::NotFinite { .. }
                | Fault::NotUtf8(_)
                | Fault::EmptyWord
        )
    }
}

/// Truncates text of a file for a message.
fn short(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let mut short: String = text.chars().take(MAX_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.escape_debug().to_string()
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                f.write_str("the file ends inside the packed data")
            }
            Self::Io(error) => write!(f, "{error}"),
            Self::Empty => f.write_str("the file is empty"),
            Self::Unknown => f.write_str(
                "the file is in no known format of word vectors: GloVe text, word2vec text or binary, \
                 a fastText model",
            ),
            Self::Finalfusion => f.write_str(
                "finalfusion files are not read; their tools convert them to word2vec or text",
            ),
            Self::PackedModel => f.write_str("a fastText model must be unpacked to be read"),
            Self::NotOfFormat(rule) => f.write_str(rule),
            Self::Dimension(found) => write!(
                f,
                "a vector has 1 to {MAX_DIMENSION} numbers, and the file says {found}"
            ),
            Self::Count { expected, found } => write!(
                f,
                "the word must be followed by {expected} numbers, as in other lines, found {found}"
            ),
            Self::NotANumber {
                word,
                number,
                value,
            } => write!(
                f,
                "number {number} of '{}' is no number: '{}'",
                short(word),
                short(value)
            ),
            Self::NotFinite {
                word,
                number,
                value,
            } => write!(f, "number {number} of '{}' is {value}", short(word)),
            Self::NotUtf8(word) => write!(f, "the word '{}' is not UTF-8", short(word)),
            Self::EmptyWord => f.write_str("the word before the numbers is missing"),
            Self::LongWord => write!(f, "a word has more than {MAX_WORD_BYTES} bytes"),
            Self::LongLine(max_bytes) => write!(f, "a line has more than {max_bytes} bytes"),
            Self::Truncated => f.write_str("the file ends inside a vector"),
            Self::Fewer { promised, found } => write!(
                f,
                "the first line promises {promised} words, and the file has {found}"
            ),
            Self::More { promised } => write!(
                f,
                "the first line promises {promised} words, and the file has more"
            ),
            Self::Version(version) => write!(
                f,
                "fastText models of version 12 are read, and this one has version {version}"
            ),
            Self::Quantized => f.write_str("quantized fastText models are not read"),
            Self::Model(what) => write!(f, "the fastText model {what}"),
        }
    }
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Position::Line(line) => write!(f, "line {line}: ")?,
            Position::Byte(byte) => write!(f, "byte {byte}: ")?,
            Position::File => {}
        }
        self.fault.fmt(f)
    }
}

impl std::error::Error for VectorError {}

impl From<io::Error> for VectorError {
    /// The file cannot be opened.
    fn from(error: io::Error) -> Self {
        Position::File.io(error)
    }
}
