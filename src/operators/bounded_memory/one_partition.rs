//! Makes filters of keys and collections of runs in one partition.

use datafusion::common::Result;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::physical_plan::{ExecutionPlan, PhysicalExpr};
use std::sync::Arc;

/// Aggregates whose states take as many bytes for the rows of a partition as for all rows, or for many of them. The time to
/// add a value is short beside that to compute it.
const IN_ONE_PARTITION: [&str; 2] = ["key_filter", "run_collection"];

/// In place of an aggregation that has such a state in each partition and merges these, one that has it in one partition,
/// of the values that all partitions compute; `None` for other operators.
pub(super) fn in_one_partition(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<AggregateExec>> {
    let Some(merged) = plan.downcast_ref::<AggregateExec>() else {
        return Ok(None);
    };
    let coalesced = merged.input().downcast_ref::<CoalescePartitionsExec>();
    let Some(of_partition) =
        coalesced.and_then(|exec| exec.input().downcast_ref::<AggregateExec>())
    else {
        return Ok(None);
    };
    let is_listed =
        |function: &Arc<AggregateFunctionExpr>| IN_ONE_PARTITION.contains(&function.fun().name());
    if *merged.mode() != AggregateMode::Final
        || *of_partition.mode() != AggregateMode::Partial
        || !merged.group_expr().is_empty()
        || !merged.aggr_expr().iter().all(is_listed)
        || of_partition.filter_expr().iter().any(Option::is_some)
    {
        return Ok(None);
    }
    let mut computed: Vec<ProjectionExpr> = Vec::new();
    let mut functions = Vec::new();
    for function in of_partition.aggr_expr() {
        let arguments = function.expressions().into_iter().map(|argument| {
            if argument.is::<Literal>() {
                return argument;
            }
            let column = Column::new(&format!("value_{}", computed.len()), computed.len());
            computed.push(ProjectionExpr::new(argument, column.name()));
            Arc::new(column) as Arc<dyn PhysicalExpr>
        });
        let arguments = arguments.collect();
        let Some(function) = function.with_new_expressions(arguments, Vec::new()) else {
            return Ok(None);
        };
        functions.push(Arc::new(function));
    }
    let values = ProjectionExec::try_new(computed, Arc::clone(of_partition.input()))?;
    let values: Arc<dyn ExecutionPlan> = Arc::new(values);
    let schema = values.schema();
    AggregateExec::try_new(
        AggregateMode::Single,
        of_partition.group_expr().clone(),
        functions,
        of_partition.filter_expr().to_vec(),
        Arc::new(CoalescePartitionsExec::new(values)),
        schema,
    )
    .map(Some)
}
