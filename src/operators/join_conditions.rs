//! Rewrites conditions of joins that the engine (DataFusion 55) gets wrong.
//!
//! It takes `2 = x` and `x = 2` for a contradiction.
//! From `a.x = b.x AND 2 = b.x` the engine infers `2 = a.x` for the other side of an outer join, writes it as `a.x = 2`,
//! infers it once more, and takes the two for comparisons with different values, so that this side has no rows.
//! [`JoinConditions`] writes the column first, as the engine does elsewhere.
//!
//! A hash join of integers with a dictionary of integers fails where it holds the integers in an array. SQL joins have
//! keys of one type, but those of a `DataFrame` may differ: the dictionary is unpacked.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, cast};
use datafusion::optimizer::AnalyzerRule;
use std::mem;

/// Writes equations of joins with their columns on the left, and unpacks dictionaries of integers that are keys.
#[derive(Debug)]
pub(crate) struct JoinConditions;

impl AnalyzerRule for JoinConditions {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|node| {
            let LogicalPlan::Join(mut join) = node else {
                return Ok(Transformed::no(node));
            };
            join.filter = match join.filter.take() {
                Some(on) => Some(on.transform_up(|expr| Ok(columns_first(expr)))?.data),
                None => None,
            };
            for (left, right) in &mut join.on {
                let types = (
                    left.get_type(join.left.schema())?,
                    right.get_type(join.right.schema())?,
                );
                match types {
                    (DataType::Dictionary(_, value), other)
                        if *value == other && other.is_integer() =>
                    {
                        *left = cast(left.clone(), other);
                    }
                    (other, DataType::Dictionary(_, value))
                        if *value == other && other.is_integer() =>
                    {
                        *right = cast(right.clone(), other);
                    }
                    _ => {}
                }
            }
            Ok(Transformed::yes(LogicalPlan::Join(join)))
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "join_conditions"
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
