//! Columns of passages: what they hold, and where they are in a text.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, UInt64Array};
use arrow::datatypes::{DataType, Field};
use neardup_kernels::UnitText;

use crate::columns::integer_field;

/// The fields of passages, for all rows of a column.
#[derive(Default)]
pub(crate) struct PassagePlaces {
    passages: Vec<u64>,
    /// The length in units, and the offsets.
    numbers: [Vec<i64>; 5],
    joined: String,
}

impl PassagePlaces {
    /// passage, length, start_byte, end_byte, start_char and end_char.
    pub(crate) fn fields() -> Vec<Field> {
        let numbers = ["length", "start_byte", "end_byte", "start_char", "end_char"];
        let passage = Field::new("passage", DataType::UInt64, true);
        [passage]
            .into_iter()
            .chain(numbers.map(integer_field))
            .collect()
    }

    /// The number of passages.
    pub(crate) fn len(&self) -> usize {
        self.passages.len()
    }

    /// Appends the units of a text from `first` on. `None` if there are fewer than `length`, or if `length` is 0.
    pub(crate) fn push(&mut self, text: &UnitText<'_>, first: usize, length: usize) -> Option<()> {
        let units = text.units().get(first..first.checked_add(length)?)?;
        let (start, end) = (units.first()?, units.last()?);
        let numbers = [
            length,
            start.start_byte,
            end.end_byte,
            start.start_char,
            end.end_char,
        ];
        self.passages
            .push(text.hash(first, length, &mut self.joined));
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column.push(number as i64);
        }
        Some(())
    }

    /// The values of the fields.
    pub(crate) fn columns(self) -> Vec<ArrayRef> {
        let numbers = self
            .numbers
            .map(|column| Arc::new(Int64Array::from(column)) as ArrayRef);
        let passages: ArrayRef = Arc::new(UInt64Array::from(self.passages));
        [passages].into_iter().chain(numbers).collect()
    }
}
