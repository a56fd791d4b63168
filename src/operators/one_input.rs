//! Methods that operators of one input have in common.

/// The methods of `ExecutionPlan` of an operator whose input is the field `$input`, and which has a method `over`: the
/// same operator over another input. `with expressions`: the operator has a method `apply_expressions` of its own.
macro_rules! one_input {
    ($input:ident) => {
        $crate::operators::one_input::one_input!($input with expressions);

        fn apply_expressions(
            &self,
            _: &mut dyn FnMut(
                &Arc<dyn datafusion::physical_expr::PhysicalExpr>,
            ) -> Result<datafusion::common::tree_node::TreeNodeRecursion>,
        ) -> Result<datafusion::common::tree_node::TreeNodeRecursion> {
            Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
        }
    };
    ($input:ident with expressions) => {
        fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
            vec![&self.$input]
        }

        fn replace_children(
            self: Arc<Self>,
            children: Vec<Arc<dyn ExecutionPlan>>,
            _: datafusion::physical_plan::ReplaceChildrenOptions,
        ) -> Result<Arc<dyn ExecutionPlan>> {
            self.over($crate::operators::one_input::only(children)?)
        }

        fn with_new_children(
            self: Arc<Self>,
            children: Vec<Arc<dyn ExecutionPlan>>,
        ) -> Result<Arc<dyn ExecutionPlan>> {
            self.over($crate::operators::one_input::only(children)?)
        }
    };
}
pub(crate) use one_input;

/// The methods of `ExecutionPlan` of an operator of one input whose statistics are those of its input where its method
/// `passes_statistics` says so for a partition or for all, and unknown elsewhere.
macro_rules! input_statistics {
    () => {
        fn child_stats_requests(
            &self,
            partition: Option<usize>,
        ) -> Vec<datafusion::physical_plan::statistics::ChildStats> {
            vec![match self.passes_statistics(partition) {
                true => datafusion::physical_plan::statistics::ChildStats::At(partition),
                false => datafusion::physical_plan::statistics::ChildStats::Skip,
            }]
        }

        fn statistics_from_inputs(
            &self,
            inputs: &[Arc<datafusion::common::Statistics>],
            _: &datafusion::physical_plan::statistics::StatisticsArgs,
        ) -> Result<Arc<datafusion::common::Statistics>> {
            // Those of an input that was not asked are unknown.
            Ok(match inputs {
                [input] => Arc::clone(input),
                _ => Arc::new(datafusion::common::Statistics::new_unknown(&self.schema())),
            })
        }
    };
}
pub(crate) use input_statistics;

use datafusion::common::{Result, internal_datafusion_err};
use datafusion::physical_plan::ExecutionPlan;
use std::sync::Arc;

/// The only input of an operator.
pub(crate) fn only(children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
    let found = children.len();
    let [input] = children
        .try_into()
        .map_err(|_| internal_datafusion_err!("an operator of one input was given {found}"))?;
    Ok(input)
}
