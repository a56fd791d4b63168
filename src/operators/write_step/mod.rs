//! `write_step`: each partition becomes one Parquet file of unique name.
//!
//! The operator returns one row a file: its name, rows, bytes and checksum, and what scans of dumps below
//! it left out. A step of a job is
//! committed by listing exactly those files, so that whatever a failed or repeated task leaves
//! behind is never read. Names do not depend on the partition number, which is local to a task on
//! a cluster. A partition without rows writes no file. A step of one file asks for one partition in the
//! order that its statement gives: an optimizer drops a sort that nobody asks for. Equal rows in equal order are
//! equal bytes, whatever the batches; texts and bytes are plain, not views.

mod blocks;
mod exec;
mod logical;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use exec::SortColumn;
pub use exec::WriteStepExec;
pub use logical::WriteStep;
pub(crate) use writer::write_empty;

use serde::{Deserialize, Serialize};

/// Where and how a step writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Serialize, Deserialize)]
pub struct Target {
    /// Directory of the step: an absolute path or an address.
    pub directory: String,
    /// Whether all rows go to one file, in the order of the input; else each partition has its own.
    pub one_file: bool,
    /// Key-value pairs for the metadata of every file.
    pub metadata: Vec<(String, String)>,
}
