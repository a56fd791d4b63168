//! Untrusted text: control characters are made visible on a terminal, and stay unchanged in files and pipes.

use crate::scratch::{Scratch, answer};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

/// Two near-duplicates whose id, title and text contain control characters; one id imitates a cluster's line.
const ROWS: &str = concat!(
    r#"{"id":"a\u001b]0;own\u0007","text":"one two three four five six \u001b[31mseven\u202e eight\nnine\rten \u009b31m","ti\u001btle":"x"}"#,
    "\n",
    r#"{"id":"b\ncluster 9, 9 rows","text":"one two three four five six \u001b[31mseven\u202e eight\nnine\rten \u009b31m eleven","ti\u001btle":"y"}"#,
    "\n"
);

/// Characters that a terminal interprets, or that change the direction of writing.
fn is_order(letter: char) -> bool {
    let is_break = matches!(letter, '\n' | '\t');
    (letter.is_control() && !is_break) || ('\u{202a}'..='\u{202e}').contains(&letter)
}

#[track_caller]
fn assert_harmless(text: &str) {
    let found: Vec<char> = text.chars().filter(|letter| is_order(*letter)).collect();
    assert!(found.is_empty(), "{found:?} in {text:?}");
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
/// What a command writes to a terminal, without the terminal's own line ends and our colours.
fn on_terminal(scratch: &Scratch, command: &str) -> Option<String> {
    let command = format!("'{}' {command}", env!("CARGO_BIN_EXE_neardup"));
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]);
    let done = script.current_dir(scratch.path("")).output();
    let Ok(done) = done else {
        eprintln!("skipped: there is no command 'script' to stand for a terminal");
        return None;
    };
    let mut text = String::from_utf8(done.stdout).expect("text");
    text = text.replace("\r\n", "\n");
    for colour in ["\x1b[31m[-", "-]\x1b[0m", "\x1b[32m{+", "+}\x1b[0m"] {
        text = text.replace(colour, "");
    }
    Some(text)
}

#[test]
fn what_steers_a_terminal_is_shown() {
    let scratch = Scratch::new();
    scratch.write("in.jsonl", ROWS);
    scratch.succeed(&["dedup", "in.jsonl", "--threshold", "0.5", "--quiet"]);
    let shown = scratch.succeed(&["show"]).out;
    assert_harmless(&shown);
    assert!(
        shown.contains("␛[31mseven<U+202E> eight\n          nine␍ten <U+009B>31m"),
        "{shown}"
    );
    let heads = shown
        .lines()
        .filter(|line| line.starts_with("cluster "))
        .count();
    assert_eq!(heads, 1, "{shown}");
    let table = scratch
        .succeed(&["sql", "-c", "SELECT * FROM 'in.jsonl'"])
        .out;
    assert_harmless(&table);
    assert!(table.contains("ti␛tle"), "{table}");
    for command in [
        "show",
        r#"sql -c "SELECT * FROM 'in.jsonl'""#,
        r#"sql --format csv -c "SELECT * FROM 'in.jsonl'""#,
        r#"sql --format json -c "SELECT * FROM 'in.jsonl'""#,
        r#"sql -c "SELECT * FROM 'in.jsonl' WHERE $(printf 'no\033[31m')""#,
        r#"dedup "$(printf 'no\033]0;x\007').jsonl""#,
        r#""$(printf '\033[31m')""#,
    ] {
        if let Some(text) = on_terminal(&scratch, command) {
            assert!(!text.is_empty(), "{command}");
            assert_harmless(&text);
        }
    }
}

#[test]
fn pipes_get_the_bytes_of_the_rows() {
    let scratch = Scratch::new();
    scratch.write("in.jsonl", ROWS);
    let query = "SELECT id, \"text\" FROM 'in.jsonl'";
    let csv = scratch
        .succeed(&["sql", "--format", "csv", "-c", query])
        .out;
    assert!(csv.contains("a\x1b]0;own\x07,\"one two three four five six \x1b[31mseven\u{202e} eight\nnine\rten \u{9b}31m\""), "{csv:?}");
    let rows = scratch.rows(query);
    assert_eq!(rows[1]["id"], "b\ncluster 9, 9 rows");
    assert_eq!(rows[0]["id"], "a\x1b]0;own\x07");
}

