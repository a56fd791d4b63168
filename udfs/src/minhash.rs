//! `minhash(text[, num_hashes[, shingle[, seed[, bits]]]])` and `minhash_and_count`

use std::sync::Arc;

use arrow::array::{ArrayRef, FixedSizeListArray, NullBufferBuilder, UInt32Array, UInt64Array};
use arrow::datatypes::{DataType, Field};
use datafusion_common::{Result, exec_datafusion_err, plan_datafusion_err};
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{MAX_HASHES, MinHasher, ShingleScratch, SignatureValue};

use crate::columns::{Arguments, Constants, Kind, Parameters};
use crate::function::Function;
use crate::sets::Sets;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the MinHash signature of a text's shingles, or of a list of hashes or strings: a list of `num_hashes` numbers, UInt32 for up to 32 bits, UInt64 for more. The share of positions in which two signatures agree estimates the Jaccard similarity. The signature of an empty set has all bits set in every position: exclude empty texts before pairs are formed.",
    syntax_example = "minhash(text[, num_hashes[, shingle[, seed[, bits]]]])",
    sql_example = r#"```sql
> SELECT minhash('the old mill by the river', 4) AS signature;
+--------------------------------------------------+
| signature                                        |
+--------------------------------------------------+
| [1415463228, 1159779312, 1247843610, 1181965662] |
+--------------------------------------------------+
```"#,
    argument(
        name = "text",
        description = "The text, or a list of hashes (see `shingle_hashes`) or of strings. NULL gives NULL."
    ),
    argument(
        name = "num_hashes",
        description = "A literal, 1 to 4096; 128 if left out."
    ),
    argument(
        name = "shingle",
        description = "A constant, as in `shingles`; 'word:3' if left out. Not used for lists."
    ),
    argument(
        name = "seed",
        description = "A constant, 0 to 2^64 - 1; 1 if left out. Only signatures of the same seed can be compared."
    ),
    argument(
        name = "bits",
        description = "The number of bits of a position: a literal, 1 to 64; 32 if left out."
    ),
    related_udf(name = "minhash_and_count"),
    related_udf(name = "minhash_bands"),
    related_udf(name = "minhash_similarity")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MinHash;

impl Function for MinHash {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "minhash",
        all: PARAMETERS,
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        list_type(Self::PARAMETERS.function, constants, 0)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        lists(Self::PARAMETERS.function, args, Further::None)
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the MinHash signature of a text's shingles, or of a list, as `minhash` does, and as one more position the number of distinct shingles, as `shingle_count` does, or of distinct elements: the shingles are hashed once. `minhash_join` calls it.",
    syntax_example = "minhash_and_count(text[, num_hashes[, shingle[, seed[, bits]]]])",
    sql_example = r#"```sql
