//! Where rows come from: dumps and word vectors as tables, the bundled sample and the synthetic corpus
//! with known truth.
//!
//! - [`dump`]: the table over MediaWiki dumps.
//! - [`word_vectors`]: the table over files of word vectors.
//! - [`records`]: the table over separated values and JSON.
//! - [`parquet_rows`]: the table over Parquet whose rows are numbered.
//! - [`sample`]: the bytes of a small dump and of a small table of documents.
//! - [`generate`]: rows of any number from a seed, with the clusters that were planted.
//!
//! What is computed per row belongs to `udfs/`, how rows are related to `sql/`, and the reading of
//! dumps (blocks, XML, wikitext, sentences) to `datasets/wikidump/`.

pub mod dump;
mod files;
pub mod generate;
pub mod parquet_rows;
pub mod records;
pub mod sample;
pub mod word_vectors;

pub use dump::{DumpOptions, DumpSource, DumpTable, WikiDumpFactory, dump_scan, take_losses};
pub use files::Numbers;
pub use parquet_rows::{NumberedParquet, NumberedParquetSource, numbered_parquet_scan};
pub use records::{RecordFormat, RecordOptions, RecordSource, RecordTable, record_scan};
pub use word_vectors::{WordVectorOptions, WordVectorSource, WordVectorTable, word_vector_scan};
