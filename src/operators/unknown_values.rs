//! Prevents the engine from relying on constants and orders that the rows of joins, unions and grouping sets do not have.
//!
//! The engine (DataFusion 55) omits columns that it knows to be constant from a sort, and groups sorted rows as they come.
//! It also takes more rows for sorted than are. This is wrong in four cases:
//!
//! - It keeps what it knows about the columns of both inputs of an outer join: that a column is a constant, as in
//!   `SELECT 'a' AS source` or below `WHERE id = 3`, or equals another one. But rows without a partner have NULL in the
//!   columns of the other input. A sort by such a column would be left out, and a LIMIT, a window or the order of the
//!   result would be wrong.
//! - Each input of a union may have a constant of its own: `SELECT 1 AS source, id … UNION ALL SELECT 2, id …`. Below
//!   `ORDER BY source, id LIMIT 10`, the partitions are sorted by `id` alone, and share a filter that leaves out what no
//!   longer belongs to the first ten rows. The filter then compares ids of different sources, and leaves out rows that do.
//! - The rows of a join are said to be in the order of one input, then in that of the other one. But of several rows of the
//!   first that are equal in their order, each has the rows of the other in order: `1 2 1 2`.
//! - Several grouping sets of sorted rows are not sorted: each row is in a group of each set. Groups were returned several
//!   times.
//!
//! [`UnknownValues`] places [`UnknownValuesExec`] above these joins and unions, and below grouping sets, which returns their
//! rows and promises nothing about their values or their order: a sort that is wanted must stay above it. The engine moves
//! no projection below it, either. Where the rows of grouping sets are sorted for an aggregate, [`UnsortedGroupingSets`]
//! hides from the groups by what.

use crate::operators::comparisons::with_same_names;
use crate::operators::one_input::{input_statistics, one_input};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DataFusionError, JoinType, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::functions::core::expr_fn::greatest;
use datafusion::functions::core::greatest::GreatestFunc;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    PlanProperties, ReplaceChildrenOptions,
};
use std::sync::Arc;

/// Places [`UnknownValuesExec`] above joins and unions, and below grouping sets. It must run before sorts that are not
/// needed are removed.
#[derive(Debug)]
pub(crate) struct UnknownValues {
    /// Whether it places one above each operator whose rows have known values. The engine refuses some plans because its
    /// rules disagree on constants.
    pub(crate) everywhere: bool,
}

impl UnknownValues {
    /// Whether the engine refused a plan of its own, because rows lack the order or the partitions that an operator needs.
    pub(crate) fn may_be_cause(error: &DataFusionError) -> bool {
        let text = error.to_string();
        text.contains("does not satisfy order requirements")
            || text.contains("can not be interleaved")
    }

    /// The rules of a session with this rule in place of the one of its name.
    pub(crate) fn among(
        self,
        rules: &[Arc<dyn PhysicalOptimizerRule + Send + Sync>],
    ) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
        let own: Arc<dyn PhysicalOptimizerRule + Send + Sync> = Arc::new(self);
        let rules = rules.iter();
        let rules = rules.map(|rule| match rule.name() == own.name() {
            true => Arc::clone(&own),
            false => Arc::clone(rule),
        });
        rules.collect()
    }
}

