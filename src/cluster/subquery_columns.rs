//! Moves scalar subqueries into projections. The engine turns subqueries in filters and projections into joins, which a
//! cluster runs, but not those in `ORDER BY`, in `ON` and in the arguments of aggregates and windows.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Subquery};
use datafusion::optimizer::AnalyzerRule;

/// Computes the scalar subqueries of sorts, joins, aggregates and windows in a projection of their first input.
#[derive(Debug)]
pub(super) struct SubqueryColumns;

impl AnalyzerRule for SubqueryColumns {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(with_columns)?.data)
    }

    fn name(&self) -> &str {
        "subquery_columns"
    }
}

fn with_columns(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let is_one = matches!(
        node,
        LogicalPlan::Sort(_)
            | LogicalPlan::Join(_)
            | LogicalPlan::Aggregate(_)
            | LogicalPlan::Window(_)
    );
    let found = if is_one { subqueries(&node)? } else { vec![] };
    if found.is_empty() {
        return Ok(Transformed::no(node));
    }
    let schema = node.schema().clone();
    // The columns of the first input stay in the rows of all these operators but an aggregate.
    let keeps_input = !matches!(node, LogicalPlan::Aggregate(_));
    let replaced = node.map_expressions(|expr| {
        expr.transform_down(|expr| {
            let Expr::ScalarSubquery(subquery) = &expr else {
                return Ok(Transformed::no(expr));
            };
            let index = found.iter().position(|other| other == subquery);
            Ok(match index {
                Some(index) => Transformed::yes(Expr::Column(column(index))),
                None => Transformed::no(expr),
            })
        })
    })?;
    let mut first = true;
    let widened = replaced.data.map_children(|input| {
        if !std::mem::take(&mut first) {
            return Ok(Transformed::no(input));
        }
        let columns = input.schema().columns().into_iter().map(Expr::Column);
        let subqueries = found.iter().enumerate().map(|(index, subquery)| {
            Expr::ScalarSubquery(subquery.clone()).alias(column(index).name)
        });
        let columns: Vec<Expr> = columns.chain(subqueries).collect();
        let plan = LogicalPlanBuilder::from(input).project(columns)?.build()?;
        Ok(Transformed::yes(plan))
    })?;
    let plan = widened.data.recompute_schema()?;
    let added: Vec<Column> = (0..found.len()).map(column).collect();
    let kept = plan.schema().columns().into_iter();
    let kept = kept.filter(|column| !keeps_input || !added.contains(column));
    let columns: Vec<Expr> = kept
        .zip(schema.iter())
        .map(|(column, (qualifier, field))| {
            match (&column.relation, &column.name) == (&qualifier.cloned(), field.name()) {
                true => Expr::Column(column),
                false => Expr::Column(column).alias_qualified(qualifier.cloned(), field.name()),
            }
        })
        .collect();
    let plan = LogicalPlanBuilder::from(plan).project(columns)?.build()?;
    Ok(Transformed::yes(plan))
}

/// The name of the column of a subquery.
fn column(index: usize) -> Column {
    Column::new_unqualified(format!("__neardup_subquery_{index}"))
}

/// The distinct scalar subqueries in the expressions of an operator that do not depend on its rows.
fn subqueries(node: &LogicalPlan) -> Result<Vec<Subquery>> {
    let mut found: Vec<Subquery> = Vec::new();
    node.apply_expressions(|expr| {
        expr.apply(|expr| {
            if let Expr::ScalarSubquery(subquery) = expr
                && subquery.outer_ref_columns.is_empty()
                && !found.contains(subquery)
            {
                found.push(subquery.clone());
            }
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(found)
}
