//! The rows of a query.

use crate::arrow_stream::{Batches, Running, capsule, schema_capsule};
use crate::errors::exception;
use crate::partitions::spread;
use crate::wait::{wait, wait_with};
use arrow::array::{AsArray, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow::compute::sum;
use arrow::datatypes::{SchemaRef, UInt64Type};
use arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::common::stats::Precision;
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, collect_partitioned, execute_stream};
use datafusion::prelude::{DataFrame, SessionContext};
use neardup::files::Destination;
use neardup::operators::in_order::in_order;
use pyo3::exceptions::{PyFileExistsError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::{Arc, OnceLock};

/// A query that runs when its rows are requested; collected rows are kept.
#[pyclass(frozen, module = "neardup._neardup")]
pub(crate) struct Rows {
    context: SessionContext,
    plan: LogicalPlan,
    kept: OnceLock<Vec<RecordBatch>>,
}

impl Rows {
    pub(crate) fn new(context: SessionContext, plan: LogicalPlan) -> Self {
        Self {
            context,
            plan,
            kept: OnceLock::new(),
        }
    }

    /// Rows that have already been computed.
    pub(crate) fn collected(
        context: SessionContext,
        plan: LogicalPlan,
        batches: Vec<RecordBatch>,
    ) -> Self {
        Self {
            context,
            plan,
            kept: OnceLock::from(batches),
        }
    }

    pub(crate) fn frame(&self) -> DataFrame {
        DataFrame::new(self.context.state(), self.plan.clone())
    }

    /// The plan of the query for use in another query; a scan of the rows, if they were collected.
    pub(crate) fn relation(&self) -> Result<LogicalPlan> {
        match self.kept.get() {
            None => Ok(self.plan.clone()),
            Some(batches) => {
                let runs = spread(batches, self.context.state().config());
                let table = MemTable::try_new(self.schema(), runs)?;
                Ok(self
                    .context
                    .read_table(Arc::new(table))?
                    .into_unoptimized_plan())
            }
        }
    }

    fn schema(&self) -> SchemaRef {
        match self.kept.get().and_then(|batches| batches.first()) {
            Some(batch) => batch.schema(),
            None => Arc::clone(self.plan.schema().inner()),
        }
    }

    fn reader(&self, batches: Vec<RecordBatch>) -> impl RecordBatchReader + Send + 'static {
        RecordBatchIterator::new(batches.into_iter().map(Ok), self.schema())
    }

    fn running(&self, py: Python<'_>) -> PyResult<Running> {
        let frame = self.frame();
        let stream = wait(py, async move {
            let task = Arc::new(frame.task_ctx());
            let plan = in_order(frame.create_physical_plan().await?);
            execute_stream(plan, task)
        })?;
        Ok(Running::new(stream))
    }
}

#[pymethods]
impl Rows {
    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = self.schema();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// Whether the rows are kept.
    #[getter]
    fn is_collected(&self) -> bool {
        self.kept.get().is_some()
    }

    /// Runs the query, unless its rows are kept already, keeps its rows and returns their number. `progress`
    /// is called with the rows read so far and the total, None if that is unknown.
    #[pyo3(signature = (progress=None))]
    fn collect(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<usize> {
        if self.kept.get().is_none() {
            let frame = self.frame();
            let (task, plan) = wait(py, async move {
                let task = Arc::new(frame.task_ctx());
                Ok((task, frame.create_physical_plan().await?))
            })?;
            let running = Arc::clone(&plan);
            // Partition by partition, so that a scan keeps the order of its table.
            let batches = wait_with(
                py,
                collect_partitioned(running, task),
                |py| match &progress {
                    None => Ok(()),
                    Some(progress) => progress.call1(py, read(&plan)).map(drop),
                },
            )?;
            let batches = batches.into_iter().flatten().collect();
            // Another thread may have set the same rows in the meantime.
            let _ = self.kept.set(batches);
        }
        let batches = self.kept.get().map_or(&[][..], Vec::as_slice);
        Ok(batches.iter().map(RecordBatch::num_rows).sum())
    }

    /// The first rows, collected.
    fn head(&self, py: Python<'_>, rows: usize) -> PyResult<Self> {
        if let Some(batches) = self.kept.get() {
            let first = first_rows(batches, rows);
            return Ok(Self::collected(
                self.context.clone(),
                self.plan.clone(),
                first,
            ));
        }
        let first = self.frame().limit(0, Some(rows)).map_err(exception)?;
        let plan = first.logical_plan().clone();
        let batches = wait(py, first.collect())?;
        Ok(Self::collected(self.context.clone(), plan, batches))
    }

    /// The rows as an Arrow C stream: the kept rows, else computed when they are requested.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer that cannot cast ignore what is requested.
        drop(requested_schema);
        match self.kept.get() {
            Some(batches) => capsule(py, self.reader(batches.clone())),
            None => capsule(py, self.running(py)?),
        }
    }

    /// An iterator over the batches: the kept ones, else each is computed when it is requested.
    fn batches(&self, py: Python<'_>) -> PyResult<Batches> {
        match self.kept.get() {
            None => Ok(Batches(self.running(py)?)),
            Some(batches) => {
                let batches = futures::stream::iter(batches.clone().into_iter().map(Ok));
                let stream = RecordBatchStreamAdapter::new(self.schema(), batches);
                Ok(Batches(Running::new(Box::pin(stream))))
            }
        }
    }

