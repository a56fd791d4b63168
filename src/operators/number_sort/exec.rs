//! The physical plan.

use super::records::{Buckets, Layout, Record, sort};
use crate::operators::one_input::one_input;
use crate::operators::rows_once::rows_once;
use crate::operators::spilling::spillable_memory;
use crate::operators::stop::Stop;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_datafusion_err, internal_err};
use datafusion::execution::memory_pool::{MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{LexOrdering, PhysicalExpr};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::{Stream, StreamExt, TryStreamExt};
use std::fmt;
use std::sync::Arc;

/// The records of all partitions may use this fraction of the memory limit: 1/8. Those of one bucket are copied, and all
/// of them may be in one bucket.
const MEMORY_DIVISOR: usize = 8;
/// Memory is given back each time that this many records were handed over.
const RECORDS_AT_A_TIME: usize = 1 << 18;

/// What is sorted, and how.
#[derive(Debug, Clone)]
struct SortSpec {
    order: LexOrdering,
    layout: Layout,
    /// Whether the rows of all partitions are one partition of the result.
    merges: bool,
}

impl SortSpec {
    /// The engine's operators that do the same.
    fn engine(&self, input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let sort = SortExec::new(self.order.clone(), input).with_preserve_partitioning(true);
        let sort: Arc<dyn ExecutionPlan> = Arc::new(sort);
        match self.merges {
            true => Arc::new(SortPreservingMergeExec::new(self.order.clone(), sort)),
            false => sort,
        }
    }
}

/// Sorts rows of numbers.
#[derive(Debug)]
pub(in crate::operators) struct NumberSortExec {
    input: Arc<dyn ExecutionPlan>,
    spec: SortSpec,
    properties: Arc<PlanProperties>,
}

impl NumberSortExec {
    /// The replacement of a sort, or of the merge of the partitions that this operator sorts; `None` for other nodes, and
    /// for rows that this operator does not sort.
    pub(in crate::operators) fn in_place_of(node: &Arc<dyn ExecutionPlan>) -> Option<Self> {
        if let Some(merge) = node.downcast_ref::<SortPreservingMergeExec>() {
            let sort = merge.input().downcast_ref::<Self>()?;
            let is_same = merge.fetch().is_none() && *merge.expr() == sort.spec.order;
            return (is_same && !sort.spec.merges).then(|| {
                let spec = SortSpec {
                    merges: true,
                    ..sort.spec.clone()
                };
                Self::new(Arc::clone(&sort.input), spec)
            });
        }
        let sort = node.downcast_ref::<SortExec>()?;
        let partitions = sort.input().output_partitioning().partition_count();
        if sort.fetch().is_some() || !sort.preserve_partitioning() && partitions > 1 {
            return None;
        }
        let spec = SortSpec {
            order: sort.expr().clone(),
            layout: Layout::of(&sort.schema(), sort.expr())?,
            merges: false,
        };
        Some(Self::new(Arc::clone(sort.input()), spec))
    }

    fn new(input: Arc<dyn ExecutionPlan>, spec: SortSpec) -> Self {
        let engine = spec.engine(Arc::clone(&input));
        Self {
            input,
            properties: Arc::clone(engine.properties()),
            spec,
        }
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(input, self.spec.clone())))
    }

    /// The sorted rows, as records of `WORDS` words.
    fn rows<const WORDS: usize>(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let count = self.input.output_partitioning().partition_count();
        let partitions = match self.spec.merges {
            true => 0..count,
            false => partition..partition + 1,
        };
        let max_bytes = match context.memory_pool().memory_limit() {
            MemoryLimit::Finite(bytes) => bytes / MEMORY_DIVISOR / count.max(1),
            _ => usize::MAX,
        };
        let stop = Arc::new(Stop::new());
        let parts = partitions.map(|partition| {
            Ok(Part::<WORDS> {
                records: Vec::new(),
                next: None,
                input: Some(self.input.execute(partition, Arc::clone(&context))?),
                layout: self.spec.layout.clone(),
                memory: spillable_memory(&context, "NumberSortExec"),
                max_bytes,
                stop: Arc::clone(&stop),
            })
        });
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let rows = sorted(parts, self.spec.clone(), context);
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            futures::stream::once(rows).try_flatten(),
        )))
    }
}

impl DisplayAs for NumberSortExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "NumberSortExec: expr=[{}]", self.spec.order)?;
        match self.spec.merges {
            true => write!(f, ", merge=[true]"),
            false => Ok(()),
        }
    }
}

impl ExecutionPlan for NumberSortExec {
    fn name(&self) -> &str {
        "NumberSortExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    one_input!(input with expressions);

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let mut next = TreeNodeRecursion::Continue;
        for sorted in &self.spec.order {
            next = next.visit_sibling(|| f(&sorted.expr))?;
        }
        Ok(next)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        match self.spec.layout.words() {
            1 => self.rows::<1>(partition, context),
            2 => self.rows::<2>(partition, context),
            3 => self.rows::<3>(partition, context),
            4 => self.rows::<4>(partition, context),
            words => internal_err!("NumberSortExec: a row has {words} columns"),
        }
    }
}

/// The rows of one partition of the input.
struct Part<const WORDS: usize> {
    /// The rows that were read.
    records: Vec<Record<WORDS>>,
    /// A batch that was read, whose rows are not among the records.
    next: Option<RecordBatch>,
    /// The rows that were not read; `None` if all were.
    input: Option<SendableRecordBatchStream>,
    layout: Layout,
    /// Memory for the records. Pages that a vector has room for, and that no record was written to, take none.
    memory: MemoryReservation,
    /// Upper bound of the bytes of the records.
    max_bytes: usize,
    /// Stops the reading of all partitions where the rows of one cannot be held.
    stop: Arc<Stop>,
}

