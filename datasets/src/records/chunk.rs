//! Rows that the readers of all formats give.

use datafusion::arrow::array::ArrayRef;

/// Number of bytes of a file after which a batch is full.
pub(super) const BATCH_BYTES: usize = 8 << 20;

/// Some rows of a file, in its order.
pub(super) struct Chunk {
    pub(super) rows: usize,
    /// The wanted columns.
    pub(super) columns: Vec<ArrayRef>,
}
