//! The operator around the engine's writer of files.

use super::store::{Files, Stores};
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, UInt64Array};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, exec_err, internal_datafusion_err, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::file_format::csv::CsvSink;
use datafusion::datasource::file_format::json::JsonSink;
use datafusion::datasource::file_format::parquet::ParquetSink;
use datafusion::datasource::physical_plan::FileSink;
use datafusion::datasource::sink::{DataSink, DataSinkExec};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
    execute_input_stream,
};
use futures::StreamExt;
use std::fmt::Formatter;
use std::sync::Arc;

/// Puts a [`WholeFilesExec`] above each writer of files.
#[derive(Debug)]
pub(crate) struct WholeFiles;

impl PhysicalOptimizerRule for WholeFiles {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = plan.transform_down(|node| {
            // A plan may come here more than once.
            if node.is::<WholeFilesExec>() {
                return Ok(Transformed::new(node, false, TreeNodeRecursion::Jump));
            }
            match node.is::<DataSinkExec>() {
                false => Ok(Transformed::no(node)),
                true => {
                    let whole = Arc::new(WholeFilesExec { writer: node }) as _;
                    Ok(Transformed::new(whole, true, TreeNodeRecursion::Jump))
                }
            }
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "whole_files"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Runs a writer of files, whose files are put in place only if all rows came.
#[derive(Debug)]
pub(crate) struct WholeFilesExec {
    /// A [`DataSinkExec`].
    writer: Arc<dyn ExecutionPlan>,
}

impl WholeFilesExec {
    pub(crate) fn over(children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [writer] = children
            .try_into()
            .map_err(|_| internal_datafusion_err!("WholeFilesExec has one input"))?;
        Ok(Arc::new(Self { writer }))
    }
}

impl DisplayAs for WholeFilesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter) -> std::fmt::Result {
        write!(f, "WholeFilesExec")
    }
}

impl ExecutionPlan for WholeFilesExec {
    fn name(&self) -> &str {
        "WholeFilesExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.writer.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.writer]
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
        Self::over(children)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Self::over(children)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let writer = Arc::clone(&self.writer);
        let Some(sink) = writer.downcast_ref::<DataSinkExec>() else {
            return internal_err!("WholeFilesExec runs a writer of files");
        };
        let input = Arc::clone(sink.input());
        let schema = Arc::clone(sink.sink().schema());
        let rows = execute_input_stream(input, schema, partition, Arc::clone(&context))?;
        let files = Files::default();
        let (folders, noted) = (folders(sink.sink()), files.clone());
        let schema = rows.schema();
        let rows = rows.map(move |batch| {
            let checked = batch.and_then(|batch| named(batch, &folders));
            checked.map_err(|error| noted.note(error))
        });
        let rows: SendableRecordBatchStream = Box::pin(RecordBatchStreamAdapter::new(schema, rows));
        let runtime = context.runtime_env();
        let stores = Stores {
            stores: Arc::clone(&runtime.object_store_registry),
            files: files.clone(),
        };
        let runtime = RuntimeEnvBuilder::from_runtime_env(&runtime)
            .with_object_store_registry(Arc::new(stores))
            .build_arc()?;
        let context = TaskContext::new(
            context.task_id(),
            context.session_id(),
            context.session_config().clone(),
            context.scalar_functions().clone(),
            context.higher_order_functions().clone(),
            context.aggregate_functions().clone(),
            context.window_functions().clone(),
            runtime,
        );
        let written = futures::stream::once(async move {
            let Some(sink) = writer.downcast_ref::<DataSinkExec>() else {
                return internal_err!("WholeFilesExec runs a writer of files");
            };
            let done = match sink.sink().write_all(rows, &Arc::new(context)).await {
                Ok(count) => files.put_in_place().await.map(|()| count),
                Err(error) => Err(error),
            };
            match done {
                Ok(count) => {
                    let count: ArrayRef = Arc::new(UInt64Array::from(vec![count]));
                    Ok(RecordBatch::try_new(sink.schema(), vec![count])?)
                }
                Err(error) => Err(files.remove(error).await),
            }
        });
        let schema = self.schema();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, written)))
    }
}

/// The columns of `PARTITIONED BY`.
fn folders(sink: &dyn DataSink) -> Vec<String> {
    let config = if let Some(sink) = sink.downcast_ref::<ParquetSink>() {
        sink.config()
    } else if let Some(sink) = sink.downcast_ref::<CsvSink>() {
        sink.config()
    } else if let Some(sink) = sink.downcast_ref::<JsonSink>() {
        sink.config()
    } else {
        return vec![];
    };
    let columns = config.table_partition_cols.iter();
    columns.map(|(name, _)| name.clone()).collect()
}

/// Rows of which each has a folder: the engine puts those with NULL into that of another value.
fn named(rows: RecordBatch, folders: &[String]) -> Result<RecordBatch> {
    for name in folders {
        let column = rows.column_by_name(name);
        if column.is_some_and(|column| column.logical_null_count() > 0) {
            return exec_err!(
                "PARTITIONED BY {name}: the column has NULL, for which there is no folder; give such rows a value, as with coalesce({name}, …), or leave them out"
            );
        }
    }
    Ok(rows)
}
