//! Decodes a file: one thread decodes it, at most one batch ahead of the consumer.

use std::io;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::common::{DataFusionError, Result, exec_err};
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use futures::stream::{BoxStream, StreamExt};
use neardup_wikidump::ReadAt;
use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;

use super::columns::{BatchBuilder, word_vector_schema};
use super::format::{VectorError, VectorReader};
use super::options::WordVectorOptions;
use crate::files::StoredFile;

/// Capacity of the queue of batches between the decoding thread and the consumer.
const QUEUED_BATCHES: usize = 1;

/// The dimension of the vectors of a file, read from its first bytes.
pub(super) fn inspect(
    file: &StoredFile,
    options: WordVectorOptions,
    handle: &Handle,
) -> Result<usize, VectorError> {
    let source = file.open(0, handle)?;
    VectorReader::dimension_of(source, options.format)
}

/// An error that names the file. It is formatted as text, because a cluster returns nothing else from a task.
pub(super) fn failure(file: &StoredFile, error: &VectorError) -> DataFusionError {
    DataFusionError::Execution(format!("{}: {error}", file.name))
}

/// One file to be read.
pub(super) struct Decode {
    pub(super) file: StoredFile,
    pub(super) options: WordVectorOptions,
    /// Indexes of the projected columns in the schema.
    pub(super) columns: Vec<usize>,
    /// Maximum number of rows of a batch.
    pub(super) max_rows: usize,
    pub(super) metrics: ExecutionPlanMetricsSet,
    pub(super) partition: usize,
}

type Batches = Sender<Result<RecordBatch>>;

impl Decode {
    /// Starts the thread. It ends when the stream is dropped.
    pub(super) fn start(self, handle: Handle) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let schema = Arc::new(word_vector_schema().project(&self.columns)?);
        let mut builder = RecordBatchReceiverStream::builder(schema, QUEUED_BATCHES);
        let batches = builder.tx();
        builder.spawn_blocking(move || self.run(&batches, &handle));
        Ok(builder.build().boxed())
    }

    fn run(self, batches: &Batches, handle: &Handle) -> Result<()> {
        let outcome = self.read(batches, handle);
        if batches.is_closed() {
            // The consumer is gone, so the cancellation error is not needed.
            return Ok(());
        }
        outcome
    }

    fn read(&self, batches: &Batches, handle: &Handle) -> Result<()> {
        let fail = |error: VectorError| failure(&self.file, &error);
        let until = self.file.meta.size;
        let inner = self
            .file
            .open(until, handle)
            .map_err(|error| fail(error.into()))?;
        if inner.len() != until {
            return exec_err!(
                "{}: the file had {until} bytes when the query was planned, and has {}",
                self.file.name,
                inner.len()
            );
        }
        let source = CancellableSource {
            inner,
            batches: batches.clone(),
            read: MetricBuilder::new(&self.metrics).counter("bytes_scanned", self.partition),
        };
        let WordVectorOptions { format, on_error } = self.options;
        let mut reader = VectorReader::open(Arc::new(source), format, on_error).map_err(fail)?;
        let mut rows = BatchBuilder::new(&self.columns, reader.dimension(), self.max_rows)?;
        while let Some(word) = reader.next(rows.numbers()).map_err(fail)? {
            rows.push(word);
            if rows.is_full() && batches.blocking_send(rows.finish()).is_err() {
                return Ok(());
            }
        }
        if reader.skipped() > 0 {
            let skipped = reader.skipped();
            MetricBuilder::new(&self.metrics)
                .counter("skipped_rows", self.partition)
                .add(usize::try_from(skipped).unwrap_or(usize::MAX));
            log::warn!(
                "{}: left out {skipped} rows that cannot be read",
                self.file.name
            );
        }
        if !rows.is_empty() {
            // A closed channel means that the consumer is gone.
            let _ = batches.blocking_send(rows.finish());
        }
        Ok(())
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
