//! Where rows come from: dumps and word vectors as tables, the bundled sample and the synthetic corpus
//! with known truth.
//!
//! - [`dump`]: the table over MediaWiki dumps.
//! - [`word_vectors`]: the table over files of word vectors.
//! - [`sample`]: the bytes of a small dump and of a small table of documents.
//! - [`generate`]: rows of any number from a seed, with the clusters that were planted.
//!
//! What is computed per row belongs to `udfs/`, how rows are related to `sql/`, and the reading of
//! dumps (blocks, XML, wikitext, sentences) to `datasets/wikidump/`.

pub mod dump;
mod files;
pub mod generate;
pub mod sample;
pub mod word_vectors;

pub use dump::{DumpOptions, DumpSource, DumpTable, WikiDumpFactory, dump_scan, take_losses};
pub use word_vectors::{WordVectorOptions, WordVectorSource, WordVectorTable, word_vector_scan};
