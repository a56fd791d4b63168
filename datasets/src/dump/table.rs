//! The table provider.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use neardup_wikidump::Losses;

use super::columns::dump_schema;
use super::decode::DumpSource;
use super::losses::LossLog;
use super::options::DumpOptions;
use super::ranges::plan;
use crate::files::{Located, Wanted, locate, scan_files};

const DUMPS: Wanted = Wanted {
    what: "dumps",
    example: "*.xml.bz2",
};

/// Pages of dump files of one wiki; see [`dump_schema`] for the columns.
///
/// The files are found, and their headers read, each time the table is scanned.
#[derive(Debug, Clone)]
pub struct DumpTable {
    locations: Vec<String>,
    options: Arc<DumpOptions>,
    losses: LossLog,
}

impl DumpTable {
    /// A table over files: paths, globs, or addresses of objects in registered stores, in which
    /// the path may be a glob. Nothing is read yet.
    ///
    /// # Errors
    /// Without any location.
    pub fn try_new(locations: Vec<String>, options: DumpOptions) -> Result<Self> {
        if locations.is_empty() {
            return plan_err!("a table of dumps needs at least one file");
        }
        Ok(Self {
            locations,
            options: Arc::new(options),
            losses: LossLog::default(),
        })
    }

    /// The locations that the table was made from.
    #[must_use]
    pub fn locations(&self) -> &[String] {
        &self.locations
    }

    /// The options of reading.
    #[must_use]
    pub fn options(&self) -> &DumpOptions {
        &self.options
    }

    /// What scans in this process could not read since the last call, by file. For a scan that ended early (by a
    /// LIMIT, for example) only the part that was read counts. Files without losses are not listed.
    #[must_use]
    pub fn take_losses(&self) -> Vec<(String, Losses)> {
        self.losses.take()
    }

    /// Finds the files.
    ///
    /// # Errors
    /// Files that do not exist, globs that match nothing, directories, and faults of the store.
    pub(super) async fn locate(&self, session: &dyn Session) -> Result<Located> {
        locate(session, &self.locations, &DUMPS).await
    }
}

#[async_trait]
impl TableProvider for DumpTable {
    fn schema(&self) -> SchemaRef {
        dump_schema()
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
        let Located { store, files } = self.locate(session).await?;
        let partitions = session.config().target_partitions();
        let plan = plan(files, partitions, self.options.on_error).await?;
        let (options, losses) = (Arc::clone(&self.options), self.losses.clone());
        let source = DumpSource::with_losses(options, plan.sites, losses);
        let projection = projection.cloned();
        scan_files(store, Arc::new(source), plan.groups, projection, limit)
    }
}
