//! Columns of lists, as functions build them.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, ListArray, ListBuilder, NullBufferBuilder, StringBuilder, UInt64Array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field};
use datafusion_common::{Result, exec_err};

/// A column of List of UInt64 under construction.
pub(crate) struct HashLists {
    function: &'static str,
    values: Vec<u64>,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl HashLists {
    /// The type of the column.
    pub(crate) fn data_type() -> DataType {
        DataType::new_list(DataType::UInt64, true)
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

    /// Adds a row whose list is what `append` appends, and returns what it returns.
    pub(crate) fn push<T>(&mut self, append: impl FnOnce(&mut Vec<u64>) -> T) -> Result<T> {
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
            Err(_) => return too_much(self.function, "hashes"),
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> ArrayRef {
        Arc::new(ListArray::new(
            Arc::new(Field::new_list_field(DataType::UInt64, true)),
            OffsetBuffer::new(self.offsets.into()),
            Arc::new(UInt64Array::new(self.values.into(), None)),
            self.nulls.finish(),
        ))
    }
}

/// A column of List of Utf8: the strings that `fill` hands to its argument for each row, NULL for
/// rows where it returns `None`.
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
