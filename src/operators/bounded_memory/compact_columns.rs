//! Copies values out of the buffers and dictionaries that they share with other rows.
//!
//! A column of views (`Utf8View`) refers to buffers, and operators that filter, join or merge rows hand on the buffers
//! of whole batches with few of their rows. A sort counts all bytes of these buffers for each batch, several times if a
//! batch refers to one of them several times: a million bytes of texts took sixty million of a memory limit. The
//! batches that a sort merges in memory refer to the buffers of all its rows.
//!
//! A column of a dictionary has the values of the whole dictionary in each batch, and a merge of batches with the same
//! dictionary repeats it for each of them. Batches with dictionaries of their own are merged to the values of the rows.

use crate::operators::one_input::{input_statistics, passes_rows};
use crate::operators::task_context::with_options;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, DictionaryArray, GenericListArray, OffsetSizeTrait, RecordBatch,
    RecordBatchOptions, StructArray, UInt64Array,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{
    ArrowDictionaryKeyType, ArrowNativeType, BinaryViewType, ByteViewType, DataType, Field,
    FieldRef, Schema, StringViewType,
};
use datafusion::arrow::downcast_dictionary_array;
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

/// Returns the rows of its input, whose texts are in buffers of their own, and whose dictionaries have the values of
/// one batch.
#[derive(Debug)]
pub(super) struct CompactColumnsExec {
    input: Arc<dyn ExecutionPlan>,
}

impl CompactColumnsExec {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>) -> Self {
        Self { input }
    }

    /// Whether rows of this plan have views or columns of dictionaries.
    pub(super) fn is_useful(input: &Arc<dyn ExecutionPlan>) -> bool {
        let schema = input.schema();
        let mut types = schema.flattened_fields().into_iter().map(Field::data_type);
        types.any(|data_type| matches!(data_type, DataType::Utf8View | DataType::BinaryView))
            || has_dictionary(&schema)
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(input)))
    }

    fn passes_statistics(&self, _: Option<usize>) -> bool {
        true
    }
}

fn has_dictionary(schema: &Schema) -> bool {
    let mut types = schema.fields().iter().map(|field| field.data_type());
    types.any(|data_type| matches!(data_type, DataType::Dictionary(..)))
}

impl DisplayAs for CompactColumnsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "CompactColumnsExec")
    }
}

impl ExecutionPlan for CompactColumnsExec {
    passes_rows!(input, "CompactColumnsExec");
    input_statistics!();

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let schema = self.schema();
        // A sort joins small batches to a large one, sorts it, and counts its dictionary for each part of the result.
        let context = match has_dictionary(&schema) {
            true => with_options(&context, |options| {
                options.execution.sort_in_place_threshold_bytes = 0;
            }),
            false => context,
        };
        let rows = self.input.execute(partition, context)?;
        let rows = rows.map(|batch| compact_columns(&batch?));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// The batch with the texts of a column, and of its lists and structs, in buffers of their own, if they take much less than
/// those they share, and with dictionaries of the values of its rows.
pub(super) fn compact_columns(batch: &RecordBatch) -> Result<RecordBatch> {
    compact_above(MIN_BYTES, batch)
}

/// As [`compact_columns`]; buffers of fewer than `min_bytes` are never copied.
pub(super) fn compact_above(min_bytes: usize, batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch.columns().iter();
    let columns = columns.map(|column| compact(column, min_bytes));
    let columns = columns.collect::<Result<_>>()?;
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(
        batch.schema(),
        columns,
        &rows,
    )?)
}

fn compact(column: &ArrayRef, min_bytes: usize) -> Result<ArrayRef> {
    let rows: &dyn Array = column.as_ref();
    downcast_dictionary_array!(
        rows => compact_dictionary(rows, min_bytes),
        DataType::Utf8View => Ok(compact_views::<StringViewType>(column, min_bytes)),
        DataType::BinaryView => Ok(compact_views::<BinaryViewType>(column, min_bytes)),
        DataType::Struct(fields) => {
            let columns = column.as_struct();
            let (nulls, rows) = (columns.nulls().cloned(), columns.len());
            let columns = columns.columns().iter();
            let columns = columns.map(|column| compact(column, min_bytes));
            let columns = columns.collect::<Result<_>>()?;
            Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, rows)?))
        },
        DataType::List(field) => compact_lists(column.as_list::<i32>(), field, min_bytes),
        DataType::LargeList(field) => compact_lists(column.as_list::<i64>(), field, min_bytes),
        _ => Ok(Arc::clone(column))
    )
}

