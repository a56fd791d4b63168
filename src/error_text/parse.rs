//! Errors of statements that cannot be parsed, with the form that is probably meant.

use super::engine::between;
use crate::functions::{TABLE_FUNCTIONS, TableFunction};
use datafusion::common::{DataFusionError, plan_datafusion_err};

/// Typographic quotes, which delimit nothing in SQL.
const PRINTED_QUOTES: [char; 9] = ['‘', '’', '‚', '“', '”', '„', '«', '»', '´'];

/// Adds the correct form to a syntax error that is caused by typographic quotes, by a command of the shell, by a query
/// as argument of a table function in one pair of parentheses (the grammar requires two), by a kind of shingle without
/// quotes, or by an argument without `=>`.
pub fn explain_parse_error(statement: &str, error: DataFusionError) -> DataFusionError {
    if let Some(quote) = printed_quote(statement, &error.strip_backtrace()) {
        return plan_datafusion_err!(
            "{quote} is a typographic quote; SQL has straight ones, 'text' for texts and files and \"name\" for names: {}",
            error.strip_backtrace()
        );
    }
    if let Some(command) = shell_command(statement, &error.strip_backtrace()) {
        return plan_datafusion_err!(
            "{command} is not a statement of SQL: SHOW TABLES lists the tables, DESCRIBE t the columns of t; commands such as \\d are read by the shell, which starts without statements"
        );
    }
    if let Some(quoted) = unquoted_shingle(statement) {
        return plan_datafusion_err!(
            "a kind of shingle is written in quotes, {quoted}: {}",
            error.strip_backtrace()
        );
    }
    if let Some(written) = unassigned(statement, &error.strip_backtrace()) {
        return plan_datafusion_err!(
            "an argument is written name => value, {written}: {}",
            error.strip_backtrace()
        );
    }
    let lower = statement.to_lowercase();
    for function in TABLE_FUNCTIONS {
        let mut rest = lower.as_str();
        while let Some(start) = rest.find(function.name) {
            rest = &rest[start + function.name.len()..];
            let inside = rest.trim_start().strip_prefix('(').map(str::trim_start);
            if inside
                .is_some_and(|inside| inside.starts_with("select") || inside.starts_with("with"))
            {
                return plan_datafusion_err!(
                    "{}: a query as argument must be in two pairs of parentheses: {0}((SELECT …), …): {}",
                    function.name,
                    error.strip_backtrace()
                );
            }
        }
    }
    error
}

/// The line at which the parser stopped: its text before and after that position.
fn stopped<'a>(statement: &'a str, error: &str) -> Option<(&'a str, &'a str)> {
    let (_, line, column) = between(error, " at Line: ", ", Column: ")?;
    let column = column.split(|c: char| !c.is_ascii_digit()).next()?;
    let (line, column) = (line.parse::<usize>().ok()?, column.parse::<usize>().ok()?);
    let line = statement.lines().nth(line.checked_sub(1)?)?;
    let (at, _) = line.char_indices().nth(column.checked_sub(1)?)?;
    Some(line.split_at(at))
}

/// The typographic quote at which the parser stopped, or which does not end a text.
fn printed_quote(statement: &str, error: &str) -> Option<char> {
    let (_, behind) = stopped(statement, error)?;
    let is_quote = |letter: &char| PRINTED_QUOTES.contains(letter);
    match error.contains("Unterminated string literal") {
        true => behind.chars().find(is_quote),
        false => behind.chars().next().filter(is_quote),
    }
}

/// The command of a shell, such as `.tables` or `\d`, at which the parser stopped.
fn shell_command<'a>(statement: &'a str, error: &str) -> Option<&'a str> {
    if !error.contains("Expected: an SQL statement, found: ") {
        return None;
    }
    let (_, behind) = stopped(statement, error)?;
    let command = behind.split([';', ' ', '\t']).next()?;
    command.starts_with(['.', '\\']).then_some(command)
}

/// The first argument `NAME => word:3` of a statement, with the quotes that it lacks.
pub(super) fn unquoted_shingle(statement: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut parts = statement.split("=>").peekable();
    while let (Some(before), Some(after)) = (parts.next(), parts.peek()) {
        let name = before.trim_end().rsplit(|c| !is_word(c)).next();
        let (kind, rest) = after.trim_start().split_once(':').unwrap_or_default();
        let digits = rest.trim_start();
        let digits = digits
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap_or_default();
        let kind = kind.trim_end().to_lowercase();
        if !digits.is_empty() && ["word", "char", "space"].contains(&kind.as_str()) {
            return Some(format!("{} => '{kind}:{digits}'", name.unwrap_or_default()));
        }
    }
    None
}

