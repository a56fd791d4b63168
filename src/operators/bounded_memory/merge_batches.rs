//! Merges small batches before `array_agg`, whose time grows with the square of their number: it asks all batches that
//! it holds for their sizes at each new one.

use super::compact_columns::{compact_above, compact_columns};
use super::max_batch_bytes;
use super::split_batches::bytes;
use crate::operators::one_input::{input_statistics, passes_rows};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::BatchCoalescer;
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ReplaceChildrenOptions,
};
use futures::{StreamExt, stream};
use std::collections::VecDeque;
use std::sync::Arc;

/// Upper bound of the rows of a merged batch.
pub(super) const MAX_ROWS: usize = 8_192;

/// Whether batches of these columns are merged: not rows without columns, not dictionaries, because the keys of a merged
/// one may not suffice, and not views that stay in the buffers of all batches.
pub(super) fn can_be_merged(schema: &Schema) -> bool {
    let mut columns = schema.fields().iter();
    !schema.fields().is_empty() && columns.all(|column| is_compacted(column.data_type()))
}

/// Whether values of this type have no dictionary, and no views but those that are compacted.
fn is_compacted(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8View | DataType::BinaryView => true,
        DataType::Struct(fields) => {
            let mut fields = fields.iter();
            fields.all(|field| is_compacted(field.data_type()))
        }
        DataType::List(field) | DataType::LargeList(field) => is_compacted(field.data_type()),
        DataType::FixedSizeList(field, _) => field.data_type().is_primitive(),
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => false,
        _ => !data_type.is_nested(),
    }
}

/// Copies the rows of small batches to larger ones, in order.
pub(super) struct Merger {
    coalescer: BatchCoalescer,
    /// A merged batch has at most this many rows, and at most this many bytes, unless a batch of the input has more.
    max_rows: usize,
    max_bytes: usize,
    /// Bytes of the rows that the coalescer holds.
    bytes: usize,
    merged: VecDeque<RecordBatch>,
}

impl Merger {
    pub(super) fn new(schema: SchemaRef, max_rows: usize, max_bytes: usize) -> Self {
        Self {
            coalescer: BatchCoalescer::new(schema, max_rows),
            max_rows,
            max_bytes,
            bytes: 0,
            merged: VecDeque::new(),
        }
    }

    pub(super) fn push(&mut self, batch: RecordBatch) -> Result<()> {
        let (rows, bytes) = (batch.num_rows(), bytes_of_rows(&batch));
        let held_rows = self.coalescer.get_buffered_rows();
        if held_rows + rows > self.max_rows || self.bytes + bytes > self.max_bytes {
            self.finish()?;
        }
        let is_large = rows > self.max_rows / 2 || bytes > self.max_bytes / 2;
        if is_large && rows <= self.max_rows {
            // Nothing is gained by a copy.
            self.finish()?;
            self.merged.push_back(batch);
            return Ok(());
        }
        self.bytes += bytes;
        // The coalescer holds small buffers until it has many rows. Operators hand on buffers that are mostly empty.
        self.coalescer.push_batch(compact_above(0, &batch)?)?;
        self.take_completed()
    }

    /// Ends the batch to which rows are copied, if it has any.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.coalescer.finish_buffered_batch()?;
        self.take_completed()
    }

    fn take_completed(&mut self) -> Result<()> {
        while let Some(batch) = self.coalescer.next_completed_batch() {
            self.merged.push_back(compact_columns(&batch)?);
        }
        if self.coalescer.is_empty() {
            self.bytes = 0;
        }
        Ok(())
    }

    /// The next merged batch, if there is one.
    pub(super) fn next(&mut self) -> Option<RecordBatch> {
        self.merged.pop_front()
    }
}

/// Bytes of the rows of a batch, which may be a slice of a larger one.
pub(super) fn bytes_of_rows(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(bytes).sum()
}

/// Returns the rows of its input in batches of more rows.
#[derive(Debug)]
pub(super) struct MergeBatchesExec {
    input: Arc<dyn ExecutionPlan>,
}

