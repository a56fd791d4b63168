//! The physical plan.

use super::Target;
use super::logical::WRITTEN;
use super::writer::{ROW_GROUP_BYTES, StepFile, Written};
use crate::operators::one_input::one_input;
use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::Schema;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, LexOrdering, OrderingRequirements, PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::EmissionType;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::{StreamExt, TryStreamExt};
use neardup_datasets::take_losses;
use neardup_wikidump::Losses;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::runtime::Handle;

/// Maximum number of tasks that encode the row groups of one file, each of which is held in memory.
const MAX_TASKS: usize = 8;
/// The row groups that are held take at most this share of a memory limit, also of that of an executor: a sixteenth.
const MEMORY_SHARE: usize = 16;

/// The number of tasks that encode the row groups of one file, at most that of the threads that run them.
pub(super) fn tasks(context: &TaskContext) -> NonZeroUsize {
    let room = match context.memory_pool().memory_limit() {
        MemoryLimit::Finite(bytes) => bytes / MEMORY_SHARE / ROW_GROUP_BYTES as usize,
        _ => MAX_TASKS,
    };
    let partitions = context.session_config().target_partitions();
    // An executor may have fewer threads than the query has partitions.
    let threads = Handle::try_current().map_or(1, |runtime| runtime.metrics().num_workers());
    NonZeroUsize::new(partitions.min(threads).min(room).min(MAX_TASKS)).unwrap_or(NonZeroUsize::MIN)
}

/// Writes each partition of its input as one file and returns a record of each file.
#[derive(Debug)]
pub struct WriteStepExec {
    input: Arc<dyn ExecutionPlan>,
    target: Target,
    /// The required order of the input if all rows go to one file, else empty.
    order: Vec<SortColumn>,
    properties: Arc<PlanProperties>,
}

impl WriteStepExec {
    /// The operator over an input. If it writes one file, the output order of the input is required from then on.
    pub fn new(input: Arc<dyn ExecutionPlan>, target: Target) -> Self {
        let order = match (target.one_file, input.properties().output_ordering()) {
            (true, Some(order)) => order.iter().map_while(SortColumn::of).collect(),
            _ => vec![],
        };
        Self::with_order(input, target, order)
    }

    /// The operator over an input that must be in the given order.
    pub(crate) fn with_order(
        input: Arc<dyn ExecutionPlan>,
        target: Target,
        order: Vec<SortColumn>,
    ) -> Self {
        let partitions = input.properties().output_partitioning().partition_count();
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&WRITTEN)),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Final,
            input.properties().boundedness,
        ));
        Self {
            input,
            target,
            order,
            properties,
        }
    }

    /// The required order of the input if all rows go to one file, else empty.
    pub(crate) fn order(&self) -> &[SortColumn] {
        &self.order
    }

    /// Where and how the files are written.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// The same operator over another input.
    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let (target, order) = (self.target.clone(), self.order.clone());
        // The properties are computed again because the number of partitions may have changed.
        Ok(Arc::new(Self::with_order(input, target, order)))
    }
}

impl DisplayAs for WriteStepExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "WriteStepExec: {}", self.target.directory)
    }
}

impl ExecutionPlan for WriteStepExec {
    fn name(&self) -> &str {
        "WriteStepExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    one_input!(input);

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![match self.target.one_file {
            true => Distribution::SinglePartition,
            false => Distribution::UnspecifiedDistribution,
        }]
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let schema = self.input.schema();
        let order = self.order.iter().map(|column| column.expr(&schema));
        vec![LexOrdering::new(order).map(OrderingRequirements::from)]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let target = self.target.clone();
        let schema = self.input.schema();
        let plan = Arc::clone(&self.input);
        let mut input = plan.execute(partition, Arc::clone(&context))?;
        // Partitions that have files of their own are encoded in parallel anyway.
        let tasks = match target.one_file {
            true => tasks(&context),
            false => NonZeroUsize::MIN,
        };
        let written = async move {
            let mut file: Option<StepFile> = None;
            while let Some(batch) = input.next().await {
                let batch = batch?;
                if batch.num_rows() == 0 {
                    continue;
                }
                let open = match &mut file {
                    Some(open) => open,
                    None => file.insert(StepFile::create(
                        &target,
                        &schema,
                        &context.runtime_env(),
                        tasks,
                    )?),
                };
                open.write(&batch).await?;
            }
            let losses = take_losses(&plan);
            let written = match file {
                Some(file) => Some(file.finish().await?),
                None => None,
            };
            record_batch(written.as_ref(), &losses)
        };
        let stream = futures::stream::once(written).try_filter(|batch| {
            let has_rows = batch.num_rows() > 0;
            async move { has_rows }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&WRITTEN),
            stream,
        )))
    }
}

/// A column that rows are ordered by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SortColumn {
    index: usize,
    descending: bool,
    nulls_first: bool,
}

impl SortColumn {
    fn of(sort: &PhysicalSortExpr) -> Option<Self> {
        let column = sort.expr.downcast_ref::<Column>()?;
        Some(Self {
            index: column.index(),
            descending: sort.options.descending,
            nulls_first: sort.options.nulls_first,
        })
    }

    fn expr(&self, schema: &Schema) -> PhysicalSortExpr {
        let name = schema.field(self.index).name();
        let options = SortOptions::new(self.descending, self.nulls_first);
        PhysicalSortExpr::new(Arc::new(Column::new(name, self.index)), options)
    }
}

fn record_batch(written: Option<&Written>, losses: &[(String, Losses)]) -> Result<RecordBatch> {
    if written.is_none() && losses.is_empty() {
        return Ok(RecordBatch::new_empty(Arc::clone(&WRITTEN)));
    }
    let number = |number: fn(&Written) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from(vec![written.map_or(0, number)]))
    };
    let losses =
        serde_json::to_string(losses).map_err(|error| DataFusionError::External(error.into()))?;
    Ok(RecordBatch::try_new(
        Arc::clone(&WRITTEN),
        vec![
            Arc::new(StringArray::from(vec![
                written.map_or("", |file| file.file.as_str()),
            ])),
            number(|file| file.rows),
            number(|file| file.bytes),
            number(|file| file.checksum),
            Arc::new(StringArray::from(vec![losses])),
        ],
    )?)
}
