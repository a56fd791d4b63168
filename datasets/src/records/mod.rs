//! Files of separated values and of JSON as tables whose rows are those of the file: [`RecordTable`].
//!
//! ```text
//! files ─> all of their bytes: types of the columns ─> DataSourceExec
//!                                                      └─ a thread a file: rows in the order of the file ─> batches
//! ```
//!
//! The host reads such files, too, but decides on their columns by the first thousand rows, splits them at
//! bytes, and takes `007` for a number. Here the types are decided over all bytes of all files, a file is
//! read by one partition from its beginning to its end, and a row can have its number.
//!
//! - `options`: what the files hold; `input`: their bytes, unpacked.
//! - `separated`: separated values; `json`: objects, one after the other or in arrays. Each knows how to find
//!   the columns and how to read the rows.
//! - `infer`: the columns of all files; `table`: the table; `source`: the scan operator's part; `decode`: what
//!   a partition does; `wire`: tables and scans as bytes.

mod decode;
mod infer;
mod input;
mod json;
mod options;
mod separated;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod wire;

pub use options::{RecordFormat, RecordOptions};
pub use source::RecordSource;
pub use table::RecordTable;
pub use wire::record_scan;
