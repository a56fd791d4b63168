//! Joins with a single row, which is released when the last row of the other side was read.
//!
//! The engine's join by hash holds its table as long as the plan exists. Filters of keys and collections of runs are
//! single rows of up to a GB each, and a plan with several of them reads one after the other.

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, Scalar, UInt32Array,
};
use datafusion::arrow::compute::kernels::cmp::eq;
use datafusion::arrow::compute::{and, filter_record_batch, take};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, NullEquality, Result, exec_err, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::JoinType;
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricBuilder, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PhysicalExpr,
    PlanProperties, ReplaceChildrenOptions,
};
use futures::future::{BoxFuture, Shared};
use futures::{FutureExt, StreamExt, TryStreamExt};
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

/// The row of the left side, `None` if it has none, or the error that every partition gets.
type Outcome = Result<Option<Arc<Row>>, Arc<DataFusionError>>;

/// A row and its reserved memory.
struct Row {
    columns: Vec<ArrayRef>,
    keys: Vec<ArrayRef>,
    _memory: MemoryReservation,
}

/// What the partitions of an execution share.
#[derive(Default)]
struct Execution {
    row: Option<Shared<BoxFuture<'static, Outcome>>>,
    /// The number of partitions that were read to their ends.
    done: usize,
}

/// Joins the single row of the left side with the rows of the right side that have equal keys.
pub(super) struct SingleRowJoinExec {
    /// The join by hash that has the same result. It does not run.
    join: HashJoinExec,
    execution: Arc<Mutex<Execution>>,
    metrics: ExecutionPlanMetricsSet,
}

impl SingleRowJoinExec {
    /// The replacement of a join by hash of a single row of large values with rows of one key; `None` for other nodes.
    /// `is_one_row` tells the plans that have one row at most.
    pub(super) fn in_place_of(
        node: &Arc<dyn ExecutionPlan>,
        is_one_row: impl Fn(&Arc<dyn ExecutionPlan>) -> Result<bool>,
    ) -> Result<Option<Self>> {
        let Some(join) = node.downcast_ref::<HashJoinExec>() else {
            return Ok(None);
        };
        let (left, right) = (join.left(), join.right());
        let schema = left.schema();
        let are_large = schema.fields().iter().any(|field| {
            matches!(
                field.data_type(),
                DataType::Binary | DataType::BinaryView | DataType::List(_)
            )
        });
        // By other keys the engine's join has the scan of the other side leave out rows.
        let mut are_constants = true;
        for (key, other) in join.on() {
            let data_type = key.data_type(&schema)?;
            are_constants &= data_type.is_integer()
                && other.data_type(&right.schema())? == data_type
                && (right.equivalence_properties())
                    .is_expr_constant(other)
                    .is_some();
        }
        if *join.join_type() != JoinType::Inner
            || *join.partition_mode() != PartitionMode::CollectLeft
            || join.filter().is_some()
            || join.fetch().is_some()
            || join.null_equality() != NullEquality::NullEqualsNothing
            || !are_large
            || !are_constants
            || !is_one_row(left)?
        {
            return Ok(None);
        }
        let join = join.builder().reset_state().build()?;
        Ok(Some(Self::new(join)))
    }

