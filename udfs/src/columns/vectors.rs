//! List columns of floating-point numbers.

use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion_common::{Result, internal_err};

/// A column of vectors, of any list type.
pub(crate) struct Vectors {
    lists: ArrayRef,
    elements: ArrayRef,
    /// Of the elements, if one of them is NULL.
    missing: Option<NullBuffer>,
}

/// One vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Vector<'a> {
    F32(&'a [f32]),
    F64(&'a [f64]),
    /// A vector in which the number at this place, from 1, is NULL.
    Missing(usize),
}

impl Vectors {
    pub(crate) fn new(lists: ArrayRef) -> Result<Self> {
        let elements = match lists.data_type() {
            DataType::List(_) => lists.as_list::<i32>().values(),
            DataType::LargeList(_) => lists.as_list::<i64>().values(),
            DataType::FixedSizeList(..) => lists.as_fixed_size_list().values(),
            other => return internal_err!("a column of {other} is not a list"),
        };
        if !matches!(elements.data_type(), DataType::Float32 | DataType::Float64) {
            return internal_err!("a list of {} is not a vector", elements.data_type());
        }
        let missing = elements.nulls().filter(|nulls| nulls.null_count() > 0);
        Ok(Self {
            elements: ArrayRef::clone(elements),
            missing: missing.cloned(),
            lists,
        })
    }

    /// The vector of a row.
    pub(crate) fn get(&self, row: usize) -> Option<Vector<'_>> {
        if self.lists.is_null(row) {
            return None;
        }
        let range = self.range(row);
        if let Some(missing) = &self.missing
            && let Some(place) = range.clone().position(|at| missing.is_null(at))
        {
            return Some(Vector::Missing(place + 1));
        }
        Some(match self.elements.data_type() {
            DataType::Float32 => {
                Vector::F32(&self.elements.as_primitive::<Float32Type>().values()[range])
            }
            _ => Vector::F64(&self.elements.as_primitive::<Float64Type>().values()[range]),
        })
    }

    fn range(&self, row: usize) -> Range<usize> {
        match self.lists.data_type() {
            DataType::List(_) => {
                let offsets = self.lists.as_list::<i32>().value_offsets();
                offsets[row] as usize..offsets[row + 1] as usize
            }
            DataType::LargeList(_) => {
                let offsets = self.lists.as_list::<i64>().value_offsets();
                offsets[row] as usize..offsets[row + 1] as usize
            }
            _ => {
                let size = self.lists.as_fixed_size_list().value_length() as usize;
                row * size..(row + 1) * size
            }
        }
    }
}

/// Whether vectors of that type hold Float32.
pub(crate) fn is_float32(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            *field.data_type() == DataType::Float32
        }
        _ => false,
    }
}
