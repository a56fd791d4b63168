//! The table provider.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::datasource::physical_plan::FileSource;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::object_store::path::Path;
use datafusion::physical_plan::ExecutionPlan;
use serde::{Deserialize, Serialize};

use super::source::NumberedParquetSource;
use crate::files::{
    Files, Numbers, Wire, assign, parts, read_parts, read_schema, scan_files, write_parts,
    write_schema,
};

/// Parquet files of one schema, with the index of the file and of the row after their columns.
#[derive(Debug, Clone)]
pub struct NumberedParquet {
    files: Files,
    schema: SchemaRef,
    numbers: Numbers,
    all: SchemaRef,
}

#[derive(Serialize, Deserialize)]
struct TableParts {
    files: Files,
    schema: Vec<u8>,
    numbers: Numbers,
}

impl NumberedParquet {
    /// A table over files of one store, which are read as `schema`.
    #[must_use]
    pub fn new(store: &ObjectStoreUrl, paths: &[Path], schema: SchemaRef) -> (Self, Numbers) {
        let numbers = Numbers::beside(&schema);
        let table = Self::of(Files::new(store, paths), schema, numbers.clone());
        (table, numbers)
    }

    fn of(files: Files, schema: SchemaRef, numbers: Numbers) -> Self {
        let source = NumberedParquetSource::new(Arc::clone(&schema), numbers.clone());
        Self {
            files,
            all: Arc::clone(source.table_schema().table_schema()),
            schema,
            numbers,
        }
    }
}

impl Wire for NumberedParquet {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        write_parts(&TableParts {
            files: self.files.clone(),
            schema: write_schema(&self.schema)?,
            numbers: self.numbers.clone(),
        })
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let TableParts {
            files,
            schema,
            numbers,
        } = read_parts(bytes)?;
        Ok(Self::of(files, read_schema(&schema)?, numbers))
    }
}

#[async_trait]
impl TableProvider for NumberedParquet {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.all)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let files = self.files.stat(session.runtime_env()).await?;
        let groups = assign(parts(files, true), session.config().target_partitions());
        let source = NumberedParquetSource::new(Arc::clone(&self.schema), self.numbers.clone());
        let (store, projection) = (self.files.store()?, projection.cloned());
        scan_files(store, Arc::new(source), groups, projection, limit)
    }
}
