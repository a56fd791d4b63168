//! The interactive SQL shell: reads statements, with history and completion.

use super::out;
use super::script::{Format, run_script};
use super::stop;
use super::visible::visible_line;
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::prelude::SessionContext;
use futures::FutureExt;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{Context, Editor, Helper, Highlighter, Hinter, Validator};
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use tokio::runtime::Handle;

const KEYWORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "HAVING",
    "LIMIT",
    "JOIN",
    "LEFT JOIN",
    "UNION ALL",
    "WITH",
    "EXPLAIN",
    "CREATE EXTERNAL TABLE",
    "CREATE VIEW",
    "STORED AS",
    "LOCATION",
    "COPY",
    "SHOW TABLES",
    "DESCRIBE",
    "SET",
    "UNNEST",
    "DISTINCT",
    "COUNT",
    "AS",
    "ON",
    "AND",
    "OR",
    "NOT",
    "IN",
    "IS NULL",
    "VALUES",
];

const HELP: &str = "\
Statements end with a semicolon, and may take several lines. TAB completes names and files, the arrow keys browse the history,
Ctrl-C ends a statement that runs. A quoted file name is a table: SELECT * FROM 'docs/*.parquet' LIMIT 5;
  help        this text (also .help, \\?)
  \\d          the tables of the session (also .tables)
  \\d TABLE    the columns of a table or a file
  \\df         the table functions with their parameters
  \\df NAME    a function: its parameters, and what it does
  ...>        the statement goes on: a semicolon ends it, Ctrl-C discards it
  quit        leave (also .quit, \\q, Ctrl-D)";

const FUNCTIONS: &str = "\
SELECT routine_name AS name, syntax_example AS call FROM information_schema.routines \
WHERE function_type = 'TABLE' ORDER BY name";

/// It ends with the name of the function, in quotes.
const FUNCTION: &str = "\
SELECT DISTINCT syntax_example AS call, description FROM information_schema.routines WHERE routine_name = ";

/// A text as SQL writes it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// What a line means.
enum Line<'a> {
    Help,
    Quit,
    Statement(Cow<'a, str>),
    Unknown,
}

impl<'a> Line<'a> {
    fn read(line: &'a str) -> Self {
        let line = line.trim();
        let word = line.trim_end_matches(';').trim_end().to_lowercase();
        match word.as_str() {
            "quit" | "exit" | ".quit" | ".exit" | "\\q" => Self::Quit,
            "\\d" | "\\dt" | ".tables" => Self::Statement("SHOW TABLES".into()),
            "\\df" => Self::Statement(FUNCTIONS.into()),
            "help" | ".help" | "\\?" => Self::Help,
            _ => match line.split_once(char::is_whitespace) {
                Some(("\\d", table)) => {
                    let table = table.trim_end_matches(';').trim();
                    Self::Statement(match Path::new(table).exists() {
                        true => format!("DESCRIBE {}", quoted(table)).into(),
                        false => format!("DESCRIBE {table}").into(),
                    })
                }
                Some(("\\df", name)) => {
                    let name = name.trim_end_matches(';').trim().to_lowercase();
                    Self::Statement(format!("{FUNCTION}{}", quoted(&name)).into())
                }
                _ if line.starts_with(['.', '\\']) => Self::Unknown,
                _ => Self::Statement(line.into()),
            },
        }
    }

    /// Whether a line is whole without a semicolon.
    fn is_command(line: &str) -> bool {
        line.starts_with(['.', '\\'])
            || ["help", "quit", "exit"].contains(&line.to_lowercase().as_str())
    }
}

/// Completes names.
#[derive(Helper, Highlighter, Hinter, Validator)]
struct Completions {
    all: Vec<String>,
}

impl Completer for Completions {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = &line[..at];
        if let Some((start, path)) = open_quote(before) {
            let files = files(&path.replace("''", "'")).into_iter();
            return Ok((start, files.map(|file| file.replace('\'', "''")).collect()));
        }
        if let Some(path) = before.strip_prefix("\\d ") {
            let names = self
                .all
                .iter()
                .filter(|name| name.starts_with(path))
                .cloned();
            return Ok((
                before.len() - path.len(),
                files(path).into_iter().chain(names).collect(),
            ));
        }
        if before.starts_with('\\') && !before.contains(' ') {
            return Ok((0, vec![]));
        }
        let start = before
            .rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .map_or(0, |start| {
                start + before[start..].chars().next().map_or(1, char::len_utf8)
            });
        let word = before[start..].to_lowercase();
        if word.is_empty() {
            return Ok((start, vec![]));
        }
        let fits = |candidate: &&String| candidate.to_lowercase().starts_with(&word);
        Ok((start, self.all.iter().filter(fits).cloned().collect()))
    }
}

/// The text after a quote that is not closed, and its start.
fn open_quote(before: &str) -> Option<(usize, &str)> {
    let is_open = before.matches('\'').count() % 2 == 1;
    let start = before.rfind('\'').filter(|_| is_open)? + 1;
    Some((start, &before[start..]))
}

