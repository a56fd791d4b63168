//! Regroups batches into blocks whose boundaries depend on the rows alone.
//!
//! Batch boundaries depend on partitions, threads and batch sizes. They would also decide the page and row group
//! boundaries of a Parquet file that is written batch by batch. Blocks end after a fixed number of rows or bytes,
//! counted from the beginning of the file, so that equal rows in equal order become equal files.

use crate::files::plain_schema;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, OffsetSizeTrait, RecordBatch};
use datafusion::arrow::compute::{CastOptions, cast_with_options, concat_batches};
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::Result;
use std::sync::Arc;

/// A block ends after this many rows, or earlier by [`BLOCK_BYTES`].
const BLOCK_ROWS: usize = 8192;
/// A block ends with the row that brings it to at least this many bytes.
const BLOCK_BYTES: u64 = 8 << 20;

/// Collects the rows of batches into blocks.
pub(super) struct Blocks {
    schema: SchemaRef,
    pending: Vec<RecordBatch>,
    rows: usize,
    bytes: u64,
}

/// Rows that are written together.
pub(super) struct Block {
    pub(super) rows: RecordBatch,
    /// Bytes of the values, independent of the array types that hold them.
    pub(super) bytes: u64,
}

impl Blocks {
    /// An empty collector. String and binary views of the schema become plain strings and bytes.
    pub(super) fn new(schema: &Schema) -> Self {
        Self {
            schema: plain_schema(schema),
            pending: Vec::new(),
            rows: 0,
            bytes: 0,
        }
    }

    /// The schema of the blocks.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Takes rows from the front of a batch until the current block is complete or the batch ends. `sizes` holds the
    /// bytes of each row. Returns the number of rows taken, and the block if it is complete.
    pub(super) fn take(
        &mut self,
        batch: &RecordBatch,
        sizes: &[u64],
    ) -> Result<(usize, Option<Block>)> {
        let mut taken = 0;
        for size in sizes {
            taken += 1;
            self.rows += 1;
            self.bytes = self.bytes.saturating_add(*size);
            if self.rows >= BLOCK_ROWS || self.bytes >= BLOCK_BYTES {
                break;
            }
        }
        self.pending.push(self.plain(&batch.slice(0, taken))?);
        let is_full = self.rows >= BLOCK_ROWS || self.bytes >= BLOCK_BYTES;
        Ok((taken, if is_full { self.finish()? } else { None }))
    }

    /// The last, incomplete block, if it has rows.
    pub(super) fn finish(&mut self) -> Result<Option<Block>> {
        if self.rows == 0 {
            return Ok(None);
        }
        let block = Block {
            rows: concat_batches(&self.schema, &self.pending)?,
            bytes: self.bytes,
        };
        (self.rows, self.bytes) = (0, 0);
        self.pending.clear();
        Ok(Some(block))
    }

    fn plain(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        // A value that does not fit is an error, not NULL.
        let options = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns =
            columns.map(
                |(column, field)| match column.data_type() == field.data_type() {
                    true => Ok(Arc::clone(column)),
                    false => cast_with_options(column, field.data_type(), &options),
                },
            );
        let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

/// Bytes of each row.
pub(super) fn row_bytes(batch: &RecordBatch) -> Vec<u64> {
    let mut sizes = vec![0; batch.num_rows()];
    for column in batch.columns() {
        add(column.as_ref(), &mut sizes);
    }
    sizes
}

/// Adds the bytes of each value. The size of a value does not depend on the type of its array.
fn add(array: &dyn Array, sizes: &mut [u64]) {
    let lengths = |length: &dyn Fn(usize) -> u64, sizes: &mut [u64]| {
        for (row, size) in sizes.iter_mut().enumerate() {
            *size += if array.is_null(row) {
                1
            } else {
                length(row) + 4
            };
        }
    };
    match array.data_type() {
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            lengths(&|row| array.value_length(row) as u64, sizes);
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            lengths(&|row| array.value_length(row) as u64, sizes);
        }
        DataType::Binary => {
            let array = array.as_binary::<i32>();
            lengths(&|row| array.value_length(row) as u64, sizes);
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>();
            lengths(&|row| array.value_length(row) as u64, sizes);
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            lengths(&|row| u64::from(array.views()[row] as u32), sizes);
        }
        DataType::BinaryView => {
            let array = array.as_binary_view();
            lengths(&|row| u64::from(array.views()[row] as u32), sizes);
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            add_lists(array, list.values().as_ref(), list.value_offsets(), sizes);
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            add_lists(array, list.values().as_ref(), list.value_offsets(), sizes);
        }
        DataType::Map(_, _) => {
            let map = array.as_map();
            add_lists(array, map.entries(), map.value_offsets(), sizes);
        }
        DataType::FixedSizeList(_, length) => {
            let list = array.as_fixed_size_list();
            let length = usize::try_from(*length).unwrap_or(0);
            let mut values = vec![0; list.values().len()];
            add(list.values().as_ref(), &mut values);
            let sum = |row: usize| values[row * length..][..length].iter().sum();
            lengths(&sum, sizes);
        }
        DataType::Struct(_) => {
            let mut own = vec![0; sizes.len()];
            for column in array.as_struct().columns() {
                add(column.as_ref(), &mut own);
            }
            lengths(&|row| own[row], sizes);
        }
        DataType::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            let mut values = vec![0; dictionary.values().len()];
            add(dictionary.values().as_ref(), &mut values);
            let keys = match values.is_empty() {
                true => vec![],
                false => dictionary.normalized_keys(),
            };
            for (row, size) in sizes.iter_mut().enumerate() {
                let key = keys.get(row).copied().filter(|_| !array.is_null(row));
                *size += key.and_then(|key| values.get(key)).copied().unwrap_or(1);
            }
        }
        DataType::FixedSizeBinary(width) => {
            let width = u64::try_from(*width).unwrap_or(0);
            lengths(&|_| width, sizes);
        }
        other => {
            let width = other.primitive_width().unwrap_or(16) as u64;
            lengths(&|_| width, sizes);
        }
    }
}

fn add_lists<O: OffsetSizeTrait>(
    array: &dyn Array,
    values: &dyn Array,
    offsets: &[O],
    sizes: &mut [u64],
) {
    // A slice of a list array shares the values of the whole array.
    let offset = |row: usize| offsets[row].as_usize();
    let (first, last) = (offset(0), offset(sizes.len()));
    let mut own = vec![0; last - first];
    add(values.slice(first, last - first).as_ref(), &mut own);
    for (row, size) in sizes.iter_mut().enumerate() {
        *size += match array.is_null(row) {
            true => 1,
            false => {
                let range = offset(row) - first..offset(row + 1) - first;
                own[range].iter().sum::<u64>() + 4
            }
        };
    }
}
