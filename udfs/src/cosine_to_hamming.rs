//! `cosine_to_hamming(cosine, bits)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::cosine_to_hamming;

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the number of bits in which the signatures of two vectors of that cosine by random projection are expected to differ: bits · acos(cosine) / π. A cosine outside of -1 to 1 gives NULL.",
    syntax_example = "cosine_to_hamming(cosine, bits)",
    sql_example = r#"```sql
> SELECT cosine_to_hamming(0.3, 1000) AS distance;
+--------------------+
| distance           |
+--------------------+
| 403.01331597932176 |
+--------------------+
```"#,
    argument(name = "cosine", description = "The cosine; NULL gives NULL."),
    argument(
        name = "bits",
        description = "The bits of a signature: a constant from 1 to 4294967295."
    ),
    related_udf(name = "hamming_to_cosine"),
    related_udf(name = "random_projection")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CosineToHamming;

impl Function for CosineToHamming {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "cosine_to_hamming",
        all: &[("cosine", Kind::Number), ("bits", Kind::Count)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.integer(1, 1..=u32::MAX, 1)?;
        Ok(DataType::Float64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let bits = f64::from(args.constants().integer(1, 1..=u32::MAX, 1)?);
        args.map_numbers(0, |cosine| {
            let in_range = (-1.0..=1.0).contains(&cosine);
            in_range.then(|| cosine_to_hamming(cosine, bits))
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, Float64Array};
    use arrow::datatypes::Float64Type;
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, plan_error, scalar};

    #[test]
    fn values_and_what_has_none() {
        let cosines = Float64Array::from(vec![
            Some(1.0),
            Some(0.0),
            Some(-1.0),
            Some(1.1),
            Some(f64::NAN),
            None,
        ]);
        let result = call_array(CosineToHamming, vec![column(cosines), scalar(64_i64)]);
        let found: Vec<_> = result.as_primitive::<Float64Type>().iter().collect();
        assert_eq!(found, [Some(0.0), Some(32.0), Some(64.0), None, None, None]);
        let of =
            |value: ScalarValue| call_scalar(CosineToHamming, vec![scalar(value), scalar(64_i64)]);
        assert!(of(ScalarValue::Null).is_null());
        assert!(of(ScalarValue::Float64(Some(f64::NAN))).is_null());
        assert_eq!(
            plan_error(CosineToHamming, &[scalar(1.0), scalar(0_i64)]),
            "Error during planning: cosine_to_hamming: bits must be between 1 and 4294967295, found 0"
        );
    }
}