    /// The schema as an Arrow C schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema())
    }

    /// The plan of the query; with `analyze` the query is run, and the plan shows its metrics.
    fn explain(&self, py: Python<'_>, verbose: bool, analyze: bool) -> PyResult<String> {
        let explained = self.frame().explain(verbose, analyze).map_err(exception)?;
        let batches = wait(py, explained.collect())?;
        let mut text = String::new();
        for batch in &batches {
            for row in 0..batch.num_rows() {
                for column in batch.columns() {
                    let cell = arrow::util::display::array_value_to_string(column, row);
                    text.push_str(&cell.map_err(|error| PyValueError::new_err(error.to_string()))?);
                    text.push('\n');
                }
            }
        }
        Ok(text)
    }

    /// The rows as a table of text.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.collect(py, None)?;
        let mut batches = self.kept.get().cloned().unwrap_or_default();
        if batches.is_empty() {
            batches.push(RecordBatch::new_empty(self.schema()));
        }
        let table = pretty_format_batches(&batches);
        table
            .map(|table| table.to_string())
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Writes the rows as files of a format. `mode` says what happens to files that are at the destination: `error`,
    /// `overwrite` or `append`.
    fn write(&self, py: Python<'_>, path: String, format: &str, mode: &str) -> PyResult<()> {
        let plan = self.relation().map_err(exception)?;
        let frame = DataFrame::new(self.context.state(), plan);
        let runtime = self.context.runtime_env();
        let name = path.clone();
        let found = wait(py, async move { Destination::find(&name, &runtime).await })?;
        match mode {
            "error" if !found.is_empty() => {
                let more = match found.is_directory() {
                    true => ", mode='append' adds files to it",
                    false => "",
                };
                return Err(PyFileExistsError::new_err(format!(
                    "{path}: it exists; mode='overwrite' replaces it{more}"
                )));
            }
            "append" if !found.is_directory() => {
                return Err(PyValueError::new_err(format!(
                    "{path}: mode='append' adds files to a directory, and this is a file"
                )));
            }
            "overwrite" => found.check_replaceable(format).map_err(exception)?,
            _ => {}
        }
        let format = format.to_owned();
        let replaces = mode == "overwrite";
        let context = self.context.clone();
        wait(py, async move {
            let schema = Arc::clone(frame.schema().inner());
            let rows = written(frame, &path, &format).await?;
            // Without rows the engine writes no file into a directory, and a reader would not know its columns.
            if rows == 0 && found.is_directory() && (replaces || found.is_empty()) {
                let empty = context.read_batch(RecordBatch::new_empty(schema))?;
                written(empty, &found.new_file(&format), &format).await?;
            }
            // The earlier files of a directory are removed once the new ones are there.
            match replaces {
                true => found.remove_found().await,
                false => Ok(()),
            }
        })
    }
}

/// Writes a query as files of a format; returns the number of rows.
async fn written(frame: DataFrame, path: &str, format: &str) -> Result<u64> {
    let options = DataFrameWriteOptions::new();
    let counted = match format {
        "csv" => frame.write_csv(path, options, None).await?,
        "json" => frame.write_json(path, options, None).await?,
        _ => frame.write_parquet(path, options, None).await?,
    };
    let counts = counted.iter().filter_map(|batch| {
        let counts = batch.columns().first()?;
        counts.as_primitive_opt::<UInt64Type>().and_then(sum)
    });
    Ok(counts.sum())
}

/// The first rows of batches, as slices that share their memory.
fn first_rows(batches: &[RecordBatch], mut rows: usize) -> Vec<RecordBatch> {
    let mut first = Vec::new();
    for batch in batches {
        if rows == 0 {
            break;
        }
        let length = rows.min(batch.num_rows());
        first.push(batch.slice(0, length));
        rows -= length;
    }
    first
}

/// The rows that the leaves of a plan have returned so far, and their total if every leaf knows its number.
fn read(plan: &Arc<dyn ExecutionPlan>) -> (usize, Option<usize>) {
    let (mut rows, mut all) = (0, Some(0));
    // Nodes, each with the count of the nearest operator above it that passes its rows on: scans of tables
    // in memory have no metrics.
    let mut pending = vec![(Arc::clone(plan), None)];
    while let Some((node, above)) = pending.pop() {
        let counted = node.metrics().and_then(|set| set.output_rows());
        let counted = counted.filter(|rows| *rows > 0).or(above);
        let children = node.children();
        if children.is_empty() {
            let known = StatisticsContext::new().compute(node.as_ref(), &StatisticsArgs::new());
            let total = match known.map(|statistics| statistics.num_rows) {
                Ok(Precision::Exact(count)) => Some(count),
                _ => None,
            };
            rows += counted.unwrap_or(0).min(total.unwrap_or(usize::MAX));
            all = all.and_then(|all| Some(all + total?));
        }
        let passed = counted.filter(|_| children.len() == 1);
        pending.extend(
            children
                .into_iter()
                .map(|child| (Arc::clone(child), passed)),
        );
    }
    (rows, all.filter(|all| *all > 0))
}
