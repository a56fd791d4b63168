//! `key_filter(keys[, max_bytes])`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::{KeyCounts, WrongFilter};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Parameters};
use crate::counted::{self, Counts, for_each_set};

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
        description = "The maximum size of a filter: a constant of at least 256, 32 MiB by default. Up to a million keys, or as many as fit into these bytes but at most 2^25, are stored as they are until the filter is made."
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
        counted::state()
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(counted::start::<KeyCounts>())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

impl Counts for KeyCounts {
    const FUNCTION: &'static str = "key_filter";
    const CONSTANT: &'static str = "max_bytes";

    /// The constant is the maximum number of bytes.
    fn count(&mut self, keys: &ArrayRef, max_bytes: u64) -> Result<()> {
        if max_bytes > 0 {
            self.set_max_bytes(usize::try_from(max_bytes).unwrap_or(usize::MAX));
        }
        for_each_set(keys, |keys| self.add(keys))
    }

    fn merge(&mut self, state: &[u8]) -> Result<(), WrongFilter> {
        self.merge(state)
    }

    fn state(&mut self) -> Vec<u8> {
        KeyCounts::state(self)
    }

    fn finish(&mut self, _: u64) -> Vec<u8> {
        KeyCounts::finish(self)
    }

    fn memory(&self) -> usize {
        self.memory()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::ListArray;
    use arrow::datatypes::UInt64Type;
    use datafusion_common::ScalarValue;
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
