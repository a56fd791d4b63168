//! The physical plan.

use super::Target;
use super::logical::WRITTEN;
use super::writer::{StepFile, Written};
use datafusion::arrow::array::{RecordBatch, StringArray, UInt64Array};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_datafusion_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::EmissionType;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};
use std::sync::Arc;

/// Writes each partition of its input as one file and returns what it wrote.
#[derive(Debug)]
pub struct WriteStepExec {
    input: Arc<dyn ExecutionPlan>,
    target: Target,
    properties: Arc<PlanProperties>,
}

impl WriteStepExec {
    /// The operator over an input.
    pub fn new(input: Arc<dyn ExecutionPlan>, target: Target) -> Self {
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
            properties,
        }
    }

    /// The same operator over another input; its properties are made anew, because the number of
    /// partitions may have changed.
    fn over(&self, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        // The partition count may have changed: the properties are made anew.
        let [input] = children
            .try_into()
            .map_err(|_| internal_datafusion_err!("WriteStepExec has one input"))?;
        Ok(Arc::new(Self::new(input, self.target.clone())))
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

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(children)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.over(children)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let target = self.target.clone();
        let schema = self.input.schema();
        let mut input = self.input.execute(partition, Arc::clone(&context))?;
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
                        Arc::clone(&schema),
                        &context.runtime_env(),
                    )?),
                };
                open.write(&batch).await?;
            }
            match file {
                Some(file) => record_batch(&[file.finish().await?]),
                None => Ok(RecordBatch::new_empty(Arc::clone(&WRITTEN))),
            }
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

fn record_batch(written: &[Written]) -> Result<RecordBatch> {
    Ok(RecordBatch::try_new(
        Arc::clone(&WRITTEN),
        vec![
            Arc::new(StringArray::from_iter_values(
                written.iter().map(|file| &file.file),
            )),
            Arc::new(UInt64Array::from_iter_values(
                written.iter().map(|file| file.rows),
            )),
            Arc::new(UInt64Array::from_iter_values(
                written.iter().map(|file| file.bytes),
            )),
            Arc::new(UInt64Array::from_iter_values(
                written.iter().map(|file| file.checksum),
            )),
        ],
    )?)
}
