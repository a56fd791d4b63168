//! The file source of DataFusion's scan: the projected columns, and the opener of ranges.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_datafusion_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileOpenFuture, FileOpener, FileScanConfig, FileSource,
};
use datafusion::datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::object_store::ObjectStore;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_plan::expressions::Column;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{DisplayFormatType, PhysicalExpr};
use tokio::runtime::Handle;

use super::columns::{SiteColumns, dump_schema};
use super::decode::Decode;
use neardup_wikidump::Losses;

use super::losses::LossLog;
use super::options::DumpOptions;
use super::ranges::Sites;
use crate::files::StoredFile;

/// Default number of rows of a batch.
const BATCH_ROWS: usize = 8192;

/// The file source for dumps. It holds the options and the header of each file; the byte ranges are in the file
/// scan that contains it.
#[derive(Debug, Clone)]
pub struct DumpSource {
    options: Arc<DumpOptions>,
    sites: Arc<Sites>,
    table_schema: TableSchema,
    projection: SplitProjection,
    batch_rows: usize,
    metrics: ExecutionPlanMetricsSet,
    losses: LossLog,
}

impl DumpSource {
    /// A source of all columns. `sites` maps the path of each file in the store to its header.
    #[must_use]
    pub fn new(options: Arc<DumpOptions>, sites: Sites) -> Self {
        let table_schema = TableSchema::from(dump_schema());
        Self {
            options,
            sites: Arc::new(sites),
            projection: SplitProjection::unprojected(&table_schema),
            table_schema,
            batch_rows: BATCH_ROWS,
            metrics: ExecutionPlanMetricsSet::new(),
            losses: LossLog::default(),
        }
    }

    /// The source, which also reports losses to `losses`.
    pub(super) fn with_losses(self, losses: LossLog) -> Self {
        Self { losses, ..self }
    }

    /// The losses of scans in this process since the last call, by file.
    pub(super) fn take_losses(&self) -> Vec<(String, Losses)> {
        self.losses.take()
    }

    /// The options of reading.
    #[must_use]
    pub fn options(&self) -> &DumpOptions {
        &self.options
    }

    /// The headers of the files, keyed by their path in the store.
    #[must_use]
    pub fn sites(&self) -> &Sites {
        &self.sites
    }
}

impl FileSource for DumpSource {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let opener = DumpOpener {
            source: self.clone(),
            store,
            address: config.object_store_url.as_str().to_owned(),
            max_rows: config.limit.unwrap_or(usize::MAX).min(self.batch_rows),
            partition,
        };
        ProjectionOpener::try_new(
            self.projection.clone(),
            Arc::new(opener),
            self.table_schema.file_schema(),
        )
    }

    fn table_schema(&self) -> &TableSchema {
        &self.table_schema
    }

    fn with_batch_size(&self, rows: usize) -> Arc<dyn FileSource> {
        Arc::new(Self {
            batch_rows: rows,
            ..self.clone()
        })
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &str {
        "wikidump"
    }

    fn fmt_extra(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.options.namespaces {
            None => write!(f, ", namespaces=all")?,
            Some(namespaces) => write!(f, ", namespaces={namespaces:?}")?,
        }
        write!(f, ", redirects={}", self.options.redirects)?;
        write!(f, ", revisions={:?}", self.options.revisions)
    }

    /// The table has already split the files into ranges, small files at block boundaries. (Any other split gives
    /// the same rows.)
    fn supports_repartitioning(&self) -> bool {
        false
    }

    /// Accepts projections of plain columns; computed expressions stay in an operator above the scan.
    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn FileSource>>> {
        let only_columns = projection.iter().all(|each| each.expr.is::<Column>());
        if !only_columns {
            return Ok(None);
        }
        let merged = self.projection.source.try_merge(projection)?;
        Ok(Some(Arc::new(Self {
            projection: SplitProjection::new(self.table_schema.file_schema(), &merged),
            ..self.clone()
        })))
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for each in &self.projection.source {
            if f(&each.expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }
}

struct DumpOpener {
    source: DumpSource,
    store: Arc<dyn ObjectStore>,
    /// Address of the store.
    address: String,
    max_rows: usize,
    partition: usize,
}

impl FileOpener for DumpOpener {
    fn open(&self, part: PartitionedFile) -> Result<FileOpenFuture> {
        let DumpSource {
            options,
            sites,
            projection,
            metrics,
            losses,
            ..
        } = &self.source;
        let location = part.object_meta.location.as_ref();
        let site = sites.get(location).ok_or_else(|| {
            internal_datafusion_err!("{location}: the scan does not have the header of this file")
        })?;
        let decode = Decode {
            range: range(&part),
            file: StoredFile::new(Arc::clone(&self.store), &self.address, part.object_meta),
            site: Arc::clone(site),
            site_columns: SiteColumns::new(site, options.language.as_deref()),
            options: Arc::clone(options),
            columns: projection.file_indices.clone(),
            max_rows: self.max_rows,
            metrics: metrics.clone(),
            partition: self.partition,
            losses: losses.clone(),
        };
        Ok(Box::pin(async move { decode.start(Handle::current()) }))
    }
}

fn range(part: &PartitionedFile) -> Range<u64> {
    let (start, end) = part.range();
    start..end
}
