//! `array_agg` and `string_agg` of values in an order.
//!
//! The engine (DataFusion 55) sorts rows once for all aggregates of a query. Where one has the reverse order of another, it
//! gives it these rows and tells it to return them from last to first. With DISTINCT, both functions sort the values
//! themselves and take no account of that: the values came in the order of the other aggregate. Without, they wrote the
//! values to disk from last to first and read them as from first to last. Here such an aggregate sorts its values, as if
//! the rows were in no order.
//!
//! Two `string_agg` with orders that differ were refused, though each sorts its values.

use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::Result;
use datafusion::functions_aggregate::array_agg::array_agg_udaf;
use datafusion::functions_aggregate::string_agg::string_agg_udaf;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF,
    Signature,
};
use std::sync::Arc;

/// `array_agg` and `string_agg`, in place of those of the engine.
pub(crate) fn ordered_lists() -> [Arc<AggregateUDF>; 2] {
    [array_agg_udaf(), string_agg_udaf()].map(|function| OrderedLists::of(&function))
}

/// The function of the engine.
#[derive(Debug, PartialEq, Eq, Hash)]
struct OrderedLists(AggregateUDF);

impl OrderedLists {
    fn of(function: &AggregateUDF) -> Arc<AggregateUDF> {
        Arc::new(AggregateUDF::from(Self(function.clone())))
    }
}

/// The function for rows that are in order, or whose order is not known. `string_agg` is the same for both.
fn of_rows(function: &AggregateUDF, are_in_order: bool) -> Result<AggregateUDF> {
    let other = function.clone().with_beneficial_ordering(are_in_order)?;
    Ok(other.unwrap_or_else(|| function.clone()))
}

impl AggregateUDFImpl for OrderedLists {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.0.return_type(types)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.0.coerce_types(types)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if !args.is_reversed {
            return self.0.accumulator(args);
        }
        // The keys of the rows are the reverse of those of the values.
        let wanted: Vec<_> = args.order_bys.iter().map(|key| key.reverse()).collect();
        of_rows(&self.0, false)?.accumulator(AccumulatorArgs {
            order_bys: &wanted,
            is_reversed: false,
            ..args
        })
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.0.state_fields(args)
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.0.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        self.0.create_groups_accumulator(args)
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::SoftRequirement
    }

    fn with_beneficial_ordering(
        self: Arc<Self>,
        is_in_order: bool,
    ) -> Result<Option<Arc<dyn AggregateUDFImpl>>> {
        Ok(Some(Arc::new(Self(of_rows(&self.0, is_in_order)?))))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        match self.0.reverse_udf() {
            ReversedUDAF::Reversed(function) => ReversedUDAF::Reversed(Self::of(&function)),
            other => other,
        }
    }

    fn supports_null_handling_clause(&self) -> bool {
        self.0.supports_null_handling_clause()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }
}
