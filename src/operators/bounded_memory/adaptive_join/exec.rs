//! The physical plan.

use super::super::compact_columns::CompactColumnsExec;
use super::super::merge_batches::MAX_ROWS;
use super::super::sized_sort::SizedSortExec;
use super::super::small_side::{Join, hashable_sides};
use super::side::Side;
use crate::operators::number_sort::NumberSortExec;
use crate::operators::task_context::with_runtime;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use datafusion::execution::memory_pool::{MemoryLimit, MemoryReservation, UnboundedMemoryPool};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{
    EquivalenceProperties, LexOrdering, PhysicalExpr, PhysicalExprRef, PhysicalSortExpr,
};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::joins::SortMergeJoinExec;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder, MetricsSet};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    PlanProperties, ReplaceChildrenOptions,
};
use futures::future::{BoxFuture, Shared};
use futures::{FutureExt, StreamExt, TryStreamExt};
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

/// The hash tables of the adaptive joins of a plan may use this fraction of the memory limit: 1/4.
const PLAN_DIVISOR: usize = 4;
/// The hash table of a join may use this fraction of the memory limit: 1/8.
const JOIN_DIVISOR: usize = 8;
/// Upper bound of the bytes of a hash table: the offsets of texts in a batch are 32-bit numbers.
const MAX_BYTES: usize = 1 << 30;

/// Joins by hash of a side that turns out to fit into memory, else by sorting.
pub(super) struct AdaptiveJoinExec {
    /// The join by sorting. Its inputs are not read.
    join: Arc<dyn ExecutionPlan>,
    left: Arc<dyn ExecutionPlan>,
    right: Arc<dyn ExecutionPlan>,
    /// The number of adaptive joins in the plan, which share the memory.
    joins: usize,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    running: Mutex<Running>,
}

type Outcome = Result<Arc<Chosen>, Arc<DataFusionError>>;

/// The join while it runs.
#[derive(Default)]
struct Running {
    chosen: Option<Shared<BoxFuture<'static, Outcome>>>,
    /// The number of partitions that were executed.
    partitions: usize,
}

/// A join by hash or by sorting, of rows that are read once.
struct Chosen {
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    /// Memory for the table of a join by hash.
    _memory: Vec<MemoryReservation>,
}

impl AdaptiveJoinExec {
    /// The join of these inputs, which are in any order, with the condition of a join by sorting.
    pub(super) fn new(
        join: &Arc<dyn ExecutionPlan>,
        left: Arc<dyn ExecutionPlan>,
        right: Arc<dyn ExecutionPlan>,
        joins: usize,
    ) -> Result<Self> {
        let partitions = join.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(join.schema()),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(Self {
            join: Arc::clone(join),
            left: in_partitions(left, partitions)?,
            right: in_partitions(right, partitions)?,
            joins,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
            running: Mutex::default(),
        })
    }

    fn over(&self, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [left, right]: [_; 2] = children
            .try_into()
            .map_err(|_| internal_datafusion_err!("a join was given other than two inputs"))?;
        Ok(Arc::new(Self::new(&self.join, left, right, self.joins)?))
    }

    /// Reads the side of the join that may fit, and chooses between the joins.
    fn choose(&self, context: &Arc<TaskContext>) -> Result<BoxFuture<'static, Outcome>> {
        let max_bytes = match context.memory_pool().memory_limit() {
            MemoryLimit::Finite(limit) => {
                (limit / JOIN_DIVISOR).min(limit / PLAN_DIVISOR / self.joins.max(1))
            }
            _ => MAX_BYTES,
        };
        let max_bytes = max_bytes.min(MAX_BYTES);
        let join = Arc::clone(&self.join);
        let left = Side::new(&self.left, context)?;
        let right = Side::new(&self.right, context)?;
        let context = Arc::clone(context);
        let hashed_rows = MetricBuilder::new(&self.metrics).global_counter("hashed_rows");
        Ok(async move {
            let chosen = chosen(&join, left, right, max_bytes, context).await;
            chosen
                .map(|(chosen, rows)| {
                    hashed_rows.add(rows);
                    Arc::new(chosen)
                })
                .map_err(Arc::new)
        }
        .boxed())
    }
}

/// The join to run, and the number of rows in its hash table.
async fn chosen(
    join: &Arc<dyn ExecutionPlan>,
    mut left: Side,
    mut right: Side,
    max_bytes: usize,
    context: Arc<TaskContext>,
) -> Result<(Chosen, usize)> {
    let join = Join::of(join).ok_or_else(|| internal_datafusion_err!("a join by sorting"))?;
    let (may_hash_left, may_hash_right) = hashable_sides(join.join_type);
    if may_hash_left {
        left = left.read(max_bytes).await?;
        if left.is_held() {
            let rows = left.held_rows();
            let (table, memory) = left.into_table()?;
            let plan = join.over(&table, &right.into_rows()?).hashing(true)?;
            return Ok((Chosen::by_hash(plan, memory, &context), rows));
        }
    }
    if may_hash_right {
        right = right.read(max_bytes).await?;
        if right.is_held() {
            let rows = right.held_rows();
            let (table, memory) = right.into_table()?;
            let plan = join.over(&left.into_rows()?, &table).hashing(false)?;
            return Ok((Chosen::by_hash(plan, memory, &context), rows));
        }
    }
    let (on_left, on_right) = join.on.iter().cloned().unzip();
    let has_small_batches = context.session_config().batch_size() < MAX_ROWS;
    let left = sorted(left.into_rows()?, on_left, &join, has_small_batches)?;
    let right = sorted(right.into_rows()?, on_right, &join, has_small_batches)?;
    let plan = join.over(&left, &right).by_sorting()?;
    let chosen = Chosen {
        plan,
        context,
        _memory: Vec::new(),
    };
    Ok((chosen, 0))
}

