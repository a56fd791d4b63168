//! Writes one Parquet file to an object store and computes a checksum of its bytes.

use super::Target;
use super::blocks::{Block, Blocks, row_bytes};
use crate::files::Location;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::buffered::BufWriter;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::errors::Result as ParquetResult;
use datafusion::parquet::file::metadata::KeyValue;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::file::writer::SerializedFileWriter;
use std::collections::VecDeque;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use xxhash_rust::xxh3::Xxh3;

/// A row group ends with the block that brings it to at least this many bytes of values, or this many rows.
pub(super) const ROW_GROUP_BYTES: u64 = 64 << 20;
const ROW_GROUP_ROWS: usize = 1 << 20;

/// A record of a written file.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    /// Location of the file.
    pub(crate) file: String,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    /// XXH3-64 of the file's bytes.
    pub(crate) checksum: u64,
}

/// A file that is being written. It appears in the store only after [`StepFile::finish`].
///
/// Each row group is encoded by a task of its own, several at a time, and their bytes are written in the order of the
/// rows: the file is the same for any number of tasks.
pub(super) struct StepFile {
    /// Holds the bytes that are not yet in the store.
    writer: SerializedFileWriter<Vec<u8>>,
    encoders: ArrowRowGroupWriterFactory,
    blocks: Blocks,
    /// The row group that gets the next block.
    open: Option<RowGroup>,
    /// The tasks of the complete row groups before it, in order.
    complete: VecDeque<Encoded>,
    tasks: NonZeroUsize,
    /// The number of row groups that were begun.
    begun: usize,
    store: BufWriter,
    file: String,
    hasher: Xxh3,
    bytes: u64,
    rows: u64,
}

/// The task that encodes a row group. It ends when there is no sender of blocks any more.
type Encoded = SpawnedTask<ParquetResult<Vec<ArrowColumnChunk>>>;

/// A row group that gets blocks.
struct RowGroup {
    blocks: mpsc::Sender<RecordBatch>,
    task: Encoded,
    rows: usize,
    bytes: u64,
}

