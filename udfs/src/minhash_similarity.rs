//! `minhash_similarity(a, b)`

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err, plan_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::signature_similarity;

use crate::columns::{Arguments, Constants, Kind, Numbers, Parameters, signature_length};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the share of positions in which two signatures agree, an estimate of the Jaccard similarity of their sets; its standard deviation is at most 0.5 / sqrt(num_hashes). The signatures must have been made with the same parameters.",
    syntax_example = "minhash_similarity(a, b)",
    sql_example = r#"```sql
> SELECT minhash_similarity(minhash('the old mill by the river'),
                            minhash('the old mill near the river')) AS estimate;
+----------+
| estimate |
+----------+
| 0.125    |
+----------+
```"#,
    argument(name = "a", description = "A signature of `minhash`; NULL gives NULL."),
    argument(name = "b", description = "A signature of the same length."),
    related_udf(name = "minhash"),
    related_udf(name = "jaccard_similarity")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MinHashSimilarity;

impl Function for MinHashSimilarity {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "minhash_similarity",
        all: &[("a", Kind::Signature), ("b", Kind::Signature)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        match (signature_length(types[0]), signature_length(types[1])) {
            (Some(a), Some(b)) if a != b => plan_err!("{}", lengths(a, b)),
            _ => Ok(DataType::Float64),
        }
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (a, b) = (args.lists(0)?, args.lists(1)?);
        let (mut wide_a, mut wide_b) = (Vec::new(), Vec::new());
        let mut out = Float64Builder::with_capacity(args.rows());
        for row in 0..args.rows() {
            let (Some(a), Some(b)) = (a.get(row), b.get(row)) else {
                out.append_null();
                continue;
            };
            if a.len() != b.len() {
                return exec_err!("{}", lengths(a.len(), b.len()));
            }
            out.append_value(match (a, b) {
                (Numbers::U32(a), Numbers::U32(b)) => signature_similarity(a, b),
                (Numbers::U64(a), Numbers::U64(b)) => signature_similarity(a, b),
                (a, b) => {
                    wide_a.clear();
                    wide_b.clear();
                    a.append_to(&mut wide_a);
                    b.append_to(&mut wide_b);
                    signature_similarity(&wide_a, &wide_b)
                }
            });
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn lengths(a: usize, b: usize) -> String {
    format!("minhash_similarity: a and b must have the same number of hashes, found {a} and {b}")
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, FixedSizeListArray, ListArray};
    use arrow::datatypes::{Float64Type, Int64Type, UInt32Type};
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::calls::{call, call_array, call_scalar, column, plan_error, scalar};

    fn signatures(rows: [Option<[u32; 4]>; 3]) -> FixedSizeListArray {
        let rows = rows.map(|row| row.map(|row| row.map(Some)));
        FixedSizeListArray::from_iter_primitive::<UInt32Type, _, _>(rows, 4)
    }

    #[test]
    fn columns_constants_and_mixed_types() {
        let a = signatures([Some([1, 2, 3, 4]), None, Some([5, 6, 7, 8])]);
        let constant = ScalarValue::try_from_array(&a, 0).expect("a row");
        let b = signatures([Some([1, 2, 3, 9]), Some([1, 2, 3, 4]), Some([1, 2, 3, 8])]);
        let signed = [[1, 2, 3, 9], [1, 2, 3, 4], [1, 2, 3, 8]].map(|row| Some(row.map(Some)));
        let signed = ListArray::from_iter_primitive::<Int64Type, _, _>(signed);
        for b in [column(b), column(signed)] {
            let floats = |args| {
                let result = call_array(MinHashSimilarity, args);
                result
                    .as_primitive::<Float64Type>()
                    .iter()
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                floats(vec![column(a.clone()), b.clone()]),
                [Some(0.75), None, Some(0.25)]
            );
            assert_eq!(
                floats(vec![scalar(constant.clone()), b]),
                [Some(0.75), Some(1.0), Some(0.75)]
            );
        }
        assert_eq!(
            call_scalar(
                MinHashSimilarity,
                vec![scalar(constant.clone()), scalar(constant)]
            ),
            ScalarValue::Float64(Some(1.0))
        );
    }

    #[test]
    fn lengths_must_agree() {
        let a = signatures([Some([1, 2, 3, 4]), None, None]);
        let b =
            FixedSizeListArray::from_iter_primitive::<UInt32Type, _, _>([Some([Some(1)]); 3], 1);
        let message =
            "minhash_similarity: a and b must have the same number of hashes, found 4 and 1";
        assert_eq!(
            plan_error(MinHashSimilarity, &[column(a.clone()), column(b)]),
            format!("Error during planning: {message}")
        );
        let b = ListArray::from_iter_primitive::<UInt32Type, _, _>([Some([Some(1)]); 3]);
        let error = call(MinHashSimilarity, vec![column(a), column(b)]).expect_err("other lengths");
        assert_eq!(
            error.strip_backtrace(),
            format!("Execution error: {message}")
        );
    }
}