impl Chosen {
    fn by_hash(
        plan: Arc<dyn ExecutionPlan>,
        memory: Vec<MemoryReservation>,
        context: &TaskContext,
    ) -> Self {
        // The memory of the table is reserved already. The inputs have contexts of their own.
        let runtime = RuntimeEnv {
            memory_pool: Arc::new(UnboundedMemoryPool::default()),
            ..context.runtime_env().as_ref().clone()
        };
        Self {
            plan,
            context: with_runtime(context, Arc::new(runtime)),
            _memory: memory,
        }
    }
}

/// The rows in the order and in the partitions that a join by sorting requires.
fn sorted(
    mut rows: Arc<dyn ExecutionPlan>,
    keys: Vec<PhysicalExprRef>,
    join: &Join<'_>,
    has_small_batches: bool,
) -> Result<Arc<dyn ExecutionPlan>> {
    let partitions = rows.output_partitioning().partition_count();
    let options = join.sort_options.iter();
    let order = keys
        .iter()
        .zip(options)
        .map(|(key, options)| PhysicalSortExpr {
            expr: Arc::clone(key),
            options: *options,
        });
    let order = LexOrdering::new(order)
        .ok_or_else(|| internal_datafusion_err!("a join by sorting has a key"))?;
    if partitions > 1 {
        let partitioning = Partitioning::Hash(keys, partitions);
        rows = Arc::new(RepartitionExec::try_new(rows, partitioning)?);
    }
    let is_compacted = CompactColumnsExec::is_useful(&rows);
    if is_compacted {
        rows = Arc::new(CompactColumnsExec::new(rows));
    }
    let sort = SortExec::new(order, rows).with_preserve_partitioning(true);
    let mut sort: Arc<dyn ExecutionPlan> = Arc::new(sort);
    if let Some(sort) = NumberSortExec::in_place_of(&sort) {
        return Ok(Arc::new(sort));
    }
    if has_small_batches && let Some(sized) = SizedSortExec::in_place_of(&sort) {
        sort = Arc::new(sized);
    }
    Ok(match is_compacted {
        true => Arc::new(CompactColumnsExec::new(sort)),
        false => sort,
    })
}

/// The rows in this number of partitions.
fn in_partitions(
    rows: Arc<dyn ExecutionPlan>,
    partitions: usize,
) -> Result<Arc<dyn ExecutionPlan>> {
    Ok(match rows.output_partitioning().partition_count() {
        found if found == partitions => rows,
        _ if partitions == 1 => Arc::new(CoalescePartitionsExec::new(rows)),
        _ => {
            let partitioning = Partitioning::RoundRobinBatch(partitions);
            Arc::new(RepartitionExec::try_new(rows, partitioning)?)
        }
    })
}

impl fmt::Debug for AdaptiveJoinExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdaptiveJoinExec")
            .field("join", &self.join)
            .finish_non_exhaustive()
    }
}

impl DisplayAs for AdaptiveJoinExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "AdaptiveJoinExec")?;
        let Some(join) = self.join.downcast_ref::<SortMergeJoinExec>() else {
            return Ok(());
        };
        let on = join.on().iter();
        let on: Vec<String> = on
            .map(|(left, right)| format!("({left}, {right})"))
            .collect();
        write!(
            f,
            ": join_type={}, on=[{}]",
            join.join_type(),
            on.join(", ")
        )?;
        match join.filter() {
            Some(filter) => write!(f, ", filter={}", filter.expression()),
            None => Ok(()),
        }
    }
}

impl ExecutionPlan for AdaptiveJoinExec {
    fn name(&self) -> &str {
        "AdaptiveJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.left, &self.right]
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

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.join.apply_expressions(f)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let mut running = self.running.lock();
        let chosen = match running.chosen.take() {
            Some(chosen) => chosen,
            None => self.choose(&context)?.shared(),
        };
        running.partitions += 1;
        // The last partition leaves nothing here, so that memory is given back when the rows of all were returned.
        match running.partitions < self.properties.partitioning.partition_count() {
            true => running.chosen = Some(chosen.clone()),
            false => running.partitions = 0,
        }
        let rows = async move {
            let chosen = chosen.await.map_err(DataFusionError::Shared)?;
            let rows = chosen
                .plan
                .execute(partition, Arc::clone(&chosen.context))?;
            Ok::<_, DataFusionError>(rows.map(move |batch| {
                let _held = &chosen;
                batch
            }))
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            futures::stream::once(rows).try_flatten(),
        )))
    }
}
