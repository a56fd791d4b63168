//! Decodes a file: one thread reads its rows, at most one batch ahead of the consumer.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use futures::stream::{BoxStream, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;

use super::options::{RecordFormat, RecordOptions};
use super::{input, json, separated};
use crate::files::StoredFile;

/// Capacity of the queue of batches between the decoding thread and the consumer.
const QUEUED_BATCHES: usize = 1;
/// Number of bytes of a file after which a batch is full.
pub(super) const BATCH_BYTES: usize = 8 << 20;

/// Some rows of a file, in its order.
pub(super) struct Chunk {
    pub(super) rows: usize,
    /// The wanted columns.
    pub(super) columns: Vec<ArrayRef>,
}

/// One file to be read.
pub(super) struct Decode {
    pub(super) file: StoredFile,
    pub(super) options: RecordOptions,
    /// All columns of the file, and after them the index of the row.
    pub(super) schema: SchemaRef,
    /// Whether the last column of the schema is the index of the row.
    pub(super) numbered: bool,
    /// Indexes of the projected columns in the schema.
    pub(super) columns: Vec<usize>,
    /// Maximum number of rows of a batch.
    pub(super) max_rows: usize,
    pub(super) metrics: ExecutionPlanMetricsSet,
    pub(super) partition: usize,
}

type Batches = Sender<Result<RecordBatch>>;

enum Rows {
    Separated(Box<separated::Rows>),
    Json(Box<json::Rows>),
}

impl Decode {
    /// Starts the thread. It ends when the stream is dropped.
    pub(super) fn start(self, handle: Handle) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let schema = Arc::new(self.schema.project(&self.columns)?);
        let mut builder = RecordBatchReceiverStream::builder(Arc::clone(&schema), QUEUED_BATCHES);
        let batches = builder.tx();
        builder.spawn_blocking(move || {
            let outcome = self.read(schema, &batches, &handle);
            // The consumer is gone, so the cancellation error is not needed.
            if batches.is_closed() { Ok(()) } else { outcome }
        });
        Ok(builder.build().boxed())
    }

    fn read(&self, schema: SchemaRef, batches: &Batches, handle: &Handle) -> Result<()> {
        let number = self.numbered.then(|| self.schema.fields().len() - 1);
        let file_columns: Vec<usize> = (0..number.unwrap_or(self.schema.fields().len())).collect();
        let file_schema = self.schema.project(&file_columns)?;
        let mut wanted = self.columns.clone();
        wanted.retain(|column| Some(*column) != number);
        let waiting = batches.clone();
        let read = MetricBuilder::new(&self.metrics).counter("bytes_scanned", self.partition);
        let input = input::open(
            &self.file,
            &self.options,
            handle,
            Box::new(move || !waiting.is_closed()),
            Some(read),
        )?;
        let name = &self.file.name;
        let mut rows = match self.options.format {
            RecordFormat::Separated(separator) => {
                let fields = separated::Fields::new(name, input, separator);
                let rows =
                    separated::Rows::open(name, fields, &file_schema, &wanted, self.max_rows)?;
                Rows::Separated(Box::new(rows))
            }
            RecordFormat::Json => {
                let rows = json::Rows::open(name, input, &file_schema, &wanted, self.max_rows)?;
                Rows::Json(Box::new(rows))
            }
        };
        let mut before = 0;
        loop {
            let chunk = match &mut rows {
                Rows::Separated(rows) => rows.next()?,
                Rows::Json(rows) => rows.next()?,
            };
            let Some(Chunk { rows, columns }) = chunk else {
                return Ok(());
            };
            let mut values = columns.into_iter();
            let end = before + rows as i64;
            let columns = self.columns.iter().filter_map(|column| match number {
                Some(number) if number == *column => {
                    Some(Arc::new(Int64Array::from_iter_values(before..end)) as ArrayRef)
                }
                _ => values.next(),
            });
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            let batch = RecordBatch::try_new_with_options(
                Arc::clone(&schema),
                columns.collect(),
                &options,
            )?;
            before = end;
            if batches.blocking_send(Ok(batch)).is_err() {
                return Ok(());
            }
        }
    }
}
