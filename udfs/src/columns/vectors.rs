//! Columns of vectors: lists of numbers, lists of (term, weight), and packed ones.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type, UInt64Type};
use datafusion_common::{DataFusionError, Result, exec_datafusion_err, internal_err};
use neardup_kernels::VectorColumn;
use neardup_kernels::pairs::Values as Unpacked;
use xxhash_rust::xxh3::xxh3_64;

use super::bytes::Bytes;
use super::lists::Ranges;
use super::position;
use super::texts::Values as Strings;

/// A column of vectors.
pub(crate) struct Vectors {
    function: &'static str,
    parameter: &'static str,
    ranges: Ranges,
    numbers: Numbers,
    /// Elements that are NULL.
    missing: Option<NullBuffer>,
    nulls: Option<NullBuffer>,
    constant: bool,
}

enum Numbers {
    F32(ScalarBuffer<f32>),
    F64(ScalarBuffer<f64>),
    /// (Hash of the term, weight) in the order of the row. The hash of an integer term is the integer.
    Sparse(Vec<(u64, f64)>),
}

/// One vector.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Vector<'a> {
    F32(&'a [f32]),
    F64(&'a [f64]),
    /// (Hash of the term, weight) in any order; terms may repeat.
    Sparse(&'a [(u64, f64)]),
}

/// Whether a column of this type can be read by [`Vectors`].
pub(super) fn is_vector(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            match field.data_type() {
                DataType::Float32 | DataType::Float64 => true,
                DataType::Struct(fields) => matches!(
                    fields.iter().map(|field| field.data_type()).collect::<Vec<_>>().as_slice(),
                    [term, weight] if is_term(term) && weight.is_numeric()
                ),
                _ => false,
            }
        }
        other => super::bytes::is_bytes(other),
    }
}

fn is_term(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => value.is_string(),
        other => other.is_string() || other.is_integer(),
    }
}

impl Vectors {
    pub(crate) fn new(
        function: &'static str,
        parameter: &'static str,
        array: ArrayRef,
        constant: bool,
    ) -> Result<Self> {
        let Some((ranges, elements)) = Ranges::of(&array) else {
            return Self::unpacked(function, parameter, array, constant);
        };
        let mut missing = elements.nulls().cloned();
        let numbers = match elements.data_type() {
            DataType::Float32 => {
                Numbers::F32(elements.as_primitive::<Float32Type>().values().clone())
            }
            DataType::Float64 => {
                Numbers::F64(elements.as_primitive::<Float64Type>().values().clone())
            }
            DataType::Struct(_) => {
                let entries = elements.as_struct();
                let weights = cast(entries.column(1), &DataType::Float64)?;
                let keys = keys(entries.column(0))?;
                for nulls in [entries.column(0).logical_nulls(), weights.logical_nulls()] {
                    missing = NullBuffer::union(missing.as_ref(), nulls.as_ref());
                }
                let weights = weights.as_primitive::<Float64Type>().values();
                Numbers::Sparse(keys.into_iter().zip(weights.iter().copied()).collect())
            }
            other => return internal_err!("a list of {other} is not a vector"),
        };
        Ok(Self {
            function,
            parameter,
            ranges,
            numbers,
            missing,
            nulls: array.nulls().cloned(),
            constant,
        })
    }

    /// Packed vectors. Empty and zero vectors are read as zeros.
    fn unpacked(
        function: &'static str,
        parameter: &'static str,
        array: ArrayRef,
        constant: bool,
    ) -> Result<Self> {
        let (rows, nulls) = (array.len(), array.logical_nulls());
        let bytes = Bytes::new(array, constant)?;
        let mut column = VectorColumn::default();
        for row in 0..rows {
            column
                .push(bytes.get(row).unwrap_or_default())
                .map_err(|error| exec_datafusion_err!("{function}: {parameter}: {error}"))?;
        }
        let zeros = vec![0; rows + 1];
        let (ranges, numbers) = match column.values(&zeros) {
            Unpacked::Dense32 { values, dimensions } => (
                Ranges::FixedSize(dimensions),
                Numbers::F32(values.to_vec().into()),
            ),
            Unpacked::Dense64 { values, dimensions } => (
                Ranges::FixedSize(dimensions),
                Numbers::F64(values.to_vec().into()),
            ),
            Unpacked::Sparse(lists) => {
                let lengths = (0..rows).map(|row| lists.row(row).len());
                (
                    Ranges::LargeList(arrow::buffer::OffsetBuffer::from_lengths(lengths)),
                    Numbers::Sparse(lists.values().to_vec()),
                )
            }
        };
        Ok(Self {
            function,
            parameter,
            ranges,
            numbers,
            missing: None,
            nulls,
            constant,
        })
    }

