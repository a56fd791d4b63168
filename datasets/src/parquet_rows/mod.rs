//! Parquet files with a column of row numbers: [`NumberedParquet`].
//!
//! DataFusion's scan knows the index of a row in its file, whichever rows it skips and however a file is split, but
//! loses this column when a plan is serialised. Therefore this module wraps the scan's source in one that has its own
//! serialisation.

mod source;
mod table;

pub use source::{NumberedParquetSource, numbered_parquet_scan};
pub use table::NumberedParquet;
