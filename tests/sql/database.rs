//! Connects a session of neardup to the runner of `.slt` files, and prints values for it.

use super::scratch::Scratch;
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use sqllogictest::{AsyncDB, DBOutput, DefaultColumnType};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A fresh session and its scratch directory.
pub struct Database {
    context: SessionContext,
    scratch: Scratch,
    /// The time in which a statement must answer.
    limit: Duration,
}

/// What a statement fails with that exceeds its limit.
pub const NO_ANSWER: &str = "no answer within";

/// An error of a statement, without the parts that vary from run to run.
#[derive(Debug)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl Database {
    /// A session with the given number of target partitions.
    pub fn new(partitions: usize) -> Result<Self, Failure> {
        let config = SessionConfig::new().with_target_partitions(partitions);
        let context = neardup::session(config, Arc::default());
        Self::over(context.map_err(|e| Failure(e.to_string()))?)
    }

    /// A scratch directory for a session.
    pub fn over(context: SessionContext) -> Result<Self, Failure> {
        let scratch = Scratch::new().map_err(|e| Failure(e.to_string()))?;
        Ok(Self {
            context,
            scratch,
            limit: Duration::MAX,
        })
    }

    /// Each statement must answer in a given time.
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    async fn statements(&self, sql: &str) -> Result<DBOutput<DefaultColumnType>, DataFusionError> {
        let options = self.context.state().config_options().sql_parser.clone();
        let statements = neardup::parse_statements(sql, &options)
            .map_err(|error| neardup::explain_parse_error(sql, error))?;
        let mut output = DBOutput::StatementComplete(0);
        for statement in statements {
            let plan = neardup::plan_statement(&self.context.state(), statement).await?;
            let explains = matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
            let returns_rows = !matches!(
                plan,
                LogicalPlan::Ddl(_)
                    | LogicalPlan::Statement(_)
                    | LogicalPlan::Copy(_)
                    | LogicalPlan::Dml(_)
            );
            let frame = self.context.execute_logical_plan(plan).await?;
            let schema = Arc::clone(frame.schema().inner());
            let batches = frame.collect().await?;
            output = match returns_rows {
                false => DBOutput::StatementComplete(0),
                true => DBOutput::Rows {
                    types: schema
                        .fields()
                        .iter()
                        .map(|f| column_type(f.data_type()))
                        .collect(),
                    rows: rows(&batches, explains)?,
                },
            };
        }
        Ok(output)
    }
}

#[async_trait::async_trait]
impl AsyncDB for Database {
    type Error = Failure;
    type ColumnType = DefaultColumnType;

    async fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Failure> {
        let sql = self.scratch.expand(sql);
        let answer = tokio::time::timeout(self.limit, self.statements(&sql)).await;
        let answer = answer.map_err(|_| Failure(format!("{NO_ANSWER} {:?}", self.limit)))?;
        match answer {
            Ok(DBOutput::Rows { types, rows }) => {
                let redact =
                    |row: Vec<String>| row.iter().map(|v| self.scratch.redact(v)).collect();
                Ok(DBOutput::Rows {
                    types,
                    rows: rows.into_iter().map(redact).collect(),
                })
            }
            Ok(done) => Ok(done),
            Err(error) => Err(Failure(self.scratch.redact(&error.strip_backtrace()))),
        }
    }

    async fn shutdown(&mut self) {}

    fn engine_name(&self) -> &str {
        "neardup"
    }
}

fn column_type(data_type: &DataType) -> DefaultColumnType {
    match data_type {
        integer if integer.is_integer() => DefaultColumnType::Integer,
        number if number.is_numeric() => DefaultColumnType::FloatingPoint,
        text if text.is_string() => DefaultColumnType::Text,
        DataType::Dictionary(_, value) => column_type(value),
        _ => DefaultColumnType::Any,
    }
}

/// Rows as text. Each line of a plan becomes a row with its line number.
fn rows(batches: &[RecordBatch], explains: bool) -> Result<Vec<Vec<String>>, DataFusionError> {
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let mut values = Vec::new();
            for column in batch.columns() {
                values.push(value(column, row)?);
            }
            match explains {
                false => rows.push(values.iter().map(|value| printable(value)).collect()),
                true => rows.extend(plan_lines(&values)),
            }
        }
    }
    Ok(rows)
}

/// One value. Floating-point numbers are printed with six decimals, so that tests do not depend on rounding errors.
fn value(column: &dyn Array, row: usize) -> Result<String, DataFusionError> {
    if column.is_null(row) {
        return Ok("NULL".to_owned());
    }
    let number = match column.data_type() {
        DataType::Float64 => Some(column.as_primitive::<Float64Type>().value(row)),
        DataType::Float32 => Some(f64::from(column.as_primitive::<Float32Type>().value(row))),
        _ => None,
    };
    if let Some(number) = number {
        let text = format!("{number:.6}");
        return Ok(match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        });
    }
    let options = FormatOptions::default().with_null("NULL");
    let formatter = ArrayFormatter::try_new(column, &options)?;
    let text = formatter.value(row).try_to_string()?;
    Ok(match text.is_empty() {
        true => "(empty)".to_owned(),
        false => text,
    })
}

/// A value on one line, in which white space is made visible where the runner would remove it.
fn printable(text: &str) -> String {
    let text = text
        .replace('\n', "\\n")
        .replace('\t', "\\t")
        .replace('\r', "\\r");
    match text.starts_with(' ') || text.ends_with(' ') || text.contains("  ") {
        true => format!("'{}'", text.replace(' ', "␣")),
        false => text,
    }
}

/// A plan as one row per line, with the line number and the indentation as dashes.
fn plan_lines(values: &[String]) -> Vec<Vec<String>> {
    let kind = values.first().cloned().unwrap_or_default();
    let plan = values.get(1).map_or("", String::as_str);
    let lines = plan.lines().enumerate().map(|(number, line)| {
        let body = line.trim_start();
        let dashes = "-".repeat(line.len() - body.len());
        vec![kind.clone(), format!("{:02}){dashes}{body}", number + 1)]
    });
    lines.collect()
}
