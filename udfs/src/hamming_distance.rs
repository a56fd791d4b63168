//! `hamming_distance(a, b)`

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Builder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err, plan_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::hamming_distance;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the number of bits in which two signatures of the same length differ.",
    syntax_example = "hamming_distance(a, b)",
    sql_example = r#"```sql
> SELECT hamming_distance(X'0F', X'3C') AS distance;
+----------+
| distance |
+----------+
| 4        |
+----------+
```"#,
    argument(
        name = "a",
        description = "A signature, such as `simhash` or `random_projection` gives, or other bytes; NULL gives NULL."
    ),
    argument(name = "b", description = "A signature of the same length."),
    related_udf(name = "hamming_to_cosine")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HammingDistance;

impl Function for HammingDistance {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "hamming_distance",
        all: &[("a", Kind::Bits), ("b", Kind::Bits)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        match types {
            [DataType::FixedSizeBinary(a), DataType::FixedSizeBinary(b)] if a != b => {
                plan_err!("{}", lengths(*a as usize, *b as usize))
            }
            _ => Ok(DataType::UInt32),
        }
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (a, b) = (args.bytes(0)?, args.bytes(1)?);
        let mut out = UInt32Builder::with_capacity(args.rows());
        for row in 0..args.rows() {
            match (a.get(row), b.get(row)) {
                (Some(a), Some(b)) if a.len() != b.len() => {
                    return exec_err!("{}", lengths(a.len(), b.len()));
                }
                (Some(a), Some(b)) => out.append_value(hamming_distance(a, b)),
                _ => out.append_null(),
            }
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn lengths(a: usize, b: usize) -> String {
    format!("hamming_distance: a and b must have the same length, found {a} and {b} bytes")
}

#[cfg(test)]
mod tests {
    use arrow::array::{
        AsArray, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray,
    };
    use arrow::datatypes::UInt32Type;
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::calls::{call, call_array, call_scalar, column, plan_error, scalar};

    #[test]
    fn every_binary_type() {
        let rows = [Some(&[0xf0, 1][..]), None, Some(&[0xff, 0xff])];
        let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows.iter().copied(), 2);
        let columns = [
            column(BinaryArray::from_iter(rows)),
            column(LargeBinaryArray::from_iter(rows)),
            column(BinaryViewArray::from_iter(rows)),
            column(fixed.expect("two bytes")),
        ];
        for a in &columns {
            let constant = scalar(ScalarValue::FixedSizeBinary(2, Some(vec![0x0f, 1])));
            for b in columns.iter().chain([&constant]) {
                let result = call_array(HammingDistance, vec![a.clone(), b.clone()]);
                let found: Vec<_> = result.as_primitive::<UInt32Type>().iter().collect();
                let first = if matches!(b, datafusion_expr::ColumnarValue::Scalar(_)) {
                    8
                } else {
                    0
                };
                assert_eq!(
                    found,
                    [Some(first), None, Some(first + u32::from(first > 0) * 3)]
                );
            }
        }
        let null = || scalar(ScalarValue::Null);
        assert!(call_scalar(HammingDistance, vec![null(), null()]).is_null());
    }

    #[test]
    fn lengths_must_agree() {
        let fixed = |size| {
            scalar(ScalarValue::FixedSizeBinary(
                size,
                Some(vec![0; size as usize]),
            ))
        };
        let message = "hamming_distance: a and b must have the same length, found 2 and 3 bytes";
        assert_eq!(
            plan_error(HammingDistance, &[fixed(2), fixed(3)]),
            format!("Error during planning: {message}")
        );
        let bytes = |size| scalar(ScalarValue::Binary(Some(vec![0; size])));
        let error = call(HammingDistance, vec![bytes(2), bytes(3)]).expect_err("other lengths");
        assert_eq!(
            error.strip_backtrace(),
            format!("Execution error: {message}")
        );
        assert_eq!(
            plan_error(HammingDistance, &[scalar("a"), bytes(1)]),
            "Error during planning: hamming_distance: a must be a signature, that is a column of bytes, found Utf8"
        );
    }
}
