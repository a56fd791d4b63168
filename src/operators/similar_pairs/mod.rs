//! `similar_pairs`: verified pairs of rows that share a key, of all rows of a part, or of rows that are
//! near in sorted order.
//!
//! ```text
//! rows (part, id, keys, payload) ── hash by part ──> one task a part:
//!     spool ─── sort by id ───┬─ index keys ── probe ─┬─ verify ──> (id_a, id_b, similarity)
//!                             ├─ all with all ────────┤
//!                             └─ windows ─────────────┘
//! ```
//!
//! Plans of standard operators give the same pairs (`functions::sql_text` writes them), at a price: of 14,966
//! signatures of 100 bits, all pairs take 26 seconds of one core by a nested-loop join and 0.25 here; windows of
//! 10 in 10 tables 1.5 seconds and 230 MB by a self join of numbered rows, and 0.1 seconds and a few MB here.
//!
//! The join itself is `neardup_kernels::pairs`; here it meets Arrow, memory accounting and the plan.

mod exec;
mod input;
mod join;
mod left_out;
mod logical;
mod spool;

pub use exec::SimilarPairsExec;
pub(crate) use left_out::reporting;
pub use left_out::{LeftOut, Report};
pub use logical::SimilarPairs;
pub(crate) use spool::compact;

use serde::{Deserialize, Serialize};

/// What makes a candidate a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Serialize, Deserialize)]
pub enum Verify {
    /// Exact Jaccard similarity of the column `tokens`.
    Exact,
    /// Edit similarity of the column `text`.
    Edit,
    /// Share of equal positions of the column `signature`.
    Estimate,
    /// Number of differing bits of the column `signature`.
    Hamming,
    /// Cosine of the column `vector`.
    Cosine,
    /// Nothing: every candidate is a pair.
    None,
}

impl Verify {
    /// The column that verification reads.
    pub(crate) fn column(self) -> Option<&'static str> {
        match self {
            Self::Exact => Some("tokens"),
            Self::Edit => Some("text"),
            Self::Estimate | Self::Hamming => Some("signature"),
            Self::Cosine => Some("vector"),
            Self::None => None,
        }
    }
}

/// Which rows are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Serialize, Deserialize)]
pub enum Candidates {
    /// Rows that share a key.
    Keys,
    /// All rows of a part; where a part has two halves, those of one with those of the other.
    All,
    /// Rows whose signatures are near in the order of permuted bits.
    Windows {
        /// Bits of a signature that count.
        bits: u32,
        /// Tables, each with a permutation of its own.
        tables: u32,
        /// Rows before a row that it is compared with.
        window: u32,
        /// Rows of a chunk.
        chunk: u32,
        /// Seed of the permutations.
        seed: u64,
    },
}

/// The parameters of the operator; `sql/similar_pairs.sql` says what they mean.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Spec {
    /// Least similarity, in (0, 1].
    pub threshold: f64,
    /// Which rows are compared.
    pub candidates: Candidates,
    /// What makes a candidate a pair.
    pub verify: Verify,
    /// The most bits in which signatures may differ; with a cosine `None`, where there are none.
    pub max_distance: Option<u32>,
    /// The keys are prefix tokens of `tokens`.
    pub prefixes: bool,
    /// Buckets of more rows than this are oversized: their rows are verified against pivots.
    pub bucket_pairs: Option<usize>,
    /// Only the first rows, in id order, of a bucket take part.
    pub max_bucket: Option<usize>,
    /// Parts of the key space.
    pub parts: u32,
    /// Only pairs of side 0 with side 1.
    pub two_sides: bool,
    /// Only pairs whose values of `across` differ.
    pub differ: bool,
    /// Where it is noted what is left out.
    pub report: Option<Report>,
}

impl Spec {
    /// The columns that the operator reads, in this order.
    pub(crate) fn columns(&self) -> Vec<&'static str> {
        let mut columns = vec!["part", "id"];
        if self.candidates == Candidates::Keys {
            columns.push("keys");
        }
        columns.extend(self.verify.column());
        if self.reads_signatures() && self.verify != Verify::Hamming {
            columns.push("signature");
        }
        if self.has_halves() {
            columns.push("half");
        }
        if self.two_sides {
            columns.push("side");
        }
        if self.differ {
            columns.push("across");
        }
        columns
    }

    /// Whether bit signatures are compared.
    pub(crate) fn reads_signatures(&self) -> bool {
        match self.verify {
            Verify::Hamming => true,
            Verify::Cosine => self.max_distance.is_some(),
            _ => false,
        }
    }

    /// Whether a part may have two halves.
    pub(crate) fn has_halves(&self) -> bool {
        self.candidates == Candidates::All && !self.two_sides
    }
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "verify={:?}, threshold={}, parts={}",
            self.verify, self.threshold, self.parts
        )?;
        if let Some(most) = self.max_distance {
            write!(f, ", max_distance={most}")?;
        }
        match self.candidates {
            Candidates::Keys => {}
            Candidates::All => f.write_str(", all pairs")?,
            Candidates::Windows {
                bits,
                tables,
                window,
                chunk,
                seed,
            } => write!(
                f,
                ", tables={tables}, window={window}, chunk={chunk}, bits={bits}, seed={seed}"
            )?,
        }
        if self.prefixes {
            f.write_str(", prefixes")?;
        }
        if let Some(limit) = self.bucket_pairs {
            write!(f, ", bucket_pairs={limit}")?;
        }
        if let Some(limit) = self.max_bucket {
            write!(f, ", max_bucket={limit}")?;
        }
        if self.two_sides {
            f.write_str(", two sides")?;
        }
        if self.differ {
            f.write_str(", across differs")?;
        }
        Ok(())
    }
}
