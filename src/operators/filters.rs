//! Keeps filters in place where the engine (DataFusion 55) would push them below an operator and change the rows.
//!
//! - A filter without columns of its own, such as `WHERE source = 2` over `SELECT 1 AS source, count(*) …`, is pushed
//!   below an aggregate without GROUP BY, which returns one row even if no row of its input is left. [`AboveTotals`]
//!   puts a limit between the two.
//! - A filter is moved below a projection by the names of its columns. If two have the same name, as after a join whose
//!   sides were exchanged, the filter may reach the wrong side. [`AboveEqualNames`] puts an [`UnknownValuesExec`] between
//!   the two.
//! - A filter that names no column after it was moved, such as `0 = 1`, is moved into rows that are shared with other
//!   parts of the plan, which then lose them, too; and a filter with `random()` is moved below joins, aggregates and
//!   windows, where it then removes rows of their input. [`FiltersInPlace`] leaves both where they are.
//! - [`DuplicatesOutsideSorts`] keeps the columns of a sort.

use super::shared_rows::SharedRows;
use super::unknown_values::UnknownValuesExec;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::utils::{conjunction, split_conjunction};
use datafusion::logical_expr::{Expr, Filter, GroupingSet, Limit, LogicalPlan, lit};
use datafusion::optimizer::eliminate_duplicated_expr::EliminateDuplicatedExpr;
use datafusion::optimizer::push_down_filter::PushDownFilter;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ReplaceChildrenOptions};
use std::collections::HashSet;
use std::sync::Arc;

/// Puts a limit above each aggregate that returns a row over no rows. It must run before filters are moved.
#[derive(Debug)]
pub(crate) struct AboveTotals;

impl OptimizerRule for AboveTotals {
    fn name(&self) -> &str {
        "filters_above_totals"
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let filters = |node: &LogicalPlan| {
            Ok(match node {
                LogicalPlan::Join(join) => join.filter.is_some(),
                node => matches!(node, LogicalPlan::Filter(_)),
            })
        };
        if !plan.exists(filters)? {
            return Ok(Transformed::no(plan));
        }
        plan.transform_up(|node| {
            if matches!(node, LogicalPlan::Limit(_)) {
                return Ok(Transformed::no(node));
            }
            node.map_children(|child| {
                Ok(match returns_total(&child) {
                    true => Transformed::yes(limited(child)),
                    false => Transformed::no(child),
                })
            })
        })
    }
}

/// The methods of an `OptimizerRule` that replaces a rule of the engine: it has the name and the order of that rule.
macro_rules! in_place_of {
    ($name:literal, $rule:expr) => {
        fn name(&self) -> &str {
            $name
        }

        fn apply_order(&self) -> Option<ApplyOrder> {
            $rule.apply_order()
        }

        fn supports_rewrite(&self) -> bool {
            true
        }
    };
}
pub(super) use in_place_of;

/// The engine's rule that leaves out repeated expressions, but for sorts. Of a sort it also leaves out what it takes to
/// depend on another column of the sort: after a join it believes dependencies that no longer hold, and the rows are in a
/// wrong order.
#[derive(Debug)]
pub(crate) struct DuplicatesOutsideSorts;

impl OptimizerRule for DuplicatesOutsideSorts {
    in_place_of!("eliminate_duplicated_expr", EliminateDuplicatedExpr::new());

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        match plan {
            LogicalPlan::Sort(_) => Ok(Transformed::no(plan)),
            plan => EliminateDuplicatedExpr::new().rewrite(plan, config),
        }
    }
}

/// The engine's rule that moves filters, but for those above [`SharedRows`] and the conditions that are volatile.
#[derive(Debug)]
pub(crate) struct FiltersInPlace;

impl OptimizerRule for FiltersInPlace {
    in_place_of!("push_down_filter", PushDownFilter::new());

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        match &plan {
            LogicalPlan::Filter(_) => {}
            LogicalPlan::Join(join) if !is_volatile(join.filter.as_ref()) => {
                return PushDownFilter::new().rewrite(plan, config);
            }
            _ => return Ok(Transformed::no(plan)),
        }
        // Filters on top of each other, as the rule takes them together.
        let mut conditions = vec![];
        let mut filters = 0;
        let mut below = &plan;
        while let LogicalPlan::Filter(filter) = below {
            conditions.splice(0..0, split_conjunction(&filter.predicate));
            filters += 1;
            below = &filter.input;
        }
        let stays = match below {
            LogicalPlan::Join(join) => is_volatile(join.filter.as_ref()),
            below => SharedRows::of(below).is_some(),
        };
        if stays {
            return Ok(Transformed::no(plan));
        }
        let (volatile, others): (Vec<&Expr>, Vec<&Expr>) = conditions
            .into_iter()
            .partition(|condition| condition.is_volatile());
        let all = |conditions: Vec<&Expr>| conjunction(conditions.into_iter().cloned());
        match (all(volatile), all(others)) {
            (None, _) => PushDownFilter::new().rewrite(plan, config),
            (Some(_), None) => Ok(Transformed::no(plan)),
            (Some(volatile), Some(others)) => {
                let LogicalPlan::Filter(top) = &plan else {
                    return Ok(Transformed::no(plan));
                };
                // Two filters, of which the upper one has the volatile conditions, are in place.
                if filters == 2 && top.predicate == volatile {
                    return Ok(Transformed::no(plan));
                }
                let others = Filter::try_new(others, Arc::new(below.clone()))?;
                let others = Arc::new(LogicalPlan::Filter(others));
                let volatile = Filter::try_new(volatile, others)?;
                Ok(Transformed::yes(LogicalPlan::Filter(volatile)))
            }
        }
    }
}

fn is_volatile(condition: Option<&Expr>) -> bool {
    condition.is_some_and(Expr::is_volatile)
}

/// Whether a plan is an aggregate that returns a row of totals, also over no rows.
fn returns_total(plan: &LogicalPlan) -> bool {
    let LogicalPlan::Aggregate(aggregate) = plan else {
        return false;
    };
    match aggregate.group_expr.as_slice() {
        [] => true,
        [Expr::GroupingSet(GroupingSet::GroupingSets(sets))] => sets.iter().any(Vec::is_empty),
        [Expr::GroupingSet(_)] => true,
        _ => false,
    }
}

/// All rows of a plan, below a limit.
fn limited(plan: LogicalPlan) -> LogicalPlan {
    LogicalPlan::Limit(Limit {
        skip: None,
        fetch: Some(Box::new(lit(i64::MAX))),
        input: Arc::new(plan),
    })
}

/// Puts an [`UnknownValuesExec`] above projections of which two columns have the same name. It must run before filters
/// are moved.
#[derive(Debug)]
pub(crate) struct AboveEqualNames;

impl PhysicalOptimizerRule for AboveEqualNames {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = plan.transform_up(|node| {
            let children = node.children();
            if node.is::<UnknownValuesExec>()
                || !children.iter().any(|child| has_equal_names(child))
            {
                return Ok(Transformed::no(node));
            }
            let children = children
                .into_iter()
                .map(|child| match has_equal_names(child) {
                    true => Arc::new(UnknownValuesExec::new(Arc::clone(child))) as _,
                    false => Arc::clone(child),
                });
            let children = children.collect();
            let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            Ok(Transformed::yes(node.replace_children(children, options)?))
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "filters_above_equal_names"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn has_equal_names(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let schema = plan.schema();
    let mut names = HashSet::new();
    plan.is::<ProjectionExec>()
        && !schema
            .fields()
            .iter()
            .all(|field| names.insert(field.name()))
}
