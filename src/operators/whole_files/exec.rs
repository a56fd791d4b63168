//! The operator around the engine's writer of files.

use super::store::{Files, Stores};
use crate::files::NULL_DIRECTORY;
use crate::operators::one_input::passes_rows;
use crate::operators::task_context::with_runtime;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::file_format::csv::CsvSink;
use datafusion::datasource::file_format::json::JsonSink;
use datafusion::datasource::file_format::parquet::ParquetSink;
use datafusion::datasource::physical_plan::FileSink;
use datafusion::datasource::sink::{DataSink, DataSinkExec};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, execute_input_stream,
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
            // The rule may see a plan more than once.
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

/// Runs a file writer and commits its files only if all rows were read and written.
#[derive(Debug)]
pub(crate) struct WholeFilesExec {
    /// A [`DataSinkExec`].
    writer: Arc<dyn ExecutionPlan>,
}

impl WholeFilesExec {
    /// Commits the files of a writer, which must be a `DataSinkExec`.
    pub(crate) fn new(writer: Arc<dyn ExecutionPlan>) -> Self {
        Self { writer }
    }

    fn over(&self, writer: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(writer)))
    }
}

impl DisplayAs for WholeFilesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter) -> std::fmt::Result {
        write!(f, "WholeFilesExec")
    }
}

impl ExecutionPlan for WholeFilesExec {
    passes_rows!(writer, "WholeFilesExec");

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let writer = Arc::clone(&self.writer);
        let Some(sink) = writer.downcast_ref::<DataSinkExec>() else {
            return internal_err!("the input of WholeFilesExec must be a DataSinkExec");
        };
        let input = Arc::clone(sink.input());
        let schema = Arc::clone(sink.sink().schema());
        let rows = execute_input_stream(input, schema, partition, Arc::clone(&context))?;
        let files = Files::default();
        let (columns, errors) = (partition_columns(sink.sink()), files.clone());
        let schema = rows.schema();
        let rows = rows.map(move |batch| {
            let checked = batch.and_then(|batch| with_directories(batch, &columns));
            checked.map_err(|error| errors.record(error))
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
        let context = with_runtime(&context, runtime);
        let written = futures::stream::once(async move {
            let Some(sink) = writer.downcast_ref::<DataSinkExec>() else {
                return internal_err!("the input of WholeFilesExec must be a DataSinkExec");
            };
            let done = match sink.sink().write_all(rows, &context).await {
                Ok(count) => files.commit().await.map(|()| count),
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

/// The names of the columns of `PARTITIONED BY`.
fn partition_columns(sink: &dyn DataSink) -> Vec<String> {
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

/// Returns the rows, or an error if a partition column has NULL, whose rows the engine would write into the directory
/// of another value, or a text whose directory is read as NULL.
fn with_directories(rows: RecordBatch, columns: &[String]) -> Result<RecordBatch> {
    for name in columns {
        let Some(column) = rows.column_by_name(name) else {
            continue;
        };
        if column.logical_null_count() > 0 {
            return exec_err!(
                "PARTITIONED BY {name}: the column contains NULL, which has no directory; replace it, for example by coalesce({name}, …), or filter such rows out"
            );
        }
        let is_text = match column.data_type() {
            DataType::Dictionary(_, value) => value.is_string(),
            other => other.is_string(),
        };
        if !is_text {
            continue;
        }
        let texts = cast(column, &DataType::Utf8View)?;
        let mut texts = texts.as_string_view().iter().flatten();
        if let Some(text) = texts.find(|text| ["", NULL_DIRECTORY].contains(text)) {
            return exec_err!(
                "PARTITIONED BY {name}: the column contains '{text}', whose directory is read as NULL; replace it, for example by CASE {name} WHEN '{text}' THEN … ELSE {name} END, or filter such rows out"
            );
        }
    }
    Ok(rows)
}