    fn new(join: HashJoinExec) -> Self {
        Self {
            join,
            execution: Arc::default(),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    fn over(&self, inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let join = self.join.builder().with_new_children(inputs)?.build()?;
        Ok(Arc::new(Self::new(join)))
    }

    /// The columns of the result among those of both sides.
    fn columns(&self) -> Vec<usize> {
        match &self.join.projection {
            Some(columns) => columns.to_vec(),
            None => (0..self.schema().fields().len()).collect(),
        }
    }
}

/// Reads the row of the left side.
async fn read(
    mut rows: SendableRecordBatchStream,
    keys: Vec<PhysicalExprRef>,
    memory: MemoryReservation,
) -> Result<Option<Arc<Row>>> {
    let mut found = None;
    while let Some(batch) = rows.next().await.transpose()? {
        match (batch.num_rows(), &found) {
            (0, _) => {}
            (1, None) => found = Some(batch),
            (count, _) => return internal_err!("a side of a single row has a batch of {count}"),
        }
    }
    // The operators below release what they hold of the row. Its bytes are those that they counted.
    drop(rows);
    let Some(batch) = found else {
        return Ok(None);
    };
    memory.try_grow(batch.get_array_memory_size())?;
    Ok(Some(Arc::new(Row {
        keys: values(&keys, &batch)?,
        columns: batch.columns().to_vec(),
        _memory: memory,
    })))
}

/// The values of expressions for the rows of a batch.
fn values(expressions: &[PhysicalExprRef], batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
    let values = expressions.iter().map(|expression| {
        let value = expression.evaluate(batch)?;
        value.into_array(batch.num_rows())
    });
    values.collect()
}

/// The rows of a batch of the right side with equal keys, each with the columns of the row.
fn joined(
    row: &Row,
    batch: RecordBatch,
    keys: &[PhysicalExprRef],
    columns: &[usize],
    schema: &SchemaRef,
) -> Result<RecordBatch> {
    let mut are_equal: Option<BooleanArray> = None;
    for (own, others) in row.keys.iter().zip(values(keys, &batch)?) {
        let equal = eq(&others, &Scalar::new(Arc::clone(own)))?;
        are_equal = Some(match are_equal {
            Some(earlier) => and(&earlier, &equal)?,
            None => equal,
        });
    }
    let batch = match are_equal {
        Some(equal) if equal.true_count() < batch.num_rows() => {
            filter_record_batch(&batch, &equal)?
        }
        _ => batch,
    };
    let rows = batch.num_rows();
    let copies = UInt32Array::from(vec![0; rows]);
    let columns = columns
        .iter()
        .map(|&column| match column.checked_sub(row.columns.len()) {
            Some(column) => Ok(Arc::clone(batch.column(column))),
            None => Ok(take(&row.columns[column], &copies, None)?),
        });
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(
        Arc::clone(schema),
        columns.collect::<Result<_>>()?,
        &options,
    )?)
}

impl fmt::Debug for SingleRowJoinExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for SingleRowJoinExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let on = self.join.on().iter();
        let on: Vec<String> = on.map(|(a, b)| format!("({a}, {b})")).collect();
        write!(f, "SingleRowJoinExec: on=[{}]", on.join(", "))
    }
}

