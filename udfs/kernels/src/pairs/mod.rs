//! The similarity join of rows that share a key, in memory.
//!
//! Rows `0..n` come in ascending order of their ids. Each has a list of keys: its rarest tokens (a
//! prefix join) or the bucket keys of its bands. Two rows that share a key are a *candidate*; a
//! candidate whose similarity reaches the threshold is a *pair*.
//!
//! ```text
//! keys ─> index ─> probe: rows in ascending order, each against the rows before it
//!                    │ stamp      each candidate once per row
//!                    │ length     sizes that cannot qualify
//!                    │ position   too few tokens left after the key they met at
//!                    │ sketch     too many bits differ
//!                    │ owner      another part sees them first
//!                    └ verify     exact similarity ─> pair
//! ```
//!
//! - [`input`]: what is joined; [`spec`]: how; [`Stats`]: what was done.
//! - `index`: from key to rows; `pivots`: what becomes of oversized buckets. `verify`: filters and
//!   similarities of one candidate; `sketch`: a bound of the overlap of two rows; `probe_set`: the overlap
//!   of one row with many. `first_key`: which part a pair belongs to. [`PairJoin`]: the loop that holds them
//!   together.
//!
//! Bit signatures and vectors are also compared without keys: [`AllPairs`] compares every row with every
//! other, [`WindowPairs`] those that are near in sorted order. `strips` compares the signatures of
//! many rows at once, `compare` says what two of them have to do with each other.
//!
//! A new way to verify is a variant of [`Verify`], a variant of [`Payload`] if it needs other data,
//! and an arm in `verify`.
//!
//! The method is that of Xiao et al., "Efficient similarity joins for near duplicate detection",
//! WWW 2008 (PPJoin), whose bounds are those of [`crate::bounds`].

mod all;
mod compare;
mod first_key;
mod index;
mod input;
mod join;
mod pivots;
mod probe_set;
mod sketch;
mod spec;
mod stats;
mod strips;
mod verify;
mod window;

pub use all::AllPairs;
pub use input::{Bits, Csr, Groups, PairInput, Payload, Texts, Values, Vectors};
pub use join::{PairBatch, PairJoin};
pub use spec::{COVER, LEADERS, PREDECESSORS, PairError, Spec, Verify};
pub use stats::Stats;
pub use window::{WindowPairs, Windows};

#[cfg(test)]
mod tests;
