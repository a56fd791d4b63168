//! Conversions between Arrow and the functions. This is the only module that matches on Arrow types.
//!
//! ```text
//!  SQL types ── Parameters::coerce ──> types we read ── Parameters::check ──> Constants (plan errors)
//!  ColumnarValue ── Arguments ──> Texts, Lists, Integers, Constants ── function ──> array ── Arguments::finish
//! ```
//!
//! A function declares its [`Parameters`] once. They determine names, coercion, the number and the types of the
//! arguments, and the error messages. Constants are not cast, because a cast would hide a literal from the
//! planner.
//!
//! To add a kind of argument, add a variant of [`Kind`], the types it accepts in `accepts`, and a reader here.

mod bytes;
mod constants;
mod floats;
mod ids;
mod integers;
mod lists;
mod parameters;
mod records;
mod results;
mod structs;
mod texts;
mod vectors;

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use arrow::compute::SortOptions;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{ColumnarValue, ScalarFunctionArgs};

pub(crate) use bytes::Bytes;
pub(crate) use constants::Constants;
pub(crate) use floats::Floats;
pub(crate) use ids::{IdTable, NO_ID};
pub(crate) use integers::{Integers, NUMBERS_END, numbers};
pub(crate) use lists::{Lists, Numbers, signature_length};
pub(crate) use parameters::{Kind, Parameters};
pub(crate) use records::{Records, check_bytes, check_fields};
pub(crate) use results::{
    HashLists, NumberLists, PartLists, StructLists, integer_column, integer_field, text_lists,
};
pub(crate) use structs::check_sortable;
pub(crate) use texts::Texts;
pub(crate) use vectors::{Vector, Vectors, is_float32, merged_into};

/// The arguments of one call, one batch of rows.
pub(crate) struct Arguments {
    parameters: &'static Parameters,
    values: Vec<ColumnarValue>,
    rows: usize,
    /// Whether all arguments are scalars, so that the result is a scalar too.
    scalar: bool,
}

impl Arguments {
    pub(crate) fn new(parameters: &'static Parameters, args: ScalarFunctionArgs) -> Self {
        let scalar = args
            .args
            .iter()
            .all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if scalar { 1 } else { args.number_rows };
        Self {
            parameters,
            values: args.args,
            rows,
            scalar,
        }
    }

    /// The number of rows to compute.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Whether the argument at `index` was given.
    pub(crate) fn has(&self, index: usize) -> bool {
        index < self.values.len()
    }

    /// Whether the argument at `index`, of kind [`Kind::TextOrSet`], is a text.
    pub(crate) fn is_text(&self, index: usize) -> bool {
        self.values
            .get(index)
            .is_some_and(|value| texts::is_text(&value.data_type()))
    }

    pub(crate) fn constants(&self) -> Constants<'_> {
        Constants::of_call(self.parameters, &self.values)
    }

    pub(crate) fn texts(&self, index: usize) -> Result<Texts> {
        let (array, constant) = self.array(index)?;
        Texts::new(array, constant)
    }

    /// The name of the function.
    pub(crate) fn function(&self) -> &'static str {
        self.parameters.function
    }

    /// The texts of the argument at `index`; `None` if it was not given.
    pub(crate) fn optional_texts(&self, index: usize) -> Result<Option<Texts>> {
        match self.has(index) {
            true => self.texts(index).map(Some),
            false => Ok(None),
        }
    }

    pub(crate) fn lists(&self, index: usize) -> Result<Lists> {
        let (array, constant) = self.array(index)?;
        Lists::new(array, constant)
    }

    pub(crate) fn records(&self, index: usize) -> Result<Records> {
        let (array, constant) = self.array(index)?;
        Records::new(&array, constant)
    }

    pub(crate) fn bytes(&self, index: usize) -> Result<Bytes> {
        let (array, constant) = self.array(index)?;
        Bytes::new(array, constant)
    }

    pub(crate) fn vectors(&self, index: usize) -> Result<Vectors> {
        let (array, constant) = self.array(index)?;
        let (function, parameter) = (self.parameters.function, self.parameters.all[index].0);
        Vectors::new(function, parameter, array, constant)
    }

    /// Applies `number` to each value of the argument at `index`, of kind [`Kind::Number`]; NULL stays NULL.
    pub(crate) fn map_numbers(
        &self,
        index: usize,
        number: impl Fn(f64) -> Option<f64>,
    ) -> Result<ArrayRef> {
        let numbers = self.floats(index)?;
        let of_row = |row: usize| numbers.get(row).and_then(&number);
        Ok(Arc::new(
            (0..self.rows).map(of_row).collect::<Float64Array>(),
        ))
    }

    /// Whether the argument at `index` is a list of numbers or of (term, weight).
    pub(crate) fn is_vector(&self, index: usize) -> bool {
        self.values
            .get(index)
            .is_some_and(|value| vectors::is_vector(&value.data_type()))
    }

    pub(crate) fn integers(&self, index: usize) -> Result<Integers> {
        let (array, constant) = self.array(index)?;
        Integers::new(&array, constant)
    }

    pub(crate) fn floats(&self, index: usize) -> Result<Floats> {
        let (array, constant) = self.array(index)?;
        Floats::new(&array, constant)
    }

    /// A sort key for each value of the argument at `index`, of kind [`Kind::Struct`].
    pub(crate) fn sort_keys(&self, index: usize, directions: &[SortOptions]) -> Result<ArrayRef> {
        structs::sort_keys(&self.array(index)?.0, directions)
    }

    /// The argument as an array; a constant has one value.
    fn array(&self, index: usize) -> Result<(ArrayRef, bool)> {
        match &self.values[index] {
            ColumnarValue::Array(array) => Ok((Arc::clone(array), false)),
            ColumnarValue::Scalar(scalar) => Ok((scalar.to_array()?, true)),
        }
    }

    /// The result of the call.
    pub(crate) fn finish(self, array: ArrayRef) -> Result<ColumnarValue> {
        if self.scalar {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(
                &array, 0,
            )?));
        }
        Ok(ColumnarValue::Array(array))
    }
}

/// The index of the value of a row in an array, which has a single value if the argument is a constant.
fn position(row: usize, constant: bool) -> usize {
    if constant { 0 } else { row }
}
