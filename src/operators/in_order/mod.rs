//! `in_order`: returns the rows of a table in memory in the order of the table.
//!
//! The partitions of such a table are consecutive runs of its rows. The engine merges partitions in the order in which
//! their batches become ready, so that a query which only filters and projects would return its rows in another order
//! in each run. [`InOrderExec`] replaces that merge where its input keeps the order of a table in memory.
//!
//! Nothing is known about the order of other tables: the engine distributes files over partitions while they are read.

mod exec;
#[cfg(test)]
mod tests;

pub use exec::InOrderExec;

use datafusion::common::Result;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ReplaceChildrenOptions};
use std::sync::Arc;

/// The plan with its partitions merged in order where they are consecutive runs of the rows of a table in memory and the
/// result, or the file that is written, shows their order. All other operators get rows as soon as they are ready.
pub(crate) fn merged_in_order(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    if let Some(merge) = plan.downcast_ref::<CoalescePartitionsExec>() {
        return Ok(match keeps_order(merge.input()) {
            true => Arc::new(InOrderExec::new(Arc::clone(merge.input()), merge.fetch())),
            false => plan,
        });
    }
    let input = match plan.children().as_slice() {
        [input] if plan.maintains_input_order() == [true] => Arc::clone(input),
        _ => return Ok(plan),
    };
    let ordered = merged_in_order(Arc::clone(&input))?;
    if Arc::ptr_eq(&ordered, &input) {
        return Ok(plan);
    }
    // The engine distributes the rows of a LIMIT over partitions again. Their order would be lost.
    if plan.is::<RepartitionExec>() {
        return Ok(ordered);
    }
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    plan.replace_children(vec![ordered], options)
}

/// The plan with one partition in order, if its partitions are consecutive runs of the rows of a table in memory; else
/// the plan itself.
pub fn in_order(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let partitions = plan.properties().partitioning.partition_count();
    match partitions > 1 && keeps_order(&plan) {
        true => Arc::new(InOrderExec::new(plan, None)),
        false => plan,
    }
}

/// Whether each partition of the plan is derived from one partition of a table in memory, in the order of its rows.
fn keeps_order(plan: &Arc<dyn ExecutionPlan>) -> bool {
    if let Some(scan) = plan.downcast_ref::<DataSourceExec>() {
        return scan.data_source().is::<MemorySourceConfig>();
    }
    let partitions =
        |plan: &Arc<dyn ExecutionPlan>| plan.properties().partitioning.partition_count();
    match plan.children().as_slice() {
        [input] => {
            plan.maintains_input_order() == [true]
                && partitions(input) == partitions(plan)
                && keeps_order(input)
        }
        _ => false,
    }
}
