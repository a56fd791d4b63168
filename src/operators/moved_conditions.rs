//! Corrects or refuses subqueries out of which the engine must not move conditions.
//!
//! A condition of a subquery on columns of the outer query becomes one of a join with the outer query. The engine
//! (DataFusion 55) moves it above operators whose rows depend on it:
//!
//! - Window functions then see the rows of all outer rows. [`MovedConditions`] computes them for each value of the
//!   columns that are compared with the outer query.
//! - An aggregation without groups has one row also where nothing satisfies the condition, so that `EXISTS (SELECT
//!   count(*) …)` is true; as a join it has none. `EXISTS`, `IN`, `ANY` and `ALL` over it become conditions on a scalar
//!   subquery, in which the engine considers this.
//! - `OFFSET`, and `LIMIT` below other conditions, are ignored in `EXISTS`, and `DISTINCT` is computed for all outer rows
//!   in `LATERAL`. These are refused, as is what the two before cannot correct.

use super::own_names::{has_moved, is_moved};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ExprSchema, Result, not_impl_err};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::logical_plan::{Aggregate, SkipType, Window};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Distinct, Expr, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, lit,
};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Corrects or refuses subqueries with conditions on the outer query below operators that depend on them. It must run
/// before types are coerced.
#[derive(Debug)]
pub(crate) struct MovedConditions;

impl AnalyzerRule for MovedConditions {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|node| {
            let node = match node {
                LogicalPlan::Join(_) | LogicalPlan::SubqueryAlias(_) => {
                    node.map_children(lateral)?
                }
                node => Transformed::no(node),
            };
            node.transform_data(|node| {
                let names = NamePreserver::new(&node);
                node.map_expressions(|expr| {
                    let name = names.save(&expr);
                    let expr = expr.transform_up(corrected)?;
                    Ok(expr.update_data(|expr| name.restore(expr)))
                })
            })
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "moved_conditions"
    }
}

/// Where a subquery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Lateral,
    Scalar,
    /// In EXISTS, and in ANY and ALL, which become EXISTS.
    Exists,
    In,
}

/// A subquery whose rows are joined.
fn lateral(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Subquery(subquery) = plan else {
        return Ok(Transformed::no(plan));
    };
    let subquery = with_partitions(subquery, Place::Lateral)?;
    Ok(subquery.update_data(LogicalPlan::Subquery))
}

/// An expression of a subquery that has no subqueries to correct in it.
fn corrected(expr: Expr) -> Result<Transformed<Expr>> {
    match expr {
        Expr::ScalarSubquery(subquery) => {
            let subquery = with_partitions(subquery, Place::Scalar)?;
            Ok(subquery.update_data(Expr::ScalarSubquery))
        }
        Expr::Exists(Exists { subquery, negated }) => {
            if let Some(has_row) = has_row(&subquery)? {
                let has_row = match negated {
                    true => Expr::Not(Box::new(has_row)),
                    false => has_row,
                };
                return Ok(Transformed::yes(has_row));
            }
            let subquery = with_partitions(subquery, Place::Exists)?;
            Ok(subquery.update_data(|subquery| Expr::Exists(Exists { subquery, negated })))
        }
        Expr::InSubquery(mut found) if has_one_row(&found.subquery) => {
            found.subquery = with_partitions(found.subquery, Place::Scalar)?.data;
            let operator = match found.negated {
                true => Operator::NotEq,
                false => Operator::Eq,
            };
            Ok(Transformed::yes(compared(
                found.expr,
                operator,
                found.subquery,
            )))
        }
        Expr::InSubquery(InSubquery {
            expr,
            subquery,
            negated,
        }) => {
            let subquery = with_partitions(subquery, Place::In)?;
            Ok(subquery
                .update_data(|subquery| Expr::InSubquery(InSubquery::new(expr, subquery, negated))))
        }
        Expr::SetComparison(mut found) if has_one_row(&found.subquery) => {
            found.subquery = with_partitions(found.subquery, Place::Scalar)?.data;
            Ok(Transformed::yes(compared(
                found.expr,
                found.op,
                found.subquery,
            )))
        }
        Expr::SetComparison(SetComparison {
            expr,
            subquery,
            op,
            quantifier,
        }) => {
            let subquery = with_partitions(subquery, Place::Exists)?;
            Ok(subquery.update_data(|subquery| {
                Expr::SetComparison(SetComparison::new(expr, subquery, op, quantifier))
            }))
        }
        expr => Ok(Transformed::no(expr)),
    }
}

