//! Runs statements and prints their rows.

use super::out::{self, Out};
use super::visible::{CellLimits, Visible, visible_rows};
use clap::ValueEnum;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::json::WriterBuilder;
use datafusion::arrow::json::writer::LineDelimited;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::{DataFusionError, Result};
use datafusion::dataframe::DataFrame;
use datafusion::functions_nested::expr_fn::array_to_string;
use datafusion::logical_expr::{Expr, LogicalPlan, lit};
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use futures::StreamExt;
use std::io::{IsTerminal, Write};
use std::sync::Arc;

/// Output format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Csv,
    Json,
}

/// Runs statements one after the other, and prints the rows of queries.
pub(super) async fn run_script(
    context: &SessionContext,
    script: &str,
    format: Format,
) -> Result<()> {
    let options = context.state().config_options().sql_parser.clone();
    let statements = neardup::parse_statements(script, &options)
        .map_err(|error| neardup::explain_parse_error(script, error))?;
    let explained = |error: DataFusionError| {
        neardup::explain_plan_error(script, &neardup::table_names(context), error)
    };
    for statement in statements {
        let lists_functions = matches!(
            &statement,
            Statement::Statement(sql) if matches!(sql.as_ref(), SqlStatement::ShowFunctions { .. })
        );
        let plan = neardup::plan_statement(&context.state(), statement)
            .await
            .map_err(explained)?;
        let plan = neardup::options::with_resets(plan);
        let prints = !matches!(
            plan,
            LogicalPlan::Ddl(_)
                | LogicalPlan::Statement(_)
                | LogicalPlan::Copy(_)
                | LogicalPlan::Dml(_)
        );
        let limits = match plan {
            // A plan is read in full.
            LogicalPlan::Explain(_) | LogicalPlan::Analyze(_) => CellLimits::WIDEST,
            _ => CellLimits::of_output(),
        };
        let read = plan.clone();
        let done = neardup::files::caught(async {
            let frame = context.execute_logical_plan(plan).await?;
            match format {
                _ if !prints => frame.collect().await.map(drop),
                Format::Table => print_table(frame, limits).await,
                Format::Csv if lists_functions => {
                    print_stream(lists_as_texts(frame)?, format).await
                }
                _ => print_stream(frame, format).await,
            }
        });
        if let Err(error) = done.await {
            let error = neardup::explain_write_error(&read, error);
            let error = neardup::files::explain_read_error(&read, context, error).await;
            return Err(explained(error));
        }
    }
    Ok(())
}

/// The frame with lists cast to texts, because CSV has no lists. `SHOW FUNCTIONS` returns lists of types.
fn lists_as_texts(frame: DataFrame) -> Result<DataFrame> {
    let columns: Vec<Expr> = frame
        .schema()
        .iter()
        .map(|(qualifier, field)| {
            let column = Expr::from((qualifier, field));
            match field.data_type() {
                DataType::List(_) => array_to_string(column, lit(", ")).alias(field.name()),
                _ => column,
            }
        })
        .collect();
    frame.select(columns)
}

async fn print_table(frame: DataFrame, limits: CellLimits) -> Result<()> {
    let schema = Arc::clone(frame.schema().inner());
    let mut batches = frame.collect().await?;
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(Arc::clone(&schema)));
    }
    let batches = visible_rows(&batches, &schema, limits)?;
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let table = pretty_format_batches(&batches)?;
    out::print(|out| {
        writeln!(out, "{table}")?;
        writeln!(out, "{rows} row{}", if rows == 1 { "" } else { "s" })?;
        Ok(())
    })
}

/// Prints rows as they are computed.
pub(super) async fn print_stream(frame: DataFrame, format: Format) -> Result<()> {
    let mut pipe = TrackedOut {
        out: Out::new(),
        failed: None,
    };
    // Control characters are made visible on a terminal only.
    let written = match std::io::stdout().is_terminal() {
        true => write_stream(frame, format, Visible::new(&mut pipe)).await,
        false => write_stream(frame, format, &mut pipe).await,
    };
    match pipe.failed {
        // The writers of rows replace this error by their own, which do not name the cause.
        Some(error) => Err(error.into()),
        None => written,
    }
}

/// Standard output, which records the error of a failed write.
struct TrackedOut {
    out: Out,
    failed: Option<std::io::Error>,
}

impl TrackedOut {
    fn record_error<T>(&mut self, result: std::io::Result<T>) -> std::io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }
}

impl Write for TrackedOut {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let result = self.out.write(bytes);
        self.record_error(result)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let result = self.out.flush();
        self.record_error(result)
    }
}

async fn write_stream(frame: DataFrame, format: Format, mut out: impl Write) -> Result<()> {
    let mut rows = frame.execute_stream().await?;
    if format == Format::Csv {
        // Before the header is written.
        if let Some(error) = neardup::csv_error(&rows.schema()) {
            return Err(error);
        }
        let mut writer = csv::WriterBuilder::new().with_header(true).build(&mut out);
        writer.write(&RecordBatch::new_empty(rows.schema()))?;
        while let Some(batch) = rows.next().await {
            writer.write(&batch?)?;
        }
    } else {
        while let Some(batch) = rows.next().await {
            let builder = WriterBuilder::new().with_explicit_nulls(true);
            let mut writer = builder.build::<_, LineDelimited>(&mut out);
            writer.write(&batch?)?;
            writer.finish()?;
        }
    }
    out.flush()?;
    Ok(())
}
