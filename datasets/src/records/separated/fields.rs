//! Reads the values of a file, one after the other.

use std::collections::{HashSet, VecDeque};

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use datafusion::common::{Result, exec_datafusion_err, exec_err};

use crate::records::encoding::NAME_ENCODING;
use crate::records::input::Buffer;
use crate::records::options::{Dialect, Header};

/// A value.
pub(in crate::records) struct Field<'a> {
    pub(in crate::records) value: &'a str,
    /// Whether it began with a quote.
    pub(in crate::records) quoted: bool,
    pub(in crate::records) column: usize,
    pub(in crate::records) ends_row: bool,
}

/// Bytes that separate values in other files.
const SEPARATORS: &[u8] = b",;\t|:";

/// The options that a file without a header needs.
const WITHOUT_HEADER: &str = "if the file has no header, the option header is false (--no-header), or the option column_names names its columns";

/// A separator as it is shown in an error.
fn shown(separator: u8) -> String {
    match separator {
        b'\t' => "a tab".to_owned(),
        other => format!("'{}'", char::from(other)),
    }
}

/// What helps if another separator is likely.
fn hint_of_separator(separator: u8) -> String {
    let separator = shown(separator);
    format!("; if {separator} separates the values, name it (the option delimiter)")
}

/// Reads the values of a file, and checks that rows are as wide as the header.
pub(in crate::records) struct Fields {
    name: String,
    input: Buffer,
    core: Reader,
    delimiter: u8,
    quote: Option<u8>,
    /// Number of lines before the header, until they are skipped.
    skip_lines: u64,
    header: Header,
    /// The first name in the header, and the line of the header, if the file has one.
    title: Option<(String, u64)>,
    /// Whether a row was read after the header.
    has_rows: bool,
    /// The values of the first row of a file without a header, until they are returned.
    first: VecDeque<(Vec<u8>, Raw)>,
    value: Vec<u8>,
    /// Number of values of a row; 0 before the header was read.
    width: usize,
    column: usize,
    /// Line in which the row began.
    line: u64,
    /// Whether the first byte of the first value is `{`.
    like_json: bool,
    /// Whether a value holds `"` in a file that is read without quotes.
    like_quoted: bool,
}

#[derive(Clone, Copy)]
struct Raw {
    len: usize,
    quoted: bool,
    ends_row: bool,
}

impl Fields {
    pub(in crate::records) fn new(name: &str, input: Buffer, dialect: &Dialect) -> Self {
        let mut core = ReaderBuilder::new();
        core.delimiter(dialect.delimiter);
        match dialect.quote {
            Some(quote) => core.quote(quote),
            None => core.quoting(false),
        };
        Self {
            name: name.to_owned(),
            input,
            core: core.build(),
            delimiter: dialect.delimiter,
            quote: dialect.quote,
            skip_lines: dialect.skip_lines,
            header: dialect.header.clone(),
            title: None,
            has_rows: false,
            first: VecDeque::new(),
            value: vec![0; 1 << 10],
            width: 0,
            column: 0,
            line: 1,
            like_json: false,
            like_quoted: false,
        }
    }

    /// Whether the file begins as one of JSON objects does.
    pub(in crate::records) fn begins_like_json(&self) -> bool {
        self.like_json
    }

    /// The line in which the row of the last value began.
    pub(in crate::records) fn line(&self) -> u64 {
        self.line
    }

    /// The names of the columns; none if the file is empty.
    pub(in crate::records) fn header(&mut self) -> Result<Vec<String>> {
        self.skip_lines()?;
        let names = match &self.header {
            Header::FirstLine => self.first_line()?,
            Header::Numbered => self.numbers()?,
            Header::Names(names) => {
                let names = names.clone();
                self.numbers()?;
                self.refuse_header(&names)?;
                names
            }
        };
        self.width = names.len();
        Ok(names)
    }

    /// Skips the lines before the header, in which quotes mean nothing.
    fn skip_lines(&mut self) -> Result<()> {
        let lines = std::mem::take(&mut self.skip_lines);
        let name = &self.name;
        let failed = |error: std::io::Error| exec_datafusion_err!("{name}: {error}");
        for skipped in 0..lines {
            match self.input.skip_line().map_err(failed)? {
                Some(b'\n') => self.core.set_line(self.core.line() + 1),
                Some(_) => {}
                // A file of zero bytes has no rows.
                None if skipped == 0 => break,
                None => {
                    return exec_err!(
                        "{name}: the option skip_lines leaves out {lines} lines, but the file has no more than {skipped}"
                    );
                }
            }
        }
        self.line = self.core.line();
        Ok(())
    }

    /// Fails if the first row holds the names of the columns.
    fn refuse_header(&self, names: &[String]) -> Result<()> {
        let first = self.first.iter().map(|(value, _)| value.as_slice());
        match !names.is_empty() && first.eq(names.iter().map(|name| name.as_bytes())) {
            true => exec_err!(
                "{}: line {}: this row holds the column names; remove column_names to read the names from it, or change one of the names to read it as a row",
                self.name,
                self.line
            ),
            false => Ok(()),
        }
    }

