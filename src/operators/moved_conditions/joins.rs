//! Conditions of joins on the outer query.

use super::is_moved;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Result, not_impl_err};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, Filter, Join, JoinType, LogicalPlan};
use std::sync::Arc;

/// A join with its conditions on the outer query, and those of filters directly below it, in a filter above it.
pub(super) fn with_filter(mut join: Join) -> Result<Transformed<LogicalPlan>> {
    let is_outer = |(left, right): &(Expr, Expr)| left.contains_outer() || right.contains_outer();
    let is_here =
        join.on.iter().any(is_outer) || join.filter.as_ref().is_some_and(Expr::contains_outer);
    let mut below = Vec::new();
    if matches!(join.join_type, JoinType::Inner | JoinType::Left) {
        join.left = without_moved(join.left, &mut below)?;
    }
    if matches!(join.join_type, JoinType::Inner | JoinType::Right) {
        join.right = without_moved(join.right, &mut below)?;
    }
    if !is_here && below.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Join(join)));
    }
    if is_here && join.join_type != JoinType::Inner {
        return not_impl_err!(
            "a condition of a {} JOIN on the outer query is not supported; the condition may be in WHERE, or the subquery may be joined with the outer query",
            join.join_type.to_string().to_uppercase()
        );
    }
    let (moved, on): (Vec<_>, Vec<_>) = join.on.into_iter().partition(is_outer);
    join.on = on;
    let conditions = join.filter.take().map(split_conjunction_owned);
    let conditions = conditions.unwrap_or_default().into_iter();
    let (outer, others): (Vec<_>, Vec<_>) = conditions.partition(Expr::contains_outer);
    join.filter = conjunction(others);
    let equations = moved.into_iter().map(|(left, right)| left.eq(right));
    let Some(predicate) = conjunction(below.into_iter().chain(equations).chain(outer)) else {
        return Ok(Transformed::no(LogicalPlan::Join(join)));
    };
    let filter = Filter::try_new(predicate, Arc::new(LogicalPlan::Join(join)))?;
    Ok(Transformed::yes(LogicalPlan::Filter(filter)))
}

/// A plan without the conditions on the outer query of a filter, which are added to others.
fn without_moved(plan: Arc<LogicalPlan>, moved: &mut Vec<Expr>) -> Result<Arc<LogicalPlan>> {
    if !is_moved(&plan) {
        return Ok(plan);
    }
    let LogicalPlan::Filter(filter) = Arc::unwrap_or_clone(plan) else {
        return not_impl_err!("a condition on the outer query that is not that of a filter");
    };
    let conditions = split_conjunction_owned(filter.predicate).into_iter();
    let (outer, others): (Vec<_>, Vec<_>) = conditions.partition(Expr::contains_outer);
    moved.extend(outer);
    Ok(match conjunction(others) {
        Some(predicate) => {
            let filter = Filter::try_new(predicate, filter.input)?;
            Arc::new(LogicalPlan::Filter(filter))
        }
        None => filter.input,
    })
}
