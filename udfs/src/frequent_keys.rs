//! `frequent_keys(keys, max_rows)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, UInt64Type};
use datafusion_common::{DataFusionError, Result, ScalarValue, exec_datafusion_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::{FrequentKeyCounts, WrongFilter};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Lists, Parameters, numbers};

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
        vec![("counts", DataType::Binary), ("max_rows", DataType::UInt64)]
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Counts::default()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[derive(Debug, Default)]
struct Counts {
    counts: FrequentKeyCounts,
    /// 0: no key is frequent.
    max_rows: u64,
    scratch: Vec<u64>,
}

fn failed(error: WrongFilter) -> DataFusionError {
    exec_datafusion_err!("frequent_keys: {error}")
}

impl Accumulator for Counts {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let max_rows = numbers(&values[1])?;
        if let Some(max_rows) = max_rows.iter().flatten().next() {
            self.max_rows = u64::try_from(max_rows).unwrap_or(0);
        }
        if self.max_rows == 0 {
            return Ok(());
        }
        let lists = Lists::new(Arc::clone(&values[0]), false)?;
        for row in 0..values[0].len() {
            if let Some(keys) = lists.get_u64(row, &mut self.scratch) {
                self.counts.add(keys);
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let max_rows = states[1].as_primitive::<UInt64Type>().iter().flatten();
        self.max_rows = max_rows.fold(self.max_rows, u64::max);
        let mut states = states[0].as_binary::<i32>().iter().flatten();
        states.try_for_each(|state| self.counts.merge(state).map_err(failed))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![
            ScalarValue::Binary(Some(self.counts.state())),
            ScalarValue::UInt64(Some(self.max_rows)),
        ])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let max_rows = match self.max_rows {
            0 => usize::MAX,
            max_rows => usize::try_from(max_rows).unwrap_or(usize::MAX),
        };
        let keys = self.counts.finish(max_rows);
        Ok(ScalarValue::BinaryView(Some(keys)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.scratch.capacity() * size_of::<u64>() + self.counts.memory()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, ListArray};
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
