//! The physical plan: one task holds the rows of its parts, one part after the other. The rows of a
//! part are indexed once and probed by as many workers as there are threads for each task.

use super::Spec;
use super::input::{PartRows, SortedPart, TaskRows};
use super::join::{Join, pair_input};
use datafusion::arrow::array::{ArrayRef, Float64Array, RecordBatch, UInt32Array};
use datafusion::arrow::compute::{SortOptions, take};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::runtime::JoinSet;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{
    DataFusionError, Result, exec_datafusion_err, internal_datafusion_err, internal_err,
};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, LexOrdering, OrderingRequirements, PhysicalExpr,
    PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::EmissionType;
use datafusion::physical_plan::metrics::{
    Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::{Stream, StreamExt};
use neardup_kernels::pairs as kernel;
use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::mpsc;

/// Pairs of similar rows among those that share a key.
#[derive(Debug)]
pub struct SimilarPairsExec {
    input: Arc<dyn ExecutionPlan>,
    spec: Spec,
    /// Whether the input must come sorted by part, so that one part at a time is held.
    by_part: bool,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl SimilarPairsExec {
    /// The operator over an input with the columns of [`Spec::columns`].
    ///
    /// # Errors
    /// If a column is missing.
    pub fn try_new(input: Arc<dyn ExecutionPlan>, spec: Spec, partitions: usize) -> Result<Self> {
        let by_part = spec.parts as usize > partitions;
        Self::with_order(input, spec, by_part)
    }

    /// The operator over an input that is sorted by part where `by_part` says so.
    pub(crate) fn with_order(
        input: Arc<dyn ExecutionPlan>,
        spec: Spec,
        by_part: bool,
    ) -> Result<Self> {
        let id = input.schema().field_with_name("id")?.data_type().clone();
        let schema = Arc::new(Schema::new(vec![
            Field::new("id_a", id.clone(), false),
            Field::new("id_b", id, false),
            Field::new("similarity", DataType::Float64, true),
        ]));
        let partitions = input.properties().output_partitioning().partition_count();
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Final,
            input.properties().boundedness,
        ));
        Ok(Self {
            input,
            spec,
            by_part,
            schema,
            properties,
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// The parameters.
    pub(crate) fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Whether the input comes sorted by part.
    pub(crate) fn is_by_part(&self) -> bool {
        self.by_part
    }

    /// The place of the column that rows are partitioned by, if there are several parts.
    pub(crate) fn part_key(&self) -> Option<usize> {
        let index = self.input.schema().index_of("part").ok();
        index.filter(|_| self.spec.parts > 1)
    }

    fn part_column(&self) -> Arc<dyn PhysicalExpr> {
        let index = self.input.schema().index_of("part").unwrap_or(0);
        Arc::new(Column::new("part", index))
    }

    /// The same operator over another input; its properties are made anew, because the number of
    /// partitions may have changed.
    fn over(&self, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children
            .try_into()
            .map_err(|_| internal_datafusion_err!("SimilarPairsExec has one input"))?;
        Ok(Arc::new(Self::with_order(
            input,
            self.spec.clone(),
            self.by_part,
        )?))
    }
}

impl DisplayAs for SimilarPairsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "SimilarPairsExec: {}", self.spec)
    }
}

impl ExecutionPlan for SimilarPairsExec {
    fn name(&self) -> &str {
        "SimilarPairsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![match self.spec.parts {
            1 => Distribution::SinglePartition,
            _ => Distribution::KeyPartitioned(vec![self.part_column()]),
        }]
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let order = PhysicalSortExpr::new(self.part_column(), SortOptions::default());
        let order = self
            .by_part
            .then(|| LexOrdering::new(vec![order]))
            .flatten();
        vec![order.map(OrderingRequirements::from)]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(children)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(children)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, Arc::clone(&context))?;
        let config = context.session_config();
        let partitions = self.properties.output_partitioning().partition_count();
        let threads = available_parallelism().map_or(1, NonZero::get);
        let workers = config.target_partitions().min(threads) / partitions;
        let task = Task {
            spec: self.spec.clone(),
            schema: Arc::clone(&self.schema),
            by_part: self.by_part,
            input: Some(input),
            held: TaskRows::default(),
            complete: None,
            ready: VecDeque::new(),
            current: None,
            workers: workers.max(1),
            rows_memory: MemoryConsumer::new("similar_pairs rows").register(context.memory_pool()),
            index_memory: MemoryConsumer::new("similar_pairs index")
                .register(context.memory_pool()),
            batch_size: context.session_config().batch_size(),
            metrics: Metrics::new(&self.metrics, partition),
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&self.schema),
            task.stream(),
        )))
    }
}

/// Counts of the operator, as EXPLAIN ANALYZE shows them.
struct Metrics {
    output_rows: Count,
    candidates: Count,
    verified: Count,
    giant_buckets: Count,
    unlinked: Count,
    capped: Count,
}

impl Metrics {
    fn new(set: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        let counter = |name: &'static str| MetricBuilder::new(set).counter(name, partition);
        Self {
            output_rows: MetricBuilder::new(set).output_rows(partition),
            candidates: counter("candidates"),
            verified: counter("verified"),
            giant_buckets: counter("giant_buckets"),
            unlinked: counter("unlinked"),
            capped: counter("capped"),
        }
    }

    fn add(&self, stats: &kernel::Stats) {
        self.candidates.add(stats.candidates as usize);
        self.verified.add(stats.verified as usize);
        self.giant_buckets.add(stats.giants as usize);
        self.unlinked.add(stats.unlinked as usize);
        self.capped.add(stats.capped as usize);
    }
}

