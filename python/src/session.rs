//! Sessions: tables, and statements over them.

use crate::arrow_stream::reader;
use crate::errors::exception;
use crate::partitions::spread;
use crate::rows::Rows;
use crate::texts;
use crate::wait::{refuse_fork, wait};
use arrow::array::RecordBatchReader;
use datafusion::catalog::TableProvider;
use datafusion::common::{
    DataFusionError, ParamValues, ScalarValue, TableReference, plan_datafusion_err, plan_err,
};
use datafusion::datasource::{MemTable, ViewTable};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use neardup::cluster::{ClientOptions, Token};
use neardup::files::{cast_to, wide_dictionaries};
use neardup::{Resources, explain_parse_error, explain_plan_error, parse_limit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Prefix of the names of tables that are registered for one call.
const PRIVATE: &str = "neardup private ";

/// A session in this process or on a cluster.
#[pyclass(frozen, module = "neardup._neardup")]
pub(crate) struct Session {
    context: SessionContext,
}

#[pymethods]
impl Session {
    /// A session in this process.
    #[staticmethod]
    fn local(
        threads: Option<usize>,
        memory_limit: Option<&str>,
        temp_dir: Option<std::path::PathBuf>,
        temp_limit: Option<&str>,
    ) -> PyResult<Self> {
        refuse_fork()?;
        let mut resources = Resources {
            temp_dir,
            ..Resources::default()
        };
        if let Some(threads) = threads {
            resources.threads = threads;
        }
        if let Some(limit) = memory_limit {
            resources.memory = limit
                .parse()
                .map_err(|error| PyValueError::new_err(format!("memory_limit: {error}")))?;
        }
        if let Some(limit) = temp_limit {
            let bytes = parse_limit(limit)
                .map_err(|error| PyValueError::new_err(format!("temp_limit: {error}")))?;
            resources.temp_limit = Some(bytes as u64);
        }
        Ok(Self::over(resources.session().map_err(exception)?))
    }

    /// A session on a cluster.
    #[staticmethod]
    fn cluster(
        url: &str,
        threads: Option<usize>,
        step_timeout: f64,
        scratch: Option<std::path::PathBuf>,
        token_file: Option<std::path::PathBuf>,
    ) -> PyResult<Self> {
        refuse_fork()?;
        let mut options = ClientOptions::new(url);
        if let Some(threads) = threads {
            options.partitions = threads;
        }
        options.step_timeout = Duration::try_from_secs_f64(step_timeout)
            .map_err(|error| PyValueError::new_err(format!("step_timeout: {error}")))?;
        options.scratch = scratch;
        let token = token_file.as_deref().map(Token::read).transpose();
        options.token = token.map_err(exception)?;
        let runtime = Arc::new(RuntimeEnv::default());
        let context = neardup::cluster::session(&options, runtime).map_err(exception)?;
        Ok(Self::over(context))
    }

    /// Plans a statement, with values for its placeholders `$name`. A statement that is not a query is run.
    fn sql(
        &self,
        py: Python<'_>,
        statement: String,
        values: HashMap<String, Bound<'_, PyAny>>,
    ) -> PyResult<Rows> {
        let mut bound = HashMap::new();
        for (name, value) in values {
            let value = scalar(&name, &value)?.into();
            bound.insert(name, value);
        }
        let context = self.context.clone();
        let tables = self.tables();
        let (plan, batches) = wait(py, async move {
            let planned = plan(&context, &statement).await;
            let planned = planned.map_err(|error| name_tables(error, &tables));
            let planned = planned.map_err(|error| explain_parse_error(&statement, error));
            let planned = planned.map_err(|error| explain_plan_error(&statement, &[], error))?;
            let mut plan = neardup::options::with_resets(planned);
            if !bound.is_empty() {
                plan = plan.with_param_values(ParamValues::Map(bound))?;
            }
            match plan {
                LogicalPlan::Ddl(_)
                | LogicalPlan::Statement(_)
                | LogicalPlan::Copy(_)
                | LogicalPlan::Dml(_) => {
                    let frame = context.execute_logical_plan(plan).await?;
                    let plan = frame.logical_plan().clone();
                    Ok((plan, Some(frame.collect().await?)))
                }
                query => {
                    let open = query.get_parameter_names()?;
                    if let Some(name) = open.iter().min() {
                        return plan_err!("no value is given for {name}");
                    }
                    let plan = context.execute_logical_plan(query).await?;
                    Ok((plan.into_unoptimized_plan(), None))
                }
            }
        })?;
        let context = self.context.clone();
        Ok(match batches {
            Some(batches) => Rows::collected(context, plan, batches),
            None => Rows::new(context, plan),
        })
    }

    /// Registers batches of an object with an Arrow C stream, without a copy but of small indices of dictionaries.
    fn register_stream(&self, py: Python<'_>, name: &str, data: &Bound<'_, PyAny>) -> PyResult<()> {
        refuse_fork()?;
        let stream = reader(data)?;
        let schema = wide_dictionaries(&stream.schema());
        // The GIL is released: a producer that is written in Python acquires it when it needs it.
        let batches: std::result::Result<Vec<_>, _> = py.detach(|| {
            let batches: Result<Vec<_>, _> = stream.collect();
            let batches = batches.map_err(|error| error.to_string())?;
            texts::check(&batches)?;
            let wide = batches.iter().map(|batch| cast_to(batch, &schema));
            let wide: Result<Vec<_>, _> = wide.collect();
            wide.map_err(|error| error.to_string())
        });
        let batches = batches.map_err(PyValueError::new_err)?;
        let runs = spread(&batches, self.context.state().config());
        let table = MemTable::try_new(schema, runs).map_err(exception)?;
        self.replace(name, Arc::new(table))
    }

    /// Registers files of documents, or dumps.
    fn register_files(&self, py: Python<'_>, name: &str, files: Vec<String>) -> PyResult<()> {
        let context = self.context.clone();
        let table = wait(py, async move {
            neardup::files::table(&files, &context.state()).await
        })?;
        self.replace(name, table)
    }

    /// Registers a query, or its rows if they were collected.
    fn register_rows(&self, name: &str, rows: &Rows) -> PyResult<()> {
        let plan = rows.relation().map_err(exception)?;
        self.replace(name, Arc::new(ViewTable::new(plan, None)))
    }

    /// Removes a table; returns whether it existed.
    fn deregister(&self, name: &str) -> PyResult<bool> {
        let table = self.context.deregister_table(TableReference::bare(name));
        Ok(table.map_err(exception)?.is_some())
    }

    /// Whether there is a table of that name.
    fn has_table(&self, name: &str) -> PyResult<bool> {
        let tables = self.tables();
        Ok(tables.iter().any(|table| table == name))
    }

    /// Names of the tables, sorted.
    fn tables(&self) -> Vec<String> {
        neardup::table_names(&self.context)
    }
}

impl Session {
    /// A session that reads texts as strings and not as string views, which PyArrow can neither sort nor
    /// compare.
    fn over(context: SessionContext) -> Self {
        let state = context.state_ref();
        let mut state = state.write();
        let options = state.config_mut().options_mut();
        options.execution.parquet.schema_force_view_types = false;
        options.sql_parser.map_string_types_to_utf8view = false;
        drop(state);
        Self { context }
    }

    fn replace(&self, name: &str, table: Arc<dyn TableProvider>) -> PyResult<()> {
        let name = TableReference::bare(name);
        self.context
            .deregister_table(name.clone())
            .map_err(exception)?;
        self.context
            .register_table(name, table)
            .map_err(exception)?;
        Ok(())
    }
}

/// The plan of one statement.
async fn plan(context: &SessionContext, sql: &str) -> Result<LogicalPlan, DataFusionError> {
    let state = context.state();
    let mut statements = neardup::parse_statements(sql, &state.config_options().sql_parser)?;
    match (statements.pop_front(), statements.len()) {
        (Some(statement), 0) => neardup::plan_statement(&state, statement).await,
        (None, _) => plan_err!("there is no statement in the text"),
        (_, others) => plan_err!("a call runs one statement, found {}", others + 1),
    }
}

/// Adds to the error that there is no table of a name which tables there are, and that SQL reads a name without quotes
/// in lower case.
fn name_tables(error: DataFusionError, tables: &[String]) -> DataFusionError {
    let text = error.strip_backtrace();
    let missing = text
        .split_once("table 'datafusion.public.")
        .and_then(|(_, rest)| Some(rest.split_once("' not found")?.0.to_owned()));
    let Some(missing) = missing else {
        return error;
    };
    let lower = missing.to_lowercase();
    if let Some(table) = tables.iter().find(|table| table.to_lowercase() == lower) {
        return plan_datafusion_err!(
            "there is no table '{missing}'; to read the table {table}, write its name in double quotes: \"{table}\""
        );
    }
    let tables: Vec<&str> = tables
        .iter()
        .map(String::as_str)
        .filter(|table| !table.starts_with(PRIVATE))
        .collect();
    plan_datafusion_err!(
        "there is no table '{missing}'; the tables are: {}",
        match tables.is_empty() {
            true => "none".to_owned(),
            false => tables.join(", "),
        }
    )
}

/// Converts a Python value to a value of the engine, through an array of length 1.
fn scalar(name: &str, value: &Bound<'_, PyAny>) -> PyResult<ScalarValue> {
    let table = value
        .py()
        .import("neardup._values")?
        .call_method1("table_of_value", (name, value))?;
    let batch = reader(&table)?.next();
    let batch = batch
        .transpose()
        .map_err(|error| PyValueError::new_err(error.to_string()))?
        .ok_or_else(|| PyValueError::new_err("a parameter without a value"))?;
    ScalarValue::try_from_array(batch.column(0), 0).map_err(exception)
}
