//! `token_frequencies(tokens)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use datafusion_common::{DataFusionError, Result, ScalarValue, exec_datafusion_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::frequency::{FrequencyError, TokenFrequencies as Sketch};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Lists, Parameters};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Counts how often each token occurs over all sets, in a sketch of at most 16 MiB that gives all tokens one total order, rare ones first, for `prefix_tokens`. The sketch depends only on the tokens, not on the order of rows or the number of partitions. Without tokens it is empty, not NULL.",
    syntax_example = "token_frequencies(tokens)",
    sql_example = r#"```sql
> SELECT octet_length(encode(token_frequencies(shingle_hashes(text, 'word:2')), 'hex')) / 2 AS bytes
  FROM (VALUES ('to be or not to be'), ('not to be')) AS docs (text);
+-------+
| bytes |
+-------+
| 32    |
+-------+
```"#,
    argument(
        name = "tokens",
        description = "The set of a row, such as `shingle_hashes` gives; NULL is left out."
    ),
    related_udf(name = "prefix_tokens")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TokenFrequencies;

impl Aggregate for TokenFrequencies {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "token_frequencies",
        all: &[("tokens", Kind::Set)],
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

/// The sketch; `None` until there is a token.
#[derive(Debug, Default)]
struct Counts {
    sketch: Option<Sketch>,
    scratch: Vec<u64>,
}

fn failed(error: FrequencyError) -> DataFusionError {
    exec_datafusion_err!("token_frequencies: {error}")
}

impl Accumulator for Counts {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let lists = Lists::new(Arc::clone(&values[0]), false)?;
        for row in 0..values[0].len() {
            if let Some(tokens) = lists.get_u64(row, &mut self.scratch)
                && !tokens.is_empty()
            {
                self.sketch.get_or_insert_default().add(tokens);
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in states[0].as_binary::<i32>().iter().flatten() {
            self.sketch
                .get_or_insert_default()
                .merge_state(state)
                .map_err(failed)?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::Binary(
            self.sketch.as_ref().map(Sketch::to_state),
        )])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let bytes = self.sketch.get_or_insert_default().to_ranks();
        Ok(ScalarValue::BinaryView(Some(bytes)))
    }

    fn size(&self) -> usize {
        let sketch = self.sketch.as_ref().map_or(0, Sketch::memory);
        size_of_val(self) + self.scratch.capacity() * size_of::<u64>() + sketch
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, ListArray, StringArray};
    use arrow::buffer::OffsetBuffer;
    use arrow::compute::cast;
    use arrow::datatypes::{Field, UInt32Type, UInt64Type};
    use neardup_kernels::frequency::{TokenRanks, level};

    use super::*;
    use crate::groupings::{aggregate, aggregate_error, every_grouping};

    fn bytes(result: ScalarValue) -> Vec<u8> {
        match result {
            ScalarValue::BinaryView(Some(bytes)) => bytes,
            other => panic!("not bytes: {other}"),
        }
    }

    fn lists() -> ArrayRef {
        let row = |tokens: &[u64]| Some(tokens.iter().copied().map(Some).collect::<Vec<_>>());
        Arc::new(ListArray::from_iter_primitive::<UInt64Type, _, _>([
            row(&[99]),
            row(&[5, 1 << 40, u64::MAX]),
            None,
            row(&[]),
            row(&[5, 6]),
            row(&[5]),
        ]))
    }

    #[test]
    fn any_grouping_gives_the_same_sketch() {
        let lists = lists().slice(1, 5);
        let mut expected = Sketch::new();
        expected.add(&[5, 1 << 40, u64::MAX, 5, 6, 5]);
        let large = cast(&lists, &DataType::new_large_list(DataType::UInt64, true)).expect("lists");
        for lists in [lists, large] {
            for result in every_grouping(TokenFrequencies, &[lists]) {
                assert_eq!(bytes(result), expected.to_ranks());
            }
        }
    }

    #[test]
    fn lists_of_other_elements() {
        let narrow = ListArray::from_iter_primitive::<UInt32Type, _, _>([Some([Some(7), Some(7)])]);
        let signed = ListArray::new(
            Arc::new(Field::new_list_field(DataType::Int64, true)),
            OffsetBuffer::from_lengths([2]),
            Arc::new(Int64Array::from(vec![7, 7])),
            None,
        );
        for lists in [Arc::new(narrow) as ArrayRef, Arc::new(signed)] {
            let result = bytes(aggregate(TokenFrequencies, &[lists]));
            let ranks = TokenRanks::from_bytes(&result).expect("a sketch");
            assert_eq!(ranks.level(7), level(2));
        }
    }

    #[test]
    fn without_tokens_the_sketch_is_empty() {
        let empty = Sketch::new().to_ranks();
        for lists in [lists().slice(0, 0), lists().slice(2, 2)] {
            for result in every_grouping(TokenFrequencies, &[lists]) {
                assert_eq!(bytes(result), empty);
            }
        }
    }

    #[test]
    fn errors_name_the_argument() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        assert_eq!(
            aggregate_error(TokenFrequencies, &[text]),
            "Error during planning: token_frequencies: tokens must be a list of hashes or of strings, found Utf8"
        );
    }
}
