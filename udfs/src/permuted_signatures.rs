//! `permuted_signatures(signature, bits, tables[, seed])`

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder, ListBuilder};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{MAX_BITS, bit_permutation};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns several random permutations of the bits of a signature, by which the tables of sorted windows are sorted (Ravichandran, Pantel, Hovy, ACL 2005). The first bit is the highest bit of the first byte, so that the order of the bytes is that of the bits.",
    syntax_example = "permuted_signatures(signature, bits, tables[, seed])",
    sql_example = r#"```sql
> SELECT permuted_signatures(X'0F', 8, 2) AS permuted;
+----------+
| permuted |
+----------+
| [cc, c6] |
+----------+
```"#,
    argument(
        name = "signature",
        description = "A signature, such as `simhash` or `random_projection` gives; NULL gives NULL."
    ),
    argument(
        name = "bits",
        description = "The number of bits that are permuted; the others are left out. A constant, 1 to 4096."
    ),
    argument(
        name = "tables",
        description = "The number of permutations: a constant, 1 to 4096."
    ),
    argument(
        name = "seed",
        description = "The seed of the permutations: a constant, 0 to 2^64 - 1; 1 if left out."
    ),
    related_udf(name = "signature_keys")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PermutedSignatures;

impl Function for PermutedSignatures {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "permuted_signatures",
        all: &[
            ("signature", Kind::Bits),
            ("bits", Kind::Count),
            ("tables", Kind::Count),
            ("seed", Kind::Count),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        shape(constants)?;
        Ok(DataType::new_list(DataType::Binary, true))
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (bits, tables, seed) = shape(&args.constants())?;
        let permutations: Vec<Vec<u32>> = (0..tables)
            .map(|table| bit_permutation(bits, seed, table))
            .collect();
        let signatures = args.bytes(0)?;
        let mut out = ListBuilder::new(BinaryBuilder::new());
        for row in 0..args.rows() {
            let signature = signatures.get(row);
            if let Some(signature) = signature {
                if signature.len() * 8 < bits {
                    return exec_err!(
                        "permuted_signatures: a signature of {} bytes has fewer than {bits} bits",
                        signature.len()
                    );
                }
                for permutation in &permutations {
                    out.values().append_value(permuted(signature, permutation));
                }
            }
            out.append(signature.is_some());
        }
        Ok(Arc::new(out.finish()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn permuted(signature: &[u8], permutation: &[u32]) -> Vec<u8> {
    let bit = |at: u32| signature[at as usize / 8] >> (at % 8) & 1;
    let byte = |bits: &[u32]| {
        let byte = bits.iter().fold(0, |byte, &at| byte << 1 | bit(at));
        byte << (8 - bits.len())
    };
    permutation.chunks(8).map(byte).collect()
}

fn shape(constants: &Constants<'_>) -> Result<(usize, u64, u64)> {
    Ok((
        constants.integer(1, 1..=MAX_BITS, 1)?,
        constants.integer(2, 1..=MAX_BITS as u64, 1)?,
        constants.integer(3, 0..=u64::MAX, 1)?,
    ))
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, BinaryArray};

    use super::*;
    use crate::calls::{call, call_array, column, scalar};

    #[test]
    fn bits_come_in_the_order_of_the_permutation() {
        let signatures = || column(BinaryArray::from_iter([Some(&[0x5a, 3][..]), None]));
        let args = [10_i64, 3, 9].map(scalar);
        let result = call_array(
            PermutedSignatures,
            [signatures()].into_iter().chain(args).collect(),
        );
        let lists = result.as_list::<i32>();
        assert!(lists.is_null(1));
        for table in 0..3 {
            let text: String = bit_permutation(10, 9, table as u64)
                .iter()
                .map(|&at| {
                    if [0x5a_u8, 3][at as usize / 8] >> (at % 8) & 1 == 1 {
                        '1'
                    } else {
                        '0'
                    }
                })
                .collect();
            let found: String = lists
                .value(0)
                .as_binary::<i32>()
                .value(table)
                .iter()
                .map(|byte| format!("{byte:08b}"))
                .collect();
            assert_eq!(found, format!("{text}000000"));
        }
        let short = call(
            PermutedSignatures,
            vec![signatures(), scalar(17_i64), scalar(1_i64)],
        );
        assert!(short.is_err());
    }
}
