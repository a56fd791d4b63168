//! Arguments of aggregates that have subqueries.

use super::is_subquery;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::logical_plan::Aggregate;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use std::sync::Arc;

/// An aggregation with arguments that have subqueries computed below it: the engine moves them there in its own way after
/// columns have been given other names.
pub(super) fn with_arguments(mut aggregate: Aggregate) -> Result<Transformed<LogicalPlan>> {
    let has_subquery = |expr: &Expr| expr.exists(|expr| Ok(is_subquery(expr)));
    let mut arguments: Vec<Expr> = Vec::new();
    let mut functions = Vec::new();
    for function in aggregate.aggr_expr {
        if !has_subquery(&function)? {
            functions.push(function);
            continue;
        }
        let name = function.schema_name().to_string();
        let function = function.transform_down(|expr| {
            let Expr::AggregateFunction(function) = expr else {
                return Ok(Transformed::no(expr));
            };
            let function = Expr::AggregateFunction(function).map_children(|argument| {
                if !has_subquery(&argument)? {
                    return Ok(Transformed::no(argument));
                }
                let name = format!("__neardup_argument_{}", arguments.len());
                arguments.push(argument.alias(&name));
                Ok(Transformed::yes(Expr::Column(Column::new_unqualified(
                    name,
                ))))
            })?;
            Ok(Transformed::new(
                function.data,
                true,
                TreeNodeRecursion::Jump,
            ))
        })?;
        functions.push(function.data.alias(name));
    }
    aggregate.aggr_expr = functions;
    if arguments.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    }
    let columns = aggregate
        .input
        .schema()
        .columns()
        .into_iter()
        .map(Expr::Column);
    let input = LogicalPlanBuilder::new_from_arc(Arc::clone(&aggregate.input))
        .project(columns.chain(arguments))?
        .build()?;
    let aggregate = Aggregate::try_new(Arc::new(input), aggregate.group_expr, aggregate.aggr_expr)?;
    Ok(Transformed::yes(LogicalPlan::Aggregate(aggregate)))
}
