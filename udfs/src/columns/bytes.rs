//! Binary columns.

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray,
};
use arrow::datatypes::DataType;
use datafusion_common::{Result, internal_err};

use super::position;

/// Whether a column of this type can be read by [`Bytes`].
pub(super) fn is_bytes(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}

/// A binary column of any type.
pub(crate) struct Bytes {
    values: Values,
    constant: bool,
}

enum Values {
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    FixedSize(FixedSizeBinaryArray),
}

impl Bytes {
    pub(crate) fn new(array: ArrayRef, constant: bool) -> Result<Self> {
        let values = match array.data_type() {
            DataType::Binary => Values::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Values::LargeBinary(array.as_binary().clone()),
            DataType::BinaryView => Values::BinaryView(array.as_binary_view().clone()),
            DataType::FixedSizeBinary(_) => Values::FixedSize(array.as_fixed_size_binary().clone()),
            other => return internal_err!("a column of {other} is not binary"),
        };
        Ok(Self { values, constant })
    }

    /// The bytes of a row, not copied.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&[u8]> {
        let row = position(row, self.constant);
        match &self.values {
            Values::Binary(array) => array.is_valid(row).then(|| array.value(row)),
            Values::LargeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            Values::BinaryView(array) => array.is_valid(row).then(|| array.value(row)),
            Values::FixedSize(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }
}
