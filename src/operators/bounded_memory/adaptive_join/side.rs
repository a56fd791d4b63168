//! The rows of one side of a join, of which some are held.

use super::super::compact_columns::compact_columns;
use super::super::small_side::HASHED_BYTES;
use crate::operators::rows_once::rows_once;
use crate::operators::stop::Stop;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::spill::get_record_batch_memory_size;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The partitions of one side.
pub(super) struct Side {
    plan: Arc<dyn ExecutionPlan>,
    partitions: Vec<Partition>,
}

struct Partition {
    /// The rows that were read.
    held: Vec<RecordBatch>,
    /// The rows that were not read; `None` if all were.
    rest: Option<SendableRecordBatchStream>,
    /// Memory for the rows that were read, and for their hash table.
    memory: MemoryReservation,
}

/// What all partitions of a side may hold.
struct Budget {
    /// Bytes that are left.
    bytes: AtomicUsize,
    stop: Stop,
}

impl Budget {
    fn take(&self, bytes: usize) -> bool {
        let left = self
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes)
            });
        left.is_ok()
    }
}

impl Side {
    /// No row of the side has been read.
    pub(super) fn new(plan: &Arc<dyn ExecutionPlan>, context: &Arc<TaskContext>) -> Result<Self> {
        let partitions = 0..plan.output_partitioning().partition_count();
        let partitions = partitions.map(|partition| {
            Ok(Partition {
                held: Vec::new(),
                rest: Some(plan.execute(partition, Arc::clone(context))?),
                memory: MemoryConsumer::new("AdaptiveJoinExec").register(context.memory_pool()),
            })
        });
        Ok(Self {
            plan: Arc::clone(plan),
            partitions: partitions.collect::<Result<_>>()?,
        })
    }

    /// Reads rows until all are held, or those of some partition cannot be. A table of the rows that are held takes
    /// `max_bytes` at most, with the rows.
    pub(super) async fn read(self, max_bytes: usize) -> Result<Self> {
        let budget = Arc::new(Budget {
            bytes: AtomicUsize::new(max_bytes),
            stop: Stop::new(),
        });
        let tasks = self.partitions.into_iter();
        let tasks = tasks.map(|rows| SpawnedTask::spawn(rows.read(Arc::clone(&budget))));
        // All tasks run from here on.
        let tasks: Vec<_> = tasks.collect();
        let mut partitions = Vec::with_capacity(tasks.len());
        for task in tasks {
            let rows = task.join_unwind().await;
            partitions
                .push(rows.map_err(|error| exec_datafusion_err!("AdaptiveJoinExec: {error}"))?);
        }
        Ok(Self {
            plan: self.plan,
            partitions: partitions.into_iter().collect::<Result<_>>()?,
        })
    }

    pub(super) fn is_held(&self) -> bool {
        self.partitions.iter().all(|rows| rows.rest.is_none())
    }

    /// The number of rows that are held.
    pub(super) fn held_rows(&self) -> usize {
        let held = self.partitions.iter().flat_map(|rows| &rows.held);
        held.map(RecordBatch::num_rows).sum()
    }

    /// A plan of one partition with the rows of a side that is held, and the memory for these and their hash table.
    pub(super) fn into_table(self) -> Result<(Arc<dyn ExecutionPlan>, Vec<MemoryReservation>)> {
        let schema = self.plan.schema();
        let (mut all, mut memory) = (Vec::new(), Vec::new());
        for rows in self.partitions {
            all.extend(rows.held.into_iter().map(Ok));
            memory.push(rows.memory);
        }
        let all = futures::stream::iter(all);
        let all = Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&schema), all));
        Ok((rows_once(&schema, [all as _])?, memory))
    }

    /// A plan of all rows of the side.
    pub(super) fn into_rows(self) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = self.plan.schema();
        let partitions = self.partitions.into_iter().map(|rows| {
            let Partition { held, rest, memory } = rows;
            if held.is_empty()
                && let Some(rest) = rest
            {
                return rest;
            }
            let held = held.into_iter().map(move |batch| {
                memory.shrink(bytes_of(&batch).min(memory.size()));
                Ok(batch)
            });
            let rows = futures::stream::iter(held).chain(futures::stream::iter(rest).flatten());
            Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&schema), rows)) as _
        });
        let partitions: Vec<_> = partitions.collect();
        rows_once(&schema, partitions)
    }
}

impl Partition {
    async fn read(mut self, budget: Arc<Budget>) -> Result<Self> {
        while let Some(rest) = &mut self.rest {
            let Some(next) = budget.stop.next(rest).await? else {
                break;
            };
            let Some(batch) = next else {
                self.rest = None;
                break;
            };
            let batch = compact_columns(&batch)?;
            let bytes = bytes_of(&batch);
            if !budget.take(bytes) || self.memory.try_grow(bytes).is_err() {
                budget.stop.stop();
            }
            self.held.push(batch);
        }
        Ok(self)
    }
}

/// The bytes of rows, of their copy in one batch, and of their hash table.
fn bytes_of(batch: &RecordBatch) -> usize {
    2 * get_record_batch_memory_size(batch) + batch.num_rows() * HASHED_BYTES
}
