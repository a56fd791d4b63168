//! Splits batches before an `UNNEST` that would make many rows of each of their rows, and before groups of sorted rows.

use crate::operators::one_input::passes_rows;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, GenericListArray, OffsetSizeTrait, RecordBatch,
};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, InputOrderMode,
    ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};
use std::sync::Arc;

/// Upper bounds of the bytes and of the rows that a slice may have after its lists are unnested.
const MAX_UNNESTED_BYTES: usize = 16 << 20;
const MAX_UNNESTED_ROWS: usize = 1 << 20;
/// Upper bound of the bytes of a slice from which long lists are computed: the lists of a row may be some hundred times as
/// large as its texts.
const BYTES_BEFORE_LONG_LISTS: usize = 4 << 20;

/// Splits the batches of its input so that each has a bounded size after its lists are unnested. A single row is
/// never split, so one row with long lists may exceed the bounds.
#[derive(Debug)]
pub(super) struct SplitBatchesExec {
    input: Arc<dyn ExecutionPlan>,
    /// Indices of the list columns.
    lists: Vec<usize>,
    /// Upper bounds of the bytes and of the rows of a slice after its lists are unnested.
    max_bytes: usize,
    max_rows: usize,
}

impl SplitBatchesExec {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>, lists: Vec<usize>) -> Self {
        Self {
            input,
            lists,
            max_bytes: MAX_UNNESTED_BYTES,
            max_rows: MAX_UNNESTED_ROWS,
        }
    }

    /// For an input from whose rows lists of any length are computed, at most of `max_rows` rows at a time.
    pub(super) fn before_long_lists(input: Arc<dyn ExecutionPlan>, max_rows: usize) -> Self {
        Self {
            input,
            lists: Vec::new(),
            max_bytes: BYTES_BEFORE_LONG_LISTS,
            max_rows,
        }
    }

    /// Groups of sorted rows, over batches of at most `max_rows` rows; `None` for other operators. For each batch that it
    /// reads, the engine (DataFusion 55) returns at most one of its batch size, and moves all groups that it holds: of
    /// larger batches it holds more and more groups, and its time grows with the square of their number.
    pub(super) fn below_ordered_groups(
        node: &Arc<dyn ExecutionPlan>,
        max_rows: usize,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let is_ordered = node
            .downcast_ref::<AggregateExec>()
            .is_some_and(|groups| groups.input_order_mode() != &InputOrderMode::Linear);
        let input = match node.children().as_slice() {
            [input] if is_ordered => Arc::clone(input),
            _ => return Ok(None),
        };
        let split = Self {
            input,
            lists: Vec::new(),
            max_bytes: usize::MAX,
            max_rows,
        };
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        let groups = Arc::clone(node).replace_children(vec![Arc::new(split)], options)?;
        Ok(Some(groups))
    }

    /// The rows from which a function computes lists of any length at a time; `None` for other functions.
    pub(super) fn rows_of_long_lists(function: &str) -> Option<usize> {
        match function {
            // Texts that several rows of a slice have are divided into words once.
            "common_passages" => Some(1 << 10),
            // A row is a part of all passages.
            "run_passages" => Some(1),
            _ => None,
        }
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self {
            input,
            lists: self.lists.clone(),
            max_bytes: self.max_bytes,
            max_rows: self.max_rows,
        }))
    }
}

impl DisplayAs for SplitBatchesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "SplitBatchesExec")
    }
}

impl ExecutionPlan for SplitBatchesExec {
    passes_rows!(input, "SplitBatchesExec");

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        let schema: SchemaRef = input.schema();
        let lists = self.lists.clone();
        let (max_bytes, max_rows) = (self.max_bytes, self.max_rows);
        let slices = input
            .map_ok(move |batch| {
                let ends = ends(&batch, &lists, max_bytes, max_rows);
                let mut start = 0;
                futures::stream::iter(ends.into_iter().map(move |end| {
                    let slice = batch.slice(start, end - start);
                    start = end;
                    Ok(slice)
                }))
            })
            .try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            schema,
            slices.boxed(),
        )))
    }
}

/// The row indices at which the slices of a batch end (exclusive).
fn ends(batch: &RecordBatch, lists: &[usize], max_bytes: usize, max_rows: usize) -> Vec<usize> {
    let rows = batch.num_rows();
    let row_bytes = batch.columns().iter().map(bytes).sum::<usize>() / rows.max(1);
    let max_rows = (max_bytes / row_bytes.max(1)).clamp(1, max_rows);
    let lists: Vec<&ArrayRef> = lists.iter().map(|&list| batch.column(list)).collect();
    let (mut ends, mut unnested) = (Vec::new(), 0);
    for row in 0..rows {
        let made = lists.iter().map(|list| length(list, row)).max();
        let made = made.unwrap_or(1).max(1);
        if unnested > 0 && unnested + made > max_rows {
            ends.push(row);
            unnested = 0;
        }
        unnested += made;
    }
    if rows > 0 {
        ends.push(rows);
    }
    ends
}

