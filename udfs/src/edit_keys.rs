//! `edit_keys(grams, length, sketch, threshold)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::frequency::TokenRanks;
use neardup_kernels::{Shingle, edit_gram_length, edit_keys_into};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;
use crate::sets::Sets;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the keys of a text for a join by edit similarity: its rarest grams, rarest first, as many as are needed so that any two texts with an edit similarity of at least the threshold share one of them. A join on these keys finds all such pairs; verified with `edit_similarity` it is exact.",
    syntax_example = "edit_keys(grams, length, sketch, threshold)",
    sql_example = r#"```sql
> SELECT text, edit_keys(edit_grams(text, 0.8), character_length(text), sketch, 0.8) AS keys
  FROM (VALUES ('mill'), ('mills')) AS docs (text)
  CROSS JOIN (SELECT token_frequencies(edit_grams(t, 0.8)) AS sketch
              FROM (VALUES ('mill'), ('mills')) AS docs (t)) AS counted
  ORDER BY text;
+-------+-------------------------------------------------------------------+
| text  | keys                                                              |
+-------+-------------------------------------------------------------------+
| mill  | [13113608307178750761, 15271497396415983345]                      |
| mills | [9587510108611834289, 13113608307178750761, 15271497396415983345] |
+-------+-------------------------------------------------------------------+
```"#,
    argument(
        name = "grams",
        description = "The result of `edit_grams` for the text, with the same threshold; NULL gives NULL."
    ),
    argument(
        name = "length",
        description = "The number of characters of the text, as `character_length` gives it, at least 0; 0 gives no keys, NULL gives NULL."
    ),
    argument(
        name = "sketch",
        description = "The result of `token_frequencies` over the grams of both sides of the join. It must be the same for all rows, otherwise the join misses pairs. NULL gives NULL."
    ),
    argument(
        name = "threshold",
        description = "The minimal edit similarity: a constant greater than 0 and at most 1."
    ),
    related_udf(name = "edit_grams"),
    related_udf(name = "token_frequencies")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EditKeys;

impl Function for EditKeys {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "edit_keys",
        all: &[
            ("grams", Kind::Set),
            ("length", Kind::Integer),
            ("sketch", Kind::Sketch),
            ("threshold", Kind::Threshold),
        ],
        required: 4,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.threshold(3)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let threshold = args.constants().threshold(3)?;
        // The grams are never a text, so no shingle is needed.
        let mut sets = Sets::new(args, 0, Shingle::Word(1))?;
        let (lengths, sketches) = (args.integers(1)?, args.bytes(2)?);
        let mut scratch = Vec::new();
        let mut out = HashLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            let (Some(grams), Some(length), Some(sketch)) =
                (sets.sorted(row), lengths.get(row), sketches.get(row))
            else {
                out.push_null()?;
                continue;
            };
            let length = checked_length(length, grams.len(), threshold)?;
            // Reads only the header; the levels are not copied.
            let ranks = TokenRanks::from_bytes(sketch)
                .map_err(|error| exec_datafusion_err!("edit_keys: {error}"))?;
            out.push(|keys| {
                edit_keys_into(grams, length, &ranks, threshold, &mut scratch, keys);
            })?;
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The length, if a text of this length can have this number of grams.
fn checked_length(length: i64, grams: usize, threshold: f64) -> Result<usize> {
    let Ok(characters) = usize::try_from(length) else {
        return exec_err!("edit_keys: length must be at least 0, found {length}");
    };
    let gram = edit_gram_length(threshold);
    let max_grams = characters
        .saturating_add(1)
        .saturating_sub(gram)
        .max(characters.min(1));
    if grams > max_grams {
        return exec_err!(
            "edit_keys: grams must be those of a text of {characters} characters at a threshold of {threshold}, which has at most {max_grams}, found {grams}"
        );
    }
    Ok(characters)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Array, AsArray, BinaryArray, Int64Array, ListArray};
    use arrow::compute::cast;
    use arrow::datatypes::UInt64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;
    use neardup_kernels::frequency::TokenFrequencies;

    use super::*;
    use crate::calls::{call, call_array, call_scalar, column, plan_error, scalar};
    use crate::edit_grams::EditGrams;

    fn lists() -> ListArray {
        let row = |grams: &[u64]| Some(grams.iter().copied().map(Some).collect::<Vec<_>>());
        ListArray::from_iter_primitive::<UInt64Type, _, _>([
            row(&[1, 2, 3, 4]),
            row(&[1, 2, 3, 4]),
            None,
            row(&[]),
            row(&[]),
            row(&[7]),
            // Neither sorted nor distinct.
            row(&[7, 2, 2, 1]),
        ])
    }

    fn lengths() -> Int64Array {
        Int64Array::from(vec![
            Some(9),
            Some(5),
            Some(5),
            Some(1),
            Some(0),
            None,
            Some(4),
        ])
    }

    /// 1 occurs most, then 2, 3, …
    fn sketch() -> Vec<u8> {
        let mut sketch = TokenFrequencies::new();
        for gram in 1..=9 {
            sketch.add(&vec![gram; 10 - gram as usize]);
        }
        sketch.to_ranks()
    }

    #[test]
    fn the_rarest_grams_with_lengths_and_sketches_of_every_type() {
        let sketch = sketch();
        let rows: Vec<Option<&[u8]>> = vec![Some(&sketch); 7];
        let binary: ArrayRef = Arc::new(BinaryArray::from(rows));
        let view = cast(&binary, &DataType::BinaryView).expect("bytes");
        let constant = scalar(ScalarValue::BinaryView(Some(sketch)));
        let sketches = [binary, view].map(|array| ColumnarValue::Array(array.slice(1, 6)));
        let types = [DataType::Int64, DataType::Int32, DataType::UInt8];
        for (sketch, of_lengths) in sketches.into_iter().chain([constant]).zip(types) {
            let lengths = cast(&lengths(), &of_lengths).expect("lengths").slice(1, 6);
            let args = vec![
                column(lists().slice(1, 6)),
                ColumnarValue::Array(lengths),
                sketch,
                scalar(0.8),
            ];
            let result = call_array(EditKeys, args);
            let keys = result.as_list::<i32>();
            let row = |row: usize| {
                let list = keys.value(row);
                list.as_primitive::<UInt64Type>().values().to_vec()
            };
            // An edit of 5 characters changes two grams.
            assert_eq!(row(0), [4, 3, 2]);
            assert!(keys.is_null(1));
            assert!(keys.is_valid(2) && row(2).is_empty());
            assert!(keys.is_valid(3) && row(3).is_empty());
            assert!(keys.is_null(4));
            assert_eq!(row(5), [7, 2]);
        }
    }

    #[test]
    fn texts_that_qualify_share_a_key() {
        let sketch = scalar(ScalarValue::BinaryView(Some(
            TokenFrequencies::new().to_ranks(),
        )));
        let keys = |text: &str| {
            let grams = call_scalar(EditGrams, vec![scalar(text), scalar(0.8)]);
            let length = scalar(text.chars().count() as i64);
            let args = vec![scalar(grams), length, sketch.clone(), scalar(0.8)];
            match call_scalar(EditKeys, args) {
                ScalarValue::List(list) => {
                    let list = list.value(0);
                    list.as_primitive::<UInt64Type>().values().to_vec()
                }
                other => panic!("no list: {other}"),
            }
        };
        for (a, b) in [("abcde", "abxde"), ("Straße", "Strasse 7")] {
            let similar = neardup_kernels::edit_similarity(a, b) >= 0.8;
            let b = keys(b);
            assert_eq!(keys(a).iter().any(|key| b.contains(key)), similar);
        }
        // The second length is one less than one at which another edit is allowed.
        assert_eq!((keys("abcdefgh").len(), keys("abcdefghi").len()), (3, 4));
    }

    #[test]
    fn a_null_sketch_gives_null_and_a_wrong_one_an_error() {
        let args = |sketch| vec![column(lists()), column(lengths()), sketch, scalar(0.8)];
        let result = call_array(EditKeys, args(scalar(ScalarValue::Null)));
        assert_eq!(result.null_count(), 7);
        let wrong = scalar(ScalarValue::Binary(Some(b"no sketch".to_vec())));
        let error = call(EditKeys, args(wrong)).expect_err("not a sketch");
        assert_eq!(
            error.strip_backtrace(),
            "Execution error: edit_keys: not a token frequency sketch: the header of 16 bytes is missing or wrong"
        );
        let texts = vec![
            column(lists()),
            scalar("5"),
            scalar(ScalarValue::Null),
            scalar(0.8),
        ];
        assert_eq!(
            plan_error(EditKeys, &texts),
            "Error during planning: edit_keys: length must be an integer, found Utf8"
        );
    }

    #[test]
    fn lengths_that_do_not_belong_to_the_grams() {
        let set = ScalarValue::try_from_array(&lists(), 0).expect("a row");
        let error = |length: i64| {
            let sketch = scalar(ScalarValue::BinaryView(Some(sketch())));
            let args = vec![scalar(set.clone()), scalar(length), sketch, scalar(0.8)];
            let error = call(EditKeys, args).expect_err("not the length");
            error.strip_backtrace()
        };
        assert_eq!(
            error(-1),
            "Execution error: edit_keys: length must be at least 0, found -1"
        );
        assert_eq!(
            error(4),
            "Execution error: edit_keys: grams must be those of a text of 4 characters at a threshold of 0.8, which has at most 3, found 4"
        );
    }

    #[test]
    fn the_threshold_is_checked() {
        let set = ScalarValue::try_from_array(&lists(), 0).expect("a row");
        for threshold in [0.0, 1.5, f64::NAN] {
            let sketch = scalar(ScalarValue::BinaryView(Some(sketch())));
            let args = [
                scalar(set.clone()),
                scalar(5_i64),
                sketch,
                scalar(threshold),
            ];
            let rule = "threshold must be greater than 0 and at most 1";
            assert_eq!(
                plan_error(EditKeys, &args),
                format!(
                    "Error during planning: edit_keys: {rule}, found {}",
                    ScalarValue::from(threshold)
                )
            );
        }
    }
}