impl StepFile {
    /// A file of the target's directory. At most `tasks` of its row groups are encoded at a time, whose rows are held in
    /// memory; with one task only two blocks are.
    pub(super) fn create(
        target: &Target,
        schema: &Schema,
        runtime: &RuntimeEnv,
        tasks: NonZeroUsize,
    ) -> Result<Self> {
        let name = format!("{}.parquet", uuid::Uuid::new_v4().simple());
        let file = Location::new(&target.directory)?.join(&name);
        let (store, path) = file.store(runtime)?;
        let metadata = target
            .metadata
            .iter()
            .map(|(key, value)| KeyValue::new(key.clone(), value.clone()))
            .collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .set_key_value_metadata(Some(metadata))
            .build();
        let blocks = Blocks::new(schema);
        let schema = Arc::clone(blocks.schema());
        let writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties))?;
        let (writer, encoders) = writer.into_serialized_writer()?;
        Ok(Self {
            writer,
            encoders,
            blocks,
            open: None,
            complete: VecDeque::new(),
            tasks,
            begun: 0,
            store: BufWriter::new(store, path),
            file: file.to_string(),
            hasher: Xxh3::new(),
            bytes: 0,
            rows: 0,
        })
    }

    pub(super) async fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.rows += batch.num_rows() as u64;
        let sizes = row_bytes(batch);
        let mut begin = 0;
        while begin < batch.num_rows() {
            let rest = batch.slice(begin, batch.num_rows() - begin);
            let (taken, block) = self.blocks.take(&rest, &sizes[begin..])?;
            begin += taken;
            if let Some(block) = block {
                self.write_block(block).await?;
            }
        }
        Ok(())
    }

    async fn write_block(&mut self, block: Block) -> Result<()> {
        let mut group = match self.open.take() {
            Some(group) => group,
            None => self.begin_group()?,
        };
        group.rows += block.rows.num_rows();
        group.bytes += block.bytes;
        // A task that has failed takes no blocks, and its error is that of its row group.
        let has_failed = group.blocks.send(block.rows).await.is_err();
        if !has_failed && group.rows < ROW_GROUP_ROWS && group.bytes < ROW_GROUP_BYTES {
            self.open = Some(group);
            return Ok(());
        }
        let RowGroup { blocks, task, .. } = group;
        drop(blocks);
        self.complete.push_back(task);
        let others = match has_failed {
            true => 0,
            false => self.tasks.get() - 1,
        };
        self.write_groups(others).await
    }

    fn begin_group(&mut self) -> Result<RowGroup> {
        let columns = self.encoders.create_column_writers(self.begun)?;
        self.begun += 1;
        let waiting = match self.tasks.get() {
            1 => 1,
            _ => ROW_GROUP_ROWS,
        };
        let (blocks, received) = mpsc::channel(waiting);
        Ok(RowGroup {
            blocks,
            task: SpawnedTask::spawn(encoded(columns, received)),
            rows: 0,
            bytes: 0,
        })
    }

    /// Writes complete row groups until this number of them is left.
    async fn write_groups(&mut self, left: usize) -> Result<()> {
        while self.complete.len() > left {
            let Some(task) = self.complete.pop_front() else {
                break;
            };
            let columns = task.join().await;
            let columns =
                columns.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?;
            let columns = columns.map_err(|error| named(&self.file, error))?;
            let mut group = self.writer.next_row_group()?;
            for column in columns {
                column.append_to_row_group(&mut group)?;
            }
            group.close()?;
            self.write_bytes().await?;
        }
        Ok(())
    }

    /// Moves the bytes that are there to the store.
    async fn write_bytes(&mut self) -> Result<()> {
        let bytes = std::mem::take(self.writer.inner_mut());
        self.hasher.update(&bytes);
        self.bytes += bytes.len() as u64;
        let written = self.store.put(bytes.into()).await;
        written.map_err(|error| named(&self.file, error))
    }

    pub(super) async fn finish(mut self) -> Result<Written> {
        if let Some(block) = self.blocks.finish()? {
            self.write_block(block).await?;
        }
        self.complete
            .extend(self.open.take().map(|group| group.task));
        self.write_groups(0).await?;
        self.writer.finish()?;
        self.write_bytes().await?;
        let closed = self.store.shutdown().await;
        closed.map_err(|error| named(&self.file, error))?;
        Ok(Written {
            file: self.file,
            rows: self.rows,
            bytes: self.bytes,
            checksum: self.hasher.digest(),
        })
    }
}

/// The column chunks of a row group of these blocks.
async fn encoded(
    mut columns: Vec<ArrowColumnWriter>,
    mut blocks: mpsc::Receiver<RecordBatch>,
) -> ParquetResult<Vec<ArrowColumnChunk>> {
    while let Some(block) = blocks.recv().await {
        let schema = block.schema();
        let mut columns = columns.iter_mut();
        for (field, values) in schema.fields().iter().zip(block.columns()) {
            let leaves = compute_leaves(field, values)?;
            for (leaf, column) in leaves.iter().zip(&mut columns) {
                column.write(leaf)?;
            }
        }
    }
    columns.into_iter().map(ArrowColumnWriter::close).collect()
}

/// Prefixes an error with the name of the file, which errors of the operating system often lack.
fn named(file: &str, error: impl Display) -> DataFusionError {
    exec_datafusion_err!("{file}: {error}")
}

/// Writes a file without rows, so that the schema of a step without rows is known.
pub(crate) async fn write_empty(
    target: &Target,
    schema: &Schema,
    runtime: &RuntimeEnv,
) -> Result<Written> {
    let file = StepFile::create(target, schema, runtime, NonZeroUsize::MIN)?;
    file.finish().await
}
