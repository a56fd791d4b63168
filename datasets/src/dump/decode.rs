//! Decodes a range of a dump: one thread decodes it, at most one batch ahead of the consumer.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::{Result, exec_err};
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use futures::stream::{BoxStream, StreamExt};
use neardup_wikidump::{DumpReader, Losses, ReadAt, SiteInfo};
use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;

use super::columns::{BatchBuilder, SiteColumns, dump_schema, index};
use super::losses::LossLog;
use super::options::DumpOptions;
use super::ranges::{failure, open};
use crate::files::StoredFile;

/// Capacity of the queue of batches between the decoding thread and the consumer.
const QUEUED_BATCHES: usize = 1;

/// One range of one file to be read.
pub(super) struct Decode {
    pub(super) file: StoredFile,
    pub(super) range: Range<u64>,
    pub(super) site: Arc<SiteInfo>,
    pub(super) site_columns: SiteColumns,
    pub(super) options: Arc<DumpOptions>,
    /// Indexes of the projected columns in the schema.
    pub(super) columns: Vec<usize>,
    /// Maximum number of rows of a batch.
    pub(super) max_rows: usize,
    pub(super) metrics: ExecutionPlanMetricsSet,
    pub(super) partition: usize,
    pub(super) losses: LossLog,
}

type Batches = Sender<Result<RecordBatch>>;

impl Decode {
    /// Starts the thread. It ends when the stream is dropped.
    pub(super) fn start(self, handle: Handle) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let schema = Arc::new(dump_schema().project(&self.columns)?);
        let mut builder = RecordBatchReceiverStream::builder(schema, QUEUED_BATCHES);
        let batches = builder.tx();
        builder.spawn_blocking(move || self.run(&batches, &handle));
        Ok(builder.build().boxed())
    }

    fn run(self, batches: &Batches, handle: &Handle) -> Result<()> {
        let fail = |error| failure(&self.file, error);
        let wants = |column| self.columns.contains(&column);
        let options = self.options.reader(
            wants(index::WIKITEXT),
            wants(index::KIND) || wants(index::REDIRECT),
        );
        let inner = open(&self.file, self.range.end, handle).map_err(fail)?;
        if inner.len() != self.file.meta.size {
            let Self { file, .. } = &self;
            let (then, now) = (file.meta.size, inner.len());
            return exec_err!(
                "{}: the file had {then} bytes when the query was planned, and has {now}",
                file.name
            );
        }
        let source = CancellableSource {
            inner,
            batches: batches.clone(),
            read: MetricBuilder::new(&self.metrics).counter("bytes_scanned", self.partition),
        };
        let site = Arc::clone(&self.site);
        let mut reader =
            DumpReader::open(Arc::new(source), self.range.clone(), site, options).map_err(fail)?;
        let mut rows = BatchBuilder::new(&self.columns, self.site_columns.clone(), self.max_rows)?;
        let mut outcome = Ok(());
        for page in reader.by_ref() {
            match page {
                Ok(page) => rows.push(&page),
                Err(error) => {
                    outcome = Err(fail(error));
                    break;
                }
            }
            if rows.is_full() && batches.blocking_send(rows.finish()).is_err() {
                break;
            }
        }
        self.report(reader.losses());
        if batches.is_closed() {
            // The consumer is gone: neither the remaining rows nor the cancellation error are needed.
            return Ok(());
        }
        if !rows.is_empty() {
            // A closed channel means that the consumer is gone.
            let _ = batches.blocking_send(rows.finish());
        }
        outcome
    }

    fn report(&self, losses: &Losses) {
        if *losses == Losses::default() {
            return;
        }
        self.losses.add(&self.file.name, losses);
        for (name, count) in [
            ("skipped_blocks", losses.blocks),
            ("skipped_bytes", losses.bytes),
            ("skipped_pages", losses.pages()),
            ("skipped_fields", losses.fields),
            ("stray_page_tags", losses.pages_stray),
        ] {
            if count > 0 {
                let counter = MetricBuilder::new(&self.metrics).counter(name, self.partition);
                counter.add(usize::try_from(count).unwrap_or(usize::MAX));
            }
        }
        if !losses.is_empty() {
            let Range { start, end } = self.range;
            log::warn!("{}: bytes {start} to {end}: {losses}", self.file.name);
        }
    }
}

/// Counts the bytes that are read of a file, and fails reads once the consumer of the batches is gone.
struct CancellableSource {
    inner: Arc<dyn ReadAt>,
    batches: Batches,
    read: Count,
}

impl ReadAt for CancellableSource {
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
