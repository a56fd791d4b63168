//! Options for reading files of separated values, JSON and plain text, and their defaults by the kind of a file.

use super::Kind;
use crate::options::{READERS, lookup};
use crate::parameters::{ParameterError, Value, name, parameter, parameter_error, set};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use neardup_datasets::{Dialect, Header, is_encoding};

/// Names of encodings in other programs, without separators, and the labels of these.
const OTHER_NAMES: [(&str, &str); 9] = [
    ("ansi", "windows-1252"),
    ("cp932", "shift_jis"),
    ("cp936", "gbk"),
    ("cp949", "windows-949"),
    ("cp950", "big5"),
    ("cp65001", "utf-8"),
    ("macroman", "macintosh"),
    ("utf8mb4", "utf-8"),
    ("utf8sig", "utf-8"),
];

/// The options of readers, of those that are given. `sql/parameters.txt` describes them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reading {
    delimiter: Option<u8>,
    /// The quote; within, `None` if values have no quotes.
    quote: Option<Option<u8>>,
    /// The number of lines before the header.
    skip_lines: u64,
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
            return Err(parameter_error![set("encoding", label), no_encoding(label)].into());
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
            skip_lines: match option("skip_lines") {
                Some(text) => lines(&text)?,
                None => 0,
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

    /// Checks the options that are given against the defaults of a kind.
    ///
    /// # Errors
    /// If the delimiter and the quote are the same.
    pub(super) fn check(&self, kind: Kind) -> Result<()> {
        let Dialect {
            delimiter, quote, ..
        } = self.dialect(kind);
        if !matches!(kind, Kind::Csv | Kind::Tsv) || quote != Some(delimiter) {
            return Ok(());
        }
        let both = char::from(delimiter).to_string();
        let error = match self.quote {
            Some(_) => parameter_error![
                set("quote", both),
                ": must differ from the delimiter; another is given by ",
                name("delimiter")
            ],
            None => parameter_error![
                set("delimiter", both),
                ": must differ from the quote; another, or none, is given by ",
                name("quote")
            ],
        };
        Err(error.into())
    }

    /// The options that are given, and their values.
    pub(crate) fn given(&self) -> &[(&'static str, String)] {
        &self.given
    }

    /// Whether the first line of separated values is read as the header.
    pub(crate) fn has_header(&self) -> bool {
        matches!(self.header, None | Some(Header::FirstLine))
    }

    /// The sets of options with which a second input is read, in the order in which they are tried. Options that apply
    /// to the main input, of this kind, may describe it alone. If a quote is given, those of separated values are tried
    /// first: a file can be read with and without a quote, and the wrong choice could lose the rows between two quotes.
    pub(super) fn of_second(&self, main: Kind) -> Vec<Self> {
        let is_given = |is_encoding: bool| {
            let is_one = |name: &str| (name == "encoding") == is_encoding && has(main, name);
            self.given.iter().any(|(name, _)| is_one(name))
        };
        let has_quote = self.given.iter().any(|(name, _)| *name == "quote");
        let choices = |is_given: bool, with_it_first: bool| match (is_given, with_it_first) {
            (true, false) => &[false, true][..],
            (true, true) => &[true, false],
            (false, _) => &[true],
        };
        let mut ways = Vec::new();
        for with_dialect in choices(is_given(false), has_quote) {
            for with_encoding in choices(is_given(true), false) {
                ways.push(self.part(*with_dialect, *with_encoding));
            }
        }
        ways
    }

    /// The options of separated values, the encoding, both or none.
    fn part(&self, with_dialect: bool, with_encoding: bool) -> Self {
        let all = self.clone();
        let encoding = all.encoding.filter(|_| with_encoding);
        let mut given = all.given;
        given.retain(|(name, _)| match *name {
            "encoding" => with_encoding,
            _ => with_dialect,
        });
        let dialect = match with_dialect {
            true => self.clone(),
            false => Self::default(),
        };
        Self {
            encoding,
            given,
            ..dialect
        }
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
            skip_lines: self.skip_lines,
            header: self.header.clone().unwrap_or(Header::FirstLine),
            all_text: self.all_text,
        }
    }
}

/// Why a label is refused that names no encoding, and what to do.
fn no_encoding(label: &str) -> String {
    let standard = ": must be an encoding of the WHATWG Encoding Standard";
    match known_label(label) {
        Some(known) => format!("{standard}, where it is called {known}"),
        None => format!(
            "{standard}, such as utf-16le, windows-1252 or shift_jis; convert a file of another one first: iconv -f {label} -t utf-8"
        ),
    }
}

