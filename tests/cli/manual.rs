//! Shell completions and manual pages, generated from the arguments.

use crate::scratch::Scratch;

#[test]
fn completions_name_commands_and_options() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = scratch.succeed(&["completions", shell]).out;
        for word in ["dedup", "max-bucket-pairwise", "executor-timeout"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    scratch.fail(&["completions", "tcsh"], &["tcsh", "bash"]);
}

#[test]
fn each_command_has_a_manual_page() {
    let scratch = Scratch::new();
    scratch.succeed(&["man", "share/man1"]);
    for (page, words) in [
        ("neardup.1", ["dedup", "scheduler"]),
        ("neardup-dedup.1", ["threshold", "keep\\-by"]),
        ("neardup-executor.1", ["slots", "work\\-dir"]),
    ] {
        let text = std::fs::read_to_string(scratch.path("share/man1").join(page));
        let text = text.expect(page);
        for word in words {
            assert!(text.contains(word), "{page}: {word}");
        }
    }
    scratch.write("taken", "a file");
    scratch.fail(&["man", "taken/man1"], &["taken/man1"]);
}

/// The options of a command come in groups, before those that all commands have.
#[test]
fn help_has_examples_and_groups() {
    let scratch = Scratch::new();
    let help = scratch.succeed(&["dedup", "--help"]).out;
    let places: Vec<_> = [
        "Examples:\n",
        "neardup dedup articles.parquet -o out ",
        "Usage: neardup dedup",
        "\nResult:\n",
        "--kept <FILE>",
        "\nColumns of a table:\n",
        "--text <COLUMNS>",
        "\nWhat counts as similar:\n",
        "--threshold <T>",
        "\nWhich row is kept:\n",
        "--keep-by <COLUMNS>",
        "\nHow pairs are found:\n",
        "--method <METHOD>",
        "\nDumps and languages:\n",
        "--language <CODE>",
        "\nCSV, TSV, JSON and text files:\n",
        "--delimiter <C>",
        "\nCluster:\n",
        "--cluster <",
    ]
    .into_iter()
    .map(|part| help.find(part).unwrap_or_else(|| panic!("{part}: {help}")))
    .collect();
    assert!(places.is_sorted(), "{places:?}\n{help}");
    let globals = help.split("\nEvery command:\n").nth(1).expect("a group");
    assert!(globals.contains("--memory-limit") && globals.contains("--json"));
    let sql = scratch.succeed(&["sql", "--help"]).out;
    for command in sql
        .lines()
        .filter(|line| line.starts_with("  neardup sql -c"))
    {
        let statement = command.split('"').nth(1).expect("a statement");
        assert!(!statement.is_empty(), "{command}");
    }
}
