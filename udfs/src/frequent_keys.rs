//! `frequent_keys(keys, max_rows)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::{FrequentKeyCounts, WrongFilter};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Parameters};
use crate::counted::{self, Counts, for_each_set};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Counts keys, and returns those that more than `max_rows` rows may hold, for `shared_keys`: all that do, and few others as long as there are not many more than a hundred thousand times `max_rows` keys. Without keys it is not NULL.",
    syntax_example = "frequent_keys(keys, max_rows)",
    sql_example = r#"```sql
> SELECT encode(frequent_keys(keys, 1), 'hex') AS frequent
  FROM (VALUES ([3, 5]), ([5, 7])) AS rows (keys);
+--------------------+
| frequent           |
+--------------------+
| 000500000000000000 |
+--------------------+
```"#,
    argument(
        name = "keys",
        description = "The keys of a row: bucket keys or prefix tokens. NULL is left out."
    ),
    argument(
        name = "max_rows",
        description = "A constant: the number of rows up to which a key is not frequent; with 0 none is."
    ),
    related_udf(name = "shared_keys"),
    related_udf(name = "key_filter")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FrequentKeysOf;

impl Aggregate for FrequentKeysOf {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "frequent_keys",
        all: &[("keys", Kind::Set), ("max_rows", Kind::Count)],
        required: 2,
    };

    fn result_type(_: &[DataType]) -> DataType {
        DataType::BinaryView
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        counted::state()
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(counted::start::<FrequentKeyCounts>())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

impl Counts for FrequentKeyCounts {
    const FUNCTION: &'static str = "frequent_keys";

    /// The constant is the number of rows; with 0 no key is frequent.
    fn count(&mut self, keys: &ArrayRef, max_rows: u64) -> Result<()> {
        match max_rows {
            0 => Ok(()),
            _ => for_each_set(keys, |keys| self.add(keys)),
        }
    }

    fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        self.merge(state)
    }

    fn state(&self) -> Vec<u8> {
        self.state()
    }

    fn finish(&self, max_rows: u64) -> Vec<u8> {
        let max_rows = match max_rows {
            0 => usize::MAX,
            max_rows => usize::try_from(max_rows).unwrap_or(usize::MAX),
        };
        self.finish(max_rows)
    }

    fn memory(&self) -> usize {
        self.memory()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int64Array, ListArray};
    use arrow::datatypes::UInt64Type;
    use datafusion_common::ScalarValue;
    use neardup_kernels::FrequentKeys;

    use super::*;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_keys_of_many_rows() {
        let keys: ArrayRef = Arc::new(ListArray::from_iter_primitive::<UInt64Type, _, _>([
            Some(vec![Some(7), Some(9)]),
            None,
            Some(vec![]),
            Some(vec![Some(7), Some(1 << 63)]),
            Some(vec![Some(7), Some(9)]),
        ]));
        for (max_rows, expected) in [
            (1, [true, true, false]),
            (2, [true, false, false]),
            (0, [false; 3]),
        ] {
            let max_rows: ArrayRef = Arc::new(Int64Array::from(vec![max_rows; 5]));
            for keys in every_grouping(FrequentKeysOf, &[Arc::clone(&keys), max_rows]) {
                let ScalarValue::BinaryView(Some(bytes)) = keys else {
                    panic!("not bytes: {keys}")
                };
                let keys = FrequentKeys::new(&bytes).expect("keys");
                assert_eq!([7, 9, 1 << 63].map(|key| keys.contains(key)), expected);
            }
        }
    }
}