/// The label of an encoding that has this name elsewhere.
fn known_label(name: &str) -> Option<String> {
    let name = name.trim().to_lowercase();
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = letters.collect();
    if let Some((_, label)) = OTHER_NAMES.iter().find(|(other, _)| *other == plain) {
        return Some((*label).to_owned());
    }
    let number = plain.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let labels = [
        name.replace([' ', '_'], "-"),
        plain.replacen("utf", "utf-", 1),
        plain.replacen("latin", "l", 1),
        format!("windows-{number}"),
    ];
    labels.into_iter().find(|label| is_encoding(label))
}

/// Whether files of a kind have an option.
pub(super) fn has(kind: Kind, option: &str) -> bool {
    match kind {
        Kind::Csv | Kind::Tsv => true,
        Kind::Json | Kind::Text => option == "encoding",
        Kind::Parquet | Kind::Dump => false,
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

fn lines(text: &str) -> std::result::Result<u64, ParameterError> {
    Ok(match parameter("skip_lines").read(text)? {
        Value::Integer(lines) => u64::try_from(lines).unwrap_or(0),
        _ => 0,
    })
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

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::{OTHER_NAMES, Reading, is_encoding, known_label};
    use crate::options::NeardupOptions;
    use datafusion::common::config::ConfigOptions;

    #[test]
    fn names_of_encodings_in_other_programs() {
        for (name, label) in [
            ("latin-1", Some("latin1")),
            ("Latin 9", Some("l9")),
            ("UTF-8-SIG", Some("utf-8")),
            ("utf_8", Some("utf-8")),
            ("UTF16", Some("utf-16")),
            ("utf-16-le", Some("utf-16le")),
            ("euc_kr", Some("euc-kr")),
            ("win1252", Some("windows-1252")),
            ("mac-roman", Some("macintosh")),
            ("utf-32", None),
            ("utf32le", None),
            ("cp437", None),
            ("ebcdic", None),
            ("", None),
        ] {
            assert_eq!(known_label(name).as_deref(), label, "{name}");
            assert!(!is_encoding(name), "{name}");
        }
        for (_, label) in OTHER_NAMES {
            assert!(is_encoding(label), "{label}");
        }
    }

    #[test]
    fn options_of_a_second_input_in_order() {
        let mut config = ConfigOptions::new();
        config.extensions.insert(NeardupOptions::default());
        for (name, value) in [
            ("delimiter", ";"),
            ("encoding", "latin1"),
            ("header", "false"),
        ] {
            config.set(&format!("neardup.{name}"), value).unwrap();
        }
        let reading = Reading::of(&config).unwrap();
        let names = |reading: &Reading| -> Vec<&'static str> {
            reading.given().iter().map(|(name, _)| *name).collect()
        };
        assert_eq!(names(&reading), ["delimiter", "header", "encoding"]);
        let ways = |kind| -> Vec<Vec<&'static str>> {
            reading.of_second(kind).iter().map(names).collect()
        };
        let dialect = ["delimiter", "header"].to_vec();
        let all = ["delimiter", "header", "encoding"].to_vec();
        let four = [vec![], vec!["encoding"], dialect.clone(), all.clone()];
        assert_eq!(ways(Kind::Csv), four);
        assert_eq!(ways(Kind::Tsv), four);
        assert_eq!(ways(Kind::Json), [dialect.clone(), all.clone()]);
        assert_eq!(ways(Kind::Text), [dialect, all.clone()]);
        assert_eq!(ways(Kind::Parquet), std::slice::from_ref(&all));
        assert_eq!(ways(Kind::Dump), [all]);
        let wanted = [
            (b',', true, None),
            (b',', true, Some("latin1")),
            (b';', false, None),
            (b';', false, Some("latin1")),
        ];
        config.set("neardup.quote", "none").unwrap();
        let quoted = Reading::of(&config).unwrap();
        let ways: Vec<usize> = (quoted.of_second(Kind::Csv).iter())
            .map(|way| way.given().len())
            .collect();
        assert_eq!(ways, [3, 4, 0, 1]);
        let found = reading.of_second(Kind::Csv);
        for (way, (delimiter, has_header, encoding)) in found.iter().zip(wanted) {
            assert_eq!(way.dialect(Kind::Csv).delimiter, delimiter);
            assert_eq!(way.has_header(), has_header);
            assert_eq!(way.encoding.as_deref(), encoding);
        }
        assert_eq!(Reading::default().of_second(Kind::Csv).len(), 1);
    }
}