fn compact_lists<O: OffsetSizeTrait>(
    lists: &GenericListArray<O>,
    field: &FieldRef,
    min_bytes: usize,
) -> Result<ArrayRef> {
    let (offsets, values) = (lists.offsets(), lists.values());
    let start = offsets[0];
    let length = offsets[lists.len()] - start;
    let values = compact(
        &values.slice(start.as_usize(), length.as_usize()),
        min_bytes,
    )?;
    let offsets = OffsetBuffer::new(offsets.iter().map(|offset| *offset - start).collect());
    let nulls = lists.nulls().cloned();
    Ok(Arc::new(GenericListArray::try_new(
        Arc::clone(field),
        offsets,
        values,
        nulls,
    )?))
}

fn compact_views<T: ByteViewType>(column: &ArrayRef, min_bytes: usize) -> ArrayRef {
    let views = column.as_byte_view::<T>();
    let buffers = views.data_buffers().iter();
    // A sort counts what a buffer has room for, and operators hand on buffers that are mostly empty.
    let bytes: usize = buffers.map(|buffer| buffer.capacity()).sum();
    match bytes > min_bytes && bytes > MAX_RATIO * views.total_buffer_bytes_used() {
        true => Arc::new(views.gc()),
        false => Arc::clone(column),
    }
}

/// The rows with a dictionary of their own, which has the values that they refer to. The time does not depend on the
/// size of the shared dictionary.
fn compact_dictionary<K: ArrowDictionaryKeyType>(
    rows: &DictionaryArray<K>,
    min_bytes: usize,
) -> Result<ArrayRef> {
    let keys = rows.keys();
    let used = keys.iter().flatten().map(|key| key.as_usize() as u64);
    let mut used: Vec<u64> = used.collect();
    used.sort_unstable();
    used.dedup();
    let used = UInt64Array::from(used);
    let values = compact(&take(rows.values(), &used, None)?, min_bytes)?;
    // The key of a NULL may be any number.
    let keys = keys.unary::<_, K>(|key| {
        let place = used.values().binary_search(&(key.as_usize() as u64));
        K::Native::usize_as(place.unwrap_or_default())
    });
    Ok(Arc::new(DictionaryArray::try_new(keys, values)?))
}

