//! Files that a query writes (`COPY … TO`, `INSERT INTO`) are whole: where the query fails, none is put in place.
//!
//! The engine ends a file when its rows end, also when they end with an error: what had come so far was a valid
//! file, in place of the one that was there. Here the first error of the rows is noted before the writers see it,
//! and the store puts no file in place after that.

mod exec;
mod store;

pub(crate) use exec::{WholeFiles, WholeFilesExec};