impl ExecutionPlan for SingleRowJoinExec {
    fn name(&self) -> &'static str {
        "SingleRowJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.join.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.join.children()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false, true]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.join.apply_expressions(visit)
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
        let (left, right) = (self.join.left(), self.join.right());
        let partitions = right.output_partitioning().partition_count();
        if partition >= partitions {
            return exec_err!("SingleRowJoinExec: no partition {partition} of {partitions}");
        }
        let (own, others): (Vec<_>, Vec<_>) = self.join.on().iter().cloned().unzip();
        let row = {
            let mut execution = self.execution.lock();
            match &execution.row {
                Some(row) => row.clone(),
                None => {
                    let rows = left.execute(0, Arc::clone(&context))?;
                    let memory = MemoryConsumer::new(self.name()).register(context.memory_pool());
                    let row = read(rows, own, memory).map(|row| row.map_err(Arc::new));
                    let row = row.boxed().shared();
                    execution.row = Some(row.clone());
                    row
                }
            }
        };
        let right = right.execute(partition, context)?;
        let (columns, schema) = (self.columns(), self.schema());
        let output_rows = MetricBuilder::new(&self.metrics).output_rows(partition);
        let execution = Arc::clone(&self.execution);
        let done = move || {
            let mut execution = execution.lock();
            execution.done += 1;
            if execution.done >= partitions {
                *execution = Execution::default();
            }
        };
        let of_batches = Arc::clone(&schema);
        let rows = async move {
            let row = row.await.map_err(DataFusionError::Shared)?;
            let right = row.is_some().then_some(right);
            let state = Some((row, right, done));
            let rows = futures::stream::unfold(state, move |state| {
                let (others, columns, schema) =
                    (others.clone(), columns.clone(), Arc::clone(&of_batches));
                let output_rows = output_rows.clone();
                async move {
                    let (row, mut right, done) = state?;
                    let next = match &mut right {
                        Some(right) => right.next().await,
                        None => None,
                    };
                    let Some((row_of_all, batch)) = row.as_ref().zip(next) else {
                        drop(row);
                        done();
                        return None;
                    };
                    let batch = batch
                        .and_then(|batch| joined(row_of_all, batch, &others, &columns, &schema));
                    output_rows.add(batch.as_ref().map_or(0, RecordBatch::num_rows));
                    Some((batch, Some((row, right, done))))
                }
            });
            Ok::<_, DataFusionError>(rows)
        };
        let rows = futures::stream::once(rows).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Memory, Resources};
    use datafusion::arrow::util::pretty::pretty_format_batches;
    use datafusion::common::Result;
    use datafusion::physical_plan::{collect, displayable};
    use datafusion::prelude::SessionContext;
    use std::sync::Arc;

    fn session(threads: usize, memory: Memory) -> Result<SessionContext> {
        Resources {
            threads,
            memory,
            ..Resources::default()
        }
        .session()
    }

    /// The engine's join counted the bytes of the row until the end of the query. The row of an aggregate was counted twice
    /// while it was read.
    #[tokio::test]
    async fn a_row_is_released_after_its_join() -> Result<()> {
        for memory in [Memory::Unlimited, Memory::Bytes(30 << 20)] {
            let context = session(3, memory)?;
            for (key, having, expected) in [
                // The join of two single rows is a single row, too.
                ("0", "", 1_000),
                ("1", "", 0),
                ("0", "HAVING count(*) > 5", 1_000),
                ("0", "HAVING count(*) < 5", 0),
            ] {
                let row = format!(
                    "SELECT array_agg(repeat('x', 1000)) AS list, 0 AS key FROM generate_series(1, 20) {having}"
                );
                let sql = format!(
                    "SELECT count(*), sum(cardinality(a)), sum(cardinality(c)) \
                     FROM (SELECT a.list AS a, c.list AS c, 0 AS key \
                           FROM ({row}) AS a JOIN ({row}) AS c ON a.key = c.key) AS both \
                     JOIN (SELECT {key} AS key FROM generate_series(1, 1000)) AS b ON both.key = b.key"
                );
                let frame = context.sql(&sql).await?;
                let task = Arc::new(frame.task_ctx());
                let pool = Arc::clone(task.memory_pool());
                let plan = frame.create_physical_plan().await?;
                let shown = displayable(plan.as_ref()).indent(false).to_string();
                assert_eq!(shown.matches("SingleRowJoinExec").count(), 2, "{shown}");
                let found = collect(Arc::clone(&plan), task).await?;
                let found = pretty_format_batches(&found)?.to_string();
                let sum = match expected {
                    0 => String::new(),
                    rows => (rows * 20).to_string(),
                };
                let row = found.lines().nth(3).unwrap_or_default();
                let cells: Vec<&str> = row.split('|').map(str::trim).collect();
                assert_eq!(
                    cells,
                    ["", &expected.to_string(), &sum, &sum, ""],
                    "{found}"
                );
                assert_eq!(pool.reserved(), 0, "{sql}");
            }
        }
        Ok(())
    }

    /// The engine moves a limit into its join.
    #[tokio::test]
    async fn limits_of_rows_hold() -> Result<()> {
        for (threads, memory) in [(1, Memory::Unlimited), (2, Memory::Bytes(30 << 20))] {
            let context = session(threads, memory)?;
            for (limit, expected) in [("LIMIT 5", 5), ("LIMIT 5 OFFSET 48", 2), ("", 50)] {
                let sql = format!(
                    "SELECT cardinality(a.list), b.value \
                     FROM (SELECT array_agg(value) AS list, 0 AS key FROM generate_series(1, 3)) AS a \
                     JOIN (SELECT 0 AS key, value FROM generate_series(1, 50)) AS b ON a.key = b.key {limit}"
                );
                assert_eq!(context.sql(&sql).await?.count().await?, expected, "{sql}");
                let batches = context.sql(&sql).await?.collect().await?;
                let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
                assert_eq!(rows, expected, "{sql}");
            }
        }
        Ok(())
    }
}
