//! The physical plan.

use super::Store;
use crate::operators::one_input::{input_statistics, one_input};
use datafusion::common::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{Distribution, EquivalenceProperties};
use datafusion::physical_plan::execution_plan::EmissionType;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet, SpillMetrics};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use std::sync::Arc;

/// Reads the rows of a [`Store`]. The first copy of the operator that is executed fills the store from its input.
#[derive(Debug)]
pub(crate) struct SharedRowsExec {
    input: Arc<dyn ExecutionPlan>,
    store: Arc<Store>,
    /// Whether the rows are divided among the partitions by their first column.
    divided: bool,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl SharedRowsExec {
    /// The operator over an input. Copies with the same key share one store.
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, store: Arc<Store>) -> Self {
        let properties = input.properties();
        let partitions = properties.output_partitioning().partition_count();
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Final,
            properties.boundedness,
        ));
        Self {
            input,
            store,
            divided: false,
            properties,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// The same operator, with rows that are divided among the partitions by their first column, or are as they come.
    pub(crate) fn with_rows_divided(self, divided: bool) -> Self {
        Self { divided, ..self }
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let over = Self::new(input, Arc::clone(&self.store));
        Ok(Arc::new(over.with_rows_divided(self.divided)))
    }

    /// The distribution of rows over partitions is known only after execution.
    fn passes_statistics(&self, partition: Option<usize>) -> bool {
        partition.is_none()
    }
}

impl DisplayAs for SharedRowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "SharedRowsExec")
    }
}

impl ExecutionPlan for SharedRowsExec {
    fn name(&self) -> &str {
        "SharedRowsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    one_input!(input);
    input_statistics!();

    fn required_input_distribution(&self) -> Vec<Distribution> {
        let schema = self.input.schema();
        vec![match schema.fields().first() {
            Some(first) if self.divided => {
                Distribution::KeyPartitioned(vec![Arc::new(Column::new(first.name(), 0))])
            }
            _ => Distribution::UnspecifiedDistribution,
        }]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let partitions = self.properties.output_partitioning().partition_count();
        let metrics = SpillMetrics::new(&self.metrics, partition);
        Ok(self
            .store
            .read(&self.input, metrics, partition, partitions, &context))
    }
}
