//! Which of similar rows is kept: the keep order.

use datafusion::common::{Result, plan_datafusion_err, plan_err};

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

    /// Parses `column`, `column asc` or `column desc`; a name with spaces must be in double quotes.
    ///
    /// # Errors
    /// If the text is none of these.
    pub fn parse(order: &str) -> Result<Self> {
        let wrong = || {
            plan_datafusion_err!(
                "the keep order must be 'column', 'column asc' or 'column desc', found '{order}'; put a column name with spaces in double quotes"
            )
        };
        let order = order.trim();
        let (column, direction) = match order.strip_prefix('"') {
            Some(quoted) => {
                let (column, direction) = quoted.rsplit_once('"').ok_or_else(wrong)?;
                (column.replace("\"\"", "\""), direction)
            }
            None => match order.split_once(char::is_whitespace) {
                Some((column, direction)) => (column.to_owned(), direction),
                None => (order.to_owned(), ""),
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
