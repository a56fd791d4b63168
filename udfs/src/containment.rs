//! `containment(a, b[, shingle])`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::containment;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;
use crate::sets::{check_comparison, compare};

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the share of the first set that is in the second: the number of members that both have, divided by the number of members of the first. The sets are lists of hashes or of strings, or the shingles of texts. 0 if the first is empty.",
    syntax_example = "containment(a, b[, shingle])",
    sql_example = r#"```sql
> SELECT containment([1, 2], [2, 3, 4]) AS of_lists,
         containment('the old mill', 'by the old mill pond', 'word:2') AS of_texts;
+----------+----------+
| of_lists | of_texts |
+----------+----------+
| 0.5      | 1.0      |
+----------+----------+
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
    related_udf(name = "jaccard_similarity")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Containment;

impl Function for Containment {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "containment",
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
        compare(args, containment)
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::AsArray;
    use arrow::datatypes::Float64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, every_encoding, scalar};

    #[test]
    fn the_first_in_the_second() {
        for array in every_encoding(&[
            Some("the old mill"),
            None,
            Some(""),
            Some("by the old mill pond"),
        ]) {
            let array = || ColumnarValue::Array(Arc::clone(&array));
            let floats = |args| {
                let result = call_array(Containment, args);
                result
                    .as_primitive::<Float64Type>()
                    .iter()
                    .collect::<Vec<_>>()
            };
            let pond = || scalar("by the old mill pond");
            assert_eq!(
                floats(vec![array(), pond(), scalar("word:2")]),
                [Some(1.0), None, Some(0.0), Some(1.0)]
            );
            assert_eq!(
                floats(vec![pond(), array(), scalar("word:2")]),
                [Some(0.5), None, Some(0.0), Some(1.0)]
            );
        }
    }

    #[test]
    fn scalars_give_scalars() {
        let result = call_scalar(
            Containment,
            vec![scalar("a b"), scalar("c a b"), scalar("word:1")],
        );
        assert_eq!(result, ScalarValue::Float64(Some(1.0)));
    }
}
