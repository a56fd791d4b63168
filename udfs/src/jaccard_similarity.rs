//! `jaccard_similarity(a, b[, shingle])`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::jaccard;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;
use crate::sets::{check_comparison, compare};

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the Jaccard similarity of two sets: the number of members that both have, divided by the number of members that at least one of them has. The sets are lists of hashes or of strings, or the shingles of texts. 0 if either is empty.",
    syntax_example = "jaccard_similarity(a, b[, shingle])",
    sql_example = r#"```sql
> SELECT jaccard_similarity([1, 2, 3], [2, 3, 4]) AS of_lists,
         jaccard_similarity('the old mill', 'the old barn', 'word:2') AS of_texts;
+----------+--------------------+
| of_lists | of_texts           |
+----------+--------------------+
| 0.5      | 0.3333333333333333 |
+----------+--------------------+
```"#,
    argument(
        name = "a",
        description = "A list of hashes or of strings, or a text. NULL gives NULL."
    ),
    argument(name = "b", description = "The same."),
    argument(
        name = "shingle",
        description = "For texts: a constant, as in `shingles`; 'word:3' if left out."
    ),
    related_udf(name = "containment"),
    related_udf(name = "shingle_hashes")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct JaccardSimilarity;

impl Function for JaccardSimilarity {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "jaccard_similarity",
        all: &[
            ("a", Kind::TextOrSet),
            ("b", Kind::TextOrSet),
            ("shingle", Kind::Shingle),
        ],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        check_comparison(Self::PARAMETERS.function, constants, types)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        compare(args, jaccard)
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        AsArray, FixedSizeListArray, LargeListArray, ListArray, ListBuilder, StringBuilder,
    };
    use arrow::datatypes::{Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, every_encoding, plan_error, scalar};

    fn floats(args: Vec<ColumnarValue>) -> Vec<Option<f64>> {
        let result = call_array(JaccardSimilarity, args);
        result.as_primitive::<Float64Type>().iter().collect()
    }

    #[test]
    fn every_string_encoding_in_either_place() {
        let rows = [Some("the old mill"), None, Some(""), Some("the old barn")];
        let expected = [Some(1.0 / 3.0), None, Some(0.0), Some(1.0)];
        for array in every_encoding(&rows) {
            let array = || ColumnarValue::Array(Arc::clone(&array));
            let (barn, shingle) = (|| scalar("the old barn"), || scalar("word:2"));
            assert_eq!(floats(vec![array(), barn(), shingle()]), expected);
            assert_eq!(floats(vec![barn(), array(), shingle()]), expected);
        }
    }

    #[test]
    fn every_list_type() {
        // In no order and with repeats and NULL elements.
        let rows = [
            Some(vec![Some(3), Some(1), Some(2), Some(3), None]),
            None,
            Some(vec![]),
        ];
        let signed = rows.clone().map(|row| {
            row.map(|row| {
                row.into_iter()
                    .map(|v| v.map(i64::from))
                    .collect::<Vec<_>>()
            })
        });
        let wide = rows.clone().map(|row| {
            row.map(|row| {
                row.into_iter()
                    .map(|v| v.map(|v| v as u64))
                    .collect::<Vec<_>>()
            })
        });
        let narrow = rows.clone().map(|row| {
            row.map(|row| {
                row.into_iter()
                    .map(|v| v.map(|v| v as u32))
                    .collect::<Vec<_>>()
            })
        });
        let lists: [ArrayRef; 5] = [
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows)),
            Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(
                signed.clone(),
            )),
            Arc::new(LargeListArray::from_iter_primitive::<Int64Type, _, _>(
                signed,
            )),
            Arc::new(ListArray::from_iter_primitive::<UInt64Type, _, _>(wide)),
            Arc::new(LargeListArray::from_iter_primitive::<UInt32Type, _, _>(
                narrow,
            )),
        ];
        let other = FixedSizeListArray::from_iter_primitive::<UInt64Type, _, _>(
            [Some([Some(2), Some(3), Some(4)])],
            3,
        );
        let other = ScalarValue::try_from_array(&other, 0).expect("a row");
        for lists in lists {
            let args = vec![ColumnarValue::Array(lists), scalar(other.clone())];
            assert_eq!(floats(args), [Some(0.5), None, Some(0.0)]);
        }
    }

    #[test]
    fn lists_of_strings_are_sets_of_their_hashes() {
        let mut lists = ListBuilder::new(StringBuilder::new());
        lists.append_value([Some("x"), Some("old mill"), None, Some("the old")]);
        lists.append_null();
        lists.append_value([Some("the old"), Some("old mill")]);
        let lists = column(lists.finish().slice(1, 2));
        assert_eq!(
            floats(vec![lists.clone(), lists.clone()]),
            [None, Some(1.0)]
        );
        assert_eq!(
            floats(vec![lists, scalar("the old mill"), scalar("word:2")]),
            [None, Some(1.0)]
        );
    }

    #[test]
    fn scalars_give_scalars() {
        let result = call_scalar(JaccardSimilarity, vec![scalar("a b c"), scalar("a b c")]);
        assert_eq!(result, ScalarValue::Float64(Some(1.0)));
        assert!(
            call_scalar(
                JaccardSimilarity,
                vec![scalar("a"), scalar(ScalarValue::Null)]
            )
            .is_null()
        );
    }

    #[test]
    fn a_shingle_is_for_texts() {
        let lists = || {
            column(ListArray::from_iter_primitive::<UInt64Type, _, _>([Some(
                [Some(1)],
            )]))
        };
        assert_eq!(
            plan_error(JaccardSimilarity, &[lists(), lists(), scalar("word:2")]),
            "Error during planning: jaccard_similarity: shingle is for texts, but both arguments are lists"
        );
    }
}
