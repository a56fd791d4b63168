//! The scan of files of our formats: DataFusion's file scan around a decoder.
//!
//! A [`Decoder`] decodes one format. [`FormatSource`] does the work of all formats: it takes choices of columns,
//! opens each file, or range of a file, and has one thread decode it, at most one batch ahead of the consumer.

use std::any::Any;
use std::fmt::{self, Debug};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_datafusion_err, exec_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileGroup, FileOpenFuture, FileOpener, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::object_store::ObjectStore;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_plan::expressions::Column;
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::{DisplayFormatType, ExecutionPlan, PhysicalExpr};
use futures::StreamExt;
use neardup_wikidump::ReadAt;
use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;

use super::StoredFile;

/// Maximum number of rows of a batch if the session sets none.
const BATCH_ROWS: usize = 8192;
/// Capacity of the queue of batches between the decoding thread and the consumer.
const QUEUED_BATCHES: usize = 1;

/// Decodes files of one format. Clones are cheap.
pub trait Decoder: Debug + Clone + Send + Sync + Unpin + 'static {
    /// The name of the format, for plans.
    fn name(&self) -> &str;

    /// Writes options that plans show, each after a comma.
    ///
    /// # Errors
    /// Those of the formatter.
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Decodes a file, or a range of it, on a thread of its own, until the file or the query ends.
    ///
    /// # Errors
    /// If the bytes cannot be read or are not in the format. The error names the file.
    fn decode(&self, task: &DecodeTask) -> Result<()>;
}

/// Files of one format, as DataFusion's file scan knows them. The files and their ranges are in the file scan that
/// contains the source.
#[derive(Debug, Clone)]
pub struct FormatSource<D> {
    decoder: D,
    table_schema: TableSchema,
    projection: SplitProjection,
    batch_rows: usize,
    metrics: ExecutionPlanMetricsSet,
}

