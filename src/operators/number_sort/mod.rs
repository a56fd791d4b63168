//! `number_sort`: sorts rows of numbers, such as pairs, as records in memory.
//!
//! ```text
//! partitions of the input ── records of 64-bit words ── buckets by the first word ── sorted bucket by bucket ──> rows
//! ```
//!
//! The engine sorts each batch by itself, converts its rows to bytes and merges all batches row by row, which takes four
//! to five times as long for pairs of rows. This operator takes the place of the engine's sort, and of the merge of its
//! partitions, where rows have a few columns of numbers, none of which is NULL, and are sorted by integers. If the records
//! do not fit into a share of the memory limit, or a value is NULL, it hands all rows over to the engine's operators,
//! which spill.

mod exec;
mod records;
#[cfg(test)]
mod tests;

pub(super) use exec::NumberSortExec;
