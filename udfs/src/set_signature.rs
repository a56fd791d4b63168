//! `set_signature(set)`

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;
use neardup_kernels::{Shingle, set_signature};

use crate::columns::{Arguments, Constants, HashLists, Kind, Parameters};
use crate::function::Function;
use crate::sets::Sets;

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns a list of one hash that identifies a set: two sets have the same hash if they have the same members, in any order and with any repeats. The empty set has no hash, so that it equals no other. `i_match` computes it of the terms of a text.",
    syntax_example = "set_signature(set)",
    sql_example = r#"```sql
> SELECT set_signature(['mill', 'river']) = set_signature(['river', 'mill', 'mill']) AS same;
+------+
| same |
+------+
| true |
+------+
```"#,
    argument(
        name = "set",
        description = "A list of hashes or of strings; NULL gives NULL, an empty list the empty list."
    ),
    related_udf(name = "shingle_hashes"),
    related_udf(name = "winnow")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SetSignature;

impl Function for SetSignature {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "set_signature",
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
            list.extend(set_signature(sets.sorted(row)?));
            Some(())
        })
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray, ListArray};
    use arrow::datatypes::{UInt32Type, UInt64Type};

    use super::*;
    use crate::calls::{call_array, column};

    #[test]
    fn order_and_repeats_do_not_matter() {
        let rows = [
            Some(vec![Some(3), Some(1)]),
            Some(vec![Some(1), Some(3), None, Some(1)]),
            Some(vec![Some(1)]),
            Some(vec![]),
            None,
        ];
        let wide = ListArray::from_iter_primitive::<UInt64Type, _, _>(
            rows.clone()
                .map(|row| row.map(|row| row.into_iter().map(|n| n.map(u64::from)))),
        );
        let narrow = ListArray::from_iter_primitive::<UInt32Type, _, _>(rows);
        for lists in [column(wide), column(narrow)] {
            let result = call_array(SetSignature, vec![lists]);
            let lists = result.as_list::<i32>();
            let lengths: Vec<usize> = (0..4).map(|row| lists.value(row).len()).collect();
            assert_eq!(lengths, [1, 1, 1, 0]);
            assert!(lists.is_valid(3) && lists.is_null(4));
            assert_eq!(&lists.value(0), &lists.value(1));
            assert_ne!(&lists.value(0), &lists.value(2));
        }
    }
}
