//! Where rows come from: dumps as tables, the bundled sample and the synthetic corpus with known
//! truth.
//!
//! - [`dump`]: the table over MediaWiki dumps.
//! - [`sample`]: the bytes of a small dump and of a small table of documents.
//! - [`generate`]: rows of any number from a seed, with the clusters that were planted.
//!
//! What is computed per row belongs to `udfs/`, how rows are related to `sql/`, and the reading of
//! dumps (blocks, XML, wikitext, sentences) to `datasets/wikidump/`.

pub mod dump;
pub mod generate;
pub mod sample;

pub use dump::{DumpOptions, DumpSource, DumpTable, WikiDumpFactory, dump_scan, take_losses};
