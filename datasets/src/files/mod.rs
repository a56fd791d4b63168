//! From what the user names to files, and their bytes: what the tables over files of their own share.
//!
//! - `locate`: paths, globs and addresses.
//! - `storage`: bytes of a file at any place, from disk or from an object store.
//! - `stored`: files whose places are known; `deal`: which partition reads which.
//! - `schema`: schemas as bytes.
//! - `numbers`: columns that say where a row stands.

mod deal;
mod locate;
mod numbers;
mod schema;
mod storage;
mod stored;

pub(crate) use deal::deal;
pub(crate) use locate::{Located, Wanted, locate};
pub use numbers::Numbers;
pub(crate) use schema::{read_schema, write_schema};
pub(crate) use storage::StoredFile;
pub(crate) use stored::{Files, Stamp, parts};
