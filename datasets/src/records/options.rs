//! The format of the files of a table.

use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordFormat {
    /// Values between a separator, with a header; quoted by `"`.
    Separated(u8),
    /// Objects, one after the other, or in arrays.
    Json,
    /// Plain text: each file is one row.
    Text,
}

/// The format of the files of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordOptions {
    /// How rows are written.
    pub format: RecordFormat,
    /// Compression of the files: empty for none, `gz`, `zst` or `bz2`.
    pub compression: String,
    /// Columns of separated values that are read as text even if all of their values look like numbers.
    pub texts: Vec<String>,
}

impl RecordOptions {
    pub(super) fn unpacking(&self) -> Result<FileCompressionType> {
        match self.compression.as_str() {
            "" => Ok(FileCompressionType::UNCOMPRESSED),
            name => FileCompressionType::from_str(name)
                .map_err(|error| DataFusionError::External(Box::new(error))),
        }
    }
}