impl<const WORDS: usize> Part<WORDS> {
    /// Reads rows until all are held, or those of some partition cannot be.
    async fn read(mut self) -> Result<Self> {
        while let Some(input) = &mut self.input {
            let Some(next) = self.stop.next(input).await? else {
                break;
            };
            let Some(batch) = next else {
                self.input = None;
                break;
            };
            let rows = self.records.len() + batch.num_rows();
            let bytes = rows * size_of::<Record<WORDS>>();
            if !Layout::can_hold(&batch)
                || bytes > self.max_bytes
                || self.memory.try_resize(bytes).is_err()
            {
                self.next = Some(batch);
                self.stop.stop();
                break;
            }
            self.layout.append(&batch, &mut self.records)?;
        }
        Ok(self)
    }

    /// All rows of the partition, in any order.
    fn rows(self, batch_rows: usize) -> SendableRecordBatchStream {
        let schema = Arc::clone(self.layout.schema());
        let Self {
            records,
            next,
            input,
            layout,
            memory,
            ..
        } = self;
        let held = (records, memory);
        let held = futures::stream::try_unfold(held, move |(mut records, memory)| {
            let layout = layout.clone();
            async move {
                let Some(last) = records.len().checked_sub(1) else {
                    return Ok(None);
                };
                let first = last - last % batch_rows.max(1);
                let batch = layout.batch(&records[first..])?;
                records.truncate(first);
                if records.capacity() > records.len() + RECORDS_AT_A_TIME || first == 0 {
                    records.shrink_to_fit();
                    memory.try_resize(first * size_of::<Record<WORDS>>())?;
                }
                Ok(Some((batch, (records, memory))))
            }
        });
        let next = futures::stream::iter(next.map(Ok));
        let input = futures::stream::iter(input).flatten();
        let rows = held.chain(next).chain(input);
        Box::pin(RecordBatchStreamAdapter::new(schema, rows))
    }
}

/// The rows of all parts in order.
async fn sorted<const WORDS: usize>(
    parts: Vec<Part<WORDS>>,
    spec: SortSpec,
    context: Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let schema = Arc::clone(spec.layout.schema());
    let batch_rows = context.session_config().batch_size();
    let reading = parts
        .into_iter()
        .map(|part| SpawnedTask::spawn(part.read()));
    let reading = joined(reading.collect()).await?;
    let mut parts = reading.into_iter().collect::<Result<Vec<_>>>()?;
    if parts.iter().any(|part| part.input.is_some()) {
        let rows = rows_once(&schema, parts.into_iter().map(|part| part.rows(batch_rows)))?;
        return spec.engine(rows).execute(0, context);
    }
    let memory = parts.iter_mut().map(|part| part.memory.take()).collect();
    let records: Vec<_> = parts.into_iter().map(|part| part.records).collect();
    let all: Vec<&[Record<WORDS>]> = records.iter().map(Vec::as_slice).collect();
    let buckets = Buckets::of(&all);
    let distributing = records.into_iter().map(|mut records| {
        SpawnedTask::spawn(async move {
            let starts = buckets.distribute(&mut records);
            (records, starts)
        })
    });
    let rows = SortedRows {
        parts: joined(distributing.collect()).await?,
        buckets: buckets.count(),
        bucket: 0,
        ready: Vec::new(),
        at: 0,
        layout: spec.layout,
        batch_rows,
        _memory: memory,
    };
    Ok(Box::pin(RecordBatchStreamAdapter::new(
        schema,
        rows.stream(),
    )))
}

/// The results of tasks that run at the same time.
async fn joined<T: Send + 'static>(tasks: Vec<SpawnedTask<T>>) -> Result<Vec<T>> {
    let mut results = Vec::with_capacity(tasks.len());
    for task in tasks {
        let result = task.join_unwind().await;
        results.push(result.map_err(|error| exec_datafusion_err!("NumberSortExec: {error}"))?);
    }
    Ok(results)
}

/// The records of all parts, in buckets, which are sorted one after another.
struct SortedRows<const WORDS: usize> {
    /// The records of a part, and where each bucket of them begins.
    parts: Vec<(Vec<Record<WORDS>>, Vec<usize>)>,
    buckets: usize,
    /// The first bucket that is not sorted.
    bucket: usize,
    /// Sorted records.
    ready: Vec<Record<WORDS>>,
    /// The number of them that were returned.
    at: usize,
    layout: Layout,
    batch_rows: usize,
    _memory: Vec<MemoryReservation>,
}

impl<const WORDS: usize> SortedRows<WORDS> {
    fn stream(self) -> impl Stream<Item = Result<RecordBatch>> {
        futures::stream::try_unfold(self, |mut rows| async move {
            Ok(rows.next()?.map(|batch| (batch, rows)))
        })
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while self.ready.len() - self.at < self.batch_rows && self.bucket < self.buckets {
            self.ready.drain(..self.at);
            self.at = 0;
            let first = self.ready.len();
            for (records, starts) in &self.parts {
                let range = starts[self.bucket]..starts[self.bucket + 1];
                self.ready.extend_from_slice(&records[range]);
            }
            // Rows that are equal in the columns that they are sorted by are in the order of the others.
            sort(&mut self.ready[first..]);
            self.bucket += 1;
        }
        let end = self.ready.len().min(self.at + self.batch_rows.max(1));
        if self.at == end {
            return Ok(None);
        }
        let batch = self.layout.batch(&self.ready[self.at..end])?;
        self.at = end;
        Ok(Some(batch))
    }
}