    /// The vector of a row.
    ///
    /// # Errors
    /// If one of its numbers is NULL, NaN or infinite.
    pub(crate) fn get(&self, row: usize) -> Result<Option<Vector<'_>>> {
        let Some(vector) = self.unchecked(row) else {
            return Ok(None);
        };
        let vector = vector.map_err(|position| self.error("NULL", position))?;
        match vector.first_not_finite() {
            None => Ok(Some(vector)),
            Some((index, number)) => Err(self.error(&number.to_string(), index + 1)),
        }
    }

    /// The vector of a row, whose numbers may be NaN or infinite; or the position, from 1, of a NULL element.
    pub(crate) fn unchecked(&self, row: usize) -> Option<Result<Vector<'_>, usize>> {
        let at = position(row, self.constant);
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at)) {
            return None;
        }
        let range = self.ranges.get(at);
        if let Some(missing) = &self.missing
            && let Some(index) = range.clone().position(|element| missing.is_null(element))
        {
            return Some(Err(index + 1));
        }
        Some(Ok(match &self.numbers {
            Numbers::F32(numbers) => Vector::F32(&numbers[range]),
            Numbers::F64(numbers) => Vector::F64(&numbers[range]),
            Numbers::Sparse(entries) => Vector::Sparse(&entries[range]),
        }))
    }

    fn error(&self, found: &str, position: usize) -> DataFusionError {
        exec_datafusion_err!(
            "{}: the numbers of {} must be finite, found {found} at position {}",
            self.function,
            self.parameter,
            position
        )
    }
}

impl Vector<'_> {
    /// The number of components of a dense vector.
    pub(crate) fn dense_length(self) -> Option<usize> {
        match self {
            Self::F32(numbers) => Some(numbers.len()),
            Self::F64(numbers) => Some(numbers.len()),
            Self::Sparse(_) => None,
        }
    }

    fn first_not_finite(self) -> Option<(usize, f64)> {
        let not_finite = |(_, x): &(usize, f64)| !x.is_finite();
        match self {
            Self::F32(numbers) => {
                let numbers = numbers.iter().map(|&x| f64::from(x));
                numbers.enumerate().find(not_finite)
            }
            Self::F64(numbers) => numbers.iter().copied().enumerate().find(not_finite),
            Self::Sparse(entries) => {
                let weights = entries.iter().map(|&(_, weight)| weight);
                weights.enumerate().find(not_finite)
            }
        }
    }
}

/// Whether the elements of this type of list are Float32.
pub(crate) fn is_float32(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            *field.data_type() == DataType::Float32
        }
        _ => false,
    }
}

/// The entries in ascending order of distinct terms. The weights of a term are summed in the order of the row.
pub(crate) fn merged_into(entries: &[(u64, f64)], out: &mut Vec<(u64, f64)>) {
    out.clear();
    out.extend_from_slice(entries);
    out.sort_by_key(|&(term, _)| term);
    out.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}

fn keys(terms: &ArrayRef) -> Result<Vec<u64>> {
    if terms.data_type().is_integer() {
        let keys = match terms.data_type() {
            DataType::UInt64 => terms.as_primitive::<UInt64Type>().values().to_vec(),
            _ => {
                let wide = cast(terms, &DataType::Int64)?;
                let wide = wide.as_primitive::<Int64Type>().values();
                wide.iter().map(|&term| term as u64).collect()
            }
        };
        return Ok(keys);
    }
    let plain = match terms.data_type() {
        DataType::Dictionary(_, value) => cast(terms, value)?,
        _ => std::sync::Arc::clone(terms),
    };
    let strings = Strings::new(&plain)?;
    Ok((0..plain.len())
        .map(|at| match plain.is_valid(at) {
            true => xxh3_64(strings.get(at).as_bytes()),
            false => 0,
        })
        .collect())
}
