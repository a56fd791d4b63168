//! `spanning_forest(id_a, id_b)`

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::forest::retain_spanning;

use crate::aggregate::{Aggregate, flattened, list, list_of_rows, rows};
use crate::columns::{IdTable, Kind, NO_ID, Parameters};

#[user_doc(
    doc_section(label = "Building Blocks"),
    description = "Aggregates pairs to their minimum spanning forest: a list of (id_a, id_b), id_a < id_b, by ascending id_b, then id_a. In this order, a pair is in the forest if the pairs before it do not connect its ids. The forest has the connected components of all pairs, fewer pairs than ids, and does not depend on the order of the rows. Partial states are forests.",
    syntax_example = "spanning_forest(id_a, id_b)",
    sql_example = r#"```sql
> SELECT spanning_forest(a, b) AS forest FROM (VALUES (1, 2), (3, 2), (1, 3), (7, 9)) AS pairs (a, b);
+------------------------------------------------------------------+
| forest                                                           |
+------------------------------------------------------------------+
| [{id_a: 1, id_b: 2}, {id_a: 1, id_b: 3}, {id_a: 7, id_b: 9}]     |
+------------------------------------------------------------------+
```"#,
    argument(
        name = "id_a",
        description = "One id of the pair: an integer or a string. Pairs with a NULL id are left out, as are pairs of an id with itself."
    ),
    argument(name = "id_b", description = "The other id.")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SpanningForest;

impl Aggregate for SpanningForest {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "spanning_forest",
        all: &[("id_a", Kind::Id), ("id_b", Kind::Id)],
        required: 2,
    };

    fn result_type(types: &[DataType]) -> DataType {
        list_of_rows(&[("id_a", types[0].clone()), ("id_b", types[0].clone())])
    }

    fn state(types: &[DataType]) -> Vec<(&'static str, DataType)> {
        let ids = DataType::new_list(types[0].clone(), true);
        vec![("id_a", ids.clone()), ("id_b", ids)]
    }

    fn start(types: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Pairs {
            ids: IdTable::new(&types[0])?,
            pairs: Vec::new(),
        }))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The number of pairs, beyond two for each id, that are held before they are reduced to their forest.
const SPARE: usize = 8192;

#[derive(Debug)]
struct Pairs {
    ids: IdTable,
    /// The numbers of the two ids of each pair.
    pairs: Vec<(u32, u32)>,
}

impl Pairs {
    fn add(&mut self, a: &ArrayRef, b: &ArrayRef) -> Result<()> {
        let a_numbers = self.ids.number(a, b.logical_nulls().as_ref())?;
        let b_numbers = self.ids.number(b, a.logical_nulls().as_ref())?;
        for (a, b) in a_numbers.into_iter().zip(b_numbers) {
            if a != NO_ID && a != b {
                self.pairs.push((a, b));
            }
        }
        if self.pairs.len() > 2 * self.ids.len() + SPARE {
            self.reduce();
        }
        Ok(())
    }

    /// Reduces the pairs to their forest, in order.
    fn reduce(&mut self) {
        let mut numbers: Vec<u32> = (0..self.ids.len() as u32).collect();
        numbers.sort_unstable_by(|&a, &b| self.ids.compare(a, b));
        let mut rank = vec![0; numbers.len()];
        for (at, &number) in numbers.iter().enumerate() {
            rank[number as usize] = at as u32;
        }
        for pair in &mut self.pairs {
            let (a, b) = (rank[pair.0 as usize], rank[pair.1 as usize]);
            *pair = (a.max(b), a.min(b));
        }
        retain_spanning(&mut self.pairs, numbers.len() as u32);
        for pair in &mut self.pairs {
            *pair = (numbers[pair.1 as usize], numbers[pair.0 as usize]);
        }
    }

    /// The columns of the forest.
    fn forest(&mut self) -> Result<(ArrayRef, ArrayRef)> {
        self.reduce();
        let a = self.ids.take(self.pairs.iter().map(|pair| pair.0))?;
        let b = self.ids.take(self.pairs.iter().map(|pair| pair.1))?;
        Ok((a, b))
    }
}

impl Accumulator for Pairs {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(&values[0], &values[1])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.add(&flattened(&states[0])?, &flattened(&states[1])?)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let (a, b) = self.forest()?;
        Ok(vec![list(a)?, list(b)?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let (a, b) = self.forest()?;
        rows(vec![("id_a", a), ("id_b", b)])
    }

    /// Bytes held, including the memory of the result: the pairs, the ranks and components of the ids, and two copies
    /// of the ids.
    fn size(&self) -> usize {
        size_of_val(self)
            + 3 * self.ids.memory()
            + self.pairs.capacity() * size_of::<(u32, u32)>()
            + self.ids.len() * 3 * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{AsArray, Int64Array};
    use arrow::compute::cast;
    use arrow::datatypes::Int64Type;

    use super::*;
    use crate::calls::every_encoding;
    use crate::groupings::{aggregate, every_grouping};

    /// A column of the list, as Int64.
    fn column(result: &ScalarValue, index: usize) -> Vec<i64> {
        let ScalarValue::List(list) = result else {
            panic!("not a list: {result}")
        };
        let ids = cast(list.value(0).as_struct().column(index), &DataType::Int64);
        let ids = ids.expect("integers");
        ids.as_primitive::<Int64Type>().values().to_vec()
    }

    fn pairs(result: &ScalarValue) -> Vec<(i64, i64)> {
        let (a, b) = (column(result, 0), column(result, 1));
        a.into_iter().zip(b).collect()
    }

    #[test]
    fn the_first_pairs_that_connect_stay_in_any_grouping() {
        let a = Int64Array::from(vec![
            Some(4),
            Some(1),
            Some(4),
            None,
            Some(2),
            Some(9),
            Some(-7),
            Some(3),
        ]);
        let b = Int64Array::from(vec![
            Some(3),
            Some(2),
            Some(1),
            Some(1),
            Some(3),
            Some(9),
            Some(8),
            None,
        ]);
        // In order: (1, 2), (2, 3), (1, 4); (3, 4) connects what is connected, (-7, 8) stays.
        let expected = [(1, 2), (2, 3), (1, 4), (-7, 8)];
        let columns: [ArrayRef; 2] = [Arc::new(a), Arc::new(b)];
        for data_type in [DataType::Int64, DataType::Int8] {
            let columns = columns
                .clone()
                .map(|of| cast(&of, &data_type).expect("fits"));
            for result in every_grouping(SpanningForest, &columns) {
                assert_eq!(pairs(&result), expected);
                let types = [data_type.clone(), data_type.clone()];
                assert_eq!(result.data_type(), SpanningForest::result_type(&types));
            }
        }
    }

    #[test]
    fn strings_are_ordered_by_their_bytes() {
        let a = every_encoding(&[Some("b"), Some("é"), Some("é"), None]);
        let b = every_encoding(&[Some("é"), Some("Z"), Some("b"), Some("x")]);
        for (a, b) in a.into_iter().zip(b) {
            for result in every_grouping(SpanningForest, &[a.clone(), b.clone()]) {
                let ScalarValue::List(list) = result else {
                    panic!("not a list")
                };
                let rows = list.value(0);
                let text = |index: usize| {
                    let ids = cast(rows.as_struct().column(index), &DataType::Utf8);
                    let ids = ids.expect("strings");
                    let ids = ids.as_string::<i32>().iter().flatten();
                    ids.map(str::to_owned).collect::<Vec<_>>()
                };
                assert_eq!(
                    (text(0), text(1)),
                    (vec!["Z".into(), "b".into()], vec!["é".into(), "é".into()])
                );
            }
        }
    }

    #[test]
    fn many_pairs_are_reduced_as_they_come() {
        // Every pair of 300 ids, the last first, in batches that fill the accumulator several times.
        let all: Vec<(i64, i64)> = (0..300).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
        let column = |of: fn(&(i64, i64)) -> i64| -> ArrayRef {
            Arc::new(all.iter().rev().map(of).collect::<Int64Array>())
        };
        let result = aggregate(
            SpanningForest,
            &[column(|pair| pair.0), column(|pair| pair.1)],
        );
        let star: Vec<(i64, i64)> = (1..300).map(|b| (0, b)).collect();
        assert_eq!(pairs(&result), star);
        let mut pairs = SpanningForest::start(&[DataType::Int64]).expect("a start");
        for at in (0..all.len()).step_by(1000) {
            let slice = |array: ArrayRef| array.slice(at, 1000.min(array.len() - at));
            let batch = [slice(column(|pair| pair.0)), slice(column(|pair| pair.1))];
            pairs.update_batch(&batch).expect("pairs");
            assert!(pairs.size() < 200_000, "{}", pairs.size());
        }
    }

    #[test]
    fn no_pairs_give_an_empty_list() {
        let none: ArrayRef = Arc::new(Int64Array::from(vec![None::<i64>]));
        for result in every_grouping(SpanningForest, &[none.clone(), none]) {
            assert_eq!(pairs(&result), []);
        }
    }
}
