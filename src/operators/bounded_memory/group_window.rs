//! Windows with `PARTITION BY`, evaluated group by group. The engine's operator holds all input rows until the last
//! one has arrived, outside of the memory pool: 300 to 370 bytes per row. This operator takes the same input, sorted
//! by group, and holds the rows of one group at a time. If all windows are totals of their group, it spills those rows
//! to disk when memory is short.

use super::compact_columns::compact_columns;
use crate::operators::spilling::{spill_manager, spillable_memory};
use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::{concat, concat_batches, partition};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{
    DataFusionError, Result, ScalarValue, internal_datafusion_err, internal_err,
};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Accumulator, WindowFrameBound, WindowFrameUnits};
use datafusion::physical_expr::window::{PlainAggregateWindowExpr, WindowExpr};
use datafusion::physical_expr::{OrderingRequirements, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet, SpillMetrics};
use datafusion::physical_plan::spill::spill_pool::{SpillPoolSink, spsc_channel};
use datafusion::physical_plan::spill::{SpillManager, get_record_batch_memory_size};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan,
    InputDistributionRequirements, PlanProperties, ReplaceChildrenOptions,
};
use futures::{Stream, StreamExt};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// The windows of a `WindowAggExec` that has `PARTITION BY`.
#[derive(Debug)]
pub(super) struct GroupWindowExec {
    /// The engine's operator. It describes the windows and their requirements, and is never executed.
    window: Arc<dyn ExecutionPlan>,
    expressions: Vec<Arc<dyn WindowExpr>>,
    group: Vec<PhysicalSortExpr>,
    metrics: ExecutionPlanMetricsSet,
}

impl GroupWindowExec {
    /// The replacement for the engine's operator, or `None` if the node is no such operator or has no `PARTITION BY`.
    pub(super) fn in_place_of(window: &Arc<dyn ExecutionPlan>) -> Result<Option<Self>> {
        let Some(engine) = window.downcast_ref::<WindowAggExec>() else {
            return Ok(None);
        };
        let group = engine.partition_by_sort_keys()?;
        Ok((!group.is_empty()).then(|| Self {
            window: Arc::clone(window),
            expressions: engine.window_expr().to_vec(),
            group,
            metrics: ExecutionPlanMetricsSet::new(),
        }))
    }

    fn over(&self, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        let window = Arc::clone(&self.window).replace_children(children, options)?;
        match Self::in_place_of(&window)? {
            Some(operator) => Ok(Arc::new(operator)),
            None => internal_err!("GroupWindowExec: the windows have no PARTITION BY"),
        }
    }
}

impl DisplayAs for GroupWindowExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let names: Vec<&str> = self
            .expressions
            .iter()
            .map(|window| window.name())
            .collect();
        write!(f, "GroupWindowExec: {}", names.join(", "))
    }
}

impl ExecutionPlan for GroupWindowExec {
    fn name(&self) -> &str {
        "GroupWindowExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.window.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.window.children()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.window.input_distribution_requirements()
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        self.window.required_input_ordering()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.window.apply_expressions(visit)
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

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let children = self.window.children();
        let Some(input) = children.first() else {
            return internal_err!("GroupWindowExec has one input");
        };
        let spills = SpillMetrics::new(&self.metrics, partition);
        let task = Task {
            input: Some(input.execute(partition, Arc::clone(&context))?),
            schema: self.window.schema(),
            expressions: self.expressions.clone(),
            totals: self.expressions.iter().all(is_total),
            group: self.group.clone(),
            open: CurrentGroup::default(),
            done: VecDeque::new(),
            read_back: None,
            manager: Arc::new(spill_manager(&context, spills, input.schema())),
            memory: spillable_memory(&context, "window"),
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.window.schema(),
            task.stream(),
        )))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// Whether a window is an aggregate of all rows of its group: it has no filter, and its frame is the whole group.
