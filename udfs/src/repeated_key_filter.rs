//! `repeated_key_filter(repeated)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::{RepeatedKeyFilter, WrongFilter};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Parameters};
use crate::counted::{self, Counts, for_each_result};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns a filter for `marked_keys` of the keys that `repeated_keys` found in each range. Of uniformly distributed keys that are not repeated, at most one in 380 is in the filter, as long as no more than 12 million are repeated. It has 3 to 6 bytes for each repeated key, at least 264 bytes and at most 32 MiB, and 8 for each frequent one. Without keys it is not NULL.",
    syntax_example = "repeated_key_filter(repeated)",
    sql_example = r#"```sql
> SELECT marked_keys([5, 7, 9], repeated_key_filter(repeated)) AS keys
  FROM (SELECT repeated_keys(key, 2) AS repeated FROM (VALUES (5), (7), (5), (9), (9)) AS keys (key) GROUP BY key >> 58);
+--------+
| keys   |
+--------+
| [5, 9] |
+--------+
```"#,
    argument(
        name = "repeated",
        description = "Results of `repeated_keys`, one for each range; NULL is left out."
    ),
    related_udf(name = "repeated_keys"),
    related_udf(name = "marked_keys")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RepeatedKeyFilterOf;

impl Aggregate for RepeatedKeyFilterOf {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "repeated_key_filter",
        all: &[("repeated", Kind::Sketch)],
        required: 1,
    };

    fn result_type(_: &[DataType]) -> DataType {
        DataType::BinaryView
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        counted::state()
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(counted::start::<RepeatedKeyFilter>())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

impl Counts for RepeatedKeyFilter {
    const FUNCTION: &'static str = "repeated_key_filter";

    fn count(&mut self, repeated: &ArrayRef, _: u64) -> Result<()> {
        for_each_result(Self::FUNCTION, repeated, |keys| self.add(keys))
    }

    fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        self.merge(state)
    }

    fn state(&mut self) -> Vec<u8> {
        RepeatedKeyFilter::state(self)
    }

    fn finish(&mut self, _: u64) -> Vec<u8> {
        RepeatedKeyFilter::finish(self)
    }

    fn memory(&self) -> usize {
        self.memory()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::BinaryArray;
    use datafusion_common::ScalarValue;
    use neardup_kernels::{KeyOccurrences, RepeatedKeys};

    use super::*;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_same_filter() {
        let of_range = |range: u64| {
            let mut counts = KeyOccurrences::default();
            for key in [1, 2, 1, 3, 3, 3] {
                counts.add(range << 58 | key).expect("one range");
            }
            counts.finish(2)
        };
        let results = [0, 33, 63].map(of_range);
        let repeated: ArrayRef = Arc::new(BinaryArray::from_iter([
            Some(&results[0]),
            None,
            Some(&results[1]),
            Some(&results[2]),
        ]));
        let mut first = None;
        for filter in every_grouping(RepeatedKeyFilterOf, &[repeated]) {
            let ScalarValue::BinaryView(Some(bytes)) = filter else {
                panic!("not bytes: {filter}")
            };
            let filter = RepeatedKeys::new(&bytes).expect("a filter");
            for range in [0, 33, 63] {
                let marked = [1, 2, 3].map(|key| filter.get(range << 58 | key));
                let unmarked = (range << 58 | 1) & (u64::MAX >> 1);
                assert_eq!(
                    marked,
                    [Some(unmarked), None, Some(range << 58 | 3 | 1 << 63)]
                );
            }
            assert_eq!(*first.get_or_insert(bytes.clone()), bytes);
        }
    }
}
