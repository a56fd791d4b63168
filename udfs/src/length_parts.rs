//! `length_parts(length, parts)`

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
    description = "Divides the lengths of sets into ranges, for the parts of a join: about as many tokens belong to each part. `row_parts` gives the parts of a row. Without rows it is not NULL.",
    syntax_example = "length_parts(length, parts)",
    sql_example = r#"```sql
> SELECT row_parts([7], length, ranges, 0.5) AS parts
  FROM (VALUES (10), (90)) AS rows (length),
    (SELECT length_parts(length, 2) AS ranges FROM (VALUES (10), (12), (20), (90)) AS rows (length));
+-------+
| parts |
+-------+
| [0]   |
| [1]   |
+-------+
```"#,
    argument(
        name = "length",
        description = "The number of tokens of the set of a row; NULL is left out."
    ),
    argument(
        name = "parts",
        description = "A constant: the number of parts, at least 1."
    ),
    related_udf(name = "row_parts")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LengthPartsOf;

impl Aggregate for LengthPartsOf {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "length_parts",
        all: &[("length", Kind::Integer), ("parts", Kind::Count)],
        required: 2,
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
    const FUNCTION: &'static str = "length_parts";

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

    fn state(&self) -> Vec<u8> {
        self.state()
    }

    /// The constant is the number of parts.
    fn finish(&self, parts: u64) -> Vec<u8> {
        self.finish(u32::try_from(parts).unwrap_or(u32::MAX))
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
    use neardup_kernels::LengthParts;

    use super::*;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_same_ranges() {
        let lengths: ArrayRef = Arc::new(Int64Array::from(vec![
            Some(3),
            Some(900),
            None,
            Some(3),
            Some(40),
        ]));
        let parts: ArrayRef = Arc::new(Int64Array::from(vec![3; 5]));
        let mut counts = LengthCounts::default();
        [3, 900, 3, 40]
            .iter()
            .for_each(|&length| counts.add(length));
        let expected = counts.finish(3);
        for ranges in every_grouping(LengthPartsOf, &[Arc::clone(&lengths), parts]) {
            assert_eq!(ranges, ScalarValue::BinaryView(Some(expected.clone())));
        }
        assert_eq!(LengthParts::new(&expected).expect("ranges").parts(), 3);
    }
}
