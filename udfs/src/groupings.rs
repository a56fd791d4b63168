//! Calls of aggregates in tests, as DataFusion makes them, with rows grouped into partial states in
//! different ways.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::{cast, concat};
use arrow::datatypes::{Field, FieldRef, Schema};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion_expr::type_coercion::functions::fields_with_udf;
use datafusion_expr::{Accumulator, AggregateUDF};

use crate::aggregate::{Aggregate, udaf};

struct Call {
    udaf: AggregateUDF,
    fields: Vec<FieldRef>,
    result: FieldRef,
    columns: Vec<ArrayRef>,
}

impl Call {
    fn plan(function: impl Aggregate, columns: &[ArrayRef]) -> Result<Self> {
        let udaf = udaf(function);
        let field = |array: &ArrayRef| Arc::new(Field::new("arg", array.data_type().clone(), true));
        let fields = fields_with_udf(&columns.iter().map(field).collect::<Vec<_>>(), &udaf)?;
        let types: Vec<_> = fields
            .iter()
            .map(|field| field.data_type().clone())
            .collect();
        let result = Arc::new(Field::new(
            "result",
            udaf.return_type(&types)?,
            udaf.is_nullable(),
        ));
        let columns = columns
            .iter()
            .zip(&types)
            .map(|(column, data_type)| Ok(cast(column, data_type)?))
            .collect::<Result<_>>()?;
        Ok(Self {
            udaf,
            fields,
            result,
            columns,
        })
    }

    fn start(&self) -> Box<dyn Accumulator> {
        let args = AccumulatorArgs {
            return_field: Arc::clone(&self.result),
            schema: &Schema::empty(),
            ignore_nulls: false,
            order_bys: &[],
            is_reversed: false,
            name: "call",
            is_distinct: false,
            exprs: &[],
            expr_fields: &self.fields,
        };
        self.udaf.accumulator(args).expect("an accumulator")
    }

    fn rows(&self) -> usize {
        self.columns[0].len()
    }

    fn slices(&self, start: usize, len: usize) -> Vec<ArrayRef> {
        self.columns
            .iter()
            .map(|column| column.slice(start, len))
            .collect()
    }

    /// The state of some rows, which has the planned types.
    fn state(&self, accumulator: &mut dyn Accumulator) -> Vec<ArrayRef> {
        let args = StateFieldsArgs {
            name: "call",
            input_fields: &self.fields,
            return_field: Arc::clone(&self.result),
            ordering_fields: &[],
            is_distinct: false,
        };
        let fields = self.udaf.state_fields(args).expect("fields");
        let state = accumulator.state().expect("a state");
        assert_eq!(fields.len(), state.len());
        let array = |(value, field): (ScalarValue, &FieldRef)| {
            assert_eq!(value.data_type(), *field.data_type());
            value.to_array().expect("an array")
        };
        state.into_iter().zip(&fields).map(array).collect()
    }

    fn finish(&self, mut accumulator: Box<dyn Accumulator>) -> ScalarValue {
        assert!(accumulator.size() > 0);
        let result = accumulator.evaluate().expect("a result");
        assert_eq!(result.data_type(), *self.result.data_type());
        assert!(self.result.is_nullable() || !result.is_null());
        result
    }
}

/// The result over all rows at once.
pub(crate) fn aggregate(function: impl Aggregate, columns: &[ArrayRef]) -> ScalarValue {
    let call = Call::plan(function, columns).expect("a plan");
    let mut accumulator = call.start();
    accumulator.update_batch(&call.columns).expect("rows");
    call.finish(accumulator)
}

/// The planning error of a call.
pub(crate) fn aggregate_error(function: impl Aggregate, columns: &[ArrayRef]) -> String {
    match Call::plan(function, columns) {
        Ok(call) => panic!("planned {}", call.result),
        Err(error) => error.strip_backtrace(),
    }
}

/// The results of the same rows: at once, row by row, and by partial states that are merged one by
/// one, all in one batch, in reverse, through a second level, and with empty ones between.
pub(crate) fn every_grouping(function: impl Aggregate, columns: &[ArrayRef]) -> Vec<ScalarValue> {
    let call = Call::plan(function, columns).expect("a plan");
    let mut results = Vec::new();

    let mut at_once = call.start();
    at_once.update_batch(&call.columns).expect("rows");
    results.push(call.finish(at_once));

    let mut by_row = call.start();
    for row in 0..call.rows() {
        by_row.update_batch(&call.slices(row, 1)).expect("a row");
    }
    results.push(call.finish(by_row));

    for size in [1, 2, 3, call.rows().max(1)] {
        let mut states: Vec<Vec<ArrayRef>> = (0..call.rows())
            .step_by(size)
            .map(|start| {
                let mut partial = call.start();
                let len = size.min(call.rows() - start);
                partial
                    .update_batch(&call.slices(start, len))
                    .expect("rows");
                call.state(partial.as_mut())
            })
            .collect();
        states.push(call.state(call.start().as_mut()));
        for _ in 0..2 {
            let mut one_by_one = call.start();
            let mut through = call.start();
            for state in &states {
                one_by_one.merge_batch(state).expect("a state");
                let mut next = call.start();
                next.merge_batch(&call.state(through.as_mut()))
                    .expect("a state");
                next.merge_batch(state).expect("a state");
                through = next;
            }
            results.push(call.finish(one_by_one));
            results.push(call.finish(through));

            let batch: Vec<ArrayRef> = (0..states[0].len())
                .map(|index| {
                    let arrays: Vec<&dyn Array> =
                        states.iter().map(|state| state[index].as_ref()).collect();
                    concat(&arrays).expect("the same type")
                })
                .collect();
            let mut in_one_batch = call.start();
            in_one_batch.merge_batch(&batch).expect("states");
            results.push(call.finish(in_one_batch));
            states.reverse();
        }
    }
    results
}
