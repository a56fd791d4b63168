//! Where adaptive joins take the place of joins by sorting.

use super::exec::AdaptiveJoinExec;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinType, Result};
use datafusion::physical_expr::Distribution;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::joins::SortMergeJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::tree_node::PlanContext;
use datafusion::physical_plan::union::InterleaveExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, Partitioning};
use std::sync::Arc;

/// Whether other operators rely on that equal keys are in the same partition. None relies on the order of a join: an
/// `UnknownValuesExec` is above each.
#[derive(Debug, Clone, Copy, Default)]
struct NeedsPartitioning(bool);

/// The plan with adaptive joins in place of those by sorting on whose partitioning no operator relies.
pub(in super::super) fn with_adaptive_joins(
    plan: Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let joins = count_joins(&plan)?;
    if joins == 0 {
        return Ok(plan);
    }
    let root = PlanContext::<NeedsPartitioning>::new_default(plan);
    let plan = root.transform_down(|mut node| {
        let replaced = match node.data.0 {
            true => None,
            false => in_place_of(&node.plan, joins)?,
        };
        if let Some(join) = replaced {
            return Ok(Transformed::yes(PlanContext::new_default(join)));
        }
        let needs = needs_of_inputs(&node.plan, node.data.0);
        for (child, needs) in node.children.iter_mut().zip(needs) {
            child.data = needs;
        }
        Ok(Transformed::yes(node))
    })?;
    Ok(plan.data.plan)
}

fn count_joins(plan: &Arc<dyn ExecutionPlan>) -> Result<usize> {
    let mut joins = 0;
    plan.apply(|node| {
        joins += usize::from(node.is::<SortMergeJoinExec>());
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(joins)
}

/// The adaptive join in place of one by sorting; `None` for other operators, and for joins that are not by hash in any
/// case or of which no input is sorted.
fn in_place_of(
    node: &Arc<dyn ExecutionPlan>,
    joins: usize,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(join) = node.downcast_ref::<SortMergeJoinExec>() else {
        return Ok(None);
    };
    // A join by hash compares each row with all that have its key. The result has these pairs, but for semi and anti joins,
    // and for full ones no side can be hashed.
    if !matches!(
        join.join_type(),
        JoinType::Inner | JoinType::Left | JoinType::Right
    ) {
        return Ok(None);
    }
    let left = unsorted(join.left())?;
    let right = unsorted(join.right())?;
    if left.is_none() && right.is_none() {
        return Ok(None);
    }
    let left = left.unwrap_or_else(|| Arc::clone(join.left()));
    let right = right.unwrap_or_else(|| Arc::clone(join.right()));
    let adaptive = AdaptiveJoinExec::new(node, left, right, joins)?;
    Ok(Some(Arc::new(adaptive)))
}

/// The rows before they are partitioned and sorted; `None` for rows that are not sorted at the end.
fn unsorted(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    // Projections may be above the sort.
    let mut projections = Vec::new();
    let mut rows = plan;
    while let Some(projection) = rows.downcast_ref::<ProjectionExec>() {
        projections.push(projection);
        rows = projection.input();
    }
    let Some(sort) = rows.downcast_ref::<SortExec>() else {
        return Ok(None);
    };
    if sort.fetch().is_some() {
        return Ok(None);
    }
    let is_by_key = |repartition: &&RepartitionExec| {
        matches!(repartition.partitioning(), Partitioning::Hash(..))
            && !repartition.preserve_order()
    };
    let input = sort.input();
    let repartition = input.downcast_ref::<RepartitionExec>().filter(is_by_key);
    let mut rows = Arc::clone(repartition.map_or(input, RepartitionExec::input));
    for projection in projections.into_iter().rev() {
        rows = Arc::new(ProjectionExec::try_new(projection.expr().to_vec(), rows)?);
    }
    Ok(Some(rows))
}

/// Whether an operator relies on the partitioning of each of its inputs, if others rely on its own.
fn needs_of_inputs(node: &Arc<dyn ExecutionPlan>, is_needed: bool) -> Vec<NeedsPartitioning> {
    let distribution = node.input_distribution_requirements();
    let merges = node.is::<RepartitionExec>()
        || node.is::<CoalescePartitionsExec>()
        || node.is::<SortPreservingMergeExec>();
    let of_input = |(at, input): (usize, &Arc<dyn ExecutionPlan>)| {
        let is_partitioned = input.output_partitioning().partition_count() > 1;
        let is_required = !matches!(
            distribution.child_distribution(at),
            None | Some(Distribution::UnspecifiedDistribution | Distribution::SinglePartition)
        );
        NeedsPartitioning(
            is_partitioned && (node.is::<InterleaveExec>() || is_needed && !merges || is_required),
        )
    };
    node.children()
        .into_iter()
        .enumerate()
        .map(of_input)
        .collect()
}
