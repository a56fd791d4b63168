//! Rewrites `x NOT IN (SELECT …)` where the engine (DataFusion 55) ignores NULLs.
//!
//! `x IN (…)` is unknown if no row is equal and x or a row is NULL, and so is its negation, which then selects nothing. The
//! engine considers this only if `NOT IN` is a condition of its own, x is a column, and the subquery names no column of the
//! outer query. With another x it checks whether the columns in it can be NULL, not whether x can.
//! Below OR or NOT it returns rows that SQL leaves out; with a column of the outer query it looks for the NULLs among all
//! rows of the subquery instead of those of the outer row, and leaves out rows that SQL returns. [`UnknownMembers`] writes
//! such conditions out:
//!
//! ```text
//! x NOT IN (SELECT y …)    NOT (x IN (SELECT y …)
//!                               OR x IS NULL AND EXISTS (SELECT y …)
//!                               OR EXISTS (SELECT y … WHERE y IS NULL))
//! ```
//!
//! Within AND, OR and NOT an unknown negation selects as many rows as one that is false. Elsewhere, as in CASE, the two
//! last conditions make NULL. Conditions on columns that are never NULL are left out.

use super::shared_rows::{Purpose, SharedRows};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, ExprSchema, Result, ScalarValue, plan_err};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::expr::InSubquery;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::{conjunction, disjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, Filter, LogicalPlan, LogicalPlanBuilder, Operator, Projection,
    exists, in_subquery, lit, scalar_subquery,
};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Adds the conditions under which `IN (SELECT …)` is NULL. It must run after types are coerced.
#[derive(Debug)]
pub(crate) struct UnknownMembers;

impl AnalyzerRule for UnknownMembers {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|node| {
            Ok(match node {
                LogicalPlan::Filter(filter) if has_in_subquery(&filter.predicate)? => {
                    let predicate = condition(filter.predicate, filter.input.schema())?;
                    let filter = Filter::try_new(predicate, filter.input)?;
                    Transformed::yes(LogicalPlan::Filter(filter))
                }
                LogicalPlan::Join(mut join) => match join.filter.take() {
                    Some(on) if has_in_subquery(&on)? => {
                        let schema = join.left.schema().join(join.right.schema())?;
                        join.filter = Some(condition(on, &schema)?);
                        Transformed::yes(LogicalPlan::Join(join))
                    }
                    on => {
                        join.filter = on;
                        Transformed::no(LogicalPlan::Join(join))
                    }
                },
                LogicalPlan::Projection(projection) => columns(projection)?,
                node => Transformed::no(node),
            })
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "unknown_members"
    }
}

/// A projection with such columns written out: the engine moves conditions on them below the projection.
fn columns(projection: Projection) -> Result<Transformed<LogicalPlan>> {
    let are_some = projection.expr.iter().map(has_in_subquery);
    if !are_some.collect::<Result<Vec<_>>>()?.contains(&true) {
        return Ok(Transformed::no(LogicalPlan::Projection(projection)));
    }
    let schema = projection.input.schema();
    let columns = projection.expr.into_iter().map(|column| {
        let name = NamePreserver::new_for_projection().save(&column);
        Ok(name.restore(written_out(column, schema, RequiredTruth::Each)?))
    });
    let columns = columns.collect::<Result<_>>()?;
    let projection = Projection::try_new(columns, projection.input)?;
    Ok(Transformed::yes(LogicalPlan::Projection(projection)))
}

fn has_in_subquery(expr: &Expr) -> Result<bool> {
    expr.exists(|expr| Ok(matches!(expr, Expr::InSubquery(_))))
}

/// A condition with its parts written out that the engine would not read so.
fn condition(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    let parts = split_conjunction_owned(expr).into_iter();
    let parts = parts.map(|part| match is_engines(&part) {
        true => Ok(part),
        false => written_out(part, schema, RequiredTruth::True),
    });
    let parts: Vec<Expr> = parts.collect::<Result<_>>()?;
    Ok(conjunction(parts).unwrap_or_else(|| lit(true)))
}

/// Whether the engine considers NULLs in a condition of its own.
fn is_engines(condition: &Expr) -> bool {
    match condition {
        Expr::Not(inner) => is_engines(inner),
        Expr::InSubquery(within) => {
            is_column(&within.expr) && within.subquery.outer_ref_columns.is_empty()
        }
        _ => false,
    }
}

/// Whether an expression is NULL where a column is, and only there.
fn is_column(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) => true,
        Expr::Cast(cast) => is_column(&cast.expr),
        _ => false,
    }
}

/// Which value of an expression a filter needs: the filter need not distinguish the two others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequiredTruth {
    True,
    False,
    /// Each of the three values is different.
    Each,
}

impl RequiredTruth {
    fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Each => Self::Each,
        }
    }
}

