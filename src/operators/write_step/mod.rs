//! `write_step`: each partition becomes one Parquet file of unique name.
//!
//! The operator returns one row a file: its name, rows, bytes and checksum. A step of a job is
//! committed by listing exactly those files, so that whatever a failed or repeated task leaves
//! behind is never read. Names do not depend on the partition number, which is local to a task on
//! a cluster. A partition without rows writes no file.

mod exec;
mod logical;
mod writer;

pub use exec::WriteStepExec;
pub use logical::WriteStep;
pub(crate) use writer::write_empty;

/// Where and how a step writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct Target {
    /// Absolute directory of the step.
    pub directory: String,
    /// Key-value pairs for the metadata of every file.
    pub metadata: Vec<(String, String)>,
}
