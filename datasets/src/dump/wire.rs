//! Tables and scans as bytes, for engines that send plans to other processes.
//!
//! The bytes are JSON of the same version of this crate on both sides. What a scan could not read is
//! noted where it ran: [`DumpTable::take_losses`] tells of this process only, [`take_losses`] of the
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
    /// What [`DumpTable::from_bytes`] reads.
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

    /// The table of which [`DumpTable::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes that it did not write.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let TableParts { locations, options } = serde_json::from_slice(bytes).map_err(failure)?;
        Self::try_new(locations, options)
    }
}

impl DumpSource {
    /// What [`DumpSource::from_bytes`] reads: options and headers. Ranges, columns and the store belong
    /// to the file scan around the source.
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

    /// The source, of all columns, of which [`DumpSource::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes that it did not write.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let SourceParts { options, sites } = serde_json::from_slice(bytes).map_err(failure)?;
        let sites = sites.into_iter().map(|(path, site)| (path, Arc::new(site)));
        Ok(Self::new(Arc::new(options), sites.collect()))
    }
}

/// The scan of dumps that a plan is, if it is one.
#[must_use]
pub fn dump_scan(plan: &Arc<dyn ExecutionPlan>) -> Option<(&FileScanConfig, &DumpSource)> {
    let scan = plan.downcast_ref::<DataSourceExec>()?;
    let config = (scan.data_source().as_ref() as &dyn Any).downcast_ref::<FileScanConfig>()?;
    let source = (config.file_source().as_ref() as &dyn Any).downcast_ref::<DumpSource>()?;
    Some((config, source))
}

/// What the scans of dumps in a plan left out in this process since the last call, by file.
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