fn compared(expr: Box<Expr>, operator: Operator, subquery: Subquery) -> Expr {
    let value = Box::new(Expr::ScalarSubquery(subquery));
    Expr::BinaryExpr(BinaryExpr::new(expr, operator, value))
}

/// The aggregation of which a plan has a row for each of its rows.
fn aggregation(plan: &LogicalPlan) -> Option<&Aggregate> {
    match plan {
        LogicalPlan::Projection(projection) => aggregation(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => aggregation(&alias.input),
        LogicalPlan::Aggregate(aggregate) => Some(aggregate),
        _ => None,
    }
}

/// Whether a subquery with a condition on the outer query is an aggregation without groups.
fn has_one_row(subquery: &Subquery) -> bool {
    aggregation(&subquery.subquery).is_some_and(|aggregate| {
        aggregate.group_expr.is_empty() && has_moved(&aggregate.input).unwrap_or(true)
    })
}

/// Whether a subquery has a row, if that is not a join: if it is an aggregation without groups, with HAVING or without.
fn has_row(subquery: &Subquery) -> Result<Option<Expr>> {
    if has_one_row(subquery) {
        return Ok(Some(lit(true)));
    }
    let mut plan = &*subquery.subquery;
    while let LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) = plan {
        plan = plan.inputs()[0];
    }
    let LogicalPlan::Filter(having) = plan else {
        return Ok(None);
    };
    let of_group = Subquery {
        subquery: Arc::clone(&having.input),
        ..subquery.clone()
    };
    if having.predicate.contains_outer() || !has_one_row(&of_group) {
        return Ok(None);
    }
    let condition = LogicalPlanBuilder::new_from_arc(Arc::clone(&having.input))
        .project([having.predicate.clone().alias("having")])?
        .build()?;
    let subquery = Subquery {
        subquery: Arc::new(condition),
        ..subquery.clone()
    };
    let subquery = with_partitions(subquery, Place::Scalar)?.data;
    Ok(Some(Expr::IsTrue(Box::new(Expr::ScalarSubquery(subquery)))))
}

/// The subquery with window functions computed for each value of the columns that are compared with the outer query.
fn with_partitions(mut subquery: Subquery, place: Place) -> Result<Transformed<Subquery>> {
    if !has_moved(&subquery.subquery)? {
        return Ok(Transformed::no(subquery));
    }
    check(&subquery.subquery, place, true)?;
    let plan = Arc::unwrap_or_clone(subquery.subquery);
    let plan = plan.transform_up(|node| match node {
        LogicalPlan::Window(window) if has_moved(&window.input)? => partitioned(window),
        node => Ok(Transformed::no(node)),
    })?;
    subquery.subquery = Arc::new(plan.data);
    Ok(Transformed::new_transformed(subquery, plan.transformed))
}

