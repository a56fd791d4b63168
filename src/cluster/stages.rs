//! Prepares a plan so that the engine cuts it into stages correctly. It works around ten faults of the engine's
//! adaptive planner (Ballista 55):
//!
//! - A task runs a slice of the partitions of its stage, and a union is sliced by giving each input those
//!   partitions of the slice that belong to it. An input that gathers its rows in one partition (a total, a
//!   window over all rows, a limit) cannot be sliced: every task runs it and miscounts the partitions of the
//!   inputs after it, so that some rows are repeated and others are missing. The rows of a shuffle are sliced
//!   correctly, so a shuffle is inserted between such an input and its union; and no sort is moved below a
//!   union, where it would gather the rows of an input of one partition.
//! - A shuffle that turns out to have no rows becomes an empty relation of many partitions. A window that
//!   requires rows partitioned by key, or a join of pairs that requires them partitioned by part, shuffles this
//!   relation again and again, and the query never ends. A [`KeyedExec`] is inserted between them, which
//!   declares that an empty input is partitioned by any key.
//! - A sort above such a relation has the same fault where it is below an aggregate, which then reads the rows of a
//!   window, or the first rows by a column, in its order. A [`KeyedExec`], which declares no order, is put above each
//!   window, and below aggregates of sorted rows.
//! - An outer join with an empty side has the same fault; [`outer_join`](super::outer_join) replaces it.
//! - A join is planned as one that keeps an order, but runs as one that does not: the operator above it has lost
//!   its sort and reads rows in a wrong order. A [`KeyedExec`], which declares no order, is put above each join.
//! - Each task of a nested-loop join holds all rows of the left side and a slice of the right one. A join that
//!   returns rows of the left side depending on whether they have a partner would return them from each task.
//!   Its sides are swapped.
//! - An empty relation, or a row without columns, in a union is sliced into different operators for different
//!   tasks. The status reports of such tasks are inconsistent, and the stage never ends. A table in memory,
//!   which is sliced correctly, replaces it.
//! - Grouping sets of rows that are in an order, which may be found later, are taken for sorted by their keys, and groups
//!   are returned several times. A [`KeyedExec`], which declares no order, is put below them.
//! - Rows without columns cannot be sent between stages: see [`row_marks`](super::row_marks).
//! - A limit of one row is known to have one row until it is pushed into a scan of files. Operators above it are planned
//!   without a shuffle, and with shuffles when the query has ended: their stages run, and the client gets the rows of one
//!   of them. A [`KeyedExec`] that declares nothing is put above a limit.
//!
//! Besides, the states of a total that may be large are read [in turn](super::in_turn). Rows that are gathered for a hash
//! join whose tasks each hold them all, and a total with texts or bytes that is joined, such as a filter of keys, are
//! computed by one task and sent to the others, instead of by each task.

