//! `neardup sql`: one statement, a script, or a shell.

use super::options::{Cluster, Global};
use super::shell;
use super::visible::{Visible, visible_rows};
use clap::{Args, ValueEnum};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::{LogicalPlan, Statement};
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::DFParser;
use futures::StreamExt;
use std::io::{BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Run SQL: statements, a script, or a shell
///
/// All functions are there: SELECT * FROM minhash_join('docs/*.parquet', threshold => 0.8). A file
/// in quotes is a table. Without -c and -f, on a terminal, a shell begins.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Statements to run, separated by semicolons
    #[arg(short, value_name = "SQL")]
    command: Vec<String>,
    /// A file of statements
    #[arg(short, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// A job's directory, whose tables become pairs, clusters, kept, sentences, plain_text
    #[arg(long, value_name = "DIR")]
    dir: Option<String>,
    /// How rows are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    cluster: Cluster,
}

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Csv,
    Json,
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let context = global.session_on(&arguments.cluster)?;
    if let Some(directory) = &arguments.dir {
        neardup::jobs::register(&context, directory).await?;
    }
    let mut scripts = Vec::new();
    for file in &arguments.file {
        let script = std::fs::read_to_string(file)
            .map_err(|error| exec_datafusion_err!("{}: {error}", file.display()))?;
        scripts.push(script);
    }
    scripts.extend(arguments.command.iter().cloned());
    if scripts.is_empty() {
        if std::io::stdin().is_terminal() {
            return shell::run(&context, arguments.format).await;
        }
        let mut script = String::new();
        std::io::stdin().read_to_string(&mut script)?;
        scripts.push(script);
    }
    for script in &scripts {
        run_script(&context, script, arguments.format).await?;
    }
    Ok(())
}

/// Runs statements one after the other; only queries print.
pub(super) async fn run_script(
    context: &SessionContext,
    script: &str,
    format: Format,
) -> Result<()> {
    let statements =
        DFParser::parse_sql(script).map_err(|error| neardup::explain_parse_error(script, error))?;
    for statement in statements {
        let plan = context.state().statement_to_plan(statement).await?;
        let prints = !matches!(
            plan,
            LogicalPlan::Ddl(_)
                | LogicalPlan::Statement(_)
                | LogicalPlan::Copy(_)
                | LogicalPlan::Dml(_)
        ) || matches!(plan, LogicalPlan::Statement(Statement::Execute(_)));
        let frame = context.execute_logical_plan(plan).await?;
        match (prints, format) {
            (false, _) => {
                frame.collect().await?;
            }
            (true, Format::Table) => print_table(frame).await?,
            (true, _) => print_stream(frame, format).await?,
        }
    }
    Ok(())
}

async fn print_table(frame: DataFrame) -> Result<()> {
    let schema = Arc::clone(frame.schema().inner());
    let mut batches = frame.collect().await?;
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(Arc::clone(&schema)));
    }
    let batches = visible_rows(&batches, &schema)?;
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", pretty_format_batches(&batches)?)?;
    writeln!(out, "{rows} row{}", if rows == 1 { "" } else { "s" })?;
    Ok(())
}

async fn print_stream(frame: datafusion::dataframe::DataFrame, format: Format) -> Result<()> {
    let mut pipe = Pipe {
        out: BufWriter::new(std::io::stdout()),
        is_broken: false,
    };
    // A terminal gets visible text, everybody else the rows as they are.
    let written = match std::io::stdout().is_terminal() {
        true => write_stream(frame, format, Visible::new(&mut pipe)).await,
        false => write_stream(frame, format, &mut pipe).await,
    };
    match written {
        // Writers of rows turn this into errors of their own, which do not say what it was.
        Err(_) if pipe.is_broken => Ok(()),
        result => result,
    }
}

/// Standard output, which remembers that nobody reads it any more.
struct Pipe<W> {
    out: W,
    is_broken: bool,
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let result = self.out.write(bytes);
        self.is_broken |= is_broken(&result);
        result
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let result = self.out.flush();
        self.is_broken |= is_broken(&result);
        result
    }
}

fn is_broken<T>(result: &std::io::Result<T>) -> bool {
    result
        .as_ref()
        .is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

async fn write_stream(frame: DataFrame, format: Format, mut out: impl Write) -> Result<()> {
    let mut rows = frame.execute_stream().await?;
    if format == Format::Csv {
        let mut writer = csv::WriterBuilder::new().with_header(true).build(&mut out);
        writer.write(&RecordBatch::new_empty(rows.schema()))?;
        while let Some(batch) = rows.next().await {
            writer.write(&batch?)?;
        }
    } else {
        while let Some(batch) = rows.next().await {
            let mut writer = LineDelimitedWriter::new(&mut out);
            writer.write(&batch?)?;
            writer.finish()?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Where the shell keeps its history.
pub(super) fn history_file() -> Option<PathBuf> {
    let home = std::env::var_os("HOME")?;
    Some(Path::new(&home).join(".neardup_history"))
}
