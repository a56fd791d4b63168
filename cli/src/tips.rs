//! Hints for wrong arguments, in place of the suggestions of the argument parser, which are often unrelated.

use super::visible;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use std::path::Path;

/// Names of options of other programs: the option of a command that they mean, empty for every command, and a tip.
const KNOWN: &[(&[&str], &str, &str)] = &[
    (
        &["sep", "separator", "delim", "field-separator", "d"],
        "delimiter",
        "--delimiter C says what separates the values, as in --delimiter ';'",
    ),
    (
        &[
            "ngram",
            "ngrams",
            "n-gram",
            "n-grams",
            "ngram-size",
            "shingle-size",
            "shingles",
            "k",
        ],
        "shingle",
        "--shingle word:3 compares runs of 3 words, --shingle char:5 runs of 5 characters",
    ),
    (
        &[
            "num-perm",
            "num-perms",
            "permutations",
            "num-hashes",
            "hashes",
            "bands",
            "num-bands",
        ],
        "target-recall",
        "the number of hash functions follows from --threshold and --target-recall, the share of the pairs that must be found",
    ),
    (
        &[
            "input",
            "inputs",
            "input-file",
            "input-path",
            "in",
            "file",
            "files",
            "path",
            "i",
        ],
        "",
        "inputs are named without an option: neardup dedup FILE",
    ),
    (
        &[
            "output-dir",
            "output-directory",
            "output-path",
            "output-file",
            "out",
            "out-dir",
            "outdir",
            "dest",
            "destination",
        ],
        "output",
        "-o names the result",
    ),
    (
        &["limit", "top", "max", "n"],
        "clusters",
        "--clusters N is the number of clusters that are shown, --rows N that of the rows of each",
    ),
    (
        &["limit", "head", "max-rows", "nrows", "n"],
        "",
        "a part of a table is made with neardup sql \"COPY (SELECT * FROM 'FILE' LIMIT 1000) TO 'part.parquet'\"",
    ),
    (
        &["dry-run", "check", "preview"],
        "output",
        "no input is ever changed: the result is a directory of its own, -o DIR",
    ),
    (
        &["verbose", "debug", "loglevel", "log-level", "v"],
        "log",
        "--log info or --log debug prints more",
    ),
    (
        &["silent", "no-progress", "q"],
        "quiet",
        "--quiet prints errors and results only",
    ),
    (
        &[
            "jobs",
            "workers",
            "num-workers",
            "num-proc",
            "nproc",
            "cores",
            "cpus",
            "processes",
            "parallel",
            "j",
        ],
        "threads",
        "--threads N is the number of worker threads",
    ),
    (
        &[
            "column",
            "columns",
            "text-column",
            "text-col",
            "text-field",
            "text-key",
            "field",
            "content",
        ],
        "text",
        "--text COLUMN names the column of the texts",
    ),
    (
        &["id-column", "id-col", "id-field", "id-key", "index", "key"],
        "id",
        "--id COLUMN names the column of the ids",
    ),
    (
        &[
            "similarity",
            "jaccard",
            "jaccard-threshold",
            "min-similarity",
            "sim",
            "cutoff",
        ],
        "threshold",
        "--threshold S is the least similarity of a pair",
    ),
    (
        &[
            "test",
            "tests",
            "benchmark",
            "benchmarks",
            "items",
            "eval",
            "reference",
        ],
        "against",
        "--against FILE names the items that are looked for",
    ),
    (
        &["methods", "method", "algorithm"],
        "labels",
        "tune compares the methods by itself: its table methods has the recall of each",
    ),
    (
        &["algorithm", "algo", "method"],
        "method",
        "--method names how pairs are found",
    ),
    (
        &["force", "replace", "f"],
        "overwrite",
        "--overwrite replaces another job in the directory",
    ),
    (
        &["header", "no-headers", "noheader"],
        "no-header",
        "the first line is the header; --no-header says that there is none",
    ),
    (
        &["skip", "skiprows", "skip-rows", "skip-header", "skip-line"],
        "skip-lines",
        "--skip-lines N leaves out the first N lines, which are before the header",
    ),
    (
        &["memory", "mem", "max-memory", "ram"],
        "memory-limit",
        "--memory-limit SIZE limits the memory, as in --memory-limit 4G",
    ),
    (
        &["tmp", "tmpdir", "tmp-dir", "tempdir", "temp"],
        "temp-dir",
        "--temp-dir DIR is where temporary files go",
    ),
    (
        &["lang"],
        "language",
        "--language CODE names the language, as in --language de",
    ),
];

