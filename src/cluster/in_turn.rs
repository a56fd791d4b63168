//! Gathers the rows of several partitions in turn.
//!
//! A total over large states, such as a filter of keys of 32 MiB, is computed by one task from the states of all tasks. The
//! engine reads all partitions at the same time, so that this task would hold all states, and more of them the more tasks a
//! query has. Read in turn, it holds one state beside that of the total.

use crate::operators::rows_once::rows_once;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::{StreamExt, TryStreamExt, stream};
use std::sync::Arc;

/// Whether a plan is a total of states that may be large.
pub(super) fn merges_large_states(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.downcast_ref::<AggregateExec>().is_some_and(|total| {
        let schema = total.input().schema();
        let mut states = schema.fields().iter().map(|field| field.data_type());
        let is_large = |state: &DataType| state.is_binary() || state.is_nested();
        *total.mode() == AggregateMode::Final
            && total.group_expr().is_empty()
            && total.input().is::<CoalescePartitionsExec>()
            && states.any(is_large)
    })
}

/// The plan, to be executed once, with partitions that are gathered in turn.
pub(super) fn in_turn(
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<TaskContext>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let changed = Arc::clone(plan).transform_down(|node| {
        let gathered = node.downcast_ref::<CoalescePartitionsExec>();
        let Some(gathered) = gathered.filter(|gathered| gathered.fetch().is_none()) else {
            return Ok(Transformed::no(node));
        };
        let rows = partitions_in_turn(Arc::clone(gathered.input()), Arc::clone(context));
        let rows = rows_once(&node.schema(), [rows])?;
        Ok(Transformed::new(rows, true, TreeNodeRecursion::Jump))
    })?;
    Ok(changed.data)
}

/// The rows of all partitions. Each partition is begun when the one before it has ended.
fn partitions_in_turn(
    input: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
) -> SendableRecordBatchStream {
    let schema = input.schema();
    let partitions = input.output_partitioning().partition_count();
    let rows = stream::iter(0..partitions)
        .map(move |partition| input.execute(partition, Arc::clone(&context)))
        .try_flatten();
    Box::pin(RecordBatchStreamAdapter::new(schema, rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::{ArrayRef, BinaryArray, Int64Array, RecordBatch};
    use datafusion::arrow::datatypes::SchemaRef;
    use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
    use datafusion::prelude::SessionContext;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A partition that counts how many are read at the same time.
    #[derive(Debug)]
    struct Counted {
        rows: RecordBatch,
        schema: SchemaRef,
        open: Arc<AtomicUsize>,
        most: Arc<AtomicUsize>,
    }

    impl PartitionStream for Counted {
        fn schema(&self) -> &SchemaRef {
            &self.schema
        }

        fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
            let now = self.open.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            let open = Arc::clone(&self.open);
            let end = stream::once(async move {
                open.fetch_sub(1, Ordering::SeqCst);
                None
            });
            let rows = stream::iter([Some(Ok(self.rows.clone()))]).chain(end);
            let rows = rows.filter_map(|batch| async { batch });
            Box::pin(RecordBatchStreamAdapter::new(
                Arc::clone(&self.schema),
                rows,
            ))
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn one_partition_is_read_at_a_time() -> Result<()> {
        let (open, most) = (Arc::default(), Arc::<AtomicUsize>::default());
        let partition = |number: i64| -> Result<Arc<dyn PartitionStream>> {
            let numbers: ArrayRef = Arc::new(Int64Array::from(vec![number; 10]));
            let rows = RecordBatch::try_from_iter([("number", numbers)])?;
            Ok(Arc::new(Counted {
                schema: rows.schema(),
                rows,
                open: Arc::clone(&open),
                most: Arc::clone(&most),
            }))
        };
        let partitions = (0..20).map(partition).collect::<Result<Vec<_>>>()?;
        let schema = Arc::clone(partitions[0].schema());
        let input = StreamingTableExec::try_new(schema, partitions, None, [], false, None)?;
        let gathered: Arc<dyn ExecutionPlan> =
            Arc::new(CoalescePartitionsExec::new(Arc::new(input)));
        let context = SessionContext::new().task_ctx();
        let rows = in_turn(&gathered, &context)?.execute(0, context)?;
        let rows: Vec<RecordBatch> = rows.try_collect().await?;
        let rows = rows.iter().map(RecordBatch::num_rows).sum::<usize>();
        assert_eq!((rows, most.load(Ordering::SeqCst)), (200, 1));
        Ok(())
    }

    #[tokio::test]
    async fn totals_of_bytes_are_large() -> Result<()> {
        let context = SessionContext::new();
        let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values(["a", "b"]));
        let rows = RecordBatch::try_from_iter([("bytes", bytes)])?;
        context.register_batch("rows", rows)?;
        for (total, is_large) in [
            ("max(bytes)", true),
            ("array_agg(bytes)", true),
            ("count(bytes)", false),
        ] {
            // A union has several partitions.
            let sql =
                format!("SELECT {total} FROM (SELECT * FROM rows UNION ALL SELECT * FROM rows)");
            let plan = context.sql(&sql).await?.create_physical_plan().await?;
            let found = plan.exists(|node| Ok(merges_large_states(node)))?;
            assert_eq!(found, is_large, "{total}");
        }
        Ok(())
    }
}
