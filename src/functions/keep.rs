//! Which of similar rows is kept: the keep order.

use datafusion::common::{Result, plan_datafusion_err, plan_err};
use std::fmt;

/// Which row is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keep {
    /// The row with the smallest id.
    First,
    /// The row with the most characters, then with the smallest id.
    Longest,
    /// The first row in the order of a column, then with the smallest id.
    By {
        /// The column.
        column: String,
        /// Whether the largest value comes first.
        descending: bool,
    },
}

impl Keep {
    /// The words for the orders that need no column.
    pub const WORDS: [&'static str; 2] = ["first", "longest"];

    /// The order of a word.
    ///
    /// # Errors
    /// If the word is not one of [`Self::WORDS`].
    pub fn from_word(word: &str) -> Result<Self> {
        match word {
            "first" => Ok(Self::First),
            "longest" => Ok(Self::Longest),
            other => plan_err!("keep must be one of first, longest, found {other}"),
        }
    }

    /// Parses `column`, `column asc` or `column desc`. A name that ends in such a word, or has spaces at an end, must be
    /// in double quotes.
    ///
    /// # Errors
    /// If the text is none of these.
    pub fn parse(order: &str) -> Result<Self> {
        let wrong = || {
            plan_datafusion_err!(
                "the keep order must be 'column', 'column asc' or 'column desc', found '{order}'"
            )
        };
        let order = order.trim();
        let (column, direction) = match order.strip_prefix('"') {
            Some(quoted) => {
                let (column, direction) = quoted.rsplit_once('"').ok_or_else(wrong)?;
                (column.replace("\"\"", "\""), direction)
            }
            None => match order.rsplit_once(char::is_whitespace) {
                Some((column, direction)) if is_direction(direction) => {
                    (column.trim_end().to_owned(), direction)
                }
                _ => (order.to_owned(), ""),
            },
        };
        let descending = match direction.trim().to_ascii_lowercase().as_str() {
            "" | "asc" => false,
            "desc" => true,
            _ => return Err(wrong()),
        };
        match column.is_empty() {
            true => Err(wrong()),
            false => Ok(Self::By { column, descending }),
        }
    }
}

/// As [`Keep::from_word`] and [`Keep::parse`] read it.
impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (column, descending) = match self {
            Self::First => return f.write_str("first"),
            Self::Longest => return f.write_str("longest"),
            Self::By { column, descending } => (column, *descending),
        };
        let is_plain = !Self::WORDS.contains(&column.as_str())
            && Self::parse(column).is_ok_and(|read| match read {
                Self::By { column: read, .. } => read == *column,
                _ => false,
            });
        match is_plain {
            true => f.write_str(column)?,
            false => write!(f, "\"{}\"", column.replace('"', "\"\""))?,
        }
        match descending {
            true => f.write_str(" desc"),
            false => Ok(()),
        }
    }
}

fn is_direction(word: &str) -> bool {
    ["asc", "desc"]
        .iter()
        .any(|direction| word.eq_ignore_ascii_case(direction))
}

#[cfg(test)]
mod tests {
    use super::Keep;

    #[test]
    fn orders_are_written_as_they_are_read() {
        for column in [
            "score", "Doc Id", "first", "longest", "a desc", "desc", " a", "a\"b", "\"a\"",
            "date asc",
        ] {
            for descending in [false, true] {
                let order = Keep::By {
                    column: column.to_owned(),
                    descending,
                };
                let text = order.to_string();
                assert_eq!(Keep::parse(&text).expect("an order"), order, "{text}");
                assert!(!Keep::WORDS.contains(&text.as_str()), "{text}");
            }
        }
        for word in Keep::WORDS {
            assert_eq!(Keep::from_word(word).expect("a word").to_string(), word);
        }
    }

    #[test]
    fn a_column_may_have_spaces() {
        let by = |column: &str, descending| Keep::By {
            column: column.to_owned(),
            descending,
        };
        for (order, wanted) in [
            ("score", by("score", false)),
            (" score  DESC ", by("score", true)),
            ("Doc Id", by("Doc Id", false)),
            ("Doc Id desc", by("Doc Id", true)),
            ("desc", by("desc", false)),
            ("\"a desc\" asc", by("a desc", false)),
            ("\"a \"\"b\"\"\"", by("a \"b\"", false)),
        ] {
            assert_eq!(Keep::parse(order).unwrap(), wanted, "{order}");
        }
        for wrong in ["", "\"a", "\"a\" up", "\"\" desc"] {
            assert!(Keep::parse(wrong).is_err(), "{wrong}");
        }
    }
}