    /// The names of the columns by their numbers. The values of the first row are kept.
    fn numbers(&mut self) -> Result<Vec<String>> {
        while let Some(raw) = self.raw()? {
            self.first.push_back((self.value[..raw.len].to_vec(), raw));
            self.column += 1;
            if raw.ends_row {
                break;
            }
        }
        self.column = 0;
        let columns = 1..=self.first.len();
        Ok(columns.map(|column| format!("column_{column}")).collect())
    }

    /// The names of the columns in the first line.
    fn first_line(&mut self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        while let Some(raw) = self.raw()? {
            names.push(self.text(raw.len)?.to_owned());
            self.column += 1;
            if raw.ends_row {
                break;
            }
        }
        self.column = 0;
        self.title = names.first().map(|title| (title.clone(), self.line));
        let twice = {
            let mut known = HashSet::new();
            let found = names.iter().find(|name| !known.insert(name.as_str()));
            found.cloned()
        };
        match twice {
            Some(name) => self.twice(&name, &names),
            None => Ok(names),
        }
    }

    /// The error of a header that has a name twice.
    fn twice<T>(&self, name: &str, names: &[String]) -> Result<T> {
        let what = match name {
            "" => "two columns have no name".to_owned(),
            name => format!("two columns have the name '{name}'"),
        };
        // A name that is a number is probably the value of a row.
        let is_number = |name: &String| name.trim().parse::<f64>().is_ok();
        let rename = match (names.iter().any(is_number), name) {
            (true, _) => "",
            (false, "") => "name each column in this line; ",
            (false, _) => "rename one of them in this line; ",
        };
        exec_err!(
            "{}: line {}: {what}; {rename}{WITHOUT_HEADER}",
            self.name,
            self.line
        )
    }

