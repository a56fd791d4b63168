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
