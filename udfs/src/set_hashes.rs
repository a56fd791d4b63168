//! `set_hashes(set)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::Shingle;

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;
use crate::sets::Sets;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the members of a set as sorted distinct hashes: strings are hashed with XXH3-64, and hashes stay as they are. `jaccard_join` compares columns of lists in this form.",
    syntax_example = "set_hashes(set)",
    sql_example = r#"```sql
> SELECT set_hashes([7, 3, 7]) AS hashes, set_hashes(['mill']) = shingle_hashes('mill', 'word:1') AS of_strings;
+--------+------------+
| hashes | of_strings |
+--------+------------+
| [3, 7] | true       |
+--------+------------+
```"#,
    argument(
        name = "set",
        description = "A list of hashes or of strings; NULL gives NULL, and NULL elements are ignored."
    ),
    related_udf(name = "set_signature"),
    related_udf(name = "shingle_hashes")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SetHashes;

impl Function for SetHashes {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "set_hashes",
        all: &[("set", Kind::Set)],
        required: 1,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(HashLists::data_type())
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        // Sets are never a text, so no shingle is needed.
        let mut sets = Sets::new(args, 0, Shingle::Word(1))?;
        HashLists::of_rows(Self::PARAMETERS.function, args.rows(), |row, list| {
            list.extend_from_slice(sets.sorted(row)?);
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Array, AsArray, LargeListArray, ListArray, ListBuilder, StringBuilder};
    use arrow::datatypes::{Int64Type, UInt64Type};
    use datafusion_expr::ColumnarValue;

    use super::*;
    use crate::calls::call_array;

    #[test]
    fn lists_of_every_type() {
        let rows = || {
            [
                Some(vec![Some(9)]),
                Some(vec![Some(3), None, Some(2), Some(3)]),
                None,
                Some(vec![]),
            ]
        };
        let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows()));
        let large: ArrayRef = Arc::new(LargeListArray::from_iter_primitive::<Int64Type, _, _>(
            rows(),
        ));
        for lists in [list, large] {
            let result = call_array(SetHashes, vec![ColumnarValue::Array(lists.slice(1, 3))]);
            let lists = result.as_list::<i32>();
            let first = lists.value(0);
            assert_eq!(first.as_primitive::<UInt64Type>().values(), &[2, 3]);
            assert!(lists.is_null(1));
            assert!(lists.is_valid(2) && lists.value(2).is_empty());
        }
    }

    #[test]
    fn strings_are_hashed() {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for word in ["b", "a", "b"] {
            lists.values().append_value(word);
        }
        lists.append(true);
        let lists = ColumnarValue::Array(Arc::new(lists.finish()));
        let result = call_array(SetHashes, vec![lists]);
        let mut expected = ["a", "b"].map(|word| xxhash_rust::xxh3::xxh3_64(word.as_bytes()));
        expected.sort_unstable();
        let found = result.as_list::<i32>().value(0);
        assert_eq!(found.as_primitive::<UInt64Type>().values(), &expected);
    }
}
