//! `prefix_tokens(tokens, sketch, threshold)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::Shingle;
use neardup_kernels::frequency::TokenRanks;

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;
use crate::sets::Sets;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the prefix of a set: its rarest tokens, rarest first, as many as are needed so that any two sets with a Jaccard similarity of at least the threshold share one of them. A join on these tokens finds all such pairs; verified with `jaccard_similarity` it is exact.",
    syntax_example = "prefix_tokens(tokens, sketch, threshold)",
    sql_example = r#"```sql
> SELECT text, prefix_tokens(shingle_hashes(text, 'word:1'), sketch, 0.8) AS keys
  FROM (VALUES ('to be or not'), ('to be or to have')) AS docs (text)
  CROSS JOIN (SELECT token_frequencies(shingle_hashes(t, 'word:1')) AS sketch
              FROM (VALUES ('to be or not'), ('to be or to have')) AS docs (t)) AS counted
  ORDER BY text;
+------------------+------------------------+
| text             | keys                   |
+------------------+------------------------+
| to be or not     | [18069504553374351785] |
| to be or to have | [13527047147941442778] |
+------------------+------------------------+
```"#,
    argument(
        name = "tokens",
        description = "The set of a row, such as `shingle_hashes` gives; NULL gives NULL, an empty set no keys."
    ),
    argument(
        name = "sketch",
        description = "The result of `token_frequencies` over the sets of both sides of the join. It must be the same for all rows, otherwise the join misses pairs. NULL gives NULL."
    ),
    argument(
        name = "threshold",
        description = "The minimal Jaccard similarity: a constant greater than 0 and at most 1."
    ),
    related_udf(name = "token_frequencies"),
    related_udf(name = "key_parts")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PrefixTokens;

impl Function for PrefixTokens {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "prefix_tokens",
        all: &[
            ("tokens", Kind::Set),
            ("sketch", Kind::Sketch),
            ("threshold", Kind::Threshold),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.threshold(2)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let threshold = args.constants().threshold(2)?;
        // The tokens are never a text, so no shingle is needed.
        let mut sets = Sets::new(args, 0, Shingle::Word(1))?;
        let sketches = args.bytes(1)?;
        let mut scratch = Vec::new();
        let mut out = HashLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            match (sets.sorted(row), sketches.get(row)) {
                (Some(tokens), Some(sketch)) => {
                    // Reads only the header; the levels are not copied.
                    let ranks = TokenRanks::from_bytes(sketch)
                        .map_err(|error| exec_datafusion_err!("prefix_tokens: {error}"))?;
                    out.push(|keys| ranks.prefix_into(tokens, threshold, &mut scratch, keys))?;
                }
                _ => out.push_null()?,
            }
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Array, AsArray, BinaryArray, BinaryViewArray, Int64Array, ListArray};
    use arrow::compute::cast;
    use arrow::datatypes::UInt64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;
    use neardup_kernels::bounds::prefix_len;
    use neardup_kernels::frequency::TokenFrequencies;

    use super::*;
    use crate::calls::{call, call_array, call_scalar, column, plan_error, scalar};

    fn lists() -> ListArray {
        let row = |tokens: &[u64]| Some(tokens.iter().copied().map(Some).collect::<Vec<_>>());
        ListArray::from_iter_primitive::<UInt64Type, _, _>([
            row(&[1]),
            row(&[1, 2, 3, 4, 5]),
            None,
            row(&[]),
            // Neither sorted nor distinct.
            row(&[7, 2, 2, 1]),
        ])
    }

    /// 1 occurs most, then 2, 3, …
    fn sketch() -> Vec<u8> {
        let mut sketch = TokenFrequencies::new();
        for token in 1..=9 {
            sketch.add(&vec![token; 10 - token as usize]);
        }
        sketch.to_ranks()
    }

    #[test]
    fn the_rarest_tokens_with_sketches_of_every_type() {
        let sketch = sketch();
        let rows: Vec<Option<&[u8]>> = vec![Some(&sketch); 5];
        let binary: ArrayRef = Arc::new(BinaryArray::from(rows.clone()));
        let large = cast(&binary, &DataType::LargeBinary).expect("bytes");
        let view: ArrayRef = Arc::new(BinaryViewArray::from(rows));
        let sketches = [binary, large, view].map(|array| ColumnarValue::Array(array.slice(1, 4)));
        let constant = scalar(ScalarValue::BinaryView(Some(sketch)));
        for sketch in sketches.into_iter().chain([constant]) {
            let args = vec![column(lists().slice(1, 4)), sketch, scalar(0.6)];
            let result = call_array(PrefixTokens, args);
            let keys = result.as_list::<i32>();
            let row = |row: usize| {
                keys.value(row)
                    .as_primitive::<UInt64Type>()
                    .values()
                    .to_vec()
            };
            assert_eq!(row(0), [5, 4, 3]);
            assert_eq!(row(0).len(), prefix_len(5, 0.6));
            assert!(keys.is_null(1));
            assert!(keys.is_valid(2) && row(2).is_empty());
            assert_eq!(row(3), [7, 2]);
        }
    }

    #[test]
    fn a_null_sketch_gives_null_and_a_wrong_one_an_error() {
        let args = |sketch| vec![column(lists()), sketch, scalar(0.6)];
        let result = call_array(PrefixTokens, args(scalar(ScalarValue::Null)));
        assert_eq!(result.null_count(), 5);
        let wrong = scalar(ScalarValue::Binary(Some(b"no sketch".to_vec())));
        let error = call(PrefixTokens, args(wrong)).expect_err("not a sketch");
        assert_eq!(
            error.strip_backtrace(),
            "Execution error: prefix_tokens: not a token frequency sketch: the header of 16 bytes is missing or wrong"
        );
        let numbers = plan_error(PrefixTokens, &args(column(Int64Array::from(vec![1; 5]))));
        assert_eq!(
            numbers,
            "Error during planning: prefix_tokens: sketch must be bytes that another function returns, found Int64"
        );
    }

    #[test]
    fn thresholds_of_any_number_type_in_range() {
        let set = ScalarValue::try_from_array(&lists(), 1).expect("a row");
        let sketch = || scalar(ScalarValue::BinaryView(Some(sketch())));
        for threshold in [scalar(1.0), scalar(1_i64), scalar(1.0_f32)] {
            let result = call_scalar(PrefixTokens, vec![scalar(set.clone()), sketch(), threshold]);
            assert_eq!(result.to_string(), "[5]");
        }
        for threshold in [0.0, 1.5, f64::NAN] {
            let args = [scalar(set.clone()), sketch(), scalar(threshold)];
            let error = plan_error(PrefixTokens, &args);
            let rule = "threshold must be greater than 0 and at most 1";
            assert_eq!(
                error,
                format!(
                    "Error during planning: prefix_tokens: {rule}, found {}",
                    ScalarValue::from(threshold)
                )
            );
        }
    }
}
