//! Wikipedia dumps.

pub(crate) mod bzip2;
