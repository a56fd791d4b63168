//! Files of word vectors as a table: [`WordVectorTable`].
//!
//! ```text
//! locations ─> files ─> dimension of each ─> DataSourceExec
//!                                            └─ a thread a file: VectorReader ─> batches
//! ```
//!
//! Use it to read vectors that others have trained, a row a word, with memory bounded per file (but
//! for fastText models). A file is read from its beginning to its end by one partition: a row of text
//! or of binary data cannot be told from the middle of another.
//!
//! - `format`: what the bytes say.
//! - `options`: what is read; `columns`: the schema, and rows as Arrow arrays.
//! - `source`: the scan operator's part; `decode`: what a partition does. `wire`: tables and scans as
//!   bytes.

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
