//! The rows of the join, ordered by the lengths of their sets: in memory, or on disk in runs.
//!
//! Rows arrive in any order. If memory is short, those held are written as a run: sorted by length, and cut into
//! segments that can be read one by one. Each row is written at most once.

use super::columns::Columns;
use crate::operators::similar_pairs::spool::compact;
use crate::operators::spilling::{spill_manager, spillable_memory};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::interleave_record_batch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, SpillFile, TaskContext};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::spill::{SpillManager, get_record_batch_memory_size};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, TryStreamExt, stream};
use neardup_kernels::pairs::{KeyPart, Role};
use std::sync::Arc;

/// A run is cut into about this many segments, of bytes within the bounds.
const SEGMENTS: usize = 64;
const MIN_SEGMENT: usize = 64 << 10;
const MAX_SEGMENT: usize = 1 << 20;

/// Rows whose sets have similar lengths.
#[derive(Debug)]
pub(super) struct Segment {
    /// Whether the home of its rows is another part; no segment has rows of both kinds.
    pub(super) visits: bool,
    /// The smallest and the largest length of a set.
    pub(super) lengths: (u64, u64),
    /// All rows.
    pub(super) all: Sizes,
    /// An upper bound of the rows that have a key which other rows have: all rows, until they are counted.
    pub(super) kept: Sizes,
    /// Bytes of the rows as they are held.
    pub(super) bytes: usize,
    pub(super) data: Data,
}

/// Numbers of rows, of their keys, of those keys at which the rows are found, and of their tokens.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) keys: usize,
    pub(super) compared: usize,
    pub(super) tokens: usize,
}

/// Where the rows of a segment are.
pub(super) enum Data {
    /// The batch and the row of each.
    Held(Vec<(u32, u32)>),
    Spilled(Arc<dyn SpillFile>),
}

impl std::fmt::Debug for Data {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Held(_) => "Held",
            Self::Spilled(_) => "Spilled",
        })
    }
}

/// All rows.
pub(super) struct Store {
    schema: SchemaRef,
    /// The part whose rows these are, if there are several.
    part: Option<KeyPart>,
    manager: SpillManager,
    /// The bytes of the rows in memory; none once all rows are on disk, so that others that spill share what is left.
    memory: Option<MemoryReservation>,
    /// The rows in memory.
    batches: Vec<RecordBatch>,
    pub(super) columns: Vec<Columns>,
    pool: Arc<dyn MemoryPool>,
    /// Segments on disk; after [`Store::finish`] all of them: those whose home is the part, then the others,
    /// each in ascending order of lengths.
    pub(super) segments: Vec<Segment>,
    batch_size: usize,
}

impl Store {
    pub(super) fn new(
        schema: SchemaRef,
        part: Option<KeyPart>,
        context: &TaskContext,
        metrics: SpillMetrics,
    ) -> Self {
        Self {
            manager: spill_manager(context, metrics, Arc::clone(&schema)),
            schema,
            part,
            memory: Some(spillable_memory(context, "similar_pairs rows")),
            pool: Arc::clone(context.memory_pool()),
            batches: Vec::new(),
            columns: Vec::new(),
            segments: Vec::new(),
            batch_size: context.session_config().batch_size(),
        }
    }

