//! `length_counts(length)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::{LengthCounts, WrongFilter};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Parameters, numbers};
use crate::counted::{self, Counts};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Counts tokens by the length of their sets, for `length_parts`. Lengths from 256 on are rounded up, by at most 1/128 of them. Without rows it is empty, not NULL.",
    syntax_example = "length_counts(length)",
    sql_example = r#"```sql
> SELECT octet_length(encode(length_counts(length), 'hex')) / 32 AS lengths
  FROM (VALUES (10), (12), (10)) AS rows (length);
+---------+
| lengths |
+---------+
| 2       |
+---------+
```"#,
    argument(
        name = "length",
        description = "The number of tokens of the set of a row; NULL is left out."
    ),
    related_udf(name = "length_parts")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LengthCountsOf;

impl Aggregate for LengthCountsOf {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "length_counts",
        all: &[("length", Kind::Integer)],
        required: 1,
    };

    fn result_type(_: &[DataType]) -> DataType {
        DataType::BinaryView
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        counted::state()
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(counted::start::<LengthCounts>())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

impl Counts for LengthCounts {
    const FUNCTION: &'static str = "length_counts";

    fn count(&mut self, lengths: &ArrayRef, _: u64) -> Result<()> {
        let lengths = numbers(lengths)?;
        for length in lengths.iter().flatten() {
            self.add(u64::try_from(length).unwrap_or(0));
        }
        Ok(())
    }

    fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        self.merge(state)
    }

    fn state(&mut self) -> Vec<u8> {
        LengthCounts::state(self)
    }

    fn finish(&mut self, _: u64) -> Vec<u8> {
        LengthCounts::state(self)
    }

    fn memory(&self) -> usize {
        self.memory()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::Int64Array;
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_same_counts() {
        let lengths: ArrayRef = Arc::new(Int64Array::from(vec![
            Some(3),
            Some(900),
            None,
            Some(3),
            Some(40),
        ]));
        let mut expected = LengthCounts::default();
        [40, 900, 3, 3]
            .iter()
            .for_each(|&length| expected.add(length));
        for counts in every_grouping(LengthCountsOf, &[Arc::clone(&lengths)]) {
            assert_eq!(counts, ScalarValue::BinaryView(Some(expected.state())));
        }
    }
}
