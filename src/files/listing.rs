//! Lists of files as tables.

use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::execution::SessionState;
use std::path::PathBuf;
use std::sync::Arc;

/// A table over exactly these Parquet files.
pub(crate) async fn parquet_files(
    state: &SessionState,
    paths: Vec<PathBuf>,
) -> Result<Arc<dyn TableProvider>> {
    let options =
        ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension(".parquet");
    listing(state, paths, options).await
}

/// A table over exactly these files of one format.
pub(super) async fn listing(
    state: &SessionState,
    paths: Vec<PathBuf>,
    options: ListingOptions,
) -> Result<Arc<dyn TableProvider>> {
    let urls = paths
        .iter()
        .map(|path| ListingTableUrl::parse(path.to_string_lossy()))
        .collect::<Result<Vec<_>>>()?;
    let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options);
    let config = config.infer_schema(state).await?;
    Ok(Arc::new(ListingTable::try_new(config)?))
}
