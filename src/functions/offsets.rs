//! OFFSET: a LIMIT for each OFFSET without one, and plans in which sorts below an OFFSET keep enough rows.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Limit, LogicalPlan, lit};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::limit::GlobalLimitExec;
use std::sync::Arc;

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

/// Divides `LIMIT n OFFSET m` into an OFFSET above a LIMIT, both of n + m rows. The engine (DataFusion 55) moves a sort below
/// the limit that leaves n rows, instead of n + m, of which m are skipped. Its rule `EnsureRequirements` does that, which must
/// run later; a rule after it combines the limits again.
#[derive(Debug)]
pub(crate) struct OffsetsAboveLimits;

impl PhysicalOptimizerRule for OffsetsAboveLimits {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let Some(limit) = node.downcast_ref::<GlobalLimitExec>() else {
                return Ok(Transformed::no(node));
            };
            let (skip, Some(fetch)) = (limit.skip(), limit.fetch()) else {
                return Ok(Transformed::no(node));
            };
            let Some(rows) = skip.checked_add(fetch).filter(|_| skip > 0) else {
                return Ok(Transformed::no(node));
            };
            let of_input = |skip, input| {
                let mut divided = GlobalLimitExec::new(input, skip, Some(rows));
                divided.set_required_ordering(limit.required_ordering().clone());
                Arc::new(divided)
            };
            let divided = of_input(skip, of_input(0, Arc::clone(limit.input())));
            Ok(Transformed::yes(divided as Arc<dyn ExecutionPlan>))
        })
        .data()
    }

    fn name(&self) -> &str {
        "offsets_above_limits"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
