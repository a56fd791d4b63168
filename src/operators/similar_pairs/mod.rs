//! `similar_pairs`: verified pairs of rows. Candidates are rows that share a key, all rows of a part, or rows that are
//! near in sorted order.
//!
//! ```text
//! rows (part, id, keys, items) ── hash by part ──> one task per part:
//!     spool ─── sort by id ───┬─ index keys ── probe ─┬─ verify ──> (id_a, id_b, similarity)
//!                             ├─ all pairs ───────────┤
//!                             └─ windows ─────────────┘
//! ```
//!
//! Texts with exact verification are joined by `blocks`, which needs no parts in one process.
//!
//! Plans of standard operators give the same pairs (`functions::sql_text` writes them) at a higher cost. Measured on
//! one core with 14,966 signatures of 100 bits: all pairs take 26 seconds by a nested-loop join and 0.25 seconds here.
//! Windows of 10 rows in 10 tables take 1.5 seconds and 230 MB by a self join of numbered rows, and 0.1 seconds and a
//! few MB here.
//!
//! The join algorithms are in `neardup_kernels::pairs`. This module connects them to Arrow, memory accounting and the
//! plan.

mod blocks;
mod exec;
mod input;
mod join;
mod left_out;
mod logical;
mod metrics;
mod placement;
mod spool;

pub use exec::SimilarPairsExec;
pub use left_out::{LeftOut, LeftOutTarget};
pub use logical::SimilarPairs;
pub(crate) use logical::reporting;
pub(crate) use spool::compact;

use serde::{Deserialize, Serialize};

/// The join by blocks keeps the rows of each part of a task apart. With more parts than this a batch of rows would be
/// divided into single rows.
const MAX_PARTS_OF_BLOCKS: u32 = 1024;

/// How candidates are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Serialize, Deserialize)]
pub enum Verify {
    /// Exact Jaccard similarity of the column `tokens`.
    Exact,
    /// The share of the column `tokens` of side 0 that is in that of side 1.
    Containment,
    /// Edit similarity of the column `text`.
    Edit,
    /// Fraction of equal positions of the column `signature`.
    Estimate,
    /// Number of differing bits of the column `signature`.
    Hamming,
    /// Cosine of the column `vector`.
    Cosine,
    /// No verification: every candidate is a pair.
    None,
}

impl Verify {
    /// The column that verification reads.
    pub(crate) fn column(self) -> Option<&'static str> {
        match self {
            Self::Exact | Self::Containment => Some("tokens"),
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
    /// All rows of a part. If the part has two groups of rows, only pairs of a row of one with a row of the other.
    All,
    /// Rows whose signatures are near in the sorted order of their permuted bits.
    Windows {
        /// Number of bits of a signature that are used.
        bits: u32,
        /// Number of tables, each with its own permutation.
        tables: u32,
        /// Number of preceding rows, in sorted order, with which a row is compared.
        window: u32,
        /// Number of rows of a table that are compared at a time.
        chunk: u32,
        /// Seed of the permutations.
        seed: u64,
    },
}

/// Which rows may be in a pair, by their values in the column `group_value`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Serialize, Deserialize)]
pub enum GroupRule {
    /// All: the column is not read.
    #[default]
    Any,
    /// Rows whose values differ.
    Differ,
    /// Rows whose values are equal; with [`Candidates::Keys`], rows with other values share no key.
    Agree,
}

/// The parameters of the operator. `sql/similar_pairs.sql` describes them.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Spec {
    /// Minimum similarity of a pair, in (0, 1].
    pub threshold: f64,
    /// Which rows are compared.
    pub candidates: Candidates,
    /// How candidates are verified.
    pub verify: Verify,
    /// Maximum number of bits in which signatures may differ. `None` with [`Verify::Cosine`] without signatures.
    pub max_distance: Option<u32>,
    /// Whether the keys are prefix tokens of `tokens`, so that the length and positional filters apply.
    pub prefixes: bool,
    /// Buckets of more rows than this are oversized: their rows are verified against pivots. Callers pass one row for
    /// each distinct text.
    pub max_bucket_pairwise: Option<usize>,
    /// Only this many rows of a bucket, the first in id order, form pairs.
    pub max_bucket: Option<usize>,
    /// Number of parts of the key space.
    pub parts: u32,
    /// How the sets are computed from texts, in the join by blocks; `None`: the sets are the column `tokens`.
    pub shingle: Option<String>,
    /// Whether only pairs of a row of side 0 with a row of side 1 are formed.
    pub two_sides: bool,
    /// Which rows may be in a pair.
    pub group_rule: GroupRule,
    /// Where the counts of uncompared rows and pairs are written, if anywhere.
    pub report: Option<LeftOutTarget>,
}

