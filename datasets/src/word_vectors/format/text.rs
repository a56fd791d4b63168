//! Text formats: lines of a word and its numbers, separated by spaces.

use super::bytes::Bytes;
use super::error::{Fault, Position, VectorError};
use super::{check_finite, check_word};

/// Maximum length of a line in bytes.
const MAX_LINE_BYTES: usize = 8 << 20;

pub(super) struct TextRows {
    bytes: Bytes,
    dimension: usize,
    /// Number of words in the header.
    words: Option<u64>,
    word: String,
    /// Number of lines read, including the header.
    line: u64,
    rows: u64,
    /// The first empty line; only empty lines may follow it.
    empty: Option<u64>,
}

impl TextRows {
    pub(super) fn new(bytes: Bytes, dimension: usize, words: Option<u64>) -> Self {
        Self {
            bytes,
            dimension,
            words,
            word: String::new(),
            line: u64::from(words.is_some()),
            rows: 0,
            empty: None,
        }
    }

    pub(super) fn word(&self) -> &str {
        &self.word
    }

    /// Reads the next row and appends its numbers; false at the end.
    pub(super) fn next(&mut self, numbers: &mut Vec<f32>) -> Result<bool, VectorError> {
        loop {
            let Some((line, length)) = line(&mut self.bytes, self.line + 1)? else {
                return self.end();
            };
            if trimmed(line).is_empty() {
                self.line += 1;
                self.empty.get_or_insert(self.line);
                self.bytes.consume(length);
                continue;
            }
            if let Some(empty) = self.empty.take() {
                self.rows += 1;
                return Err(Position::Line(empty).fault(Fault::Count {
                    expected: self.dimension,
                    found: 0,
                }));
            }
            self.line += 1;
            self.rows += 1;
            let position = Position::Line(self.line);
            if let Some(promised) = self.words
                && self.rows > promised
            {
                return Err(position.fault(Fault::More { promised }));
            }
            let read = read(line, self.dimension, position, &mut self.word, numbers);
            self.bytes.consume(length);
            return read.map(|()| true);
        }
    }

    fn end(&self) -> Result<bool, VectorError> {
        match self.words {
            Some(promised) if self.rows < promised => Err(Position::File.fault(Fault::Fewer {
                promised,
                found: self.rows,
            })),
            _ => Ok(false),
        }
    }
}

/// The next line without its end, and its length with it.
fn line(bytes: &mut Bytes, number: u64) -> Result<Option<(&[u8], usize)>, VectorError> {
    let end = bytes
        .find(b'\n', MAX_LINE_BYTES)
        .map_err(|error| Position::Line(number).io(error))?;
    let ahead = bytes.ahead();
    match end {
        Some(end) => Ok(Some((&ahead[..end], end + 1))),
        None if ahead.is_empty() => Ok(None),
        None if ahead.len() < MAX_LINE_BYTES => Ok(Some((ahead, ahead.len()))),
        None => Err(Position::Line(number).fault(Fault::LongLine(MAX_LINE_BYTES))),
    }
}

fn trimmed(mut line: &[u8]) -> &[u8] {
    while let [before @ .., b' ' | b'\r'] = line {
        line = before;
    }
    line
}

fn number(field: &[u8]) -> Option<f32> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// Reads one row: takes the first field for the word and the rest for numbers, or if that fails, parses from the end.
fn read(
    line: &[u8],
    dimension: usize,
    position: Position,
    word: &mut String,
    numbers: &mut Vec<f32>,
) -> Result<(), VectorError> {
    let before = numbers.len();
    let line = trimmed(line);
    let mut fields = line.split(|&byte| byte == b' ');
    let first = fields.next().unwrap_or_default();
    let simple = fields.all(|field| {
        let number = number(field).filter(|number| number.is_finite());
        numbers.extend(number);
        number.is_some() && numbers.len() - before <= dimension
    });
    if simple && numbers.len() - before == dimension {
        return check_word(first, position, word);
    }
    numbers.truncate(before);
    let row = Row::split(line, dimension);
    if row.numbers.len() != dimension || row.extra > 0 {
        return Err(position.fault(Fault::Count {
            expected: dimension,
            found: row.numbers.len() + row.extra,
        }));
    }
    check_word(row.word, position, word)?;
    for (index, field) in row.numbers.iter().enumerate() {
        let Some(number) = number(field) else {
            return Err(position.fault(Fault::NotANumber {
                word: word.clone(),
                number: index + 1,
                value: String::from_utf8_lossy(field).into_owned(),
            }));
        };
        numbers.push(number);
    }
    check_finite(&numbers[before..], position, word)
}

/// A line from its end: the last fields are the numbers, and what is before them the word, in which
/// there may be spaces.
struct Row<'a> {
    word: &'a [u8],
    numbers: Vec<&'a [u8]>,
    /// How many fields before the numbers are numbers, too: with a point or an exponent, since words
    /// end with whole numbers.
    extra: usize,
}

impl<'a> Row<'a> {
    fn split(line: &'a [u8], dimension: usize) -> Self {
        let mut rest = line;
        let mut numbers = Vec::new();
        while numbers.len() < dimension
            && let Some((before, last)) = last_field(rest)
        {
            numbers.push(last);
            rest = before;
        }
        numbers.reverse();
        let word = rest;
        let mut extra = 0;
        while let Some((before, last)) = last_field(rest)
            && !last.iter().all(u8::is_ascii_digit)
            && last.iter().any(u8::is_ascii_digit)
            && number(last).is_some()
        {
            extra += 1;
            rest = before;
        }
        Self {
            word,
            numbers,
            extra,
        }
    }
}

/// The text before the last field, and the last field; `None` if it is the only one.
fn last_field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = memchr::memrchr(b' ', line)?;
    Some((trimmed(&line[..space]), &line[space + 1..]))
}

/// The number of numbers at the end of the first line, which has at least one word before them.
pub(super) fn numbers_of_first_row(bytes: &mut Bytes) -> Result<u64, VectorError> {
    let unknown = || Position::File.fault(Fault::Unknown);
    let first = match line(bytes, 1) {
        Ok(Some((line, _))) => trimmed(line),
        Err(error) if !error.is_too_long() => return Err(error),
        _ => return Err(unknown()),
    };
    let mut rest = first;
    let mut count = 0;
    while let Some((before, last)) = last_field(rest)
        && number(last).is_some()
    {
        count += 1;
        rest = before;
    }
    match count {
        0 => Err(unknown()),
        count => Ok(count),
    }
}

/// Whether the bytes ahead are a row of text, or none at all.
pub(super) fn is_row(bytes: &mut Bytes, dimension: usize) -> Result<bool, VectorError> {
    match line(bytes, 2) {
        Ok(None) => Ok(true),
        Ok(Some((line, _))) => {
            let row = Row::split(trimmed(line), dimension);
            let count = row.numbers.len();
            Ok(count == dimension && row.numbers.iter().all(|field| number(field).is_some()))
        }
        Err(error) if error.is_too_long() => Ok(false),
        Err(error) => Err(error),
    }
}
