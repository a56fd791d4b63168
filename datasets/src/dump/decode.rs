//! What a partition does with a range: a thread decodes it, and stays at most a batch ahead.

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

/// Batches that wait for who reads the stream.
const WAITING: usize = 1;

/// One range of one file to be read.
pub(super) struct Decode {
    pub(super) file: StoredFile,
    pub(super) range: Range<u64>,
    pub(super) site: Arc<SiteInfo>,
    pub(super) site_columns: SiteColumns,
    pub(super) options: Arc<DumpOptions>,
    /// Places of the wanted columns in the schema.
    pub(super) columns: Vec<usize>,
    /// Rows of a batch.
    pub(super) most_rows: usize,
    pub(super) metrics: ExecutionPlanMetricsSet,
    pub(super) partition: usize,
    pub(super) losses: LossLog,
}

type Batches = Sender<Result<RecordBatch>>;

impl Decode {
    /// Starts the thread. It ends when the stream is dropped.
    pub(super) fn start(self, handle: Handle) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let schema = Arc::new(dump_schema().project(&self.columns)?);
        let mut builder = RecordBatchReceiverStream::builder(schema, WAITING);
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
        let source = Watched {
            inner,
            batches: batches.clone(),
            read: MetricBuilder::new(&self.metrics).counter("bytes_scanned", self.partition),
        };
        let site = Arc::clone(&self.site);
        let mut reader =
            DumpReader::open(Arc::new(source), self.range.clone(), site, options).map_err(fail)?;
        let mut rows = BatchBuilder::new(&self.columns, self.site_columns.clone(), self.most_rows)?;
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
            // Nobody waits for the rest, or for the error that being cancelled is.
            return Ok(());
        }
        if !rows.is_empty() {
            // If nobody takes it, nobody misses it.
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

/// Bytes of a file, counted; reading ends when nobody waits for batches.
struct Watched {
    inner: Arc<dyn ReadAt>,
    batches: Batches,
    read: Count,
}

impl ReadAt for Watched {
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
