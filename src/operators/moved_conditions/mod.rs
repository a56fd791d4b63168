//! Corrects or refuses subqueries out of which the engine must not move conditions.
//!
//! A condition of a subquery on columns of the outer query becomes one of a join with the outer query. The engine
//! (DataFusion 55) moves it above operators whose rows depend on it. [`MovedConditions`]
//!
//! - moves such conditions of inner joins into a filter above the join, so that all of them are conditions of filters, and
//!   refuses them in outer joins (`joins`);
//! - computes window functions for each value of the columns that are compared with the outer query: as a join, they would
//!   see the rows of all outer rows (`compared`);
//! - computes arguments of aggregates that have subqueries below the aggregation (`arguments`);
//! - writes subqueries that are an aggregation without groups as expressions of scalar subqueries, one for each aggregate.
//!   Such an aggregation has one row also where nothing satisfies the condition, so that `EXISTS (SELECT count(*) …)` is
//!   true. As a join it has none, which the engine considers for a scalar subquery without HAVING only
//!   (`one_row`);
//! - refuses `OFFSET`, and `LIMIT` below other conditions, which are ignored in `EXISTS`, `DISTINCT` in `LATERAL`, which is
//!   computed for all outer rows, and what the others cannot correct.
//!
//! Scalar subqueries that may have no row become columns that may be NULL, which the engine takes from the column alone.

mod arguments;
mod compared;
mod joins;
mod one_row;

use super::own_names::{has_moved, is_moved};
use arguments::with_arguments;
use compared::{Compared, columns, compared_columns, partitioned};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchemaRef, Result, ScalarValue, not_impl_err};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::logical_plan::{Aggregate, SkipType};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    Distinct, Expr, JoinConstraint, LogicalPlan, Operator, Subquery, lit,
};
use datafusion::optimizer::AnalyzerRule;
use joins::with_filter;
use one_row::{OneRow, that_may_be_null};
use std::collections::HashSet;
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
            let node = node.transform_data(|node| {
                let names = NamePreserver::new(&node);
                let inputs: Vec<DFSchemaRef> = node
                    .inputs()
                    .iter()
                    .map(|input| Arc::clone(input.schema()))
                    .collect();
                node.map_expressions(|expr| {
                    let name = names.save(&expr);
                    let expr = expr.transform_up(|expr| corrected(expr, &inputs))?;
                    Ok(expr.update_data(|expr| name.restore(expr)))
                })
            })?;
            node.transform_data(|node| match node {
                LogicalPlan::Join(join) => with_filter(join),
                LogicalPlan::Aggregate(aggregate) => with_arguments(aggregate),
                node => Ok(Transformed::no(node)),
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
    check_merged_names(&subquery)?;
    let subquery = with_partitions(subquery, Place::Lateral)?;
    Ok(subquery.update_data(LogicalPlan::Subquery))
}

/// Refuses columns of the outer query with the name of a column that USING or NATURAL merges in the subquery: the engine
/// takes that name for one of the outer query, and here it is not known whether a table was named.
fn check_merged_names(subquery: &Subquery) -> Result<()> {
    let mut merged = HashSet::new();
    subquery.subquery.apply(|node| {
        if let LogicalPlan::Join(join) = node
            && join.join_constraint == JoinConstraint::Using
        {
            let names = join.on.iter().filter_map(|(left, _)| left.try_as_col());
            merged.extend(names.map(|column| column.name.clone()));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if merged.is_empty() {
        return Ok(());
    }
    subquery.subquery.apply(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| match expr {
                Expr::OuterReferenceColumn(_, column) if merged.contains(&column.name) => {
                    not_impl_err!(
                        "in a subquery with USING ({0}) or NATURAL JOIN, the name {0} may be that of the subquery or {column} of the outer query; write the join with ON, and name the table of each column",
                        column.name
                    )
                }
                _ => Ok(TreeNodeRecursion::Continue),
            })
        })
    })?;
    Ok(())
}

/// An expression whose arguments have no subqueries to correct. `outer` has the columns of the query that it belongs to.
fn corrected(expr: Expr, outer: &[DFSchemaRef]) -> Result<Transformed<Expr>> {
    match &expr {
        Expr::ScalarSubquery(subquery)
        | Expr::Exists(Exists { subquery, .. })
        | Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. }) => check_merged_names(subquery)?,
        _ => {}
    }
    Ok(match expr {
        Expr::ScalarSubquery(subquery) => match OneRow::of(&subquery, outer)? {
            Some(row) if !row.is_engines => Transformed::yes(row.value_or(lit(ScalarValue::Null))?),
            Some(_) => with_partitions(subquery, Place::Scalar)?.update_data(Expr::ScalarSubquery),
            None => with_partitions(subquery, Place::Scalar)?
                .transform_data(that_may_be_null)?
                .update_data(Expr::ScalarSubquery),
        },
        Expr::Exists(Exists { subquery, negated }) => match OneRow::of(&subquery, outer)? {
            Some(row) => {
                let exists = row.condition.map_or(lit(true), Expr::is_true);
                Transformed::yes(if negated { !exists } else { exists })
            }
            None => with_partitions(subquery, Place::Exists)?
                .update_data(|subquery| Expr::Exists(Exists { subquery, negated })),
        },
        Expr::InSubquery(found) => match OneRow::of(&found.subquery, outer)? {
            Some(row) => {
                let is_in = row.compared(*found.expr, Operator::Eq, false)?;
                Transformed::yes(if found.negated { !is_in } else { is_in })
            }
            None => with_partitions(found.subquery, Place::In)?.update_data(|subquery| {
                Expr::InSubquery(InSubquery::new(found.expr, subquery, found.negated))
            }),
        },
        Expr::SetComparison(found) => match OneRow::of(&found.subquery, outer)? {
            Some(row) => {
                let of_none = found.quantifier == SetQuantifier::All;
                Transformed::yes(row.compared(*found.expr, found.op, of_none)?)
            }
            None => {
                let SetComparison {
                    expr,
                    subquery,
                    op,
                    quantifier,
                } = found;
                with_partitions(subquery, Place::Exists)?.update_data(|subquery| {
                    Expr::SetComparison(SetComparison::new(expr, subquery, op, quantifier))
                })
            }
        },
        expr => Transformed::no(expr),
    })
}

