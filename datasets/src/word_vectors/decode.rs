//! What a partition does with a file: a thread decodes it, and stays at most a batch ahead.

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

/// Batches that wait for who reads the stream.
const QUEUED_BATCHES: usize = 1;

/// How many numbers the vectors of a file have, from its first bytes.
pub(super) fn inspect(
    file: &StoredFile,
    options: WordVectorOptions,
    handle: &Handle,
) -> Result<usize, VectorError> {
    let source = file.open(0, handle)?;
    VectorReader::dimension_of(source, options.format)
}

/// An error that names the file. It is a text: on a cluster nothing else comes back from a task.
pub(super) fn failure(file: &StoredFile, error: &VectorError) -> DataFusionError {
    DataFusionError::Execution(format!("{}: {error}", file.name))
}

/// One file to be read.
pub(super) struct Decode {
    pub(super) file: StoredFile,
    pub(super) options: WordVectorOptions,
    /// Places of the wanted columns in the schema.
    pub(super) columns: Vec<usize>,
    /// Rows of a batch.
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
            // Nobody waits for the error that being cancelled is.
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
            // If nobody takes it, nobody misses it.
            let _ = batches.blocking_send(rows.finish());
        }
        Ok(())
    }
}

/// Bytes of a file, counted; reading ends when nobody waits for batches.
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
