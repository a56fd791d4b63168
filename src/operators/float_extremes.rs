//! `min` and `max` of floating-point numbers for each group.
//!
//! The engine (DataFusion 55) begins the minimum of a group with the largest finite number and the maximum with the
//! smallest, so that infinite values are lost, and orders NaN by chance. Here values are in the order of `ORDER BY`:
//! NaN is greater than all others. Other types, and queries without groups, are computed by the engine.

use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, DataType, Float16Type, Float32Type, Float64Type,
};
use datafusion::common::{Result, ScalarValue};
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, ReversedUDAF,
    SetMonotonicity, Signature, StatisticsArgs,
};
use datafusion_functions_aggregate_common::aggregate::groups_accumulator::prim_op::PrimitiveGroupsAccumulator;
use std::cmp::Ordering;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// `min` and `max`, in place of those of the engine.
pub(crate) fn extremes() -> [Arc<AggregateUDF>; 2] {
    let least = Extreme(Min::new(), Ordering::Less);
    let greatest = Extreme(Max::new(), Ordering::Greater);
    [AggregateUDF::from(least), AggregateUDF::from(greatest)].map(Arc::new)
}

/// The function of the engine, and how a value compares with those that it replaces.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Extreme<F>(F, Ordering);

impl<F> Extreme<F> {
    /// Keeps the extreme value of each group. `order` is that of all values, from `least` to `greatest`.
    fn of_groups<T>(
        &self,
        data_type: &DataType,
        [least, greatest]: [T::Native; 2],
        order: fn(&T::Native, &T::Native) -> Ordering,
    ) -> Box<dyn GroupsAccumulator>
    where
        T: ArrowPrimitiveType + Send,
    {
        let wanted = self.1;
        let first = match wanted {
            Ordering::Less => greatest,
            _ => least,
        };
        let replace = move |current: &mut T::Native, value: T::Native| {
            if order(&value, current) == wanted {
                *current = value;
            }
        };
        let groups = PrimitiveGroupsAccumulator::<T, _>::new(data_type, replace);
        Box::new(groups.with_starting_value(first))
    }
}

impl<F: AggregateUDFImpl + Debug + Eq + Hash> AggregateUDFImpl for Extreme<F> {
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
        self.0.accumulator(args)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.0.create_sliding_accumulator(args)
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.0.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        // The bits of the NaN of either sign that are first and last in the total order of IEEE 754.
        Ok(match args.return_field.data_type() {
            data_type @ DataType::Float16 => {
                type Number = <Float16Type as ArrowPrimitiveType>::Native;
                let bounds = [
                    Number::from_bits(u16::MAX),
                    Number::from_bits(u16::MAX >> 1),
                ];
                self.of_groups::<Float16Type>(data_type, bounds, Number::total_cmp)
            }
            data_type @ DataType::Float32 => {
                let bounds = [f32::from_bits(u32::MAX), f32::from_bits(u32::MAX >> 1)];
                self.of_groups::<Float32Type>(data_type, bounds, f32::total_cmp)
            }
            data_type @ DataType::Float64 => {
                let bounds = [f64::from_bits(u64::MAX), f64::from_bits(u64::MAX >> 1)];
                self.of_groups::<Float64Type>(data_type, bounds, f64::total_cmp)
            }
            _ => self.0.create_groups_accumulator(args)?,
        })
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.0.order_sensitivity()
    }

    fn is_descending(&self) -> Option<bool> {
        self.0.is_descending()
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.0.reverse_expr()
    }

    fn value_from_stats(&self, args: &StatisticsArgs) -> Option<ScalarValue> {
        self.0.value_from_stats(args)
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.0.set_monotonicity(data_type)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }
}
