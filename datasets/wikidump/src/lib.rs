//! Wikipedia dumps.

pub(crate) mod bzip2;
mod source;

#[cfg(test)]
mod shared_data;
pub use source::{FileSource, READ_BYTES, ReadAt};