/// Refuses operators above conditions that the engine moves. `keeps_all` says whether the result of the subquery has all
/// rows of the plan.
fn check(plan: &LogicalPlan, place: Place, keeps_all: bool) -> Result<()> {
    if !has_moved(plan)? || is_moved(plan) && !has_moved_below(plan)? {
        return Ok(());
    }
    match plan {
        LogicalPlan::Distinct(Distinct::All(input)) if place == Place::Lateral => {
            compared_columns(input, false, "DISTINCT in LATERAL")?;
        }
        LogicalPlan::Aggregate(Aggregate {
            input, aggr_expr, ..
        }) if place == Place::Lateral && aggr_expr.is_empty() => {
            compared_columns(input, false, "GROUP BY without aggregates in LATERAL")?;
        }
        LogicalPlan::Aggregate(aggregate)
            if aggregate.group_expr.is_empty() && matches!(place, Place::Exists | Place::In) =>
        {
            return not_impl_err!(
                "an aggregate without GROUP BY, over rows that a condition on the outer query selects, is not supported below other clauses in EXISTS, IN, ANY and ALL; compare it as (SELECT …) with a value"
            );
        }
        LogicalPlan::Limit(limit)
            if place == Place::Exists
                && (!keeps_all || !matches!(limit.get_skip_type()?, SkipType::Literal(0))) =>
        {
            return not_impl_err!(
                "OFFSET, or LIMIT in a derived table, over rows that a condition on the outer query selects, is not supported in EXISTS; compare their number: (SELECT count(*) …) > 2 in place of OFFSET 2"
            );
        }
        _ => {}
    }
    if let LogicalPlan::Aggregate(aggregate) = plan
        && has_empty_grouping(aggregate)
    {
        return not_impl_err!(
            "ROLLUP, CUBE and the grouping set () are not supported over rows that a condition on the outer query selects; move the condition out of the subquery"
        );
    }
    let keeps_all = keeps_all
        && matches!(
            plan,
            LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Sort(_)
        );
    let mut inputs = plan.inputs().into_iter();
    inputs.try_for_each(|input| check(input, place, keeps_all))
}

fn has_moved_below(plan: &LogicalPlan) -> Result<bool> {
    let inputs: Result<Vec<_>> = plan.inputs().into_iter().map(has_moved).collect();
    Ok(inputs?.contains(&true))
}

/// Whether an aggregation has groups and a row also for no rows.
fn has_empty_grouping(aggregate: &Aggregate) -> bool {
    matches!(&aggregate.group_expr[..], [Expr::GroupingSet(_)])
}

/// The window functions, computed for each value of the columns that are compared with the outer query.
fn partitioned(mut window: Window) -> Result<Transformed<LogicalPlan>> {
    let columns = compared_columns(&window.input, true, "a window function")?;
    let functions = window.window_expr.into_iter().map(|function| {
        let name = function.schema_name().to_string();
        let function = function.transform_up(|expr| {
            let Expr::WindowFunction(mut function) = expr else {
                return Ok(Transformed::no(expr));
            };
            let partition_by = &mut function.params.partition_by;
            partition_by.extend(columns.iter().cloned().map(Expr::Column));
            Ok(Transformed::yes(Expr::WindowFunction(function)))
        })?;
        Ok(function.data.alias(name))
    });
    window.window_expr = functions.collect::<Result<_>>()?;
    let window = Window::try_new(window.window_expr, window.input)?;
    Ok(Transformed::yes(LogicalPlan::Window(window)))
}

/// The columns that moved conditions below compare with the outer query, if each such condition is `column = value of the
/// outer query`, so that the rows of one outer row have the same values in them. `are_returned` asks for columns of the
/// plan.
fn compared_columns(plan: &LogicalPlan, are_returned: bool, above: &str) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    plan.apply(|node| {
        let LogicalPlan::Filter(filter) = node else {
            return Ok(TreeNodeRecursion::Continue);
        };
        let conditions = split_conjunction(&filter.predicate).into_iter();
        for condition in conditions.filter(|condition| condition.contains_outer()) {
            let column = compared_column(condition, filter.input.schema())?;
            match column.filter(|column| !are_returned || plan.schema().has_column(column)) {
                Some(column) => columns.push(column),
                None => {
                    return not_impl_err!(
                        "{above} over rows that a condition on the outer query selects is supported if the condition is column = value of the outer query, of a column that is no floating-point number and is returned there; found {condition}"
                    );
                }
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(columns)
}

fn compared_column(condition: &Expr, schema: &DFSchema) -> Result<Option<Column>> {
    let Expr::BinaryExpr(BinaryExpr {
        left,
        op: Operator::Eq,
        right,
    }) = condition
    else {
        return Ok(None);
    };
    let (column, other) = match (&**left, &**right) {
        (Expr::Column(column), other) | (other, Expr::Column(column)) => (column, other),
        _ => return Ok(None),
    };
    // Two floating-point numbers can be equal and distinct: the two zeros.
    let is_comparable = !other.any_column_refs()
        && column.relation.is_some()
        && !schema.data_type(column)?.is_floating();
    Ok(is_comparable.then(|| column.clone()))
}
