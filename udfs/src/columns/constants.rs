//! Constant arguments.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion_expr::{ColumnarValue, ReturnFieldArgs};
use neardup_kernels::Shingle;
use neardup_wikitext::is_language_code;

use super::parameters::{Kind, Parameters};

/// The default of shingle arguments: `word:3`.
const DEFAULT_SHINGLE: Shingle = Shingle::Word(3);

/// The constant arguments of a call: literals while planning, scalars while running. Functions read their options
/// from it in both phases, so that an error is reported as early as possible.
pub(crate) struct Constants<'a> {
    parameters: &'static Parameters,
    /// `None` if the argument is not a constant, or not known to be one yet.
    values: Vec<Option<&'a ScalarValue>>,
    planning: bool,
}

impl Parameters {
    /// Checks number and types of the arguments, and gives access to those that are literals.
    pub(crate) fn check<'a>(&'static self, args: &ReturnFieldArgs<'a>) -> Result<Constants<'a>> {
        let types: Vec<_> = args
            .arg_fields
            .iter()
            .map(|field| field.data_type())
            .collect();
        self.check_types(&types)?;
        let constants = Constants::of_plan(self, args.scalar_arguments);
        constants.check_languages()?;
        Ok(constants)
    }
}

impl<'a> Constants<'a> {
    fn of_plan(parameters: &'static Parameters, literals: &[Option<&'a ScalarValue>]) -> Self {
        Self {
            parameters,
            values: literals.to_vec(),
            planning: true,
        }
    }

    pub(super) fn of_call(parameters: &'static Parameters, values: &'a [ColumnarValue]) -> Self {
        let scalar = |value: &'a ColumnarValue| match value {
            ColumnarValue::Scalar(scalar) => Some(scalar),
            ColumnarValue::Array(_) => None,
        };
        Self {
            parameters,
            values: values.iter().map(scalar).collect(),
            planning: false,
        }
    }

    /// Checks that constant languages are codes. Languages in a column are data, such as those of the headers of dumps,
    /// and may be anything.
    fn check_languages(&self) -> Result<()> {
        let given = self.parameters.all.iter().zip(&self.values);
        for (index, ((_, kind), value)) in given.enumerate() {
            if *kind == Kind::Language
                && let Some(text) = value.and_then(|value| value.try_as_str().flatten())
                && !is_language_code(text)
            {
                return self.error(index, &format!("must be {}, found {text}", kind.wanted()));
            }
        }
        Ok(())
    }

    /// An integer in `range`; `default` if the argument is left out. While planning, a constant that is not known yet
    /// is replaced by the start of the range.
    pub(crate) fn integer<T>(&self, index: usize, range: RangeInclusive<T>, default: T) -> Result<T>
    where
        T: Copy + TryFrom<i128> + Into<Wide>,
    {
        let Some(value) = self.value(index)? else {
            return Ok(if self.given(index) {
                *range.start()
            } else {
                default
            });
        };
        let (min, max) = ((*range.start()).into().0, (*range.end()).into().0);
        let in_range = wide(value).filter(|number| (min..=max).contains(number));
        match in_range.map(T::try_from) {
            Some(Ok(number)) => Ok(number),
            _ => self.error(
                index,
                &format!("must be between {min} and {max}, found {value}"),
            ),
        }
    }

    /// A shingle; [`DEFAULT_SHINGLE`] if the argument is left out.
    pub(crate) fn shingle(&self, index: usize) -> Result<Shingle> {
        self.parsed(index, DEFAULT_SHINGLE)
    }

    /// A string that is parsed as a `T`, whose errors state the parameter and the rule; `default` if the argument is
    /// left out or, while planning, is not known yet.
    pub(crate) fn parsed<T>(&self, index: usize, default: T) -> Result<T>
    where
        T: FromStr<Err: Display>,
    {
        let Some(value) = self.value(index)? else {
            return Ok(default);
        };
        let text = value.try_as_str().flatten().unwrap_or_default();
        text.parse()
            .map_err(|error: T::Err| plan_datafusion_err!("{}: {error}", self.parameters.function))
    }

    /// A truth value; `default` if the argument is left out or, while planning, is not known yet.
    pub(crate) fn flag(&self, index: usize, default: bool) -> Result<bool> {
        match self.value(index)? {
            Some(ScalarValue::Boolean(Some(flag))) => Ok(*flag),
            None => Ok(default),
            Some(other) => self.error(index, &format!("must be true or false, found {other}")),
        }
    }

    /// A threshold in (0, 1]. While planning, a constant that is not known yet is replaced by 1.
    pub(crate) fn threshold(&self, index: usize) -> Result<f64> {
        let Some(value) = self.value(index)? else {
            return Ok(1.0);
        };
        match value.cast_to(&DataType::Float64) {
            Ok(ScalarValue::Float64(Some(threshold))) if threshold > 0.0 && threshold <= 1.0 => {
                Ok(threshold)
            }
            _ => self.error(
                index,
                &format!("must be greater than 0 and at most 1, found {value}"),
            ),
        }
    }

    /// Requires that an argument, if given, is a literal, because the type of the result depends on it.
    pub(crate) fn require_literal(&self, index: usize) -> Result<()> {
        if self.given(index) && self.values[index].is_none() {
            return self.error(
                index,
                "must be a literal, because the type of the result depends on it",
            );
        }
        Ok(())
    }

    /// Whether the argument at `index` was given.
    pub(crate) fn given(&self, index: usize) -> bool {
        index < self.values.len()
    }

    /// The value of an argument; `None` if it is left out or, while planning, is not known yet.
    fn value(&self, index: usize) -> Result<Option<&'a ScalarValue>> {
        match self.values.get(index) {
            None => Ok(None),
            Some(Some(value)) if value.is_null() => self.error(index, "must not be NULL"),
            Some(Some(value)) => Ok(Some(value)),
            Some(None) if self.planning => Ok(None),
            Some(None) => self.error(index, "must be a constant, not a column"),
        }
    }

    fn error<T>(&self, index: usize, what: &str) -> Result<T> {
        plan_err!(
            "{}: {} {what}",
            self.parameters.function,
            self.parameters.all[index].0
        )
    }
}

/// A number of any integer type that a parameter may have.
pub(crate) struct Wide(i128);

impl From<u64> for Wide {
    fn from(number: u64) -> Self {
        Self(number.into())
    }
}

impl From<u32> for Wide {
    fn from(number: u32) -> Self {
        Self(number.into())
    }
}

impl From<usize> for Wide {
    fn from(number: usize) -> Self {
        Self(number as i128)
    }
}

fn wide(value: &ScalarValue) -> Option<i128> {
    match *value {
        ScalarValue::Int8(number) => number.map(i128::from),
        ScalarValue::Int16(number) => number.map(i128::from),
        ScalarValue::Int32(number) => number.map(i128::from),
        ScalarValue::Int64(number) => number.map(i128::from),
        ScalarValue::UInt8(number) => number.map(i128::from),
        ScalarValue::UInt16(number) => number.map(i128::from),
        ScalarValue::UInt32(number) => number.map(i128::from),
        ScalarValue::UInt64(number) => number.map(i128::from),
        _ => None,
    }
}