impl PhysicalOptimizerRule for UnknownValues {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let has_sort = plan.exists(|node| Ok(node.is::<SortExec>()))? || has_window(&plan)?;
        let plan = plan.transform_up(|plan| {
            if let Some(groups) = plan.downcast_ref::<AggregateExec>()
                && groups.group_expr().has_grouping_set()
            {
                if groups.input().is::<UnknownValuesExec>() {
                    return Ok(Transformed::no(plan));
                }
                let input = UnknownValuesExec::new(Arc::clone(groups.input()));
                let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
                return Ok(Transformed::yes(
                    plan.replace_children(vec![Arc::new(input)], options)?,
                ));
            }
            let is_wrong = match has_sort && plan.is::<UnionExec>() {
                true => plan.children().into_iter().any(has_known_values),
                false => (self.everywhere || is_outer(&plan)) && has_known_values(&plan),
            };
            Ok(match is_wrong || has_order_of_both_sides(&plan)? {
                true => Transformed::yes(Arc::new(UnknownValuesExec::new(plan)) as _),
                false => Transformed::no(plan),
            })
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "unknown_values"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Orders the rows of aggregates such as `array_agg(x ORDER BY y)` by `greatest(y)`, of which the engine does not know that
/// it is y, where they are grouped by grouping sets. The groups would be taken for sorted by y. It must run after types were
/// coerced.
#[derive(Debug)]
pub(crate) struct UnsortedGroupingSets;

impl AnalyzerRule for UnsortedGroupingSets {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|node| {
            let LogicalPlan::Aggregate(groups) = &node else {
                return Ok(Transformed::no(node));
            };
            let mut keys = groups.group_expr.iter();
            if !keys.any(|key| matches!(key, Expr::GroupingSet(_))) {
                return Ok(Transformed::no(node));
            }
            with_same_names(node, |expr| {
                expr.transform_up(|expr| Ok(in_unknown_order(expr)))
            })
        });
        plan.data()
    }

    fn name(&self) -> &str {
        "unsorted_grouping_sets"
    }
}

/// An aggregate in the same order, which is not known to be that of a column. An aggregate of distinct values must be
/// ordered by its argument.
fn in_unknown_order(mut expr: Expr) -> Transformed<Expr> {
    let Expr::AggregateFunction(aggregate) = &mut expr else {
        return Transformed::no(expr);
    };
    let params = &mut aggregate.params;
    let mut has_changed = false;
    for key in &mut params.order_by {
        if is_unknown(&key.expr) {
            continue;
        }
        let unknown = greatest(vec![key.expr.clone()]);
        let arguments = params.args.iter_mut();
        for argument in arguments.filter(|argument| params.distinct && **argument == key.expr) {
            *argument = unknown.clone();
        }
        key.expr = unknown;
        has_changed = true;
    }
    Transformed::new_transformed(expr, has_changed)
}

/// Whether a key was changed before: plans for a cluster are analysed twice. `greatest(y)` may be a column by then.
fn is_unknown(key: &Expr) -> bool {
    match key {
        Expr::ScalarFunction(call) => {
            call.func.inner().is::<GreatestFunc>() && call.args.len() == 1
        }
        Expr::Column(column) => column.name.starts_with(CSE_PREFIX),
        _ => false,
    }
}

/// How the names of columns begin that the engine (DataFusion 55) gives to repeated expressions.
const CSE_PREFIX: &str = "__common_expr";

/// Whether columns are constants or equal to others.
fn has_known_values(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let known = plan.properties().equivalence_properties().eq_group();
    !known.is_empty()
}

fn is_outer(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let join_type = if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        *join.join_type()
    } else if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
        join.join_type()
    } else if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
        *join.join_type()
    } else {
        return false;
    };
    matches!(join_type, JoinType::Left | JoinType::Right | JoinType::Full)
}

/// True for joins that say that their rows are in the order of one input, and then of the other one, if both have an order.
/// The inputs of a join by sorting get theirs later: that of the keys, or a longer one that is wanted above the join.
fn has_order_of_both_sides(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
        let join_type = join.join_type();
        return Ok(matches!(
            join_type,
            JoinType::Inner | JoinType::Left | JoinType::Right
        ));
    }
    let Some(join) = plan.downcast_ref::<HashJoinExec>() else {
        return Ok(false);
    };
    let has_order = |side: &Arc<dyn ExecutionPlan>| {
        Ok::<_, DataFusionError>(side.output_ordering().is_some() || has_window(side)?)
    };
    Ok(
        matches!(join.join_type(), JoinType::Inner | JoinType::Right)
            && has_order(join.left())?
            && has_order(join.right())?,
    )
}

/// Whether rows are sorted for a window function.
fn has_window(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    plan.exists(|node| Ok(node.is::<WindowAggExec>() || node.is::<BoundedWindowAggExec>()))
}

/// The properties of a plan without what is known about the values and the order of its columns.
pub(crate) fn without_known_values(plan: &Arc<dyn ExecutionPlan>) -> PlanProperties {
    let nothing = EquivalenceProperties::new(plan.schema());
    PlanProperties::clone(plan.properties()).with_eq_properties(nothing)
}

/// Returns the rows of its input.
#[derive(Debug)]
pub(crate) struct UnknownValuesExec {
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl UnknownValuesExec {
    /// The rows of a join or a union, or of a relation that is grouped.
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>) -> Self {
        Self {
            properties: Arc::new(without_known_values(&input)),
            input,
        }
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(input)))
    }

    fn passes_statistics(&self, _: Option<usize>) -> bool {
        self.input.is::<UnionExec>()
    }
}

impl DisplayAs for UnknownValuesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "UnknownValuesExec")
    }
}

impl ExecutionPlan for UnknownValuesExec {
    fn name(&self) -> &str {
        "UnknownValuesExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    one_input!(input);
    input_statistics!();

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }
}
