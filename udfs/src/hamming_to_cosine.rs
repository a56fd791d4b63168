//! `hamming_to_cosine(distance, bits)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::hamming_to_cosine;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the cosine of two vectors whose signatures by random projection differ in that many bits: cos(π · distance / bits), an estimate. A distance outside of 0 to bits gives NULL.",
    syntax_example = "hamming_to_cosine(distance, bits)",
    sql_example = r#"```sql
> SELECT hamming_to_cosine(256, 1024) AS cosine;
+--------------------+
| cosine             |
+--------------------+
| 0.7071067811865476 |
+--------------------+
```"#,
    argument(
        name = "distance",
        description = "The number of differing bits; NULL gives NULL."
    ),
    argument(
        name = "bits",
        description = "The bits of a signature: a constant from 1 to 4294967295."
    ),
    related_udf(name = "cosine_to_hamming"),
    related_udf(name = "random_projection")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HammingToCosine;

impl Function for HammingToCosine {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "hamming_to_cosine",
        all: &[("distance", Kind::Number), ("bits", Kind::Count)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.integer(1, 1..=u32::MAX, 1)?;
        Ok(DataType::Float64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let bits = f64::from(args.constants().integer(1, 1..=u32::MAX, 1)?);
        args.map_numbers(0, |distance| {
            let in_range = (0.0..=bits).contains(&distance);
            in_range.then(|| hamming_to_cosine(distance, bits))
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, Int32Array};
    use arrow::datatypes::Float64Type;
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, plan_error, scalar};

    #[test]
    fn values_and_what_has_none() {
        let distances =
            Int32Array::from(vec![Some(0), Some(32), Some(64), Some(65), Some(-1), None]);
        let result = call_array(HammingToCosine, vec![column(distances), scalar(64_i64)]);
        let found: Vec<_> = result.as_primitive::<Float64Type>().iter().collect();
        assert_eq!(found, [Some(1.0), Some(0.0), Some(-1.0), None, None, None]);
        let of =
            |value: ScalarValue| call_scalar(HammingToCosine, vec![scalar(value), scalar(64_i64)]);
        assert!(of(ScalarValue::Null).is_null());
        assert!(of(ScalarValue::Float64(Some(f64::NAN))).is_null());
        assert_eq!(
            plan_error(HammingToCosine, &[scalar(1.0), scalar(0_i64)]),
            "Error during planning: hamming_to_cosine: bits must be between 1 and 4294967295, found 0"
        );
    }
}
