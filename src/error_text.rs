//! Error texts for users, with hints for common mistakes.

mod engine;
mod statement;

pub use engine::{csv_error, explain_write_error};
pub use statement::explain_plan_error;

use crate::functions::{TABLE_FUNCTIONS, TableFunction};
use crate::jobs;
use crate::near_names;
use crate::parameters::ParameterError;
use datafusion::common::{Column, DataFusionError, SchemaError, plan_datafusion_err};
use engine::EXHAUSTED;
use std::path::Path;

/// The address at which machines of the cloud get their keys.
const INSTANCE_KEYS: &str = "http://169.254.169.254/";

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
            "{command} is no statement of SQL: SHOW TABLES lists the tables, DESCRIBE t the columns of t; commands such as \\d are read by the shell, which starts without statements"
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

/// The line at which the parser stopped, before and behind its position.
fn stopped<'a>(statement: &'a str, error: &str) -> Option<(&'a str, &'a str)> {
    let (_, line, column) = engine::between(error, " at Line: ", ", Column: ")?;
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
fn unquoted_shingle(statement: &str) -> Option<String> {
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

/// The advice of an error of too little memory.
const MORE_MEMORY: &str = " (raise the limit with --memory-limit, or lower --threads, the number of operators that run at the same time; on a cluster the limits and slots of the executors apply)";

/// Whether the cause of an error is the limit of memory.
pub fn exhausts_memory(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
        || error.strip_backtrace().contains(EXHAUSTED)
}

/// An error without the engine's prefixes and backtrace; if memory does not suffice, with the options that help.
pub fn error_text(error: &DataFusionError) -> String {
    helpful(error, cleaned(error.strip_backtrace()))
}

/// As [`error_text`], with the names of parameters as `written` writes them: a name, and its value if there is one.
pub fn error_text_with(
    error: &DataFusionError,
    written: impl Fn(&str, Option<&str>) -> String,
) -> String {
    let text = error.strip_backtrace();
    let text = cleaned(match ParameterError::of(error) {
        Some(named) => text.replace(&named.to_string(), &named.text(written)),
        None => text,
    });
    helpful(error, text)
}

/// The text of an error, with advice.
fn helpful(error: &DataFusionError, text: String) -> String {
    if exhausts_memory(error) {
        // It lists the operators that hold the memory.
        log::debug!("{}", error.strip_backtrace());
    }
    if let Some(hint) = only_column(error) {
        return format!("{}{hint}", text.trim_end_matches('.'));
    }
    match exhausts_memory(error) && !text.contains("--memory-limit") {
        true => text + MORE_MEMORY,
        false => text,
    }
}

/// A text without the prefixes of the engine.
fn cleaned(mut text: String) -> String {
    for prefix in [
        "Error during planning: ",
        "Execution error: ",
        "External error: ",
        "SQL error: ",
        "Invalid or Unsupported Configuration: ",
        "Object Store error: ",
        "IO error: ",
        "Io error: ",
        "Schema error: ",
        "Arrow error: ",
        "Parquet error: ",
    ] {
        text = text.replace(prefix, "");
    }
    text = text.replace(
        "There is no registered file format with ext ",
        "files are written as .parquet, .csv, .tsv, .json, .jsonl and .ndjson (also .gz, .bz2, .zst), not as .",
    );
    let text = missing_table(without_rules(text));
    let text = missing_keys(near_functions(near_column(text)));
    let text = match text.split_once("ParserError(\"") {
        Some((before, rest)) => format!(
            "{before}{}",
            rest.trim_end_matches("\")").replace("\\\"", "\"")
        ),
        None => text,
    };
    engine::plain(text)
}

/// Removes the names of the engine's rules that an error went through.
fn without_rules(mut text: String) -> String {
    while let Some((rule, cause)) = text.split_once("\ncaused by\n") {
        let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = rule
            .strip_prefix("Optimizer rule '")
            .and_then(|rest| rest.strip_suffix("' failed"));
        if !is_word(name.unwrap_or(rule)) {
            break;
        }
        text = cause.to_owned();
    }
    text
}

/// Names a missing table as it was written, and the file of that name, if there is one.
fn missing_table(text: String) -> String {
    let found = text
        .split_once("table '")
        .and_then(|(before, rest)| Some((before, rest.split_once("' not found")?)));
    let Some((before, (name, after))) = found else {
        return text;
    };
    let defaults = ["datafusion.public.", "datafusion."];
    let short = defaults.iter().find_map(|prefix| name.strip_prefix(prefix));
    let short = short.unwrap_or(name);
    let hint = match [short, name].iter().find(|name| Path::new(name).exists()) {
        Some(directory) if Path::new(directory).is_dir() => {
            format!("; a directory is written in single quotes with a slash: '{directory}/'")
        }
        Some(file) => format!("; a file is written in single quotes: FROM '{file}'"),
        None if jobs::TABLES.contains(&short) => {
            "; it is a table of the result of a job, whose directory is given with --dir DIR"
                .to_owned()
        }
        None => ", and there is no file or directory of this path".to_owned(),
    };
    format!("{before}table '{short}' not found{hint}{after}")
}

/// Whether other systems have a table function of this name that reads files, such as `read_csv`.
fn is_reader_of_files(name: &str) -> bool {
    name.starts_with("read_") || name.ends_with("_scan")
}

/// Replaces the engine's suggestion for an unknown function, which may be unrelated, by similar names of our functions.
fn near_functions(text: String) -> String {
    let tables = || {
        let all = TABLE_FUNCTIONS.iter().filter(|function| function.public);
        all.map(|function| function.name)
    };
    if let Some((before, rest)) = text.split_once("table function '")
        && let Some((name, after)) = rest.split_once("' not found")
    {
        let mut scalar = neardup_udfs::scalar_functions().into_iter();
        let hint = match scalar.any(|function| function.name() == name) {
            true => format!("; it is a function of values: SELECT {name}(…)"),
            false if is_reader_of_files(name) => {
                "; a file in single quotes is a table: FROM 'FILE'".to_owned()
            }
            false => near_names::hint(name, tables()),
        };
        return format!("{before}table function '{name}' not found{hint}{after}");
    }
    let Some((before, rest)) = text.split_once("Invalid function '") else {
        return text;
    };
    let Some((name, rest)) = rest.split_once("'.\nDid you mean '") else {
        return text;
    };
    let Some((engines, after)) = rest.split_once("'?") else {
        return text;
    };
    if tables().any(|table| table == name) {
        return format!(
            "{before}{name} is a table function, which is called in FROM: SELECT … FROM {name}(…){after}"
        );
    }
    let scalar = neardup_udfs::scalar_functions();
    let aggregate = neardup_udfs::aggregate_functions();
    let scalar = scalar.iter().map(|function| function.name());
    let aggregate = aggregate.iter().map(|function| function.name());
    let hint = near_names::hint(name, scalar.chain(aggregate).chain([engines]));
    format!("{before}there is no function '{name}'{hint}{after}")
}

/// Names the settings that are missing if a bucket could not be opened because there are no keys: the store then asks
/// the service that gives keys to machines of the cloud.
fn missing_keys(text: String) -> String {
    let Some(at) = text.find(INSTANCE_KEYS) else {
        return text;
    };
    let before = match text[..at].rfind("Generic S3 error") {
        Some(end) => &text[..end],
        None => "",
    };
    format!(
        "{before}there are no keys for S3 in the environment; set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and \
         AWS_REGION, AWS_ENDPOINT for another service than that of AWS, and for a public bucket only \
         AWS_SKIP_SIGNATURE=true and AWS_REGION"
    )
}

/// Removes the engine's suggestion for an unknown column if the names are not similar.
fn near_column(text: String) -> String {
    let Some((before, rest)) = text.split_once(". Did you mean '") else {
        return text;
    };
    let (Some((column, after)), Some((_, name))) =
        (rest.split_once("'?"), before.rsplit_once("No field named "))
    else {
        return text;
    };
    let last = |column: &str| {
        let last = column.rsplit('.').next().unwrap_or_default();
        last.trim_matches('"').to_owned()
    };
    match near_names::nearest(&last(name), [last(column).as_str()]).is_empty() {
        true => format!("{before}.{after}"),
        false => text,
    }
}

/// The unknown column, and the columns that exist.
fn unknown_column(error: &DataFusionError) -> Option<(&Column, &[Column])> {
    let DataFusionError::SchemaError(wrong, _) = error.find_root() else {
        return None;
    };
    match wrong.as_ref() {
        SchemaError::FieldNotFound {
            field,
            valid_fields,
        } => Some((field, valid_fields)),
        _ => None,
    }
}

/// A hint for an unknown column of a table that has a single column: that column may be a header with another
/// separator, or a list of objects.
fn only_column(error: &DataFusionError) -> Option<String> {
    let (field, valid_fields) = unknown_column(error)?;
    let [only] = valid_fields else {
        return None;
    };
    let table = only.relation.as_ref().map(|table| table.table());
    let is_json = |table: &&str| table.contains(".json") || table.contains(".ndjson");
    if let Some(file) = table.filter(is_json) {
        let query = near_names::unnested(&only.name, &[&field.name], file);
        return Some(format!(
            "; if {} is a list, its objects are rows in: {query}",
            only.name
        ));
    }
    if only.name.starts_with('{') {
        return Some(near_names::LIKE_JSON.to_owned());
    }
    let separator = near_names::separator(&[&only.name])?;
    Some(format!(
        "; if this is several names, say what separates them: --delimiter {separator}, or SET neardup.delimiter = {separator}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_memory_name_its_limit() {
        use datafusion::common::exec_datafusion_err;
        let exhausted = || DataFusionError::ResourcesExhausted("no room".to_owned());
        let nested = DataFusionError::Shared(std::sync::Arc::new(exhausted().context("a sort")));
        let as_text = exec_datafusion_err!("similar_pairs: {}", exhausted());
        for error in [exhausted(), nested, as_text] {
            let text = error_text(&error);
            assert!(
                text.contains("no room") && text.contains("--memory-limit"),
                "{text}"
            );
        }
        let other = exec_datafusion_err!("memory of a text");
        assert!(!error_text(&other).contains("--memory-limit"));
        // It is stated once.
        let named = DataFusionError::ResourcesExhausted("raise --memory-limit".to_owned());
        assert_eq!(error_text(&named).matches("--memory-limit").count(), 1);
    }

    #[test]
    fn far_fetched_names_are_left_out() {
        for (error, wanted) in [
            (
                "Invalid function 'jaccard'.\nDid you mean 'lpad'?",
                "there is no function 'jaccard' (did you mean 'jaccard_similarity'?)",
            ),
            (
                "Invalid function 'uper'.\nDid you mean 'upper'?",
                "there is no function 'uper' (did you mean 'upper'?)",
            ),
            (
                "Invalid function 'zzzqqq'.\nDid you mean 'sqrt'?",
                "there is no function 'zzzqqq'",
            ),
            (
                "Invalid function 'jaccard_join'.\nDid you mean 'array_join'?",
                "jaccard_join is a table function, which is called in FROM: SELECT … FROM jaccard_join(…)",
            ),
            (
                "table function 'jacard_join' not found",
                "table function 'jacard_join' not found (did you mean 'jaccard_join'?)",
            ),
            (
                "No field named side. Did you mean 'input.id'?\nValid fields are input.id.",
                "No field named side.\nValid fields are input.id.",
            ),
            (
                "No field named txt. Did you mean '\"d.csv\".text'?\nMore.",
                "No field named txt. Did you mean '\"d.csv\".text'?\nMore.",
            ),
            (
                "table function 'read_parquet' not found",
                "table function 'read_parquet' not found; a file in single quotes is a table: FROM 'FILE'",
            ),
        ] {
            assert_eq!(error_text(&plan_datafusion_err!("{error}")), wanted);
        }
    }

    #[test]
    fn missing_keys_are_named() {
        let error = plan_datafusion_err!(
            "s3://b/x.csv: Generic S3 error: Error performing PUT http://169.254.169.254/latest/api/token in 2 ms"
        );
        let text = error_text(&error);
        assert!(
            text.starts_with("s3://b/x.csv: there are no keys for S3"),
            "{text}"
        );
        assert!(
            text.contains("AWS_SKIP_SIGNATURE=true") && !text.contains("169.254"),
            "{text}"
        );
    }

    #[test]
    fn rules_of_the_engine_are_not_named() {
        let error = plan_datafusion_err!("no such thing")
            .context("expand_deferred_calls")
            .context("Optimizer rule 'simplify_expressions' failed");
        assert_eq!(error_text(&error), "no such thing");
        let error = plan_datafusion_err!("no such thing").context("the file a.csv");
        assert!(error_text(&error).contains("the file a.csv"));
    }

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
                ".tables is no statement of SQL: SHOW TABLES",
            ),
            (
                "\\d t;",
                format!("{statement}\\\\ at Line: 1, Column: 1"),
                "\\d is no statement of SQL",
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
            assert!(!text.contains(" is no statement"), "{sql}: {text}");
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
