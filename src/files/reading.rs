//! Options for reading files of separated values, JSON and plain text, and their defaults by the kind of a file.

use super::Kind;
use crate::options::{READERS, lookup};
use crate::parameters::{ParameterError, parameter_error, set};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use neardup_datasets::{Dialect, Header, is_encoding};

/// The options of readers, of those that are given. `sql/parameters.txt` describes them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reading {
    delimiter: Option<u8>,
    /// The quote; within, `None` if values have no quotes.
    quote: Option<Option<u8>>,
    header: Option<Header>,
    /// The label of an encoding.
    pub(super) encoding: Option<String>,
    all_text: bool,
    /// The options that are given, and their values.
    given: Vec<(&'static str, String)>,
}

impl Reading {
    /// Reads the options of a session.
    ///
    /// # Errors
    /// If a value is out of range, or two options contradict each other.
    pub(crate) fn of(config: &ConfigOptions) -> Result<Self> {
        let option = |name: &str| lookup(config, name);
        let is_true = |name: &str| option(name).map(|value| value == "true");
        let encoding = option("encoding");
        if let Some(label) = encoding.as_deref().filter(|label| !is_encoding(label)) {
            let why = ": must be an encoding of the WHATWG Encoding Standard, such as utf-16le, windows-1252 or shift_jis";
            return Err(parameter_error![set("encoding", label), why].into());
        }
        let read = Self {
            delimiter: match option("delimiter") {
                Some(text) => Some(delimiter(&text)?),
                None => None,
            },
            quote: match option("quote") {
                Some(text) => Some(quote(&text)?),
                None => None,
            },
            header: header(is_true("header"), option("column_names"))?,
            encoding,
            all_text: is_true("all_text").unwrap_or(false),
            given: READERS
                .into_iter()
                .filter_map(|name| Some((name, option(name)?)))
                .collect(),
        };
        if let (Some(delimiter), Some(Some(quote))) = (read.delimiter, read.quote)
            && delimiter == quote
        {
            let quote = (quote as char).to_string();
            let why = ": must differ from the delimiter";
            return Err(parameter_error![set("quote", quote), why].into());
        }
        Ok(read)
    }

    /// The options that are given, and their values.
    pub(crate) fn given(&self) -> &[(&'static str, String)] {
        &self.given
    }

    /// Whether the first line of separated values is read as the header.
    pub(crate) fn has_header(&self) -> bool {
        matches!(self.header, None | Some(Header::FirstLine))
    }

    /// The first of the options that only separated values have, if one is given.
    pub(crate) fn of_separated_values(&self) -> Option<&'static str> {
        let given = [
            self.delimiter.is_some(),
            self.quote.is_some(),
            self.header.is_some(),
            self.all_text,
        ];
        let names = ["delimiter", "quote", "header", "all_text"];
        let mut found = names.into_iter().zip(given);
        found.find_map(|(name, given)| given.then_some(name))
    }

    /// The kind of a file whose name and first bytes tell `found`: a file for which a delimiter is given holds
    /// separated values, unless it is known to hold something else.
    pub(super) fn kind(&self, found: Option<Kind>) -> Option<Kind> {
        match found {
            None | Some(Kind::Text) if self.delimiter.is_some() => Some(Kind::Csv),
            found => found,
        }
    }

    /// How separated values of a kind are written.
    pub(super) fn dialect(&self, kind: Kind) -> Dialect {
        let (delimiter, quote) = match kind {
            Kind::Tsv => (b'\t', None),
            _ => (b',', Some(b'"')),
        };
        Dialect {
            delimiter: self.delimiter.unwrap_or(delimiter),
            quote: self.quote.unwrap_or(quote),
            header: self.header.clone().unwrap_or(Header::FirstLine),
            all_text: self.all_text,
        }
    }
}

fn delimiter(text: &str) -> std::result::Result<u8, ParameterError> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        _ => one_byte(text).ok_or_else(|| {
            let why = ": must be one ASCII character, or tab; not a line break";
            parameter_error![set("delimiter", text), why]
        }),
    }
}

fn quote(text: &str) -> std::result::Result<Option<u8>, ParameterError> {
    match text {
        "none" | "" => Ok(None),
        _ => one_byte(text).map(Some).ok_or_else(|| {
            let why = ": must be one ASCII character, or none; not a line break";
            parameter_error![set("quote", text), why]
        }),
    }
}

fn one_byte(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r') => Some(*byte),
        _ => None,
    }
}

fn header(
    header: Option<bool>,
    names: Option<String>,
) -> std::result::Result<Option<Header>, ParameterError> {
    let Some(names) = names else {
        return Ok(header.map(|header| match header {
            true => Header::FirstLine,
            false => Header::Numbered,
        }));
    };
    let all: Vec<String> = names
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect();
    let why = if header == Some(true) {
        ": names are given to columns without a header; a header names them itself".to_owned()
    } else if all.iter().any(String::is_empty) {
        ": a name is empty".to_owned()
    } else if let Some(name) = all
        .iter()
        .enumerate()
        .find_map(|(at, name)| all[..at].contains(name).then_some(name))
    {
        format!(": two columns have the name '{name}'")
    } else {
        return Ok(Some(Header::Names(all)));
    };
    Err(parameter_error![set("column_names", names), why])
}