impl Spec {
    /// The columns that the operator reads, in this order.
    pub(crate) fn columns(&self) -> Vec<&'static str> {
        let mut columns = vec!["part", "id"];
        if self.candidates == Candidates::Keys {
            columns.push("keys");
        }
        match self.shingle {
            Some(_) => {
                columns.extend(["length", "text"]);
                // With one part each row is at home.
                columns.extend((self.parts > 1).then_some("home"));
            }
            None => columns.extend(self.verify.column()),
        }
        if self.reads_signatures() && self.verify != Verify::Hamming {
            columns.push("signature");
        }
        if self.has_two_groups() {
            columns.push("in_second_group");
        }
        if self.two_sides {
            columns.push("side");
        }
        if self.compares_groups() {
            columns.push("group_value");
        }
        columns
    }

    /// Whether the join by blocks handles these parameters, if texts and their shingle are given.
    pub(crate) fn may_join_by_blocks(&self) -> bool {
        self.candidates == Candidates::Keys
            && may_join_by_blocks(self.verify, self.parts, self.max_bucket, self.group_rule)
    }

    /// Whether the column `group_value` is compared. The join by blocks relies on the keys.
    pub(crate) fn compares_groups(&self) -> bool {
        match self.group_rule {
            GroupRule::Any => false,
            GroupRule::Differ => true,
            GroupRule::Agree => self.shingle.is_none(),
        }
    }

    /// Whether bit signatures are compared.
    pub(crate) fn reads_signatures(&self) -> bool {
        match self.verify {
            Verify::Hamming => true,
            Verify::Cosine => self.max_distance.is_some(),
            _ => false,
        }
    }

    /// Whether a part may have two groups of rows, which are compared with each other.
    pub(crate) fn has_two_groups(&self) -> bool {
        self.candidates == Candidates::All && !self.two_sides
    }
}

/// Whether the join by blocks handles these parameters of a join of rows that share keys.
pub(crate) fn may_join_by_blocks(
    verify: Verify,
    parts: u32,
    max_bucket: Option<usize>,
    group_rule: GroupRule,
) -> bool {
    verify == Verify::Exact
        && parts <= MAX_PARTS_OF_BLOCKS
        && max_bucket.is_none()
        && group_rule != GroupRule::Differ
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "verify={:?}, threshold={}, parts={}",
            self.verify, self.threshold, self.parts
        )?;
        if let Some(bits) = self.max_distance {
            write!(f, ", max_distance={bits}")?;
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
        if let Some(shingle) = &self.shingle {
            write!(f, ", shingle={shingle}")?;
        }
        if self.prefixes {
            f.write_str(", prefixes")?;
        }
        if let Some(limit) = self.max_bucket_pairwise {
            write!(f, ", max_bucket_pairwise={limit}")?;
        }
        if let Some(limit) = self.max_bucket {
            write!(f, ", max_bucket={limit}")?;
        }
        if self.two_sides {
            f.write_str(", two sides")?;
        }
        match self.group_rule {
            GroupRule::Any => {}
            GroupRule::Differ => f.write_str(", groups differ")?,
            GroupRule::Agree => f.write_str(", groups agree")?,
        }
        Ok(())
    }
}
