//! The options of a `dedup` job.

use super::super::dumps::DumpOptions;
pub use crate::functions::Keep;

words! {
    /// How pairs are found.
    pub enum Method("method") {
        /// The exact join, unless its estimated cost is much higher than that of MinHash.
        Auto = "auto",
        /// The exact join.
        Exact = "exact",
        /// MinHash banding at a target recall, with verification of candidates.
        MinHash = "minhash",
        /// Random projection of vectors at a target recall, with verification of candidates by their cosine.
        Projection = "projection",
    }
}

words! {
    /// Which pairs are written.
    pub enum Pairs("pairs") {
        /// Pairs of distinct texts, and one pair for each exact copy.
        Linked = "linked",
        /// Every pair of rows.
        All = "all",
    }
}

words! {
    /// Which of the similar rows are removed.
    pub enum Resolution("resolution") {
        /// A row is removed if it is similar to a row that is kept.
        Representative = "representative",
        /// One row of each connected component is kept.
        Components = "components",
    }
}

words! {
    /// How ids are made for a table without an id column.
    pub enum RowIds("row_ids") {
        /// Index of the file in the sorted list, shifted left by 40 bits, plus the index of the row in the file, both
        /// from 0. The ids of a file's rows change if a file is added that sorts before it.
        Number = "number",
        /// Path of the file and index of the row: `/data/a.csv:000000000017`. The ids change if a row is inserted
        /// before theirs, or if the file is moved.
        Path = "path",
        /// MD5 of the names and values of the row's columns that are not NULL. The second row with the same content
        /// gets the suffix `-2`, and so on. The ids change if the content changes.
        Content = "content",
    }
}

/// A `dedup` job.
#[derive(Debug, Clone)]
pub struct Dedup {
    /// Files, directories or globs, by path or address.
    pub inputs: Vec<String>,
    /// The job's directory: a path or an address.
    pub output: String,
    /// The id column of a table; `None`: `id` if there is such a column, else row numbers.
    pub id: Option<String>,
    /// How ids are made for a table without an id column.
    pub row_ids: RowIds,
    /// The text column of a table; `None`: `text`.
    pub text: Option<String>,
    /// The vector column of a table, for [`Method::Projection`]; `None`: `vector`.
    pub vector: Option<String>,
    /// Number of bits of a vector's signature.
    pub bits: usize,
    /// Minimum similarity of a pair, in (0, 1]; `None`: 0.8, for dumps 0.6.
    pub threshold: Option<f64>,
    /// Shingles: `char:N`, `word:N` or `space:N`; `None`: `word:3`, for dumps `char:5`.
    pub shingle: Option<String>,
    /// How pairs are found.
    pub method: Method,
    /// Share of the pairs at the threshold that MinHash or random projection must find, in (0, 1).
    pub target_recall: f64,
    /// Maximum number of hash functions that MinHash uses.
    pub num_hashes: usize,
    /// Seed of signatures.
    pub seed: u64,
    /// Whether texts are normalised (NFKC, lower case, white space) before they are compared.
    pub normalize: bool,
    /// Which pairs are written.
    pub pairs: Pairs,
    /// Which of the similar rows are removed.
    pub resolution: Resolution,
    /// Which row stays.
    pub keep: Keep,
    /// Buckets of more distinct texts are oversized: their rows are verified against pivots only. A vector is
    /// paired with its first so many similar predecessors, at most 256.
    pub max_bucket_pairwise: usize,
    /// Sentences of a dump: least and greatest length in characters.
    pub lengths: (usize, usize),
    /// How dumps are read.
    pub dump: DumpOptions,
    /// Whether to replace a job with other parameters in the directory.
    pub overwrite: bool,
}

impl Dedup {
    /// A job with default options.
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
            max_bucket_pairwise: 10_000,
            lengths: (20, 2000),
            dump: DumpOptions::default(),
            overwrite: false,
        }
    }

    /// The name of the column that is compared: the vector column, or `text`, the name of the text column.
    pub(super) fn value_column<'a>(&'a self, text: &'a str) -> &'a str {
        match self.method {
            Method::Projection => self.vector.as_deref().unwrap_or("vector"),
            _ => text,
        }
    }
}
