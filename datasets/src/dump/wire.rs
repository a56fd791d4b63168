//! Serialises tables and scans, for engines that send plans to other processes.
//!
//! The bytes are JSON; both sides must use the same version of this crate. Losses are recorded in the process in
//! which a scan runs: [`DumpTable::take_losses`] returns those of this process only, [`take_losses`] those of the
//! scans of a plan that runs here.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::physical_plan::FileScanConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;
use neardup_wikidump::{Losses, SiteInfo};
use serde::{Deserialize, Serialize};

use super::options::DumpOptions;
use super::source::DumpSource;
use super::table::DumpTable;

#[derive(Serialize, Deserialize)]
struct TableParts {
    locations: Vec<String>,
    options: DumpOptions,
}

#[derive(Serialize, Deserialize)]
struct SourceParts {
    options: DumpOptions,
    sites: BTreeMap<String, SiteInfo>,
}

fn failure(error: serde_json::Error) -> DataFusionError {
    DataFusionError::External(error.into())
}

impl DumpTable {
    /// Serialises the table for [`DumpTable::from_bytes`].
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let parts = TableParts {
            locations: self.locations().to_vec(),
            options: self.options().clone(),
        };
        serde_json::to_vec(&parts).map_err(failure)
    }

    /// Reads a table that [`DumpTable::to_bytes`] wrote.
    ///
    /// # Errors
    /// If it did not write the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let TableParts { locations, options } = serde_json::from_slice(bytes).map_err(failure)?;
        Self::try_new(locations, options)
    }
}

impl DumpSource {
    /// Serialises options and headers for [`DumpSource::from_bytes`]. Ranges, columns and the store belong to the
    /// file scan that contains the source.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let sites = self.sites().iter();
        let parts = SourceParts {
            options: self.options().clone(),
            sites: sites
                .map(|(path, site)| (path.clone(), SiteInfo::clone(site)))
                .collect(),
        };
        serde_json::to_vec(&parts).map_err(failure)
    }

    /// Reads a source that [`DumpSource::to_bytes`] wrote; it has all columns.
    ///
    /// # Errors
    /// If it did not write the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let SourceParts { options, sites } = serde_json::from_slice(bytes).map_err(failure)?;
        let sites = sites.into_iter().map(|(path, site)| (path, Arc::new(site)));
        Ok(Self::new(Arc::new(options), sites.collect()))
    }
}

/// The scan and its source, if the plan is a scan of dumps.
#[must_use]
pub fn dump_scan(plan: &Arc<dyn ExecutionPlan>) -> Option<(&FileScanConfig, &DumpSource)> {
    let scan = plan.downcast_ref::<DataSourceExec>()?;
    let config = (scan.data_source().as_ref() as &dyn Any).downcast_ref::<FileScanConfig>()?;
    let source = (config.file_source().as_ref() as &dyn Any).downcast_ref::<DumpSource>()?;
    Some((config, source))
}

/// The losses of the scans of dumps in a plan in this process since the last call, by file.
#[must_use]
pub fn take_losses(plan: &Arc<dyn ExecutionPlan>) -> Vec<(String, Losses)> {
    let mut losses = Vec::new();
    let mut plans = vec![plan];
    while let Some(plan) = plans.pop() {
        if let Some((_, source)) = dump_scan(plan) {
            losses.extend(source.take_losses());
        }
        plans.extend(plan.children());
    }
    losses
}