/// The text of an error of the arguments, and a tip.
pub(super) fn explained(mut error: clap::Error, root: &Command) -> (String, Option<String>) {
    let command = command_of(&arguments(), root);
    let tip = tip(&error, command, root);
    if error.kind() == ErrorKind::UnknownArgument {
        // That the option may be a value after `--`.
        error.remove(ContextKind::Suggested);
        let mut suggested = None;
        if let Some(option) = given(&error, ContextKind::InvalidArg)
            && tip.is_none()
        {
            let of_parser = given(&error, ContextKind::SuggestedArg);
            let others =
                options(command, root).filter_map(|other| Some(format!("--{}", other.get_long()?)));
            let mut names = of_parser.map(str::to_owned).into_iter().chain(others);
            suggested = names.find(|other| is_near(option, other));
        }
        if given(&error, ContextKind::SuggestedArg) != suggested.as_deref() {
            error.remove(ContextKind::SuggestedArg);
            // It has the suggested option.
            error.remove(ContextKind::Usage);
        }
        if let Some(suggested) = suggested {
            error.insert(ContextKind::SuggestedArg, ContextValue::String(suggested));
        }
    }
    // The most similar command is the last one.
    let best = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.last().cloned(),
        _ => None,
    };
    if let Some(best) = best {
        let best = ContextValue::Strings(vec![best]);
        error.insert(ContextKind::SuggestedSubcommand, best);
    }
    let mut text = error.render().to_string();
    for (from, to) in [
        ("invalid digit found in string", "must be a whole number"),
        (
            "cannot parse integer from empty string",
            "must be a whole number",
        ),
        (
            "number too large to fit in target type",
            "the number is too large",
        ),
        (
            "number would be zero for non-zero type",
            "must be at least 1",
        ),
    ] {
        text = text.replace(&format!(": {from}"), &format!(": {to}"));
    }
    (text, tip)
}

/// Added to the error of an input that is not there, if it was meant as the value of an option that takes none.
pub(super) fn missing_input(text: &str, root: &Command) -> Option<String> {
    let input = text.strip_suffix(": no such file or directory")?;
    let arguments = arguments();
    let command = command_of(&arguments, root);
    let flag = arguments.windows(2).find_map(|pair| match pair {
        [flag, value] if value == input => {
            let long = flag.strip_prefix("--")?;
            let option = options(command, root).find(|option| option.get_long() == Some(long))?;
            (!option.get_action().takes_values()).then_some(flag)
        }
        _ => None,
    })?;
    Some(format!("; it follows {flag}, which takes no value"))
}

/// The arguments of this process.
fn arguments() -> Vec<String> {
    let arguments = std::env::args_os().skip(1);
    arguments
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect()
}

/// The command that the arguments name.
fn command_of<'a>(arguments: &[String], root: &'a Command) -> &'a Command {
    let mut named = arguments.iter();
    let found = named.find_map(|name| root.find_subcommand(name));
    found.unwrap_or(root)
}

/// The options of a command, with those of every command.
fn options<'a>(command: &'a Command, root: &'a Command) -> impl Iterator<Item = &'a Arg> {
    command.get_arguments().chain(root.get_arguments())
}

fn given(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    }
}

