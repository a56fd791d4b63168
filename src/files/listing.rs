//! Makes tables from lists of files.

use super::Location;
use super::panics::{caught, of_file};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, exec_err};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::execution::SessionState;
use std::sync::Arc;

/// A table over exactly these Parquet files, which all have the schema of the first.
pub(crate) async fn parquet_files(
    state: &SessionState,
    files: &[Location],
) -> Result<Arc<dyn TableProvider>> {
    let options = ListingOptions::new(parquet(state)).with_file_extension(".parquet");
    let Some(first) = files.first() else {
        return exec_err!("a table needs at least one file");
    };
    let schema = schema(state, first, &options).await?;
    listing(files, options, schema)
}

/// The Parquet format with the options of a session.
pub(super) fn parquet(state: &SessionState) -> Arc<ParquetFormat> {
    let options = state.default_table_options().parquet;
    Arc::new(ParquetFormat::default().with_options(options))
}

/// The schema of a file.
pub(super) async fn schema(
    state: &SessionState,
    file: &Location,
    options: &ListingOptions,
) -> Result<SchemaRef> {
    let schema = caught(options.infer_schema(state, &file.url()?)).await;
    schema.map_err(of_file)
}

/// A table over exactly these files of one format.
pub(super) fn listing(
    files: &[Location],
    options: ListingOptions,
    schema: SchemaRef,
) -> Result<Arc<dyn TableProvider>> {
    let urls = files.iter().map(Location::url).collect::<Result<_>>()?;
    table(urls, options, schema)
}

/// A table over the files at these addresses.
pub(super) fn table(
    urls: Vec<ListingTableUrl>,
    options: ListingOptions,
    schema: SchemaRef,
) -> Result<Arc<dyn TableProvider>> {
    let config = ListingTableConfig::new_with_multi_paths(urls)
        .with_listing_options(options)
        .with_schema(schema);
    Ok(Arc::new(ListingTable::try_new(config)?))
}
