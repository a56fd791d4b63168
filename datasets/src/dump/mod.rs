//! MediaWiki dumps as a table: [`DumpTable`], and [`WikiDumpFactory`] for
//! `CREATE EXTERNAL TABLE … STORED AS WIKIDUMP`.
//!
//! ```text
//! locations ─> files ─> header of each ─> byte ranges ─> DataSourceExec
//!                                                        └─ a thread a range: DumpReader ─> batches
//! ```
//!
//! Use it to read dumps of any size in SQL, in parallel inside a file too, with memory bounded per
//! partition. What a dump holds is told by `neardup_wikidump`; cleaning and splitting are functions
//! over its column `wikitext`.
//!
//! - `options`: what is read; texts as SQL passes them.
//! - `columns`: the schema, and pages as Arrow arrays.
//! - `ranges`: headers, the check that all are of one wiki, and how the work is divided.
//! - `source`: the scan operator's part; `decode`: what a partition does.
//! - `losses`: what salvaging reads left out. `wire`: tables and scans as bytes.

mod columns;
mod decode;
mod factory;
mod losses;
mod options;
mod ranges;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod wire;

pub use columns::dump_schema;
pub use factory::WikiDumpFactory;
pub use options::DumpOptions;
pub use source::DumpSource;
pub use table::DumpTable;
pub use wire::{dump_scan, take_losses};
