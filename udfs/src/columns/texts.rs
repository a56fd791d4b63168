//! String columns.

use arrow::array::{Array, ArrayRef, AsArray, LargeStringArray, StringArray, StringViewArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use datafusion_common::{Result, internal_err};

use super::position;

/// Whether a column of this type can be read by [`Texts`].
pub(super) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => value.is_string(),
        other => other.is_string(),
    }
}

/// A string column of any encoding.
pub(crate) struct Texts {
    values: Values,
    /// For a dictionary: the index in `values` of the string of each row.
    keys: Option<Vec<usize>>,
    nulls: Option<NullBuffer>,
    constant: bool,
}

/// The strings: one for each row, or one for each dictionary entry.
pub(super) enum Values {
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
}

impl Values {
    pub(super) fn new(array: &ArrayRef) -> Result<Self> {
        match array.data_type() {
            DataType::Utf8 => Ok(Self::Utf8(array.as_string().clone())),
            DataType::LargeUtf8 => Ok(Self::LargeUtf8(array.as_string().clone())),
            DataType::Utf8View => Ok(Self::Utf8View(array.as_string_view().clone())),
            other => internal_err!("a column of {other} is not text"),
        }
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> &str {
        match self {
            Self::Utf8(array) => array.value(at),
            Self::LargeUtf8(array) => array.value(at),
            Self::Utf8View(array) => array.value(at),
        }
    }
}

impl Texts {
    pub(super) fn new(array: ArrayRef, constant: bool) -> Result<Self> {
        let nulls = array.logical_nulls();
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return Ok(Self {
                values: Values::new(&array)?,
                keys: None,
                nulls,
                constant,
            });
        };
        // In a dictionary without entries, all rows are null.
        let entries = dictionary.values();
        let keys = if entries.is_empty() {
            vec![0; array.len()]
        } else {
            dictionary.normalized_keys()
        };
        Ok(Self {
            values: Values::new(entries)?,
            keys: Some(keys),
            nulls,
            constant,
        })
    }

    /// Whether every row has the same text.
    pub(crate) fn is_constant(&self) -> bool {
        self.constant
    }

    /// The text of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        let row = position(row, self.constant);
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        let at = self.keys.as_ref().map_or(row, |keys| keys[row]);
        Some(self.values.get(at))
    }
}
