//! Buffers the rows of several parts until they are joined: in memory in arrival order, and if memory is short in runs
//! on disk that are sorted by part. The parts are then read one after the other.

use super::Spec;
use super::input::{PartRows, rows_by_part};
use crate::operators::spilling::{spill_manager, spillable_memory};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::interleave_record_batch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::spill::{SpillManager, get_record_batch_memory_size};
use futures::StreamExt;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Upper bound of the bytes of a batch on disk.
const MAX_BATCH_BYTES: usize = 32 << 20;

/// The rows of a task, by part.
pub(super) struct Spool {
    spec: Spec,
    manager: SpillManager,
    memory: MemoryReservation,
    /// The batches in memory.
    batches: Vec<RecordBatch>,
    /// For each part the batch and row indices of its rows in `batches`.
    positions: BTreeMap<u32, Vec<(usize, usize)>>,
    runs: Vec<Run>,
    batch_size: usize,
}

/// A run on disk: each batch has rows of one part, and the parts are ascending.
struct Run {
    /// The parts of the batches that are not read yet.
    parts: VecDeque<u32>,
    batches: SendableRecordBatchStream,
}

impl Spool {
    pub(super) fn new(
        spec: &Spec,
        schema: SchemaRef,
        context: &TaskContext,
        metrics: SpillMetrics,
    ) -> Self {
        Self {
            spec: spec.clone(),
            manager: spill_manager(context, metrics, schema),
            memory: spillable_memory(context, "similar_pairs spool"),
            batches: Vec::new(),
            positions: BTreeMap::new(),
            runs: Vec::new(),
            batch_size: context.session_config().batch_size(),
        }
    }

    /// Adds a batch. Rows that cannot be in a pair are left out.
    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = compact(batch)?;
        let bytes =
            get_record_batch_memory_size(&batch) + batch.num_rows() * size_of::<(usize, usize)>();
        let mut fits = self.memory.try_grow(bytes).is_ok();
        if !fits {
            self.spill()?;
            fits = self.memory.try_grow(bytes).is_ok();
        }
        for (part, rows) in rows_by_part(&self.spec, &batch)? {
            let positions = rows.into_iter().map(|row| (self.batches.len(), row));
            self.positions.entry(part).or_default().extend(positions);
        }
        self.batches.push(batch);
        match fits {
            true => Ok(()),
            // The batch is in memory already: until it is spilled, it is held beyond the limit.
            false => self.spill(),
        }
    }

    /// Writes the rows in memory to disk, as one run.
    pub(super) fn spill(&mut self) -> Result<()> {
        let mut file = self.manager.create_in_progress_file("similar_pairs")?;
        let batches: Vec<&RecordBatch> = self.batches.iter().collect();
        let row_bytes: Vec<usize> = batches
            .iter()
            .map(|batch| get_record_batch_memory_size(batch) / batch.num_rows().max(1))
            .collect();
        let mut parts = VecDeque::new();
        for (part, positions) in std::mem::take(&mut self.positions) {
            let mut rest = positions.as_slice();
            while !rest.is_empty() {
                let (now, later) = rest.split_at(self.rows_of_batch(&row_bytes, rest));
                file.append_batch(&interleave_record_batch(&batches, now)?)?;
                parts.push_back(part);
                rest = later;
            }
        }
        self.batches.clear();
        self.memory.free();
        if let Some(file) = file.finish()? {
            let batches = self.manager.read_spill_as_stream_unbuffered(file, None)?;
            self.runs.push(Run { parts, batches });
        }
        Ok(())
    }

    /// How many of the rows go into one batch. Besides the number of rows it limits the bytes, because even a batch of
    /// few rows can have more bytes than the 32-bit offsets of its columns can address.
    fn rows_of_batch(&self, row_bytes: &[usize], positions: &[(usize, usize)]) -> usize {
        let mut bytes = 0;
        let fits = |position: &&(usize, usize)| {
            bytes += row_bytes[position.0];
            bytes <= MAX_BATCH_BYTES
        };
        let fitting = positions.iter().take(self.batch_size).take_while(fits);
        fitting.count().max(1)
    }

    /// Whether there are rows in memory that could be spilled.
    pub(super) fn holds_rows(&self) -> bool {
        !self.batches.is_empty()
    }

    /// Call this after the last row: then parts can be taken.
    pub(super) fn finish(&mut self) -> Result<()> {
        match self.runs.is_empty() {
            true => Ok(()),
            false => self.spill(),
        }
    }

    /// The rows of the lowest remaining part, whose bytes are reserved in `memory`, or `None` if no part remains.
    pub(super) async fn next(
        &mut self,
        memory: &mut MemoryReservation,
    ) -> Result<Option<(u32, PartRows)>> {
        let on_disk = self.runs.iter().filter_map(|run| run.parts.front());
        let Some(&part) = on_disk.chain(self.positions.keys().next()).min() else {
            return Ok(None);
        };
        let mut rows = PartRows::default();
        if let Some(positions) = self.positions.remove(&part) {
            let mut taken = 0;
            for group in positions.chunk_by(|a, b| a.0 == b.0) {
                let batch = &self.batches[group[0].0];
                let numbers: Vec<usize> = group.iter().map(|&(_, row)| row).collect();
                rows.extend(&self.spec, batch, &numbers)?;
                taken += group.len();
                if memory.try_resize(rows.bytes()).is_err() {
                    break;
                }
            }
            if let Some(rest @ [_, ..]) = positions.get(taken..) {
                self.positions.insert(part, rest.to_vec());
            }
            if self.positions.is_empty() {
                self.batches.clear();
                self.memory.free();
            } else if memory.size() < rows.bytes() {
                self.spill()?;
            }
            hold(&rows, memory, &self.spec)?;
        }
        for run in &mut self.runs {
            while run.parts.pop_front_if(|next| *next == part).is_some() {
                let Some(batch) = run.batches.next().await.transpose()? else {
                    return internal_err!("similar_pairs: a spilled run ends early");
                };
                let all: Vec<usize> = (0..batch.num_rows()).collect();
                // Reserve the bytes of the batch before it is copied, and the allocated bytes afterwards.
                memory
                    .try_grow(get_record_batch_memory_size(&batch))
                    .map_err(|error| does_not_fit("rows of a part do", &self.spec, &error))?;
                rows.extend(&self.spec, &batch, &all)?;
                hold(&rows, memory, &self.spec)?;
            }
        }
        Ok(Some((part, rows)))
    }
}

