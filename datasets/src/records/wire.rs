//! Serialises tables and scans, for engines that send plans to other processes.
//!
//! The bytes are JSON, with the schema in Arrow's format; both sides must use the same version of this crate.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::physical_plan::FileScanConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::options::RecordOptions;
use super::source::RecordSource;
use super::table::RecordTable;
use crate::files::{Files, Numbers, Stamp, read_schema, write_schema};

#[derive(Serialize, Deserialize)]
struct TableParts {
    files: Files,
    stamps: Vec<Stamp>,
    scan: SourceParts,
}

#[derive(Serialize, Deserialize)]
struct SourceParts {
    options: RecordOptions,
    schema: Vec<u8>,
    numbers: Option<Numbers>,
}

fn failure(error: serde_json::Error) -> DataFusionError {
    DataFusionError::External(error.into())
}

fn bytes<T: Serialize>(parts: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(parts).map_err(failure)
}

fn from<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(failure)
}

impl SourceParts {
    fn of(source: &RecordSource) -> Result<Self> {
        Ok(Self {
            options: source.options().clone(),
            schema: write_schema(source.schema())?,
            numbers: source.numbers().cloned(),
        })
    }

    fn source(self) -> Result<RecordSource> {
        let schema = read_schema(&self.schema)?;
        Ok(RecordSource::new(self.options, schema, self.numbers))
    }
}

impl RecordTable {
    /// Serialises the table for [`RecordTable::from_bytes`].
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        bytes(&TableParts {
            files: self.files.clone(),
            stamps: self.stamps.clone(),
            scan: SourceParts::of(&self.source())?,
        })
    }

    /// Reads a table that [`RecordTable::to_bytes`] wrote.
    ///
    /// # Errors
    /// If it did not write the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let TableParts {
            files,
            stamps,
            scan,
        } = from(bytes)?;
        let source = scan.source()?;
        Ok(Self {
            files,
            stamps,
            options: source.options().clone(),
            schema: Arc::clone(source.schema()),
            numbers: source.numbers().cloned(),
            all: Arc::clone(source.table_schema_ref()),
        })
    }
}

impl RecordSource {
    /// Serialises the source for [`RecordSource::from_bytes`]. Files, projection and store belong to the file scan that
    /// contains the source.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        bytes(&SourceParts::of(self)?)
    }

    /// Reads a source that [`RecordSource::to_bytes`] wrote; it has all columns.
    ///
    /// # Errors
    /// If it did not write the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from::<SourceParts>(bytes)?.source()
    }
}

/// The scan and its source, if the plan is a scan of such files.
#[must_use]
pub fn record_scan(plan: &Arc<dyn ExecutionPlan>) -> Option<(&FileScanConfig, &RecordSource)> {
    let scan = plan.downcast_ref::<DataSourceExec>()?;
    let config = (scan.data_source().as_ref() as &dyn Any).downcast_ref::<FileScanConfig>()?;
    let source = (config.file_source().as_ref() as &dyn Any).downcast_ref::<RecordSource>()?;
    Some((config, source))
}
