//! Bounds the memory of plans, by the size of the rows that they read.
//!
//! The engine limits batches by rows (8,192, whatever the bytes of a row) and joins by hash whatever the size of the
//! input. Here the size of the rows is estimated from the files that a plan reads. If single rows or the whole input
//! are large, the query is planned again, with fewer rows per batch (set for all operators by [`BatchRowsExec`]) and
//! with sort-merge joins, which spill. Where few rows per batch would be slow, batches are merged: [`SizedSortExec`] takes
//! the place of sorts, and a [`MergeBatchesExec`] is below `array_agg`.
//!
//! Joins of which one side is certain to be small are by hash in any case ([`JoinSmallSide`]). Of the others, many are
//! by hash if one side turns out to be small (`AdaptiveJoinExec`).
//!
//! Under a memory limit, a [`CompactColumnsExec`] below and above each sort copies texts out of the buffers, and
//! values out of the dictionaries, of other rows, which the sort and the operators that read its rows would count.
//!
//! Five changes apply to every plan: [`NumberSortExec`] takes the place of sorts of rows of numbers, aggregates with
//! large states are computed in one partition ([`in_one_partition`]), a [`SingleRowJoinExec`] joins with their values, a
//! [`SplitBatchesExec`] below each `UNNEST` splits batches that would expand to too many rows, and [`GroupWindowExec`],
//! which holds one group at a time, replaces the engine's operator for windows with `PARTITION BY`.
//!
//! On a cluster, plans are divided into stages as the engine planned them.

mod adaptive_join;
mod batch_rows;
mod compact_columns;
mod group_window;
mod inputs;
mod merge_batches;
mod one_partition;
mod single_row;
mod sized_sort;
mod small_side;
mod split_batches;

pub(crate) use small_side::JoinSmallSide;

use super::number_sort::NumberSortExec;
use crate::resources::{HashJoinsWithin, has_limit};
use adaptive_join::with_adaptive_joins;
use batch_rows::BatchRowsExec;
use compact_columns::CompactColumnsExec;
use datafusion::common::Result;
use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::physical_expr::ScalarFunctionExpr;
use datafusion::physical_plan::analyze::AnalyzeExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ReplaceChildrenOptions};
use group_window::GroupWindowExec;
use inputs::{Inputs, inputs};
use merge_batches::MergeBatchesExec;
use one_partition::in_one_partition;
use single_row::SingleRowJoinExec;
use sized_sort::SizedSortExec;
use small_side::is_one_row;
use split_batches::SplitBatchesExec;
use std::sync::Arc;

/// Upper bound of the bytes of a batch that is read from a file. The shingles of its rows are about ten times as large.
const MAX_BATCH_BYTES: usize = 8 << 20;
/// A batch may use this fraction of the memory of a partition: 1/128. A sort reserves about three times the memory of a
/// batch, and shares the memory of its partition with some thirty operators.
const BATCH_MEMORY_DIVISOR: usize = 128;
/// Approximate upper bound of the bytes in memory per byte in a file. Files are compressed.
const EXPANSION: u64 = 6;

/// Settings of the planner that bound the memory of a plan.
pub(super) struct Settings {
    /// Rows of a batch.
    rows: usize,
    /// Whether hash joins are allowed.
    hash_joins: bool,
}

/// The settings with which the query must be planned again, or `None` if the memory of the plan is bounded already.
pub(super) async fn required_settings(
    plan: &Arc<dyn ExecutionPlan>,
    state: &SessionState,
) -> Result<Option<Settings>> {
    let options = state.config_options();
    let found = inputs(plan, state).await?;
    let rows = batch_rows(&found, state);
    let within = state.config().get_extension::<HashJoinsWithin>();
    let too_large =
        |within: &Arc<HashJoinsWithin>| found.bytes.saturating_mul(EXPANSION) > within.0 as u64;
    let hash_joins_fit = !within.as_ref().is_some_and(too_large) || !has_hash_join(plan)?;
    let settings = Settings {
        rows,
        hash_joins: hash_joins_fit && options.optimizer.prefer_hash_join,
    };
    let unchanged = rows == usize::from(options.execution.batch_size) && hash_joins_fit;
    Ok((!unchanged).then_some(settings))
}

/// The number of rows per batch at which no file's batches exceed the byte limit. Files whose rows all fit into one
/// batch, or that have a single row (such as a sketch of 16 MB), are ignored.
fn batch_rows(found: &Inputs, state: &SessionState) -> usize {
    let execution = &state.config_options().execution;
    let limit = state.runtime_env().memory_pool.memory_limit();
    let max_bytes = max_batch_bytes(limit, execution.target_partitions);
    let max_rows = usize::from(execution.batch_size);
    let limits = found.rows.iter().filter_map(|rows| {
        let limit = (max_bytes as u64 / rows.bytes.max(1)).max(1);
        (rows.count > limit).then(|| usize::try_from(limit).unwrap_or(max_rows))
    });
    limits.min().map_or(max_rows, |limit| limit.min(max_rows))
}

