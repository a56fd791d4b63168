//! Adds a LIMIT to each OFFSET without one.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::{Limit, LogicalPlan, lit};
use datafusion::optimizer::AnalyzerRule;

/// A number of rows that no relation has, small enough that adding an offset cannot overflow.
const ALL_ROWS: i64 = i64::MAX / 4;

/// Adds a limit to each OFFSET without one. Without it, the engine removes the sort below the OFFSET if there is an
/// aggregate above (apache/datafusion#23534), so that other rows are skipped. On a cluster, each task would skip rows.
#[derive(Debug)]
pub(crate) struct BoundOffsets;

impl AnalyzerRule for BoundOffsets {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_down_with_subqueries(|node| match node {
            LogicalPlan::Limit(limit) if limit.fetch.is_none() && limit.skip.is_some() => {
                let limit = LogicalPlan::Limit(Limit {
                    fetch: Some(Box::new(lit(ALL_ROWS))),
                    ..limit
                });
                Ok(Transformed::new(limit, true, TreeNodeRecursion::Continue))
            }
            other => Ok(Transformed::no(other)),
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "bound_offsets"
    }
}
