//! OFFSET without LIMIT.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::{Limit, LogicalPlan, lit};
use datafusion::optimizer::AnalyzerRule;

/// More than any relation has, and far from where sums overflow.
const ALL_ROWS: i64 = i64::MAX / 4;

/// Puts a limit beside each OFFSET that stands alone: the engine loses the sort below one of those where an aggregate
/// stands above (apache/datafusion#23534), and other rows are skipped. On a cluster each task skips them.
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