/// Upper bound of the bytes of a batch.
fn max_batch_bytes(limit: MemoryLimit, partitions: usize) -> usize {
    match limit {
        MemoryLimit::Finite(bytes) => {
            (bytes / partitions.max(1) / BATCH_MEMORY_DIVISOR).min(MAX_BATCH_BYTES)
        }
        _ => MAX_BATCH_BYTES,
    }
}

fn has_hash_join(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    plan.exists(|node| Ok(node.is::<HashJoinExec>()))
}

impl Settings {
    /// The session state with these settings.
    pub(super) fn state(&self, state: &SessionState) -> Result<SessionState> {
        let mut config = state.config().clone();
        let options = config.options_mut();
        options.execution.batch_size = ConfigNonZeroUsize::try_new(self.rows)?;
        options.optimizer.prefer_hash_join = self.hash_joins;
        Ok(SessionStateBuilder::new_from_existing(state.clone())
            .with_config(config)
            .build())
    }

    /// Wraps a plan that was made with [`Settings::state`], so that it also runs with that batch size, and merges batches
    /// where many small ones would be slow.
    pub(super) fn run(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let merging = plan.transform_up(|node| {
            if let Some(sort) = SizedSortExec::in_place_of(&node) {
                return Ok(Transformed::yes(Arc::new(sort) as _));
            }
            if let Some(merging) = MergeBatchesExec::below(&node)? {
                return Ok(Transformed::yes(merging));
            }
            let splitting = SplitBatchesExec::below_ordered_groups(&node, self.rows)?;
            Ok(splitting.map_or_else(|| Transformed::no(node), Transformed::yes))
        })?;
        let plan = merging.data;
        // Below the root, so that EXPLAIN ANALYZE shows the operator.
        if let Some(analyze) = plan.downcast_ref::<AnalyzeExec>() {
            let below: Arc<dyn ExecutionPlan> =
                Arc::new(BatchRowsExec::new(Arc::clone(analyze.input()), self.rows));
            let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            return plan.replace_children(vec![below], options);
        }
        Ok(Arc::new(BatchRowsExec::new(plan, self.rows)))
    }
}

/// The plan with a [`SplitBatchesExec`] below each `UNNEST`, with windows that hold one group of rows at a time, with sorts
/// of numbers by [`NumberSortExec`], with large aggregates by [`in_one_partition`] and joins with these by
/// [`SingleRowJoinExec`], with adaptive joins, and, under a memory limit, with a [`CompactColumnsExec`] below and above
/// each sort.
pub(super) fn with_bounds(
    plan: Arc<dyn ExecutionPlan>,
    state: &SessionState,
) -> Result<Arc<dyn ExecutionPlan>> {
    let is_limited = has_limit(state.config_options());
    let plan = match state.runtime_env().memory_pool.memory_limit() {
        MemoryLimit::Finite(_) => with_adaptive_joins(plan)?,
        _ => plan,
    };
    let plan = plan.transform_up(|node| {
        if let Some(sort) = node.downcast_ref::<SortExec>()
            && is_limited
            && CompactColumnsExec::is_useful(sort.input())
        {
            let input: Arc<dyn ExecutionPlan> =
                Arc::new(CompactColumnsExec::new(Arc::clone(sort.input())));
            let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            let sort = node.replace_children(vec![input], options)?;
            return Ok(Transformed::yes(
                Arc::new(CompactColumnsExec::new(sort)) as _
            ));
        }
        if let Some(sort) = NumberSortExec::in_place_of(&node) {
            return Ok(Transformed::yes(Arc::new(sort) as _));
        }
        if let Some(window) = GroupWindowExec::in_place_of(&node)? {
            return Ok(Transformed::yes(Arc::new(window) as _));
        }
        if let Some(filter) = in_one_partition(&node)? {
            return Ok(Transformed::yes(Arc::new(filter) as _));
        }
        if let Some(join) = SingleRowJoinExec::in_place_of(&node, is_one_row)? {
            return Ok(Transformed::yes(Arc::new(join) as _));
        }
        let Some(unnest) = node.downcast_ref::<UnnestExec>() else {
            return Ok(Transformed::no(node));
        };
        let lists = unnest.list_column_indices().iter();
        let lists = lists.map(|list| list.index_in_input_schema).collect();
        let input = before_long_lists(unnest.input())?;
        let split: Arc<dyn ExecutionPlan> = Arc::new(SplitBatchesExec::new(input, lists));
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        Ok(Transformed::yes(
            node.replace_children(vec![split], options)?,
        ))
    })?;
    Ok(plan.data)
}

/// A projection that computes lists of any length, with few rows at a time; another plan as it is.
fn before_long_lists(plan: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let Some(projection) = plan.downcast_ref::<ProjectionExec>() else {
        return Ok(Arc::clone(plan));
    };
    let rows = projection.expr().iter().filter_map(|column| {
        let function = column.expr.downcast_ref::<ScalarFunctionExpr>()?;
        SplitBatchesExec::rows_of_long_lists(function.name())
    });
    let Some(rows) = rows.min() else {
        return Ok(Arc::clone(plan));
    };
    let input = SplitBatchesExec::before_long_lists(Arc::clone(projection.input()), rows);
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(plan).replace_children(vec![Arc::new(input)], options)
}
