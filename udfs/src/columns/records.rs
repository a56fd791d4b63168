//! Columns of lists of structs.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::buffer::NullBuffer;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Int64Type};
use arrow::row::{RowConverter, SortField};
use datafusion_common::{Result, internal_datafusion_err, internal_err, plan_err};

use super::bytes::{Bytes, is_bytes};
use super::lists::Ranges;
use super::position;
use super::texts::Texts;

/// A column of lists of structs. The values of a field are one array for all rows.
pub(crate) struct Records {
    ranges: Ranges,
    elements: ArrayRef,
    nulls: Option<NullBuffer>,
    constant: bool,
}

/// Whether a column of this type can be read by [`Records`].
pub(super) fn is_records(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) => {
            matches!(field.data_type(), DataType::Struct(_))
        }
        _ => false,
    }
}

/// Checks that the structs of a list have the integers and texts that a function reads.
pub(crate) fn check_fields(
    function: &str,
    data_type: &DataType,
    integers: &[&str],
    texts: &[&str],
) -> Result<()> {
    let mut fields = integers.iter();
    fields.try_for_each(|name| {
        check_field(function, data_type, name, "integers", DataType::is_integer)
    })?;
    let mut fields = texts.iter();
    fields.try_for_each(|name| check_field(function, data_type, name, "text", DataType::is_string))
}

/// Checks that the structs of a list have a field of bytes.
pub(crate) fn check_bytes(function: &str, data_type: &DataType, name: &str) -> Result<()> {
    check_field(function, data_type, name, "bytes", is_bytes)
}

fn check_field(
    function: &str,
    data_type: &DataType,
    name: &str,
    wanted: &str,
    is_wanted: fn(&DataType) -> bool,
) -> Result<()> {
    let (DataType::List(list) | DataType::LargeList(list)) = data_type else {
        return internal_err!("{function}: {data_type} is not a list");
    };
    let DataType::Struct(fields) = list.data_type() else {
        return internal_err!("{function}: {data_type} is not a list of structs");
    };
    match fields.find(name) {
        Some((_, field)) if is_wanted(field.data_type()) => Ok(()),
        Some((_, field)) => plan_err!(
            "{function}: the field {name} must be {wanted}, found {}",
            field.data_type()
        ),
        None => plan_err!("{function}: there is no field {name} in {data_type}"),
    }
}

impl Records {
    pub(super) fn new(array: &ArrayRef, constant: bool) -> Result<Self> {
        let Some((ranges, elements)) = Ranges::of(array) else {
            return internal_err!("a column of {} is not a list", array.data_type());
        };
        Ok(Self {
            ranges,
            elements: elements.clone(),
            nulls: array.nulls().cloned(),
            constant,
        })
    }

    /// Where the structs of a row are among the values of a field.
    pub(crate) fn get(&self, row: usize) -> Option<Range<usize>> {
        let row = position(row, self.constant);
        let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        (!is_null).then(|| self.ranges.get(row))
    }

    /// The values of a field of integers, for all rows.
    pub(crate) fn integers(&self, name: &str) -> Result<Int64Array> {
        let strict = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        let wide = cast_with_options(self.field(name)?, &DataType::Int64, &strict)?;
        Ok(wide.as_primitive::<Int64Type>().clone())
    }

    /// The values of a field of texts, for all rows.
    pub(crate) fn texts(&self, name: &str) -> Result<Texts> {
        Texts::new(self.field(name)?.clone(), false)
    }

    /// The place of each value of a field in the order of all values; NULL for NULL. Integers of up to 63 bits are places
    /// themselves.
    pub(crate) fn places(&self, name: &str) -> Result<Int64Array> {
        let values = self.field(name)?;
        if values.data_type().is_integer() && *values.data_type() != DataType::UInt64 {
            return self.integers(name);
        }
        let converter = RowConverter::new(vec![SortField::new(values.data_type().clone())])?;
        let rows = converter.convert_columns(std::slice::from_ref(values))?;
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_unstable_by(|&a, &b| rows.row(a).cmp(&rows.row(b)));
        let mut places = vec![0; values.len()];
        let mut place = 0;
        for pair in order.windows(2) {
            place += i64::from(rows.row(pair[0]) != rows.row(pair[1]));
            places[pair[1]] = place;
        }
        Ok(Int64Array::new(places.into(), values.logical_nulls()))
    }

    /// The values of a field of bytes, for all rows.
    pub(crate) fn bytes(&self, name: &str) -> Result<Bytes> {
        Bytes::new(Arc::clone(self.field(name)?), false)
    }

    /// The lists of structs of a field, for all rows.
    pub(crate) fn records(&self, name: &str) -> Result<Self> {
        Self::new(self.field(name)?, false)
    }

    /// The values of a field of any type, for all rows.
    pub(crate) fn field(&self, name: &str) -> Result<&ArrayRef> {
        self.elements
            .as_struct()
            .column_by_name(name)
            .ok_or_else(|| internal_datafusion_err!("there is no field {name}"))
    }
}
