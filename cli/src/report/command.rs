//! The command that runs a job again, from its manifest.

use crate::columns::written;
use crate::sample::SAMPLE_DIRECTORY;
use crate::visible::shell_word;
use neardup::files::STANDARD_INPUT_COPY;
use neardup::jobs::{Keep, KeepKey, KeepValue, Manifest};
use neardup_datasets::sample::SAMPLE_DUMP_NAME;
use serde_json::Value;

/// Parameters of the manifest, each with the option of the command line and its default.
const OPTIONS: [(&str, &str, &str); 24] = [
    ("id", "--id", ""),
    ("vector", "--vector", ""),
    ("bits", "--bits", ""),
    ("measure", "--measure", ""),
    ("threshold", "--threshold", ""),
    ("shingle", "--shingle", ""),
    ("method", "--method", "auto"),
    ("target_recall", "--target-recall", "0.99"),
    ("pairs", "--pairs", "linked"),
    ("resolution", "--resolution", "representative"),
    ("max_bucket_pairwise", "--max-bucket-pairwise", "10000"),
    // As manifests before format 3 have it.
    ("bucket_pairs", "--max-bucket-pairwise", "10000"),
    ("compare", "--compare", "sentences"),
    ("min_length", "--min-length", "20"),
    ("max_length", "--max-length", "2000"),
    ("on_error", "--on-error", "fail"),
    ("splitter", "--splitter", "default"),
    ("formulas", "--formulas", "placeholder"),
    ("language", "--language", ""),
    ("delimiter", "--delimiter", ""),
    ("quote", "--quote", ""),
    ("skip_lines", "--skip-lines", "0"),
    ("column_names", "--column-names", ""),
    ("encoding", "--encoding", ""),
];
/// Maximum number of inputs that are written.
const MAX_INPUTS: usize = 50;

/// The command.
pub(super) fn command(manifest: &Manifest, directory: &str) -> String {
    let mut words = vec!["neardup".to_owned(), shell_word(&manifest.command)];
    let inputs = manifest.inputs.iter().take(MAX_INPUTS);
    words.extend(inputs.filter_map(|input| self::input(&input.path)));
    if manifest.inputs.len() > MAX_INPUTS {
        words.push("…".to_owned());
    }
    words.extend(["-o".to_owned(), shell_word(directory)]);
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let parameter = |name: &str| manifest.parameters.get(name).map(text).unwrap_or_default();
    for (name, option, default) in OPTIONS {
        let value = parameter(name);
        if !value.is_empty() && value != default {
            words.extend([option.to_owned(), shell_word(&value)]);
        }
    }
    for (name, option) in [("text", "--text"), ("within", "--within")] {
        let names: Vec<&str> = match manifest.parameters.get(name) {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        words.extend([option.to_owned(), shell_word(&written(&names))]);
    }
    for (name, value, option) in [
        ("normalize", "false", "--no-normalize"),
        ("header", "false", "--no-header"),
        ("all_text", "true", "--all-text"),
    ] {
        if parameter(name) == value {
            words.push(option.to_owned());
        }
    }
    let row_ids = parameter("row_ids");
    if !row_ids.is_empty() {
        words.extend(["--row-ids".to_owned(), row_ids]);
    }
    words.extend(keep(&parameter("keep")));
    words.join(" ")
}

/// An input as it was given: `-` for a copy of standard input, nothing for the bundled sample.
fn input(path: &str) -> Option<String> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let directory = directory.rsplit('/').next().unwrap_or_default();
    if name == SAMPLE_DUMP_NAME && directory.starts_with(SAMPLE_DIRECTORY) {
        return None;
    }
    match name.starts_with(STANDARD_INPUT_COPY) {
        true => Some("-".to_owned()),
        false => Some(shell_word(path)),
    }
}

/// The options for a keep order.
fn keep(order: &str) -> Vec<String> {
    match order {
        // With a capital in manifests before format 3, which also write an order as `By { column: "c", descending: true }`.
        "" | "first" | "First" => vec![],
        "longest" | "Longest" => vec!["--keep".to_owned(), "longest".to_owned()],
        by => {
            let fields = by.strip_prefix("By { column: ");
            let by = fields.and_then(|fields| fields.rsplit_once(", descending: "));
            let order = by.map_or(order.to_owned(), |(column, is_descending)| {
                let column = serde_json::from_str(column).unwrap_or_else(|_| column.to_owned());
                let descending = is_descending.starts_with("true");
                let value = KeepValue::Column(column);
                Keep::By(vec![KeepKey { value, descending }]).to_string()
            });
            vec!["--keep-by".to_owned(), shell_word(&order)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn parameters_that_are_not_defaults_are_options() {
        let mut manifest = Manifest::new("dedup", vec![], BTreeMap::new());
        for (name, value) in [
            ("threshold", Value::from(0.6)),
            ("method", "minhash".into()),
            ("pairs", "linked".into()),
            ("id", Value::Null),
            ("text", "the body".into()),
            ("within", vec!["language", "a, b"].into()),
            ("normalize", false.into()),
            ("keep", "my score desc".into()),
        ] {
            manifest.parameters.insert(name.to_owned(), value);
        }
        assert_eq!(
            command(&manifest, "out"),
            "neardup dedup -o out --threshold 0.6 --method minhash --text 'the body' \
             --within 'language,\"a, b\"' --no-normalize \
             --keep-by 'my score desc'"
        );
        assert_eq!(input("/scratch/standard-input-x1y"), Some("-".to_owned()));
        let sample = format!("/scratch/{SAMPLE_DIRECTORY}0.1.0-0/{SAMPLE_DUMP_NAME}");
        assert_eq!(input(&sample), None);
        assert_eq!(input("/a b/c.csv"), Some("'/a b/c.csv'".to_owned()));
        assert_eq!(keep("longest"), ["--keep", "longest"]);
        assert_eq!(keep("first"), Vec::<String>::new());
        assert_eq!(keep("First"), Vec::<String>::new());
        let former = r#"By { column: "my \"score\"", descending: true }"#;
        assert_eq!(keep(former), ["--keep-by", "'my \"score\" desc'"]);
    }
}
