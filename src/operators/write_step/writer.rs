//! Writes one Parquet file to an object store and computes a checksum of its bytes.

use super::Target;
use super::blocks::{Block, Blocks, row_bytes};
use crate::files::Location;
use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::buffered::BufWriter;
use datafusion::parquet::arrow::AsyncArrowWriter;
use datafusion::parquet::arrow::async_writer::AsyncFileWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::metadata::KeyValue;
use datafusion::parquet::file::properties::WriterProperties;
use futures::FutureExt;
use futures::future::BoxFuture;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use xxhash_rust::xxh3::Xxh3;

/// A row group ends with the block that brings it to at least this many bytes of values.
const ROW_GROUP_BYTES: u64 = 64 << 20;

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

/// Counts and hashes the bytes that are written.
struct HashingWriter<W> {
    inner: W,
    hasher: Arc<Mutex<Xxh3>>,
    bytes: Arc<AtomicU64>,
}

impl<W: AsyncFileWriter> AsyncFileWriter for HashingWriter<W> {
    fn write(&mut self, data: Bytes) -> BoxFuture<'_, ParquetResult<()>> {
        if let Ok(mut hasher) = self.hasher.lock() {
            hasher.update(&data);
        }
        self.bytes.fetch_add(data.len() as u64, Ordering::Relaxed);
        self.inner.write(data)
    }

    fn complete(&mut self) -> BoxFuture<'_, ParquetResult<()>> {
        self.inner.complete().boxed()
    }
}

/// A file that is being written. It appears in the store only after [`StepFile::finish`].
pub(super) struct StepFile {
    writer: AsyncArrowWriter<HashingWriter<BufWriter>>,
    blocks: Blocks,
    /// Bytes of the row group that is being written.
    group_bytes: u64,
    file: String,
    hasher: Arc<Mutex<Xxh3>>,
    bytes: Arc<AtomicU64>,
    rows: u64,
}

impl StepFile {
    pub(super) fn create(target: &Target, schema: SchemaRef, runtime: &RuntimeEnv) -> Result<Self> {
        let name = format!("{}.parquet", uuid::Uuid::new_v4().simple());
        let file = Location::new(&target.directory)?.join(&name);
        let (store, path) = file.store(runtime)?;
        let hasher = Arc::new(Mutex::new(Xxh3::new()));
        let bytes = Arc::new(AtomicU64::new(0));
        let tally = HashingWriter {
            inner: BufWriter::new(store, path),
            hasher: Arc::clone(&hasher),
            bytes: Arc::clone(&bytes),
        };
        let metadata = target
            .metadata
            .iter()
            .map(|(key, value)| KeyValue::new(key.clone(), value.clone()))
            .collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .set_key_value_metadata(Some(metadata))
            .build();
        let blocks = Blocks::new(&schema);
        let schema = Arc::clone(blocks.schema());
        let writer = AsyncArrowWriter::try_new(tally, schema, Some(properties))?;
        Ok(Self {
            writer,
            blocks,
            group_bytes: 0,
            file: file.to_string(),
            hasher,
            bytes,
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
        let written = self.writer.write(&block.rows).await;
        written.map_err(|error| named(&self.file, error))?;
        self.group_bytes += block.bytes;
        if self.group_bytes >= ROW_GROUP_BYTES {
            let flushed = self.writer.flush().await;
            flushed.map_err(|error| named(&self.file, error))?;
            self.group_bytes = 0;
        }
        Ok(())
    }

    pub(super) async fn finish(mut self) -> Result<Written> {
        if let Some(block) = self.blocks.finish()? {
            self.write_block(block).await?;
        }
        let closed = self.writer.close().await;
        closed.map_err(|error| named(&self.file, error))?;
        let checksum = self
            .hasher
            .lock()
            .map(|hasher| hasher.digest())
            .unwrap_or_default();
        Ok(Written {
            file: self.file,
            rows: self.rows,
            bytes: self.bytes.load(Ordering::Relaxed),
            checksum,
        })
    }
}

/// Prefixes an error with the name of the file, which errors of the operating system often lack.
fn named(file: &str, error: ParquetError) -> DataFusionError {
    match error {
        ParquetError::External(error) => exec_datafusion_err!("{file}: {error}"),
        error => exec_datafusion_err!("{file}: {error}"),
    }
}

/// Writes a file without rows, so that the schema of a step without rows is known.
pub(crate) async fn write_empty(
    target: &Target,
    schema: SchemaRef,
    runtime: &RuntimeEnv,
) -> Result<Written> {
    StepFile::create(target, schema, runtime)?.finish().await
}
