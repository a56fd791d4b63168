//! `component_numbers(a, b)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::datatypes::{DataType, UInt32Type};
use datafusion_common::{Result, ScalarValue, exec_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::forest::Forest;

use crate::aggregate::{Aggregate, flattened, list};
use crate::columns::{Kind, NUMBERS_END, Parameters, numbers};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Aggregates pairs of numbers to the connected components of their graph: a list of UInt32 that holds, at the position of each number from 0 to the largest one, the smallest number of its component. It takes four bytes for each number, so that the components of many pairs fit into memory if their ids are numbered without gaps. `number_at` reads it.",
    syntax_example = "component_numbers(a, b)",
    sql_example = r#"```sql
> SELECT component_numbers(a, b) AS components FROM (VALUES (0, 3), (3, 1), (4, 5)) AS pairs (a, b);
+--------------------+
| components         |
+--------------------+
| [0, 0, 2, 0, 4, 4] |
+--------------------+
```"#,
    argument(
        name = "a",
        description = "One number of the pair, from 0 to 2147483646. Pairs with a NULL are left out."
    ),
    argument(name = "b", description = "The other number."),
    related_udf(name = "number_at")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ComponentNumbers;

impl Aggregate for ComponentNumbers {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "component_numbers",
        all: &[("a", Kind::Integer), ("b", Kind::Integer)],
        required: 2,
    };

    fn result_type(_: &[DataType]) -> DataType {
        DataType::new_list(DataType::UInt32, true)
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        vec![("components", DataType::new_list(DataType::UInt32, true))]
    }

    fn start(_: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Components::default()))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[derive(Debug, Default)]
struct Components {
    forest: Forest,
}

impl Components {
    fn join(&mut self, a: u32, b: u32) {
        self.forest.grow(a.max(b) + 1);
        self.forest.union(a, b);
    }

    /// The list of the smallest numbers. The aggregation is empty then.
    fn take(&mut self) -> Result<ScalarValue> {
        let components = std::mem::take(&mut self.forest).into_roots();
        list(Arc::new(UInt32Array::from(components)))
    }
}

impl Accumulator for Components {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let (a, b) = (numbers(&values[0])?, numbers(&values[1])?);
        for (a, b) in a.iter().zip(b.iter()) {
            let (Some(a), Some(b)) = (a, b) else {
                continue;
            };
            for number in [a, b] {
                if !(0..NUMBERS_END).contains(&number) {
                    return exec_err!(
                        "component_numbers: numbers must be from 0 to {}, found {number}",
                        NUMBERS_END - 1
                    );
                }
            }
            self.join(a as u32, b as u32);
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        // One state at a time: the positions of a list are numbers of nodes.
        for row in 0..states[0].len() {
            let components = flattened(&states[0].slice(row, 1))?;
            let components = components.as_primitive::<UInt32Type>().values();
            for (number, &first) in components.iter().enumerate() {
                self.join(number as u32, first);
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.take()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.take()
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.forest.memory()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::Int64Array;
    use arrow::compute::cast;

    use super::*;
    use crate::groupings::every_grouping;

    fn found(result: &ScalarValue) -> Vec<u32> {
        let ScalarValue::List(list) = result else {
            panic!("not a list: {result}")
        };
        list.value(0).as_primitive::<UInt32Type>().values().to_vec()
    }

    #[test]
    fn integers_of_every_type_and_any_grouping() {
        use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
        let a: ArrayRef = Arc::new(Int64Array::from(vec![
            Some(5),
            Some(9),
            None,
            Some(2),
            Some(8),
            Some(3),
        ]));
        let b: ArrayRef = Arc::new(Int64Array::from(vec![
            Some(2),
            Some(1),
            Some(0),
            Some(9),
            None,
            Some(3),
        ]));
        for data_type in [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64] {
            let columns = [&a, &b].map(|column| cast(column, &data_type).expect("fits"));
            for result in every_grouping(ComponentNumbers, &columns) {
                assert_eq!(found(&result), [0, 1, 1, 3, 4, 1, 6, 7, 8, 1]);
                assert_eq!(result.data_type(), ComponentNumbers::result_type(&[]));
            }
        }
    }

    #[test]
    fn no_pairs_give_an_empty_list() {
        let none: ArrayRef = Arc::new(Int64Array::from(vec![None, None]));
        for result in every_grouping(ComponentNumbers, &[Arc::clone(&none), none]) {
            assert_eq!(found(&result), [0_u32; 0]);
        }
    }

    #[test]
    fn numbers_out_of_range_are_errors() {
        for number in [-1, NUMBERS_END, i64::MAX] {
            let column: ArrayRef = Arc::new(Int64Array::from(vec![number]));
            let error = Components::default()
                .update_batch(&[Arc::clone(&column), column])
                .expect_err("an error");
            assert_eq!(
                error.strip_backtrace(),
                format!(
                    "Execution error: component_numbers: numbers must be from 0 to 2147483646, found {number}"
                )
            );
        }
        let column: ArrayRef = Arc::new(arrow::array::UInt64Array::from(vec![u64::MAX]));
        assert!(
            Components::default()
                .update_batch(&[Arc::clone(&column), column])
                .is_err()
        );
    }
}
