//! Columns of lists, as functions build them.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int64Array, ListArray, ListBuilder, NullBufferBuilder, PrimitiveArray, StringBuilder,
    StructArray,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{ArrowPrimitiveType, DataType, Field, Fields, UInt32Type, UInt64Type};
use datafusion_common::{Result, exec_err};

/// A column of List of UInt64 under construction.
pub(crate) type HashLists = NumberLists<UInt64Type>;

/// A column of List of UInt32 under construction.
pub(crate) type PartLists = NumberLists<UInt32Type>;

/// A column of lists of numbers under construction.
pub(crate) struct NumberLists<T: ArrowPrimitiveType> {
    values: Vec<T::Native>,
    rows: ListRows,
}

impl<T: ArrowPrimitiveType> NumberLists<T> {
    /// The type of the column.
    pub(crate) fn data_type() -> DataType {
        DataType::new_list(T::DATA_TYPE, true)
    }

    pub(crate) fn new(function: &'static str, rows: usize) -> Self {
        Self {
            values: Vec::new(),
            rows: ListRows::new(function, rows),
        }
    }

    /// A column of lists. For each row, `fill` appends the elements of its list; if it returns `None`, having appended
    /// nothing, the row is NULL.
    pub(crate) fn of_rows(
        function: &'static str,
        rows: usize,
        mut fill: impl FnMut(usize, &mut Vec<T::Native>) -> Option<()>,
    ) -> Result<ArrayRef> {
        let mut lists = Self::new(function, rows);
        for row in 0..rows {
            let filled = fill(row, &mut lists.values);
            let end = lists.values.len();
            lists.rows.end_row(filled.is_some(), end, "numbers")?;
        }
        Ok(lists.finish())
    }

    /// Adds a row whose list consists of the elements that `append` appends; returns the result of `append`.
    pub(crate) fn push<A>(&mut self, append: impl FnOnce(&mut Vec<T::Native>) -> A) -> Result<A> {
        let answer = append(&mut self.values);
        self.rows.end_row(true, self.values.len(), "numbers")?;
        Ok(answer)
    }

    /// Adds a row that is NULL.
    pub(crate) fn push_null(&mut self) -> Result<()> {
        self.rows.end_row(false, self.values.len(), "numbers")
    }

    pub(crate) fn finish(self) -> ArrayRef {
        let (offsets, nulls) = self.rows.finish();
        Arc::new(ListArray::new(
            Arc::new(Field::new_list_field(T::DATA_TYPE, true)),
            offsets,
            Arc::new(PrimitiveArray::<T>::new(self.values.into(), None)),
            nulls,
        ))
    }
}

/// A column of lists of structs under construction: how many structs each row has. The caller collects the values of
/// each field, for all rows, and passes them to [`finish`](Self::finish).
pub(crate) struct StructLists(ListRows);

impl StructLists {
    /// The type of the column.
    pub(crate) fn data_type(fields: Fields) -> DataType {
        DataType::new_list(DataType::Struct(fields), true)
    }

    pub(crate) fn new(function: &'static str, rows: usize) -> Self {
        Self(ListRows::new(function, rows))
    }

    /// Ends a row, where `structs` is the number of structs of all rows so far. A row that is not valid is NULL.
    pub(crate) fn end_row(&mut self, is_valid: bool, structs: usize) -> Result<()> {
        self.0.end_row(is_valid, structs, "structs")
    }

    /// The column, from the values of each field.
    pub(crate) fn finish(self, fields: Fields, columns: Vec<ArrayRef>) -> Result<ArrayRef> {
        let (offsets, nulls) = self.0.finish();
        let values = StructArray::try_new(fields.clone(), columns, None)?;
        Ok(Arc::new(ListArray::try_new(
            Arc::new(Field::new_list_field(DataType::Struct(fields), true)),
            offsets,
            Arc::new(values),
            nulls,
        )?))
    }
}

/// The offsets and the NULL rows of a column of lists under construction.
struct ListRows {
    function: &'static str,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl ListRows {
    fn new(function: &'static str, rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Self {
            function,
            offsets,
            nulls: NullBufferBuilder::new(rows),
        }
    }

    /// Ends a row, where `end` is the number of elements of all rows so far; `what` names them in an error.
    fn end_row(&mut self, is_valid: bool, end: usize, what: &str) -> Result<()> {
        self.nulls.append(is_valid);
        match i32::try_from(end) {
            Ok(end) => self.offsets.push(end),
            Err(_) => return too_much(self.function, what),
        }
        Ok(())
    }

    fn finish(mut self) -> (OffsetBuffer<i32>, Option<NullBuffer>) {
        (OffsetBuffer::new(self.offsets.into()), self.nulls.finish())
    }
}

/// A field of integers, such as offsets or counts.
pub(crate) fn integer_field(name: &str) -> Field {
    Field::new(name, DataType::Int64, true)
}

/// The values of an [`integer_field`].
pub(crate) fn integer_column(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values.map(i64::from)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_structs_than_an_offset_counts_are_an_error() {
        let mut lists = StructLists::new("word_runs", 2);
        lists.end_row(true, i32::MAX as usize).expect("a row");
        let error = lists.end_row(true, 1 << 31).expect_err("too many");
        assert_eq!(
            error.to_string(),
            "Execution error: word_runs: the lists of one batch hold more than 2147483647 structs; lower datafusion.execution.batch_size"
        );
    }
}
