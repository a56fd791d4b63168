//! `cosine_similarity(a, b)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{cosine, sparse_cosine};

use crate::columns::{Arguments, Constants, Kind, Parameters, Vector, merged_into};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the cosine of two vectors: two lists of numbers of the same length, or two lists of (term, weight), whose weights are summed if a term occurs several times. Computed in double precision, in [-1, 1]; NULL if one of them is zero or empty.",
    syntax_example = "cosine_similarity(a, b)",
    sql_example = r#"```sql
> SELECT cosine_similarity([3, 4], [4, 3]) AS cosine;
+--------+
| cosine |
+--------+
| 0.96   |
+--------+
```"#,
    argument(
        name = "a",
        description = "A vector of finite numbers; NULL gives NULL."
    ),
    argument(name = "b", description = "A vector of the same kind."),
    related_udf(name = "random_projection")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CosineSimilarity;

impl Function for CosineSimilarity {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "cosine_similarity",
        all: &[("a", Kind::Vector), ("b", Kind::Vector)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (vectors_a, vectors_b) = (args.vectors(0)?, args.vectors(1)?);
        let (mut entries_a, mut entries_b) = (Vec::new(), Vec::new());
        let mut out = Float64Builder::with_capacity(args.rows());
        for row in 0..args.rows() {
            let (Some(a), Some(b)) = (vectors_a.get(row)?, vectors_b.get(row)?) else {
                out.append_null();
                continue;
            };
            if let (Some(a), Some(b)) = (a.dense_length(), b.dense_length())
                && a != b
            {
                return exec_err!(
                    "cosine_similarity: a and b must have the same length, found {a} and {b} numbers"
                );
            }
            out.append_option(match (a, b) {
                (Vector::F32(a), Vector::F32(b)) => cosine(a, b),
                (Vector::F32(a), Vector::F64(b)) => cosine(a, b),
                (Vector::F64(a), Vector::F32(b)) => cosine(a, b),
                (Vector::F64(a), Vector::F64(b)) => cosine(a, b),
                (Vector::Sparse(a), Vector::Sparse(b)) => {
                    merged_into(a, &mut entries_a);
                    merged_into(b, &mut entries_b);
                    sparse_cosine(&entries_a, &entries_b)
                }
                _ => {
                    return exec_err!(
                        "cosine_similarity: a list of numbers cannot be compared with a list of (term, weight)"
                    );
                }
            });
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, FixedSizeListArray, ListArray};
    use arrow::datatypes::{Float32Type, Float64Type, Int64Type};
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::calls::{call, call_array, call_scalar, column, plan_error, scalar};

    #[test]
    fn every_pair_of_element_types() {
        let rows = [Some([3.0, 4.0]), None, Some([0.0, 0.0])];
        let narrow = rows.map(|row| row.map(|row| row.map(|x| Some(x as f32))));
        let wide = rows.map(|row| row.map(|row| row.map(Some)));
        let whole = rows.map(|row| row.map(|row| row.map(|x| Some(x as i64))));
        let columns = [
            column(ListArray::from_iter_primitive::<Float32Type, _, _>(narrow)),
            column(ListArray::from_iter_primitive::<Float64Type, _, _>(wide)),
            column(ListArray::from_iter_primitive::<Int64Type, _, _>(whole)),
            column(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(narrow, 2)),
        ];
        let other =
            ListArray::from_iter_primitive::<Float32Type, _, _>([Some([Some(4.0), Some(3.0)])]);
        let constant = ScalarValue::try_from_array(&other, 0).expect("a row");
        for a in columns {
            let result = call_array(CosineSimilarity, vec![a, scalar(constant.clone())]);
            let found: Vec<_> = result.as_primitive::<Float64Type>().iter().collect();
            assert_eq!(found, [Some(0.96), None, None]);
        }
        let null = || scalar(ScalarValue::Null);
        assert!(call_scalar(CosineSimilarity, vec![null(), null()]).is_null());
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let list = |numbers: &[f64]| {
            let numbers: Vec<_> = numbers.iter().copied().map(Some).collect();
            column(ListArray::from_iter_primitive::<Float64Type, _, _>([Some(
                numbers,
            )]))
        };
        let error = |a: &[f64], b: &[f64]| {
            let result = call(CosineSimilarity, vec![list(a), list(b)]);
            result.expect_err("wrong").strip_backtrace()
        };
        assert_eq!(
            error(&[1.0, 2.0], &[1.0]),
            "Execution error: cosine_similarity: a and b must have the same length, found 2 and 1 numbers"
        );
        assert_eq!(
            error(&[1.0], &[f64::NEG_INFINITY]),
            "Execution error: cosine_similarity: the numbers of b must be finite, found -inf at position 1"
        );
        assert_eq!(
            plan_error(CosineSimilarity, &[list(&[1.0]), scalar(1_i64)]),
            "Error during planning: cosine_similarity: b must be a list of numbers or of (term, weight), found Int64"
        );
    }
}
