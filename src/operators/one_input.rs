//! Methods that operators and logical nodes of one input have in common.

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

/// The methods of `ExecutionPlan` of an operator of the name `$name` whose result has the rows, the partitions and the
/// order of its input, the field `$input`. The other methods are those of `one_input`.
macro_rules! passes_rows {
    ($input:ident, $name:literal) => {
        fn name(&self) -> &str {
            $name
        }

        fn properties(&self) -> &Arc<datafusion::physical_plan::PlanProperties> {
            self.$input.properties()
        }

        fn maintains_input_order(&self) -> Vec<bool> {
            vec![true]
        }

        $crate::operators::one_input::one_input!($input);
    };
}
pub(crate) use passes_rows;

/// The methods of `UserDefinedLogicalNodeCore` of a node whose input is the field `input`, which has no expressions
/// and reads all columns of the input.
macro_rules! one_input_node {
    () => {
        fn inputs(&self) -> Vec<&datafusion::logical_expr::LogicalPlan> {
            vec![&self.input]
        }

        fn expressions(&self) -> Vec<datafusion::logical_expr::Expr> {
            vec![]
        }

        fn necessary_children_exprs(&self, _: &[usize]) -> Option<Vec<Vec<usize>>> {
            Some(vec![(0..self.input.schema().fields().len()).collect()])
        }
    };
}
pub(crate) use one_input_node;

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
            // The statistics of an input that was not asked are unknown.
            Ok(match inputs {
                [input] => Arc::clone(input),
                _ => Arc::new(datafusion::common::Statistics::new_unknown(&self.schema())),
            })
        }
    };
}
pub(crate) use input_statistics;

use datafusion::common::{Result, internal_datafusion_err};

/// The only input of an operator or a logical node.
pub(crate) fn only<T>(inputs: Vec<T>) -> Result<T> {
    let found = inputs.len();
    let [input]: [T; 1] = inputs
        .try_into()
        .map_err(|_| internal_datafusion_err!("an operator of one input was given {found}"))?;
    Ok(input)
}
