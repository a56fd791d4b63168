//! The rows that copies of a node share: the first reader computes and stores them, all readers get them from here.

use crate::operators::similar_pairs::compact;
use crate::operators::spilling::{spill_manager, spillable_memory};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::execution::memory_pool::{MemoryLimit, MemoryReservation};
use datafusion::execution::spill_file::SpillFile;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::spill::{SpillManager, get_record_batch_memory_size};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::future::{BoxFuture, Shared};
use futures::{FutureExt, StreamExt, TryStreamExt};
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

/// The rows of one key take at most the limit of memory divided by this, so that the operators that read them have the rest.
const MEMORY_SHARE: usize = 8;
/// Maximum number of bytes of a batch that is read, of more than one row.
const PART_BYTES: usize = 1 << 20;

/// The stored rows, or the error that every reader gets.
type Outcome = Result<Arc<Vec<Segment>>, Arc<DataFusionError>>;

/// The rows of one key in one physical plan. Memory and files are released when the plan is dropped.
#[derive(Default)]
pub(crate) struct Store {
    /// Set by the first reader. The computation completes even if that reader is dropped.
    rows: Mutex<Option<Shared<BoxFuture<'static, Outcome>>>>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}

/// The rows of one partition of the input, in input order: first the rows in memory, then the spilled rest.
struct Segment {
    batches: Vec<RecordBatch>,
    /// The reserved memory of `batches`.
    _memory: MemoryReservation,
    rest: Option<Arc<dyn SpillFile>>,
    manager: SpillManager,
}

impl Store {
    /// The rows of partition `partition` of `partitions`. The first call computes all rows from `input`.
    pub(super) fn read(
        &self,
        input: &Arc<dyn ExecutionPlan>,
        metrics: SpillMetrics,
        partition: usize,
        partitions: usize,
        context: &Arc<TaskContext>,
    ) -> SendableRecordBatchStream {
        let rows = {
            let mut rows = self.rows.lock();
            rows.get_or_insert_with(|| compute(input, &metrics, context))
                .clone()
        };
        let schema = input.schema();
        let batches = async move {
            let segments = rows.await.map_err(DataFusionError::Shared)?;
            // Copies may be planned with different numbers of partitions.
            let numbers = (partition..segments.len()).step_by(partitions);
            let streams = numbers.map(move |number| segment(&segments, number));
            Ok::<_, DataFusionError>(futures::stream::iter(streams).try_flatten())
        };
        let batches = futures::stream::once(batches).try_flatten();
        Box::pin(RecordBatchStreamAdapter::new(schema, batches))
    }
}

/// A batch in parts of at most [`PART_BYTES`], as the work on rows of long texts may take milliseconds for each.
fn parts(batch: &RecordBatch) -> Vec<RecordBatch> {
    let rows = batch.num_rows();
    let bytes = get_record_batch_memory_size(batch).max(1);
    let part = (PART_BYTES.saturating_mul(rows) / bytes).clamp(1, rows.max(1));
    let starts = (0..rows).step_by(part);
    starts
        .map(|start| batch.slice(start, part.min(rows - start)))
        .collect()
}

/// The rows of a segment.
fn segment(segments: &Arc<Vec<Segment>>, number: usize) -> Result<SendableRecordBatchStream> {
    let segment = &segments[number];
    let on_disk = match &segment.rest {
        Some(file) => {
            let file = Arc::clone(file);
            Some(
                segment
                    .manager
                    .read_spill_as_stream_unbuffered(file, None)?,
            )
        }
        None => None,
    };
    let schema = Arc::clone(segment.manager.schema());
    let segments = Arc::clone(segments);
    let in_memory = futures::stream::iter(0..segment.batches.len())
        .flat_map(move |batch| futures::stream::iter(parts(&segments[number].batches[batch])))
        .then(|part| async {
            // An idle thread takes no task that this one has woken before this one waits.
            tokio::task::yield_now().await;
            Ok(part)
        });
    let batches = in_memory.chain(futures::stream::iter(on_disk).flatten());
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
}

/// Runs every partition of the input and stores its rows.
fn compute(
    input: &Arc<dyn ExecutionPlan>,
    metrics: &SpillMetrics,
    context: &Arc<TaskContext>,
) -> Shared<BoxFuture<'static, Outcome>> {
    let partitions = 0..input.output_partitioning().partition_count();
    let tasks: Vec<SpawnedTask<Result<Segment>>> = partitions
        .map(|partition| {
            let (input, context) = (Arc::clone(input), Arc::clone(context));
            let metrics = metrics.clone();
            SpawnedTask::spawn(async move {
                store_partition(&input, partition, metrics, &context).await
            })
        })
        .collect();
    let all = async move {
        let mut segments = Vec::with_capacity(tasks.len());
        for task in tasks {
            let segment = task
                .join()
                .await
                .map_err(|error| exec_datafusion_err!("shared rows: {error}"))
                .and_then(|segment| segment)
                .map_err(Arc::new)?;
            segments.push(segment);
        }
        Ok(Arc::new(segments))
    };
    all.boxed().shared()
}

/// Stores the rows of one partition: in memory while the pool allows it and the rows take no more than their share of
/// its limit, then on disk.
async fn store_partition(
    input: &Arc<dyn ExecutionPlan>,
    partition: usize,
    metrics: SpillMetrics,
    context: &Arc<TaskContext>,
) -> Result<Segment> {
    let schema: SchemaRef = input.schema();
    let manager = spill_manager(context, metrics, schema);
    let memory = spillable_memory(context, "shared_rows");
    let partitions = input.output_partitioning().partition_count().max(1);
    let max_bytes = match context.memory_pool().memory_limit() {
        MemoryLimit::Finite(bytes) => bytes / MEMORY_SHARE / partitions,
        _ => usize::MAX,
    };
    let mut rows = input.execute(partition, Arc::clone(context))?;
    let mut batches = Vec::new();
    let mut on_disk = None;
    while let Some(batch) = rows.next().await {
        let batch = compact(&batch?)?;
        if on_disk.is_none() {
            let bytes = get_record_batch_memory_size(&batch);
            if memory.size().saturating_add(bytes) <= max_bytes && memory.try_grow(bytes).is_ok() {
                batches.push(batch);
                continue;
            }
            // All further rows are spilled, so that the order of the rows is preserved.
            on_disk = Some(manager.create_in_progress_file("shared_rows")?);
        }
        if let Some(file) = &mut on_disk {
            file.append_batch(&batch)?;
        }
    }
    let rest = match &mut on_disk {
        Some(file) => file.finish()?,
        None => None,
    };
    Ok(Segment {
        batches,
        _memory: memory,
        rest,
        manager,
    })
}