/// Whether an option may be a misspelling of another, or of its beginning.
fn is_near(option: &str, other: &str) -> bool {
    let plain = |option: &str| option.trim_start_matches('-').replace('_', "-");
    let (option, other) = (plain(option), plain(other));
    let length = option.chars().count();
    let is_within = |other: &str, max| {
        let distance = neardup_kernels::edit_distance_within(&option, other, max);
        distance.is_some()
    };
    let beginning: String = other.chars().take(length + 1).collect();
    length > 2 && other.starts_with(&option)
        || length > 4 && is_within(&beginning, 1)
        || is_within(&other, length / 3)
}

/// A hint for arguments of another command or program, or of a task that is not an option.
fn tip(error: &clap::Error, command: &Command, root: &Command) -> Option<String> {
    if let Some(word) = given(error, ContextKind::InvalidSubcommand) {
        if ["serve", "server", "cluster", "start", "worker", "daemon"].contains(&word) {
            return Some(
                "neardup scheduler and neardup executor are the processes of a cluster".to_owned(),
            );
        }
        let file = visible::shell_word(word);
        return Path::new(word)
            .exists()
            .then(|| format!("the command comes first: neardup dedup {file}"));
    }
    if error.kind() == ErrorKind::ValueValidation
        && error.to_string().contains("--keep must be one of")
    {
        return Some(
            "--keep-by 'COLUMN desc' keeps the row with the largest value of a column, such as a date"
                .to_owned(),
        );
    }
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let option = given(error, ContextKind::InvalidArg)?;
    let recipe = match option {
        "--against" | "--exclude" | "--minus" | "--against-table" => "A minus B",
        "--group" | "--group-by" | "--by" => "Only within a group",
        "--weight" | "--weights" | "--fields" => {
            return Some(
                "--text title,body compares several columns as one text; records whose fields have weights: SELECT * FROM field_join('FILE', fields => [title, body], weights => [0.3, 0.7], threshold => 0.8)".to_owned(),
            );
        }
        "--headings" | "--lists" => {
            return Some("--compare all --min-length 0 compares headings, too".to_owned());
        }
        _ => return of_others(option, command, root),
    };
    Some(format!(
        "docs/recipes.md, \"{recipe}\", has a statement for this"
    ))
}

/// A tip for an option of another program.
fn of_others(option: &str, command: &Command, root: &Command) -> Option<String> {
    let name = option.trim_start_matches('-').to_lowercase();
    let name = name.replace('_', "-");
    let has = |long: &str| options(command, root).any(|option| option.get_long() == Some(long));
    if option.contains('_') && has(&name) {
        return Some(format!("the option is written --{name}"));
    }
    let mut known = KNOWN.iter().filter(|(names, long, _)| {
        names.contains(&name.as_str()) && (long.is_empty() || has(long))
    });
    known.next().map(|(_, _, tip)| (*tip).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arguments;
    use clap::CommandFactory;

    #[test]
    fn tips_name_options_that_there_are() {
        let root = Arguments::command();
        for (names, long, _) in KNOWN {
            assert!(!names.is_empty());
            let all = root.get_subcommands().flat_map(Command::get_arguments);
            let mut all = all.chain(root.get_arguments());
            let is_there = long.is_empty() || all.any(|option| option.get_long() == Some(*long));
            assert!(is_there, "--{long}");
        }
    }

    #[test]
    fn only_near_options_are_suggested() {
        for (option, other, near) in [
            ("--treshold", "threshold", true),
            ("--thresh", "--threshold", true),
            ("--keep_by", "--keep-by", true),
            ("--tresh", "--threshold", true),
            ("--tresh", "--threads", false),
            ("--sep", "--step-timeout", false),
            ("--verbose", "--version", false),
            ("--methods", "--threads", false),
        ] {
            assert_eq!(is_near(option, other), near, "{option}");
        }
    }
}
