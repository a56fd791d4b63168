//! `representatives(id_a, id_b, similarity[, order_a, order_b])`

use arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Float64Type};
use datafusion_common::{Result, ScalarValue, exec_err, plan_err};
use datafusion_expr::{Accumulator, Documentation};
use datafusion_macros::user_doc;
use neardup_kernels::representatives::{Edge, representatives};

use std::cmp::Ordering;
use std::sync::Arc;

use crate::aggregate::{Aggregate, flattened, list, list_of_rows, rows};
use crate::columns::{IdTable, Kind, NO_ID, Parameters};

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Aggregates similar pairs to a list of (id, representative_id, similarity), one for each id, by ascending id. In keep order, an id that is similar to one already kept is removed, every other one is kept. A kept id represents itself, with similarity NULL; a removed one is represented by the most similar kept id it is paired with, the first in keep order among equals. Pairs may repeat and go either way round.",
    syntax_example = "representatives(id_a, id_b, similarity[, order_a, order_b])",
    sql_example = r#"```sql
> SELECT representatives(a, b, s) AS kept FROM (VALUES (1, 2, 0.9), (2, 3, 0.8)) AS pairs (a, b, s);
+--------------------------------------------------------------------------------------------------------------------------------------------+
| kept                                                                                                                                       |
+--------------------------------------------------------------------------------------------------------------------------------------------+
| [{id: 1, representative_id: 1, similarity: }, {id: 2, representative_id: 1, similarity: 0.9}, {id: 3, representative_id: 3, similarity: }] |
+--------------------------------------------------------------------------------------------------------------------------------------------+
```"#,
    argument(
        name = "id_a",
        description = "One id of the pair: an integer or a string. Pairs with a NULL id are left out."
    ),
    argument(
        name = "id_b",
        description = "The other id. A pair of an id with itself only adds the id to the result."
    ),
    argument(
        name = "similarity",
        description = "The similarity of the pair; NULL and NaN rank below every number."
    ),
    argument(
        name = "order_a",
        description = "The sort key of id_a in keep order: an integer or a string, smallest first, NULL last, ties by id. If an id has several keys, the first one in this order counts. Without it, keep order is the order of the ids."
    ),
    argument(name = "order_b", description = "The same for id_b.")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Representatives;

impl Aggregate for Representatives {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "representatives",
        all: &[
            ("id_a", Kind::Id),
            ("id_b", Kind::Id),
            ("similarity", Kind::Number),
            ("order_a", Kind::Id),
            ("order_b", Kind::Id),
        ],
        required: 3,
    };

    fn check(types: &[DataType]) -> Result<()> {
        match types.len() {
            4 => plan_err!("representatives: order_a is given without order_b"),
            _ => Ok(()),
        }
    }

    fn result_type(types: &[DataType]) -> DataType {
        let id = &types[0];
        list_of_rows(&[
            ("id", id.clone()),
            ("representative_id", id.clone()),
            ("similarity", DataType::Float64),
        ])
    }

    fn state(types: &[DataType]) -> Vec<(&'static str, DataType)> {
        let names = ["id_a", "id_b", "similarity", "order_a", "order_b"];
        let lists = types
            .iter()
            .map(|data_type| DataType::new_list(data_type.clone(), true));
        names.into_iter().zip(lists).collect()
    }

    fn start(types: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Edges {
            ids: IdTable::new(&types[0])?,
            edges: Vec::new(),
            order: types.get(3).map(Order::new).transpose()?,
        }))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

#[derive(Debug)]
struct Edges {
    ids: IdTable,
    /// The pairs, as numbers of ids.
    edges: Vec<Edge>,
    order: Option<Order>,
}

/// The keep order of the ids, given by an order key for each.
#[derive(Debug)]
struct Order {
    /// The distinct order keys.
    keys: IdTable,
    /// For each id the number of its order key; [`NO_ID`] for NULL.
    of: Vec<u32>,
}

impl Order {
    fn new(data_type: &DataType) -> Result<Self> {
        Ok(Self {
            keys: IdTable::new(data_type)?,
            of: Vec::new(),
        })
    }

    fn compare(&self, a: u32, b: u32) -> Ordering {
        match (a, b) {
            (NO_ID, NO_ID) => Ordering::Equal,
            (NO_ID, _) => Ordering::Greater,
            (_, NO_ID) => Ordering::Less,
            _ => self.keys.compare(a, b),
        }
    }

    fn set(&mut self, id: u32, key: u32) {
        if self.of.len() <= id as usize {
            self.of.resize(id as usize + 1, NO_ID);
        }
        if self.compare(key, self.of[id as usize]) == Ordering::Less {
            self.of[id as usize] = key;
        }
    }

    fn get(&self, id: u32) -> u32 {
        self.of.get(id as usize).copied().unwrap_or(NO_ID)
    }
}

impl Edges {
    fn add(&mut self, columns: &[ArrayRef]) -> Result<()> {
        let (a, b) = (&columns[0], &columns[1]);
        let nulls = NullBuffer::union(a.logical_nulls().as_ref(), b.logical_nulls().as_ref());
        let a = self.ids.number(a, nulls.as_ref())?;
        let b = self.ids.number(b, nulls.as_ref())?;
        if self.edges.len() + a.len() > u32::MAX as usize {
            return exec_err!("representatives: more than {} pairs", u32::MAX);
        }
        if let Some(order) = &mut self.order {
            for (ids, keys) in [(&a, &columns[3]), (&b, &columns[4])] {
                let keys = order.keys.number(keys, nulls.as_ref())?;
                for (&id, key) in ids.iter().zip(keys).filter(|(id, _)| **id != NO_ID) {
                    order.set(id, key);
                }
            }
        }
        let similarities = columns[2].as_primitive::<Float64Type>();
        for (row, (a, b)) in a
            .into_iter()
            .zip(b)
            .enumerate()
            .filter(|(_, (a, _))| *a != NO_ID)
        {
            let similarity = if similarities.is_valid(row) {
                similarities.value(row)
            } else {
                f64::NAN
            };
            self.edges.push(Edge { a, b, similarity });
        }
        Ok(())
    }

    /// The ids in keep order.
    fn keep_order(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.ids.len() as u32).collect();
        numbers.sort_unstable_by(|&a, &b| {
            let by_order = self.order.as_ref().map(|o| o.compare(o.get(a), o.get(b)));
            by_order
                .unwrap_or(Ordering::Equal)
                .then_with(|| self.ids.compare(a, b))
        });
        numbers
    }
}

/// A column of similarities, with NULL for unknown ones (NaN).
fn similarities(values: impl Iterator<Item = f64>) -> ArrayRef {
    let known = values.map(|value| (!value.is_nan()).then_some(value));
    Arc::new(known.collect::<Float64Array>())
}

impl Accumulator for Edges {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.add(&states.iter().map(flattened).collect::<Result<Vec<_>>>()?)
    }

    /// The pairs.
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let a = || self.edges.iter().map(|edge| edge.a);
        let b = || self.edges.iter().map(|edge| edge.b);
        let mut columns = vec![
            self.ids.take(a())?,
            self.ids.take(b())?,
            similarities(self.edges.iter().map(|edge| edge.similarity)),
        ];
        if let Some(order) = &self.order {
            columns.push(order.keys.take(a().map(|id| order.get(id)))?);
            columns.push(order.keys.take(b().map(|id| order.get(id)))?);
        }
        columns.into_iter().map(list).collect()
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        // `keep_order` maps a rank in keep order to the number of an id, `rank` is its inverse.
        let keep_order = self.keep_order();
        let mut rank = vec![0; keep_order.len()];
        for (at, &id) in keep_order.iter().enumerate() {
            rank[id as usize] = at as u32;
        }
        let edges: Vec<Edge> = self
            .edges
            .iter()
            .map(|edge| Edge {
                a: rank[edge.a as usize],
                b: rank[edge.b as usize],
                similarity: edge.similarity,
            })
            .collect();
        let found = representatives(keep_order.len() as u32, &edges);
        let mut ids = keep_order.clone();
        ids.sort_unstable_by(|&a, &b| self.ids.compare(a, b));
        let of = |id: &u32| found[rank[*id as usize] as usize];
        let representative = ids.iter().map(|id| keep_order[of(id).node as usize]);
        rows(vec![
            ("id", self.ids.take(ids.iter().copied())?),
            ("representative_id", self.ids.take(representative)?),
            (
                "similarity",
                similarities(ids.iter().map(|id| of(id).similarity)),
            ),
        ])
    }

    fn size(&self) -> usize {
        let order = self.order.as_ref().map_or(0, |order| {
            order.keys.memory() + order.of.capacity() * size_of::<u32>()
        });
        // Includes the memory of the result: a copy of the edges, ranks and results of the ids, and two copies of
        // the ids.
        size_of_val(self)
            + 3 * self.ids.memory()
            + (self.edges.capacity() + self.edges.len()) * size_of::<Edge>()
            + self.ids.len() * 8 * size_of::<u32>()
            + order
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int32Array, Int64Array, StringArray};
    use arrow::compute::cast;

    use super::*;
    use crate::calls::every_encoding;
    use crate::groupings::{aggregate, aggregate_error, every_grouping};

    fn ids(values: &[Option<i32>]) -> ArrayRef {
        Arc::new(Int32Array::from(values.to_vec()))
    }

    fn scores(values: &[Option<f64>]) -> ArrayRef {
        Arc::new(Float64Array::from(values.to_vec()))
    }

    type Row = (String, String, Option<f64>);

    fn found(result: &ScalarValue) -> Vec<Row> {
        let ScalarValue::List(list) = result else {
            panic!("not a list: {result}")
        };
        let rows = list.value(0);
        let rows = rows.as_struct();
        let text = |index: usize| cast(rows.column(index), &DataType::Utf8).expect("a string");
        let (id, representative) = (text(0), text(1));
        let (id, representative) = (id.as_string::<i32>(), representative.as_string::<i32>());
        let similarity = rows.column(2).as_primitive::<Float64Type>();
        (0..rows.len())
            .map(|row| {
                let similarity = similarity.is_valid(row).then(|| similarity.value(row));
                (
                    id.value(row).to_owned(),
                    representative.value(row).to_owned(),
                    similarity,
                )
            })
            .collect()
    }

    fn row(id: &str, representative: &str, similarity: Option<f64>) -> Row {
        (id.to_owned(), representative.to_owned(), similarity)
    }

    #[test]
    fn the_smallest_ids_are_kept_in_any_grouping() {
        let a = ids(&[
            Some(2),
            Some(2),
            Some(5),
            None,
            Some(4),
            Some(7),
            Some(9),
            Some(5),
        ]);
        let b = ids(&[
            Some(1),
            Some(3),
            Some(3),
            Some(1),
            Some(3),
            Some(8),
            Some(9),
            Some(1),
        ]);
        let s = scores(&[
            Some(0.8),
            Some(0.9),
            Some(0.7),
            Some(1.0),
            Some(0.6),
            None,
            Some(1.0),
            Some(0.7),
        ]);
        // 1 and 3 are kept; 2 is nearer to 3, 5 as near to both.
        let expected = [
            row("1", "1", None),
            row("2", "3", Some(0.9)),
            row("3", "3", None),
            row("4", "3", Some(0.6)),
            row("5", "1", Some(0.7)),
            row("7", "7", None),
            row("8", "7", None),
            row("9", "9", None),
        ];
        for result in every_grouping(Representatives, &[a.clone(), b.clone(), s.clone()]) {
            assert_eq!(found(&result), expected);
        }
    }

    #[test]
    fn an_order_of_its_own() {
        let a = ids(&[Some(1), Some(2), Some(3), Some(6)]);
        let b = ids(&[Some(2), Some(3), Some(4), Some(5)]);
        let s = scores(&[Some(0.5); 4]);
        // Longest first: 3, 2, 1; 4 has no order and is last; 5 and 6 tie.
        let order_a: ArrayRef = Arc::new(Int64Array::from(vec![
            Some(-1),
            Some(-2),
            Some(-3),
            Some(0),
        ]));
        let order_b: ArrayRef = Arc::new(Int64Array::from(vec![Some(-2), Some(-3), None, Some(0)]));
        let expected = [
            row("1", "1", None),
            row("2", "3", Some(0.5)),
            row("3", "3", None),
            row("4", "3", Some(0.5)),
            row("5", "5", None),
            row("6", "5", Some(0.5)),
        ];
        let columns = [a.clone(), b.clone(), s.clone(), order_a, order_b];
        for result in every_grouping(Representatives, &columns) {
            assert_eq!(found(&result), expected);
        }
        // The same in strings, one of them given twice: the first counts.
        let order_a: ArrayRef = Arc::new(StringArray::from(vec!["c", "b", "a", "x"]));
        let order_b: ArrayRef = Arc::new(StringArray::from(vec![
            Some("zz"),
            Some("a"),
            None,
            Some("x"),
        ]));
        for result in every_grouping(Representatives, &[a, b, s, order_a, order_b]) {
            assert_eq!(found(&result), expected);
        }
    }

    #[test]
    fn strings_of_every_encoding() {
        let a = every_encoding(&[Some("b"), Some("c"), None]);
        let b = every_encoding(&[Some("a"), Some("b"), Some("a")]);
        for (a, b) in a.into_iter().zip(b) {
            let result = aggregate(
                Representatives,
                &[a, b, scores(&[Some(0.9), Some(0.8), None])],
            );
            let expected = [
                row("a", "a", None),
                row("b", "a", Some(0.9)),
                row("c", "c", None),
            ];
            assert_eq!(found(&result), expected);
        }
    }

    #[test]
    fn no_pairs_and_other_numbers() {
        let none = ids(&[]);
        let result = aggregate(Representatives, &[none.clone(), none, scores(&[])]);
        assert_eq!(found(&result), []);
        let ones: ArrayRef = Arc::new(Int32Array::from(vec![1]));
        let result = aggregate(Representatives, &[ids(&[Some(2)]), ids(&[Some(1)]), ones]);
        assert_eq!(
            found(&result),
            [row("1", "1", None), row("2", "1", Some(1.0))]
        );
    }

    #[test]
    fn errors_name_the_argument() {
        let one = ids(&[Some(1)]);
        let columns = [one.clone(), one.clone(), scores(&[None]), one.clone()];
        assert_eq!(
            aggregate_error(Representatives, &columns),
            "Error during planning: representatives: order_a is given without order_b"
        );
        let text: ArrayRef = Arc::new(StringArray::from(vec!["0.5"]));
        assert_eq!(
            aggregate_error(Representatives, &[one.clone(), one, text]),
            "Error during planning: representatives: similarity must be a number, found Utf8"
        );
    }
}
