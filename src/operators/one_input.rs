//! Methods that operators of one input have in common.

/// The methods of `ExecutionPlan` of an operator without expressions whose input is the field `$input`, and which has a
/// method `over`: the same operator over another input.
macro_rules! one_input {
    ($input:ident) => {
        fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
            vec![&self.$input]
        }

        fn apply_expressions(
            &self,
            _: &mut dyn FnMut(
                &Arc<dyn datafusion::physical_expr::PhysicalExpr>,
            ) -> Result<datafusion::common::tree_node::TreeNodeRecursion>,
        ) -> Result<datafusion::common::tree_node::TreeNodeRecursion> {
            Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
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
