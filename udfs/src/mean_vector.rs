//! `mean_vector(vector)`

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, LargeBinaryArray};
use arrow::datatypes::{ArrowPrimitiveType, DataType, Float32Type, Float64Type};
use datafusion_common::{
    DataFusionError, Result, ScalarValue, exec_datafusion_err, exec_err, internal_err,
};
use datafusion_expr::{Accumulator, Documentation, EmitTo, GroupsAccumulator};
use datafusion_macros::user_doc;
use neardup_kernels::{MeanError, VectorMean, VectorNumber};

use crate::aggregate::Aggregate;
use crate::columns::{Kind, NumberLists, Parameters, Vector, Vectors, is_float32};

#[user_doc(
    doc_section(label = "Near-Duplicate Functions"),
    description = "Returns the mean of vectors, component by component: as Float32 for Float32 numbers, as Float64 for others. The result has the same bits for any order of rows and any number of partitions: numbers are summed as multiples of 2^-64, and the quotient is rounded once. This is exact for Float32 numbers with an absolute value of at least 4.6e-13 and for Float64 numbers of at least 0.00025; smaller ones are rounded by at most 2.8e-20. The absolute value of a sum must be below 9.2e18. Vectors that are NULL are ignored; if there are no others, the mean is NULL. Vectors of different lengths are an error, and so are numbers that are NULL, NaN or infinite.",
    syntax_example = "mean_vector(vector)",
    sql_example = r#"```sql
