//! List columns: sets of hashes, and signatures.

use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Int64Type, UInt32Type, UInt64Type};
use datafusion_common::{Result, internal_err};
use xxhash_rust::xxh3::xxh3_64;

use super::position;
use super::texts::Values as Strings;

/// A column of lists of numbers, of any list type. NULL elements are ignored.
pub(crate) struct Lists {
    ranges: Ranges,
    values: Values,
    nulls: Option<NullBuffer>,
    constant: bool,
}

/// One list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers<'a> {
    U32(&'a [u32]),
    U64(&'a [u64]),
}

/// The range of the elements of each row.
pub(super) enum Ranges {
    List(OffsetBuffer<i32>),
    LargeList(OffsetBuffer<i64>),
    FixedSize(usize),
}

impl Ranges {
    /// The ranges of a column of lists, and the elements of all lists; `None` if the column has another type.
    pub(super) fn of(array: &ArrayRef) -> Option<(Self, &ArrayRef)> {
        Some(match array.data_type() {
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                (Self::List(list.offsets().clone()), list.values())
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                (Self::LargeList(list.offsets().clone()), list.values())
            }
            DataType::FixedSizeList(_, size) => (
                Self::FixedSize(*size as usize),
                array.as_fixed_size_list().values(),
            ),
            _ => return None,
        })
    }

    /// The range of a row.
    pub(super) fn get(&self, row: usize) -> Range<usize> {
        match self {
            Self::List(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Self::LargeList(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Self::FixedSize(size) => row * size..(row + 1) * size,
        }
    }
}

enum Values {
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
}

impl Lists {
    pub(crate) fn new(array: ArrayRef, constant: bool) -> Result<Self> {
        let Some((ranges, elements)) = Ranges::of(&array) else {
            return internal_err!("a column of {} is not a list", array.data_type());
        };
        let nulls = array.nulls().cloned();
        // Strings are hashed here; other elements are read without a copy.
        let values = match elements.data_type() {
            DataType::UInt32 => Values::U32(elements.as_primitive::<UInt32Type>().values().clone()),
            DataType::UInt64 => Values::U64(elements.as_primitive::<UInt64Type>().values().clone()),
            DataType::Int64 => {
                let bits = elements.as_primitive::<Int64Type>().values();
                Values::U64(ScalarBuffer::from(bits.inner().clone()))
            }
            other if other.is_string() => {
                let strings = Strings::new(elements)?;
                let hash = |at| xxh3_64(strings.get(at).as_bytes());
                return Ok(Self::gathered(
                    &ranges,
                    nulls,
                    elements,
                    array.len(),
                    constant,
                    hash,
                ));
            }
            other => return internal_err!("a list of {other} is not a list of numbers"),
        };
        if elements.null_count() == 0 {
            return Ok(Self {
                ranges,
                values,
                nulls,
                constant,
            });
        }
        let number = |at: usize| match &values {
            Values::U32(values) => u64::from(values[at]),
            Values::U64(values) => values[at],
        };
        Ok(Self::gathered(
            &ranges,
            nulls,
            elements,
            array.len(),
            constant,
            number,
        ))
    }

    /// The lists without NULL elements, where `number` gives each remaining element.
    fn gathered(
        ranges: &Ranges,
        nulls: Option<NullBuffer>,
        elements: &ArrayRef,
        rows: usize,
        constant: bool,
        number: impl Fn(usize) -> u64,
    ) -> Self {
        let mut values = Vec::new();
        let lengths: Vec<usize> = (0..rows)
            .map(|row| {
                let before = values.len();
                if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
                    values.extend(
                        ranges
                            .get(row)
                            .filter(|&at| elements.is_valid(at))
                            .map(&number),
                    );
                }
                values.len() - before
            })
            .collect();
        let ranges = Ranges::LargeList(OffsetBuffer::from_lengths(lengths));
        Self {
            ranges,
            values: Values::U64(values.into()),
            nulls,
            constant,
        }
    }

    /// Whether every row has the same list.
    pub(crate) fn is_constant(&self) -> bool {
        self.constant
    }

    /// The list of a row.
    pub(crate) fn get(&self, row: usize) -> Option<Numbers<'_>> {
        let row = position(row, self.constant);
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        let range = self.ranges.get(row);
        Some(match &self.values {
            Values::U32(values) => Numbers::U32(&values[range]),
            Values::U64(values) => Numbers::U64(&values[range]),
        })
    }

    /// The list of a row as 64-bit numbers; narrower ones are written to `scratch`.
    pub(crate) fn get_u64<'a>(
        &'a self,
        row: usize,
        scratch: &'a mut Vec<u64>,
    ) -> Option<&'a [u64]> {
        Some(match self.get(row)? {
            Numbers::U64(numbers) => numbers,
            numbers @ Numbers::U32(_) => {
                scratch.clear();
                numbers.append_to(scratch);
                scratch.as_slice()
            }
        })
    }
}

impl Numbers<'_> {
    /// The number of elements of the list.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::U32(numbers) => numbers.len(),
            Self::U64(numbers) => numbers.len(),
        }
    }

    /// Appends the numbers to a list.
    pub(crate) fn append_to(self, out: &mut Vec<u64>) {
        match self {
            Self::U32(numbers) => out.extend(numbers.iter().map(|&number| u64::from(number))),
            Self::U64(numbers) => out.extend_from_slice(numbers),
        }
    }
}

/// The number of positions of all signatures of a column, if its type determines it.
pub(crate) fn signature_length(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::FixedSizeList(_, size) => usize::try_from(*size).ok(),
        _ => None,
    }
}
