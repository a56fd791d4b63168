//! `edit_grams(text, threshold)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{EditGramScratch, edit_grams_into};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the sorted distinct hashes of the grams of a text, its runs of q characters, where repeats of a gram are numbered and have hashes of their own. q is half the number of characters for each of which the threshold allows an edit: 0.5 / (1 - threshold), rounded down, but 1 to 8.",
    syntax_example = "edit_grams(text, threshold)",
    sql_example = r#"```sql
> SELECT cardinality(edit_grams('banana', 0.8)) AS numbered,
         cardinality(shingle_hashes('banana', 'char:2')) AS distinct_ones;
+----------+---------------+
| numbered | distinct_ones |
+----------+---------------+
| 5        | 3             |
+----------+---------------+
```"#,
    argument(
        name = "text",
        description = "The text; NULL gives NULL, a text of fewer than q characters is one gram, the empty text has none."
    ),
    argument(
        name = "threshold",
        description = "The minimal edit similarity: a constant greater than 0 and at most 1."
    ),
    related_udf(name = "edit_keys")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EditGrams;

impl Function for EditGrams {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "edit_grams",
        all: &[("text", Kind::Text), ("threshold", Kind::Threshold)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.threshold(1)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let threshold = args.constants().threshold(1)?;
        let texts = args.texts(0)?;
        let mut scratch = EditGramScratch::default();
        HashLists::of_rows(Self::PARAMETERS.function, args.rows(), |row, grams| {
            edit_grams_into(texts.get(row)?, threshold, &mut scratch, grams);
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray};
    use arrow::datatypes::UInt64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, every_encoding, plan_error, scalar};

    #[test]
    fn every_string_encoding() {
        let texts = [Some("Fluß"), None, Some(""), Some("a"), Some("aaa")];
        for array in every_encoding(&texts) {
            let args = vec![ColumnarValue::Array(array), scalar(0.8)];
            let result = call_array(EditGrams, args);
            let lists = result.as_list::<i32>();
            let hash = |text: &str| xxhash_rust::xxh3::xxh3_64(text.as_bytes());
            let list = |row: usize| {
                let list = lists.value(row);
                list.as_primitive::<UInt64Type>().values().to_vec()
            };
            let mut expected = ["Fl", "lu", "uß"].map(hash);
            expected.sort_unstable();
            assert_eq!(list(0), expected);
            assert!(lists.is_null(1));
            assert!(lists.is_valid(2) && list(2).is_empty());
            assert_eq!(list(3), [hash("a")]);
            assert!(list(4).len() == 2 && list(4).contains(&hash("aa")));
        }
    }

    #[test]
    fn without_repeats_the_grams_are_shingles() {
        use crate::shingle_hashes::ShingleHashes;
        for (threshold, shingle) in [(0.4, "char:1"), (0.75, "char:2"), (1.0, "char:8")] {
            let text = || scalar("background");
            let grams = call_scalar(EditGrams, vec![text(), scalar(threshold)]);
            let shingles = call_scalar(ShingleHashes, vec![text(), scalar(shingle)]);
            assert_eq!(grams, shingles, "{threshold}");
        }
    }

    #[test]
    fn the_threshold_is_checked() {
        for threshold in [0.0, 1.5, f64::NAN] {
            let rule = "threshold must be greater than 0 and at most 1";
            assert_eq!(
                plan_error(EditGrams, &[scalar("a"), scalar(threshold)]),
                format!(
                    "Error during planning: edit_grams: {rule}, found {}",
                    ScalarValue::from(threshold)
                )
            );
        }
        assert_eq!(
            plan_error(EditGrams, &[scalar(1_i64), scalar(0.5)]),
            "Error during planning: edit_grams: text must be text, found Int64"
        );
    }
}
