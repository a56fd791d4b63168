//! Aggregates that count the values of a column into bytes, and give bytes.

use std::fmt::{Debug, Display};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, UInt64Type};
use datafusion_common::{Result, ScalarValue, exec_datafusion_err};
use datafusion_expr::Accumulator;
use neardup_kernels::WrongFilter;

use crate::columns::{Bytes, Lists, numbers};

/// What an aggregate counts of its first argument. The second argument, a constant of 0 or more, may be left out.
pub(crate) trait Counts: Debug + Default + Send + Sync + 'static {
    /// The name of the function.
    const FUNCTION: &'static str;
    /// The name of the second argument.
    const CONSTANT: &'static str = "";

    /// Counts the values of a column. `constant` is the second argument, 0 if it is not known.
    fn count(&mut self, column: &ArrayRef, constant: u64) -> Result<()>;

    /// Adds what another one counted.
    fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter>;

    /// What was counted, for [`Self::merge`].
    fn state(&mut self) -> Vec<u8>;

    /// The result.
    fn finish(&mut self, constant: u64) -> Vec<u8>;

    /// The bytes that are allocated.
    fn memory(&self) -> usize;
}

/// Names and types of the partial state.
pub(crate) fn state() -> Vec<(&'static str, DataType)> {
    vec![("counts", DataType::Binary), ("constant", DataType::UInt64)]
}

/// An aggregation that has seen no row.
pub(crate) fn start<C: Counts>() -> Box<dyn Accumulator> {
    Box::new(Counted {
        counts: C::default(),
        constant: 0,
    })
}

/// Calls `visit` with the keys of each row of a column that is not NULL.
pub(crate) fn for_each_set(column: &ArrayRef, mut visit: impl FnMut(&[u64])) -> Result<()> {
    let lists = Lists::new(Arc::clone(column), false)?;
    let mut scratch = Vec::new();
    for row in 0..column.len() {
        if let Some(keys) = lists.get_u64(row, &mut scratch) {
            visit(keys);
        }
    }
    Ok(())
}

/// Calls `visit` with the bytes of each row that is not NULL.
pub(crate) fn for_each_result<E: Display>(
    function: &str,
    column: &ArrayRef,
    mut visit: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<()> {
    let bytes = Bytes::new(Arc::clone(column), false)?;
    for result in (0..column.len()).filter_map(|row| bytes.get(row)) {
        visit(result).map_err(|error| exec_datafusion_err!("{function}: {error}"))?;
    }
    Ok(())
}

#[derive(Debug)]
struct Counted<C> {
    counts: C,
    constant: u64,
}

impl<C: Counts> Accumulator for Counted<C> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if let Some(constants) = values.get(1)
            && let Some(constant) = numbers(constants)?.iter().flatten().next()
        {
            self.constant = u64::try_from(constant).map_err(|_| {
                exec_datafusion_err!(
                    "{}: {} must not be negative, found {constant}",
                    C::FUNCTION,
                    C::CONSTANT
                )
            })?;
        }
        self.counts.count(&values[0], self.constant)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let constants = states[1].as_primitive::<UInt64Type>().iter().flatten();
        self.constant = constants.fold(self.constant, u64::max);
        let mut states = states[0].as_binary::<i32>().iter().flatten();
        states.try_for_each(|state| {
            let merged = self.counts.merge(state);
            merged.map_err(|error| exec_datafusion_err!("{}: {error}", C::FUNCTION))
        })
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![
            ScalarValue::Binary(Some(self.counts.state())),
            ScalarValue::UInt64(Some(self.constant)),
        ])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let result = self.counts.finish(self.constant);
        Ok(ScalarValue::BinaryView(Some(result)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.counts.memory()
    }
}