impl MergeBatchesExec {
    /// The `array_agg` over merged batches; `None` for other operators.
    pub(super) fn below(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(aggregates) = node.downcast_ref::<AggregateExec>() else {
            return Ok(None);
        };
        let mut functions = aggregates.aggr_expr().iter();
        let holds_batches = functions.any(|function| function.fun().name() == "array_agg");
        if !holds_batches || !can_be_merged(&aggregates.input().schema()) {
            return Ok(None);
        }
        let merged: Arc<dyn ExecutionPlan> = Arc::new(Self {
            input: Arc::clone(aggregates.input()),
        });
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        Ok(Some(
            Arc::clone(node).replace_children(vec![merged], options)?,
        ))
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self { input }))
    }

    fn passes_statistics(&self, _: Option<usize>) -> bool {
        true
    }
}

impl DisplayAs for MergeBatchesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "MergeBatchesExec")
    }
}

impl ExecutionPlan for MergeBatchesExec {
    passes_rows!(input, "MergeBatchesExec");
    input_statistics!();

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let max_bytes = max_batch_bytes(
            context.memory_pool().memory_limit(),
            context.session_config().target_partitions(),
        );
        let schema = self.schema();
        let input = self.input.execute(partition, context)?;
        let merger = Merger::new(Arc::clone(&schema), MAX_ROWS, max_bytes);
        let merged = stream::try_unfold((Some(input), merger), |(mut input, mut merger)| async {
            loop {
                if let Some(batch) = merger.next() {
                    return Ok(Some((batch, (input, merger))));
                }
                let Some(rows) = &mut input else {
                    return Ok(None);
                };
                match rows.next().await {
                    Some(batch) => merger.push(batch?)?,
                    None => {
                        merger.finish()?;
                        input = None;
                    }
                }
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, merged)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::{ArrayRef, AsArray, Int32Array, StringViewArray};
    use datafusion::arrow::datatypes::Int32Type;

    /// Numbers and a text for each, in batches of these numbers of rows.
    fn batches(rows: &[usize], text: &str) -> Vec<RecordBatch> {
        let mut next = 0;
        let mut batch = |rows: usize| {
            let numbers: ArrayRef =
                Arc::new(Int32Array::from_iter_values(next..next + rows as i32));
            next += rows as i32;
            let texts: ArrayRef =
                Arc::new(StringViewArray::from_iter_values((0..rows).map(|_| text)));
            RecordBatch::try_from_iter([("number", numbers), ("text", texts)])
        };
        let batches: std::result::Result<_, _> = rows.iter().map(|rows| batch(*rows)).collect();
        batches.expect("columns of one length")
    }

    /// The numbers of rows of the merged batches, whose rows are in order.
    fn merged(rows: &[usize], text: &str, max_bytes: usize) -> Result<Vec<usize>> {
        let batches = batches(rows, text);
        let mut merger = Merger::new(batches[0].schema(), MAX_ROWS, max_bytes);
        for batch in batches {
            merger.push(batch)?;
        }
        merger.finish()?;
        let found: Vec<RecordBatch> = std::iter::from_fn(|| merger.next()).collect();
        let numbers = found.iter().flat_map(|batch| {
            let numbers = batch.column(0).as_primitive::<Int32Type>();
            numbers.values().to_vec()
        });
        assert!(numbers.eq(0..rows.iter().sum::<usize>() as i32));
        Ok(found.iter().map(RecordBatch::num_rows).collect())
    }

    #[test]
    fn small_batches_become_one() -> Result<()> {
        let text = "a text that does not fit into a view";
        assert_eq!(merged(&[2; 5_000], text, 8 << 20)?, [8_192, 1_808]);
        Ok(())
    }

    #[test]
    fn batches_are_limited_by_bytes_and_by_rows() -> Result<()> {
        let text = "x".repeat(1_000);
        // There is room for 126 rows.
        let found = merged(&[1, 200, 100, 20, 0, 20, 8_192, 0, 3], &text, 128 << 10)?;
        assert_eq!(found, [1, 200, 100, 40, 8_192, 3]);
        assert_eq!(merged(&[20_000, 5], "x", 8 << 20)?, [8_192, 8_192, 3_621]);
        assert_eq!(merged(&[0], "x", 8 << 20)?, [0; 0]);
        Ok(())
    }
}