/// The files and directories whose paths begin like this.
fn files(path: &str) -> Vec<String> {
    let (directory, name) = path.rsplit_once('/').map_or(("", path), |(_, name)| {
        path.split_at(path.len() - name.len())
    });
    let listed = match directory {
        "" => ".",
        directory => directory,
    };
    let Ok(entries) = std::fs::read_dir(listed) else {
        return vec![];
    };
    let mut found: Vec<String> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let found = entry.file_name().into_string().ok()?;
            let is_wanted =
                found.starts_with(name) && (!name.is_empty() || !found.starts_with('.'));
            let end = if entry.path().is_dir() { "/" } else { "" };
            is_wanted.then(|| format!("{directory}{found}{end}"))
        })
        .collect();
    found.sort_unstable();
    found
}

/// The names that are completed: keywords, functions and their parameters, tables and their columns.
async fn words(context: &SessionContext) -> Vec<String> {
    let state = context.state();
    let mut all: Vec<String> = KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
    all.extend(state.scalar_functions().keys().cloned());
    all.extend(state.aggregate_functions().keys().cloned());
    for function in neardup::functions::TABLE_FUNCTIONS
        .iter()
        .filter(|f| f.public)
    {
        all.push(function.name.to_owned());
        let parameters = function.template.header().map(|header| header.parameters);
        all.extend(
            parameters
                .into_iter()
                .flatten()
                .map(|parameter| parameter.name),
        );
    }
    let catalogs = context.catalog_names().into_iter();
    for catalog in catalogs.filter_map(|name| context.catalog(&name)) {
        let schemas = catalog.schema_names().into_iter();
        for schema in schemas.filter_map(|name| catalog.schema(&name)) {
            for table in schema.table_names() {
                if let Ok(Some(table)) = schema.table(&table).await {
                    let table = table.schema();
                    all.extend(table.fields().iter().map(|field| field.name().clone()));
                }
                all.push(table);
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

fn print_line(text: &str) -> Result<()> {
    out::print(|out| Ok(writeln!(out, "{text}")?))
}

/// Reads and runs statements until the end of input, on a thread of its own: the workers may be busy for long without a
/// pause, and Ctrl-C is received nevertheless.
pub(super) async fn run(context: &SessionContext, format: Format) -> Result<()> {
    let (context, workers) = (context.clone(), Handle::current());
    let shell = tokio::task::spawn_blocking(move || read_and_run(&context, format, &workers));
    shell
        .await
        .map_err(|error| exec_datafusion_err!("the shell: {error}"))?
}

fn read_and_run(context: &SessionContext, format: Format, workers: &Handle) -> Result<()> {
    let failed = |error: ReadlineError| exec_datafusion_err!("the terminal: {error}");
    let waiting = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut interrupts = {
        let _entered = waiting.enter();
        stop::interrupts_of_shell()?
    };
    let mut editor: Editor<Completions, DefaultHistory> = Editor::new().map_err(failed)?;
    if let Some(history) = history_file() {
        // There is no history file the first time.
        let _ = editor.load_history(&history);
    }
    print_line(concat!(
        "neardup ",
        env!("CARGO_PKG_VERSION"),
        "; help for help, quit to leave"
    ))?;
    // The lines of a statement that is not complete yet.
    let mut begun = String::new();
    loop {
        editor.set_helper(Some(Completions {
            all: waiting.block_on(words(context)),
        }));
        let prompt = if begun.is_empty() { "> " } else { "...> " };
        let line = match editor.readline(prompt) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                begun.clear();
                continue;
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(error)),
        };
        let is_command = Line::is_command(line.trim());
        if is_command && !begun.is_empty() {
            report!("the statement above has no end: ; ends it, Ctrl-C discards it");
            continue;
        }
        begun.push_str(&line);
        if begun.trim().is_empty() {
            begun.clear();
            continue;
        }
        if !is_command && !line.trim_end().ends_with(';') {
            begun.push('\n');
            continue;
        }
        let line = std::mem::take(&mut begun);
        editor.add_history_entry(line.trim()).map_err(failed)?;
        let result = match Line::read(&line) {
            Line::Quit => break,
            Line::Help => print_line(HELP),
            Line::Unknown => {
                let line = visible_line(line.trim());
                report!("error: {line} is no command; help lists them");
                Ok(())
            }
            Line::Statement(statement) => {
                let (context, statement) = (context.clone(), statement.into_owned());
                let run = async move { run_script(&context, &statement, format).await };
                // Discards signals that arrived before this statement, such as a second Ctrl-C for the previous one.
                while interrupts.recv().now_or_never().is_some() {}
                let mut task = workers.spawn(run);
                waiting.block_on(async {
                    tokio::select! {
                        result = &mut task => result.map_err(|error| {
                            exec_datafusion_err!("the statement: {error}")
                        })?,
                        Some(()) = interrupts.recv() => {
                            task.abort();
                            report!("interrupted");
                            Ok(())
                        }
                    }
                })
            }
        };
        match result {
            Err(error) if out::is_closed() => return Err(error),
            Err(error) => report!("error: {}", neardup::error_text(&error)),
            Ok(()) => {}
        }
    }
    if let Some(history) = history_file()
        && let Err(error) = editor.save_history(&history)
    {
        log::warn!("{}: {error}", history.display());
    }
    Ok(())
}

/// The path of the shell's history.
fn history_file() -> Option<PathBuf> {
    let home = std::env::var_os("HOME")?;
    Some(Path::new(&home).join(".neardup_history"))
}
