//! Lists of files as tables.

use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::prelude::SessionContext;
use std::path::PathBuf;
use std::sync::Arc;

/// A table over exactly these Parquet files.
pub(super) async fn parquet_files(
    context: &SessionContext,
    paths: Vec<PathBuf>,
) -> Result<Arc<dyn TableProvider>> {
    let options =
        ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension(".parquet");
    listing(context, paths, options).await
}

/// A table over exactly these files of one format.
pub(super) async fn listing(
    context: &SessionContext,
    paths: Vec<PathBuf>,
    options: ListingOptions,
) -> Result<Arc<dyn TableProvider>> {
    let urls = paths
        .iter()
        .map(|path| ListingTableUrl::parse(path.to_string_lossy()))
        .collect::<Result<Vec<_>>>()?;
    let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options);
    let config = config.infer_schema(&context.state()).await?;
    Ok(Arc::new(ListingTable::try_new(config)?))
}
