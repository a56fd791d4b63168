//! `neardup sql`: runs statements or scripts, or starts a shell.

use super::options::{Cluster, Global};
use super::reading::Reading;
use super::script::{Format, run_script};
use super::shell;
use clap::Args;
use datafusion::common::{Result, exec_datafusion_err, exec_err, plan_err};
use std::io::{ErrorKind, IsTerminal, Read};
use std::path::PathBuf;

/// Run SQL: statements, a script, or a shell
///
/// Examples:
///   neardup sql                                            a shell, on a terminal
///   neardup sql -c "DESCRIBE 'docs/*.parquet'"             the columns of files
///   neardup sql -c "SELECT * FROM minhash_join('docs/*.parquet', threshold => 0.7) LIMIT 10"
///   neardup sql -c "COPY (SELECT * FROM near_duplicates('docs.csv', text => body)) TO 'clusters.csv'"
///   neardup sql --dir out -c "SELECT * FROM removed ORDER BY similarity LIMIT 10"
///   neardup sql -c "SHOW FUNCTIONS LIKE '%join'"           functions with their parameters
/// A minus B and other tasks of one statement: docs/recipes.md.
///
/// A quoted file name is a table. Without -c and -f, statements are read from standard input.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// SQL statements to run, separated by semicolons; also with -c
    #[arg(value_name = "SQL", conflicts_with = "command")]
    statements: Vec<String>,
    /// SQL statements to run, separated by semicolons
    #[arg(short, value_name = "SQL")]
    command: Vec<String>,
    /// File of SQL statements to run; - is standard input
    #[arg(short, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Directory of a job, whose results become the tables pairs, clusters, kept, removed, sentences and plain_text
    #[arg(long, value_name = "DIR")]
    dir: Option<String>,
    /// Output format of rows; in a table, values that are larger than the terminal are cut
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    cluster: Cluster,
}

pub(crate) async fn run(arguments: &Arguments, global: &Global) -> Result<()> {
    let format = match (global.json, arguments.format) {
        (true, Format::Csv) => return plan_err!("--json contradicts --format csv"),
        (true, _) => Format::Json,
        (false, format) => format,
    };
    let context = global.session_on(&arguments.cluster)?;
    arguments.reading.set(&context)?;
    if let Some(directory) = &arguments.dir {
        neardup::jobs::register(&context, directory).await?;
    }
    let mut scripts = Vec::new();
    for file in &arguments.file {
        scripts.push(match file.as_os_str() == "-" {
            true => standard_input()?,
            false => text(&file.display().to_string(), std::fs::read(file))?,
        });
    }
    let statements = arguments.statements.iter().chain(&arguments.command);
    scripts.extend(statements.cloned());
    if scripts.is_empty() {
        if std::io::stdin().is_terminal() {
            return shell::run(&context, format).await;
        }
        scripts.push(standard_input()?);
    }
    for script in &scripts {
        run_script(&context, script, format).await?;
    }
    Ok(())
}

fn standard_input() -> Result<String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    text("standard input", read.map(|_| bytes))
}

/// The text of a script without its byte order mark.
fn text(name: &str, bytes: std::io::Result<Vec<u8>>) -> Result<String> {
    let bytes = bytes.map_err(|error| match error.kind() {
        ErrorKind::NotFound => exec_datafusion_err!("{name}: no such file"),
        _ => exec_datafusion_err!("{name}: {error}"),
    })?;
    let wide = match bytes.as_slice() {
        [0xFF, 0xFE, ..] | [_, 0, ..] => Some("utf-16le"),
        [0xFE, 0xFF, ..] | [0, _, ..] => Some("utf-16be"),
        _ => None,
    };
    if let Some(label) = wide {
        return exec_err!(
            "{name}: the script is in UTF-16 by its first bytes; convert it first: iconv -f {label} -t utf-8"
        );
    }
    let script = match std::str::from_utf8(&bytes) {
        Ok(script) => script,
        Err(error) => {
            let valid = &bytes[..error.valid_up_to()];
            let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
            return exec_err!(
                "{name}: line {line}: the script is not UTF-8; convert it first, for example: iconv -f windows-1252 -t utf-8"
            );
        }
    };
    Ok(script.strip_prefix('\u{FEFF}').unwrap_or(script).to_owned())
}
