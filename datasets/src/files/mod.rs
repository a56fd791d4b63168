//! From what the user names to files, and their bytes: what the tables over files of their own share.
//!
//! - `locate`: paths, globs and addresses.
//! - `storage`: bytes of a file at any place, from disk or from an object store.

mod locate;
mod storage;

pub(crate) use locate::{Located, Wanted, locate};
pub(crate) use storage::StoredFile;