> SELECT minhash_and_count('the old mill by the river', 4) AS counted;
+-----------------------------------------------------+
| counted                                             |
+-----------------------------------------------------+
| [1415463228, 1159779312, 1247843610, 1181965662, 4] |
+-----------------------------------------------------+
```"#,
    argument(name = "text", description = "As in `minhash`."),
    argument(name = "num_hashes", description = "As in `minhash`."),
    argument(name = "shingle", description = "As in `minhash`."),
    argument(name = "seed", description = "As in `minhash`."),
    argument(name = "bits", description = "As in `minhash`."),
    related_udf(name = "minhash"),
    related_udf(name = "shingle_count")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MinHashAndCount;

impl Function for MinHashAndCount {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "minhash_and_count",
        all: PARAMETERS,
        required: 1,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        list_type(Self::PARAMETERS.function, constants, 1)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        lists(Self::PARAMETERS.function, args, Further::Count)
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

const PARAMETERS: &[(&str, Kind)] = &[
    ("text", Kind::TextOrSet),
    ("num_hashes", Kind::Count),
    ("shingle", Kind::Shingle),
    ("seed", Kind::Count),
    ("bits", Kind::Count),
];

/// What follows the positions of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Further {
    None,
    /// The number of distinct hashes.
    Count,
}

/// The type of signatures with a number of further positions.
fn list_type(function: &str, constants: &Constants<'_>, further: i32) -> Result<DataType> {
    constants.require_literal(1)?;
    constants.require_literal(4)?;
    constants.shingle(2)?;
    let family = family(function, constants)?;
    let value = if family.bits() <= u32::BITS {
        DataType::UInt32
    } else {
        DataType::UInt64
    };
    let size = family.num_hashes() as i32 + further;
    Ok(DataType::new_fixed_size_list(value, size, true))
}

fn lists(function: &str, args: &Arguments, further: Further) -> Result<ArrayRef> {
    let constants = args.constants();
    let family = family(function, &constants)?;
    let sets = Sets::new(args, 0, constants.shingle(2)?)?;
    if family.bits() <= u32::BITS {
        signatures::<u32>(&family, sets, args.rows(), further, |values| {
            Arc::new(UInt32Array::from(values))
        })
    } else {
        signatures::<u64>(&family, sets, args.rows(), further, |values| {
            Arc::new(UInt64Array::from(values))
        })
    }
}

fn family(function: &str, constants: &Constants<'_>) -> Result<MinHasher> {
    let num_hashes = constants.integer(1, 1..=MAX_HASHES, 128)?;
    let seed = constants.integer(3, 0..=u64::MAX, 1)?;
    let bits = constants.integer(4, 1..=u64::BITS, 32)?;
    MinHasher::new(num_hashes, seed, bits)
        .map_err(|error| plan_datafusion_err!("{function}: {error}"))
}

fn signatures<V: SignatureValue + Default + TryFrom<usize>>(
    family: &MinHasher,
    mut sets: Sets,
    rows: usize,
    further: Further,
    array: impl FnOnce(Vec<V>) -> ArrayRef,
) -> Result<ArrayRef> {
    let size = family.num_hashes() + usize::from(further == Further::Count);
    let mut values = vec![V::default(); rows * size];
    let mut nulls = NullBufferBuilder::new(rows);
    let mut scratch = ShingleScratch::default();
    for (row, list) in values.chunks_exact_mut(size).enumerate() {
        let (signature, further) = list.split_at_mut(family.num_hashes());
        let set = sets.unsorted(row);
        nulls.append(set.is_some());
        if let Some(set) = set {
            family.signature_into(set, signature);
            if let [count] = further {
                let distinct = scratch.count_distinct(set);
                *count = V::try_from(distinct).map_err(|_| {
                    exec_datafusion_err!("minhash_and_count: {distinct} elements are too many")
                })?;
            }
        }
    }
    let values = array(values);
    let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    Ok(Arc::new(FixedSizeListArray::try_new(
        field,
        size as i32,
        values,
        nulls.finish(),
    )?))
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, Int64Array, LargeListArray, ListArray, StringArray};
    use arrow::datatypes::{Int64Type, UInt32Type, UInt64Type};
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;
    use neardup_kernels::Shingle;

    use super::*;
    use crate::calls::{
        call, call_array, call_scalar, column, every_encoding, plan, plan_error, scalar,
    };

    const TEXT: &str = "the old mill by the river";

    fn expected(num_hashes: usize, spec: &str, seed: u64, bits: u32) -> Vec<u64> {
        expected_of(TEXT, num_hashes, spec, seed, bits)
    }

    fn expected_of(text: &str, num_hashes: usize, spec: &str, seed: u64, bits: u32) -> Vec<u64> {
        let mut hashes = Vec::new();
        let shingle: Shingle = spec.parse().expect("a valid spec");
        shingle.hashes_into(text, &mut ShingleScratch::default(), &mut hashes);
        let mut signature = vec![0; num_hashes];
        let family = MinHasher::new(num_hashes, seed, bits).expect("valid parameters");
        family.signature_into(&hashes, &mut signature);
        signature
    }

    fn narrow(list: &dyn Array) -> Vec<u64> {
        list.as_primitive::<UInt32Type>()
            .values()
            .iter()
            .map(|&value| value.into())
            .collect()
    }

    #[test]
    fn every_string_encoding() {
        for array in every_encoding(&[Some(TEXT), None, Some(""), Some(TEXT)]) {
            let result = call_array(MinHash, vec![ColumnarValue::Array(array), scalar(8_i64)]);
            let lists = result.as_fixed_size_list();
            assert_eq!(narrow(&lists.value(0)), expected(8, "word:3", 1, 32));
            assert!(lists.is_null(1));
            assert_eq!(
                narrow(&lists.value(2)),
                [u64::from(u32::MAX); 8],
                "the empty set"
            );
            assert_eq!(lists.value(3).as_ref(), lists.value(0).as_ref());
        }
    }

    #[test]
    fn all_parameters_and_wide_positions() {
        let args = vec![
            column(StringArray::from(vec![TEXT])),
            scalar(20_i64),
            scalar("char:12"),
            scalar(u64::MAX),
            scalar(60_i64),
        ];
        let result = call_array(MinHash, args);
        let signature = result.as_fixed_size_list().value(0);
        assert_eq!(
            signature.as_primitive::<UInt64Type>().values(),
            expected(20, "char:12", u64::MAX, 60).as_slice()
        );
    }

    #[test]
    fn lists_of_hashes_and_of_strings() {
        let mut hashes = Vec::new();
        Shingle::Word(3).hashes_into(TEXT, &mut ShingleScratch::default(), &mut hashes);
        let signed: Vec<_> = hashes
            .iter()
            .map(|&hash| Some(hash as i64))
            .chain([None])
            .collect();
        let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([None, Some(signed.clone())]);
        let large = LargeListArray::from_iter_primitive::<Int64Type, _, _>([None, Some(signed)]);
        let mut words = Vec::new();
        Shingle::Word(3).for_each(TEXT, &mut ShingleScratch::default(), |shingle| {
            words.push(shingle.to_owned())
        });
        let mut strings = arrow::array::ListBuilder::new(arrow::array::StringViewBuilder::new());
        strings.append_null();
        strings.append_value(words.into_iter().map(Some));
        for lists in [column(lists), column(large), column(strings.finish())] {
            let result = call_array(MinHash, vec![lists, scalar(128_i64)]);
            assert!(result.is_null(0));
            let signature = result.as_fixed_size_list().value(1);
            assert_eq!(narrow(&signature), expected(128, "word:3", 1, 32));
        }
    }

    #[test]
    fn scalars_give_scalars() {
        let ScalarValue::FixedSizeList(list) = call_scalar(MinHash, vec![scalar(TEXT)]) else {
            panic!("not a list of fixed size");
        };
        assert_eq!(narrow(&list.value(0)), expected(128, "word:3", 1, 32));
        assert!(call_scalar(MinHash, vec![scalar(ScalarValue::Null)]).is_null());
    }

    #[test]
    fn the_number_of_shingles_follows_the_signature() {
        let texts = [Some("abab"), None, Some(""), Some("abcabcabd"), Some(TEXT)];
        for array in every_encoding(&texts) {
            for bits in [20_i64, 40] {
                let mut args = vec![ColumnarValue::Array(Arc::clone(&array))];
                args.extend([scalar(5_i64), scalar("char:2"), scalar(7_i64), scalar(bits)]);
                let wide = arrow::compute::cast(
                    &call_array(MinHashAndCount, args.clone()),
                    &DataType::new_fixed_size_list(DataType::UInt64, 6, true),
                );
                let wide = wide.expect("numbers can be cast");
                let lists = wide.as_fixed_size_list();
                let signatures = call_array(MinHash, args);
                assert!(lists.is_null(1) && signatures.is_null(1));
                for (row, count) in [(0, 2), (2, 0), (3, 4), (4, 21)] {
                    let list = lists.value(row);
                    let list = list.as_primitive::<UInt64Type>().values();
                    let text = texts[row].expect("a text");
                    assert_eq!(list[..5], expected_of(text, 5, "char:2", 7, bits as u32));
                    assert_eq!(list[5], count, "{text}");
                }
            }
        }
        let text = column(StringArray::from(vec!["a"]));
        assert_eq!(
            plan_error(MinHashAndCount, &[text, scalar(0_i64)]),
            "Error during planning: minhash_and_count: num_hashes must be between 1 and 4096, found 0"
        );
    }

    #[test]
    fn no_rows() {
        let result = call_array(MinHash, vec![column(StringArray::from(Vec::<&str>::new()))]);
        assert_eq!(result.len(), 0);
    }

    #[test]
    fn errors_name_function_and_argument() {
        let text = || column(StringArray::from(vec!["a"]));
        let error = |args: &[ColumnarValue]| plan_error(MinHash, args);
        assert_eq!(
            error(&[text(), scalar(0_i64)]),
            "Error during planning: minhash: num_hashes must be between 1 and 4096, found 0"
        );
        assert_eq!(
            error(&[text(), scalar(8_i64), scalar("word:3"), scalar(-1_i64)]),
            "Error during planning: minhash: seed must be between 0 and 18446744073709551615, found -1"
        );
        assert_eq!(
            error(&[
                text(),
                scalar(8_i64),
                scalar("word:3"),
                scalar(1_i64),
                scalar(65_i64)
            ]),
            "Error during planning: minhash: bits must be between 1 and 64, found 65"
        );
        assert_eq!(
            error(&[text(), column(Int64Array::from(vec![8]))]),
            "Error during planning: minhash: num_hashes must be a literal, because the type of the result depends on it"
        );
        assert_eq!(
            error(&[column(Int64Array::from(vec![8]))]),
            "Error during planning: minhash: text must be text, or a list of hashes or of strings, found Int64"
        );
        // Another constant may be known later than while planning.
        let late = vec![
            text(),
            scalar(8_i64),
            scalar("word:3"),
            column(Int64Array::from(vec![8])),
        ];
        assert!(plan(MinHash, &late).is_ok());
        assert!(call(MinHash, late).is_err());
    }
}
