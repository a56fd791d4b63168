//! Serialises tables and sources of dumps.
//!
//! Losses are recorded in the process in which a scan runs: [`DumpTable::take_losses`] returns those of this process
//! only, [`take_losses`] those of the scans of a plan that runs here.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_plan::ExecutionPlan;
use neardup_wikidump::{Losses, SiteInfo};
use serde::{Deserialize, Serialize};

use super::decode::DumpSource;
use super::options::DumpOptions;
use super::table::DumpTable;
use crate::files::{Wire, absolute, file_scan, read_parts, write_parts};

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

impl Wire for DumpTable {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        write_parts(&TableParts {
            locations: absolute(self.locations())?,
            options: self.options().clone(),
        })
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let TableParts { locations, options } = read_parts(bytes)?;
        Self::try_new(locations, options)
    }
}

impl Wire for DumpSource {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let sites = self.sites().iter();
        write_parts(&SourceParts {
            options: self.options().clone(),
            sites: sites
                .map(|(path, site)| (path.clone(), SiteInfo::clone(site)))
                .collect(),
        })
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let SourceParts { options, sites } = read_parts(bytes)?;
        let sites = sites.into_iter().map(|(path, site)| (path, Arc::new(site)));
        Ok(Self::new(Arc::new(options), sites.collect()))
    }
}

/// The losses of the scans of dumps in a plan in this process since the last call, by file.
#[must_use]
pub fn take_losses(plan: &Arc<dyn ExecutionPlan>) -> Vec<(String, Losses)> {
    let mut losses = Vec::new();
    let mut plans = vec![plan];
    while let Some(plan) = plans.pop() {
        if let Some((_, source)) = file_scan::<DumpSource>(plan) {
            losses.extend(source.take_losses());
        }
        plans.extend(plan.children());
    }
    losses
}
