//! The similarity join of rows that share a key, in memory.
//!
//! Rows `0..n` are in ascending order of their ids. Each has a list of keys: its rarest tokens (prefix
//! filter) or the bucket keys of its bands. Two rows that share a key are a *candidate*; a candidate whose
//! similarity reaches the threshold is a *pair*.
//!
//! ```text
//! keys ─> index ─> probe: rows in ascending order, each against the rows before it; drops
//!                    │ repeated     candidates of the row that an earlier key gave
//!                    │ length       sizes that cannot qualify
//!                    │ position     too few tokens left after the shared key
//!                    │ sketch       sketches that differ in too many bits
//!                    │ first key    candidates that another part reports
//!                    └ verify: exact similarity ─> pair
//! ```
//!
//! - [`input`]: the rows; [`spec`]: the parameters; [`Stats`]: counts of the work done.
//! - `index`: the inverted index from key to rows; `pivots`: oversized buckets. `verify`: filters and
//!   verification of one candidate; `sketch`: a bound of the overlap of two rows; `probe_set`: the overlap of
//!   one row with many. `first_key`: the part that a pair belongs to. [`PairJoin`]: the loop over the rows.
//!
//! Bit signatures and vectors are also compared without keys: [`AllPairs`] compares every row with every
//! other, [`WindowPairs`] compares rows that are close in a sorted order. `tiles` computes the distances of
//! the signatures of many rows at once, `compare` the distance or cosine of two rows. `links`: the pairs that
//! connect rows beyond their first predecessors.
//!
//! To add a way to verify, add a variant of [`Verify`], a variant of [`Items`] if it needs other data, and
//! an arm in `verify`.
//!
//! The method is that of Xiao et al., "Efficient similarity joins for near duplicate detection",
//! WWW 2008 (PPJoin), whose bounds are those of [`crate::bounds`].

mod all;
mod blocks;
mod compare;
mod first_key;
mod index;
mod input;
mod jaccard_probe;
mod join;
mod pivots;
mod probe_set;
mod sketch;
mod spec;
mod stats;
mod tiles;
mod verify;
mod window;

pub use all::AllPairs;
pub use blocks::{
    Block, BlockSpec, ComparedRows, KeyFilter, KeyPart, OversizedKeyCounter, OversizedKeys,
    PivotJoin, PivotLists, PivotProber, Prober, Role, SetRow, SetRows, SimilarRow,
};
pub use input::{Bits, Csr, Groups, Items, PairInput, Texts, Values, Vectors};
pub use join::{PairBatch, PairJoin};
pub use spec::{
    Blocks, MAX_PIVOTS, MAX_PREDECESSORS, MIN_COVERING_PIVOTS, PairError, Spec, Verify,
};
pub use stats::Stats;
pub use window::{WindowPairs, Windows};

#[cfg(test)]
mod tests;