use super::in_turn::merges_large_states;
use super::keyed::{Declared, KeyedExec, KeyedSpec, with_children};
use super::outer_join::OuterJoinExec;
use super::row_marks::{marked, needs_marks, unmarked};
use crate::operators::similar_pairs::SimilarPairsExec;
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinType, Result, not_impl_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::expressions::{Column, lit};
use datafusion::physical_expr::{Distribution, PhysicalExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::joins::{
    HashJoinExec, NestedLoopJoinExec, PartitionMode, SortMergeJoinExec,
};
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::any::Any;
use std::sync::Arc;

/// Prepares a plan to be divided into stages.
#[derive(Debug)]
pub(super) struct PrepareStages;

impl PhysicalOptimizerRule for PrepareStages {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        prepared(plan)
    }

    fn name(&self) -> &str {
        "prepare_stages"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn prepared(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let has_limit =
        plan.exists(|node| Ok(node.is::<GlobalLimitExec>() || node.is::<LocalLimitExec>()))?;
    let plan = plan.transform_up(|node| {
        if has_limit && is_in_memory(&node) {
            // A rule would push the limit into the table, and the scheduler leaves it out where it slices tables in
            // memory for tasks.
            return Ok(Transformed::yes(KeyedExec::of(node, None)?));
        }
        if restricts(&node)? && !needs_marks(&node) {
            return Ok(Transformed::yes(Arc::new(hidden(node))));
        }
        let has_marks = needs_marks(&node);
        let node = if has_marks { marked(&node)? } else { node };
        let inputs: Vec<_> = if node.is::<UnionExec>() {
            let inputs = node.children().into_iter();
            let inputs = inputs.map(|input| match gathers(input) {
                // A union of inputs that are all partitioned by a key would be planned as one that requires this, and
                // an input that turns out to have one partition is not partitioned again.
                true => Ok(Arc::new(hidden(shuffled(Arc::clone(input))?)) as _),
                false => KeyedExec::of(Arc::clone(input), None),
            });
            let union = with_children(&node, inputs.collect::<Result<_>>()?)?;
            if has_marks {
                return Ok(Transformed::yes(unmarked(union)?));
            }
            // Keeps a sort above the union: below it, it would gather the rows of an input of one partition.
            return Ok(Transformed::yes(KeyedExec::of(union, None)?));
        } else if has_marks {
            return Ok(Transformed::yes(unmarked(node)?));
        } else if let (Some(keys), [input]) = (window_keys(&node), node.children().as_slice()) {
            let keys = Some(keys).filter(|keys| !keys.is_empty());
            let window = match keys {
                Some(_) => with_children(&node, vec![KeyedExec::of(Arc::clone(input), keys)?])?,
                None => node,
            };
            return Ok(Transformed::yes(KeyedExec::of(window, None)?));
        } else if let Some(pairs) = node.downcast_ref::<SimilarPairsExec>() {
            let Some(key) = pairs.part_key() else {
                return Ok(Transformed::no(node));
            };
            let input = Arc::clone(pairs.children()[0]);
            vec![KeyedExec::of(input, Some(vec![key]))?]
        } else if node.is::<PlaceholderRowExec>() {
            // One row without columns, as a table that is sliced for tasks.
            let row = RecordBatch::try_new_with_options(
                node.schema(),
                vec![],
                &RecordBatchOptions::new().with_row_count(Some(1)),
            );
            // A placeholder with columns is a row of NULLs, which the plans of neardup do not use.
            return Ok(match row {
                Ok(row) => Transformed::yes(MemorySourceConfig::try_new_exec(
                    &[vec![row]],
                    node.schema(),
                    None,
                )?),
                Err(_) => Transformed::no(node),
            });
        } else if let Some(groups) = node.downcast_ref::<AggregateExec>()
            && (groups.group_expr().has_grouping_set()
                || groups.input().output_ordering().is_some())
        {
            if groups.group_expr().has_grouping_set() && groups.group_expr().expr().is_empty() {
                // The sets would be lost on the way to an executor, and with them the rows.
                return not_impl_err!(
                    "GROUPING SETS of the empty set alone do not run on a cluster: leave GROUP BY out"
                );
            }
            vec![KeyedExec::of(Arc::clone(groups.input()), None)?]
        } else if merges_large_states(&node) {
            let spec = KeyedSpec {
                keys: None,
                declared: Declared::AsInput,
                no_rows: false,
                in_turn: true,
            };
            return Ok(Transformed::yes(Arc::new(KeyedExec::new(node, spec))));
        } else if let Some(join) = OuterJoinExec::of(&node)? {
            return Ok(Transformed::yes(KeyedExec::of(Arc::new(join), None)?));
        } else if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
            let join = match join.join_type() {
                JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => {
                    join.swap_inputs()?
                }
                JoinType::Full => {
                    return not_impl_err!(
                        "a FULL JOIN whose condition is not an equality of columns does not run on a cluster: \
                         write it as a LEFT JOIN and the rows of the right side without a partner"
                    );
                }
                _ => Arc::clone(&node),
            };
            return Ok(Transformed::yes(KeyedExec::of(join, None)?));
        } else if node.is::<SortMergeJoinExec>() || node.is::<HashJoinExec>() {
            let node = if let Some(join) = node.downcast_ref::<HashJoinExec>() {
                with_left_side_once(&node, join)?
            } else {
                with_totals_once(&node)?
            };
            return Ok(Transformed::yes(KeyedExec::of(node, None)?));
        } else {
            return Ok(Transformed::no(node));
        };
        Ok(Transformed::yes(with_children(&node, inputs)?))
    })?;
    Ok(plan.data)
}

/// Whether the operator limits the number of rows that are not known to be one.
fn restricts(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    match (plan.is::<GlobalLimitExec>(), plan.children().as_slice()) {
        (true, [input]) => Ok(!is_one_row(input)?),
        _ => Ok(false),
    }
}

fn is_one_row(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let statistics = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new())?;
    Ok(statistics.num_rows == Precision::Exact(1))
}

/// A hash join of which each task holds all rows of the left side. If these are gathered, such as a total, one task
/// computes them, and the others read them; otherwise each task would compute them.
fn with_left_side_once(
    node: &Arc<dyn ExecutionPlan>,
    join: &HashJoinExec,
) -> Result<Arc<dyn ExecutionPlan>> {
    match *join.partition_mode() == PartitionMode::CollectLeft && gathers(join.left()) {
        true => {
            let left = shuffled(Arc::clone(join.left()))?;
            with_children(node, vec![left, Arc::clone(join.right())])
        }
        false => Ok(Arc::clone(node)),
    }
}