/// Reserves the bytes of the rows of a part.
fn hold(rows: &PartRows, memory: &mut MemoryReservation, spec: &Spec) -> Result<()> {
    let held = memory.try_resize(rows.bytes());
    held.map_err(|error| does_not_fit("rows of a part do", spec, &error))
}

/// The error if a part does not fit into memory.
pub(super) fn does_not_fit(what: &str, spec: &Spec, error: &DataFusionError) -> DataFusionError {
    let cause = cause(error);
    let advice = match spec.max_bucket.is_some() && spec.parts == 1 {
        true => "leave out max_bucket, for which all rows are in one part".to_owned(),
        false => format!("raise parts (now {})", spec.parts),
    };
    DataFusionError::ResourcesExhausted(format!(
        "similar_pairs: the {what} not fit into memory; {advice}: {cause}"
    ))
}

/// Why memory was refused.
pub(super) fn cause(error: &DataFusionError) -> String {
    match error {
        DataFusionError::ResourcesExhausted(cause) => cause.clone(),
        other => other.strip_backtrace(),
    }
}

/// The same rows, without the bytes of texts and vectors of other batches, which views may keep alive.
pub(crate) fn compact(batch: &RecordBatch) -> Result<RecordBatch, DataFusionError> {
    let columns = batch.columns().iter().map(compact_column);
    Ok(RecordBatch::try_new(batch.schema(), columns.collect())?)
}

/// The same values, without the bytes of other values in their buffers.
pub(super) fn compact_column(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Utf8View => Arc::new(column.as_string_view().gc()),
        DataType::BinaryView => Arc::new(column.as_binary_view().gc()),
        _ => Arc::clone(column),
    }
}
