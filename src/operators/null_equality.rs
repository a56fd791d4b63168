//! Keeps joins by `=` and joins by `IS NOT DISTINCT FROM` apart.
//!
//! The engine (DataFusion 55) has one rule for NULL for all keys of a join. It adds equations of a filter to the keys of a
//! join by `IS NOT DISTINCT FROM`, and gives nested inner joins, whose keys it distributes anew, the rule of the outermost
//! one: `a.x = b.x` was true for NULL, or `a.y IS NOT DISTINCT FROM c.y` was not.

use super::filters::in_place_of;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{NullEquality, Result};
use datafusion::logical_expr::{Filter, JoinType, LogicalPlan, lit};
use datafusion::optimizer::eliminate_cross_join::EliminateCrossJoin;
use datafusion::optimizer::extract_equijoin_predicate::ExtractEquijoinPredicate;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use std::sync::Arc;

/// The engine's rule that makes keys of the equations of joins, but of those by `IS NOT DISTINCT FROM`.
#[derive(Debug)]
pub(crate) struct KeysOfOneKind;

impl OptimizerRule for KeysOfOneKind {
    in_place_of!(
        "extract_equijoin_predicate",
        ExtractEquijoinPredicate::new()
    );

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        match rule_for_null(&plan) {
            Some(NullEquality::NullEqualsNull) => Ok(Transformed::no(plan)),
            _ => ExtractEquijoinPredicate::new().rewrite(plan, config),
        }
    }
}

/// The engine's rule that distributes the keys of nested inner joins, but only among joins with one rule for NULL: a filter
/// that is always true is between the others while it runs.
#[derive(Debug)]
pub(crate) struct JoinsOfOneKind;

impl OptimizerRule for JoinsOfOneKind {
    in_place_of!("eliminate_cross_join", EliminateCrossJoin::new());

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let divided = plan.transform_down_with_subqueries(divided)?;
        if !divided.transformed {
            return EliminateCrossJoin::new().rewrite(divided.data, config);
        }
        let rewritten = EliminateCrossJoin::new().rewrite(divided.data, config)?;
        let whole = rewritten
            .data
            .transform_down_with_subqueries(|node| match node {
                LogicalPlan::Filter(filter) if filter.predicate == lit(true) => {
                    let input = Arc::unwrap_or_clone(filter.input);
                    Ok(Transformed::yes(input))
                }
                node => Ok(Transformed::no(node)),
            })?;
        Ok(Transformed::new_transformed(
            whole.data,
            rewritten.transformed,
        ))
    }
}

/// The node, with filters above the inner joins below it that have another rule for NULL.
fn divided(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let rule = match &node {
        LogicalPlan::Filter(filter) if filter.predicate != lit(true) => {
            NullEquality::NullEqualsNothing
        }
        LogicalPlan::Join(join) => join.null_equality,
        _ => return Ok(Transformed::no(node)),
    };
    node.map_children(|input| {
        let is_inner =
            matches!(&input, LogicalPlan::Join(join) if join.join_type == JoinType::Inner);
        if !is_inner || rule_for_null(&input) == Some(rule) {
            return Ok(Transformed::no(input));
        }
        let divider = Filter::try_new(lit(true), Arc::new(input))?;
        Ok(Transformed::yes(LogicalPlan::Filter(divider)))
    })
}

fn rule_for_null(plan: &LogicalPlan) -> Option<NullEquality> {
    match plan {
        LogicalPlan::Join(join) => Some(join.null_equality),
        _ => None,
    }
}
