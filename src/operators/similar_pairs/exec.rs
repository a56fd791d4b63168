//! The physical plan: a task joins the rows of its parts, one part after the other. If there are more parts than tasks,
//! the rows of waiting parts may be spilled to disk. The rows of a part are indexed once and probed by several workers,
//! one for each thread of the task.

use super::Spec;
use super::blocks::BlockJoin;
use super::input::{PartRows, SortedPart, TaskRows};
use super::join::{Join, pair_input};
use super::left_out::LeftOut;
use super::metrics::Metrics;
use super::placement::exchanged_by;
use super::spool::{Spool, does_not_fit};
use crate::operators::one_input::one_input;
use crate::resources::PoolOfTask;
use datafusion::arrow::array::{ArrayRef, Float64Array, RecordBatch, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::runtime::JoinSet;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{Distribution, EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::EmissionType;
use datafusion::physical_plan::metrics::{
    ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, SpillMetrics,
};
use datafusion::physical_plan::spill::get_record_batch_memory_size;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::{Stream, StreamExt};
use neardup_kernels::Shingle;
use neardup_kernels::pairs as kernel;
use std::num::NonZero;
use std::str::FromStr;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::mpsc;

/// Pairs of similar rows; [`Spec::candidates`] says which rows are compared.
#[derive(Debug)]
pub struct SimilarPairsExec {
    input: Arc<dyn ExecutionPlan>,
    spec: Spec,
    /// Whether a task has several parts, so that rows of waiting parts may have to be spilled.
    spools: bool,
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
        let spools = spec.parts as usize > partitions;
        Self::with_spool(input, spec, spools)
    }

    /// The operator with an explicit choice of whether waiting rows may be spilled.
    pub(crate) fn with_spool(
        input: Arc<dyn ExecutionPlan>,
        spec: Spec,
        spools: bool,
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
            spools,
            schema,
            properties,
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// The parameters.
    pub(crate) fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Whether a task has several parts.
    pub(crate) fn spools(&self) -> bool {
        self.spools
    }

    /// What rows are partitioned by, if there are several parts.
    pub(crate) fn part_key(&self) -> Option<Arc<dyn PhysicalExpr>> {
        let schema = self.input.schema();
        let index = schema.index_of("part").ok();
        let index = index.filter(|_| self.spec.parts > 1)?;
        let part = Arc::new(Column::new("part", index));
        let data_type = schema.field(index).data_type();
        Some(exchanged_by(part, data_type, self.spec.parts))
    }

    /// The same operator over another input. The properties are computed again because the number of partitions may
    /// have changed.
    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::with_spool(
            input,
            self.spec.clone(),
            self.spools,
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

    one_input!(input);

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![match self.part_key() {
            Some(key) => Distribution::KeyPartitioned(vec![key]),
            None => Distribution::SinglePartition,
        }]
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
        let workers = (config.target_partitions().min(threads) / partitions).max(1);
        if let Some(shingle) = &self.spec.shingle {
            let shingle = Shingle::from_str(shingle)
                .map_err(|error| exec_datafusion_err!("similar_pairs: {error}"))?;
            let counter = |name| MetricBuilder::new(&self.metrics).counter(name, partition);
            let joins = match config.get_extension::<PoolOfTask>() {
                Some(_) => 1,
                None => partitions.min(config.target_partitions()),
            };
            let join = BlockJoin {
                spec: self.spec.clone(),
                shingle,
                schema: Arc::clone(&self.schema),
                workers,
                joins: joins.max(1),
                metrics: Metrics::new(&self.metrics, partition),
                blocks: counter("blocks"),
                dropped: counter("rows_without_shared_key"),
                spills: SpillMetrics::new(&self.metrics, partition),
                context,
            };
            return Ok(join.stream(input));
        }
        let rows = match self.spools {
            false => Rows::Held(TaskRows::default()),
            true => {
                let metrics = SpillMetrics::new(&self.metrics, partition);
                Rows::Spooled(Box::new(Spool::new(
                    &self.spec,
                    input.schema(),
                    &context,
                    metrics,
                )))
            }
        };
        let task = Task {
            spec: self.spec.clone(),
            schema: Arc::clone(&self.schema),
            input: Some(input),
            rows,
            current: None,
            workers,
            rows_memory: MemoryConsumer::new("similar_pairs rows").register(context.memory_pool()),
            index_memory: MemoryConsumer::new("similar_pairs index")
                .register(context.memory_pool()),
            batch_size: context.session_config().batch_size(),
            metrics: Metrics::new(&self.metrics, partition),
            left_out: LeftOut::default(),
            context,
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&self.schema),
            task.stream(),
        )))
    }
}

