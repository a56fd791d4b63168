//! `signature_keys(signature, bits, tables[, key_bits[, seed]])`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_datafusion_err, plan_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{BitTables, MAX_BITS, block_keys_into};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the bucket keys of a bit signature, one for each table. With `key_bits`, the key of a table consists of that many bits, drawn without replacement; no two tables share a bit if tables times key_bits is at most bits. Without it, the signature is divided into as many blocks as there are tables, and the key of a table is a block: signatures that differ in fewer bits than there are tables share a key (Manku, Jain, Sarma, WWW 2007).",
    syntax_example = "signature_keys(signature, bits, tables[, key_bits[, seed]])",
    sql_example = r#"```sql
> SELECT signature_keys(X'0F0F', 16, 2) AS keys;
+----------------------------------------------+
| keys                                         |
+----------------------------------------------+
| [10160907587843550210, 17783718629629194127] |
+----------------------------------------------+
```"#,
    argument(
        name = "signature",
        description = "A signature, such as `simhash` or `random_projection` gives; NULL gives NULL."
    ),
    argument(
        name = "bits",
        description = "The number of bits of the signature that are used: a constant, 1 to 4096."
    ),
    argument(name = "tables", description = "How many keys: a constant, 1 to 4097."),
    argument(
        name = "key_bits",
        description = "Bits of a key: a constant, 0 to bits; 0, the default, for blocks."
    ),
    argument(
        name = "seed",
        description = "The seed of the choice of bits: a constant, 0 to 2^64 - 1; 1 if left out."
    ),
    related_udf(name = "minhash_bands")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SignatureKeys;

impl Function for SignatureKeys {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "signature_keys",
        all: &[
            ("signature", Kind::Bits),
            ("bits", Kind::Count),
            ("tables", Kind::Count),
            ("key_bits", Kind::Count),
            ("seed", Kind::Count),
        ],
        required: 3,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Shape::of(constants)?;
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let shape = Shape::of(&args.constants())?;
        let signatures = args.bytes(0)?;
        let mut out = HashLists::new(Self::PARAMETERS.function, args.rows());
        for row in 0..args.rows() {
            match signatures.get(row) {
                None => out.push_null()?,
                Some(signature) => out
                    .push(|keys| match &shape.drawn {
                        Some(drawn) => drawn.keys_into(signature, keys),
                        None => block_keys_into(signature, shape.bits, shape.tables, keys),
                    })?
                    .map_err(|error| exec_datafusion_err!("signature_keys: {error}"))?,
            }
        }
        Ok(out.finish())
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

struct Shape {
    bits: usize,
    tables: usize,
    drawn: Option<BitTables>,
}

impl Shape {
    fn of(constants: &Constants<'_>) -> Result<Self> {
        let bits = constants.integer(1, 1..=MAX_BITS, 1)?;
        let tables = constants.integer(2, 1..=MAX_BITS + 1, 1)?;
        let key_bits = constants.integer(3, 0..=MAX_BITS, 0)?;
        let seed = constants.integer(4, 0..=u64::MAX, 1)?;
        let drawn = match key_bits {
            0 => None,
            _ => Some(
                BitTables::new(bits, tables, key_bits, seed)
                    .map_err(|error| plan_datafusion_err!("signature_keys: {error}"))?,
            ),
        };
        Ok(Self {
            bits,
            tables,
            drawn,
        })
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, BinaryArray};
    use arrow::datatypes::UInt64Type;

    use super::*;
    use crate::calls::{call, call_array, column, plan_error, scalar};

    #[test]
    fn blocks_and_drawn_bits() {
        let signature = [0x0f, 0xf1, 3];
        let column = || column(BinaryArray::from_iter([Some(&signature[..]), None]));
        let mut keys = Vec::new();
        block_keys_into(&signature, 20, 3, &mut keys).expect("long enough");
        let result = call_array(SignatureKeys, vec![column(), scalar(20_i64), scalar(3_i64)]);
        let lists = result.as_list::<i32>();
        assert_eq!(
            lists.value(0).as_primitive::<UInt64Type>().values(),
            keys.as_slice()
        );
        assert!(lists.is_null(1));
        keys.clear();
        let drawn = BitTables::new(20, 7, 4, 5).expect("in range");
        drawn.keys_into(&signature, &mut keys).expect("long enough");
        let args = [20_i64, 7, 4, 5].map(scalar);
        let result = call_array(SignatureKeys, [column()].into_iter().chain(args).collect());
        let lists = result.as_list::<i32>();
        assert_eq!(
            lists.value(0).as_primitive::<UInt64Type>().values(),
            keys.as_slice()
        );
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let column = || column(BinaryArray::from_iter([Some(&[1_u8][..])]));
        let error = call(SignatureKeys, vec![column(), scalar(9_i64), scalar(1_i64)]);
        assert_eq!(
            error.expect_err("too short").strip_backtrace(),
            "Execution error: signature_keys: a signature of 1 bytes has fewer than 9 bits"
        );
        assert_eq!(
            plan_error(
                SignatureKeys,
                &[column(), scalar(8_i64), scalar(1_i64), scalar(9_i64)]
            ),
            "Error during planning: signature_keys: key_bits must be between 1 and the 8 bits of a signature, found 9"
        );
    }
}
