//! `key_parts(keys, parts)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;

use crate::columns::{Arguments, Constants, Kind, Numbers, Parameters, PartLists};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the parts of a join that a row belongs to: the distinct values of key modulo parts, ascending. Rows that share a key share a part.",
    syntax_example = "key_parts(keys, parts)",
    sql_example = r#"```sql
> SELECT key_parts([3, 11, 4], 8) AS parts;
+--------+
| parts  |
+--------+
| [3, 4] |
+--------+
```"#,
    argument(
        name = "keys",
        description = "Bucket keys or prefix tokens; NULL gives NULL, no keys give no parts."
    ),
    argument(
        name = "parts",
        description = "The number of parts: a constant of at least 1."
    ),
    related_udf(name = "prefix_tokens"),
    related_udf(name = "minhash_bands")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KeyParts;

impl Function for KeyParts {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "key_parts",
        all: &[("keys", Kind::Set), ("parts", Kind::Count)],
        required: 2,
    };

    fn result_type(constants: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        parts(constants)?;
        Ok(PartLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let parts = parts(&args.constants())?;
        let keys = args.lists(0)?;
        let mut scratch: Vec<u32> = Vec::new();
        PartLists::of_rows(Self::PARAMETERS.function, args.rows(), |row, list| {
            scratch.clear();
            match keys.get(row)? {
                Numbers::U32(keys) => scratch.extend(keys.iter().map(|key| key % parts)),
                Numbers::U64(keys) => {
                    // Below `parts`, so it fits.
                    scratch.extend(keys.iter().map(|key| (key % u64::from(parts)) as u32));
                }
            }
            scratch.sort_unstable();
            scratch.dedup();
            list.extend_from_slice(&scratch);
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

fn parts(constants: &Constants<'_>) -> Result<u32> {
    constants.integer(1, 1..=u32::MAX, 1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Array, AsArray, LargeListArray, ListArray};
    use arrow::datatypes::{UInt32Type, UInt64Type};
    use datafusion_common::ScalarValue;
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::{call_array, call_scalar, plan_error, scalar};

    #[test]
    fn distinct_parts_in_order() {
        let rows = || {
            [
                Some(vec![Some(9)]),
                Some(vec![Some(12), Some(u64::MAX), Some(5), Some(3)]),
                None,
                Some(vec![]),
                Some(vec![Some(7), None, Some(0)]),
            ]
        };
        let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<UInt64Type, _, _>(rows()));
        let large: ArrayRef = Arc::new(LargeListArray::from_iter_primitive::<UInt64Type, _, _>(
            rows(),
        ));
        for lists in [list, large] {
            let args = vec![ColumnarValue::Array(lists.slice(1, 4)), scalar(7_i64)];
            let result = call_array(KeyParts, args);
            let parts = result.as_list::<i32>();
            let row = |row: usize| {
                parts
                    .value(row)
                    .as_primitive::<UInt32Type>()
                    .values()
                    .to_vec()
            };
            // u64::MAX = 7 * 2635249153387078802 + 1
            assert_eq!(row(0), [1, 3, 5]);
            assert!(parts.is_null(1));
            assert!(parts.is_valid(2) && row(2).is_empty());
            assert_eq!(row(3), [0]);
        }
    }

    #[test]
    fn one_part_holds_every_key() {
        let lists = ListArray::from_iter_primitive::<UInt32Type, _, _>([Some([Some(1), Some(2)])]);
        let row = ScalarValue::try_from_array(&lists, 0).expect("a row");
        let result = call_scalar(KeyParts, vec![scalar(row), scalar(1_i64)]);
        assert_eq!(result.to_string(), "[0]");
    }

    #[test]
    fn the_number_of_parts_is_checked() {
        let lists = ListArray::from_iter_primitive::<UInt64Type, _, _>([Some([Some(1)])]);
        let args = [ColumnarValue::Array(Arc::new(lists)), scalar(0_i64)];
        assert_eq!(
            plan_error(KeyParts, &args),
            "Error during planning: key_parts: parts must be between 1 and 4294967295, found 0"
        );
    }
}
