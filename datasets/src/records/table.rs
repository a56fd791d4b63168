//! The table provider.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, exec_err};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::object_store::path::Path;
use datafusion::physical_plan::ExecutionPlan;

use super::decode::RecordSource;
use super::infer::{self, Inferred};
use super::options::RecordOptions;
use crate::files::{Files, Numbers, Stamp, assign, parts, scan_files};

/// The rows of files of separated values or JSON.
#[derive(Debug, Clone)]
pub struct RecordTable {
    pub(super) files: Files,
    /// Metadata of the files when their columns were inferred.
    pub(super) stamps: Vec<Stamp>,
    pub(super) options: RecordOptions,
    /// Columns of the files.
    pub(super) schema: SchemaRef,
    /// The files without watched columns, as [`RecordTable::lacking`] gives them.
    pub(super) lacking: BTreeMap<String, Vec<i64>>,
    pub(super) numbers: Option<Numbers>,
    /// The schema of a scan without projection.
    pub(super) all: SchemaRef,
}

impl RecordTable {
    /// A table over files of one store, which are read completely to infer their columns, `at_once` of them at the same
    /// time. For the columns `watched` the table records which files have them.
    ///
    /// # Errors
    /// If a file is not in the given format, or the files have incompatible columns.
    pub async fn open(
        runtime: &RuntimeEnv,
        store: &ObjectStoreUrl,
        paths: &[Path],
        options: RecordOptions,
        watched: &[String],
        at_once: usize,
    ) -> Result<Self> {
        let files = Files::new(store, paths);
        let found = files.stat(runtime).await?;
        let Inferred { schema, lacking } =
            infer::columns(&found, &options, watched, at_once).await?;
        Ok(Self {
            stamps: found.iter().map(|file| Stamp::of(&file.meta)).collect(),
            files,
            options,
            all: Arc::clone(&schema),
            schema,
            lacking,
            numbers: None,
        })
    }

    /// For each watched column, the indices of the files that do not have it. Files of separated values have all columns.
    #[must_use]
    pub fn lacking(&self) -> &BTreeMap<String, Vec<i64>> {
        &self.lacking
    }

    /// The same table with the index of the file and of the row after its columns.
    #[must_use]
    pub fn numbered(mut self) -> (Self, Numbers) {
        let numbers = Numbers::beside(&self.schema);
        self.numbers = Some(numbers.clone());
        self.all = Arc::clone(self.source().table_schema_ref());
        (self, numbers)
    }

    pub(super) fn source(&self) -> RecordSource {
        RecordSource::new(
            self.options.clone(),
            Arc::clone(&self.schema),
            self.numbers.clone(),
        )
    }
}

#[async_trait]
impl TableProvider for RecordTable {
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
        let partitions = session.config().target_partitions();
        let files = self.files.stat(session.runtime_env()).await?;
        let is_same =
            |(file, stamp): (&crate::files::StoredFile, &Stamp)| Stamp::of(&file.meta) == *stamp;
        if !files.iter().zip(&self.stamps).all(is_same) {
            let watched: Vec<String> = self.lacking.keys().cloned().collect();
            let found = infer::columns(&files, &self.options, &watched, partitions).await?;
            if found.schema != self.schema {
                return exec_err!(
                    "the files have changed since the table was made: their columns were {}, but now are {}",
                    columns(&self.schema),
                    columns(&found.schema)
                );
            }
            if found.lacking != self.lacking {
                return exec_err!(
                    "the files have changed since the table was made: other files have the columns {} now",
                    watched.join(", ")
                );
            }
        }
        let groups = assign(parts(files, self.numbers.is_some()), partitions);
        let (store, source) = (self.files.store()?, Arc::new(self.source()));
        scan_files(store, source, groups, projection.cloned(), limit)
    }
}

fn columns(schema: &Schema) -> String {
    let columns = schema.fields().iter();
    let columns = columns.map(|field| format!("{} {}", field.name(), field.data_type()));
    columns.collect::<Vec<_>>().join(", ")
}
