//! Files of separated values, of JSON and of plain text as tables: [`RecordTable`].
//!
//! ```text
//! files ─> all of their bytes: types of the columns ─> DataSourceExec
//!                                                      └─ a thread a file: rows in the order of the file ─> batches
//! ```
//!
//! DataFusion reads such files, too, but infers their columns from the first thousand rows, splits files at byte
//! offsets, and takes `007` for a number. This module infers types from all values of all files, reads a file in one
//! partition from its beginning to its end, and can number the rows.
//!
//! - `options`: the format of the files; `input`: their bytes as UTF-8, which `unpacked` decompresses and `encoding`
//!   converts; `start`: what the first bytes of a file say about it.
//! - `separated`: separated values; `json`: objects, one after the other or in arrays. Both infer the columns and read
//!   the rows. `text`: plain text, one document a file.
//! - `infer`: infers the columns of all files; `table`: the table provider; `decode`: the decoder of the scan; `wire`:
//!   serialises tables and sources.

mod chunk;
mod decode;
mod encoding;
mod infer;
mod input;
mod json;
mod options;
mod separated;
mod start;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod unpacked;
mod wire;

pub use decode::{RecordDecoder, RecordSource};
pub use encoding::is_encoding;
pub use options::{Dialect, Header, RecordFormat, RecordOptions};
pub use table::RecordTable;