/// A part being joined, by workers that each send what they find.
struct Current {
    found: mpsc::Receiver<RecordBatch>,
    workers: JoinSet<Result<kernel::Stats>>,
}

/// One worker: its share of the rows of a part.
struct Worker {
    join: Join,
    part: Arc<SortedPart>,
    spec: Spec,
    schema: SchemaRef,
    batch_size: usize,
    found: mpsc::Sender<RecordBatch>,
}

impl Worker {
    async fn run(mut self) -> Result<kernel::Stats> {
        let input = pair_input(&self.spec, &self.part);
        while let Some(pairs) = self.join.next_batch(&input, self.batch_size) {
            if pairs.is_empty() {
                // A stretch without pairs: let others run, and let a cancelled query end.
                tokio::task::yield_now().await;
                continue;
            }
            let batch = record_batch(&self.schema, &self.part.ids, pairs)?;
            for start in (0..batch.num_rows()).step_by(self.batch_size) {
                let rows = self.batch_size.min(batch.num_rows() - start);
                if self.found.send(batch.slice(start, rows)).await.is_err() {
                    return Ok(*self.join.stats());
                }
            }
        }
        Ok(*self.join.stats())
    }
}

/// The state of one partition's stream.
struct Task {
    spec: Spec,
    schema: SchemaRef,
    by_part: bool,
    input: Option<SendableRecordBatchStream>,
    /// Rows of the parts that may still grow.
    held: TaskRows,
    /// The last part that was complete.
    complete: Option<u32>,
    /// Parts that are complete.
    ready: VecDeque<(u32, PartRows)>,
    current: Option<Current>,
    workers: usize,
    rows_memory: MemoryReservation,
    index_memory: MemoryReservation,
    batch_size: usize,
    metrics: Metrics,
}

impl Task {
    fn stream(self) -> impl Stream<Item = Result<RecordBatch>> {
        futures::stream::try_unfold(self, |mut task| async move {
            Ok(task.next().await?.map(|batch| (batch, task)))
        })
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(current) = &mut self.current {
                if let Some(batch) = current.found.recv().await {
                    self.metrics.output_rows.add(batch.num_rows());
                    return Ok(Some(batch));
                }
                while let Some(stats) = current.workers.join_next().await {
                    let stats =
                        stats.map_err(|error| DataFusionError::External(error.into()))??;
                    self.metrics.add(&stats);
                }
                self.current = None;
                self.index_memory.free();
            }
            if let Some((part, rows)) = self.ready.pop_front() {
                self.start(part, rows)?;
                continue;
            }
            let Some(input) = &mut self.input else {
                return Ok(None);
            };
            match input.next().await {
                Some(batch) => self.collect(&batch?)?,
                None => {
                    self.input = None;
                    while !self.held.parts.is_empty() {
                        self.complete_first()?;
                    }
                }
            }
        }
    }

    fn collect(&mut self, batch: &RecordBatch) -> Result<()> {
        self.held.extend(&self.spec, batch)?;
        if self.by_part {
            // The input is sorted by part: all but the last part are complete.
            while self.held.parts.len() > 1 {
                self.complete_first()?;
            }
        }
        let bytes = self.held.parts.values().map(PartRows::bytes).sum::<usize>()
            + self
                .ready
                .iter()
                .map(|(_, rows)| rows.bytes())
                .sum::<usize>();
        self.rows_memory.try_resize(bytes).map_err(|error| {
            exec_datafusion_err!(
                "similar_pairs: the rows of a part do not fit into memory; raise parts (now {}): {error}",
                self.spec.parts
            )
        })
    }

    /// Makes the lowest part ready. A part that comes in two stretches would lose pairs.
    fn complete_first(&mut self) -> Result<()> {
        if let Some((part, rows)) = self.held.parts.pop_first() {
            if self.complete >= Some(part) {
                return internal_err!("similar_pairs: the input is not sorted by part");
            }
            self.complete = Some(part);
            self.ready.push_back((part, rows));
        }
        Ok(())
    }

    fn start(&mut self, part: u32, rows: PartRows) -> Result<()> {
        let sorted = rows.sort()?;
        let bytes = Join::memory_for(&self.spec, &sorted, self.workers);
        self.index_memory.try_resize(bytes).map_err(|error| {
            exec_datafusion_err!(
                "similar_pairs: the index of a part does not fit into memory; raise parts (now {}): {error}",
                self.spec.parts
            )
        })?;
        let (joins, bytes) = Join::start(&self.spec, &sorted, part, self.workers)
            .map_err(|error| exec_datafusion_err!("similar_pairs: {error}"))?;
        self.index_memory.resize(bytes);
        let part = Arc::new(sorted);
        let (sender, found) = mpsc::channel(joins.len());
        let mut workers = JoinSet::new();
        for join in joins {
            let worker = Worker {
                join,
                part: Arc::clone(&part),
                spec: self.spec.clone(),
                schema: Arc::clone(&self.schema),
                batch_size: self.batch_size,
                found: sender.clone(),
            };
            workers.spawn(worker.run());
        }
        self.current = Some(Current { found, workers });
        Ok(())
    }
}

fn record_batch(
    schema: &SchemaRef,
    ids: &ArrayRef,
    pairs: kernel::PairBatch,
) -> Result<RecordBatch> {
    let similarity = Float64Array::from_iter(
        pairs
            .similarity
            .iter()
            .map(|&value| (!value.is_nan()).then_some(value)),
    );
    Ok(RecordBatch::try_new(
        Arc::clone(schema),
        vec![
            take(ids, &UInt32Array::from(pairs.a), None)?,
            take(ids, &UInt32Array::from(pairs.b), None)?,
            Arc::new(similarity),
        ],
    )?)
}
