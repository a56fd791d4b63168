//! `token_frequencies(tokens)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use datafusion_common::{DataFusionError, Result, ScalarValue, exec_datafusion_err, exec_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::frequency::{FrequencyError, TokenFrequencies as Sketch};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, Lists, Parameters};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Counts how often each token occurs over all sets, in a sketch that gives all tokens one total order, rare ones first, for `prefix_tokens`. The sketch depends only on the tokens, not on the order of rows or the number of partitions. Without tokens it is empty, not NULL.",
    syntax_example = "token_frequencies(tokens[, index_bits])",
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
    argument(
        name = "index_bits",
        description = "The sketch has 2^index_bits counters of 1.25 bytes; a constant in [16, 26], 23 if it is not given. Tokens share counters, so with a counter for each few tokens a join of many rows compares fewer of them."
    ),
    related_udf(name = "prefix_tokens")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TokenFrequencies;

impl Aggregate for TokenFrequencies {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "token_frequencies",
        all: &[("tokens", Kind::Set), ("index_bits", Kind::Integer)],
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

/// The number of index bits that a batch of arguments asks for; `None` without rows.
fn index_bits(values: &ArrayRef) -> Result<Option<u32>> {
    let all = cast(values, &DataType::Int64)?;
    let mut all = all.as_primitive::<Int64Type>().iter();
    let Some(first) = all.next() else {
        return Ok(None);
    };
    let given = first.and_then(|bits| u32::try_from(bits).ok());
    let allowed = given.filter(|bits| Sketch::BITS.contains(bits));
    let other = all.find(|&bits| bits != first);
    match (allowed, other) {
        (Some(bits), None) => Ok(Some(bits)),
        (_, other) => {
            let found = other.filter(|_| allowed.is_some()).unwrap_or(first);
            exec_err!(
                "token_frequencies: index_bits must be a constant from {} to {}, found {}{}",
                Sketch::BITS.start(),
                Sketch::BITS.end(),
                found.map_or("NULL".to_owned(), |bits| bits.to_string()),
                allowed.map_or(String::new(), |bits| format!(" and {bits}"))
            )
        }
    }
}

impl Accumulator for Counts {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let given = values.get(1).map(index_bits).transpose()?.flatten();
        let bits = given.unwrap_or(Sketch::DEFAULT_BITS);
        let lists = Lists::new(Arc::clone(&values[0]), false)?;
        for row in 0..values[0].len() {
            let Some(tokens) = lists.get_u64(row, &mut self.scratch) else {
                continue;
            };
            if tokens.is_empty() {
                continue;
            }
            let sketch = match &mut self.sketch {
                Some(sketch) => sketch,
                None => self.sketch.insert(Sketch::new(bits).map_err(failed)?),
            };
            if sketch.bits() != bits {
                return Err(failed(FrequencyError::Different(sketch.bits(), bits)));
            }
            sketch.add(tokens);
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in states[0].as_binary::<i32>().iter().flatten() {
            match &mut self.sketch {
                Some(sketch) => sketch.merge_state(state).map_err(failed)?,
                None => self.sketch = Some(Sketch::from_state(state).map_err(failed)?),
            }
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
        let sketch = self.sketch.as_ref();
        size_of_val(self)
            + self.scratch.capacity() * size_of::<u64>()
            + sketch.map_or(0, |sketch| Sketch::memory_for(sketch.bits()))
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
        let mut expected = Sketch::default();
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
        let empty = Sketch::default().to_ranks();
        for lists in [lists().slice(0, 0), lists().slice(2, 2)] {
            for result in every_grouping(TokenFrequencies, &[lists]) {
                assert_eq!(bytes(result), empty);
            }
        }
    }

    #[test]
    fn the_number_of_counters_is_given() {
        let tokens: ArrayRef = Arc::new(ListArray::from_iter_primitive::<UInt64Type, _, _>(
            (0..40_u64).map(|row| Some((0..10_000).map(move |n| Some((row * 10_000 + n) << 20)))),
        ));
        let of_bits = |bits: i64| {
            let bits: ArrayRef = Arc::new(Int64Array::from(vec![bits; 40]));
            let results = every_grouping(TokenFrequencies, &[Arc::clone(&tokens), bits]);
            let sizes: Vec<usize> = results.into_iter().map(|all| bytes(all).len()).collect();
            assert!(sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
            sizes[0]
        };
        // A counter for each of 400,000 tokens suffices.
        assert_eq!(
            [16, 18, 19, 20].map(of_bits),
            [16, 18, 19, 19].map(|bits| 16 + (1 << bits))
        );
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
