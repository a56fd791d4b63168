//! The format of the files of a table.

use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::object_store::path::Path;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr;

/// How rows are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordFormat {
    /// Values between a separator.
    Separated(Dialect),
    /// Objects, one after the other, or in arrays.
    Json,
    /// Plain text: each file is one row.
    Text,
}

/// How separated values are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialect {
    /// The byte between two values.
    pub delimiter: u8,
    /// The byte around a value that contains separators, line breaks or, doubled, this byte; `None`: all bytes but
    /// separators and line breaks are part of values.
    pub quote: Option<u8>,
    /// Number of lines at the beginning of a file that are left out, before the header.
    pub skip_lines: u64,
    /// Where the names of the columns are.
    pub header: Header,
    /// Whether all columns are read as text.
    pub all_text: bool,
}

/// Where the names of the columns of separated values are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Header {
    /// In the first line.
    FirstLine,
    /// Nowhere: the columns are called `column_1`, `column_2`, …
    Numbered,
    /// Nowhere: the columns have these names.
    Names(Vec<String>),
}

/// The format of the files of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordOptions {
    /// How rows are written.
    pub format: RecordFormat,
    /// Compressions of the compressed files, `gz`, `zst` or `bz2`, by their paths in the store.
    pub compressions: BTreeMap<String, String>,
    /// A label of the encoding, of those of the WHATWG Encoding Standard; `None`: UTF-8, or UTF-16 in a file that begins
    /// with its byte order mark.
    pub encoding: Option<String>,
    /// Columns of separated values that are read as text even if all of their values look like numbers.
    pub texts: Vec<String>,
}

impl RecordOptions {
    /// How a file is compressed, and the end of the names of such files; `None` if it is not.
    pub(super) fn compression(&self, file: &Path) -> Result<Option<(&str, FileCompressionType)>> {
        let Some(ending) = self.compressions.get(file.as_ref()) else {
            return Ok(None);
        };
        let compression = FileCompressionType::from_str(ending)
            .map_err(|error| DataFusionError::External(Box::new(error)))?;
        Ok(Some((ending.as_str(), compression)))
    }
}
