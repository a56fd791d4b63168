//! Recognises the format of a file.

use std::sync::Arc;

use neardup_wikidump::ReadAt;

use super::bytes::Bytes;
use super::error::{Fault, Position, VectorError};
use super::fasttext::{self, MAGIC as MODEL};
use super::text;
use super::{Format, MAX_DIMENSION};

const GZIP: [u8; 2] = [0x1F, 0x8B];
const FINALFUSION: &[u8] = b"FiFu";
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Maximum length in bytes of a first line with two numbers.
const MAX_HEADER_BYTES: usize = 64;

/// A file and the result of reading its first bytes, which are consumed unless they are rows or belong to a model.
pub(super) struct Found {
    pub(super) bytes: Bytes,
    pub(super) head: Head,
}

/// The result of reading the first bytes.
pub(super) enum Head {
    Text {
        dimension: usize,
        words: Option<u64>,
    },
    Binary {
        dimension: usize,
        words: u64,
    },
    Model {
        dimension: usize,
    },
}

impl Head {
    pub(super) fn dimension(&self) -> usize {
        match self {
            Self::Text { dimension, .. }
            | Self::Binary { dimension, .. }
            | Self::Model { dimension } => *dimension,
        }
    }
}

/// Reads the first bytes of a file.
pub(super) fn recognise(
    source: Arc<dyn ReadAt>,
    format: Option<Format>,
) -> Result<Found, VectorError> {
    let mut bytes = Bytes::plain(Arc::clone(&source), 0);
    let io = |error| Position::Byte(0).io(error);
    bytes.fill(MODEL.len()).map_err(io)?;
    let packed = bytes.ahead().starts_with(&GZIP);
    if packed {
        bytes = Bytes::unpacked(source);
        bytes.fill(MODEL.len()).map_err(io)?;
    }
    let first = bytes.ahead();
    if first.is_empty() {
        return Err(Position::File.fault(Fault::Empty));
    }
    if first.starts_with(FINALFUSION) {
        return Err(Position::File.fault(Fault::Finalfusion));
    }
    if first.starts_with(&MODEL) && matches!(format, None | Some(Format::FastText)) {
        if packed {
            return Err(Position::File.fault(Fault::PackedModel));
        }
        let dimension = fasttext::dimension(&mut bytes)?;
        let head = Head::Model { dimension };
        return Ok(Found { bytes, head });
    }
    if format != Some(Format::Word2vecBinary) && first.starts_with(BYTE_ORDER_MARK) {
        bytes.consume(BYTE_ORDER_MARK.len());
    }
    let header = match format {
        Some(Format::Glove) => None,
        _ => header(&mut bytes)?,
    };
    let head = match (header, format) {
        (Some(Header { words, dimension }), _) => {
            let binary = match format {
                Some(format) => format == Format::Word2vecBinary,
                None => !text::is_row(&mut bytes, dimension)?,
            };
            match binary {
                true => Head::Binary { dimension, words },
                false => Head::Text {
                    dimension,
                    words: Some(words),
                },
            }
        }
        (None, None | Some(Format::Glove)) => Head::Text {
            dimension: checked(text::numbers_of_first_row(&mut bytes)?)?,
            words: None,
        },
        (None, Some(_)) => return Err(Position::Line(1).fault(NO_HEADER)),
    };
    Ok(Found { bytes, head })
}

const NO_HEADER: Fault = Fault::NotOfFormat(
    "the file must begin with a line of two numbers: how many words, and how many numbers each",
);

fn checked(dimension: impl ToString + TryInto<usize> + Copy) -> Result<usize, VectorError> {
    match dimension.try_into() {
        Ok(number) if (1..=MAX_DIMENSION).contains(&number) => Ok(number),
        _ => Err(Position::Line(1).fault(Fault::Dimension(dimension.to_string()))),
    }
}

/// A first line of two whole numbers.
struct Header {
    words: u64,
    dimension: usize,
}

/// Consumes the first line if it is a header.
fn header(bytes: &mut Bytes) -> Result<Option<Header>, VectorError> {
    let end = bytes
        .find(b'\n', MAX_HEADER_BYTES)
        .map_err(|error| Position::Line(1).io(error))?;
    let line = match end {
        Some(end) => &bytes.ahead()[..end],
        // The file has only a header.
        None if bytes.ahead().len() < MAX_HEADER_BYTES => bytes.ahead(),
        None => return Ok(None),
    };
    let length = line.len() + 1;
    let line = String::from_utf8_lossy(line);
    let mut fields = line.trim_end().split(' ');
    let mut number = || -> Option<u64> {
        let digits = fields.next()?;
        let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // Larger numbers are refused below.
        whole.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let (Some(words), Some(dimension), None) = (number(), number(), fields.next()) else {
        return Ok(None);
    };
    let dimension = checked(dimension)?;
    bytes.consume(length);
    Ok(Some(Header { words, dimension }))
}
