//! Finding and reading files, shared by all tables over files.
//!
//! - `locate`: resolves paths, globs and addresses.
//! - `storage`: random access to the bytes of a file, on disk or in an object store.
//! - `stored`: the files of a table; `assign`: assigns files to partitions.
//! - `scan`: the file source of all formats, over a decoder of each; `wire`: serialises tables and sources.
//! - `numbers`: columns with the position of a row.

mod assign;
mod locate;
mod numbers;
mod scan;
mod storage;
mod stored;
mod wire;

pub(crate) use assign::assign;
pub(crate) use locate::{Located, Wanted, locate};
pub use numbers::Numbers;
pub(crate) use scan::scan_files;
pub use scan::{DecodeTask, Decoder, FormatSource, file_scan};
pub(crate) use storage::StoredFile;
pub(crate) use stored::{Files, Stamp, parts};
pub use wire::Wire;
pub(crate) use wire::{absolute, read_parts, read_schema, write_parts, write_schema};
