//! Makes tables from lists of files.

use super::Location;
use super::metadata::{cached_metadata, metadata, refuse_lost_values};
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

/// The schema of a file, or of the files in a directory.
async fn schema(
    state: &SessionState,
    file: &Location,
    options: &ListingOptions,
) -> Result<SchemaRef> {
    let schema = caught(options.infer_schema(state, &file.url()?)).await;
    schema.map_err(of_file)
}

/// The schema of a Parquet file that somebody else may have written.
///
/// # Errors
/// If the file cannot be read, or not with all of its values.
pub(super) async fn checked_schema(
    state: &SessionState,
    file: &Location,
    options: &ListingOptions,
) -> Result<SchemaRef> {
    let schema = schema(state, file, options).await?;
    if !schema.fields().is_empty() {
        let runtime = state.runtime_env();
        let (store, path) = file.store(runtime)?;
        match cached_metadata(&path, runtime) {
            Some(metadata) => refuse_lost_values(&metadata)?,
            None => {
                let object = file.head(runtime).await?;
                refuse_lost_values(metadata(&store, &object, runtime).await?.as_ref())?;
            }
        }
    }
    Ok(schema)
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

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::{ArrayRef, Int64Array, IntervalDayTimeArray};
    use datafusion::arrow::datatypes::{Field, IntervalDayTime, Schema};
    use datafusion::arrow::record_batch::RecordBatch;
    use datafusion::parquet::arrow::ArrowWriter;
    use datafusion::parquet::arrow::arrow_writer::ArrowWriterOptions;
    use std::path::Path;

    fn write(path: &Path, columns: &[(&str, ArrayRef)], stores_types: bool) {
        let fields = columns
            .iter()
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let columns = columns
            .iter()
            .map(|(_, column)| Arc::clone(column))
            .collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).expect("a batch");
        let options = ArrowWriterOptions::new().with_skip_arrow_metadata(!stores_types);
        let file = std::fs::File::create(path).expect("a file");
        let mut writer =
            ArrowWriter::try_new_with_options(file, schema, options).expect("a writer");
        writer.write(&batch).expect("rows");
        writer.close().expect("a footer");
    }

    #[tokio::test]
    async fn columns_that_would_lose_values_are_refused() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("rows.parquet");
        let context = crate::session(datafusion::prelude::SessionConfig::new(), Arc::default())
            .expect("a session");
        let read = async || {
            let sql = format!("SELECT * FROM '{}'", path.display());
            let found = context.sql(&sql).await;
            found.map_err(|error| error.strip_backtrace())
        };
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        write(&path, &[("a", Arc::clone(&numbers)), ("a", numbers)], true);
        let error = read().await.expect_err("one column of two");
        assert!(
            error.contains("rows.parquet: two columns are called a,"),
            "{error}"
        );
        let day = IntervalDayTime {
            days: 1,
            milliseconds: 5,
        };
        let days: ArrayRef = Arc::new(IntervalDayTimeArray::from(vec![day]));
        write(&path, &[("length", Arc::clone(&days))], false);
        let error = read().await.expect_err("no months");
        assert!(
            error.contains("rows.parquet: the column length holds lengths of time"),
            "{error}"
        );
        write(&path, &[("length", days)], true);
        assert!(read().await.is_ok());
    }
}
