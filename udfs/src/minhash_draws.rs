//! `minhash_draws(signature, draws, draw_size[, seed])`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::{Result, plan_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{BandsError, Draws, MAX_HASHES};

use crate::columns::{Arguments, Constants, HashLists, Kind, Numbers, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the bucket keys of a signature, one for each draw: `draw_size` positions of the signature drawn with replacement, the same ones for every text. Draws overlap, so bands over the same signature find more pairs; published systems use draws (10 draws of 10 from 20 hashes).",
    syntax_example = "minhash_draws(signature, draws, draw_size[, seed])",
    sql_example = r#"```sql
> SELECT minhash_draws(minhash('the old mill by the river', 20), 2, 10) AS keys;
+----------------------------------------------+
| keys                                         |
+----------------------------------------------+
| [15423466613539628299, 12798974822713299007] |
+----------------------------------------------+
```"#,
    argument(
        name = "signature",
        description = "A signature of `minhash`; NULL gives NULL."
    ),
    argument(name = "draws", description = "How many draws: a constant, 1 to 4096."),
    argument(
        name = "draw_size",
        description = "How many positions a draw has: a constant, 1 to 4096."
    ),
    argument(
        name = "seed",
        description = "A constant, 0 to 2^64 - 1; 1 if left out."
    ),
    related_udf(name = "minhash_bands")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MinHashDraws;

impl Function for MinHashDraws {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "minhash_draws",
        all: &[
            ("signature", Kind::Signature),
            ("draws", Kind::Count),
            ("draw_size", Kind::Count),
            ("seed", Kind::Count),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        draws_over(1, constants)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let constants = args.constants();
        let signatures = args.lists(0)?;
        let mut out = HashLists::new(Self::PARAMETERS.function, args.rows());
        // Usually all signatures of a column have the same length.
        let mut draws: Option<Draws> = None;
        for row in 0..args.rows() {
            let Some(signature) = signatures.get(row) else {
                out.push_null()?;
                continue;
            };
            let current = match draws
                .take()
                .filter(|draws| draws.num_hashes() == signature.len())
            {
                Some(draws) => draws,
                None => draws_over(signature.len(), &constants)?,
            };
            let keys = match signature {
                Numbers::U32(signature) => out.push(|keys| current.keys_into(signature, keys))?,
                Numbers::U64(signature) => out.push(|keys| current.keys_into(signature, keys))?,
            };
            keys.map_err(plan_error)?;
            draws = Some(current);
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn draws_over(num_hashes: usize, constants: &Constants<'_>) -> Result<Draws> {
    let draws = constants.integer(1, 1..=MAX_HASHES, 1)?;
    let draw_size = constants.integer(2, 1..=MAX_HASHES, 1)?;
    let seed = constants.integer(3, 0..=u64::MAX, 1)?;
    Draws::new(num_hashes, draws, draw_size, seed).map_err(plan_error)
}

fn plan_error(error: BandsError) -> datafusion_common::DataFusionError {
    plan_datafusion_err!("minhash_draws: {error}")
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, FixedSizeListArray, ListArray};
    use arrow::datatypes::{UInt32Type, UInt64Type};
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, column, plan_error, scalar};

    fn expected(signature: &[u64], seed: u64) -> Vec<u64> {
        let mut keys = Vec::new();
        let draws = Draws::new(signature.len(), 5, 3, seed).expect("valid parameters");
        draws.keys_into(signature, &mut keys).expect("it fits");
        keys
    }

    #[test]
    fn signatures_of_fixed_and_of_changing_length() {
        let some = |values: &[u32]| Some(values.iter().copied().map(Some).collect::<Vec<_>>());
        let fixed = [some(&[1, 2, 3, 4]), None, some(&[5, 6, 7, 8])];
        let fixed = column(FixedSizeListArray::from_iter_primitive::<UInt32Type, _, _>(
            fixed, 4,
        ));
        let changing = column(ListArray::from_iter_primitive::<UInt32Type, _, _>([
            some(&[1, 2, 3, 4]),
            None,
            some(&[5, 6, 7, 8]),
            some(&[1, 2]),
        ]));
        for (signatures, seed) in [(fixed, 7_u64), (changing, 1)] {
            let args = vec![signatures, scalar(5_i64), scalar(3_i64), scalar(seed)];
            let result = call_array(MinHashDraws, args);
            let keys = result.as_list::<i32>();
            let row = |row| {
                keys.value(row)
                    .as_primitive::<UInt64Type>()
                    .values()
                    .to_vec()
            };
            assert_eq!(row(0), expected(&[1, 2, 3, 4], seed));
            assert!(keys.is_null(1));
            assert_eq!(row(2), expected(&[5, 6, 7, 8], seed));
            if keys.len() > 3 {
                assert_eq!(row(3), expected(&[1, 2], seed));
            }
        }
    }

    #[test]
    fn scalars_give_scalars() {
        let lists = FixedSizeListArray::from_iter_primitive::<UInt64Type, _, _>(
            [Some([Some(1), Some(2)])],
            2,
        );
        let signature = ScalarValue::try_from_array(&lists, 0).expect("a row");
        let ScalarValue::List(keys) = call_scalar(
            MinHashDraws,
            vec![scalar(signature), scalar(5_i64), scalar(3_i64)],
        ) else {
            panic!("not a list");
        };
        assert_eq!(
            keys.value(0).as_primitive::<UInt64Type>().values(),
            expected(&[1, 2], 1).as_slice()
        );
    }

    #[test]
    fn errors_name_function_and_argument() {
        let lists = FixedSizeListArray::from_iter_primitive::<UInt64Type, _, _>(
            [Some([Some(1), Some(2)])],
            2,
        );
        assert_eq!(
            plan_error(
                MinHashDraws,
                &[column(lists), scalar(5_i64), scalar(4_097_i64)]
            ),
            "Error during planning: minhash_draws: draw_size must be between 1 and 4096, found 4097"
        );
    }
}