/// The expression with its conditions on subqueries written out.
fn written_out(expr: Expr, schema: &DFSchema, wanted: RequiredTruth) -> Result<Expr> {
    Ok(match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right })
            if matches!(op, Operator::And | Operator::Or) =>
        {
            let left = written_out(*left, schema, wanted)?;
            let right = written_out(*right, schema, wanted)?;
            Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)))
        }
        Expr::Not(inner) => !written_out(*inner, schema, wanted.negated())?,
        Expr::InSubquery(within) => match (within.negated, wanted) {
            (false, RequiredTruth::True) | (true, RequiredTruth::False) => Expr::InSubquery(within),
            (false, wanted) => member(within, schema, wanted)?,
            (true, wanted) => !member(within, schema, wanted.negated())?,
        },
        other if has_in_subquery(&other)? => {
            let other = other.map_children(|child| {
                written_out(child, schema, RequiredTruth::Each).map(Transformed::yes)
            })?;
            other.data
        }
        other => other,
    })
}

/// `x IN (SELECT …)` with its NULLs: they are true if the filter needs the value false, else NULL.
fn member(within: InSubquery, schema: &DFSchema, wanted: RequiredTruth) -> Result<Expr> {
    let value = *within.expr;
    let rows = LogicalPlan::clone(&within.subquery.subquery);
    let Some(column) = rows.schema().columns().into_iter().next() else {
        return plan_err!("the subquery of IN has no column");
    };
    let column = Expr::Column(column);
    let value_may_be_null = value.nullable(schema).unwrap_or(true);
    let column_may_be_null = column.nullable(rows.schema())?;
    let is_correlated = !within.subquery.outer_ref_columns.is_empty();
    let rows = match is_correlated || !(value_may_be_null || column_may_be_null) {
        true => Rows::OfOuterRow(rows),
        // Read by each of the conditions.
        false => Rows::Shared(SharedRows::plan(rows, Purpose::NotDeterministic)),
    };
    let mut unknown = Vec::new();
    if value_may_be_null {
        unknown.push(value.clone().is_null().and(rows.exist(None)?));
    }
    if column_may_be_null {
        unknown.push(rows.exist(Some(column.clone().is_null()))?);
    }
    let is_equal = match is_correlated {
        true => rows.exist(Some(outer(value, schema)?.eq(column)))?,
        false => rows.contain(value, column)?,
    };
    Ok(match (disjunction(unknown), wanted) {
        (None, _) => is_equal,
        (Some(unknown), RequiredTruth::Each) => {
            is_equal.or(lit(ScalarValue::Boolean(None)).and(unknown))
        }
        (Some(unknown), _) => is_equal.or(unknown),
    })
}

/// The names of the columns of subqueries. The engine confuses a column of a subquery with one of the outer query without
/// a table that has the same name, such as `max(y)`.
const MEMBER: &str = "__neardup_member";
const NUMBER: &str = "__neardup_number";

/// The rows of a subquery.
enum Rows {
    /// The rows for one row of the outer query.
    OfOuterRow(LogicalPlan),
    /// The rows for all rows of the outer query, which are the same.
    Shared(LogicalPlan),
}

impl Rows {
    /// Whether there are rows, or rows of a condition.
    fn exist(&self, condition: Option<Expr>) -> Result<Expr> {
        let (Self::OfOuterRow(rows) | Self::Shared(rows)) = self;
        let mut rows = LogicalPlanBuilder::from(rows.clone());
        if let Some(condition) = condition {
            rows = rows.filter(condition)?;
        }
        Ok(match self {
            Self::OfOuterRow(_) => exists(Arc::new(rows.build()?)),
            // A single value, where EXISTS would compare each row with each.
            Self::Shared(_) => {
                let number =
                    rows.aggregate(Vec::<Expr>::new(), [count(lit(1_i64)).alias(NUMBER)])?;
                scalar_subquery(Arc::new(number.build()?)).gt(lit(0_i64))
            }
        })
    }

    /// Whether a row has the value in its column.
    fn contain(&self, value: Expr, column: Expr) -> Result<Expr> {
        let (Self::OfOuterRow(rows) | Self::Shared(rows)) = self;
        let rows = LogicalPlanBuilder::from(rows.clone()).project([column.alias(MEMBER)])?;
        Ok(in_subquery(value, Arc::new(rows.build()?)))
    }
}

/// An expression over the columns of a query, as its subqueries name them.
fn outer(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    let expr = expr.transform(|expr| match expr {
        Expr::Column(column) => {
            let field = Arc::clone(schema.field_from_column(&column)?);
            Ok(Transformed::yes(Expr::OuterReferenceColumn(field, column)))
        }
        Expr::OuterReferenceColumn(..) => plan_err!(
            "NOT IN with columns of two outer queries is not supported; write NOT EXISTS (SELECT 1 … AND y = x)"
        ),
        other => Ok(Transformed::no(other)),
    })?;
    Ok(expr.data)
}
