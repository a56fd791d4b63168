//! The metadata of Parquet files.

use datafusion::common::{Result, exec_err};
use datafusion::datasource::physical_plan::parquet::metadata::{
    CachedParquetMetaData, DFParquetMetadata,
};
use datafusion::execution::cache::cache_manager::CachedFileMetadataEntry;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::parquet::arrow::ARROW_SCHEMA_META_KEY;
use datafusion::parquet::basic::ConvertedType;
use datafusion::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use datafusion::parquet::schema::types::ColumnDescriptor;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use std::collections::HashSet;
use std::sync::Arc;

/// The metadata of the Parquet file at a path that was just read, if the cache has it.
pub(super) fn cached_metadata(path: &Path, runtime: &RuntimeEnv) -> Option<Arc<ParquetMetaData>> {
    of_entry(&runtime.cache_manager.get_file_metadata_cache().get(path)?)
}

/// The metadata of a Parquet file in the cache.
pub(super) fn of_entry(entry: &CachedFileMetadataEntry) -> Option<Arc<ParquetMetaData>> {
    let metadata = entry.file_metadata.as_any();
    let metadata = metadata.downcast_ref::<CachedParquetMetaData>()?;
    Some(Arc::clone(metadata.parquet_metadata()))
}

/// The metadata of a Parquet file without the index of its pages, from the cache or else from the file.
pub(super) async fn metadata(
    store: &dyn ObjectStore,
    file: &ObjectMeta,
    runtime: &RuntimeEnv,
) -> Result<Arc<ParquetMetaData>> {
    let cache = runtime.cache_manager.get_file_metadata_cache();
    DFParquetMetadata::new(store, file)
        .with_file_metadata_cache(Some(cache))
        .with_page_index_policy(Some(PageIndexPolicy::Skip))
        .fetch_metadata()
        .await
}

/// Refuses columns that the engine would leave out, and values of which it would leave out a part.
pub(super) fn refuse_lost_values(metadata: &ParquetMetaData) -> Result<()> {
    let file = metadata.file_metadata();
    let schema = file.schema_descr();
    let mut names = HashSet::new();
    for column in schema.root_schema().get_fields() {
        if !names.insert(column.name()) {
            return exec_err!(
                "two columns are called {}, and one would be lost: write the file again with different names",
                column.name()
            );
        }
    }
    // Arrow's types, where a writer stores them, tell whether there are months.
    let mut entries = file.key_value_metadata().into_iter().flatten();
    let is_interval =
        |column: &&Arc<ColumnDescriptor>| column.converted_type() == ConvertedType::INTERVAL;
    if let Some(column) = schema.columns().iter().find(is_interval)
        && !entries.any(|entry| entry.key == ARROW_SCHEMA_META_KEY)
    {
        return exec_err!(
            "the column {} holds lengths of time (INTERVAL), whose months would be lost: write the file again with texts or numbers instead",
            column.path().string()
        );
    }
    Ok(())
}
