//! Adds to an error of the engine what only the text of the statement shows, such as quotes and file names.

use super::engine::{TYPED_LITERAL, between};
use super::parse::unquoted_shingle;
use super::{is_reader_of_files, only_column, unknown_column};
use crate::jobs;
use crate::near_names;
use datafusion::common::{DataFusionError, plan_datafusion_err};
use std::path::Path;

/// Number of tables up to which an error names all of them.
const MAX_TABLES: usize = 20;

/// Words before a condition.
const BEFORE_COLUMNS: [&str; 8] = [
    "WHERE", "AND", "OR", "NOT", "ON", "HAVING", "WHEN", "SELECT",
];

/// Adds the cause to an error of a statement that was parsed, if the text of the statement shows it, and the tables of
/// the session that have a similar name.
pub fn explain_plan_error(
    statement: &str,
    tables: &[String],
    error: DataFusionError,
) -> DataFusionError {
    let text = error.strip_backtrace();
    if text.contains(TYPED_LITERAL)
        && let Some(quoted) = unquoted_shingle(statement)
    {
        return plan_datafusion_err!("a kind of shingle is written in quotes, {quoted}");
    }
    if let Some((name, file)) = reader_of_files(statement)
        && (text.contains(&format!("table function '{name}' not found"))
            || text.contains("Unsupported function argument type"))
    {
        return plan_datafusion_err!(
            "there is no table function {name}; a file in single quotes is a table: FROM '{file}'"
        );
    }
    if let Some(explained) = text_in_double_quotes(statement, &error, &text) {
        return plan_datafusion_err!("{explained}");
    }
    match near_table(tables, &text).or_else(|| compared(statement, &text)) {
        Some(hint) => plan_datafusion_err!("{text}{hint}"),
        None => error,
    }
}

/// The first call of a function that reads files in other systems, and its file.
fn reader_of_files(statement: &str) -> Option<(String, String)> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    statement.match_indices('(').find_map(|(at, _)| {
        let before = statement[..at].trim_end();
        let name = before.rsplit(|letter| !is_word(letter)).next()?;
        let name = name.to_lowercase();
        if !is_reader_of_files(&name) {
            return None;
        }
        let argument = statement[at + 1..].trim_start().strip_prefix('\'');
        let file = argument.and_then(|rest| rest.split('\'').next());
        Some((name, file.unwrap_or("FILE").to_owned()))
    })
}

/// The error of an unknown column, if its name is in double quotes in the statement and no column has a similar name.
fn text_in_double_quotes(statement: &str, error: &DataFusionError, text: &str) -> Option<String> {
    let (field, valid_fields) = unknown_column(error)?;
    let name = field.name.as_str();
    let quoted = format!("\"{}\"", name.replace('"', "\"\""));
    let columns = valid_fields.iter().map(|column| column.name.as_str());
    if field.relation.is_some()
        || !statement.contains(&quoted)
        || !near_names::nearest(name, columns).is_empty()
        || only_column(error).is_some()
    {
        return None;
    }
    let (head, fields) = match text.split_once("\nValid fields are ") {
        Some((head, fields)) => (head, format!("\nValid fields are {fields}")),
        None => (text, String::new()),
    };
    let head = head.split(". Did you mean '").next().unwrap_or(head);
    Some(format!(
        "{}; a text is written in single quotes: '{}'.{fields}",
        head.trim_end_matches('.'),
        name.replace('\'', "''")
    ))
}

/// The tables whose names are similar to that of a missing one.
fn near_table(tables: &[String], text: &str) -> Option<String> {
    let (_, name, _) = between(text, "table '", "' not found")?;
    let name = name.strip_prefix("datafusion.public.").unwrap_or(name);
    let is_of_job = tables.is_empty() && jobs::TABLES.contains(&name);
    if name.contains(['.', '/']) || is_of_job || Path::new(name).exists() {
        return None;
    }
    let hint = near_names::hint(name, tables.iter().map(String::as_str));
    match tables.len() {
        _ if !hint.is_empty() => Some(hint),
        1..=MAX_TABLES => Some(format!("; the tables are: {}", tables.join(", "))),
        _ => None,
    }
}

