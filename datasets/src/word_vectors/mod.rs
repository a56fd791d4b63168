//! Files of word vectors as a table: [`WordVectorTable`].
//!
//! ```text
//! locations ─> files ─> dimension of each ─> DataSourceExec
//!                                            └─ a thread a file: VectorReader ─> batches
//! ```
//!
//! It reads pretrained vectors, one row for each word, with bounded memory for each file (except for fastText
//! models). One partition reads a file from its beginning to its end, because the beginning of a row of text or of
//! binary data cannot be recognised in the middle of a file.
//!
//! - `format`: parses the formats.
//! - `options`: options of reading; `columns`: the schema, and rows as Arrow arrays.
//! - `source`: the file source of the scan; `decode`: decodes a file. `wire`: serialises tables and scans.

mod columns;
mod decode;
mod format;
mod options;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod wire;

pub use columns::word_vector_schema;
pub use format::Format;
pub use options::WordVectorOptions;
pub use source::WordVectorSource;
pub use table::WordVectorTable;
pub use wire::word_vector_scan;
