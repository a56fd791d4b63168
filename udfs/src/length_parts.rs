//! `length_parts(length, parts)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::{LengthCounts, WrongFilter};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Parameters};
use crate::counted::{self, Counts, for_each_result};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Divides the lengths of sets into ranges, for the parts of a join: about as many tokens belong to each part. `row_parts` gives the parts of a row. Without rows it is not NULL.",
    syntax_example = "length_parts(counts, parts)",
    sql_example = r#"```sql
> SELECT row_parts([7], length, ranges, 0.5) AS parts
  FROM (VALUES (10), (90)) AS rows (length),
    (
      SELECT length_parts(counts, 2) AS ranges
      FROM (SELECT length_counts(length) AS counts FROM (VALUES (10), (12), (20), (90)) AS rows (length))
    );
+-------+
| parts |
+-------+
| [0]   |
| [1]   |
+-------+
```"#,
    argument(
        name = "counts",
        description = "Results of `length_counts`; NULL is left out."
    ),
    argument(
        name = "parts",
        description = "A constant: the number of parts, at least 1."
    ),
    related_udf(name = "length_counts"),
    related_udf(name = "row_parts")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LengthPartsOf;

impl Aggregate for LengthPartsOf {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "length_parts",
        all: &[("counts", Kind::Sketch), ("parts", Kind::Count)],
        required: 2,
    };

    fn result_type(_: &[DataType]) -> DataType {
        DataType::BinaryView
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        counted::state()
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(counted::start::<Merged>())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The counts of several groups of rows.
#[derive(Debug, Default)]
struct Merged(LengthCounts);

impl Counts for Merged {
    const FUNCTION: &'static str = "length_parts";
    const CONSTANT: &'static str = "parts";

    fn count(&mut self, counts: &ArrayRef, _: u64) -> Result<()> {
        for_each_result(Self::FUNCTION, counts, |counts| self.0.merge(counts))
    }

    fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        self.0.merge(state)
    }

    fn state(&mut self) -> Vec<u8> {
        self.0.state()
    }

    /// The constant is the number of parts.
    fn finish(&mut self, parts: u64) -> Vec<u8> {
        self.0.finish(u32::try_from(parts).unwrap_or(u32::MAX))
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{BinaryArray, Int64Array};
    use datafusion_common::ScalarValue;
    use neardup_kernels::LengthParts;

    use super::*;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_same_ranges() {
        let of_group = |lengths: &[u64]| {
            let mut counts = LengthCounts::default();
            lengths.iter().for_each(|&length| counts.add(length));
            counts
        };
        let groups = [&[3, 900][..], &[], &[3], &[40]].map(|lengths| of_group(lengths).state());
        let counts: ArrayRef = Arc::new(BinaryArray::from_iter([
            Some(&groups[0]),
            Some(&groups[1]),
            None,
            Some(&groups[2]),
            Some(&groups[3]),
        ]));
        let parts: ArrayRef = Arc::new(Int64Array::from(vec![3; 5]));
        let expected = of_group(&[3, 900, 3, 40]).finish(3);
        for ranges in every_grouping(LengthPartsOf, &[Arc::clone(&counts), parts]) {
            assert_eq!(ranges, ScalarValue::BinaryView(Some(expected.clone())));
        }
        assert_eq!(LengthParts::new(&expected).expect("ranges").parts(), 3);
    }
}