#[test]
fn errors_show_what_names_hold() {
    let scratch = Scratch::new();
    scratch.write("bad\x1b[31m.jsonl", "{\"id\":1\n");
    for arguments in [
        vec!["dedup", "bad\x1b[31m.jsonl"],
        vec!["dedup", "no\x1b]0;x\x07.jsonl"],
        vec!["show", "no\x1b]0;x\x07"],
        vec!["sql", "--dir", "no\x1b]0;x\x07", "-c", "SELECT 1"],
        vec!["sql", "-f", "no\x1b]0;x\x07"],
        vec!["sql", "-c", "SELECT \"no\x1b]0;x\x07\""],
        vec!["\x1b[31m"],
        vec!["dedup", "--threshold", "\x1b[31m"],
        vec![
            "dedup",
            "in.jsonl",
            "--token-file",
            "\x1b[31m",
            "--cluster",
            "df://127.0.0.1:1",
        ],
        vec!["dedup", "in.jsonl", "--cluster", "\x1b[31m"],
    ] {
        let answer = scratch.run(&arguments);
        assert_ne!(answer.code, Some(0), "{arguments:?}");
        assert!(!answer.err.is_empty(), "{arguments:?}");
        assert_harmless(&answer.err);
        assert_harmless(&answer.out);
    }
}

#[test]
fn names_that_are_no_text_are_named() {
    let scratch = Scratch::new();
    scratch.write("d/good.jsonl", "{\"id\":1,\"text\":\"a b c\"}\n");
    let odd = std::ffi::OsStr::from_bytes(b"d/\xff.jsonl");
    std::fs::write(
        scratch.path("").join(odd),
        "{\"id\":2,\"text\":\"a b c d\"}\n",
    )
    .expect("a file");
    for input in ["d", "d/*.jsonl", "*/*.jsonl", "**/*.jsonl"] {
        let answer = scratch.run(&["dedup", input]);
        assert_eq!(answer.code, Some(1), "{input}");
        assert!(
            answer.err.contains("is not valid UTF-8; rename it"),
            "{input}: {}",
            answer.err
        );
    }
    // What a pattern does not match is none of its business.
    scratch.succeed(&["dedup", "d/g*.jsonl", "--quiet"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_neardup"));
    command
        .arg("dedup")
        .arg(std::ffi::OsStr::from_bytes(b"\xff.jsonl"));
    let told = answer(
        command
            .current_dir(scratch.path(""))
            .output()
            .expect("an answer"),
    );
    assert_eq!(told.code, Some(2));
    assert!(told.err.contains("invalid UTF-8"), "{}", told.err);
}

#[test]
fn odd_names_work() {
    let scratch = Scratch::new();
    for name in [
        "-x.jsonl",
        "a..b.jsonl",
        "a b'c\".jsonl",
        "猫.jsonl",
        "per%20cent#?.jsonl",
    ] {
        scratch.write(
            name,
            "{\"id\":\"../up\",\"text\":\"a b c\"}\n{\"id\":\"-1\",\"text\":\"a b c\"}\n",
        );
        let path = format!("./{name}");
        for output in ["-out", "out put", "x/../y..z"] {
            let directory = format!("--output={output}");
            let said = scratch.succeed(&["dedup", &path, &directory, "--overwrite"]);
            let hint = |line: &'_ str| line.strip_prefix("look at it: neardup ").map(str::to_owned);
            let hint = said.out.lines().find_map(hint).expect("a hint");
            let hint = hint.as_str();
            let shown = on_terminal(&scratch, hint);
            assert!(
                shown.is_none_or(|shown| shown.contains("../up")),
                "{name}, {hint}"
            );
        }
    }
    // Ids are no paths: nothing but the results lies beside the inputs.
    assert!(!scratch.path("../up").exists());
}