fn is_total(window: &Arc<dyn WindowExpr>) -> bool {
    let Some(total) = of_total(window) else {
        return false;
    };
    let frame = total.get_window_frame();
    let is_whole = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::CurrentRow => {
            frame.units == WindowFrameUnits::Range && total.order_by().is_empty()
        }
        bound => bound.is_unbounded(),
    };
    // The filter has no accessor: compare with the same window without a filter.
    let unfiltered = PlainAggregateWindowExpr::new(
        Arc::new(total.get_aggregate_expr().clone()),
        total.partition_by(),
        total.order_by(),
        Arc::clone(frame),
        None,
    );
    is_whole(&frame.start_bound)
        && is_whole(&frame.end_bound)
        && format!("{total:?}") == format!("{unfiltered:?}")
}

fn of_total(window: &Arc<dyn WindowExpr>) -> Option<&PlainAggregateWindowExpr> {
    window.as_any().downcast_ref()
}

struct Task {
    /// `None` once the input has ended.
    input: Option<SendableRecordBatchStream>,
    schema: SchemaRef,
    expressions: Vec<Arc<dyn WindowExpr>>,
    /// Whether each window is an aggregate of all rows of its group.
    totals: bool,
    group: Vec<PhysicalSortExpr>,
    open: CurrentGroup,
    /// Finished rows, with the columns of their windows. They are returned after the rows of `read_back`.
    done: VecDeque<RecordBatch>,
    /// The spilled rows of a group, and the values of its windows.
    read_back: Option<(SendableRecordBatchStream, Vec<ScalarValue>)>,
    manager: Arc<SpillManager>,
    memory: MemoryReservation,
}

/// The group that was read last. The next batch may have more rows of it.
#[derive(Default)]
struct CurrentGroup {
    /// The spilled rows.
    written: Option<Written>,
    /// The rows after the spilled ones.
    batches: Vec<RecordBatch>,
    /// The last row.
    last: Option<RecordBatch>,
}

/// Spilled rows, and the aggregates over them.
struct Written {
    writer: SpillPoolSink,
    reader: SendableRecordBatchStream,
    totals: Vec<Box<dyn Accumulator>>,
}

