//! Outer joins whose columns are not taken for constants.
//!
//! The engine (DataFusion 55) keeps what it knows about the columns of both inputs of an outer join: that a column is a
//! constant, as in `SELECT 'a' AS source` or below `WHERE id = 3`, or equals another one. But rows without a partner have
//! NULL in the columns of the other input. A sort by such a column would be left out, and a LIMIT, a window or the order
//! of the result would be wrong. [`OuterJoinRows`] places [`OuterJoinRowsExec`] above these joins, which returns their
//! rows and promises nothing about their values or their order: a sort that is wanted must stay above it.

use crate::operators::one_input::one_input;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{JoinType, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use std::sync::Arc;

/// Places [`OuterJoinRowsExec`] above outer joins. It must run before sorts that are not needed are removed.
#[derive(Debug)]
pub(crate) struct OuterJoinRows;

impl PhysicalOptimizerRule for OuterJoinRows {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = plan.transform_up(|plan| {
            let known = plan.properties().equivalence_properties().eq_group();
            Ok(match is_outer(&plan) && !known.is_empty() {
                true => Transformed::yes(Arc::new(OuterJoinRowsExec::new(plan)) as _),
                false => Transformed::no(plan),
            })
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "outer_join_rows"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn is_outer(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let join_type = if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        *join.join_type()
    } else if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
        join.join_type()
    } else if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
        *join.join_type()
    } else {
        return false;
    };
    matches!(join_type, JoinType::Left | JoinType::Right | JoinType::Full)
}

/// The properties of a plan without what is known about the values and the order of its columns.
pub(crate) fn without_known_values(plan: &Arc<dyn ExecutionPlan>) -> PlanProperties {
    let nothing = EquivalenceProperties::new(plan.schema());
    PlanProperties::clone(plan.properties()).with_eq_properties(nothing)
}

/// Returns the rows of its input.
#[derive(Debug)]
pub struct OuterJoinRowsExec {
    join: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl OuterJoinRowsExec {
    /// The rows of a join.
    pub fn new(join: Arc<dyn ExecutionPlan>) -> Self {
        Self {
            properties: Arc::new(without_known_values(&join)),
            join,
        }
    }

    fn over(&self, join: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(join)))
    }
}

impl DisplayAs for OuterJoinRowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "OuterJoinRowsExec")
    }
}

impl ExecutionPlan for OuterJoinRowsExec {
    fn name(&self) -> &str {
        "OuterJoinRowsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    one_input!(join);

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.join.execute(partition, context)
    }
}
