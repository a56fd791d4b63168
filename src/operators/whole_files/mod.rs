//! Files that a query writes (`COPY … TO`, `INSERT INTO`) are put in place together, when all of it has ended well.
//!
//! The engine ends a file when its rows end, also when they end with an error, and when it cannot write a row: what
//! had come so far was a file, in place of the one that was there. Here what it writes waits, in memory or as an
//! upload that is not complete, until the writer has said that all rows are written.

mod exec;
mod store;

pub(crate) use exec::{WholeFiles, WholeFilesExec};