impl Task {
    fn stream(self) -> impl Stream<Item = Result<RecordBatch>> {
        futures::stream::try_unfold(self, |mut task| async move {
            Ok(task.next().await?.map(|batch| (batch, task)))
        })
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some((rows, values)) = &mut self.read_back {
                if let Some(batch) = rows.next().await.transpose()? {
                    return Ok(Some(with_values(&self.schema, &batch, values)?));
                }
                self.read_back = None;
            }
            if let Some(batch) = self.done.pop_front() {
                return Ok(Some(batch));
            }
            let Some(input) = &mut self.input else {
                return Ok(None);
            };
            match input.next().await.transpose()? {
                Some(batch) if batch.num_rows() == 0 => {}
                // A merge of sorted rows hands on the buffers of all of them with each batch.
                Some(batch) => self.push(compact_columns(&batch)?)?,
                None => {
                    self.input = None;
                    self.close(None)?;
                    self.memory.free();
                }
            }
        }
    }

    fn push(&mut self, batch: RecordBatch) -> Result<()> {
        let last = self.groups(&batch)?.last().map_or(0, |rows| rows.start);
        let is_continued = self.continues_group(&batch)?;
        let bytes = get_record_batch_memory_size(&batch);
        if last == 0 && is_continued {
            return self.hold(batch, bytes);
        }
        let closed = (last > 0).then(|| batch.slice(0, last));
        let rest = batch.slice(last, batch.num_rows() - last);
        match is_continued {
            true => self.close(closed)?,
            // The closed rows of this batch belong to other groups.
            false => {
                self.close(None)?;
                self.open.batches.extend(closed);
                self.close(None)?;
            }
        }
        self.open.last = Some(rest.slice(rest.num_rows() - 1, 1));
        self.open.batches.push(rest);
        // One batch is always held, even beyond the memory limit.
        self.memory.resize(bytes);
        Ok(())
    }

    /// Adds rows to the open group: in memory, or on disk if memory is short.
    fn hold(&mut self, batch: RecordBatch, bytes: usize) -> Result<()> {
        // Windows that are no totals need the rows of the group in one batch, which is a copy.
        let held = if self.totals { bytes } else { 2 * bytes };
        let fits = self.memory.try_grow(held);
        self.open.last = Some(batch.slice(batch.num_rows() - 1, 1));
        self.open.batches.push(batch);
        match fits {
            Ok(()) => Ok(()),
            Err(error) if !self.totals => Err(too_large(error)),
            Err(_) => self.write(),
        }
    }

    /// Writes the rows of the open group to disk.
    fn write(&mut self) -> Result<()> {
        let written = match &mut self.open.written {
            Some(written) => written,
            none => {
                // A single file, which is read only after it is complete.
                let (writer, reader) = spsc_channel(usize::MAX, Arc::clone(&self.manager));
                let totals = accumulators(&self.expressions)?;
                none.insert(Written {
                    writer,
                    reader,
                    totals,
                })
            }
        };
        for batch in self.open.batches.drain(..) {
            add(&self.expressions, &mut written.totals, &batch)?;
            written.writer.push_batch(&batch)?;
        }
        self.memory.free();
        Ok(())
    }

    /// Closes the open group, and the groups of a batch `more`, which begins with rows of the open group.
    fn close(&mut self, more: Option<RecordBatch>) -> Result<()> {
        let CurrentGroup {
            written, batches, ..
        } = std::mem::take(&mut self.open);
        if !self.totals || (written.is_none() && batches.len() < 2) {
            let batches: Vec<RecordBatch> = batches.into_iter().chain(more).collect();
            self.done.extend(self.evaluate(&batches)?);
            return Ok(());
        }
        let (reader, mut totals) = match written {
            Some(written) => (Some(written.reader), written.totals),
            None => (None, accumulators(&self.expressions)?),
        };
        let own = match &more {
            Some(more) => self.groups(more)?.first().map_or(0, |rows| rows.end),
            None => 0,
        };
        let end = more.as_ref().map(|more| more.slice(0, own));
        for batch in batches.iter().chain(&end) {
            add(&self.expressions, &mut totals, batch)?;
        }
        let values = totals.iter_mut().map(|total| total.evaluate());
        let values = values.collect::<Result<Vec<_>>>()?;
        for batch in batches.iter().chain(&end) {
            self.done
                .push_back(with_values(&self.schema, batch, &values)?);
        }
        self.read_back = reader.map(|rows| (rows, values));
        if let Some(more) = more
            && own < more.num_rows()
        {
            let others = more.slice(own, more.num_rows() - own);
            self.done.extend(self.evaluate(&[others])?);
        }
        Ok(())
    }

    /// The row ranges of the groups of a batch.
    fn groups(&self, batch: &RecordBatch) -> Result<Vec<Range<usize>>> {
        let columns = self.group.iter();
        let columns: Result<Vec<ArrayRef>> = columns
            .map(|key| Ok(key.evaluate_to_sort_column(batch)?.values))
            .collect();
        Ok(partition(&columns?)?.ranges())
    }

    /// Whether a batch begins with rows of the open group.
    fn continues_group(&self, batch: &RecordBatch) -> Result<bool> {
        let Some(last) = &self.open.last else {
            return Ok(true);
        };
        let ends = [last.clone(), batch.slice(0, 1)];
        let both = concat_batches(&batch.schema(), &ends)?;
        Ok(self.groups(&both)?.len() == 1)
    }

    /// Evaluates the windows over complete groups and appends their columns.
    fn evaluate(&self, groups: &[RecordBatch]) -> Result<Option<RecordBatch>> {
        let Some(first) = groups.first() else {
            return Ok(None);
        };
        let rows = concat_batches(&first.schema(), groups)?;
        let mut found: Vec<Vec<ArrayRef>> = vec![Vec::new(); self.expressions.len()];
        for group in self.groups(&rows)? {
            let group = rows.slice(group.start, group.len());
            for (window, found) in self.expressions.iter().zip(&mut found) {
                found.push(window.evaluate(&group)?);
            }
        }
        let found = found.iter().map(|found| {
            let parts: Vec<_> = found.iter().map(AsRef::as_ref).collect();
            Ok(concat(&parts)?)
        });
        with_columns(&self.schema, &rows, found.collect::<Result<_>>()?).map(Some)
    }
}

