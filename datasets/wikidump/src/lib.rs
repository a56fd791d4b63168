//! Reading Wikipedia dumps without a query engine: bz2 blocks to pages, wikitext to plain text, plain
//! text to sentences.
//!
//! Everything here works on slices and strings; Arrow and DataFusion stay outside.

pub(crate) mod bzip2;
pub mod sentences;
mod source;
pub mod wikitext;

#[cfg(test)]
mod shared_data;
pub use source::{FileSource, READ_BYTES, ReadAt};
