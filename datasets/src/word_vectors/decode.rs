//! Decodes files of word vectors.

use std::fmt;

use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::table_schema::TableSchema;
use tokio::runtime::Handle;

use super::columns::{BatchBuilder, word_vector_schema};
use super::format::{VectorError, VectorReader};
use super::options::WordVectorOptions;
use crate::files::{DecodeTask, Decoder, FormatSource, StoredFile, Wire, read_parts, write_parts};

/// A scan of word vectors.
pub type WordVectorSource = FormatSource<WordVectorDecoder>;

/// Decodes word vectors. Its state is the options.
#[derive(Debug, Clone)]
pub struct WordVectorDecoder {
    options: WordVectorOptions,
}

impl WordVectorSource {
    /// A scan of all columns.
    #[must_use]
    pub fn new(options: WordVectorOptions) -> Self {
        let table_schema = TableSchema::from(word_vector_schema());
        Self::over(WordVectorDecoder { options }, table_schema)
    }

    /// The options of reading.
    #[must_use]
    pub fn options(&self) -> &WordVectorOptions {
        &self.decoder().options
    }
}

impl Wire for WordVectorSource {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        write_parts(self.options())
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(Self::new(read_parts(bytes)?))
    }
}

/// The dimension of the vectors of a file, read from its first bytes.
pub(super) fn inspect(
    file: &StoredFile,
    options: WordVectorOptions,
    handle: &Handle,
) -> Result<usize, VectorError> {
    let source = file.open(0, handle)?;
    VectorReader::dimension_of(source, options.format)
}

/// An error that names the file. It is formatted as text, because a cluster returns only the text of a task's error.
pub(super) fn failure(file: &StoredFile, error: &VectorError) -> DataFusionError {
    DataFusionError::Execution(format!("{}: {error}", file.name))
}

impl Decoder for WordVectorDecoder {
    fn name(&self) -> &str {
        "word_vectors"
    }

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.options.format {
            None => write!(f, ", format=auto"),
            Some(format) => write!(f, ", format={format:?}"),
        }
    }

    fn decode(&self, task: &DecodeTask) -> Result<()> {
        let fail = |error: VectorError| failure(&task.file, &error);
        let WordVectorOptions { format, on_error } = self.options;
        let mut reader = VectorReader::open(task.open()?, format, on_error).map_err(fail)?;
        let mut rows = BatchBuilder::new(&task.columns, reader.dimension(), task.max_rows)?;
        while let Some(word) = reader.next(rows.numbers()).map_err(fail)? {
            rows.push(word);
            if rows.is_full() && !task.send(rows.finish()) {
                return Ok(());
            }
        }
        let skipped = reader.skipped();
        if skipped > 0 {
            let counter = task.counter("skipped_rows");
            counter.add(usize::try_from(skipped).unwrap_or(usize::MAX));
            let name = &task.file.name;
            log::warn!("{name}: left out {skipped} rows that cannot be read");
        }
        if !rows.is_empty() {
            task.send(rows.finish());
        }
        Ok(())
    }
}
