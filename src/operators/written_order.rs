//! Files have their rows in the order of `ORDER BY`.
//!
//! `COPY … TO` casts texts above the sort, and the engine (DataFusion 55) distributes sorted rows over partitions to
//! compute casts. It merges the partitions by the columns whose order it still knows, and a cast column is none of them.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    ReplaceChildrenOptions,
};
use std::sync::Arc;

/// Leaves the rows that are written in one partition if they are sorted. It must run after partitions were planned.
#[derive(Debug)]
pub(crate) struct WrittenOrder;

impl PhysicalOptimizerRule for WrittenOrder {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let sink = node.downcast_ref::<DataSinkExec>();
            let sorted = sink
                .map(|sink| in_one_partition(sink.input()))
                .transpose()?;
            Ok(match sorted.flatten() {
                Some(rows) => {
                    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
                    Transformed::yes(node.replace_children(vec![rows], options)?)
                }
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "written_order"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The rows without the partitions that projections of sorted rows were distributed over; `None` if there are none.
fn in_one_partition(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let mut rows = match plan.downcast_ref::<SortPreservingMergeExec>() {
        Some(merge) if merge.fetch().is_none() => merge.input(),
        Some(_) => return Ok(None),
        None => match plan.downcast_ref::<CoalescePartitionsExec>() {
            Some(merge) if merge.fetch().is_none() => merge.input(),
            _ => return Ok(None),
        },
    };
    let mut projections = Vec::new();
    while let Some(projection) = rows.downcast_ref::<ProjectionExec>() {
        projections.push(projection);
        rows = projection.input();
    }
    let Some(distribution) = rows.downcast_ref::<RepartitionExec>() else {
        return Ok(None);
    };
    let sorted = distribution.input();
    if !matches!(
        distribution.partitioning(),
        Partitioning::RoundRobinBatch(_)
    ) || sorted.output_partitioning().partition_count() != 1
        || sorted.output_ordering().is_none()
    {
        return Ok(None);
    }
    let mut rows = Arc::clone(sorted);
    for projection in projections.into_iter().rev() {
        rows = Arc::new(ProjectionExec::try_new(projection.expr().to_vec(), rows)?);
    }
    Ok(Some(rows))
}
