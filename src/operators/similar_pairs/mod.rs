//! `similar_pairs`: verified pairs of rows that share a key.
//!
//! ```text
//! rows (part, id, keys, payload) ── hash by part ──> one task a part:
//!     collect ── sort by id ── index keys ── probe ── verify ──> (id_a, id_b, similarity)
//! ```
//!
//! The join itself is `neardup_kernels::pairs`; here it meets Arrow, memory accounting and the plan.

mod exec;
mod input;
mod logical;

pub use exec::SimilarPairsExec;
pub use logical::SimilarPairs;

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
    /// Nothing: every candidate is a pair.
    None,
}

impl Verify {
    /// The column that verification reads.
    pub(crate) fn column(self) -> Option<&'static str> {
        match self {
            Self::Exact => Some("tokens"),
            Self::Edit => Some("text"),
            Self::Estimate => Some("signature"),
            Self::None => None,
        }
    }
}

/// The parameters of the operator; `sql/similar_pairs.sql` says what they mean.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Spec {
    /// Least similarity, in (0, 1].
    pub threshold: f64,
    /// What makes a candidate a pair.
    pub verify: Verify,
    /// The keys are prefix tokens of `tokens`.
    pub prefixes: bool,
    /// Buckets of more rows than this are verified against leaders.
    pub bucket_pairs: Option<usize>,
    /// Only the first rows, in id order, of a bucket take part.
    pub max_bucket: Option<usize>,
    /// Parts of the key space.
    pub parts: u32,
    /// Only pairs of side 0 with side 1.
    pub two_sides: bool,
    /// Only pairs whose values of `across` differ.
    pub differ: bool,
}

impl Spec {
    /// The columns that the operator reads, in this order.
    pub(crate) fn columns(&self) -> Vec<&'static str> {
        let mut columns = vec!["part", "id", "keys"];
        columns.extend(self.verify.column());
        if self.two_sides {
            columns.push("side");
        }
        if self.differ {
            columns.push("across");
        }
        columns
    }
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "verify={:?}, threshold={}, parts={}",
            self.verify, self.threshold, self.parts
        )?;
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
