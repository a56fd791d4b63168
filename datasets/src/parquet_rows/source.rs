//! Wraps DataFusion's Parquet source, and adds columns with the index of the file and of the row.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use datafusion::datasource::physical_plan::{
    FileOpener, FileScanConfig, FileSource, ParquetSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::object_store::ObjectStore;
use datafusion::parquet::arrow::RowNumber;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{DisplayFormatType, ExecutionPlan, PhysicalExpr};
use datafusion_datasource::morsel::Morselizer;
use serde::{Deserialize, Serialize};

use crate::files::{Numbers, read_schema, write_schema};

/// The source of Parquet files with the index of the file and of the row after their columns.
#[derive(Debug, Clone)]
pub struct NumberedParquetSource {
    inner: ParquetSource,
    numbers: Numbers,
}

#[derive(Serialize, Deserialize)]
struct SourceParts {
    schema: Vec<u8>,
    numbers: Numbers,
}

impl NumberedParquetSource {
    /// A scan of all columns of files with this schema.
    #[must_use]
    pub fn new(schema: SchemaRef, numbers: Numbers) -> Self {
        let row: FieldRef = Arc::new(
            Field::new(&numbers.row, DataType::Int64, false).with_extension_type(RowNumber),
        );
        let table_schema = TableSchema::builder(schema)
            .with_table_partition_cols(numbers.file_fields())
            .with_virtual_columns(vec![row])
            .build();
        Self {
            inner: ParquetSource::new(table_schema),
            numbers,
        }
    }

    fn over(&self, inner: &Arc<dyn FileSource>) -> Result<Arc<dyn FileSource>> {
        let inner = inner
            .downcast_ref::<ParquetSource>()
            .ok_or_else(|| internal_datafusion_err!("a source of Parquet became another one"))?;
        Ok(Arc::new(Self {
            inner: inner.clone(),
            numbers: self.numbers.clone(),
        }))
    }

    /// Serialises the source for [`NumberedParquetSource::from_bytes`]. Files, projection and store belong to the file
    /// scan that contains the source.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let parts = SourceParts {
            schema: write_schema(self.inner.table_schema().file_schema())?,
            numbers: self.numbers.clone(),
        };
        serde_json::to_vec(&parts).map_err(|error| DataFusionError::External(error.into()))
    }

    /// Reads a source that [`NumberedParquetSource::to_bytes`] wrote; it has all columns.
    ///
    /// # Errors
    /// If it did not write the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let SourceParts { schema, numbers } = serde_json::from_slice(bytes)
            .map_err(|error| DataFusionError::External(error.into()))?;
        Ok(Self::new(read_schema(&schema)?, numbers))
    }
}

impl FileSource for NumberedParquetSource {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        self.inner.create_file_opener(store, config, partition)
    }

    fn create_morselizer(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Box<dyn Morselizer>> {
        self.inner.create_morselizer(store, config, partition)
    }

    fn table_schema(&self) -> &TableSchema {
        self.inner.table_schema()
    }

    fn with_batch_size(&self, rows: usize) -> Arc<dyn FileSource> {
        let inner = self.inner.with_batch_size(rows);
        self.over(&inner).unwrap_or_else(|_| Arc::new(self.clone()))
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        self.inner.projection()
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        self.inner.metrics()
    }

    fn file_type(&self) -> &str {
        self.inner.file_type()
    }

    fn fmt_extra(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_extra(format, f)
    }

    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn FileSource>>> {
        let inner = self.inner.try_pushdown_projection(projection)?;
        inner.map(|inner| self.over(&inner)).transpose()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.inner.apply_expressions(f)
    }
}

/// The scan and its source, if the plan is a scan of numbered Parquet.
#[must_use]
pub fn numbered_parquet_scan(
    plan: &Arc<dyn ExecutionPlan>,
) -> Option<(&FileScanConfig, &NumberedParquetSource)> {
    let scan = plan.downcast_ref::<DataSourceExec>()?;
    let config = (scan.data_source().as_ref() as &dyn Any).downcast_ref::<FileScanConfig>()?;
    let source = config
        .file_source()
        .downcast_ref::<NumberedParquetSource>()?;
    Some((config, source))
}
