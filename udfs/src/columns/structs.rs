//! Columns of structs, as sort keys.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray};
use arrow::compute::SortOptions;
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};
use datafusion_common::{Result, internal_err, plan_err};

/// Whether a column holds structs.
pub(super) fn is_struct(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Struct(_))
}

/// Checks that structs can be sorted, and returns the number of their fields.
pub(crate) fn check_sortable(function: &str, data_type: &DataType) -> Result<usize> {
    let DataType::Struct(fields) = data_type else {
        return internal_err!("{function}: {data_type} is not a struct");
    };
    for field in fields {
        let sorted = SortField::new(field.data_type().clone());
        if !RowConverter::supports_fields(&[sorted]) {
            return plan_err!("{function}: {} has no order", field.data_type());
        }
    }
    Ok(fields.len())
}

/// A sort key for each struct, NULL for NULL: the fields in their directions, from left to right.
pub(super) fn sort_keys(array: &ArrayRef, directions: &[SortOptions]) -> Result<ArrayRef> {
    let Some(structs) = array.as_struct_opt() else {
        return internal_err!("a column of {} is not a struct", array.data_type());
    };
    let columns = structs.columns();
    let fields = columns.iter().zip(directions).map(|(column, direction)| {
        SortField::new_with_options(column.data_type().clone(), *direction)
    });
    let converter = RowConverter::new(fields.collect())?;
    let keys = converter.convert_columns(columns)?.try_into_binary()?;
    let (offsets, bytes, _) = keys.into_parts();
    Ok(Arc::new(BinaryArray::try_new(
        offsets,
        bytes,
        structs.nulls().cloned(),
    )?))
}
