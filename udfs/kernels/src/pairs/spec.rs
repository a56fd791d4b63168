//! How rows are joined.

use thiserror::Error;

use super::input::{Items, PairInput};
use super::tiles::LANES;

/// The maximal number of pivots of an oversized bucket (on two sides: of each side). Rows that are similar
/// to an earlier pivot become pivots only while there are fewer than half as many.
pub const MAX_PIVOTS: usize = 64;

/// A row that is similar to at least this many pivots of an oversized bucket does not become a pivot.
pub const MIN_COVERING_PIVOTS: usize = 8;

/// The largest effective [`Spec::max_bucket_pairwise`] of linked mode without keys ([`super::AllPairs`]): the maximal
/// number of first similar predecessors that a row is paired with.
pub const MAX_PREDECESSORS: usize = 256;

/// How the similarity of a candidate is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// Jaccard similarity of the sets.
    Exact,
    /// The share of the set of side 0 that is in the set of side 1. Needs sides.
    Containment,
    /// 1 - lev(x, y) / max(|x|, |y|) of the texts, in characters.
    Edit,
    /// The share of positions at which the MinHash signatures are equal.
    Estimate,
    /// The Hamming distance of the signatures in bits, at most this many. The similarity of the pair is that
    /// number; the threshold is not read.
    Hamming(u32),
    /// The cosine of the vectors. If there are signatures, only rows whose signatures differ in at most this
    /// many bits qualify. Zero vectors pair with nothing.
    Cosine(u32),
    /// No verification: every candidate is a pair, of similarity NaN.
    None,
}

/// The parameters of a join.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// The minimal similarity of a pair, in (0, 1]. Not read by [`Verify::None`] and [`Verify::Hamming`].
    pub threshold: f64,
    /// How candidates are verified.
    pub verify: Verify,
    /// Whether the keys of a row are the first tokens of its set in one total order of all tokens, at least
    /// [`crate::bounds::prefix_len`] of them. Needs [`Verify::Exact`].
    pub prefixes: bool,
    /// This call handles only the keys with `key % parts == part`.
    pub part: u64,
    /// The number of calls that the keys are divided among; at least 1. A call needs the rows that hold at
    /// least one of its keys, with all of their keys; further rows do not change its result.
    pub parts: u64,
    /// *Linked mode*: a key that more rows than this hold is an *oversized bucket*. (Callers pass one row for
    /// each distinct text.) Its rows are not paired with each other. Instead each row, in ascending order, is
    /// verified against the *pivots* among the rows before it. A row that is similar to no pivot becomes one
    /// while there are fewer than [`MAX_PIVOTS`]; a row that is similar to at least one, but fewer than
    /// [`MIN_COVERING_PIVOTS`], becomes one while there are fewer than half of [`MAX_PIVOTS`]. `n` rows yield
    /// at most `MAX_PIVOTS * n` pairs. Each side has its own pivots, and a row ignores pivots that it may not
    /// pair with: those of its own side or group. A row that is similar to no pivot and cannot become one is
    /// counted in `rows_without_pivot`; pairs of rows that a bucket leaves uncompared are counted as well. The result for a
    /// bucket depends only on its rows. At all other keys every row is compared with every other.
    ///
    /// Hence two similar rows are paired unless every key they share belongs to an oversized bucket and the
    /// first of the two is a pivot in none of these.
    ///
    /// Without keys, in [`super::AllPairs`], the limit (at most [`MAX_PREDECESSORS`]) is the number of first
    /// similar predecessors that a row is paired with. Further pairs are reported so that all pairs reported
    /// include the minimum spanning forest of the similar pairs in the order (row, predecessor), and connected
    /// components are the same. Each worker reports the forest of the pairs that it finds; the forest of the
    /// union of these is the same however the work is divided. The limit has no effect there between two
    /// relations or groups.
    pub max_bucket_pairwise: Option<usize>,
    /// The maximal number of rows of a bucket (on two sides: of each side) that are compared. The first rows
    /// are taken, and the rest is counted.
    pub max_bucket: Option<usize>,
    /// How the work is divided; most callers take the default.
    pub blocks: Blocks,
}

/// The sizes of the units of work, at least 1 each. The time of a join depends on them. Its pairs do not, except for
/// the further pairs of linked mode without keys ([`Spec::max_bucket_pairwise`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    /// Rows that a worker of [`super::PairJoin`] probes one after the other: few enough to balance the work of
    /// workers, many enough to make use of the cache. 256 by default.
    pub probes: u32,
    /// Rows of a block of signatures or dense vectors in [`super::AllPairs`], rounded up to whole tiles of 16. 512 by
    /// default.
    pub dense: usize,
    /// Rows of a block of sparse vectors in [`super::AllPairs`]. 64 by default.
    pub sparse: usize,
    /// Comparisons for one batch of [`super::WindowPairs`], after which the caller can stop or yield. 1,048,576 by
    /// default, which take a few milliseconds.
    pub comparisons: usize,
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            probes: 256,
            dense: 512,
            sparse: 64,
            comparisons: 1 << 20,
        }
    }
}

impl Blocks {
    /// Sizes that divide `rows` rows in the same way, in the range that the joins compute with.
    pub(super) fn for_rows(self, rows: usize) -> Self {
        let rows = rows.max(1);
        Self {
            probes: self.probes.max(1),
            dense: self.dense.clamp(1, rows).next_multiple_of(LANES),
            sparse: self.sparse.clamp(1, rows),
            comparisons: self.comparisons.max(1),
        }
    }
}

