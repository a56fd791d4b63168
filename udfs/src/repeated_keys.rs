//! `repeated_keys(key, max_rows)`

use arrow::array::{Array, ArrayRef, AsArray, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::{KeyOccurrences, WrongFilter};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Parameters};
use crate::counted::{self, Counts};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the keys of a range that occur several times, and says which of them occur more than `max_rows` times, for `repeated_key_filter`. A range consists of the keys that agree in their six highest bits: `key >> 58` is the group of a key. Keys of a range with the same 32-bit hash count as one. Without keys it is empty, not NULL. Joins in several parts call it: tasks divide the ranges among them, and hold about four bytes for each key.",
    syntax_example = "repeated_keys(key, max_rows)",
    sql_example = r#"```sql
> SELECT octet_length(encode(repeated_keys(key, 2), 'hex')) / 2 AS bytes
  FROM (VALUES (5), (7), (5), (9), (5)) AS keys (key);
+-------+
| bytes |
+-------+
| 8     |
+-------+
```"#,
    argument(
        name = "key",
        description = "A bucket key or prefix token; NULL is left out."
    ),
    argument(
        name = "max_rows",
        description = "A constant from 0 to 4294967294: the keys that occur more often are frequent; with 0 none is."
    ),
    related_udf(name = "repeated_key_filter")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RepeatedKeysOf;

impl Aggregate for RepeatedKeysOf {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "repeated_keys",
        all: &[("key", Kind::Integer), ("max_rows", Kind::Count)],
        required: 2,
    };

    fn result_type(_: &[DataType]) -> DataType {
        DataType::BinaryView
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        counted::state()
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(counted::start::<KeyOccurrences>())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

impl Counts for KeyOccurrences {
    const FUNCTION: &'static str = "repeated_keys";
    const CONSTANT: &'static str = "max_rows";

    fn count(&mut self, keys: &ArrayRef, _: u64) -> Result<()> {
        let keys: UInt64Array = match keys.data_type() {
            DataType::UInt64 => keys.as_primitive::<UInt64Type>().clone(),
            // The bits of a key, as in a list of keys.
            _ => cast(keys, &DataType::Int64)?
                .as_primitive::<Int64Type>()
                .unary(|key| key as u64),
        };
        let function = Self::FUNCTION;
        let mut keys = keys.iter().flatten();
        keys.try_for_each(|key| self.add(key))
            .map_err(|error| exec_datafusion_err!("{function}: {error}"))
    }

    fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        self.merge(state)
    }

    fn state(&mut self) -> Vec<u8> {
        self.state()
    }

    /// The constant is the number of rows; with 0 no key is frequent.
    fn finish(&mut self, max_rows: u64) -> Vec<u8> {
        self.finish(match max_rows {
            0 => u32::MAX,
            max_rows => u32::try_from(max_rows).unwrap_or(u32::MAX),
        })
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
    use neardup_kernels::{RepeatedKeyFilter, RepeatedKeys, is_marked};

    use super::*;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_same_keys() {
        let top = 1 << 63;
        let keys: ArrayRef = Arc::new(UInt64Array::from(vec![
            Some(top | 7),
            Some(top | 9),
            None,
            Some(top | 7),
            Some(top | 1),
            Some(top | 7),
            Some(top | 9),
        ]));
        for (max_rows, expected) in [
            (1, [Some(true), Some(true), None]),
            (2, [Some(true), Some(false), None]),
            (0, [Some(false), Some(false), None]),
        ] {
            let max_rows: ArrayRef = Arc::new(Int64Array::from(vec![max_rows; 7]));
            for keys in every_grouping(RepeatedKeysOf, &[Arc::clone(&keys), max_rows]) {
                let ScalarValue::BinaryView(Some(bytes)) = keys else {
                    panic!("not bytes: {keys}")
                };
                let mut filter = RepeatedKeyFilter::default();
                filter.add(&bytes).expect("keys");
                let filter = filter.finish();
                let filter = RepeatedKeys::new(&filter).expect("a filter");
                let found = [7, 9, 1].map(|key| filter.get(top | key).map(is_marked));
                assert_eq!(found, expected);
            }
        }
    }
}
