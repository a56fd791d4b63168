//! Joins by hash of one side, if that side turns out to fit into memory, else by sorting.
//!
//! ```text
//!                     ┌── all of it fits ── hash table ── rows of the other side ──> pairs
//! rows of one side ───┤
//!                     └── it does not ── both sides partitioned by key, sorted and merged ──> pairs
//! ```
//!
//! Under a memory limit, joins are by sorting unless a plan shows that one side is small. How many rows a side has is
//! often known only when it has been computed, such as the lists of the words that were cut from each text. So this
//! operator reads a side first, up to a share of the memory limit. If it fits, the other side, such as all texts, is
//! neither sorted nor repartitioned. If it does not, the engine's operators sort both sides, and begin with the rows that
//! were read. Of an inner join either side may be the one that fits: the left side is read first.
//!
//! Semi, anti and full joins stay by sorting.
//!
//! The rows of a join by sorting are partitioned by the key. The operator takes the place of a join only where no other
//! operator relies on that.

mod exec;
mod rule;
mod side;
#[cfg(test)]
mod tests;

pub(super) use rule::with_adaptive_joins;
