//! The interactive shell, on a terminal.

use crate::scratch::Scratch;
use std::process::Command;

/// Types lines into the shell on a pseudo-terminal and prints what it shows. A line `^C` is Ctrl-C, which is repeated
/// until the shell says that the statement was interrupted: before the statement runs, it clears the line only.
const TERMINAL: &str = r#"
import os, pty, select, sys, time

shell, lines = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execv(shell, [shell, "sql"])
shown = b""

def wait(seconds, wanted, start):
    """Reads until the output after a place holds what is wanted; False if it does not, or if the output ends."""
    global shown
    end = time.monotonic() + seconds
    while wanted not in shown[start:] and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                more = os.read(terminal, 65536)
            except OSError:
                return False
            if not more:
                return False
            shown += more
    return wanted in shown[start:]

PROMPT = b"> \r"
wait(60, PROMPT, 0)
for line in lines:
    start = len(shown)
    if line == "^C":
        for _ in range(120):
            os.write(terminal, b"\x03")
            if wait(0.5, b"interrupted", start):
                break
        wait(60, PROMPT, shown.rfind(b"interrupted"))
    else:
        os.write(terminal, line.encode() + b"\n")
        wait(1 if "generate_series" in line else 60, PROMPT, start)
wait(60, b"what does not come", len(shown))
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;

/// What the shell shows after these lines; it must end with success.
fn shown(scratch: &Scratch, lines: &[&str]) -> String {
    let output = Command::new("python3")
        .args(["-c", TERMINAL, env!("CARGO_BIN_EXE_neardup")])
        .args(lines)
        .current_dir(scratch.path("."))
        .env("HOME", scratch.path("."))
        .env("TERM", "xterm")
        .output()
        .expect("python3");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    text
}

/// After Ctrl-C the shell goes on, with its tables.
#[test]
fn an_interrupt_ends_the_statement_and_not_the_shell() {
    let scratch = Scratch::new();
    let text = shown(
        &scratch,
        &[
            "CREATE TABLE kept_table AS SELECT 40 AS n;",
            "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a.value % 7 = b.value % 3;",
            "^C",
            "SELECT n + 2 AS answer FROM kept_table;",
            "quit",
        ],
    );
    assert!(text.contains("interrupted"), "{text}");
    assert!(text.contains("| 42     |"), "{text}");
}

#[test]
fn words_of_other_shells_are_understood() {
    let scratch = Scratch::new();
    scratch.write("docs.csv", "number,body\n1,a b c\n");
    let text = shown(
        &scratch,
        &[
            "help",
            "\\df",
            "\\df near_duplicates",
            "\\d 'docs.csv'",
            "\\d docs.csv",
            "\\x",
            "SELECT 6 *",
            "quit",
            "7;",
            "\\q",
        ],
    );
    for wanted in [
        "Statements end with a semicolon",
        "minhash_join(input",
        "| body",
        "Groups near-duplicate rows",
        "\\x is no command",
        "...> ",
        "the statement above has no end",
        "| 42",
    ] {
        assert!(text.contains(wanted), "no {wanted}:\n{text}");
    }
}
