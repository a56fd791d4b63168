//! `array_agg`, `string_agg` and `nth_value` of values in an order.
//!
//! The engine (DataFusion 55) sorts rows once for all aggregates of a query. Where one has the reverse order of another, it
//! gives it these rows and tells it to return them from last to first. With DISTINCT, both functions sort the values
//! themselves and take no account of that: the values came in the order of the other aggregate. Without, they wrote the
//! values to disk from last to first and read them as from first to last. Here such an aggregate sorts its values, as if
//! the rows were in no order.
//!
//! `nth_value` of rows that a window had sorted in the reverse order counted from the other end in some partitions only.
//! Its rows are sorted in its own order.
//!
//! Two `string_agg` with orders that differ were refused, though each sorts its values.
//!
//! A window whose rows are sorted in the reverse order is computed from the last row to the first. Lists and texts of the
//! rows of a window were in that order, too, or were refused. [`ListsOfWindows`] has these rows sorted.

use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::functions_aggregate::array_agg::array_agg_udaf;
use datafusion::functions_aggregate::nth_value::nth_value_udaf;
use datafusion::functions_aggregate::string_agg::string_agg_udaf;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, Expr, GroupsAccumulator,
    LogicalPlan, ReversedUDAF, Signature, WindowFunctionDefinition,
};
use datafusion::optimizer::AnalyzerRule;
use std::any::Any;
use std::sync::Arc;

/// `array_agg`, `string_agg` and `nth_value`, in place of those of the engine.
pub(crate) fn ordered_lists() -> [Arc<AggregateUDF>; 3] {
    [
        InOrder::of(&array_agg_udaf(), true),
        InOrder::of(&string_agg_udaf(), true),
        InOrder::of(&nth_value_udaf(), false),
    ]
}

/// An aggregate whose result depends on the order of the rows.
#[derive(Debug, PartialEq, Eq, Hash)]
struct InOrder {
    /// The function of the engine.
    function: AggregateUDF,
    /// Whether the function can sort the values itself.
    sorts: bool,
    /// Whether it is computed for the rows of a window.
    of_window: bool,
}

/// Keeps windows with functions of this module from being computed from the last row to the first.
#[derive(Debug)]
pub(crate) struct ListsOfWindows;

impl AnalyzerRule for ListsOfWindows {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|node| {
            node.map_expressions(|expr| expr.transform_up(|expr| Ok(of_window(expr))))
        });
        plan.data()
    }

    fn name(&self) -> &str {
        "lists_of_windows"
    }
}

fn of_window(mut expr: Expr) -> Transformed<Expr> {
    let Expr::WindowFunction(window) = &mut expr else {
        return Transformed::no(expr);
    };
    let WindowFunctionDefinition::AggregateUDF(function) = &window.fun else {
        return Transformed::no(expr);
    };
    let function: &dyn Any = function.inner().as_ref();
    let Some(in_order) = function
        .downcast_ref::<InOrder>()
        .filter(|it| !it.of_window)
    else {
        return Transformed::no(expr);
    };
    let in_order = InOrder {
        function: in_order.function.clone(),
        sorts: in_order.sorts,
        of_window: true,
    };
    window.fun = WindowFunctionDefinition::AggregateUDF(Arc::new(AggregateUDF::from(in_order)));
    Transformed::yes(expr)
}

impl InOrder {
    fn of(function: &AggregateUDF, sorts: bool) -> Arc<AggregateUDF> {
        Arc::new(AggregateUDF::from(Self {
            function: function.clone(),
            sorts,
            of_window: false,
        }))
    }

    /// The function for rows that are in order, or whose order is not known. That of most functions is the same.
    fn of_rows(&self, are_in_order: bool) -> Result<AggregateUDF> {
        let other = self.function.clone();
        let other = other.with_beneficial_ordering(are_in_order)?;
        Ok(other.unwrap_or_else(|| self.function.clone()))
    }
}

impl AggregateUDFImpl for InOrder {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn signature(&self) -> &Signature {
        self.function.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.function.return_type(types)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.function.coerce_types(types)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if !args.is_reversed {
            return self.function.accumulator(args);
        }
        // The keys of the rows are the reverse of those of the values.
        let wanted: Vec<_> = args.order_bys.iter().map(|key| key.reverse()).collect();
        self.of_rows(false)?.accumulator(AccumulatorArgs {
            order_bys: &wanted,
            is_reversed: false,
            ..args
        })
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.function.state_fields(args)
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.function.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        self.function.create_groups_accumulator(args)
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        match self.sorts {
            true => AggregateOrderSensitivity::SoftRequirement,
            false => self.function.order_sensitivity(),
        }
    }

    fn with_beneficial_ordering(
        self: Arc<Self>,
        is_in_order: bool,
    ) -> Result<Option<Arc<dyn AggregateUDFImpl>>> {
        Ok(Some(Arc::new(Self {
            function: self.of_rows(is_in_order)?,
            ..*self
        })))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        match self.function.reverse_udf() {
            _ if self.of_window => ReversedUDAF::NotSupported,
            ReversedUDAF::Reversed(function) if self.sorts => {
                ReversedUDAF::Reversed(Self::of(&function, true))
            }
            // In its own order, in which the rows are then sorted. Without a reverse, they would not be.
            _ => ReversedUDAF::Identical,
        }
    }

    fn supports_null_handling_clause(&self) -> bool {
        self.function.supports_null_handling_clause()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.function.documentation()
    }
}
