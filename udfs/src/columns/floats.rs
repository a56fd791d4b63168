//! Columns of floating-point numbers.

use arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use datafusion_common::Result;

use super::position;

/// A column of numbers of any type, read as Float64.
pub(crate) struct Floats {
    values: Float64Array,
    constant: bool,
}

impl Floats {
    pub(super) fn new(array: &ArrayRef, constant: bool) -> Result<Self> {
        let values = cast(array, &DataType::Float64)?
            .as_primitive::<Float64Type>()
            .clone();
        Ok(Self { values, constant })
    }

    /// The number of a row.
    pub(crate) fn get(&self, row: usize) -> Option<f64> {
        let row = position(row, self.constant);
        self.values.is_valid(row).then(|| self.values.value(row))
    }
}
