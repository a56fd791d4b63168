//! Integer columns.

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion_common::Result;

use super::position;

/// The first number that no id has where the ids of pairs are numbered: positions in lists are 31-bit numbers.
pub(crate) const NUMBERS_END: i64 = i32::MAX as i64;

/// The numbers of a column, of any type of integers. Those beyond Int64 are read as the largest Int64, which is out of
/// range, and not as NULL.
pub(crate) fn numbers(column: &ArrayRef) -> Result<Int64Array> {
    match column.data_type() {
        DataType::UInt64 => {
            let clamped = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            Ok(column.as_primitive::<UInt64Type>().unary(clamped))
        }
        _ => Ok(cast(column, &DataType::Int64)?
            .as_primitive::<Int64Type>()
            .clone()),
    }
}

/// An integer column of any type; numbers beyond Int64 are read as NULL.
pub(crate) struct Integers {
    values: Int64Array,
    constant: bool,
}

impl Integers {
    pub(super) fn new(array: &ArrayRef, constant: bool) -> Result<Self> {
        let values = cast(array, &DataType::Int64)?
            .as_primitive::<Int64Type>()
            .clone();
        Ok(Self { values, constant })
    }

    /// The number of a row.
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        let row = position(row, self.constant);
        self.values.is_valid(row).then(|| self.values.value(row))
    }
}
