//! Rewrites `2 = x` in a join condition as `x = 2`: the engine (DataFusion 55) takes the two for a contradiction.
//!
//! From `a.x = b.x AND 2 = b.x` the engine infers `2 = a.x` for the other side of an outer join, writes it as `a.x = 2`,
//! infers it once more, and takes the two for comparisons with different values, so that this side has no rows.
//! [`ColumnsFirst`] writes the column first, as the engine does elsewhere.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator};
use datafusion::optimizer::AnalyzerRule;
use std::mem;

/// Writes equations of joins with their columns on the left.
#[derive(Debug)]
pub(crate) struct ColumnsFirst;

impl AnalyzerRule for ColumnsFirst {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|node| {
            let LogicalPlan::Join(mut join) = node else {
                return Ok(Transformed::no(node));
            };
            join.filter = match join.filter.take() {
                Some(on) => Some(on.transform_up(|expr| Ok(columns_first(expr)))?.data),
                None => None,
            };
            Ok(Transformed::yes(LogicalPlan::Join(join)))
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "columns_first"
    }
}

fn columns_first(mut expr: Expr) -> Transformed<Expr> {
    if let Expr::BinaryExpr(BinaryExpr {
        left,
        op: Operator::Eq,
        right,
    }) = &mut expr
        && !left.any_column_refs()
        && right.any_column_refs()
    {
        mem::swap(left, right);
        return Transformed::yes(expr);
    }
    Transformed::no(expr)
}
