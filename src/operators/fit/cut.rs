//! Batches of fewer rows, for an `UNNEST` that makes many of each.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_datafusion_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};
use std::sync::Arc;

/// Bytes that a slice of rows may have once its lists are unnested, and its rows then.
const UNNESTED_BYTES: usize = 16 << 20;
const UNNESTED_ROWS: usize = 1 << 20;

/// Cuts the batches of its input so that each, with a row for each member of its lists, is of bounded size. A
/// row is never cut.
#[derive(Debug)]
pub(super) struct CutExec {
    input: Arc<dyn ExecutionPlan>,
    /// The columns of lists.
    lists: Vec<usize>,
}

impl CutExec {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>, lists: Vec<usize>) -> Self {
        Self { input, lists }
    }

    fn over(&self, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = children
            .try_into()
            .map_err(|_| internal_datafusion_err!("CutExec has one input"))?;
        Ok(Arc::new(Self::new(input, self.lists.clone())))
    }
}

impl DisplayAs for CutExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "CutExec")
    }
}

impl ExecutionPlan for CutExec {
    fn name(&self) -> &str {
        "CutExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
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

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        let schema: SchemaRef = input.schema();
        let lists = self.lists.clone();
        let slices = input
            .map_ok(move |batch| {
                let ends = ends(&batch, &lists);
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

/// Where the slices of a batch end.
fn ends(batch: &RecordBatch, lists: &[usize]) -> Vec<usize> {
    let rows = batch.num_rows();
    let row_bytes = batch.columns().iter().map(bytes).sum::<usize>() / rows.max(1);
    let most = (UNNESTED_BYTES / row_bytes.max(1)).clamp(1, UNNESTED_ROWS);
    let lists: Vec<&ArrayRef> = lists.iter().map(|&list| batch.column(list)).collect();
    let (mut ends, mut unnested) = (Vec::new(), 0);
    for row in 0..rows {
        let made = lists.iter().map(|list| length(list, row)).max();
        let made = made.unwrap_or(1).max(1);
        if unnested > 0 && unnested + made > most {
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
fn bytes(column: &ArrayRef) -> usize {
    let of_views = |views: &[u128]| -> usize {
        // Its lowest 32 bits are the length of the value.
        let lengths = views.iter().map(|view| *view as u32 as usize);
        size_of_val(views) + lengths.sum::<usize>()
    };
    match column.data_type() {
        DataType::Utf8View => of_views(column.as_string_view().views()),
        DataType::BinaryView => of_views(column.as_binary_view().views()),
        _ => {
            let slice = column.to_data().get_slice_memory_size();
            slice.unwrap_or_else(|_| column.get_array_memory_size())
        }
    }
}

/// Members of the list of a row.
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
    use datafusion::arrow::array::{ListArray, StringArray};
    use datafusion::arrow::compute::concat;
    use datafusion::arrow::datatypes::Int32Type;

    #[test]
    fn slices_are_cut_by_what_is_made_of_them() {
        let text = "x".repeat(1 << 20);
        let texts: ArrayRef = Arc::new(StringArray::from(vec![text.as_str(); 6]));
        // What counts are the rows of a slice.
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
        assert_eq!(ends(&batch, &[1]), [3, 4, 5, 6]);
        assert_eq!(ends(&batch.slice(0, 0), &[1]), [0; 0]);
    }
}
