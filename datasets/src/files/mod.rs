//! Finding and reading files, shared by all tables over files.
//!
//! - `locate`: resolves paths, globs and addresses.
//! - `storage`: random access to the bytes of a file, on disk or in an object store.
//! - `stored`: the files of a table; `assign`: assigns files to partitions.
//! - `schema`: serialises schemas.
//! - `numbers`: columns with the position of a row.

mod assign;
mod locate;
mod numbers;
mod schema;
mod storage;
mod stored;

pub(crate) use assign::assign;
pub(crate) use locate::{Located, Wanted, locate};
pub use numbers::Numbers;
pub(crate) use schema::{read_schema, write_schema};
pub(crate) use storage::StoredFile;
pub(crate) use stored::{Files, Stamp, parts};
