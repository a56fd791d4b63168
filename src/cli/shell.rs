//! The interactive SQL shell: reads statements, with history and completion.

use super::out;
use super::sql::{Format, history_file, run_script};
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::prelude::SessionContext;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper, Highlighter, Hinter};
use std::io::Write;

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
statements end with a semicolon; TAB completes names, the arrow keys browse the history
  .help    this text
  .tables  the tables of the session
  .quit    leave (also Ctrl-D)";

/// Completes names, and continues a statement on the next line until its semicolon.
#[derive(Helper, Highlighter, Hinter)]
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

impl Validator for Completions {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input().trim();
        Ok(
            match text.is_empty() || text.starts_with('.') || text.ends_with(';') {
                true => ValidationResult::Valid(None),
                false => ValidationResult::Incomplete,
            },
        )
    }
}

fn words(context: &SessionContext) -> Vec<String> {
    let state = context.state();
    let mut all: Vec<String> = KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
    all.extend(
        neardup::functions::TABLE_FUNCTIONS
            .iter()
            .filter(|f| f.public)
            .map(|f| f.name.to_owned()),
    );
    all.extend(state.scalar_functions().keys().cloned());
    all.extend(state.aggregate_functions().keys().cloned());
    for catalog in context.catalog_names() {
        if let Some(catalog) = context.catalog(&catalog) {
            for schema in catalog.schema_names() {
                all.extend(
                    catalog
                        .schema(&schema)
                        .map(|schema| schema.table_names())
                        .unwrap_or_default(),
                );
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

/// Reads and runs statements until the end of input.
pub(super) async fn run(context: &SessionContext, format: Format) -> Result<()> {
    let failed = |error: ReadlineError| exec_datafusion_err!("the terminal: {error}");
    let mut editor: Editor<Completions, DefaultHistory> = Editor::new().map_err(failed)?;
    if let Some(history) = history_file() {
        // There is no history file the first time.
        let _ = editor.load_history(&history);
    }
    print_line(concat!(
        "neardup ",
        env!("CARGO_PKG_VERSION"),
        "; .help for help"
    ))?;
    loop {
        editor.set_helper(Some(Completions {
            all: words(context),
        }));
        let (back, line) = tokio::task::spawn_blocking(move || {
            let line = editor.readline("> ");
            (editor, line)
        })
        .await
        .map_err(|error| exec_datafusion_err!("the shell: {error}"))?;
        editor = back;
        let line = match line {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(error)),
        };
        let statement = line.trim();
        if statement.is_empty() {
            continue;
        }
        editor.add_history_entry(statement).map_err(failed)?;
        let result = match statement {
            ".quit" | ".exit" => break,
            ".help" => print_line(HELP),
            ".tables" => run_script(context, "SHOW TABLES", format).await,
            _ if statement.starts_with('.') => print_line(HELP),
            _ => run_script(context, statement, format).await,
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
