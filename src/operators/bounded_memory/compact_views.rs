//! Copies texts out of the buffers that they share with other rows.
//!
//! A column of views (`Utf8View`) refers to buffers, and operators that filter, join or merge rows hand on the buffers of
//! whole batches with few of their rows. A sort counts all bytes of these buffers for each batch, several times if a
//! batch refers to one of them several times: a million bytes of texts took sixty million of a memory limit. The batches
//! that a sort merges in memory refer to the buffers of all its rows.

use crate::operators::one_input::{input_statistics, passes_rows};
use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{BinaryViewType, ByteViewType, DataType, StringViewType};
use datafusion::common::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan};
use futures::StreamExt;
use std::sync::Arc;

/// Buffers may be this many times as large as the values that a column refers to.
const MAX_RATIO: usize = 2;
/// Buffers of fewer bytes are never copied.
const MIN_BYTES: usize = 64 << 10;

/// Returns the rows of its input, whose texts are in buffers of their own.
#[derive(Debug)]
pub(super) struct CompactViewsExec {
    input: Arc<dyn ExecutionPlan>,
}

impl CompactViewsExec {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>) -> Self {
        Self { input }
    }

    /// Whether rows of this plan have columns of views.
    pub(super) fn is_useful(input: &Arc<dyn ExecutionPlan>) -> bool {
        let schema = input.schema();
        let mut types = schema.fields().iter().map(|field| field.data_type());
        types.any(|data_type| matches!(data_type, DataType::Utf8View | DataType::BinaryView))
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(input)))
    }

    fn passes_statistics(&self, _: Option<usize>) -> bool {
        true
    }
}

impl DisplayAs for CompactViewsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "CompactViewsExec")
    }
}

impl ExecutionPlan for CompactViewsExec {
    passes_rows!(input, "CompactViewsExec");
    input_statistics!();

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.input.execute(partition, context)?;
        let rows = rows.map(|batch| compact_views(&batch?));
        let schema = self.schema();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// The batch with the texts of a column in buffers of their own, if they take much less than those they share.
pub(super) fn compact_views(batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch
        .columns()
        .iter()
        .map(|column| match column.data_type() {
            DataType::Utf8View => compacted::<StringViewType>(column),
            DataType::BinaryView => compacted::<BinaryViewType>(column),
            _ => Arc::clone(column),
        });
    Ok(RecordBatch::try_new(batch.schema(), columns.collect())?)
}

fn compacted<T: ByteViewType>(column: &ArrayRef) -> ArrayRef {
    let views = column.as_byte_view::<T>();
    let buffers = views.data_buffers().iter();
    // A sort counts what a buffer has room for, and operators hand on buffers that are mostly empty.
    let bytes: usize = buffers.map(|buffer| buffer.capacity()).sum();
    match bytes > MIN_BYTES && bytes > MAX_RATIO * views.total_buffer_bytes_used() {
        true => Arc::new(views.gc()),
        false => Arc::clone(column),
    }
}

#[cfg(test)]
mod tests {
    use super::compact_views;
    use datafusion::arrow::array::{
        Array, ArrayRef, AsArray, RecordBatch, StringViewArray, StringViewBuilder,
    };
    use datafusion::arrow::compute::concat;
    use datafusion::common::Result;
    use std::sync::Arc;

    fn batch(texts: ArrayRef) -> Result<RecordBatch> {
        Ok(RecordBatch::try_from_iter([("text", texts)])?)
    }

    fn bytes(batch: &RecordBatch) -> usize {
        let buffers = batch.column(0).as_string_view().data_buffers().iter();
        buffers.map(|buffer| buffer.len()).sum()
    }

    #[test]
    fn few_rows_of_many_get_buffers_of_their_own() -> Result<()> {
        let text = |n: usize| format!("a text that does not fit into a view: {n}");
        let many = StringViewArray::from_iter_values((0..10_000).map(text));
        // Each slice refers to all buffers, and their concatenation to all of them several times.
        let slices: Vec<StringViewArray> = (0..9).map(|n| many.slice(n * 1_000, 3)).collect();
        let slices: Vec<&dyn Array> = slices.iter().map(|slice| slice as &dyn Array).collect();
        let few = batch(concat(&slices)?)?;
        let compact = compact_views(&few)?;
        assert_eq!(few, compact);
        assert!(bytes(&few) > 100_000 && bytes(&compact) < 27 * 60);
        // What is in use is not copied.
        let all = batch(Arc::new(many))?;
        assert_eq!(bytes(&compact_views(&all)?), bytes(&all));
        Ok(())
    }

    #[test]
    fn buffers_with_room_for_much_more_are_copied() -> Result<()> {
        let mut bytes = Vec::with_capacity(1 << 20);
        let text = "a text that does not fit into a view";
        bytes.extend_from_slice(text.as_bytes());
        let mut texts = StringViewBuilder::new();
        let block = texts.append_block(bytes.into());
        texts.try_append_view(block, 0, text.len() as u32)?;
        let few = batch(Arc::new(texts.finish()))?;
        let compact = compact_views(&few)?;
        assert_eq!(few, compact);
        let room = |batch: &RecordBatch| batch.column(0).get_buffer_memory_size();
        assert!(room(&few) > 1_000_000 && room(&compact) < 1_000);
        Ok(())
    }

    #[test]
    fn short_and_missing_texts() -> Result<()> {
        let texts = StringViewArray::from(vec![Some("short"), None, Some("")]);
        let few = batch(Arc::new(texts))?;
        assert_eq!(compact_views(&few)?, few);
        Ok(())
    }
}
