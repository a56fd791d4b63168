//! `write_step`: writes each partition as one Parquet file with a unique name.
//!
//! The operator returns one row per file: its name, rows, bytes and checksum, and the input that scans of dumps below
//! it left out. A step of a job is committed by listing exactly those files, so that files left behind by failed or
//! repeated tasks are never read. File names do not depend on the partition number, which is local to a task on a
//! cluster. A partition without rows writes no file.
//!
//! A step that writes a single file requires a single partition in the order of its statement. Without that
//! requirement the optimizer would remove the sort. Equal rows in equal order become equal bytes, independent of batch
//! boundaries. Strings and bytes are stored as plain arrays, not as views.

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
    /// Directory of the step: an absolute path or a URL.
    pub directory: String,
    /// Whether all rows go to one file, in the order of the input. Otherwise each partition has its own file.
    pub one_file: bool,
    /// Key-value pairs for the metadata of every file.
    pub metadata: Vec<(String, String)>,
}
