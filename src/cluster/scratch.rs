//! Writes tables that are too large to be sent inside a plan as Parquet files in a directory that every executor
//! sees: tables in the client's memory, and rows that several parts of a query share.

use super::codec::{INLINE_BYTES, batches, bytes};
use super::temp_dir::LockedTempDir;
use crate::files::parquet_files;
use crate::parameters::{self, parameter_error, set};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::{MemTable, TableProvider, provider_as_source, source_as_provider};
use datafusion::execution::{SendableRecordBatchStream, SessionState};
use datafusion::logical_expr::{LogicalPlan, TableScan};
use datafusion::parquet::arrow::ArrowWriter;
use futures::TryStreamExt;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directory that such tables of one query are written to. Its files are removed when it is dropped.
#[derive(Debug)]
pub(super) struct Scratch {
    parent: Option<PathBuf>,
    /// The private directory, which is made when the first table is written.
    own: Mutex<Option<Arc<LockedTempDir>>>,
}

impl Scratch {
    /// Writes to a private directory below `parent`; without a parent, such tables are refused.
    ///
    /// # Errors
    /// If `parent` is an address, or a pattern.
    pub(super) fn new(parent: Option<&Path>) -> Result<Self> {
        if let Some(parent) = parent {
            let name = parent.to_string_lossy();
            let why = match &name {
                name if name.contains("://") => {
                    "must be a directory of the file system, not an address"
                }
                name if name.contains(['*', '?', '[']) => {
                    "must be the name of one directory, without *, ? and ["
                }
                _ => "",
            };
            if !why.is_empty() {
                return Err(parameter_error![set("scratch", name), format!(" {why}")].into());
            }
        }
        Ok(Self {
            parent: parent.map(std::path::absolute).transpose()?,
            own: Mutex::default(),
        })
    }

    /// Another private directory below the same parent, for another query.
    pub(super) fn another(&self) -> Self {
        Self {
            parent: self.parent.clone(),
            own: Mutex::default(),
        }
    }

    fn directory(&self) -> Result<Option<Arc<LockedTempDir>>> {
        let Some(parent) = &self.parent else {
            return Ok(None);
        };
        let mut own = self.own.lock();
        if own.is_none() {
            let made = LockedTempDir::new(parent, "neardup-scratch");
            let at =
                |error| parameter_error![set("scratch", parent.display()), format!(": {error}")];
            *own = Some(Arc::new(made.map_err(at)?));
        }
        Ok(own.clone())
    }

    /// The name of a new folder for files that executors write; none without a directory.
    pub(super) fn folder(&self) -> Result<Option<PathBuf>> {
        let directory = self.directory()?;
        let name = uuid::Uuid::new_v4().simple().to_string();
        Ok(directory.map(|directory| directory.path().join(name)))
    }

    /// Replaces large tables in memory by files. A table is written again for each query, because its rows may
    /// have changed.
    pub(super) async fn staged(
        &self,
        plan: LogicalPlan,
        state: &SessionState,
    ) -> Result<LogicalPlan> {
        let mut staged = HashMap::new();
        for (name, table) in large_tables(&plan)? {
            let Some(directory) = self.directory()? else {
                let bytes = bytes(&name, &table)?;
                return Err(parameter_error![
                    format!(
                        "table {name} is in the memory of this process and holds {bytes} bytes, of which at most {INLINE_BYTES} can be sent inside a plan: give a directory that every executor sees ("
                    ),
                    parameters::name("scratch"),
                    format!("), or write the table as Parquet there (COPY {name} TO '….parquet')")
                ]
                .into());
            };
            let write = {
                let (name, table) = (name.clone(), Arc::clone(&table));
                move || written(&name, &table, directory.path())
            };
            let path = tokio::task::spawn_blocking(write)
                .await
                .map_err(|error| DataFusionError::External(error.into()))??;
            staged.insert(address(&table), parquet_files(state, &[path.into()]).await?);
        }
        if staged.is_empty() {
            return Ok(plan);
        }
        let plan = plan.transform_up_with_subqueries(|node| match node {
            LogicalPlan::TableScan(scan) => {
                let table = source_as_provider(&scan.source).ok();
                Ok(match table.and_then(|table| staged.get(&address(&table))) {
                    Some(table) => Transformed::yes(LogicalPlan::TableScan(TableScan {
                        source: provider_as_source(Arc::clone(table)),
                        ..scan
                    })),
                    None => Transformed::no(LogicalPlan::TableScan(scan)),
                })
            }
            other => Ok(Transformed::no(other)),
        })?;
        Ok(plan.data)
    }

    /// Writes the rows of a query to a file: the batches in `first`, then those of `rest`.
    pub(super) async fn stored(
        &self,
        first: Vec<RecordBatch>,
        mut rest: SendableRecordBatchStream,
        state: &SessionState,
    ) -> Result<Arc<dyn TableProvider>> {
        let Some(directory) = self.directory()? else {
            return Err(parameter_error![
                format!(
                    "the rows of generate_series, and of a relation argument that may differ each time, are computed once by the client; they hold more than the {INLINE_BYTES} bytes that can be sent inside a plan: give a directory that every executor sees ("
                ),
                parameters::name("scratch"),
                "), or write the rows as Parquet there and name the file"
            ]
            .into());
        };
        let mut file = ScratchFile::create(directory.path(), rest.schema())?;
        for batch in first {
            file.writer.write(&batch)?;
        }
        while let Some(batch) = rest.try_next().await? {
            file.writer.write(&batch)?;
        }
        let path = file.close()?;
        parquet_files(state, &[path.into()]).await
    }
}

/// The address of a table in memory, which identifies it whatever its name.
fn address(table: &Arc<dyn TableProvider>) -> usize {
    Arc::as_ptr(table).cast::<()>() as usize
}

/// The tables in memory that a plan scans and that are too large to be sent inside it, with their names.
fn large_tables(plan: &LogicalPlan) -> Result<Vec<(String, Arc<dyn TableProvider>)>> {
    let mut found: Vec<(String, Arc<dyn TableProvider>)> = Vec::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node
            && let Ok(table) = source_as_provider(&scan.source)
        {
            let name = scan.table_name.to_string();
            let is_new = found
                .iter()
                .all(|(_, other)| address(other) != address(&table));
            if is_new
                && (table.as_ref() as &dyn Any).is::<MemTable>()
                && bytes(&name, &table)? > INLINE_BYTES
            {
                found.push((name, table));
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}

fn written(name: &str, table: &Arc<dyn TableProvider>, directory: &Path) -> Result<PathBuf> {
    let mut file = ScratchFile::create(directory, table.schema())?;
    for batch in batches(name, table)?.concat() {
        file.writer.write(&batch)?;
    }
    file.close()
}

/// A Parquet file with a unique name.
struct ScratchFile {
    path: PathBuf,
    writer: ArrowWriter<File>,
}

impl ScratchFile {
    fn create(directory: &Path, schema: SchemaRef) -> Result<Self> {
        let path = directory.join(format!("{}.parquet", uuid::Uuid::new_v4().simple()));
        let at = |error: std::io::Error| {
            parameter_error![set("scratch", path.display()), format!(": {error}")]
        };
        let file = File::create(&path).map_err(at)?;
        let writer = ArrowWriter::try_new(file, schema, None)?;
        Ok(Self { path, writer })
    }

    fn close(self) -> Result<PathBuf> {
        self.writer.close()?;
        Ok(self.path)
    }
}
