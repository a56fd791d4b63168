//! Columns of lists, as functions build them.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, ListArray, ListBuilder, NullBufferBuilder, PrimitiveArray, StringBuilder,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{ArrowPrimitiveType, DataType, Field, UInt32Type, UInt64Type};
use datafusion_common::{Result, exec_err};

/// A column of List of UInt64 under construction.
pub(crate) type HashLists = NumberLists<UInt64Type>;

/// A column of List of UInt32 under construction.
pub(crate) type PartLists = NumberLists<UInt32Type>;

/// A column of lists of numbers under construction.
pub(crate) struct NumberLists<T: ArrowPrimitiveType> {
    function: &'static str,
    values: Vec<T::Native>,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl<T: ArrowPrimitiveType> NumberLists<T> {
    /// The type of the column.
    pub(crate) fn data_type() -> DataType {
        DataType::new_list(T::DATA_TYPE, true)
    }

    pub(crate) fn new(function: &'static str, rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Self {
            function,
            values: Vec::new(),
            offsets,
            nulls: NullBufferBuilder::new(rows),
        }
    }

    /// Adds a row whose list consists of the elements that `append` appends; returns the result of `append`.
    pub(crate) fn push<A>(&mut self, append: impl FnOnce(&mut Vec<T::Native>) -> A) -> Result<A> {
        let answer = append(&mut self.values);
        self.nulls.append_non_null();
        self.end_row()?;
        Ok(answer)
    }

    /// Adds a row that is NULL.
    pub(crate) fn push_null(&mut self) -> Result<()> {
        self.nulls.append_null();
        self.end_row()
    }

    fn end_row(&mut self) -> Result<()> {
        match i32::try_from(self.values.len()) {
            Ok(end) => self.offsets.push(end),
            Err(_) => return too_much(self.function, "numbers"),
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> ArrayRef {
        Arc::new(ListArray::new(
            Arc::new(Field::new_list_field(T::DATA_TYPE, true)),
            OffsetBuffer::new(self.offsets.into()),
            Arc::new(PrimitiveArray::<T>::new(self.values.into(), None)),
            self.nulls.finish(),
        ))
    }
}

/// A column of List of Utf8. For each row, `fill` passes the strings to its argument; if it returns `None`, the row
/// is NULL.
pub(crate) fn text_lists(
    function: &'static str,
    rows: usize,
    mut fill: impl FnMut(usize, &mut dyn FnMut(&str)) -> Option<()>,
) -> Result<ArrayRef> {
    let mut lists = ListBuilder::new(StringBuilder::new());
    let (mut bytes, mut count) = (0, 0);
    for row in 0..rows {
        let strings = lists.values();
        let filled = fill(row, &mut |string| {
            bytes += string.len();
            count += 1;
            if bytes.max(count) <= i32::MAX as usize {
                strings.append_value(string);
            }
        });
        if bytes.max(count) > i32::MAX as usize {
            return too_much(function, "bytes");
        }
        lists.append(filled.is_some());
    }
    Ok(Arc::new(lists.finish()))
}

fn too_much<T>(function: &str, what: &str) -> Result<T> {
    exec_err!(
        "{function}: the lists of one batch hold more than {} {what}; lower datafusion.execution.batch_size",
        i32::MAX
    )
}
