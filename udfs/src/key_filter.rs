//! `key_filter(keys[, max_bytes])`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use datafusion_common::{DataFusionError, Result, ScalarValue, exec_datafusion_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::{KeyCounts, WrongFilter};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Lists, Parameters, numbers};

/// Upper bound of the bytes of a filter: a state is a value of a column of at most 2 GiB.
const MAX_BYTES: usize = 1 << 30;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Counts keys, and returns a filter for `passage_grams`, of at most `max_bytes` bytes. The filter has each key that occurs several times, and some of the others: at most an eighth of them among fewer than `max_bytes` / 2 keys, all of them among very many. Without keys it is empty, not NULL.",
    syntax_example = "key_filter(keys[, max_bytes])",
    sql_example = r#"```sql
> SELECT octet_length(encode(key_filter(passage_anchors(text, 2)), 'hex')) / 2 AS bytes
  FROM (VALUES ('to be or not to be'), ('not to be')) AS docs (text);
+-------+
| bytes |
+-------+
| 256   |
+-------+
```"#,
    argument(
        name = "keys",
        description = "The keys of a row, each as often as it is counted, such as `passage_anchors` gives; NULL is left out."
    ),
    argument(
        name = "max_bytes",
        description = "The size of a filter of more than a million keys, which is a power of two: a constant of at least 256, 32 MiB by default. Each partition holds one."
    ),
    related_udf(name = "passage_anchors"),
    related_udf(name = "passage_grams")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KeyFilter;

impl Aggregate for KeyFilter {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "key_filter",
        all: &[("keys", Kind::Set), ("max_bytes", Kind::Count)],
        required: 1,
    };

    fn result_type(_: &[DataType]) -> DataType {
        DataType::BinaryView
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        vec![("counts", DataType::Binary)]
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
    counts: KeyCounts,
    scratch: Vec<u64>,
}

fn failed(error: WrongFilter) -> DataFusionError {
    exec_datafusion_err!("key_filter: {error}")
}

impl Accumulator for Counts {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if let Some(max_bytes) = values.get(1) {
            let max_bytes = numbers(max_bytes)?;
            if let Some(max_bytes) = max_bytes.iter().flatten().next() {
                let max_bytes = usize::try_from(max_bytes).unwrap_or(0);
                self.counts.set_max_bytes(max_bytes.min(MAX_BYTES));
            }
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
        let mut states = states[0].as_binary::<i32>().iter().flatten();
        states.try_for_each(|state| self.counts.merge(state).map_err(failed))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::Binary(Some(self.counts.state()))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::BinaryView(Some(self.counts.finish())))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.scratch.capacity() * size_of::<u64>() + self.counts.memory()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::ListArray;
    use arrow::datatypes::UInt64Type;
    use neardup_kernels::SharedKeys;

    use super::*;
    use crate::groupings::every_grouping;

    #[test]
    fn every_grouping_has_the_keys_of_several_places() {
        let keys: ArrayRef = Arc::new(ListArray::from_iter_primitive::<UInt64Type, _, _>([
            Some(vec![Some(7), Some(9), Some(9)]),
            None,
            Some(vec![]),
            Some(vec![Some(7), Some(1 << 63)]),
        ]));
        for filter in every_grouping(KeyFilter, &[keys]) {
            let ScalarValue::BinaryView(Some(bytes)) = filter else {
                panic!("not bytes: {filter}")
            };
            let filter = SharedKeys::new(&bytes).expect("a filter");
            assert!(filter.contains(7) && filter.contains(9));
            assert!(!filter.contains(1 << 63));
        }
    }
}
