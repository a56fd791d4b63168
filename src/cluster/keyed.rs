//! [`KeyedExec`], the operator that requires its input partitioned by keys, for the plans of stages.

use super::in_turn::in_turn;
use crate::files::cast_to;
use crate::operators::one_input::one_input;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{Distribution, EquivalenceProperties, PhysicalExpr};
use datafusion::physical_expr_common::physical_expr::format_physical_expr_list;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    Partitioning, PlanProperties, ReplaceChildrenOptions,
};
use futures::TryStreamExt;
use futures::future::ready;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The same operator over other inputs.
pub(super) fn with_children(
    plan: &Arc<dyn ExecutionPlan>,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(plan).replace_children(inputs, options)
}

/// Whether a plan is an empty relation, or operators that return no rows over one.
pub(super) fn is_empty(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let passes = plan.is::<SortExec>()
        || plan.is::<UnnestExec>()
        || plan.is::<ProjectionExec>()
        || plan.is::<FilterExec>()
        || plan.is::<BoundedWindowAggExec>()
        || plan.is::<WindowAggExec>();
    match plan.children().as_slice() {
        [input] if passes => is_empty(input),
        _ => plan.is::<EmptyExec>(),
    }
}

/// What a [`KeyedExec`] declares of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Declared {
    /// Neither statistics nor partitioning.
    Nothing,
    /// The statistics and the partitioning of its input.
    AsInput,
    /// That there is one row, of unknown size, and the partitioning of its input.
    OneRow,
}

/// The parameters of a [`KeyedExec`].
#[derive(Debug, Clone)]
pub(super) struct KeyedSpec {
    /// The expressions that rows must be partitioned by.
    pub(super) keys: Option<Vec<Arc<dyn PhysicalExpr>>>,
    pub(super) declared: Declared,
    /// Whether the input is known to be empty, and so is partitioned by any key.
    pub(super) no_rows: bool,
    /// Whether the partitions that the input gathers are read in turn.
    pub(super) in_turn: bool,
}

/// Passes rows through, declares no order, and requires them partitioned by key if keys are given. The planner's
/// rules move no operator past it.
#[derive(Debug)]
pub(super) struct KeyedExec {
    input: Arc<dyn ExecutionPlan>,
    spec: KeyedSpec,
    properties: Arc<PlanProperties>,
}

impl KeyedExec {
    /// The rows of an input, partitioned by the values of `keys` if there are any.
    pub(super) fn of(
        input: Arc<dyn ExecutionPlan>,
        keys: Option<Vec<Arc<dyn PhysicalExpr>>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let spec = KeyedSpec {
            keys,
            declared: Declared::AsInput,
            no_rows: false,
            in_turn: false,
        };
        Self::new(input, spec).replace_empty_input()
    }

    /// The same operator, with an empty relation replaced by a table in memory: an empty relation is not sliced
    /// for tasks.
    fn replace_empty_input(mut self) -> Result<Arc<dyn ExecutionPlan>> {
        if is_empty(&self.input) {
            let partitions = vec![vec![]; self.input.output_partitioning().partition_count()];
            let schema = self.input.schema();
            self.spec.no_rows = true;
            let table = MemorySourceConfig::try_new_exec(&partitions, schema, None)?;
            self = Self::new(table, self.spec);
        }
        Ok(Arc::new(self))
    }

    pub(super) fn new(input: Arc<dyn ExecutionPlan>, spec: KeyedSpec) -> Self {
        let properties = input.properties();
        let partitioning = properties.output_partitioning().clone();
        let partitioning = match &spec.keys {
            Some(keys) if spec.no_rows => {
                Partitioning::Hash(keys.clone(), partitioning.partition_count())
            }
            _ if spec.declared != Declared::Nothing => partitioning,
            _ => Partitioning::UnknownPartitioning(partitioning.partition_count()),
        };
        // No constants of partitions are declared: they differ in the partitions of a shuffle above.
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            partitioning,
            properties.emission_type,
            properties.boundedness,
        ));
        Self {
            input,
            spec,
            properties,
        }
    }

    /// Whether a shuffle will be inserted below it.
    pub(super) fn is_shuffle(&self) -> bool {
        let input = self.input.downcast_ref::<KeyedExec>();
        self.spec.keys.is_some()
            && input.is_some_and(|input| input.spec.declared == Declared::Nothing)
    }

    pub(super) fn spec(&self) -> &KeyedSpec {
        &self.spec
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Self::new(input, self.spec.clone()).replace_empty_input()
    }
}

impl DisplayAs for KeyedExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.spec.keys {
            Some(keys) => write!(f, "KeyedExec: keys=[{}]", format_physical_expr_list(keys)),
            None => write!(f, "KeyedExec"),
        }
    }
}

impl ExecutionPlan for KeyedExec {
    fn name(&self) -> &str {
        "KeyedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    one_input!(input with expressions);

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![match self.spec.declared {
            Declared::AsInput => ChildStats::At(partition),
            Declared::Nothing | Declared::OneRow => ChildStats::Skip,
        }]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let unknown = Statistics::new_unknown(&self.schema());
        Ok(match (self.spec.declared, inputs) {
            (Declared::AsInput, [input]) => Arc::clone(input),
            (Declared::OneRow, _) => Arc::new(unknown.with_num_rows(Precision::Exact(1))),
            _ => Arc::new(unknown),
        })
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![match &self.spec.keys {
            Some(keys) if !self.spec.no_rows => Distribution::KeyPartitioned(keys.clone()),
            _ => Distribution::UnspecifiedDistribution,
        }]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let mut next = TreeNodeRecursion::Continue;
        for key in self.spec.keys.iter().flatten() {
            next = next.visit_sibling(|| f(key))?;
        }
        Ok(next)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        // A stage is planned after the stages below it have run: its schema may differ in which columns are
        // nullable, and rows that were shuffled no longer hold dictionaries.
        let (schema, declared) = (self.schema(), self.schema());
        let rows = match self.spec.in_turn {
            true => in_turn(&self.input, &context)?.execute(partition, context)?,
            false => self.input.execute(partition, context)?,
        };
        let rows = rows.and_then(move |batch| ready(cast_to(&batch, &declared)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}
