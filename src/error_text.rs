//! Error texts for users, with hints for common mistakes.

mod engine;
mod parse;
mod statement;

pub use engine::{csv_error, explain_write_error};
pub use parse::explain_parse_error;
pub use statement::explain_plan_error;

use crate::functions::TABLE_FUNCTIONS;
use crate::jobs;
use crate::near_names;
use crate::parameters::ParameterError;
use crate::resources::exhausts_memory;
use datafusion::common::{Column, DataFusionError, SchemaError};
use std::path::Path;

/// The address at which machines of the cloud get their keys.
const INSTANCE_KEYS: &str = "http://169.254.169.254/";

/// The advice of an error of too little memory.
const MORE_MEMORY: &str = " (raise the limit with --memory-limit, or lower --threads, the number of operators that run at the same time; on a cluster the limits and slots of the executors apply)";

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
        let mut ours = functions_of_values().into_iter();
        let hint = match ours.any(|function| function == name) {
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
    let ours = functions_of_values();
    let hint = near_names::hint(name, ours.iter().map(String::as_str).chain([engines]));
    format!("{before}there is no function '{name}'{hint}{after}")
}

/// The names of our scalar, aggregate and window functions.
fn functions_of_values() -> Vec<String> {
    let scalar = neardup_udfs::scalar_functions();
    let aggregate = neardup_udfs::aggregate_functions();
    let window = neardup_udfs::window_functions();
    let scalar = scalar.iter().map(|function| function.name());
    let aggregate = aggregate.iter().map(|function| function.name());
    let window = window.iter().map(|function| function.name());
    let all = scalar.chain(aggregate).chain(window);
    all.map(str::to_owned).collect()
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
        let query = near_names::unnested(&only.name, &[&field.name], &format!("'{file}'"));
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
    use datafusion::common::plan_datafusion_err;

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
}