impl<D: Decoder> FormatSource<D> {
    /// A scan of all columns.
    pub(crate) fn over(decoder: D, table_schema: TableSchema) -> Self {
        Self {
            decoder,
            projection: SplitProjection::unprojected(&table_schema),
            table_schema,
            batch_rows: BATCH_ROWS,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    pub(crate) fn decoder(&self) -> &D {
        &self.decoder
    }
}

impl<D: Decoder> FileSource for FormatSource<D> {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let max_rows = config.limit.unwrap_or(usize::MAX).min(self.batch_rows);
        let opener = FormatOpener {
            source: self.clone(),
            store,
            address: config.object_store_url.as_str().to_owned(),
            max_rows: max_rows.max(1),
            partition,
        };
        let file_schema = self.table_schema.file_schema();
        ProjectionOpener::try_new(self.projection.clone(), Arc::new(opener), file_schema)
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
        self.decoder.name()
    }

    fn fmt_extra(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.decoder.describe(f)
    }

    /// The tables assign files, or ranges that they choose by the contents of files: in most formats a row cannot be
    /// found from a byte offset.
    fn supports_repartitioning(&self) -> bool {
        false
    }

    /// Accepts choices of columns; expressions over them remain a separate operator.
    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn FileSource>>> {
        if !projection.iter().all(|each| each.expr.is::<Column>()) {
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

struct FormatOpener<D> {
    source: FormatSource<D>,
    store: Arc<dyn ObjectStore>,
    /// The address of the store.
    address: String,
    max_rows: usize,
    partition: usize,
}

impl<D: Decoder> FileOpener for FormatOpener<D> {
    fn open(&self, part: PartitionedFile) -> Result<FileOpenFuture> {
        let (start, end) = part.range();
        let FormatSource {
            decoder,
            table_schema,
            projection,
            metrics,
            ..
        } = self.source.clone();
        let file = StoredFile::new(Arc::clone(&self.store), &self.address, part.object_meta);
        let schema = Arc::new(
            table_schema
                .file_schema()
                .project(&projection.file_indices)?,
        );
        let (max_rows, partition) = (self.max_rows, self.partition);
        Ok(Box::pin(async move {
            let mut builder =
                RecordBatchReceiverStream::builder(Arc::clone(&schema), QUEUED_BATCHES);
            let task = DecodeTask {
                file,
                range: start..end,
                schema,
                columns: projection.file_indices,
                max_rows,
                metrics,
                partition,
                handle: Handle::current(),
                batches: builder.tx(),
            };
            builder.spawn_blocking(move || {
                let outcome = decoder.decode(&task);
                match task.is_cancelled() {
                    // The consumer is gone, so the cancellation error is not needed.
                    true => Ok(()),
                    false => outcome,
                }
            });
            Ok(builder.build().boxed())
        }))
    }
}

/// A file, or a range of it, to be decoded.
#[derive(Debug)]
pub struct DecodeTask {
    pub(crate) file: StoredFile,
    /// The byte range of the file.
    pub(crate) range: Range<u64>,
    /// The projected columns.
    pub(crate) schema: SchemaRef,
    /// Indexes of the projected columns in the schema of the file.
    pub(crate) columns: Vec<usize>,
    /// Maximum number of rows of a batch, at least 1.
    pub(crate) max_rows: usize,
    metrics: ExecutionPlanMetricsSet,
    partition: usize,
    handle: Handle,
    batches: Sender<Result<RecordBatch>>,
}

impl DecodeTask {
    /// Opens the file, which must have the size that it had when the query was planned. Bytes that are read are
    /// counted, and reads fail once the query has ended.
    pub(crate) fn open(&self) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::new(CancellableFile {
            inner: self.file.open_unchanged(self.range.end, &self.handle)?,
            batches: self.batches.clone(),
            read: self.counter("bytes_scanned"),
        }))
    }

    /// Hands over a batch; false once the query has ended.
    pub(crate) fn send(&self, batch: Result<RecordBatch>) -> bool {
        self.batches.blocking_send(batch).is_ok()
    }

    /// Whether the query has ended.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.batches.is_closed()
    }

    /// A metric of the scan.
    pub(crate) fn counter(&self, name: &'static str) -> Count {
        MetricBuilder::new(&self.metrics).counter(name, self.partition)
    }
}

impl StoredFile {
    /// Opens the file as [`StoredFile::open`].
    ///
    /// # Errors
    /// If it cannot be opened, or has another size than when it was found.
    pub(crate) fn open_unchanged(&self, until: u64, handle: &Handle) -> Result<Arc<dyn ReadAt>> {
        let Self { name, meta, .. } = self;
        let opened = self.open(until, handle);
        let inner = opened.map_err(|error| exec_datafusion_err!("{name}: {error}"))?;
        if inner.len() != meta.size {
            return exec_err!(
                "{name}: the file had {} bytes when the query was planned, but now has {}",
                meta.size,
                inner.len()
            );
        }
        Ok(inner)
    }
}

/// Counts the bytes that are read of a file, and fails reads once the query has ended.
struct CancellableFile {
    inner: Arc<dyn ReadAt>,
    batches: Sender<Result<RecordBatch>>,
    read: Count,
}

impl ReadAt for CancellableFile {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        if self.batches.is_closed() {
            return Err(io::Error::other("the query has ended"));
        }
        let count = self.inner.read_at(offset, buf)?;
        self.read.add(count);
        Ok(count)
    }
}

/// A file scan by a source, of groups of files in one store.
pub(crate) fn scan_files(
    store: ObjectStoreUrl,
    source: Arc<dyn FileSource>,
    groups: Vec<FileGroup>,
    projection: Option<Vec<usize>>,
    limit: Option<usize>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let config = FileScanConfigBuilder::new(store, source)
        .with_file_groups(groups)
        .with_limit(limit)
        .with_projection_indices(projection)?
        .build();
    Ok(DataSourceExec::from_data_source(config))
}

/// The file scan and its source, if the plan is a scan by a source of type `S`.
#[must_use]
pub fn file_scan<S: FileSource>(plan: &Arc<dyn ExecutionPlan>) -> Option<(&FileScanConfig, &S)> {
    let scan = plan.downcast_ref::<DataSourceExec>()?;
    let config = (scan.data_source().as_ref() as &dyn Any).downcast_ref::<FileScanConfig>()?;
    let source = (config.file_source().as_ref() as &dyn Any).downcast_ref::<S>()?;
    Some((config, source))
}
