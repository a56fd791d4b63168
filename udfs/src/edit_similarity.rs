//! `edit_similarity(a, b)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::edit_similarity;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns (length - distance) / length, with the edit distance of two texts and the length of the longer one, in characters. 0 for two empty texts, which count as dissimilar.",
    syntax_example = "edit_similarity(a, b)",
    sql_example = r#"```sql
> SELECT edit_similarity('the old mill', 'the odd mill.') AS similarity;
+--------------------+
| similarity         |
+--------------------+
| 0.8461538461538461 |
+--------------------+
```"#,
    argument(name = "a", description = "A text; NULL gives NULL."),
    argument(name = "b", description = "A text; NULL gives NULL."),
    related_udf(name = "edit_distance")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EditSimilarity;

impl Function for EditSimilarity {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "edit_similarity",
        all: &[("a", Kind::Text), ("b", Kind::Text)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (a, b) = (args.texts(0)?, args.texts(1)?);
        let mut out = Float64Builder::with_capacity(args.rows());
        for row in 0..args.rows() {
            out.append_option(
                a.get(row)
                    .zip(b.get(row))
                    .map(|(a, b)| edit_similarity(a, b)),
            );
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::Float64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, every_encoding, scalar};

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some("abcd"), None, Some(""), Some("abxé")]) {
            let result = call_array(
                EditSimilarity,
                vec![ColumnarValue::Array(array), scalar("abcé")],
            );
            let result: Vec<_> = result.as_primitive::<Float64Type>().iter().collect();
            assert_eq!(result, [Some(0.75), None, Some(0.0), Some(0.75)]);
        }
    }

    #[test]
    fn scalars_give_scalars() {
        let similarity = |a: &str, b: &str| call_scalar(EditSimilarity, vec![scalar(a), scalar(b)]);
        assert_eq!(similarity("abcd", "abcd"), ScalarValue::Float64(Some(1.0)));
        assert_eq!(similarity("", ""), ScalarValue::Float64(Some(0.0)));
    }
}
