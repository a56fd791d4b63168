//! Error texts for users, with a hint for a common syntax error.

use crate::functions::TABLE_FUNCTIONS;
use crate::parameters::ParameterError;
use datafusion::common::{DataFusionError, plan_datafusion_err};

/// Adds the correct form to a syntax error that is caused by a query as argument of a table function in one pair of
/// parentheses: the grammar requires two.
pub fn explain_parse_error(statement: &str, error: DataFusionError) -> DataFusionError {
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

/// How the engine begins the text of an error of too little memory, also within the text of another error.
const EXHAUSTED: &str = "Resources exhausted: ";

/// What helps against too little memory.
const MORE_MEMORY: &str = " (--memory-limit sets the memory that operators may hold, --threads how many of them run at the same time; on a cluster the limits and slots of the executors apply)";

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

/// The text of an error with the options that help against it.
fn helpful(error: &DataFusionError, text: String) -> String {
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
    match text.split_once("ParserError(\"") {
        Some((before, rest)) => format!(
            "{before}{}",
            rest.trim_end_matches("\")").replace("\\\"", "\"")
        ),
        None => text,
    }
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
        // Once is enough.
        let named = DataFusionError::ResourcesExhausted("raise --memory-limit".to_owned());
        assert_eq!(error_text(&named).matches("--memory-limit").count(), 1);
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
}
