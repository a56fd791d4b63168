//! Sources of rows: dumps, word vectors and other files as tables, the bundled sample, and a synthetic corpus
//! with known ground truth.
//!
//! - [`dump`]: the table over MediaWiki dumps.
//! - [`word_vectors`]: the table over files of word vectors.
//! - [`records`]: the table over separated values and JSON.
//! - [`parquet_rows`]: the table over Parquet whose rows are numbered.
//! - [`sample`]: the bytes of a small dump and of a small table of documents.
//! - [`generate`]: generates any number of rows from a seed, with planted clusters.
//!
//! Functions of single rows belong to `udfs/`, relations between rows to `sql/`, parsing dumps (blocks, XML) to
//! `datasets/wikidump/`, and wikitext and sentences to `udfs/wikitext/`.

pub mod dump;
mod files;
pub mod generate;
pub mod parquet_rows;
pub mod records;
pub mod sample;
#[cfg(test)]
mod test_similarity;
pub mod word_vectors;

pub use dump::{DumpOptions, DumpSource, DumpTable, WikiDumpFactory, take_losses};
pub use files::{DecodeTask, Decoder, FormatSource, Numbers, Wire, file_scan};
pub use parquet_rows::{NumberedParquet, NumberedParquetSource};
pub use records::{
    Dialect, Header, RecordFormat, RecordOptions, RecordSource, RecordTable, is_encoding,
};
pub use word_vectors::{WordVectorOptions, WordVectorSource, WordVectorTable};
