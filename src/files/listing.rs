//! Lists of files as tables.

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, exec_err};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::execution::SessionState;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table over exactly these Parquet files, which all have the schema of the first.
pub(crate) async fn parquet_files(
    state: &SessionState,
    paths: Vec<PathBuf>,
) -> Result<Arc<dyn TableProvider>> {
    let options =
        ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension(".parquet");
    let Some(first) = paths.first() else {
        return exec_err!("a table needs at least one file");
    };
    let schema = schema(state, first, &options).await?;
    listing(&paths, options, schema)
}

/// The schema of a file.
pub(super) async fn schema(
    state: &SessionState,
    path: &Path,
    options: &ListingOptions,
) -> Result<SchemaRef> {
    options.infer_schema(state, &url(path)?).await
}

/// A table over exactly these files of one format.
pub(super) fn listing(
    paths: &[PathBuf],
    options: ListingOptions,
    schema: SchemaRef,
) -> Result<Arc<dyn TableProvider>> {
    let urls = paths.iter().map(|path| url(path)).collect::<Result<_>>()?;
    let config = ListingTableConfig::new_with_multi_paths(urls)
        .with_listing_options(options)
        .with_schema(schema);
    Ok(Arc::new(ListingTable::try_new(config)?))
}

/// The address of a file. A path as it is would be taken for a glob where a bracket stands in it.
fn url(path: &Path) -> Result<ListingTableUrl> {
    let path = std::path::absolute(path)?;
    let mut url = "file://".to_owned();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => url.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => url.push(char::from(byte)),
            // Writing to a String does not fail.
            byte => _ = write!(url, "%{byte:02X}"),
        }
    }
    ListingTableUrl::parse(url)
}