    /// The next value after the header.
    pub(in crate::records) fn next(&mut self) -> Result<Option<Field<'_>>> {
        let raw = match self.first.pop_front() {
            Some((value, raw)) => {
                self.value[..raw.len].copy_from_slice(&value);
                raw
            }
            None => match self.raw()? {
                Some(raw) => raw,
                None => return Ok(None),
            },
        };
        let column = self.column;
        self.like_quoted |= match self.quote {
            None => self.value[..raw.len].contains(&b'"'),
            Some(quote) => quote != b'\'' && self.value[..raw.len].starts_with(b"'"),
        };
        if raw.ends_row != (column + 1 == self.width) {
            let found = match raw.ends_row {
                true => (column + 1).to_string(),
                false => "more".to_owned(),
            };
            let has = match self.header {
                Header::FirstLine => "the header has",
                _ if self.width == 1 => "there is",
                _ => "there are",
            };
            let columns = if self.width == 1 { "column" } else { "columns" };
            return exec_err!(
                "{}: line {}: {has} {} {columns}, but this row has {found}{}",
                self.name,
                self.line,
                self.width,
                self.hint_of_width(raw)
            );
        }
        self.has_rows |= raw.ends_row;
        self.text(raw.len)?;
        self.column = if raw.ends_row { 0 } else { column + 1 };
        Ok(Some(Field {
            value: self.text(raw.len)?,
            quoted: raw.quoted,
            column,
            ends_row: raw.ends_row,
        }))
    }

    /// What helps if a row, whose last value was read, has more or fewer values than the header.
    fn hint_of_width(&self, raw: Raw) -> String {
        if self.like_quoted {
            return "; if values are quoted in this file, say by which quote (the option quote)"
                .to_owned();
        }
        let Some((title, line)) = &self.title else {
            return match self.width {
                1 => "; if something else separates the values, name it (the option delimiter)",
                _ => "",
            }
            .to_owned();
        };
        // Whether a separator is several times in the header, or both there and in the first value of the row.
        let value = &self.value[..raw.len];
        let in_title = |byte: u8| title.bytes().filter(|other| *other == byte).count();
        let mut others = SEPARATORS.iter().filter(|byte| **byte != self.delimiter);
        let other = others.find(|byte| match in_title(**byte) {
            0 => false,
            1 => value.contains(*byte),
            _ => true,
        });
        let is_comment = title.starts_with('#');
        let is_title = self.width == 1 && !raw.ends_row;
        let in_quotes = match self.quote {
            Some(_) => "write a value with the separator in it in quotes",
            None => "a value cannot hold the separator",
        };
        match other {
            Some(other) if is_title && !is_comment => hint_of_separator(*other),
            _ if !is_title && !is_comment => String::new(),
            _ if self.has_rows && !is_comment => format!("; {in_quotes}"),
            _ => {
                let before = self.line - 1;
                let here = match self.has_rows {
                    true => String::new(),
                    false => format!(", here at least {before} (--skip-lines {before})"),
                };
                let or = match is_comment {
                    true => String::new(),
                    false => format!("; or {in_quotes}"),
                };
                format!(
                    "; line {line} is read as the header: lines before the header are left out with the option skip_lines{here}{or}"
                )
            }
        }
    }

    /// What helps if a header of one name holds other separators.
    fn hint_of_title(&self) -> String {
        let title = self.title.as_ref().filter(|_| self.width == 1);
        let title = title.map_or("", |(title, _)| title.as_str());
        let mut others = SEPARATORS.iter().filter(|byte| **byte != self.delimiter);
        match others.find(|byte| title.bytes().any(|other| other == **byte)) {
            Some(other) => hint_of_separator(*other),
            None => String::new(),
        }
    }

    fn text(&self, len: usize) -> Result<&str> {
        let value = &self.value[..len];
        std::str::from_utf8(value).map_err(|_| {
            exec_datafusion_err!(
                "{}: line {}: column {} is not UTF-8{NAME_ENCODING}",
                self.name,
                self.line,
                self.column + 1
            )
        })
    }

    fn raw(&mut self) -> Result<Option<Raw>> {
        let name = &self.name;
        let failed = |error: std::io::Error| exec_datafusion_err!("{name}: {error}");
        let mut len = 0;
        let mut quotes = 0;
        // Bytes of the value as it is written, and the last two that were read.
        let mut raw_len = 0;
        let mut last = [0, 0];
        // The byte after the quote that closes the value, and whether it comes next.
        let mut after = None;
        let mut is_closed = false;
        // Known when the first byte of the value has been seen.
        let mut quoted = None;
        loop {
            let at_end = self.input.peek().map_err(failed)?.is_none();
            let rest = self.input.rest();
            let mut feed = rest;
            let mut between = 0;
            if quoted.is_none() && !at_end {
                // Bytes between rows are not part of a value.
                let is_first = self.column == 0;
                let is_between = |byte: &&u8| is_first && matches!(byte, b'\r' | b'\n');
                let skipped = rest.iter().take_while(is_between).count();
                match rest.get(skipped) {
                    None => feed = &rest[..skipped],
                    Some(first) => {
                        between = skipped;
                        quoted = Some(Some(*first) == self.quote);
                        if is_first {
                            self.like_json |= self.width == 0 && *first == b'{';
                            let lines = memchr::memchr_iter(b'\n', &rest[..skipped]).count();
                            self.line = self.core.line() + lines as u64;
                        }
                    }
                }
            }
            let (result, read, written) = self.core.read_field(feed, &mut self.value[len..]);
            if quoted == Some(true) {
                let quote = self.quote.unwrap_or_default();
                let fed = &feed[..read];
                if is_closed && after.is_none() {
                    after = fed.first().filter(|byte| **byte != quote).copied();
                }
                for at in memchr::memchr_iter(quote, fed) {
                    quotes += 1;
                    if quotes % 2 == 0 && after.is_none() {
                        after = fed.get(at + 1).filter(|byte| **byte != quote).copied();
                    }
                }
                if let Some(end) = fed.last() {
                    is_closed = quotes % 2 == 0 && *end == quote;
                }
                for byte in &feed[read.saturating_sub(2)..read] {
                    last = [last[1], *byte];
                }
                raw_len += read - between;
            }
            self.input.take(read);
            len += written;
            match result {
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::OutputFull => self.value.resize(self.value.len() * 2, 0),
                ReadFieldResult::Field { record_end } => {
                    if at_end && quotes % 2 == 1 {
                        return exec_err!(
                            "{name}: line {}: the quote that opens column {} of this row is not closed; in a file without quoting, the option quote is none",
                            self.line,
                            self.column + 1
                        );
                    }
                    // Two quotes around the value, and two for each in it; the separator is read, too.
                    let (raw_len, end) = match at_end {
                        true => (raw_len, last[1]),
                        false => (raw_len - usize::from(quoted == Some(true)), last[0]),
                    };
                    let is_whole = quotes >= 2
                        && quotes % 2 == 0
                        && Some(end) == self.quote
                        && raw_len == len + 2 + (quotes - 2) / 2;
                    if quoted == Some(true) && !is_whole {
                        let hint = match after {
                            Some(after) if SEPARATORS.contains(&after) => hint_of_separator(after),
                            _ => self.hint_of_title(),
                        };
                        return exec_err!(
                            "{name}: line {}: text follows the quote that closes column {} of this row; a quote in a quoted value is written twice{hint}",
                            self.line,
                            self.column + 1
                        );
                    }
                    return Ok(Some(Raw {
                        len,
                        quoted: quoted == Some(true),
                        ends_row: record_end,
                    }));
                }
                ReadFieldResult::End => return Ok(None),
            }
        }
    }
}
