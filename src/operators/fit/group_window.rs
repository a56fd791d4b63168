//! Windows over the rows of a group, group by group. The engine's operator holds all rows until the last, outside
//! of the memory pool: 300 to 370 bytes a row. This one takes the same rows, sorted by group, and holds those of
//! one group.

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::{concat, concat_batches, partition};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_expr::{OrderingRequirements, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::spill::get_record_batch_memory_size;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::{Stream, StreamExt};
use std::ops::Range;
use std::sync::Arc;

/// The windows of a `WindowAggExec` that has `PARTITION BY`.
#[derive(Debug)]
pub(super) struct GroupWindowExec {
    /// The engine's operator, which knows the windows and what they need, and is not run.
    window: Arc<dyn ExecutionPlan>,
    expressions: Vec<Arc<dyn WindowExpr>>,
    group: Vec<PhysicalSortExpr>,
}

impl GroupWindowExec {
    /// In place of the engine's operator; `None` where its windows have no groups.
    pub(super) fn in_place_of(window: &Arc<dyn ExecutionPlan>) -> Result<Option<Self>> {
        let Some(engine) = window.downcast_ref::<WindowAggExec>() else {
            return Ok(None);
        };
        let group = engine.partition_by_sort_keys()?;
        Ok((!group.is_empty()).then(|| Self {
            window: Arc::clone(window),
            expressions: engine.window_expr().to_vec(),
            group,
        }))
    }

    fn over(&self, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        let window = Arc::clone(&self.window).replace_children(children, options)?;
        match Self::in_place_of(&window)? {
            Some(operator) => Ok(Arc::new(operator)),
            None => internal_err!("a window over groups lost them"),
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
            return internal_err!("a window has one input");
        };
        let task = Task {
            input: Some(input.execute(partition, Arc::clone(&context))?),
            schema: self.window.schema(),
            expressions: self.expressions.clone(),
            group: self.group.clone(),
            open: Vec::new(),
            memory: MemoryConsumer::new("window").register(context.memory_pool()),
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.window.schema(),
            task.stream(),
        )))
    }
}

struct Task {
    /// Until its end.
    input: Option<SendableRecordBatchStream>,
    schema: SchemaRef,
    expressions: Vec<Arc<dyn WindowExpr>>,
    group: Vec<PhysicalSortExpr>,
    /// Rows of the last group, which may have more.
    open: Vec<RecordBatch>,
    memory: MemoryReservation,
}

impl Task {
    fn stream(self) -> impl Stream<Item = Result<RecordBatch>> {
        futures::stream::try_unfold(self, |mut task| async move {
            Ok(task.next().await?.map(|batch| (batch, task)))
        })
    }

    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        let Some(mut input) = self.input.take() else {
            return Ok(None);
        };
        while let Some(batch) = input.next().await.transpose()? {
            if batch.num_rows() == 0 {
                continue;
            }
            let last = self.groups(&batch)?.last().map_or(0, |rows| rows.start);
            let closes = last > 0 || !self.goes_on(&batch)?;
            let bytes = get_record_batch_memory_size(&batch);
            if !closes {
                self.memory.try_grow(bytes).map_err(too_large)?;
                self.open.push(batch);
                continue;
            }
            if last > 0 {
                self.open.push(batch.slice(0, last));
            }
            let rest = batch.slice(last, batch.num_rows() - last);
            let closed = std::mem::replace(&mut self.open, vec![rest]);
            let answer = self.answer(closed)?;
            // One batch is always held, whatever others hold.
            self.memory.resize(bytes);
            if answer.is_some() {
                self.input = Some(input);
                return Ok(answer);
            }
        }
        let closed = std::mem::take(&mut self.open);
        let answer = self.answer(closed)?;
        self.memory.free();
        Ok(answer)
    }

    /// The rows of each group of a batch.
    fn groups(&self, batch: &RecordBatch) -> Result<Vec<Range<usize>>> {
        let columns = self.group.iter();
        let columns: Result<Vec<ArrayRef>> = columns
            .map(|key| Ok(key.evaluate_to_sort_column(batch)?.values))
            .collect();
        Ok(partition(&columns?)?.ranges())
    }

    /// Whether a batch begins with rows of the open group.
    fn goes_on(&self, batch: &RecordBatch) -> Result<bool> {
        let Some(open) = self.open.last() else {
            return Ok(true);
        };
        let ends = [open.slice(open.num_rows() - 1, 1), batch.slice(0, 1)];
        let both = concat_batches(&batch.schema(), &ends)?;
        Ok(self.groups(&both)?.len() == 1)
    }

    /// Whole groups with the columns of their windows.
    fn answer(&self, groups: Vec<RecordBatch>) -> Result<Option<RecordBatch>> {
        let Some(first) = groups.first() else {
            return Ok(None);
        };
        let rows = concat_batches(&first.schema(), &groups)?;
        drop(groups);
        let mut found: Vec<Vec<ArrayRef>> = vec![Vec::new(); self.expressions.len()];
        for group in self.groups(&rows)? {
            let group = rows.slice(group.start, group.len());
            for (window, found) in self.expressions.iter().zip(&mut found) {
                found.push(window.evaluate(&group)?);
            }
        }
        let mut columns = rows.columns().to_vec();
        for found in &found {
            let parts: Vec<_> = found.iter().map(AsRef::as_ref).collect();
            columns.push(concat(&parts)?);
        }
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| internal_datafusion_err!("a window: {error}"))?;
        Ok(Some(batch))
    }
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
    use datafusion::execution::memory_pool::MemoryLimit;
    use datafusion::prelude::SessionConfig;

    const SQL: &str = "SELECT value % 1000 AS g, value, count(*) OVER (PARTITION BY value % 1000) AS n, \
         min(value) OVER (PARTITION BY value % 1000) AS least \
         FROM generate_series(1, 3000) ORDER BY value";

    async fn answer(batch_size: usize) -> String {
        let config = SessionConfig::new()
            .with_batch_size(batch_size)
            .with_target_partitions(2);
        let session = crate::session(config, Default::default()).expect("a session");
        let frame = session.sql(SQL).await.expect("a plan");
        let plan = frame.clone().create_physical_plan().await.expect("a plan");
        let shown = datafusion::physical_plan::displayable(plan.as_ref()).indent(false);
        assert!(shown.to_string().contains("GroupWindowExec"), "{shown}");
        let rows = frame.collect().await.expect("rows");
        pretty_format_batches(&rows).expect("a table").to_string()
    }

    #[tokio::test]
    async fn groups_are_whole_at_any_batch_size() {
        let one = answer(8192).await;
        assert!(one.contains("| 0   | 1000  | 3 | 1000  |"), "{one}");
        for batch_size in [1, 2, 7, 100] {
            assert_eq!(answer(batch_size).await, one, "{batch_size}");
        }
        // A session of an embedder has no limit of ours.
        let session = crate::session(Default::default(), Default::default()).expect("a session");
        let pool = session.runtime_env().memory_pool.memory_limit();
        assert!(!matches!(pool, MemoryLimit::Finite(_)));
    }
}
