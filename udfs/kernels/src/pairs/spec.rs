//! How rows are joined.

use thiserror::Error;

use super::input::{PairInput, Payload};

/// The most pivots of an oversized bucket; half as many may be rows that resemble another.
pub const LEADERS: usize = 64;

/// A row that resembles so many pivots of an oversized bucket is not wanted as one.
pub const COVER: usize = 8;

/// In linked mode without keys, the most similar predecessors that a row is paired with.
pub const PREDECESSORS: usize = 256;

/// How the similarity of a candidate is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// Jaccard similarity of the sets.
    Exact,
    /// 1 - lev(x, y) / max(|x|, |y|) of the texts, in characters.
    Edit,
    /// The share of equal positions of the signatures.
    Estimate,
    /// The number of bits in which the signatures differ, at most this many. The similarity of the pair
    /// is that number; the threshold is not read.
    Hamming(u32),
    /// The cosine of the vectors, if their signatures, where there are any, differ in at most this many
    /// bits. Zero vectors pair with nothing.
    Cosine(u32),
    /// Not at all: every candidate is a pair, of similarity NaN.
    None,
}

/// The parameters of a join.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// The least similarity of a pair, in (0, 1]. Not read where nothing is verified.
    pub threshold: f64,
    /// How candidates are verified.
    pub verify: Verify,
    /// Keys are tokens of the row's set, the lowest in one total order over all tokens, at least
    /// [`crate::bounds::prefix_len`] of them. Needs [`Verify::Exact`].
    pub prefix_filter: bool,
    /// This call looks at the keys with `key % parts == part` only.
    pub part: u64,
    /// How many calls share the keys; at least 1. The rows of a call are those that hold one of its
    /// keys, with all of their keys; more rows do no harm.
    pub parts: u64,
    /// *Linked mode*: a key that more rows than this hold is an *oversized bucket*. Its rows are not paired
    /// with each other but, in ascending order, verified against its *pivots*: a row that resembles fewer
    /// than [`COVER`] of those before it becomes one, as long as there are fewer than [`LEADERS`] of them, or
    /// half as many if it resembles one. `n` rows yield at most `LEADERS * n` pairs. A row takes no notice of
    /// pivots it may not pair with: those of its own side (each side has its own) or group. A row that
    /// resembles no pivot when all seats are taken is counted as unlinked, pairs of rows that a bucket leaves
    /// uncompared as well. All this depends on the rows of one bucket only. At other keys all rows meet.
    ///
    /// So two similar rows are not paired only if every key they share is that of an oversized bucket, and
    /// the first of the two is a pivot in none.
    ///
    /// Without keys, in [`super::AllPairs`], a row is paired with its first so many similar predecessors, at
    /// most [`PREDECESSORS`], and with further ones that these pairs do not connect it to, so that components
    /// are the same; which ones these are depends on the division of the rows. Without effect there between
    /// two relations or groups.
    pub bucket_limit: Option<usize>,
    /// Only the first so many rows that hold a key meet there; on two sides, of each side. The rest is
    /// counted.
    pub max_bucket: Option<usize>,
}

impl Spec {
    /// Whether several parts may report the same pair. Otherwise a pair is reported by the one part
    /// that owns the first key the two rows share.
    ///
    /// Under a limit or a cap that key may be one at which the rows do not meet, so each part reports
    /// what it finds.
    #[must_use]
    pub fn repeats_pairs(&self) -> bool {
        self.parts > 1 && (self.bucket_limit.is_some() || self.max_bucket.is_some())
    }

    /// Whether this call looks at a key.
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
        // The last row number stands for "no row".
        if rows >= u32::MAX as usize {
            return Err(PairError::Rows(rows));
        }
        if input.keys.values().len() > u32::MAX as usize {
            return Err(PairError::Keys(input.keys.values().len()));
        }
        if self.prefix_filter && self.verify != Verify::Exact {
            return Err(PairError::Payload(
                "the prefix filter",
                "exact verification",
            ));
        }
        match (self.verify, input.payload) {
            (Verify::None, _) => {}
            (Verify::Exact, Payload::Sets(sets)) => check_rows("sets", sets.rows(), rows)?,
            (Verify::Edit, Payload::Texts(texts)) => check_rows("texts", texts.rows(), rows)?,
            (Verify::Estimate, Payload::Signatures32 { values, width }) => {
                check_signatures(values.len(), width, rows)?;
            }
            (Verify::Estimate, Payload::Signatures64 { values, width }) => {
                check_signatures(values.len(), width, rows)?;
            }
            (Verify::Hamming(_), Payload::Bits(bits)) => {
                check_signatures(bits.words.len(), bits.width, rows)?
            }
            (Verify::Cosine(_), Payload::Vectors { bits, vectors }) => {
                check_rows("vectors", vectors.values.rows(), rows)?;
                check_rows("norms", vectors.norms.len(), rows)?;
                if let Some(bits) = bits {
                    check_signatures(bits.words.len(), bits.width, rows)?;
                }
            }
            (Verify::Hamming(_), _) => {
                return Err(PairError::Payload("a Hamming distance", "bit signatures"));
            }
            (Verify::Cosine(_), _) => return Err(PairError::Payload("a cosine", "vectors")),
            (Verify::Exact, _) => return Err(PairError::Payload("exact verification", "sets")),
            (Verify::Edit, _) => return Err(PairError::Payload("edit verification", "texts")),
            (Verify::Estimate, _) => {
                return Err(PairError::Payload("verification by estimate", "signatures"));
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

/// Why rows cannot be joined.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PairError {
    /// The threshold is outside of (0, 1].
    #[error("threshold {0} is outside of (0, 1]")]
    Threshold(f64),
    /// There is no such part.
    #[error("part {0} of {1} does not exist")]
    Part(u64, u64),
    /// More rows than row numbers.
    #[error("{0} rows in one part of a join, at most 4294967294: raise the number of parts")]
    Rows(usize),
    /// More keys than key numbers.
    #[error("{0} keys in one part of a join, at most 4294967295: raise the number of parts")]
    Keys(usize),
    /// Something is missing to verify with.
    #[error("{0} needs {1}")]
    Payload(&'static str, &'static str),
    /// A side that is neither 0 nor 1.
    #[error("side {0} of a join is neither 0 nor 1")]
    Side(u8),
    /// Signatures are not a whole number of rows.
    #[error("{0} signature values are not a whole number of signatures of {1}")]
    Width(usize, usize),
    /// Columns of different lengths.
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
