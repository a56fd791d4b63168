//! The join of sets that do not fit into memory at once.
//!
//! The rows are divided into blocks. A [`Block`] indexes the keys of its rows; the rows of the block are probed against
//! those before them, and the rows of all later blocks against the block, in any portions. Thus each pair of rows
//! meets exactly once. Rows in the order of the lengths of their sets meet only few blocks, because the lengths of
//! similar sets are similar ([`crate::bounds::partner_sizes`]).
//!
//! ```text
//! keys ─> KeyFilter: keys that several rows hold ─> sets of the rows that have any ─> Block ─> Prober ─> pairs
//!    └──> OversizedKeyCounter: oversized buckets ──────────────────────────> rows by id ─────> PivotJoin ─> pairs
//! ```
//!
//! Several joins may divide the pairs ([`KeyPart`]), as the tasks of a cluster do: then the rows whose home a join is come
//! in its first blocks, and all others after them. Rows of large buckets are compared by tiles of their sketches first (`bucket_tiles`), and long sets in buckets of many rows by their
//! differences from the set of one of these rows (`differences`).
//!
//! The pairs and their counts are those of [`super::PairJoin`] with exact verification, whatever the blocks
//! (the number of verifications may be larger, because pivots are verified whatever the positions of the keys, and that
//! of candidates, because a pair counts once for each large bucket): the rows of an oversized bucket come in the order of
//! their ids and are compared with its pivots, which [`PivotJoin`] holds.

mod block;
mod bucket_tiles;
mod differences;
mod oversized_keys;
mod pivot_join;
mod postings;
mod rows;

pub use crate::key_filter::KeyFilter;
pub use block::{Block, BlockSpec, KeyPart, Prober, SimilarRow};
pub use oversized_keys::{OversizedKeyCounter, OversizedKeys};
pub use pivot_join::{ComparedRows, PivotJoin, PivotLists, PivotProber};
pub use rows::{Role, SetRow, SetRows};