> SELECT mean_vector(vector) AS mean FROM (VALUES ([1.0, 0.0]), ([2.0, 0.5])) AS vectors (vector);
+-------------+
| mean        |
+-------------+
| [1.5, 0.25] |
+-------------+
```"#,
    argument(
        name = "vector",
        description = "A list of numbers; all have the same length."
    )
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MeanVector;

impl Aggregate for MeanVector {
    const PARAMETERS: &'static Parameters = &Parameters {
        function: "mean_vector",
        all: &[("vector", Kind::Numbers)],
        required: 1,
    };

    const NULLABLE: bool = true;

    fn result_type(types: &[DataType]) -> DataType {
        DataType::new_list(element(types), true)
    }

    fn state(_: &[DataType]) -> Vec<(&'static str, DataType)> {
        vec![("sums", DataType::LargeBinary)]
    }

    fn start(types: &[DataType]) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Mean {
            sums: VectorMean::default(),
            element: element(types),
        }))
    }

    fn start_groups(types: &[DataType]) -> Option<Box<dyn GroupsAccumulator>> {
        Some(Box::new(Means {
            groups: Vec::new(),
            bytes: 0,
            element: element(types),
        }))
    }

    fn user_doc(&self) -> Option<&Documentation> {
        self.doc()
    }
}

/// The type of the numbers of the mean.
fn element(types: &[DataType]) -> DataType {
    match types.first().is_some_and(is_float32) {
        true => DataType::Float32,
        false => DataType::Float64,
    }
}

#[derive(Debug)]
struct Mean {
    sums: VectorMean,
    element: DataType,
}

fn failed(error: MeanError) -> DataFusionError {
    exec_datafusion_err!("mean_vector: {error}")
}

/// Adds the vector of a row, if it has one.
fn add(sums: &mut VectorMean, vector: Option<Result<Vector<'_>, usize>>) -> Result<()> {
    match vector {
        None => Ok(()),
        Some(Ok(Vector::F32(vector))) => sums.add(vector),
        Some(Ok(Vector::F64(vector))) => sums.add(vector),
        Some(Ok(Vector::Sparse(_))) => return internal_err!("mean_vector takes lists of numbers"),
        Some(Err(position)) => {
            return exec_err!(
                "mean_vector: the numbers of a vector must be finite, and number {position} of one is NULL"
            );
        }
    }
    .map_err(failed)
}

fn merge(sums: &mut VectorMean, state: &[u8]) -> Result<()> {
    VectorMean::from_state(state)
        .and_then(|other| sums.merge(&other))
        .map_err(failed)
}

/// The partial state of sums; NULL if no vector was added.
fn state(sums: &VectorMean) -> Option<Vec<u8>> {
    (sums.count() > 0).then(|| sums.to_state())
}

/// The means as a column of lists.
fn means(all: &[VectorMean], element: &DataType) -> Result<ArrayRef> {
    if *element == DataType::Float32 {
        return lists::<Float32Type>(all);
    }
    lists::<Float64Type>(all)
}

fn lists<T: ArrowPrimitiveType<Native: VectorNumber>>(all: &[VectorMean]) -> Result<ArrayRef> {
    let mut lists = NumberLists::<T>::new("mean_vector", all.len());
    for sums in all {
        match sums.count() {
            0 => lists.push_null()?,
            _ => {
                lists.push(|numbers| sums.mean_into(numbers))?;
            }
        }
    }
    Ok(lists.finish())
}

impl Accumulator for Mean {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let vectors = Vectors::new("mean_vector", "vector", Arc::clone(&values[0]), false)?;
        (0..values[0].len()).try_for_each(|row| add(&mut self.sums, vectors.unchecked(row)))
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let mut states = states[0].as_binary::<i64>().iter().flatten();
        states.try_for_each(|state| merge(&mut self.sums, state))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::LargeBinary(state(&self.sums))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mean = means(std::slice::from_ref(&self.sums), &self.element)?;
        ScalarValue::try_from_array(&mean, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.sums.size()
    }
}

/// The sums of many groups.
#[derive(Debug)]
struct Means {
    groups: Vec<VectorMean>,
    /// Bytes held by the sums.
    bytes: usize,
    element: DataType,
}

impl Means {
    /// Calls `change` with each row and the sums of its group.
    fn for_each(
        &mut self,
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
        mut change: impl FnMut(usize, &mut VectorMean) -> Result<()>,
    ) -> Result<()> {
        self.groups.resize_with(total, VectorMean::default);
        for (row, &group) in groups.iter().enumerate() {
            if filter.is_some_and(|filter| filter.is_null(row) || !filter.value(row)) {
                continue;
            }
            let sums = &mut self.groups[group];
            self.bytes -= sums.size();
            change(row, sums)?;
            self.bytes += sums.size();
        }
        Ok(())
    }

    fn take(&mut self, emit: EmitTo) -> Vec<VectorMean> {
        let taken = emit.take_needed(&mut self.groups);
        self.bytes -= taken.iter().map(VectorMean::size).sum::<usize>();
        taken
    }
}

impl GroupsAccumulator for Means {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        let vectors = Vectors::new("mean_vector", "vector", Arc::clone(&values[0]), false)?;
        self.for_each(groups, filter, total, |row, sums| {
            add(sums, vectors.unchecked(row))
        })
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        let states = states[0].as_binary::<i64>();
        self.for_each(groups, None, total, |row, sums| {
            match states.is_valid(row) {
                true => merge(sums, states.value(row)),
                false => Ok(()),
            }
        })
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let rows = values[0].len();
        let mut each = Self {
            groups: Vec::new(),
            bytes: 0,
            element: self.element.clone(),
        };
        each.update_batch(values, &(0..rows).collect::<Vec<_>>(), filter, rows)?;
        each.state(EmitTo::All)
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        let taken = self.take(emit);
        Ok(vec![Arc::new(LargeBinaryArray::from_iter(
            taken.iter().map(state),
        ))])
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let taken = self.take(emit);
        means(&taken, &self.element)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.groups.capacity() * size_of::<VectorMean>() + self.bytes
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{ListArray, StringArray};
    use arrow::compute::cast;
    use arrow::datatypes::{Field, Int16Type, UInt64Type};

    use super::*;
    use crate::groupings::{aggregate, aggregate_error, every_grouping};

    type Row<'a, T> = Option<&'a [T]>;

    fn vectors<T: ArrowPrimitiveType>(rows: &[Row<'_, T::Native>]) -> ArrayRef {
        let row = |row: &Row<'_, T::Native>| row.map(|row| row.iter().copied().map(Some).collect());
        let rows: Vec<Option<Vec<_>>> = rows.iter().map(row).collect();
        Arc::new(ListArray::from_iter_primitive::<T, _, _>(rows))
    }

    fn mean<T: ArrowPrimitiveType>(result: &ScalarValue) -> Option<Vec<T::Native>> {
        let ScalarValue::List(list) = result else {
            panic!("not a list: {result}");
        };
        list.is_valid(0)
            .then(|| list.value(0).as_primitive::<T>().values().to_vec())
    }

    /// The message of running, rather than planning.
    fn failure(column: &ArrayRef) -> String {
        let types = [column.data_type().clone()];
        let mut accumulator = MeanVector::start(&types).expect("an accumulator");
        match accumulator.update_batch(&[Arc::clone(column)]) {
            Ok(()) => panic!("no error"),
            Err(error) => error.strip_backtrace(),
        }
    }

    #[test]
    fn any_grouping_gives_the_same_mean() {
        let rows: [Row<'_, f32>; 7] = [
            Some(&[9.0, 9.0]),
            Some(&[0.1, 1e9]),
            None,
            Some(&[0.7, -1e9]),
            Some(&[1e-9, 0.3]),
            Some(&[-0.7, 1.0]),
            None,
        ];
        let column = vectors::<Float32Type>(&rows);
        let expected = [(0.1_f32 + 1e-9) / 4.0, 1.3 / 4.0];
        let item = Arc::new(Field::new_list_field(DataType::Float32, true));
        for data_type in [
            column.data_type().clone(),
            DataType::LargeList(Arc::clone(&item)),
            DataType::FixedSizeList(item, 2),
        ] {
            let column = cast(&column, &data_type).expect("lists").slice(1, 6);
            let results = every_grouping(MeanVector, &[column]);
            for result in &results {
                let found = mean::<Float32Type>(result).expect("a mean");
                assert_eq!(result, &results[0]);
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-8, "{found} {expected}");
                }
            }
        }
    }

    /// Two groups at once, in two partial states, with a filter, and emitted in two parts.
    #[test]
    fn many_groups_are_summed_at_once() {
        let rows: [Row<'_, f32>; 5] = [
            Some(&[1.0, 2.0]),
            Some(&[4.0, 8.0]),
            Some(&[100.0, 100.0]),
            None,
            Some(&[2.0, 0.5]),
        ];
        let input = vectors::<Float32Type>(&rows);
        let types = [input.data_type().clone()];
        let start = || MeanVector::start_groups(&types).expect("groups");
        let keep = BooleanArray::from(vec![
            Some(true),
            Some(true),
            Some(false),
            Some(true),
            Some(true),
        ]);
        let mut total = start();
        for (from, length, groups) in [(0, 2, vec![0, 1]), (2, 3, vec![1, 2, 1])] {
            let mut partial = start();
            let empty = partial.size();
            let filter = keep.slice(from, length);
            let count = groups.iter().max().map_or(0, |max| max + 1);
            partial
                .update_batch(&[input.slice(from, length)], &groups, Some(&filter), count)
                .expect("rows");
            assert!(partial.size() >= empty + 2 * 16);
            let states = partial.state(EmitTo::All).expect("states");
            assert_eq!(states[0].len(), count);
            let all: Vec<usize> = (0..count).collect();
            total
                .merge_batch(&states, &all, count.max(2))
                .expect("states");
        }
        let each = start()
            .convert_to_state(&[Arc::clone(&input)], Some(&keep))
            .expect("states");
        let mut again = start();
        again
            .merge_batch(&each, &[0, 1, 2, 1, 1], 3)
            .expect("states");
        let again = again.evaluate(EmitTo::All).expect("means");
        let expected: [Row<'_, f32>; 3] = [Some(&[1.0, 2.0]), Some(&[3.0, 4.25]), None];
        assert_eq!(&again, &vectors::<Float32Type>(&expected));
        let first = total.evaluate(EmitTo::First(1)).expect("a mean");
        let rest = total.evaluate(EmitTo::All).expect("means");
        assert_eq!(&first, &vectors::<Float32Type>(&[Some(&[1.0, 2.0])]));
        assert_eq!(&rest, &vectors::<Float32Type>(&[Some(&[3.0, 4.25]), None]));
    }

    #[test]
    fn doubles_and_whole_numbers_have_a_double_mean() {
        let doubles = vectors::<Float64Type>(&[Some(&[0.1, 2.0]), Some(&[0.3, 4.0])]);
        let found = mean::<Float64Type>(&aggregate(MeanVector, &[doubles]));
        assert_eq!(found, Some(vec![0.2, 3.0]));
        let short = vectors::<Int16Type>(&[Some(&[1, 2]), Some(&[2, -4])]);
        let long = vectors::<UInt64Type>(&[Some(&[1, 0]), Some(&[2, 0])]);
        for (column, expected) in [(short, [1.5, -1.0]), (long, [1.5, 0.0])] {
            let found = mean::<Float64Type>(&aggregate(MeanVector, &[column]));
            assert_eq!(found, Some(expected.to_vec()));
        }
    }

    #[test]
    fn without_vectors_the_mean_is_null() {
        let column = vectors::<Float32Type>(&[None, None]);
        for column in [column.slice(0, 0), column] {
            for result in every_grouping(MeanVector, &[column]) {
                assert!(result.is_null());
            }
        }
        let empty = vectors::<Float32Type>(&[Some(&[])]);
        for result in every_grouping(MeanVector, &[empty]) {
            assert_eq!(mean::<Float32Type>(&result), Some(vec![]));
        }
    }

    #[test]
    fn errors_name_the_rule() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        assert_eq!(
            aggregate_error(MeanVector, &[text]),
            "Error during planning: mean_vector: vector must be a list of numbers, found Utf8"
        );
        assert_eq!(
            failure(&vectors::<Float32Type>(&[
                Some(&[1.0, 2.0]),
                None,
                Some(&[1.0])
            ])),
            "Execution error: mean_vector: vectors must have the same length, found 1 and 2"
        );
        assert_eq!(
            failure(&vectors::<Float64Type>(&[Some(&[1.0, f64::NAN])])),
            "Execution error: mean_vector: the numbers of a vector must be finite, and number 2 of one is NaN"
        );
        let holes: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>([
            Some(vec![Some(1.0), Some(1.0)]),
            Some(vec![Some(1.0), None]),
        ]));
        assert_eq!(
            failure(&holes),
            "Execution error: mean_vector: the numbers of a vector must be finite, and number 2 of one is NULL"
        );
    }
}