/// A sort-merge join that will run as a hash join each of whose tasks holds a side of one row. A total whose values may be
/// large is computed by one task, and the others read it; otherwise each task would compute it from the totals of all parts.
fn with_totals_once(join: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let sides = join.children().into_iter().map(|side| {
        if !is_large_total(side)? {
            return Ok(Arc::clone(side));
        }
        let spec = KeyedSpec {
            keys: None,
            declared: Declared::OneRow,
            no_rows: false,
            in_turn: false,
        };
        Ok(Arc::new(KeyedExec::new(shuffled(Arc::clone(side))?, spec)) as _)
    });
    with_children(join, sides.collect::<Result<_>>()?)
}

/// Whether a plan gathers the rows of several partitions in one row that has a value of any size.
fn is_large_total(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let schema = plan.schema();
    let mut types = schema.fields().iter().map(|field| field.data_type());
    Ok(!types.all(DataType::is_primitive) && gathers(plan) && is_one_row(plan)?)
}

/// Whether rows of the plan may be gathered in one partition on their way to its root.
fn gathers(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let mut found = false;
    let walked = plan.apply(|node| {
        if let Some(keyed) = node.downcast_ref::<KeyedExec>() {
            if keyed.is_shuffle() {
                return Ok(TreeNodeRecursion::Jump);
            }
            // The rows of a window or of a join of pairs, which are in one partition if its input is.
            found |= keyed.spec().keys.is_some();
        }
        found |= node.is::<OuterJoinExec>();
        let required = node.input_distribution_requirements();
        found |= required
            .per_child_distributions()
            .any(|distribution| matches!(distribution, Distribution::SinglePartition));
        Ok(match found {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    });
    found || walked.is_err()
}

/// The input with a shuffle above it. The planner does not shuffle an input that it knows to be small, so an
/// operator that hides the statistics is put below the shuffle.
fn shuffled(input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let schema = input.schema();
    let mut fields = schema.fields().iter().enumerate();
    let key = fields.find(|(_, field)| {
        let data_type = field.data_type();
        data_type.is_primitive() || data_type.is_string()
    });
    let key: Arc<dyn PhysicalExpr> = match key {
        Some((index, field)) => Arc::new(Column::new(field.name(), index)),
        None => lit(0_i64),
    };
    KeyedExec::of(Arc::new(hidden(input)), Some(vec![key]))
}

/// The input, of which neither statistics nor partitioning are known.
fn hidden(input: Arc<dyn ExecutionPlan>) -> KeyedExec {
    let spec = KeyedSpec {
        keys: None,
        declared: Declared::Nothing,
        no_rows: false,
        in_turn: false,
    };
    KeyedExec::new(input, spec)
}

/// The expressions that a window operator is partitioned by; `None` if the operator is no window.
fn window_keys(node: &Arc<dyn ExecutionPlan>) -> Option<Vec<Arc<dyn PhysicalExpr>>> {
    if let Some(window) = node.downcast_ref::<BoundedWindowAggExec>() {
        return Some(window.partition_keys());
    }
    Some(node.downcast_ref::<WindowAggExec>()?.partition_keys())
}

fn is_in_memory(node: &Arc<dyn ExecutionPlan>) -> bool {
    let source = node.downcast_ref::<DataSourceExec>();
    source.is_some_and(|source| {
        (source.data_source().as_ref() as &dyn Any).is::<MemorySourceConfig>()
    })
}

#[cfg(test)]
mod tests {
    use super::super::config;
    use super::*;
    use datafusion::arrow::array::{ArrayRef, Int64Array, StringArray};
    use datafusion::physical_plan::displayable;
    use datafusion::prelude::SessionContext;

    /// The plan of a join of all rows with their total.
    async fn joined_with(total: &str) -> Result<String> {
        let state = config::scheduler_state(config::config())?;
        let context = SessionContext::new_with_state(state);
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
        let texts = (0..100).map(|number| format!("text {number}"));
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
        let rows = RecordBatch::try_from_iter([("id", ids), ("text", texts)])?;
        context.register_batch("rows", rows)?;
        let sql = format!(
            "SELECT id, total FROM (SELECT {total} AS total, 0 AS all_rows FROM rows) AS of_all
             JOIN (SELECT id, 0 AS every_row FROM rows) AS each ON all_rows = every_row"
        );
        let plan = context.sql(&sql).await?.create_physical_plan().await?;
        Ok(displayable(plan.as_ref()).indent(false).to_string())
    }

    /// Each task of the join would compute the total again.
    #[tokio::test]
    async fn a_total_with_a_text_is_computed_by_one_task() {
        let small = joined_with("max(id)").await.expect("a plan");
        assert!(!small.contains("KeyedExec: keys"), "{small}");
        let large = joined_with("max(text)").await.expect("a plan");
        assert_eq!(large.matches("KeyedExec: keys").count(), 1, "{large}");
    }
}
