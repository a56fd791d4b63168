//! The types of parameters, with their ranges.

use std::fmt;

/// The type of a parameter, with its range.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A floating-point number within a range.
    Number(Range),
    /// An integer within a range.
    Integer(Range),
    /// Any text.
    Text,
    /// A language code, such as `'de'` or `'pt-br'`.
    Language,
    /// A text or a number, kept as text.
    Constant,
    /// `true` or `false`.
    Boolean,
    /// A column of the input, as an identifier or in quotes.
    Column,
    /// A list of columns of the input, such as `[title, url]`.
    Columns,
    /// A shingle specification, such as `'char:12'`, `'word:3'` or `'space:5'`.
    Shingle,
    /// One of the given keywords.
    OneOf(Vec<String>),
    /// A list of values of one type, such as `[0.4, 0.6]`.
    List(Box<Kind>),
}

/// An interval of numbers, open or closed at either end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    low: f64,
    low_open: bool,
    high: f64,
    high_open: bool,
}

impl Range {
    /// Whether the range contains the value. It never contains NaN.
    pub fn contains(&self, value: f64) -> bool {
        let above = if self.low_open {
            value > self.low
        } else {
            value >= self.low
        };
        let below = if self.high_open {
            value < self.high
        } else {
            value <= self.high
        };
        above && below
    }

    /// The smallest integer in the range.
    pub(crate) fn min_integer(&self) -> i64 {
        let low = self.low as i64;
        low + i64::from(!self.contains(low as f64))
    }

    fn parse(text: &str) -> Option<Self> {
        let inner = text.strip_prefix(['(', '['])?.strip_suffix([')', ']'])?;
        let (low, high) = inner.split_once(',')?;
        Some(Self {
            low: low.trim().parse().ok()?,
            low_open: text.starts_with('('),
            high: high.trim().parse().ok()?,
            high_open: text.ends_with(')'),
        })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = if self.low_open { '(' } else { '[' };
        let close = if self.high_open { ')' } else { ']' };
        write!(f, "{open}{}, {}{close}", self.low, self.high)
    }
}

impl Kind {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(element) = text.strip_prefix("list of ") {
            return Ok(Self::List(Box::new(Self::parse(element)?)));
        }
        Ok(match text.split_once(" in ") {
            Some(("number", range)) if let Some(range) = Range::parse(range) => Self::Number(range),
            Some(("integer", range)) if let Some(range) = Range::parse(range) => {
                Self::Integer(range)
            }
            _ => match text {
                "text" => Self::Text,
                "language" => Self::Language,
                "constant" => Self::Constant,
                "boolean" => Self::Boolean,
                "column" => Self::Column,
                "columns" => Self::Columns,
                "shingle" => Self::Shingle,
                _ => match text.strip_prefix("one of ") {
                    Some(words) => Self::OneOf(words.split('|').map(str::to_owned).collect()),
                    None => return Err(format!("unknown type '{text}' of a parameter")),
                },
            },
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(range) => write!(f, "a number in {range}"),
            Self::Integer(range) => write!(f, "a whole number in {range}"),
            Self::Text => f.write_str("a text"),
            Self::Language => f.write_str("a language code such as de or pt-br"),
            Self::Constant => f.write_str("a text or a number"),
            Self::Boolean => f.write_str("true or false"),
            Self::Column => f.write_str("a column"),
            Self::Columns => f.write_str("a list of columns, as in [a, b]"),
            Self::Shingle => f.write_str("a shingle such as 'word:3'"),
            Self::OneOf(words) => write!(f, "one of {}", words.join(", ")),
            Self::List(element) => write!(f, "a list in brackets, each element {element}"),
        }
    }
}
