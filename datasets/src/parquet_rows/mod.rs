//! Parquet whose rows are numbered as they stand in the files: [`NumberedParquet`].
//!
//! The host's scan knows the number of a row, whichever rows it skips and however a file is split, but loses it
//! where a plan travels. So the scan here is the host's, with a source around it that travels by our bytes.

mod source;
mod table;

pub use source::{NumberedParquetSource, numbered_parquet_scan};
pub use table::NumberedParquet;
