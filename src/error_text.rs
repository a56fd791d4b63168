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

/// An error without the engine's prefixes and backtrace.
pub fn error_text(error: &DataFusionError) -> String {
    cleaned(error.strip_backtrace())
}

/// As [`error_text`], with the names of parameters as `written` writes them: a name, and its value if there is one.
pub fn error_text_with(
    error: &DataFusionError,
    written: impl Fn(&str, Option<&str>) -> String,
) -> String {
    let text = error.strip_backtrace();
    cleaned(match ParameterError::of(error) {
        Some(named) => text.replace(&named.to_string(), &named.text(written)),
        None => text,
    })
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
    fn one_pair_of_parentheses_is_explained() {
        let explain = |sql: &str| explain_parse_error(sql, plan_datafusion_err!("no")).to_string();
        assert!(
            explain("SELECT * FROM minhash_join( SELECT 1)").contains("two pairs of parentheses")
        );
        assert!(!explain("SELECT * FROM minhash_join((SELECT 1)").contains("two pairs"));
        assert!(!explain("SELEC 1").contains("two pairs"));
    }
}
