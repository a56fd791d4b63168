//! `edit_distance(a, b[, max])`

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Builder};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{edit_distance, edit_distance_within};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the edit distance of two texts: the minimal number of insertions, deletions and substitutions of one character that turn one into the other. With `max`, returns NULL if the distance is greater, and takes less time for smaller `max`.",
    syntax_example = "edit_distance(a, b[, max])",
    sql_example = r#"```sql
> SELECT edit_distance('kitten', 'sitting') AS distance,
         edit_distance('kitten', 'sitting', 2) AS at_most_2;
+----------+-----------+
| distance | at_most_2 |
+----------+-----------+
| 3        |           |
+----------+-----------+
```"#,
    argument(name = "a", description = "A text; NULL gives NULL."),
    argument(name = "b", description = "A text; NULL gives NULL."),
    argument(
        name = "max",
        description = "The maximal distance, a constant or a column; NULL and negative numbers give NULL."
    ),
    related_udf(name = "edit_similarity")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EditDistance;

impl Function for EditDistance {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "edit_distance",
        all: &[("a", Kind::Text), ("b", Kind::Text), ("max", Kind::Integer)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (a, b) = (args.texts(0)?, args.texts(1)?);
        let max = if args.has(2) {
            Some(args.integers(2)?)
        } else {
            None
        };
        let mut out = Int64Builder::with_capacity(args.rows());
        for row in 0..args.rows() {
            let distance = a.get(row).zip(b.get(row)).and_then(|(a, b)| match &max {
                None => Some(edit_distance(a, b)),
                Some(max) => edit_distance_within(a, b, usize::try_from(max.get(row)?).ok()?),
            });
            out.append_option(distance.map(|distance| distance as i64));
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, Int32Array};
    use arrow::datatypes::Int64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, every_encoding, plan_error, scalar};

    fn integers(args: Vec<ColumnarValue>) -> Vec<Option<i64>> {
        let result = call_array(EditDistance, args);
        result.as_primitive::<Int64Type>().iter().collect()
    }

    #[test]
    fn every_string_encoding() {
        let rows = [Some("kitten"), None, Some(""), Some("sittîng")];
        for array in every_encoding(&rows) {
            let array = ColumnarValue::Array(array);
            let sitting = || scalar("sitting");
            assert_eq!(
                integers(vec![array.clone(), sitting()]),
                [Some(3), None, Some(7), Some(1)]
            );
            assert_eq!(
                integers(vec![sitting(), array.clone(), scalar(3_i64)]),
                [Some(3), None, None, Some(1)]
            );
            let max = column(Int32Array::from(vec![Some(2), Some(9), Some(7), None]));
            assert_eq!(
                integers(vec![array.clone(), sitting(), max]),
                [None, None, Some(7), None]
            );
            assert_eq!(
                integers(vec![array.clone(), sitting(), scalar(-1_i64)]),
                [None; 4]
            );
            assert_eq!(
                integers(vec![array, sitting(), scalar(ScalarValue::Null)]),
                [None; 4]
            );
        }
    }

    #[test]
    fn scalars_give_scalars() {
        let distance = |a: &str, b: &str| call_scalar(EditDistance, vec![scalar(a), scalar(b)]);
        assert_eq!(distance("naïve", "native"), ScalarValue::Int64(Some(2)));
        assert_eq!(
            call_scalar(EditDistance, vec![scalar("a"), scalar("b"), scalar(0_u8)]),
            ScalarValue::Int64(None)
        );
    }

    #[test]
    fn errors_name_function_and_argument() {
        assert_eq!(
            plan_error(EditDistance, &[scalar("a"), scalar("b"), scalar("c")]),
            "Error during planning: edit_distance: max must be an integer, found Utf8"
        );
        assert_eq!(
            plan_error(EditDistance, &[scalar("a")]),
            "Error during planning: edit_distance takes 2 to 3 arguments (a, b, max), found 1"
        );
    }
}
