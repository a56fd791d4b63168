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
//! - `table`: the table provider; `decode`: the decoder of the scan.

mod columns;
mod decode;
mod format;
mod options;
mod table;
#[cfg(test)]
mod tests;

pub use columns::word_vector_schema;
pub use decode::{WordVectorDecoder, WordVectorSource};
pub use format::Format;
pub use options::WordVectorOptions;
pub use table::WordVectorTable;