/// A part that is being joined by workers, which send the pairs that they find.
struct Current {
    part: u32,
    found: mpsc::Receiver<RecordBatch>,
    workers: JoinSet<Result<kernel::Stats>>,
}

/// One of the workers that join the rows of a part.
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
                // A chunk of rows without pairs: yield, so that other tasks run and a cancelled query can end.
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

/// The rows of parts that are not joined yet.
enum Rows {
    Held(TaskRows),
    Spooled(Box<Spool>),
}

/// The state of one partition's stream.
struct Task {
    spec: Spec,
    schema: SchemaRef,
    input: Option<SendableRecordBatchStream>,
    rows: Rows,
    current: Option<Current>,
    workers: usize,
    rows_memory: MemoryReservation,
    index_memory: MemoryReservation,
    batch_size: usize,
    metrics: Metrics,
    /// What the finished parts left out.
    left_out: LeftOut,
    context: Arc<TaskContext>,
}

impl Task {
    fn stream(self) -> impl Stream<Item = Result<RecordBatch>> {
        futures::stream::try_unfold(self, |mut task| async move {
            Ok(task.next().await?.map(|batch| (batch, task)))
        })
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(input) = self.input.take() {
            self.collect(input).await?;
        }
        loop {
            if let Some(current) = &mut self.current {
                if let Some(batch) = current.found.recv().await {
                    self.metrics.output_rows.add(batch.num_rows());
                    return Ok(Some(batch));
                }
                let mut done = kernel::Stats::default();
                while let Some(stats) = current.workers.join_next().await {
                    let stats =
                        stats.map_err(|error| DataFusionError::External(error.into()))??;
                    done.add(&stats);
                }
                self.metrics.add(&done);
                let left_out = LeftOut::of(&done);
                let runtime = self.context.runtime_env();
                left_out.write(&self.spec, current.part, &runtime).await?;
                self.left_out.add(&left_out);
                self.current = None;
                self.index_memory.free();
            }
            let next = match &mut self.rows {
                Rows::Held(rows) => rows.parts.pop_first(),
                Rows::Spooled(spool) => spool.next(&mut self.rows_memory).await?,
            };
            match next {
                Some((part, rows)) => self.start(part, rows)?,
                None => {
                    // A job reports it in its manifest instead.
                    if self.spec.report.is_none() {
                        self.left_out.warn();
                    }
                    return Ok(None);
                }
            }
        }
    }

    /// Reads all rows of the input.
    async fn collect(&mut self, mut input: SendableRecordBatchStream) -> Result<()> {
        while let Some(batch) = input.next().await.transpose()? {
            match &mut self.rows {
                Rows::Spooled(spool) => spool.push(&batch)?,
                Rows::Held(rows) => {
                    let too_large = |error| does_not_fit("rows of a part do", &self.spec, &error);
                    // Reserve the bytes of the batch before it is copied, and the allocated bytes afterwards.
                    let more = get_record_batch_memory_size(&batch);
                    self.rows_memory.try_grow(more).map_err(too_large)?;
                    rows.extend(&self.spec, &batch)?;
                    let bytes = rows.parts.values().map(PartRows::bytes).sum();
                    self.rows_memory.try_resize(bytes).map_err(too_large)?;
                }
            }
        }
        if let Rows::Spooled(spool) = &mut self.rows {
            spool.finish()?;
        }
        Ok(())
    }

    /// Reserves memory for sorting or for an index. If it is short, rows of waiting parts are spilled.
    fn reserve(&mut self, bytes: usize) -> Result<()> {
        let mut held = self.index_memory.try_resize(bytes);
        if let (Err(_), Rows::Spooled(spool)) = (&held, &mut self.rows)
            && spool.holds_rows()
        {
            spool.spill()?;
            held = self.index_memory.try_resize(bytes);
        }
        held.map_err(|error| does_not_fit("index of a part does", &self.spec, &error))
    }

    fn start(&mut self, number: u32, rows: PartRows) -> Result<()> {
        self.reserve(rows.bytes_to_sort())?;
        let sorted = rows.sort()?;
        let bytes = Join::memory_for(&self.spec, &sorted, number, self.workers);
        self.reserve(bytes)?;
        let (joins, bytes) = Join::start(&self.spec, &sorted, number, self.workers)
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
        self.current = Some(Current {
            part: number,
            found,
            workers,
        });
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
