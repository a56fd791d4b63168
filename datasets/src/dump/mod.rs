//! MediaWiki dumps as a table: [`DumpTable`], and [`WikiDumpFactory`] for
//! `CREATE EXTERNAL TABLE … STORED AS WIKIDUMP`.
//!
//! ```text
//! locations ─> files ─> header of each ─> byte ranges ─> DataSourceExec
//!                                                        └─ a thread a range: DumpReader ─> batches
//! ```
//!
//! It reads dumps of any size in SQL, in parallel also within a file, with bounded memory for each partition.
//! `neardup_wikidump` parses the dumps; cleaning and splitting are SQL functions over the column `wikitext`.
//!
//! - `options`: options of reading, parsed from the texts that SQL passes.
//! - `columns`: the schema, and pages as Arrow arrays.
//! - `ranges`: reads headers, checks that all files are of one wiki, and splits files into ranges.
//! - `table`: the table provider; `decode`: the decoder of the scan.
//! - `losses`: what was left out of damaged dumps. `wire`: serialises tables and sources.

mod columns;
mod decode;
mod factory;
mod losses;
mod options;
mod ranges;
mod table;
#[cfg(test)]
mod tests;
mod wire;

pub use columns::dump_schema;
pub use decode::{DumpDecoder, DumpSource};
pub use factory::WikiDumpFactory;
pub use options::DumpOptions;
pub use table::DumpTable;
pub use wire::take_losses;
