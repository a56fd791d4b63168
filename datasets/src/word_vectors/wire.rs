//! Serialises tables and scans, for engines that send plans to other processes.
//!
//! The bytes are JSON; both sides must use the same version of this crate.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::physical_plan::FileScanConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;
use serde::{Deserialize, Serialize};

use super::options::WordVectorOptions;
use super::source::WordVectorSource;
use super::table::WordVectorTable;

#[derive(Serialize, Deserialize)]
struct TableParts {
    locations: Vec<String>,
    options: WordVectorOptions,
}

fn failure(error: serde_json::Error) -> DataFusionError {
    DataFusionError::External(error.into())
}

impl WordVectorTable {
    /// Serialises the table for [`WordVectorTable::from_bytes`].
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let parts = TableParts {
            locations: self.locations().to_vec(),
            options: *self.options(),
        };
        serde_json::to_vec(&parts).map_err(failure)
    }

    /// Reads a table that [`WordVectorTable::to_bytes`] wrote.
    ///
    /// # Errors
    /// If it did not write the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let TableParts { locations, options } = serde_json::from_slice(bytes).map_err(failure)?;
        Self::try_new(locations, options)
    }
}

impl WordVectorSource {
    /// Serialises the options for [`WordVectorSource::from_bytes`]. Files, columns and the store belong to the file scan
    /// that contains the source.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self.options()).map_err(failure)
    }

    /// The source, of all columns, of which [`WordVectorSource::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes that it did not write.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(Self::new(serde_json::from_slice(bytes).map_err(failure)?))
    }
}

/// The scan and its source, if the plan is a scan of word vectors.
#[must_use]
pub fn word_vector_scan(
    plan: &Arc<dyn ExecutionPlan>,
) -> Option<(&FileScanConfig, &WordVectorSource)> {
    let scan = plan.downcast_ref::<DataSourceExec>()?;
    let config = (scan.data_source().as_ref() as &dyn Any).downcast_ref::<FileScanConfig>()?;
    let source = (config.file_source().as_ref() as &dyn Any).downcast_ref::<WordVectorSource>()?;
    Some((config, source))
}
