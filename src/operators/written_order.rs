//! Files have their rows in the order of `ORDER BY`.
//!
//! `COPY … TO` casts texts above the sort, and the engine (DataFusion 55) knows no order of a cast column. It sorts the rows
//! above the cast by the columns before it alone, or distributes sorted rows over partitions to compute casts, and merges
//! them in any order. [`RequireOrder`] places [`RequiredOrderExec`] above the sort, whose order is then needed, and
//! [`WrittenOrder`] leaves the sorted rows in one partition.

use crate::operators::one_input::{input_statistics, passes_rows};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::datasource::sink::DataSinkExec;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{Distribution, LexOrdering, OrderingRequirements};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, Partitioning, ReplaceChildrenOptions,
};
use std::sync::Arc;

/// Requires the order of the rows that are written. It must run before sorts that are not needed are removed.
#[derive(Debug)]
pub(crate) struct RequireOrder;

impl PhysicalOptimizerRule for RequireOrder {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        with_written_rows(plan, requiring_order)
    }

    fn name(&self) -> &str {
        "require_order"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Other rows in place of some; `None` leaves them as they are.
type Change = fn(&Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>>;

/// The plan with other rows to write, where `change` returns some.
fn with_written_rows(
    plan: Arc<dyn ExecutionPlan>,
    change: Change,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        let sink = node.downcast_ref::<DataSinkExec>();
        let rows = sink.map(|sink| change(sink.input())).transpose()?;
        match rows.flatten() {
            Some(rows) => over(node, rows).map(Transformed::yes),
            None => Ok(Transformed::no(node)),
        }
    })
    .data()
}

/// The rows with [`RequiredOrderExec`] above the sort whose order they have; `None` if there is no sort.
fn requiring_order(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let mut above = Vec::new();
    let mut rows = plan;
    let order = loop {
        if let Some(sort) = rows.downcast_ref::<SortExec>() {
            break sort.expr().clone();
        }
        // Sorts for the operator itself are added between it and the sort of a subquery.
        let needs_order = rows.required_input_ordering().iter().any(Option::is_some);
        if needs_order || rows.is::<AggregateExec>() {
            return Ok(None);
        }
        let children = rows.children();
        let ([input], [true]) = (children.as_slice(), rows.maintains_input_order().as_slice())
        else {
            return Ok(None);
        };
        above.push(rows);
        rows = input;
    };
    let input = Arc::clone(rows);
    let mut rows: Arc<dyn ExecutionPlan> = Arc::new(RequiredOrderExec { input, order });
    for node in above.into_iter().rev() {
        rows = over(Arc::clone(node), rows)?;
    }
    Ok(Some(rows))
}

fn over(
    node: Arc<dyn ExecutionPlan>,
    input: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    node.replace_children(vec![input], options)
}

/// Returns the rows of its input, which must be sorted and in one partition.
#[derive(Debug)]
pub(crate) struct RequiredOrderExec {
    input: Arc<dyn ExecutionPlan>,
    order: LexOrdering,
}

impl RequiredOrderExec {
    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let order = self.order.clone();
        Ok(Arc::new(Self { input, order }))
    }

    fn passes_statistics(&self, _: Option<usize>) -> bool {
        true
    }
}

impl DisplayAs for RequiredOrderExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "RequiredOrderExec: [{}]", self.order)
    }
}

impl ExecutionPlan for RequiredOrderExec {
    passes_rows!(input, "RequiredOrderExec");
    input_statistics!();

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![Some(OrderingRequirements::from(self.order.clone()))]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }
}

/// Leaves the rows that are written in one partition if they are sorted. It must run after partitions were planned.
#[derive(Debug)]
pub(crate) struct WrittenOrder;

impl PhysicalOptimizerRule for WrittenOrder {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        with_written_rows(plan, in_one_partition)
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