/// The column that the statement compares with a text that cannot be cast to the type of the column.
fn compared(statement: &str, text: &str) -> Option<String> {
    let (_, value, _) = between(text, "Cannot cast string '", "' to value of ")?;
    let value = format!("'{}'", value.replace('\'', "''"));
    let before = statement[..statement.find(&value)?].trim_end();
    let left = before.trim_end_matches(['=', '<', '>', '!']);
    let operator = &before[left.len()..];
    let is_name = |letter: char| letter.is_alphanumeric() || "_.\"".contains(letter);
    let left = left.trim_end();
    let column = left.rsplit(|letter| !is_name(letter)).next()?;
    if column.is_empty() || operator.is_empty() {
        return None;
    }
    // Not of an operation whose right operand the column is.
    let head = left[..left.len() - column.len()].trim_end();
    let keyword = head.rsplit(|letter| !is_name(letter)).next()?;
    if !head.ends_with('(') && !BEFORE_COLUMNS.contains(&keyword.to_uppercase().as_str()) {
        return None;
    }
    Some(format!(
        ", and {column} is compared with it; CAST({column} AS TEXT) {operator} {value} compares texts"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_text::error_text;

    fn explained(statement: &str, tables: &[&str], text: &str) -> String {
        let tables: Vec<String> = tables.iter().map(|&table| table.to_owned()).collect();
        let error = plan_datafusion_err!("{text}");
        error_text(&explain_plan_error(statement, &tables, error))
    }

    #[test]
    fn what_the_statement_tells_is_added() {
        for (statement, tables, text, wanted) in [
            (
                "SELECT * FROM jaccard_join('d', shingle => char:5)",
                &[] as &[&str],
                TYPED_LITERAL,
                "a kind of shingle is written in quotes, shingle => 'char:5'",
            ),
            (
                "SELECT DATE 5",
                &[],
                TYPED_LITERAL,
                "a type before a value needs a text in single quotes, as in DATE '2024-01-31'",
            ),
            (
                "SELECT * FROM READ_CSV ('no.csv')",
                &[],
                "table function 'read_csv' not found",
                "there is no table function read_csv; a file in single quotes is a table: FROM 'no.csv'",
            ),
            (
                "SELECT * FROM read_csv('no.csv', header => true)",
                &[],
                "Unsupported function argument type: header => true",
                "there is no table function read_csv; a file in single quotes is a table: FROM 'no.csv'",
            ),
            (
                "SELECT * FROM pair",
                &["kept", "pairs"],
                "table 'datafusion.public.pair' not found",
                "table 'pair' not found, and there is no file or directory of this path (did you mean 'pairs'?)",
            ),
            (
                "SELECT * FROM nothing",
                &["kept", "pairs"],
                "table 'datafusion.public.nothing' not found",
                "table 'nothing' not found, and there is no file or directory of this path; the tables are: kept, pairs",
            ),
            (
                "SELECT 1 FROM d WHERE a.id <> 'abc'",
                &[],
                "Cast error: Cannot cast string 'abc' to value of Int64 type",
                "'abc' is not an integer, and a.id is compared with it; CAST(a.id AS TEXT) <> 'abc' compares texts",
            ),
            (
                "SELECT 1 FROM d WHERE id + 1 = 'abc'",
                &[],
                "Cast error: Cannot cast string 'abc' to value of Int64 type",
                "'abc' is not an integer; TRY_CAST(… AS BIGINT) gives NULL for such a text",
            ),
            (
                "SELECT CAST('abc' AS INT)",
                &[],
                "Cast error: Cannot cast string 'abc' to value of Int32 type",
                "'abc' is not an integer; TRY_CAST(… AS INT) gives NULL for such a text",
            ),
        ] {
            assert_eq!(explained(statement, tables, text), wanted, "{statement}");
        }
    }

    #[test]
    fn a_text_in_double_quotes_is_no_column() {
        use datafusion::common::{Column, SchemaError};
        let missing = |name: &str| {
            let columns = ["lang", "text", "text"];
            let wrong = SchemaError::FieldNotFound {
                field: Box::new(Column::new_unqualified(name)),
                valid_fields: columns.map(Column::new_unqualified).to_vec(),
            };
            DataFusionError::SchemaError(Box::new(wrong), Box::new(None))
        };
        let explain = |statement: &str, name: &str| {
            error_text(&explain_plan_error(statement, &[], missing(name)))
        };
        assert_eq!(
            explain("SELECT 1 FROM d WHERE lang = \"en\"", "en"),
            "No field named en; a text is written in single quotes: 'en'.\nValid fields are lang, text."
        );
        for (statement, name) in [
            ("SELECT 1 FROM d WHERE lang = en", "en"),
            ("SELECT \"txt\" FROM d", "txt"),
        ] {
            assert!(
                !explain(statement, name).contains("single quotes"),
                "{name}"
            );
        }
    }
}
