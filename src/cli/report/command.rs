//! The command that runs a job again, from its manifest.

use crate::cli::visible::shell_word;
use neardup::jobs::Manifest;
use serde_json::Value;

/// Parameters of the manifest, each with the option of the command line and its default.
const OPTIONS: [(&str, &str, &str); 15] = [
    ("id", "--id", ""),
    ("text", "--text", ""),
    ("vector", "--vector", ""),
    ("bits", "--bits", ""),
    ("threshold", "--threshold", ""),
    ("shingle", "--shingle", ""),
    ("method", "--method", "auto"),
    ("target_recall", "--target-recall", "0.99"),
    ("pairs", "--pairs", "linked"),
    ("resolution", "--resolution", "representative"),
    ("bucket_pairs", "--max-bucket-pairwise", "10000"),
    ("min_length", "--min-length", "20"),
    ("max_length", "--max-length", "2000"),
    ("on_error", "--on-error", "fail"),
    ("splitter", "--splitter", "default"),
];

/// The command.
pub(super) fn command(manifest: &Manifest, directory: &str) -> String {
    let mut words = vec!["neardup".to_owned(), shell_word(&manifest.command)];
    words.extend(manifest.inputs.iter().map(|input| shell_word(&input.path)));
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
    if parameter("normalize") == "false" {
        words.push("--no-normalize".to_owned());
    }
    let row_ids = parameter("row_ids");
    if !row_ids.is_empty() {
        words.extend(["--row-ids".to_owned(), row_ids]);
    }
    words.extend(keep(&parameter("keep")));
    words.join(" ")
}

/// The options for a keep order as manifests have it.
fn keep(order: &str) -> Vec<String> {
    let Some(by) = order.strip_prefix("By { column: ") else {
        return match order {
            "Longest" => vec!["--keep".to_owned(), "longest".to_owned()],
            _ => vec![],
        };
    };
    let (column, is_descending) = by.rsplit_once(", descending: ").unwrap_or((by, ""));
    let column: String = serde_json::from_str(column).unwrap_or_else(|_| column.to_owned());
    let order = match is_descending.starts_with("true") {
        true => format!("{column} desc"),
        false => column,
    };
    vec!["--keep-by".to_owned(), shell_word(&order)]
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
            ("normalize", false.into()),
            (
                "keep",
                "By { column: \"my score\", descending: true }".into(),
            ),
        ] {
            manifest.parameters.insert(name.to_owned(), value);
        }
        assert_eq!(
            command(&manifest, "out"),
            "neardup dedup -o out --text 'the body' --threshold 0.6 --method minhash --no-normalize \
             --keep-by 'my score desc'"
        );
        assert_eq!(keep("Longest"), ["--keep", "longest"]);
        assert_eq!(keep("First"), Vec::<String>::new());
    }
}
