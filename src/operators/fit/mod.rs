//! Plans that fit into memory: how they depend on the bytes of what they read.
//!
//! The engine counts rows: a batch is 8,192 of them, of numbers or of books. And it joins by hash whatever
//! the size. Here a plan is made, the files under it are looked at, and where their rows are large, or all of
//! them together, it is made once more: with fewer rows a batch, which [`BatchRowsExec`] tells all operators,
//! and with joins of sorted rows, which spill. Below each `UNNEST` stands a [`CutExec`], which hands it fewer
//! rows where it makes many of each, and in place of the engine's windows over groups [`GroupWindowExec`], which
//! holds one group.
//!
//! Plans of ordinary rows are as they were, but for that. On a cluster plans are cut into stages as the engine
//! makes them.

mod batch_rows;
mod cut;
mod group_window;
mod inputs;

use crate::resources::HashJoinsWithin;
use batch_rows::BatchRowsExec;
use cut::CutExec;
use datafusion::common::Result;
use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::physical_plan::analyze::AnalyzeExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ReplaceChildrenOptions};
use group_window::GroupWindowExec;
use inputs::{Inputs, inputs};
use std::sync::Arc;

/// Bytes that the rows of a batch of a file may have. Their shingles are about ten times as large.
const BATCH_BYTES: usize = 8 << 20;
/// Of the memory of a partition, the part that a batch may have: 1 in so many.
const BATCH_SHARE: usize = 32;
/// Bytes of a row in memory for each in a file, at most about so many: files are compressed.
const EXPANSION: u64 = 6;

/// How a plan is to be made.
pub(super) struct Fit {
    /// Rows of a batch.
    rows: usize,
    /// Whether joins may be by hash.
    hash_joins: bool,
}

/// How a plan is to be made anew so that it fits; `None` where it fits as it is.
pub(super) async fn misfit(
    plan: &Arc<dyn ExecutionPlan>,
    state: &SessionState,
) -> Result<Option<Fit>> {
    let options = state.config_options();
    let found = inputs(plan, state).await?;
    let rows = batch_rows(&found, state);
    let within = state.config().get_extension::<HashJoinsWithin>();
    let too_large =
        |within: &Arc<HashJoinsWithin>| found.bytes.saturating_mul(EXPANSION) > within.0 as u64;
    let fits = !within.as_ref().is_some_and(too_large) || !has_hash_join(plan)?;
    let fit = Fit {
        rows,
        hash_joins: fits && options.optimizer.prefer_hash_join,
    };
    let unchanged = rows == usize::from(options.execution.batch_size) && fits;
    Ok((!unchanged).then_some(fit))
}

/// Rows of a batch, so that those of no file are too large together. A file whose rows all fit, or that has one
/// row (a sketch of 16 MB), has no say.
fn batch_rows(found: &Inputs, state: &SessionState) -> usize {
    let execution = &state.config_options().execution;
    let partitions = execution.target_partitions.max(1);
    let room = match state.runtime_env().memory_pool.memory_limit() {
        MemoryLimit::Finite(bytes) => (bytes / partitions / BATCH_SHARE).min(BATCH_BYTES),
        _ => BATCH_BYTES,
    };
    let most = usize::from(execution.batch_size);
    let fitting = found.rows.iter().filter_map(|rows| {
        let fit = (room as u64 / rows.bytes.max(1)).max(1);
        (rows.count > fit).then(|| usize::try_from(fit).unwrap_or(most))
    });
    fitting.min().map_or(most, |fit| fit.min(most))
}

fn has_hash_join(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let mut found = false;
    plan.apply(|node| {
        found |= node.is::<HashJoinExec>();
        Ok(match found {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    })?;
    Ok(found)
}

impl Fit {
    /// The state to plan with.
    pub(super) fn state(&self, state: &SessionState) -> Result<SessionState> {
        let mut config = state.config().clone();
        let options = config.options_mut();
        options.execution.batch_size = ConfigNonZeroUsize::try_new(self.rows)?;
        options.optimizer.prefer_hash_join = self.hash_joins;
        Ok(SessionStateBuilder::new_from_existing(state.clone())
            .with_config(config)
            .build())
    }

    /// The plan made with that state, run with as many rows a batch.
    pub(super) fn run(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        // So that EXPLAIN ANALYZE shows it.
        if let Some(analyze) = plan.downcast_ref::<AnalyzeExec>() {
            let below: Arc<dyn ExecutionPlan> =
                Arc::new(BatchRowsExec::new(Arc::clone(analyze.input()), self.rows));
            let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            return plan.replace_children(vec![below], options);
        }
        Ok(Arc::new(BatchRowsExec::new(plan, self.rows)))
    }
}

/// The plan with rows cut below each `UNNEST`, and with windows that hold one group of rows.
pub(super) fn with_bounds(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let plan = plan.transform_up(|node| {
        if let Some(window) = GroupWindowExec::in_place_of(&node)? {
            return Ok(Transformed::yes(Arc::new(window) as _));
        }
        let Some(unnest) = node.downcast_ref::<UnnestExec>() else {
            return Ok(Transformed::no(node));
        };
        let lists = unnest.list_column_indices().iter();
        let lists = lists.map(|list| list.index_in_input_schema).collect();
        let cut: Arc<dyn ExecutionPlan> = Arc::new(CutExec::new(Arc::clone(unnest.input()), lists));
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        Ok(Transformed::yes(node.replace_children(vec![cut], options)?))
    })?;
    Ok(plan.data)
}