fn accumulators(windows: &[Arc<dyn WindowExpr>]) -> Result<Vec<Box<dyn Accumulator>>> {
    let windows = windows.iter().map(|window| match of_total(window) {
        Some(total) => total.get_aggregate_expr().create_accumulator(),
        None => internal_err!("the window {} is not an aggregate", window.name()),
    });
    windows.collect()
}

fn add(
    windows: &[Arc<dyn WindowExpr>],
    totals: &mut [Box<dyn Accumulator>],
    batch: &RecordBatch,
) -> Result<()> {
    for (window, total) in windows.iter().zip(totals) {
        total.update_batch(&window.evaluate_args(batch)?)?;
    }
    Ok(())
}

/// Appends the values of the windows to the rows of one group.
fn with_values(
    schema: &SchemaRef,
    rows: &RecordBatch,
    values: &[ScalarValue],
) -> Result<RecordBatch> {
    let columns = values
        .iter()
        .map(|value| value.to_array_of_size(rows.num_rows()));
    with_columns(schema, rows, columns.collect::<Result<_>>()?)
}

fn with_columns(
    schema: &SchemaRef,
    rows: &RecordBatch,
    more: Vec<ArrayRef>,
) -> Result<RecordBatch> {
    let columns = rows.columns().iter().cloned().chain(more).collect();
    RecordBatch::try_new(Arc::clone(schema), columns)
        .map_err(|error| internal_datafusion_err!("a window: {error}"))
}

