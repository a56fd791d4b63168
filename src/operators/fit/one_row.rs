//! Joins with a single row.
//!
//! Under a memory limit joins sort their inputs, because sorts can spill and hash tables cannot. If the left side is a
//! single row, such as a sketch of token frequencies, the hash table has one row, and the other side need neither be
//! sorted nor gathered by its key in one partition.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::logical_expr::JoinType;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode, SortMergeJoinExec};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use std::sync::Arc;

/// Joins by hash where the left side is a single row. This rule precedes those that sort and divide the inputs.
#[derive(Debug)]
pub(crate) struct JoinOneRow;

impl PhysicalOptimizerRule for JoinOneRow {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            Ok(match by_hash(&node)? {
                Some(join) => Transformed::yes(Arc::new(join) as _),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "join_one_row"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The inner join by sorting whose left side is a single row, as a join by hash.
fn by_hash(node: &Arc<dyn ExecutionPlan>) -> Result<Option<HashJoinExec>> {
    let Some(join) = node.downcast_ref::<SortMergeJoinExec>() else {
        return Ok(None);
    };
    let context = StatisticsContext::new();
    let left = context.compute(join.left().as_ref(), &StatisticsArgs::new())?;
    if join.join_type() != JoinType::Inner || left.num_rows != Precision::Exact(1) {
        return Ok(None);
    }
    let join = HashJoinExec::try_new(
        Arc::clone(join.left()),
        Arc::clone(join.right()),
        join.on().to_vec(),
        join.filter().clone(),
        &JoinType::Inner,
        None,
        PartitionMode::CollectLeft,
        join.null_equality(),
        false,
    )?;
    Ok(Some(join))
}