impl Spec {
    /// Whether several parts may report the same pair. Otherwise a pair is reported only by the part that
    /// owns the first key the two rows share.
    ///
    /// Under `max_bucket_pairwise` or `max_bucket` the rows may not be compared at that key, so each part reports
    /// all pairs it finds.
    #[must_use]
    pub fn repeats_pairs(&self) -> bool {
        self.parts > 1 && (self.max_bucket_pairwise.is_some() || self.max_bucket.is_some())
    }

    /// Whether a key belongs to this call.
    #[inline]
    pub(super) fn owns(&self, key: u64) -> bool {
        self.parts == 1 || key % self.parts == self.part
    }

    /// Checks that the parameters and the rows fit together.
    pub(super) fn check(&self, input: &PairInput<'_>) -> Result<(), PairError> {
        let rows = input.keys.rows();
        let reads_threshold = !matches!(self.verify, Verify::None | Verify::Hamming(_));
        if reads_threshold && !(self.threshold > 0.0 && self.threshold <= 1.0) {
            return Err(PairError::Threshold(self.threshold));
        }
        if self.part >= self.parts {
            return Err(PairError::Part(self.part, self.parts));
        }
        // `u32::MAX` means "no row".
        if rows >= u32::MAX as usize {
            return Err(PairError::Rows(rows));
        }
        if input.keys.values().len() > u32::MAX as usize {
            return Err(PairError::Keys(input.keys.values().len()));
        }
        if self.prefixes && self.verify != Verify::Exact {
            return Err(PairError::Items("the prefix filter", "exact verification"));
        }
        match (self.verify, input.items) {
            (Verify::None, _) => {}
            (Verify::Containment, _) if input.side.is_none() => {
                return Err(PairError::Items("a share", "two sides"));
            }
            (Verify::Exact | Verify::Containment, Items::Sets(sets)) => {
                check_rows("sets", sets.rows(), rows)?;
            }
            (Verify::Edit, Items::Texts(texts)) => check_rows("texts", texts.rows(), rows)?,
            (Verify::Estimate, Items::Signatures32 { values, width }) => {
                check_signatures(values.len(), width, rows)?;
            }
            (Verify::Estimate, Items::Signatures64 { values, width }) => {
                check_signatures(values.len(), width, rows)?;
            }
            (Verify::Hamming(_), Items::Bits(bits)) => {
                check_signatures(bits.words.len(), bits.width, rows)?
            }
            (Verify::Cosine(_), Items::Vectors { bits, vectors }) => {
                check_rows("vectors", vectors.values.rows(), rows)?;
                check_rows("norms", vectors.norms.len(), rows)?;
                if let Some(bits) = bits {
                    check_signatures(bits.words.len(), bits.width, rows)?;
                }
            }
            (Verify::Hamming(_), _) => {
                return Err(PairError::Items("a Hamming distance", "bit signatures"));
            }
            (Verify::Cosine(_), _) => return Err(PairError::Items("a cosine", "vectors")),
            (Verify::Exact | Verify::Containment, _) => {
                return Err(PairError::Items("exact verification", "sets"));
            }
            (Verify::Edit, _) => return Err(PairError::Items("edit verification", "texts")),
            (Verify::Estimate, _) => {
                return Err(PairError::Items("verification by estimate", "signatures"));
            }
        }
        if let Some(side) = input.side {
            check_rows("sides", side.len(), rows)?;
            if let Some(&other) = side.iter().find(|&&side| side > 1) {
                return Err(PairError::Side(other));
            }
        }
        if let Some(group) = input.group {
            check_rows("groups", group.values.len(), rows)?;
            check_rows("groups", group.valid.map_or(rows, <[bool]>::len), rows)?;
        }
        Ok(())
    }
}

fn check_signatures(values: usize, width: usize, rows: usize) -> Result<(), PairError> {
    match values.checked_div(width) {
        Some(found) if values.is_multiple_of(width) => check_rows("signatures", found, rows),
        _ => Err(PairError::Width(values, width)),
    }
}

fn check_rows(what: &'static str, found: usize, rows: usize) -> Result<(), PairError> {
    if found == rows {
        Ok(())
    } else {
        Err(PairError::Lengths { what, found, rows })
    }
}

/// The reason why rows cannot be joined.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PairError {
    /// The threshold is outside of (0, 1].
    #[error("threshold {0} is outside of (0, 1]")]
    Threshold(f64),
    /// The part is not less than the number of parts.
    #[error("part {0} of {1} does not exist")]
    Part(u64, u64),
    /// There are more rows than `u32` can number.
    #[error("{0} rows in one part of a join, at most 4294967294: raise the number of parts")]
    Rows(usize),
    /// There are more keys than `u32` can number.
    #[error("{0} keys in one part of a join, at most 4294967295: raise the number of parts")]
    Keys(usize),
    /// The items do not have the data that the verification needs.
    #[error("{0} needs {1}")]
    Items(&'static str, &'static str),
    /// A side is neither 0 nor 1.
    #[error("side {0} of a join is neither 0 nor 1")]
    Side(u8),
    /// The number of signature values is not a multiple of the width, or the width is out of range.
    #[error("{0} signature values are not a whole number of signatures of {1}")]
    Width(usize, usize),
    /// A column has another length than the keys.
    #[error("{found} {what} for {rows} rows of keys")]
    Lengths {
        /// The column.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The number of rows.
        rows: usize,
    },
}
