//! Subqueries that have one row at most.

use super::{Place, has_moved, is_scalar, is_subquery, with_partitions};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchemaRef, Result, ScalarValue};
use datafusion::functions::core::expr_fn::nullif;
use datafusion::logical_expr::logical_plan::{FetchType, Limit, SkipType};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Expr, JoinType, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, lit, when,
};
use std::collections::HashMap;
use std::sync::Arc;

/// The row of a subquery that is an aggregation without groups over rows that a condition on the outer query selects.
pub(super) struct OneRow {
    /// The first column.
    value: Expr,
    /// What HAVING and filters above require of the row.
    pub(super) condition: Option<Expr>,
    /// Whether the engine computes a scalar subquery with the value as it is written.
    pub(super) is_engines: bool,
}

impl OneRow {
    pub(super) fn of(subquery: &Subquery, outer: &[DFSchemaRef]) -> Result<Option<Self>> {
        let (mut plan, mut above) = (&*subquery.subquery, Vec::new());
        let aggregate = loop {
            let input = match plan {
                LogicalPlan::Projection(projection) => &projection.input,
                LogicalPlan::SubqueryAlias(alias) => &alias.input,
                LogicalPlan::Filter(filter) => &filter.input,
                LogicalPlan::Limit(limit) if keeps_first(limit)? => &limit.input,
                LogicalPlan::Aggregate(aggregate)
                    if aggregate.group_expr.is_empty() && has_moved(&aggregate.input)? =>
                {
                    break aggregate;
                }
                _ => return Ok(None),
            };
            above.push(plan);
            plan = input;
        };
        let has_condition = above
            .iter()
            .any(|plan| matches!(plan, LogicalPlan::Filter(_)));
        if has_condition && is_volatile(plan)? {
            return Ok(None);
        }
        let input = Arc::new(LogicalPlan::Aggregate(aggregate.clone()));
        let columns = aggregate.schema.columns().into_iter();
        let mut values: Vec<(Column, Expr)> = columns
            .map(|column| {
                let plan = LogicalPlanBuilder::new_from_arc(Arc::clone(&input))
                    .project([Expr::Column(column.clone())])?;
                let subquery = Subquery {
                    subquery: Arc::new(plan.build()?),
                    ..subquery.clone()
                };
                let subquery = with_partitions(subquery, Place::Scalar)?.data;
                Ok((column, Expr::ScalarSubquery(subquery)))
            })
            .collect::<Result<_>>()?;
        let (mut conditions, mut is_engines) = (Vec::new(), true);
        for plan in above.into_iter().rev() {
            let Some(expressions) = written_out(plan, values, outer)? else {
                return Ok(None);
            };
            is_engines &=
                !plan.contains_outer_reference() && !matches!(plan, LogicalPlan::Limit(_));
            values = plan
                .schema()
                .columns()
                .into_iter()
                .zip(expressions.values)
                .collect();
            conditions.extend(expressions.condition);
        }
        let Some((_, value)) = values.into_iter().next() else {
            return Ok(None);
        };
        let condition = conjunction(conditions);
        is_engines &= condition.is_none() && value.exists(|expr| Ok(is_scalar(expr)))?;
        Ok(Some(Self {
            value,
            condition,
            is_engines,
        }))
    }

    /// The value, or another one if the condition is not true.
    pub(super) fn value_or(self, other: Expr) -> Result<Expr> {
        match self.condition {
            Some(condition) => when(condition, self.value).otherwise(other),
            None => Ok(self.value),
        }
    }

    /// The comparison of an expression with the value; `of_none` is the result without a row.
    pub(super) fn compared(
        mut self,
        expr: Expr,
        operator: Operator,
        of_none: bool,
    ) -> Result<Expr> {
        let value = Box::new(self.value);
        self.value = Expr::BinaryExpr(BinaryExpr::new(Box::new(expr), operator, value));
        self.value_or(lit(of_none))
    }
}

/// Whether two computations of a plan may give other rows.
fn is_volatile(plan: &LogicalPlan) -> Result<bool> {
    plan.exists(|node| Ok(node.expressions().iter().any(Expr::is_volatile)))
}

/// Whether a limit of at least one row leaves none out before it.
fn keeps_first(limit: &Limit) -> Result<bool> {
    Ok(matches!(limit.get_skip_type()?, SkipType::Literal(0))
        && matches!(
            limit.get_fetch_type()?,
            FetchType::Literal(None | Some(1..))
        ))
}

/// The columns of a plan as expressions of the values of the columns of its input, and its condition.
struct WrittenOut {
    values: Vec<Expr>,
    condition: Option<Expr>,
}

/// `None` if an expression has a subquery of its own.
fn written_out(
    plan: &LogicalPlan,
    values: Vec<(Column, Expr)>,
    outer: &[DFSchemaRef],
) -> Result<Option<WrittenOut>> {
    let by_column: HashMap<Column, Expr> = values.iter().cloned().collect();
    let inlined = |expr: &Expr| {
        let expr = expr.clone().unalias_nested().data.transform_up(|expr| {
            Ok(match expr {
                Expr::Column(column) => match by_column.get(&column) {
                    Some(value) => Transformed::yes(value.clone()),
                    None => Transformed::no(Expr::Column(column)),
                },
                // A column of the query around the subquery, unless it is of a query around that.
                Expr::OuterReferenceColumn(field, column) => {
                    match outer.iter().any(|schema| schema.has_column(&column)) {
                        true => Transformed::yes(Expr::Column(column)),
                        false => Transformed::no(Expr::OuterReferenceColumn(field, column)),
                    }
                }
                expr => Transformed::no(expr),
            })
        })?;
        Ok(expr.data)
    };
    let mut expressions = plan.expressions().into_iter();
    if expressions.any(|expr| expr.exists(|expr| Ok(is_subquery(expr))).unwrap_or(true)) {
        return Ok(None);
    }
    let condition = match plan {
        LogicalPlan::Filter(filter) => Some(inlined(&filter.predicate)?),
        _ => None,
    };
    let values = match plan {
        LogicalPlan::Projection(projection) => {
            let columns = projection.expr.iter().map(inlined);
            columns.collect::<Result<_>>()?
        }
        _ => values.into_iter().map(|(_, value)| value).collect(),
    };
    Ok(Some(WrittenOut { values, condition }))
}

/// The subquery with a column that may be NULL, as it is without a row.
pub(super) fn that_may_be_null(mut subquery: Subquery) -> Result<Transformed<Subquery>> {
    let plan = &subquery.subquery;
    if has_one_row(plan) {
        return Ok(Transformed::no(subquery));
    }
    let field = plan.schema().field(0);
    let column = Expr::Column(Column::from(plan.schema().qualified_field(0)));
    let value = LogicalPlanBuilder::new_from_arc(Arc::clone(plan));
    let value = if subquery.outer_ref_columns.is_empty() {
        let one_row = LogicalPlanBuilder::empty(true);
        one_row
            .join_on(value.build()?, JoinType::Left, [lit(true)])?
            .project([column])?
    } else if field.is_nullable() || field.data_type().is_nested() {
        return Ok(Transformed::no(subquery));
    } else {
        let value_or_null = nullif(column, lit(ScalarValue::Null));
        value.project([value_or_null.alias("__neardup_value")])?
    };
    subquery.subquery = Arc::new(value.build()?);
    Ok(Transformed::yes(subquery))
}

/// Whether a plan is an aggregation without groups, which has a row for any input.
fn has_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => has_one_row(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => has_one_row(&alias.input),
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        _ => false,
    }
}
