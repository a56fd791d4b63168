//! `minhash_bands(signature, bands, rows)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err, plan_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{BandsError, MAX_HASHES, bands_into, check_bands};

use crate::columns::{
    Arguments, Constants, HashLists, Kind, Numbers, Parameters, signature_length,
};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the bucket keys of a signature, one for each band of consecutive positions. Texts with an equal key for the same band are candidates: with b bands of r rows a pair of similarity s becomes a candidate with probability 1 - (1 - s^r)^b.",
    syntax_example = "minhash_bands(signature, bands, rows)",
    sql_example = r#"```sql
> SELECT minhash_bands(minhash('the old mill by the river', 4), 2, 2) AS keys;
+----------------------------------------------+
| keys                                         |
+----------------------------------------------+
| [15740029126576050364, 11707926160890254152] |
+----------------------------------------------+
```"#,
    argument(
        name = "signature",
        description = "A signature of `minhash`; NULL gives NULL."
    ),
    argument(
        name = "bands",
        description = "The number of bands: a constant of at least 1."
    ),
    argument(
        name = "rows",
        description = "The number of positions of a band: a constant of at least 1. The signature must have at least bands times rows positions; further ones are not used."
    ),
    related_udf(name = "minhash"),
    related_udf(name = "minhash_draws")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MinHashBands;

impl Function for MinHashBands {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "minhash_bands",
        all: &[
            ("signature", Kind::Signature),
            ("bands", Kind::Count),
            ("rows", Kind::Count),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, types: &[&DataType]) -> Result<DataType> {
        let (bands, rows) = bands_and_rows(constants)?;
        if let Some(num_hashes) = signature_length(types[0]) {
            let error = |error: BandsError| plan_datafusion_err!("minhash_bands: {error}");
            check_bands(num_hashes, bands, rows).map_err(error)?;
        }
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (bands, rows) = bands_and_rows(&args.constants())?;
        let signatures = args.lists(0)?;
        let mut out = HashLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            let keys = match signatures.get(row) {
                None => {
                    out.push_null()?;
                    continue;
                }
                Some(Numbers::U32(signature)) => {
                    out.push(|keys| bands_into(signature, bands, rows, keys))?
                }
                Some(Numbers::U64(signature)) => {
                    out.push(|keys| bands_into(signature, bands, rows, keys))?
                }
            };
            keys.map_err(|error| exec_datafusion_err!("minhash_bands: {error}"))?;
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn bands_and_rows(constants: &Constants<'_>) -> Result<(usize, usize)> {
    Ok((
        constants.integer(1, 1..=MAX_HASHES, 1)?,
        constants.integer(2, 1..=MAX_HASHES, 1)?,
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        Array, AsArray, FixedSizeListArray, LargeListArray, ListArray, StringArray, UInt32Array,
    };
    use arrow::datatypes::{Int64Type, UInt32Type, UInt64Type};
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call, call_array, call_scalar, column, plan_error, scalar};

    fn expected(signature: &[u64]) -> Vec<u64> {
        let mut keys = Vec::new();
        bands_into(signature, 2, 2, &mut keys).expect("it fits");
        keys
    }

    /// Rows: something, a signature, NULL, a signature; as lists of every type.
    fn every_list() -> Vec<ArrayRef> {
        let rows = [
            Some([9, 9, 9, 9]),
            Some([1, 2, 3, 4]),
            None,
            Some([5, 6, 7, 8]),
        ];
        let rows = || rows.iter().map(|row| row.map(|row| row.map(Some)));
        let signed = || rows().map(|row| row.map(|row| row.map(|value| value.map(i64::from))));
        let wide = || rows().map(|row| row.map(|row| row.map(|value| value.map(u64::from))));
        vec![
            Arc::new(FixedSizeListArray::from_iter_primitive::<UInt32Type, _, _>(
                rows(),
                4,
            )),
            Arc::new(FixedSizeListArray::from_iter_primitive::<UInt64Type, _, _>(
                wide(),
                4,
            )),
            Arc::new(ListArray::from_iter_primitive::<UInt32Type, _, _>(rows())),
            Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(signed())),
            Arc::new(LargeListArray::from_iter_primitive::<UInt64Type, _, _>(
                wide(),
            )),
        ]
    }

    #[test]
    fn every_list_type_and_slices() {
        for lists in every_list() {
            let args = vec![
                ColumnarValue::Array(lists.slice(1, 3)),
                scalar(2_i64),
                scalar(2_i64),
            ];
            let result = call_array(MinHashBands, args);
            let keys = result.as_list::<i32>();
            assert_eq!(
                keys.value(0).as_primitive::<UInt64Type>().values(),
                expected(&[1, 2, 3, 4]).as_slice()
            );
            assert!(keys.is_null(1));
            assert_eq!(
                keys.value(2).as_primitive::<UInt64Type>().values(),
                expected(&[5, 6, 7, 8]).as_slice()
            );
        }
    }

    #[test]
    fn scalars_give_scalars() {
        let lists = every_list().swap_remove(0);
        let signature = ScalarValue::try_from_array(&lists, 1).expect("a row");
        let ScalarValue::List(keys) = call_scalar(
            MinHashBands,
            vec![scalar(signature), scalar(2_i64), scalar(2_i64)],
        ) else {
            panic!("not a list");
        };
        assert_eq!(
            keys.value(0).as_primitive::<UInt64Type>().values(),
            expected(&[1, 2, 3, 4]).as_slice()
        );
        let null = call_scalar(
            MinHashBands,
            vec![scalar(ScalarValue::Null), scalar(2_i64), scalar(2_i64)],
        );
        assert!(null.is_null());
    }

    #[test]
    fn errors_name_what_does_not_fit() {
        let lists = every_list();
        let args = |lists: &ArrayRef| {
            vec![
                ColumnarValue::Array(Arc::clone(lists)),
                scalar(3_i64),
                scalar(2_i64),
            ]
        };
        let message = "minhash_bands: 3 bands of 2 rows need a signature of 3 x 2 hashes, found 4";
        assert_eq!(
            plan_error(MinHashBands, &args(&lists[0])),
            format!("Error during planning: {message}")
        );
        let error = call(MinHashBands, args(&lists[2])).expect_err("too few hashes");
        assert_eq!(
            error.strip_backtrace(),
            format!("Execution error: {message}")
        );
        let bands =
            |array: ColumnarValue| plan_error(MinHashBands, &[array, scalar(0_i64), scalar(2_i64)]);
        assert_eq!(
            bands(ColumnarValue::Array(Arc::clone(&lists[0]))),
            "Error during planning: minhash_bands: bands must be between 1 and 4096, found 0"
        );
        let wanted = "Error during planning: minhash_bands: signature must be a signature, that is a list of UInt32 or UInt64";
        assert_eq!(
            bands(column(StringArray::from(vec!["a"]))),
            format!("{wanted}, found Utf8")
        );
        assert_eq!(
            bands(column(UInt32Array::from(vec![1]))),
            format!("{wanted}, found UInt32")
        );
    }
}