fn too_large(error: DataFusionError) -> DataFusionError {
    match error {
        DataFusionError::ResourcesExhausted(text) => DataFusionError::ResourcesExhausted(format!(
            "the rows of one group of a window do not fit into memory: {text}"
        )),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::util::pretty::pretty_format_batches;
    use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
    use datafusion::execution::memory_pool::{FairSpillPool, MemoryLimit};
    use datafusion::execution::runtime_env::RuntimeEnvBuilder;
    use datafusion::physical_expr::Distribution;
    use datafusion::prelude::{SessionConfig, SessionContext};
    use std::sync::Arc;

    const SQL: &str = "SELECT value % 1000 AS g, value, count(*) OVER (PARTITION BY value % 1000) AS n, \
         min(value) OVER (PARTITION BY value % 1000) AS least \
         FROM generate_series(1, 3000)";
    /// A group of 30,000 rows among small groups.
    const LARGE: &str = "SELECT value, text, count(*) OVER (PARTITION BY g) AS n, sum(value) OVER (PARTITION BY g) AS s \
         FROM (SELECT value, CASE WHEN value BETWEEN 1000 AND 31000 THEN 500 ELSE value % 1000 END AS g, \
         repeat('x', CAST(value % 300 AS INT)) AS text FROM generate_series(1, 40000))";
    /// Totals together with windows that have a filter or an order.
    const OTHERS: &str = "SELECT value, count(*) OVER (PARTITION BY value % 3) AS n, \
         sum(value) FILTER (WHERE value % 2 = 0) OVER (PARTITION BY value % 3) AS s, \
         last_value(value) OVER (PARTITION BY value % 3 ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l \
         FROM generate_series(1, 9000)";

    async fn rows(session: &SessionContext, sql: &str) -> String {
        let frame = session.sql(sql).await.expect("a plan");
        let plan = frame.clone().create_physical_plan().await.expect("a plan");
        let shown = datafusion::physical_plan::displayable(plan.as_ref()).indent(false);
        assert!(shown.to_string().contains("GroupWindowExec"), "{shown}");
        let rows = frame.collect().await.expect("rows");
        let shown = pretty_format_batches(&rows).expect("a table").to_string();
        let mut lines: Vec<&str> = shown.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    }

    async fn answer(sql: &str, batch_size: usize) -> String {
        let config = SessionConfig::new()
            .with_batch_size(batch_size)
            .with_target_partitions(2);
        let session = crate::session(config, Default::default()).expect("a session");
        rows(&session, sql).await
    }

    #[tokio::test]
    async fn groups_are_whole_at_any_batch_size() {
        let one = answer(SQL, 8192).await;
        assert!(one.contains("| 0   | 1000  | 3 | 1000  |"), "{one}");
        for batch_size in [1, 2, 7, 100] {
            assert_eq!(answer(SQL, batch_size).await, one, "{batch_size}");
        }
        for sql in [LARGE, OTHERS] {
            let one = answer(sql, 100_000).await;
            for batch_size in [64, 1000, 8192] {
                assert_eq!(answer(sql, batch_size).await, one, "{batch_size}: {sql}");
            }
        }
        assert!(
            answer(OTHERS, 100)
                .await
                .contains("| 9000  | 3000 | 6754500 | 9000 |")
        );
        // The default session has no memory limit.
        let session = crate::session(Default::default(), Default::default()).expect("a session");
        let pool = session.runtime_env().memory_pool.memory_limit();
        assert!(!matches!(pool, MemoryLimit::Finite(_)));
    }

    /// A rule that optimizes the plan again must not take the rows of a group apart.
    #[tokio::test]
    async fn input_is_partitioned_by_groups() {
        let config = SessionConfig::new().with_target_partitions(2);
        let session = crate::session(config, Default::default()).expect("a session");
        let frame = session.sql(SQL).await.expect("a plan");
        let plan = frame.create_physical_plan().await.expect("a plan");
        let mut found = 0;
        plan.apply(|node| {
            if node.name() == "GroupWindowExec" {
                let requirements = node.input_distribution_requirements();
                let is_hash =
                    |wanted: &Distribution| matches!(wanted, Distribution::KeyPartitioned(_));
                assert!(requirements.per_child_distributions().all(is_hash));
                found += 1;
            }
            Ok(TreeNodeRecursion::Continue)
        })
        .expect("a plan");
        assert!(found > 0);
    }

    /// The rows of a large group are spilled, and the answer is the same.
    #[tokio::test]
    async fn a_group_larger_than_memory_spills() {
        let expected = answer(LARGE, 100_000).await;
        let pool = Arc::new(FairSpillPool::new(5 << 20));
        let runtime = RuntimeEnvBuilder::new().with_memory_pool(pool);
        let runtime = runtime.build_arc().expect("a runtime");
        let mut config = SessionConfig::new()
            .with_batch_size(512)
            .with_target_partitions(2);
        config.options_mut().execution.sort_spill_reservation_bytes = 64 << 10;
        let session = crate::session(config, runtime).expect("a session");
        assert_eq!(rows(&session, LARGE).await, expected);
        let explained = format!("EXPLAIN ANALYZE {LARGE}");
        let frame = session.sql(&explained).await.expect("a plan");
        let shown = frame.to_string().await.expect("rows");
        let window = shown.lines().find(|line| line.contains("GroupWindowExec"));
        let window = window.expect("an operator");
        assert!(
            !window.contains("spill_count=0") && window.contains("spill_count="),
            "{window}"
        );
    }
}
