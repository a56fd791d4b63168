//! An outer join that the adaptive planner does not rewrite.
//!
//! The adaptive planner (Ballista 55) replaces a side without rows by an empty relation of many partitions, and
//! the join then shuffles that relation by its keys again and again. This operator replaces such a side by a
//! [`KeyedExec`], which declares that an empty input is partitioned by any key, and hides the join from other
//! rules. The join is a sort-merge join, which spills.

use super::keyed::{KeyedExec, is_empty, with_children};
use crate::operators::unknown_values::without_known_values;
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{JoinType, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{OrderingRequirements, PhysicalExpr};
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::joins::SortMergeJoinExec;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
    ReplaceChildrenOptions,
};
use std::sync::Arc;

/// Wraps a join and runs it unchanged, but for the schema of its condition.
#[derive(Debug)]
pub(super) struct OuterJoinExec {
    join: Arc<dyn ExecutionPlan>,
    /// What each side is joined by.
    keys: [Vec<Arc<dyn PhysicalExpr>>; 2],
    properties: Arc<PlanProperties>,
}

impl OuterJoinExec {
    /// Wraps a sort-merge join that returns rows without a partner.
    pub(super) fn of(join: &Arc<dyn ExecutionPlan>) -> Result<Option<Self>> {
        let Some(merge) = join.downcast_ref::<SortMergeJoinExec>() else {
            return Ok(None);
        };
        let inner = [JoinType::Inner, JoinType::LeftSemi, JoinType::RightSemi];
        if inner.contains(&merge.join_type) {
            return Ok(None);
        }
        let (left, right) = merge.on.iter().cloned().unzip();
        let join = with_nullable_filter(merge)?;
        Ok(Some(Self::new(join, [left, right])))
    }

    fn new(join: Arc<dyn ExecutionPlan>, keys: [Vec<Arc<dyn PhysicalExpr>>; 2]) -> Self {
        Self {
            properties: Arc::new(without_known_values(&join)),
            join,
            keys,
        }
    }

    /// The join over empty inputs: its parameters, as the codec encodes them.
    pub(super) fn without_inputs(&self) -> Result<Arc<dyn ExecutionPlan>> {
        let inputs = self.join.children().into_iter();
        let empty = inputs.map(|input| Arc::new(EmptyExec::new(input.schema())) as _);
        with_children(&self.join, empty.collect())
    }

    /// The same join over other inputs.
    pub(super) fn over(&self, inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<Self> {
        let keyed = inputs.into_iter().zip(&self.keys);
        let inputs = keyed.map(|(input, keys)| match is_empty(&input) {
            true => KeyedExec::of(input, Some(keys.clone())),
            false => Ok(input),
        });
        let join = with_children(&self.join, inputs.collect::<Result<_>>()?)?;
        Ok(Self::new(join, self.keys.clone()))
    }
}

/// The join, with a condition that accepts NULLs in all columns. The engine (DataFusion 55) evaluates the condition also
/// for rows without a partner, whose columns of the other side are NULL.
fn with_nullable_filter(join: &SortMergeJoinExec) -> Result<Arc<dyn ExecutionPlan>> {
    let filter = join.filter.as_ref().map(|filter| {
        let fields = filter.schema().fields().iter();
        let fields = fields.map(|field| Field::clone(field).with_nullable(true));
        JoinFilter::new(
            Arc::clone(filter.expression()),
            filter.column_indices().to_vec(),
            Arc::new(Schema::new(fields.collect::<Vec<_>>())),
        )
    });
    Ok(Arc::new(SortMergeJoinExec::try_new(
        Arc::clone(&join.left),
        Arc::clone(&join.right),
        join.on.clone(),
        filter,
        join.join_type,
        join.sort_options.clone(),
        join.null_equality,
    )?))
}

impl DisplayAs for OuterJoinExec {
    fn fmt_as(&self, t: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "OuterJoinExec: ")?;
        self.join.fmt_as(t, f)
    }
}

impl ExecutionPlan for OuterJoinExec {
    fn name(&self) -> &str {
        "OuterJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.join.children()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        let sides = self.join.input_distribution_requirements().into_per_child();
        // The joint requirement of both sides is dropped: it would be checked between the rules, before anything
        // is partitioned.
        InputDistributionRequirements::new(sides)
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        self.join.required_input_ordering()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false, false]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.join.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.over(children)?))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.over(children)?))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.join.metrics()
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.join.execute(partition, context)
    }
}