#[cfg(test)]
mod tests {
    use super::compact_columns;
    use datafusion::arrow::array::{
        Array, ArrayRef, AsArray, DictionaryArray, Int32Array, ListArray, PrimitiveArray,
        RecordBatch, StringArray, StringViewArray, StringViewBuilder, StructArray, UInt8Array,
    };
    use datafusion::arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
    use datafusion::arrow::compute::{concat, interleave};
    use datafusion::arrow::datatypes::{ArrowDictionaryKeyType, DataType, Field};
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
        let compact = compact_columns(&few)?;
        assert_eq!(few, compact);
        assert!(bytes(&few) > 100_000 && bytes(&compact) < 27 * 60);
        // What is in use is not copied.
        let all = batch(Arc::new(many))?;
        assert_eq!(bytes(&compact_columns(&all)?), bytes(&all));
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
        let compact = compact_columns(&few)?;
        assert_eq!(few, compact);
        let room = |batch: &RecordBatch| batch.column(0).get_buffer_memory_size();
        assert!(room(&few) > 1_000_000 && room(&compact) < 1_000);
        Ok(())
    }

    /// Lists of structs with a text, of which some are missing.
    fn lists(offsets: &[i32], texts: ArrayRef) -> Result<RecordBatch> {
        let rows = texts.len();
        let texts: ArrayRef = Arc::new(StructArray::from((
            vec![(
                Arc::new(Field::new("text", DataType::Utf8View, true)),
                texts,
            )],
            Buffer::from_iter((0..rows).map(|row| row % 3 != 1)),
        )));
        let field = Arc::new(Field::new_list_field(texts.data_type().clone(), true));
        let offsets = OffsetBuffer::new(offsets.to_vec().into());
        let missing = NullBuffer::from_iter((1..offsets.len()).map(|row| row % 4 != 0));
        batch(Arc::new(ListArray::try_new(
            field,
            offsets,
            texts,
            Some(missing),
        )?))
    }

    #[test]
    fn texts_of_structs_in_lists_get_buffers_of_their_own() -> Result<()> {
        let text = |n: usize| format!("a text that does not fit into a view: {n}");
        let many = StringViewArray::from_iter_values((0..10_000).map(text));
        let offsets: Vec<i32> = (0..=2_500).map(|n| n * 4).collect();
        let many = lists(&offsets, Arc::new(many))?;
        for few in [
            many.slice(7, 9),
            many.slice(0, 1),
            many.slice(2_499, 1),
            many.slice(9, 0),
        ] {
            let compact = compact_columns(&few)?;
            assert_eq!(few, compact);
            let lists = compact.column(0).as_list::<i32>();
            let texts = lists.values().as_struct().column(0).as_string_view();
            assert_eq!(texts.len(), few.num_rows() * 4);
            let buffers = texts.data_buffers().iter().map(|buffer| buffer.len());
            assert!(buffers.sum::<usize>() <= texts.len() * 60);
        }
        Ok(())
    }

    #[test]
    fn short_and_missing_texts() -> Result<()> {
        let texts = StringViewArray::from(vec![Some("short"), None, Some("")]);
        let few = batch(Arc::new(texts))?;
        assert_eq!(compact_columns(&few)?, few);
        Ok(())
    }

    fn dictionary<K: ArrowDictionaryKeyType>(
        keys: PrimitiveArray<K>,
        values: ArrayRef,
    ) -> Result<RecordBatch> {
        batch(Arc::new(DictionaryArray::try_new(keys, values)?))
    }

    fn values(batch: &RecordBatch) -> &ArrayRef {
        batch.column(0).as_any_dictionary().values()
    }

    #[test]
    fn dictionaries_keep_the_values_of_their_rows() -> Result<()> {
        let texts = StringArray::from_iter_values((0..10_000).map(|n| format!("text {n}")));
        let keys = Int32Array::from(vec![Some(9_000), None, Some(7), Some(9_000), Some(8)]);
        let few = dictionary(keys, Arc::new(texts))?;
        let compact = compact_columns(&few)?;
        assert_eq!(compact, few);
        assert_eq!(values(&compact).len(), 3);
        // A part of the rows has a part of the dictionary.
        let part = compact_columns(&few.slice(1, 2))?;
        assert_eq!(part, few.slice(1, 2));
        let part = values(&part).as_string::<i32>();
        assert_eq!(part.iter().collect::<Vec<_>>(), [Some("text 7")]);
        Ok(())
    }

    #[test]
    fn dictionaries_of_other_types() -> Result<()> {
        // A value is missing, and so is the value of a key.
        let numbers = Int32Array::from(vec![Some(1), Some(2), None, Some(4)]);
        let keys = UInt8Array::from(vec![Some(3), Some(2), None, Some(0)]);
        let rows = dictionary(keys, Arc::new(numbers))?;
        let compact = compact_columns(&rows)?;
        assert_eq!(compact, rows);
        assert_eq!(values(&compact).len(), 3);
        // The texts of views are copied as well.
        let text = |n: usize| format!("a text that does not fit into a view: {n}");
        let many = StringViewArray::from_iter_values((0..10_000).map(text));
        let rows = dictionary(Int32Array::from(vec![5, 5]), Arc::new(many))?;
        let compact = compact_columns(&rows)?;
        assert_eq!(compact, rows);
        let bytes = |batch: &RecordBatch| values(batch).get_buffer_memory_size();
        assert!(bytes(&rows) > 100_000 && bytes(&compact) < 1_000);
        Ok(())
    }

    #[test]
    fn dictionaries_without_values() -> Result<()> {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["one", "two"]));
        let rows = dictionary(Int32Array::new_null(2), texts)?;
        for rows in [rows.slice(0, 0), rows] {
            let compact = compact_columns(&rows)?;
            assert_eq!(compact, rows);
            assert_eq!(values(&compact).len(), 0);
        }
        Ok(())
    }

    /// A merge repeats the values of a dictionary that its batches share.
    #[test]
    fn merged_rows_have_the_values_of_one_dictionary() -> Result<()> {
        let texts = StringArray::from_iter_values((0..100).map(|n| format!("text {n}")));
        let rows = dictionary(Int32Array::from_iter_values(0..100), Arc::new(texts))?;
        let places: Vec<(usize, usize)> = (0..100).map(|row| (row % 20, row)).collect();
        let merged = |batches: &[RecordBatch]| {
            let columns: Vec<&dyn Array> =
                batches.iter().map(|rows| rows.column(0).as_ref()).collect();
            batch(interleave(&columns, &places)?)
        };
        let shared: Vec<_> = std::iter::repeat_n(rows.clone(), 20).collect();
        let shared = merged(&shared)?;
        let own: Result<Vec<_>> = (0..20).map(|_| compact_columns(&rows)).collect();
        let own = merged(&own?)?;
        assert_eq!(own, shared);
        assert_eq!(own, rows);
        assert!(values(&own).len() <= 100 && values(&shared).len() > 1_000);
        Ok(())
    }
}