/// Bytes of the rows of a column, which may be a slice of a larger one.
pub(super) fn bytes(column: &ArrayRef) -> usize {
    let of_views = |views: &[u128]| -> usize {
        // The lowest 32 bits of a view are the length of its value.
        let lengths = views.iter().map(|view| *view as u32 as usize);
        size_of_val(views) + lengths.sum::<usize>()
    };
    match column.data_type() {
        DataType::Utf8View => of_views(column.as_string_view().views()),
        DataType::BinaryView => of_views(column.as_binary_view().views()),
        DataType::Struct(_) => column.as_struct().columns().iter().map(bytes).sum(),
        DataType::List(_) => of_lists(column.as_list::<i32>()),
        DataType::LargeList(_) => of_lists(column.as_list::<i64>()),
        _ => {
            let slice = column.to_data().get_slice_memory_size();
            slice.unwrap_or_else(|_| column.get_array_memory_size())
        }
    }
}

fn of_lists<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> usize {
    let offsets = lists.value_offsets();
    let (start, end) = (offsets[0].as_usize(), offsets[lists.len()].as_usize());
    size_of_val(offsets) + bytes(&lists.values().slice(start, end - start))
}

/// The number of elements of a row's list.
fn length(lists: &ArrayRef, row: usize) -> usize {
    if lists.is_null(row) {
        return 0;
    }
    match lists.data_type() {
        DataType::List(_) => lists.as_list::<i32>().value_length(row) as usize,
        DataType::LargeList(_) => lists.as_list::<i64>().value_length(row) as usize,
        DataType::FixedSizeList(_, length) => *length as usize,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::bounded_memory::batch_rows::BatchRowsExec;
    use datafusion::arrow::array::{Int32Array, ListArray, StringArray};
    use datafusion::arrow::compute::concat;
    use datafusion::arrow::datatypes::Int32Type;
    use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
    use datafusion::datasource::MemTable;
    use datafusion::physical_plan::aggregates::AggregateMode;
    use datafusion::prelude::{SessionConfig, SessionContext, col};

    #[test]
    fn slices_are_bounded_by_their_unnested_size() {
        let text = "x".repeat(1 << 20);
        let texts: ArrayRef = Arc::new(StringArray::from(vec![text.as_str(); 6]));
        // The size is that of the slice, not of the array that it points into.
        let texts = concat(&[&texts, &texts]).expect("texts").slice(6, 6);
        let list = |length: i32| Some((0..length).map(Some).collect::<Vec<_>>());
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([
            list(7),
            list(7),
            None,
            list(2),
            list(100),
            list(0),
        ]));
        let batch = RecordBatch::try_from_iter([("text", texts), ("list", lists)]).expect("rows");
        // Fifteen rows of a little over 1 MiB fit into a slice.
        assert_eq!(
            ends(&batch, &[1], MAX_UNNESTED_BYTES, MAX_UNNESTED_ROWS),
            [3, 4, 5, 6]
        );
        assert_eq!(
            ends(
                &batch.slice(0, 0),
                &[1],
                MAX_UNNESTED_BYTES,
                MAX_UNNESTED_ROWS
            ),
            [0; 0]
        );
        assert_eq!(ends(&batch, &[], MAX_UNNESTED_BYTES, 4), [4, 6]);
    }

    /// Rows of which each is a group of its own, in one large batch.
    async fn sorted_groups() -> (Arc<dyn ExecutionPlan>, Arc<TaskContext>) {
        let config = SessionConfig::new()
            .with_batch_size(10)
            .with_target_partitions(2)
            .with_round_robin_repartition(false);
        let context = SessionContext::new_with_config(config);
        let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..10_000));
        let rows = RecordBatch::try_from_iter([("a", Arc::clone(&numbers)), ("b", numbers)]);
        let rows = rows.expect("rows");
        let table = MemTable::try_new(rows.schema(), vec![vec![rows]]).expect("a table");
        let sorted = table.with_sort_order(vec![vec![col("a").sort(true, false)]]);
        let registered = context.register_table("t", Arc::new(sorted));
        registered.expect("a table");
        let query = "SELECT a, b, count(*) FROM t GROUP BY a, b";
        let plan = context.sql(query).await.expect("a query");
        let plan = plan.create_physical_plan().await.expect("a plan");
        let mut groups = None;
        plan.apply(|node| {
            let found = node.downcast_ref::<AggregateExec>();
            if found.is_some_and(|found| *found.mode() == AggregateMode::Partial) {
                groups = Some(Arc::clone(node));
            }
            Ok(TreeNodeRecursion::Continue)
        })
        .expect("a plan");
        let groups = groups.expect("groups of sorted rows");
        let rows = BatchRowsExec::new(Arc::clone(groups.children()[0]), 10_000);
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        let groups = groups.replace_children(vec![Arc::new(rows)], options);
        (groups.expect("a plan"), context.task_ctx())
    }

    #[tokio::test]
    async fn groups_of_large_batches_are_not_held() {
        let (groups, context) = sorted_groups().await;
        let split = SplitBatchesExec::below_ordered_groups(&groups, 10).expect("a plan");
        let split = split.expect("sorted groups");
        let mut held = vec![];
        for plan in [groups, split] {
            let mut rows = plan.execute(0, Arc::clone(&context)).expect("rows");
            let (mut most, mut count) = (0, 0);
            while let Some(batch) = rows.next().await {
                count += batch.expect("a batch").num_rows();
                most = most.max(context.memory_pool().reserved());
            }
            assert_eq!(count, 10_000);
            held.push(most);
        }
        assert!(held[1] * 10 < held[0], "bytes held: {held:?}");
    }
}
