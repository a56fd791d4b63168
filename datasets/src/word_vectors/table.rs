//! The table provider.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use futures::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::columns::word_vector_schema;
use super::decode::{WordVectorSource, failure, inspect};
use super::options::WordVectorOptions;
use crate::files::{
    Located, StoredFile, Wanted, Wire, absolute, assign, locate, parts, read_parts, scan_files,
    write_parts,
};

const WORD_VECTORS: Wanted = Wanted {
    what: "word vectors",
    example: "*.vec",
};

/// Number of files whose first bytes are read at the same time.
const CONCURRENT_FILES: usize = 8;

/// The words of files of one dimension with their vectors; see [`word_vector_schema`] for the columns.
///
/// The files are found, and their first bytes read, each time the table is scanned.
#[derive(Debug, Clone)]
pub struct WordVectorTable {
    locations: Vec<String>,
    options: WordVectorOptions,
}

impl WordVectorTable {
    /// A table over files: paths, globs, or addresses of objects in registered stores, in which
    /// the path may be a glob. Nothing is read yet.
    ///
    /// # Errors
    /// Without any location.
    pub fn try_new(locations: Vec<String>, options: WordVectorOptions) -> Result<Self> {
        if locations.is_empty() {
            return plan_err!("a table of {} needs at least one file", WORD_VECTORS.what);
        }
        Ok(Self { locations, options })
    }

    /// The locations that the table was made from.
    #[must_use]
    pub fn locations(&self) -> &[String] {
        &self.locations
    }

    /// The options of reading.
    #[must_use]
    pub fn options(&self) -> &WordVectorOptions {
        &self.options
    }
}

#[async_trait]
impl TableProvider for WordVectorTable {
    fn schema(&self) -> SchemaRef {
        word_vector_schema()
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
        let Located { store, files } = locate(session, &self.locations, &WORD_VECTORS).await?;
        one_dimension(&files, self.options).await?;
        let groups = assign(parts(files, false), session.config().target_partitions());
        let source = WordVectorSource::new(self.options);
        let projection = projection.cloned();
        scan_files(store, Arc::new(source), groups, projection, limit)
    }
}

#[derive(Serialize, Deserialize)]
struct TableParts {
    locations: Vec<String>,
    options: WordVectorOptions,
}

impl Wire for WordVectorTable {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        write_parts(&TableParts {
            locations: absolute(&self.locations)?,
            options: self.options,
        })
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let TableParts { locations, options } = read_parts(bytes)?;
        Self::try_new(locations, options)
    }
}

/// Refuses files with vectors of different dimensions, which are not comparable.
async fn one_dimension(files: &[StoredFile], options: WordVectorOptions) -> Result<()> {
    let dimensions: Vec<usize> = futures::stream::iter(files.to_vec())
        .map(|file| async move {
            let handle = Handle::current();
            let inspect =
                move || inspect(&file, options, &handle).map_err(|error| failure(&file, &error));
            tokio::task::spawn_blocking(inspect)
                .await
                .map_err(|error| DataFusionError::External(Box::new(error)))?
        })
        .buffered(CONCURRENT_FILES)
        .try_collect()
        .await?;
    let mut all = files.iter().zip(dimensions);
    let Some((first, dimension)) = all.next() else {
        return Ok(());
    };
    match all.find(|(_, other)| *other != dimension) {
        None => Ok(()),
        Some((file, other)) => plan_err!(
            "{} has vectors of {dimension} numbers and {} of {other}: the files of one call must \
             have the same",
            first.name,
            file.name
        ),
    }
}