/// The argument `name: value` or `name value` of a table function at which the parser stopped, with the `=>` that it
/// lacks.
fn unassigned(statement: &str, error: &str) -> Option<String> {
    if !error.contains("Expected: ), found: ") {
        return None;
    }
    let (before, after) = stopped(statement, error)?;
    let before = before.trim_end();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = before.rsplit(|c| !is_word(c)).next()?;
    let is_first = before.strip_suffix(name)?.trim_end().ends_with(['(', ',']);
    let value = after
        .trim_start_matches(':')
        .split([',', ')'])
        .next()?
        .trim();
    let has_name = |function: &TableFunction| {
        let header = function.template.header();
        header.is_ok_and(|header| header.parameters.iter().any(|p| p.name == name))
    };
    let is_known = is_first && TABLE_FUNCTIONS.iter().any(has_name);
    (is_known && !value.is_empty()).then(|| format!("{name} => {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pair_of_parentheses_is_explained() {
        let explain = |sql: &str| explain_parse_error(sql, plan_datafusion_err!("no")).to_string();
        assert!(
            explain("SELECT * FROM minhash_join( SELECT 1)").contains("two pairs of parentheses")
        );
        assert!(!explain("SELECT * FROM minhash_join((SELECT 1)").contains("two pairs"));
        assert!(!explain("SELEC 1").contains("two pairs"));
    }

    #[test]
    fn arguments_without_an_arrow_are_explained() {
        let explain = |sql: &str, found: &str| {
            explain_parse_error(sql, plan_datafusion_err!("Expected: ), found: {found}"))
                .to_string()
        };
        for (sql, found, written) in [
            (
                "SELECT * FROM jaccard_join('d.jsonl', threshold: 0.8)",
                ": at Line: 1, Column: 48",
                "name => value, threshold => 0.8: ",
            ),
            (
                "SELECT *\nFROM jaccard_join('ä', shingle 'char:5', id => i)",
                "'char:5' at Line: 2, Column: 32",
                "name => value, shingle => 'char:5': ",
            ),
        ] {
            assert!(
                explain(sql, found).contains(written),
                "{}",
                explain(sql, found)
            );
        }
        for (sql, found) in [
            (
                "SELECT * FROM jaccard_join('d', id => id text => t)",
                "text at Line: 1, Column: 42",
            ),
            ("SELECT f(zzz: 1)", ": at Line: 1, Column: 13"),
            ("SELECT f(a", "EOF"),
            ("SELECT 1", ": at Line: 7, Column: 90"),
        ] {
            assert!(!explain(sql, found).contains("=> value"), "{sql}");
        }
    }

    #[test]
    fn typographic_quotes_and_commands_of_the_shell_are_explained() {
        let explain = |sql: &str, error: &str| {
            explain_parse_error(sql, plan_datafusion_err!("{error}")).to_string()
        };
        let expected = "Expected: an expression, found: ";
        let open = "Unterminated string literal";
        let statement = "Expected: an SQL statement, found: ";
        for (sql, error, said) in [
            (
                "SELECT ‘a’",
                format!("{expected}‘ at Line: 1, Column: 8"),
                "‘ is a typographic quote",
            ),
            (
                "SELECT 1,\n  „a“",
                format!("{expected}„ at Line: 2, Column: 3"),
                "„ is a typographic quote",
            ),
            (
                "SELECT 'a’",
                format!("{open} at Line: 1, Column: 8"),
                "’ is a typographic quote",
            ),
            (
                "SELECT 1; .tables",
                format!("{statement}. at Line: 1, Column: 11"),
                ".tables is not a statement of SQL: SHOW TABLES",
            ),
            (
                "\\d t;",
                format!("{statement}\\\\ at Line: 1, Column: 1"),
                "\\d is not a statement of SQL",
            ),
        ] {
            let text = explain(sql, &error);
            assert!(text.contains(said), "{sql}: {text}");
        }
        for (sql, error) in [
            (
                "SELECT 'l’an', 'x",
                format!("{open} at Line: 1, Column: 16"),
            ),
            (
                "SELECT 'l’an' frm x",
                format!("{expected}x at Line: 1, Column: 19"),
            ),
            (
                "SELEC .5",
                format!("{statement}SELEC at Line: 1, Column: 1"),
            ),
        ] {
            let text = explain(sql, &error);
            assert!(!text.contains(" is a typographic"), "{sql}: {text}");
            assert!(!text.contains(" is not a statement"), "{sql}: {text}");
        }
    }

    #[test]
    fn quotes_of_shingles_are_explained() {
        let explain = |sql: &str| explain_parse_error(sql, plan_datafusion_err!("no")).to_string();
        for (sql, quoted) in [
            (
                "SELECT * FROM jaccard_join(d, id => i, shingle => word:3)",
                "shingle => 'word:3'",
            ),
            (
                "SELECT * FROM jaccard_join(d, shingle=>CHAR : 5, id => i)",
                "shingle => 'char:5'",
            ),
        ] {
            assert!(explain(sql).contains(quoted), "{}", explain(sql));
        }
        for sql in [
            "SELECT f(a => 'word:3'",
            "SELECT f(a => word:x",
            "SELECT f(a => b) :3",
        ] {
            assert!(!explain(sql).contains("in quotes"), "{}", explain(sql));
        }
    }
}
