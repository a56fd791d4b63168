//! `simhash(text[, bits[, shingle]])`

use std::sync::Arc;

use arrow::array::{ArrayRef, FixedSizeBinaryArray, NullBufferBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, plan_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::simhash_into;

use crate::columns::{Arguments, Constants, Kind, Parameters, Vector, merged_into};
use crate::function::Function;
use crate::sets::Sets;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the SimHash of a text's shingles, of a list of hashes or strings, or of weighted terms: bit i is 1 iff the weights of the members whose hash has bit i exceed the weights of the others. Distinct members of a text or a list have weight 1. An empty set has no bit set: exclude empty texts before pairs are formed. Bit i is bit i % 8, from the lowest, of byte i / 8. (Charikar, STOC 2002; Manku, Jain, Sarma, WWW 2007.)",
    syntax_example = "simhash(text[, bits[, shingle]])",
    sql_example = r#"```sql
> SELECT hamming_distance(
    simhash('the old mill by the river', 64, 'char:3'),
    simhash('the old mill at the river', 64, 'char:3')) AS distance;
+----------+
| distance |
+----------+
| 12       |
+----------+
```"#,
    argument(
        name = "text",
        description = "The text, a list of hashes (see `shingle_hashes`) or of strings, or a list of (term, weight). NULL gives NULL."
    ),
    argument(name = "bits", description = "A literal, 64 or 128; 64 if left out."),
    argument(
        name = "shingle",
        description = "A constant, as in `shingles`; 'word:3' if left out. Not used for lists."
    ),
    related_udf(name = "hamming_distance"),
    related_udf(name = "random_projection")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SimHash;

impl Function for SimHash {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "simhash",
        all: &[
            ("text", Kind::TextOrWeights),
            ("bits", Kind::Count),
            ("shingle", Kind::Shingle),
        ],
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        constants.require_literal(1)?;
        constants.shingle(2)?;
        Ok(DataType::FixedSizeBinary(bytes(constants)? as i32))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let constants = args.constants();
        let bytes = bytes(&constants)?;
        let mut out = vec![0; args.rows() * bytes];
        let mut nulls = NullBufferBuilder::new(args.rows());
        if args.is_vector(0) {
            let vectors = args.vectors(0)?;
            let mut entries = Vec::new();
            for (row, signature) in out.chunks_exact_mut(bytes).enumerate() {
                let vector = vectors.get(row)?;
                nulls.append(vector.is_some());
                if let Some(Vector::Sparse(vector)) = vector {
                    merged_into(vector, &mut entries);
                    simhash_into(entries.iter().copied(), signature);
                }
            }
        } else {
            let mut sets = Sets::new(args, 0, constants.shingle(2)?)?;
            for (row, signature) in out.chunks_exact_mut(bytes).enumerate() {
                let set = sets.sorted(row);
                nulls.append(set.is_some());
                if let Some(set) = set {
                    simhash_into(set.iter().map(|&hash| (hash, 1.0)), signature);
                }
            }
        }
        Ok(Arc::new(FixedSizeBinaryArray::try_new(
            bytes as i32,
            out.into(),
            nulls.finish(),
        )?))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn bytes(constants: &Constants<'_>) -> Result<usize> {
    match constants.integer(1, 64..=128_usize, 64)? {
        bits @ (64 | 128) => Ok(bits / 8),
        other => plan_err!("simhash: bits must be 64 or 128, found {other}"),
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, ListArray};
    use arrow::datatypes::UInt64Type;
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;
    use neardup_kernels::{Shingle, ShingleScratch};

    use super::*;
    use crate::calls::{call_array, call_scalar, column, every_encoding, plan_error, scalar};

    #[test]
    fn texts_and_lists_of_hashes() {
        let text = "the old mill by the river";
        let mut set = Vec::new();
        Shingle::Char(3).hashes_into(text, &mut ShingleScratch::default(), &mut set);
        let mut expected = [0; 16];
        simhash_into(set.iter().map(|&hash| (hash, 1.0)), &mut expected);
        for array in every_encoding(&[Some(text), None, Some("")]) {
            let args = vec![
                ColumnarValue::Array(array),
                scalar(128_i64),
                scalar("char:3"),
            ];
            let result = call_array(SimHash, args);
            let result = result.as_fixed_size_binary();
            assert_eq!(result.value(0), expected);
            assert!(result.is_null(1));
            assert_eq!(result.value(2), [0; 16]);
        }
        let repeated = set
            .iter()
            .chain(&set)
            .copied()
            .map(Some)
            .collect::<Vec<_>>();
        let lists = ListArray::from_iter_primitive::<UInt64Type, _, _>([Some(repeated)]);
        let result = call_array(SimHash, vec![column(lists)]);
        assert_eq!(result.as_fixed_size_binary().value(0), &expected[..8]);
    }

    #[test]
    fn null_and_wrong_arguments() {
        assert!(call_scalar(SimHash, vec![scalar(ScalarValue::Null)]).is_null());
        assert_eq!(
            plan_error(SimHash, &[scalar("a"), scalar(65_i64)]),
            "Error during planning: simhash: bits must be 64 or 128, found 65"
        );
        assert_eq!(
            plan_error(SimHash, &[scalar(1_i64)]),
            "Error during planning: simhash: text must be text, a list of hashes or of strings, or a list of (term, weight), found Int64"
        );
    }
}