    /// Adds rows.
    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let batch = compact(batch)?;
        // Sorting takes a length and the indices of each row.
        let bytes = get_record_batch_memory_size(&batch) + 24 * batch.num_rows();
        let mut fits = self.reserve(bytes);
        if !fits {
            self.spill()?;
            fits = self.reserve(bytes);
        }
        self.columns.push(Columns::of(&batch, self.part)?);
        self.batches.push(batch);
        match fits {
            true => Ok(()),
            // The batch is in memory already: until it is spilled, it is held beyond the limit.
            false => self.spill(),
        }
    }

    /// The number of batches in memory.
    pub(super) fn batches(&self) -> usize {
        self.batches.len()
    }

    /// Leaves out keys of the rows of a batch in memory. The sizes of segments stay, as upper bounds.
    pub(super) fn retain_keys(
        &mut self,
        batch: usize,
        is_kept: impl Fn(u64) -> bool,
    ) -> Result<()> {
        let before = &self.batches[batch];
        let after = self.columns[batch].retain_keys(before, is_kept)?;
        let [bytes, fewer] = [before, &after].map(get_record_batch_memory_size);
        self.columns[batch] = Columns::of(&after, self.part)?;
        self.batches[batch] = after;
        if let Some(memory) = &self.memory {
            memory.shrink(bytes.saturating_sub(fewer).min(memory.size()));
        }
        Ok(())
    }

    /// Whether this number of bytes more is reserved.
    fn reserve(&self, bytes: usize) -> bool {
        let memory = self.memory.as_ref();
        memory.is_some_and(|memory| memory.try_grow(bytes).is_ok())
    }

    /// The schema of the rows.
    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The type of ids.
    pub(super) fn id_type(&self) -> &DataType {
        self.schema.field(0).data_type()
    }

    /// An upper bound of the keys at which rows are compared.
    pub(super) fn keys(&self) -> usize {
        self.segments.iter().map(|segment| segment.all.keys).sum()
    }

    /// The part whose rows these are, if there are several.
    pub(super) fn part(&self) -> Option<KeyPart> {
        self.part
    }

    /// Whether rows are in memory.
    pub(super) fn is_held(&self) -> bool {
        !self.batches.is_empty()
    }

    /// Bytes of the rows in memory.
    pub(super) fn memory(&self) -> usize {
        self.memory.as_ref().map_or(0, MemoryReservation::size)
    }

    /// Writes the rows in memory to disk.
    pub(super) fn spill(&mut self) -> Result<()> {
        self.segments
            .retain(|segment| matches!(segment.data, Data::Spilled(_)));
        for mut segment in self.cut() {
            let Data::Held(indices) = &segment.data else {
                continue;
            };
            let mut file = self.manager.create_in_progress_file("similar_pairs")?;
            let batches: Vec<&RecordBatch> = self.batches.iter().collect();
            for indices in indices.chunks(self.batch_size) {
                let indices: Vec<_> = indices
                    .iter()
                    .map(|&(batch, row)| (batch as usize, row as usize))
                    .collect();
                file.append_batch(&interleave_record_batch(&batches, &indices)?)?;
            }
            if let Some(file) = file.finish()? {
                segment.data = Data::Spilled(file);
                self.segments.push(segment);
            }
        }
        self.batches.clear();
        self.columns.clear();
        if let Some(memory) = &self.memory {
            memory.free();
        }
        Ok(())
    }

    /// The rows in memory as segments.
    fn cut(&self) -> Vec<Segment> {
        let mut indices = Vec::new();
        for (batch, columns) in self.columns.iter().enumerate() {
            let lengths = columns.lengths.values().iter().enumerate();
            indices.extend(lengths.map(|(row, &length)| {
                let visits = columns.role(row) != Role::Home;
                (visits, length, batch as u32, row as u32)
            }));
        }
        indices.sort_unstable();
        let bytes: usize = self.batches.iter().map(get_record_batch_memory_size).sum();
        let row_bytes = bytes / indices.len().max(1);
        let max_bytes = (bytes / SEGMENTS).clamp(MIN_SEGMENT, MAX_SEGMENT);
        let mut segments: Vec<Segment> = Vec::new();
        for (visits, length, batch, row) in indices {
            let columns = &self.columns[batch as usize];
            let (keys, text) = columns.sizes(row as usize);
            let compared = match self.part {
                None => keys,
                Some(part) => {
                    let role = columns.role(row as usize);
                    let keys = columns.keys(row as usize).iter();
                    keys.filter(|&&key| part.indexes(role, key)).count()
                }
            };
            let bytes = row_bytes.max(8 * keys + text);
            let segment = match segments.last_mut() {
                Some(segment) if segment.visits == visits && segment.bytes + bytes <= max_bytes => {
                    segment
                }
                _ => {
                    segments.push(Segment {
                        visits,
                        lengths: (length, length),
                        all: Sizes::default(),
                        kept: Sizes::default(),
                        bytes: 0,
                        data: Data::Held(Vec::new()),
                    });
                    let last = segments.len() - 1;
                    &mut segments[last]
                }
            };
            segment.lengths.1 = length;
            segment.all.rows += 1;
            segment.all.keys += keys;
            segment.all.compared += compared;
            segment.all.tokens += length as usize;
            segment.kept = segment.all;
            segment.bytes += bytes;
            if let Data::Held(indices) = &mut segment.data {
                indices.push((batch, row));
            }
        }
        segments
    }

    /// Call this after the last row: then segments can be read.
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.segments.is_empty() {
            self.segments = self.cut();
        } else if self.is_held() {
            self.spill()?;
        }
        // Rows that stay in memory do not count among those whose operator spills them on request: these would be
        // granted memory that is not there.
        let held = self.memory.take().map(|memory| memory.size());
        if let (true, Some(bytes)) = (self.is_held(), held) {
            let memory = MemoryConsumer::new("similar_pairs rows").register(&self.pool);
            memory.grow(bytes);
            self.memory = Some(memory);
        }
        self.segments
            .sort_by_key(|segment| (segment.visits, segment.lengths));
        Ok(())
    }

    /// The rows of a segment on disk.
    pub(super) fn read(&self, file: &Arc<dyn SpillFile>) -> Result<SendableRecordBatchStream> {
        (self.manager).read_spill_as_stream_unbuffered(Arc::clone(file), None)
    }

    /// All rows, in any order.
    pub(super) fn scan(self: &Arc<Self>) -> SendableRecordBatchStream {
        let held: Vec<_> = self.batches.iter().cloned().map(Ok).collect();
        let files: Vec<_> = (self.segments.iter())
            .filter_map(|segment| match &segment.data {
                Data::Spilled(file) => Some(Arc::clone(file)),
                Data::Held(_) => None,
            })
            .collect();
        let store = Arc::clone(self);
        let spilled = stream::iter(files)
            .then(move |file| {
                let read = store.read(&file);
                async move { read }
            })
            .try_flatten();
        let all = stream::iter(held).chain(spilled);
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), all))
    }
}
