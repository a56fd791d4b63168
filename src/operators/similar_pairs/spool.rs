//! Rows of more parts than are joined at a time: in memory as they came, and where memory is short in
//! runs on disk, sorted by part, of which one part after the other is read.

use super::Spec;
use super::input::{PartRows, rows_by_part};
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::interleave_record_batch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::spill::{SpillManager, get_record_batch_memory_size};
use futures::StreamExt;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Bytes of a batch on disk.
const BATCH_BYTES: usize = 32 << 20;

/// The rows of a task, by part.
pub(super) struct Spool {
    spec: Spec,
    manager: SpillManager,
    memory: MemoryReservation,
    /// Rows in memory, and for each part the batches and rows of its own.
    batches: Vec<RecordBatch>,
    places: BTreeMap<u32, Vec<(usize, usize)>>,
    runs: Vec<Run>,
    batch_size: usize,
}

/// A run: batches of one part each, parts ascending.
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
        let config = context.session_config();
        let compression = config.options().execution.spill_compression;
        Self {
            spec: spec.clone(),
            manager: SpillManager::new(context.runtime_env(), metrics, schema)
                .with_compression_type(compression),
            memory: MemoryConsumer::new("similar_pairs spool")
                .with_can_spill(true)
                .register(context.memory_pool()),
            batches: Vec::new(),
            places: BTreeMap::new(),
            runs: Vec::new(),
            batch_size: config.batch_size(),
        }
    }

    /// Adds a batch; rows that take no part are left out.
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
            let places = rows.into_iter().map(|row| (self.batches.len(), row));
            self.places.entry(part).or_default().extend(places);
        }
        self.batches.push(batch);
        match fits {
            true => Ok(()),
            // It is in memory already: one batch is held beyond the limit.
            false => self.spill(),
        }
    }

    /// Writes what is in memory to disk.
    pub(super) fn spill(&mut self) -> Result<()> {
        let mut file = self.manager.create_in_progress_file("similar_pairs")?;
        let batches: Vec<&RecordBatch> = self.batches.iter().collect();
        let row_bytes: Vec<usize> = batches
            .iter()
            .map(|batch| get_record_batch_memory_size(batch) / batch.num_rows().max(1))
            .collect();
        let mut parts = VecDeque::new();
        for (part, places) in std::mem::take(&mut self.places) {
            let mut rest = places.as_slice();
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

    /// How many of the rows go into one batch: by number, and by bytes, of which a batch of few rows, too, can
    /// have more than the offsets of its columns count.
    fn rows_of_batch(&self, row_bytes: &[usize], places: &[(usize, usize)]) -> usize {
        let mut bytes = 0;
        let fits = |place: &&(usize, usize)| {
            bytes += row_bytes[place.0];
            bytes <= BATCH_BYTES
        };
        let fitting = places.iter().take(self.batch_size).take_while(fits);
        fitting.count().max(1)
    }

    /// Whether rows are in memory that could be on disk.
    pub(super) fn holds_rows(&self) -> bool {
        !self.batches.is_empty()
    }

    /// All rows are there: parts can be taken.
    pub(super) fn finish(&mut self) -> Result<()> {
        match self.runs.is_empty() {
            true => Ok(()),
            false => self.spill(),
        }
    }

    /// The rows of the lowest part that is left, held in `memory`; `None` when there are no more.
    pub(super) async fn next(
        &mut self,
        memory: &mut MemoryReservation,
    ) -> Result<Option<(u32, PartRows)>> {
        let on_disk = self.runs.iter().filter_map(|run| run.parts.front());
        let Some(&part) = on_disk.chain(self.places.keys().next()).min() else {
            return Ok(None);
        };
        let mut rows = PartRows::default();
        if let Some(places) = self.places.remove(&part) {
            let mut taken = 0;
            for places in places.chunk_by(|a, b| a.0 == b.0) {
                let batch = &self.batches[places[0].0];
                let numbers: Vec<usize> = places.iter().map(|&(_, row)| row).collect();
                rows.extend(&self.spec, batch, &numbers)?;
                taken += places.len();
                if memory.try_resize(rows.bytes()).is_err() {
                    break;
                }
            }
            if let Some(rest @ [_, ..]) = places.get(taken..) {
                self.places.insert(part, rest.to_vec());
            }
            if self.places.is_empty() {
                self.batches.clear();
                self.memory.free();
            } else if memory.size() < rows.bytes() {
                self.spill()?;
            }
            hold(&rows, memory, self.spec.parts)?;
        }
        for run in &mut self.runs {
            while run.parts.pop_front_if(|next| *next == part).is_some() {
                let Some(batch) = run.batches.next().await.transpose()? else {
                    return internal_err!("similar_pairs: a run on disk ends early");
                };
                let all: Vec<usize> = (0..batch.num_rows()).collect();
                // Before they are copied, and what was allocated for it after.
                memory
                    .try_grow(get_record_batch_memory_size(&batch))
                    .map_err(|error| does_not_fit("rows of a part do", self.spec.parts, &error))?;
                rows.extend(&self.spec, &batch, &all)?;
                hold(&rows, memory, self.spec.parts)?;
            }
        }
        Ok(Some((part, rows)))
    }
}

/// Reserves what the rows of a part take.
fn hold(rows: &PartRows, memory: &mut MemoryReservation, parts: u32) -> Result<()> {
    let held = memory.try_resize(rows.bytes());
    held.map_err(|error| does_not_fit("rows of a part do", parts, &error))
}

/// The error of a part that is too large.
pub(super) fn does_not_fit(what: &str, parts: u32, error: &DataFusionError) -> DataFusionError {
    exec_datafusion_err!(
        "similar_pairs: the {what} not fit into memory; raise parts (now {parts}): {error}"
    )
}

/// The same rows, without the bytes of texts and vectors that belong to other batches.
pub(crate) fn compact(batch: &RecordBatch) -> Result<RecordBatch, DataFusionError> {
    let columns = batch.columns().iter();
    let columns = columns.map(|column| match column.data_type() {
        DataType::Utf8View => Arc::new(column.as_string_view().gc()) as _,
        DataType::BinaryView => Arc::new(column.as_binary_view().gc()) as _,
        _ => Arc::clone(column),
    });
    Ok(RecordBatch::try_new(batch.schema(), columns.collect())?)
}
