//! `connected_components(id_a, id_b)`

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::forest::Forest;

use crate::aggregate::{Aggregate, flattened, list, list_of_rows, rows};
use crate::columns::{IdTable, Kind, NO_ID, Parameters};

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Aggregates pairs to the connected components of their graph: a list of (id, cluster_id), one for each id, by ascending id. The cluster_id is the smallest id of the component (integers by value, strings by their bytes). Partial states are spanning forests, with fewer edges than ids, so that partitions and executors reduce their pairs before they are merged.",
    syntax_example = "connected_components(id_a, id_b)",
    sql_example = r#"```sql
> SELECT connected_components(a, b) AS clusters FROM (VALUES (1, 2), (3, 2), (7, 9)) AS pairs (a, b);
+--------------------------------------------------------------------------------------------------------------------------+
| clusters                                                                                                                 |
+--------------------------------------------------------------------------------------------------------------------------+
| [{id: 1, cluster_id: 1}, {id: 2, cluster_id: 1}, {id: 3, cluster_id: 1}, {id: 7, cluster_id: 7}, {id: 9, cluster_id: 7}] |
+--------------------------------------------------------------------------------------------------------------------------+
```"#,
    argument(
        name = "id_a",
        description = "One id of the pair: an integer or a string. Pairs with a NULL id are left out."
    ),
    argument(
        name = "id_b",
        description = "The other id. A pair of an id with itself makes a component of that id, unless other pairs hold it."
    )
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ConnectedComponents;

impl Aggregate for ConnectedComponents {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "connected_components",
        all: &[("id_a", Kind::Id), ("id_b", Kind::Id)],
        required: 2,
    };

    fn result_type(types: &[DataType]) -> DataType {
        list_of_rows(&[("id", types[0].clone()), ("cluster_id", types[0].clone())])
    }

    fn state(types: &[DataType]) -> Vec<(&'static str, DataType)> {
        let ids = DataType::new_list(types[0].clone(), true);
        vec![("id_a", ids.clone()), ("id_b", ids)]
    }

    fn start(types: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Components {
            ids: IdTable::new(&types[0])?,
            forest: Forest::default(),
        }))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[derive(Debug)]
struct Components {
    ids: IdTable,
    /// The components, over the numbers of the ids.
    forest: Forest,
}

impl Components {
    fn join(&mut self, a: &ArrayRef, b: &ArrayRef) -> Result<()> {
        let a_numbers = self.ids.number(a, b.logical_nulls().as_ref())?;
        let b_numbers = self.ids.number(b, a.logical_nulls().as_ref())?;
        while self.forest.len() < self.ids.len() {
            self.forest.push();
        }
        for (a, b) in a_numbers.into_iter().zip(b_numbers) {
            if a != NO_ID {
                self.forest.union(a, b);
            }
        }
        Ok(())
    }
}

impl Accumulator for Components {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.join(&values[0], &values[1])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.join(&flattened(&states[0])?, &flattened(&states[1])?)
    }

    /// The edges of a spanning forest. An id without other ids in its component is an edge to itself.
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let count = self.forest.len() as u32;
        let mut alone = vec![true; count as usize];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for (node, root) in self.forest.spanning_edges() {
            alone[node as usize] = false;
            alone[root as usize] = false;
            edges.push((node, root));
        }
        edges.extend(
            (0..count)
                .filter(|&node| alone[node as usize])
                .map(|node| (node, node)),
        );
        let a = self.ids.take(edges.iter().map(|edge| edge.0))?;
        let b = self.ids.take(edges.iter().map(|edge| edge.1))?;
        Ok(vec![list(a)?, list(b)?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut numbers: Vec<u32> = (0..self.forest.len() as u32).collect();
        numbers.sort_unstable_by(|&a, &b| self.ids.compare(a, b));
        // The first id of a component is its smallest.
        let mut smallest = vec![NO_ID; numbers.len()];
        let clusters: Vec<u32> = numbers
            .iter()
            .map(|&number| {
                let first = &mut smallest[self.forest.find(number) as usize];
                if *first == NO_ID {
                    *first = number;
                }
                *first
            })
            .collect();
        let ids = self.ids.take(numbers.into_iter())?;
        let clusters = self.ids.take(clusters.into_iter())?;
        rows(vec![("id", ids), ("cluster_id", clusters)])
    }

    /// Bytes held, including the memory of the result: the forest, numbers and edges of the ids, and two copies of
    /// the ids.
    fn size(&self) -> usize {
        size_of_val(self)
            + 3 * self.ids.memory()
            + self.forest.memory()
            + self.ids.len() * 4 * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{AsArray, Int64Array, StringArray};
    use arrow::compute::cast;
    use arrow::datatypes::Int64Type;

    use super::*;
    use crate::calls::every_encoding;
    use crate::groupings::{aggregate, aggregate_error, every_grouping};

    fn integers(values: &[Option<i64>]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    /// The list as (id, cluster_id) in Int64.
    fn pairs(result: &ScalarValue) -> Vec<(i64, i64)> {
        let ScalarValue::List(list) = result else {
            panic!("not a list: {result}")
        };
        let rows = list.value(0);
        let rows = rows.as_struct();
        let column = |index: usize| cast(rows.column(index), &DataType::Int64).expect("integers");
        let (ids, clusters) = (column(0), column(1));
        let values = |array: &ArrayRef| array.as_primitive::<Int64Type>().values().to_vec();
        values(&ids).into_iter().zip(values(&clusters)).collect()
    }

    #[test]
    fn integers_of_every_type_and_any_grouping() {
        use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
        let a = [
            Some(5),
            Some(9),
            None,
            Some(2),
            Some(8),
            Some(3),
            Some(6),
            Some(100),
        ];
        let b = [
            Some(2),
            Some(10),
            Some(1),
            Some(9),
            None,
            Some(3),
            Some(6),
            Some(7),
        ];
        let expected = [
            (2, 2),
            (3, 3),
            (5, 2),
            (6, 6),
            (7, 7),
            (9, 2),
            (10, 2),
            (100, 7),
        ];
        for data_type in [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64] {
            let column =
                |values: &[Option<i64>]| cast(&integers(values), &data_type).expect("fits");
            for result in every_grouping(ConnectedComponents, &[column(&a), column(&b)]) {
                assert_eq!(pairs(&result), expected);
                let types = [data_type.clone(), data_type.clone()];
                assert_eq!(result.data_type(), ConnectedComponents::result_type(&types));
            }
        }
    }

    #[test]
    fn strings_of_every_encoding() {
        let a = every_encoding(&[Some("b"), Some("Z"), None, Some("é")]);
        let b = every_encoding(&[Some("a"), Some("é"), Some("x"), Some("é")]);
        for (a, b) in a.into_iter().zip(b) {
            for result in every_grouping(ConnectedComponents, &[a.clone(), b.clone()]) {
                let ScalarValue::List(list) = result else {
                    panic!("not a list")
                };
                let rows = list.value(0);
                let text = |index: usize| {
                    cast(rows.as_struct().column(index), &DataType::Utf8).expect("strings")
                };
                let expected = |values: Vec<&str>| Arc::new(StringArray::from(values)) as ArrayRef;
                assert_eq!(&text(0), &expected(vec!["Z", "a", "b", "é"]));
                assert_eq!(&text(1), &expected(vec!["Z", "a", "a", "Z"]));
            }
        }
    }

    #[test]
    fn types_that_differ_meet_in_a_wider_one() {
        let narrow = cast(&integers(&[Some(1), Some(3)]), &DataType::Int32).expect("fits");
        let wide = integers(&[Some(1 << 40), Some(1)]);
        let result = aggregate(ConnectedComponents, &[narrow, wide]);
        assert_eq!(pairs(&result), [(1, 1), (3, 1), (1 << 40, 1)]);
    }

    #[test]
    fn no_pairs_give_an_empty_list() {
        for values in [&[][..], &[None, None]] {
            let column = integers(values);
            for result in every_grouping(ConnectedComponents, &[column.clone(), column.clone()]) {
                assert_eq!(pairs(&result), []);
            }
        }
    }

    #[test]
    fn a_long_chain_is_one_cluster() {
        let a: ArrayRef = Arc::new((0..100_000).rev().collect::<Int64Array>());
        let b: ArrayRef = Arc::new((1..100_001).rev().collect::<Int64Array>());
        let result = pairs(&aggregate(ConnectedComponents, &[a, b]));
        assert_eq!(result.len(), 100_001);
        assert!(result.iter().all(|(_, cluster)| *cluster == 0));
    }

    #[test]
    fn errors_name_the_argument() {
        let ids = integers(&[Some(1)]);
        let dates = cast(&ids, &DataType::Float64).expect("numbers");
        assert_eq!(
            aggregate_error(ConnectedComponents, &[ids.clone(), dates]),
            "Error during planning: connected_components: id_a must be integers or strings, found Float64"
        );
        assert_eq!(
            aggregate_error(ConnectedComponents, &[ids]),
            "Error during planning: connected_components takes 2 arguments (id_a, id_b), found 1"
        );
    }
}