fn is_scalar(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarSubquery(_))
}

fn is_subquery(expr: &Expr) -> bool {
    is_scalar(expr)
        || matches!(
            expr,
            Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_)
        )
}

/// The subquery with window functions computed for each value of the columns that are compared with the outer query.
fn with_partitions(mut subquery: Subquery, place: Place) -> Result<Transformed<Subquery>> {
    if !has_moved(&subquery.subquery)? {
        return Ok(Transformed::no(subquery));
    }
    check(&subquery.subquery, place, Above::default())?;
    let plan = Arc::unwrap_or_clone(subquery.subquery);
    let plan = plan.transform_up(|node| match node {
        LogicalPlan::Window(window) if has_moved(&window.input)? => partitioned(window),
        node => Ok(Transformed::no(node)),
    })?;
    subquery.subquery = Arc::new(plan.data);
    Ok(Transformed::new_transformed(subquery, plan.transformed))
}

/// What is above a plan in a subquery.
#[derive(Debug, Clone, Copy, Default)]
struct Above {
    /// Operators that change which rows there are.
    changes_rows: bool,
    /// A column that is computed from no other one.
    has_constant: bool,
}

/// Refuses operators above conditions that the engine moves.
fn check(plan: &LogicalPlan, place: Place, mut above: Above) -> Result<()> {
    if !has_moved(plan)? || is_moved(plan) && !has_moved_below(plan)? {
        return Ok(());
    }
    match plan {
        LogicalPlan::Distinct(Distinct::All(input)) if place == Place::Lateral => {
            let returned = input.schema().columns();
            compared_columns(input, &returned, false, "DISTINCT in LATERAL")?;
        }
        LogicalPlan::Aggregate(Aggregate {
            input,
            aggr_expr,
            group_expr,
            ..
        }) if place == Place::Lateral && aggr_expr.is_empty() => {
            let returned: Vec<Column> = columns(group_expr).collect();
            compared_columns(input, &returned, false, "GROUP BY in LATERAL")?;
        }
        LogicalPlan::Aggregate(aggregate) => check_aggregate(aggregate, above)?,
        LogicalPlan::Limit(limit)
            if place == Place::Exists
                && (above.changes_rows
                    || !matches!(limit.get_skip_type()?, SkipType::Literal(0))) =>
        {
            return not_impl_err!(
                "OFFSET, or LIMIT in a derived table, over rows that a condition on the outer query selects, is not supported in EXISTS, ANY and ALL; compare the number of rows, (SELECT count(*) FROM …) > 2 for OFFSET 2"
            );
        }
        LogicalPlan::Projection(projection) => {
            let mut expressions = projection.expr.iter();
            above.has_constant |= expressions.any(|expr| !expr.any_column_refs());
        }
        _ => {}
    }
    above.changes_rows |= !matches!(
        plan,
        LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Sort(_)
    );
    let mut inputs = plan.inputs().into_iter();
    inputs.try_for_each(|input| check(input, place, above))
}

/// Refuses aggregations that have a row where no row satisfies a moved condition, except as scalar subqueries and in
/// LATERAL, and those whose groups by the compared columns are not those of the outer rows.
fn check_aggregate(aggregate: &Aggregate, above: Above) -> Result<()> {
    if matches!(&aggregate.group_expr[..], [Expr::GroupingSet(_)]) {
        return not_impl_err!(
            "ROLLUP, CUBE and GROUPING SETS are not supported over rows that a condition on the outer query selects; move the condition out of the subquery"
        );
    }
    if aggregate.group_expr.is_empty() && (above.changes_rows || above.has_constant) {
        return not_impl_err!(
            "an aggregate without GROUP BY, over rows that a condition on the outer query selects, is not supported below a constant, HAVING, DISTINCT or further clauses; join the outer query with the rows, and aggregate then"
        );
    }
    aggregate.input.apply(|node| {
        if let LogicalPlan::Filter(filter) = node {
            for condition in split_conjunction(&filter.predicate) {
                if let Some(compared) = Compared::of(condition, filter)?
                    && !compared.is_one_value
                {
                    return not_impl_err!(
                        "an aggregate over rows with {condition} is not supported, because values that differ may be equal to one of the outer query as {} and {}; cast the value of the outer query",
                        compared.types[0],
                        compared.types[1]
                    );
                }
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

fn has_moved_below(plan: &LogicalPlan) -> Result<bool> {
    let inputs: Result<Vec<_>> = plan.inputs().into_iter().map(has_moved).collect();
    Ok(inputs?.contains(&true))
}
