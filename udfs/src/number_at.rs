//! `number_at(numbers, position)`

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::DataType;
use datafusion_common::Result;
use datafusion_expr::Documentation;
use datafusion_macros::user_doc;

use crate::columns::{Arguments, Constants, Kind, Numbers, Parameters};
use crate::function::Function;

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Returns the number at a position of a list. The list may be long if it is a constant, or the result of a subquery: it is not copied for each row.",
    syntax_example = "number_at(numbers, position)",
    sql_example = r#"```sql
> SELECT number_at((SELECT component_numbers(a, b) FROM (VALUES (0, 3), (3, 1)) AS pairs (a, b)), 3) AS component;
+-----------+
| component |
+-----------+
| 0         |
+-----------+
```"#,
    argument(
        name = "numbers",
        description = "A list of UInt32 or UInt64; NULL gives NULL."
    ),
    argument(
        name = "position",
        description = "The position, from 0. NULL gives NULL, as does a position outside of the list."
    ),
    related_udf(name = "component_numbers")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NumberAt;

impl Function for NumberAt {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "number_at",
        all: &[("numbers", Kind::Signature), ("position", Kind::Integer)],
        required: 2,
    };

    fn result_type(_: &Constants<'_>, _: &[&DataType]) -> Result<DataType> {
        Ok(DataType::UInt64)
    }

    fn compute(args: &Arguments) -> Result<ArrayRef> {
        let (lists, positions) = (args.lists(0)?, args.integers(1)?);
        let of_row = |row: usize| {
            let position = usize::try_from(positions.get(row)?).ok()?;
            match lists.get(row)? {
                Numbers::U64(numbers) => numbers.get(position).copied(),
                Numbers::U32(numbers) => numbers.get(position).copied().map(u64::from),
            }
        };
        let found = (0..args.rows()).map(of_row);
        Ok(Arc::new(found.collect::<UInt64Array>()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, Int64Array, ListArray};
    use arrow::datatypes::{UInt32Type, UInt64Type};
    use datafusion_common::ScalarValue;

    use super::*;
    use crate::calls::{call_array, column, scalar};

    #[test]
    fn lists_of_rows_and_one_list_for_all_rows() {
        let positions = || column(Int64Array::from(vec![Some(0), Some(2), Some(-1), None]));
        let lists = ListArray::from_iter_primitive::<UInt64Type, _, _>([
            Some(vec![Some(7), Some(8)]),
            Some(vec![Some(1), Some(2), Some(u64::MAX)]),
            Some(vec![Some(5)]),
            Some(vec![Some(5)]),
        ]);
        let result = call_array(NumberAt, vec![column(lists), positions()]);
        let found: Vec<_> = result.as_primitive::<UInt64Type>().iter().collect();
        assert_eq!(found, [Some(7), Some(u64::MAX), None, None]);

        let one =
            ListArray::from_iter_primitive::<UInt32Type, _, _>([Some(vec![Some(4), Some(3)])]);
        let one = scalar(ScalarValue::List(Arc::new(one)));
        let result = call_array(NumberAt, vec![one, positions()]);
        let found: Vec<_> = result.as_primitive::<UInt64Type>().iter().collect();
        assert_eq!(found, [Some(4), None, None, None]);
    }
}
