//! Refuses `DELETE` and `UPDATE` statements whose condition the engine would ignore.
//!
//! The engine (DataFusion 55) changes the rows that the filters of the optimized plan select. In such a plan a
//! condition need not be a filter: with a subquery it is a join, and if it holds for no row it is an empty relation.
//! The engine ignores these, as well as a LIMIT, and changes further rows or all of them. [`LostConditions`] refuses
//! such statements.

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan, WriteOp};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// Refuses changes of tables whose conditions are not the filters of a scan. It must run after the rules that make
/// joins of subqueries and move filters.
#[derive(Debug)]
pub(crate) struct LostConditions;

impl OptimizerRule for LostConditions {
    fn name(&self) -> &str {
        "lost_conditions"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        None
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Dml(change) = &plan else {
            return Ok(Transformed::no(plan));
        };
        let statement = match change.op {
            WriteOp::Delete => "DELETE",
            WriteOp::Update => "UPDATE",
            _ => return Ok(Transformed::no(plan)),
        };
        let mut is_lost = false;
        change.input.apply(|node| {
            is_lost |= match node {
                LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) => false,
                LogicalPlan::Filter(filter) => {
                    filter.predicate.exists(|expr| Ok(is_query(expr)))?
                }
                LogicalPlan::TableScan(scan) => scan.fetch.is_some(),
                _ => true,
            };
            Ok(match is_lost {
                true => TreeNodeRecursion::Stop,
                false => TreeNodeRecursion::Continue,
            })
        })?;
        let table = &change.table_name;
        match is_lost {
            true => plan_err!(
                "{statement} {table}: the condition must be on columns of the table alone, without a subquery, a LIMIT or another table, and must hold for at least one row; with other conditions the engine would change further rows. CREATE OR REPLACE TABLE {table} AS SELECT … takes any condition"
            ),
            false => Ok(Transformed::no(plan)),
        }
    }
}

fn is_query(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::SetComparison(_)
    )
}
