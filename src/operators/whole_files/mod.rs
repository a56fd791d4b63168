//! Commits the files that a query writes (`COPY … TO`, `INSERT INTO`) together, after the whole query has succeeded.
//!
//! The engine completes a file when its input ends, even if the input ends with an error or a row cannot be written.
//! The incomplete file would then replace the file that was there before. Here written files are withheld, in memory,
//! under a hidden name or as an incomplete multipart upload, until the writer has reported that all rows are written.

mod exec;
mod store;

pub(crate) use exec::{WholeFiles, WholeFilesExec};
