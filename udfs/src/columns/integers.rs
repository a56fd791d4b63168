//! Integer columns.

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use datafusion_common::Result;

use super::position;

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
