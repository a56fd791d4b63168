//! Removes sort keys that repeat an expression.
//!
//! A later key of the same expression changes no order. The engine (DataFusion 55) leaves it out at one of two places that
//! must have equally many keys, in `DISTINCT ON` and in aggregates with ORDER BY, and then panics or fails.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

/// Removes repeated sort keys of `DISTINCT ON` and of aggregates.
#[derive(Debug)]
pub(crate) struct DistinctSortKeys;

impl AnalyzerRule for DistinctSortKeys {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|node| {
            let names = NamePreserver::new(&node);
            let node = node.map_expressions(|expr| {
                let name = names.save(&expr);
                let expr = expr.transform_up(|expr| {
                    let Expr::AggregateFunction(mut aggregate) = expr else {
                        return Ok(Transformed::no(expr));
                    };
                    let is_changed = remove_repeated(&mut aggregate.params.order_by);
                    let aggregate = Expr::AggregateFunction(aggregate);
                    Ok(Transformed::new_transformed(aggregate, is_changed))
                })?;
                Ok(expr.update_data(|expr| name.restore(expr)))
            })?;
            node.transform_data(|node| {
                let LogicalPlan::Distinct(Distinct::On(mut on)) = node else {
                    return Ok(Transformed::no(node));
                };
                let is_changed = on.sort_expr.as_mut().is_some_and(remove_repeated);
                let distinct = LogicalPlan::Distinct(Distinct::On(on));
                Ok(Transformed::new_transformed(distinct, is_changed))
            })
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "distinct_sort_keys"
    }
}

/// Whether there were repeated keys.
fn remove_repeated(keys: &mut Vec<Sort>) -> bool {
    let count = keys.len();
    let mut distinct: Vec<Sort> = Vec::with_capacity(count);
    for key in keys.drain(..) {
        if distinct.iter().all(|other| other.expr != key.expr) {
            distinct.push(key);
        }
    }
    *keys = distinct;
    keys.len() < count
}
