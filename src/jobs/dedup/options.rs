//! What a `dedup` job is asked for.

use super::super::dumps::DumpOptions;
use datafusion::common::{Result, plan_datafusion_err};

/// How pairs are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The exact join, unless it is much dearer than MinHash.
    Auto,
    /// The exact join.
    Exact,
    /// MinHash at a target recall, verified.
    MinHash,
    /// Random projection of vectors at a target recall, verified by their cosine.
    Projection,
}

/// Which pairs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    /// Pairs of distinct texts, and one pair a copy.
    Linked,
    /// Every pair of rows.
    All,
}

/// What becomes of similar rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// A row goes if it is similar to a row that stays.
    Representative,
    /// One row of each connected component stays.
    Components,
}

/// Which row stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keep {
    /// The smallest id.
    First,
    /// The most characters, then the smallest id.
    Longest,
    /// The first by a column, then the smallest id.
    By {
        /// The column.
        column: String,
        /// Largest first.
        descending: bool,
    },
}

impl Keep {
    /// Parses `column`, `column asc` or `column desc`; a name with blanks stands in double quotes.
    ///
    /// # Errors
    /// If the text is none of these.
    pub fn parse(order: &str) -> Result<Self> {
        let wrong = || {
            plan_datafusion_err!(
                "the keep order must be 'column', 'column asc' or 'column desc', found '{order}'; a column with blanks stands in double quotes"
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

/// The ids of rows of a table without a column of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowIds {
    /// Number of the file in the sorted list, shifted left by 40 bits, plus the number of the row from 0. They
    /// change when a file is added before a file.
    Number,
    /// Path of the file and number of the row: `/data/a.csv:000000000017`. They change when a row is added
    /// before a row of a file, or a file is moved.
    Path,
    /// MD5 of the names and values of the row that are not NULL; the second row of the same content has `-2`
    /// behind it, and so on. They change when the content does.
    Content,
}

/// A `dedup` job.
#[derive(Debug, Clone)]
pub struct Dedup {
    /// Files, directories or globs, by path or address.
    pub inputs: Vec<String>,
    /// The job's directory: a path or an address.
    pub output: String,
    /// The id column of a table; `None`: `id` where there is one, else row numbers.
    pub id: Option<String>,
    /// Ids of rows of a table without a column of ids.
    pub row_ids: RowIds,
    /// The text column of a table.
    pub text: Option<String>,
    /// The column of vectors of a table, for [`Method::Projection`].
    pub vector: Option<String>,
    /// Bits of the signature of a vector.
    pub bits: usize,
    /// Least similarity; `None`: 0.8, on dumps 0.6.
    pub threshold: Option<f64>,
    /// Shingles; `None`: `word:3`, on dumps `char:5`.
    pub shingle: Option<String>,
    /// How pairs are found.
    pub method: Method,
    /// Share of the pairs at the threshold that MinHash or random projection must find.
    pub target_recall: f64,
    /// Hash functions that MinHash may use.
    pub num_hashes: usize,
    /// Seed of signatures.
    pub seed: u64,
    /// Whether texts are normalised first.
    pub normalize: bool,
    /// Which pairs are written.
    pub pairs: Pairs,
    /// What becomes of similar rows.
    pub resolution: Resolution,
    /// Which row stays.
    pub keep: Keep,
    /// Buckets of more distinct texts are oversized: their rows are verified against pivots only. A vector is
    /// paired with its first so many similar predecessors, at most 256.
    pub bucket_pairs: usize,
    /// Sentences of a dump: least and greatest length in characters.
    pub lengths: (usize, usize),
    /// How dumps are read.
    pub dump: DumpOptions,
    /// Whether a job with other parameters in the directory is replaced.
    pub overwrite: bool,
}

impl Dedup {
    /// The defaults over some inputs.
    pub fn new(inputs: Vec<String>, output: String) -> Self {
        Self {
            inputs,
            output,
            id: None,
            row_ids: RowIds::Number,
            text: None,
            vector: None,
            bits: 1024,
            threshold: None,
            shingle: None,
            method: Method::Auto,
            target_recall: 0.99,
            num_hashes: 128,
            seed: 1,
            normalize: true,
            pairs: Pairs::Linked,
            resolution: Resolution::Representative,
            keep: Keep::First,
            bucket_pairs: 10_000,
            lengths: (20, 2000),
            dump: DumpOptions::default(),
            overwrite: false,
        }
    }

    /// The column of what is compared, where that of the texts has this name.
    pub(super) fn value_column<'a>(&'a self, text: &'a str) -> &'a str {
        match self.method {
            Method::Projection => self.vector.as_deref().unwrap_or("vector"),
            _ => text,
        }
    }
}
