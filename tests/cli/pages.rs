//! Runs pages of `docs/`: every command of a page succeeds, and prints what the page says.

use crate::scratch::{Scratch, root};
use std::path::Path;
use std::process::Command;

#[test]
fn recipes_run_as_they_are_written() {
    assert!(commands_of("recipes.md") > 10);
}

#[test]
fn a_result_is_read_as_the_page_says() {
    assert!(commands_of("reading.md") > 5);
}

/// Runs the commands of a page; their number.
fn commands_of(page: &str) -> usize {
    let page = root().join("docs").join(page);
    let page = std::fs::read_to_string(page).expect("the page");
    let scratch = Scratch::new();
    let binaries = Path::new(env!("CARGO_BIN_EXE_neardup"))
        .parent()
        .expect("a directory");
    let path = format!(
        "{}:{}",
        binaries.display(),
        std::env::var("PATH").expect("a path")
    );
    let mut commands = 0;
    let mut printed = String::new();
    for (language, block) in blocks(&page) {
        match language {
            "sh" => {
                let output = Command::new("sh")
                    .args(["-e", "-c", block])
                    .current_dir(scratch.path("."))
                    .env("PATH", &path)
                    .env("TMPDIR", scratch.path("."))
                    .output()
                    .expect("a shell");
                let errors = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{block}\n{errors}");
                printed = String::from_utf8(output.stdout).expect("UTF-8");
                commands += 1;
            }
            "text" => assert!(
                !block.is_empty() && printed.ends_with(block),
                "the page says:\n{block}\nthe command prints:\n{printed}"
            ),
            other => panic!("a block of '{other}'"),
        }
    }
    commands
}

/// The fenced blocks of a page, with their languages.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (language, body) = after.split_once('\n').expect("a block");
        let (block, more) = body.split_once("```\n").expect("the end of a block");
        blocks.push((language, block));
        rest = more;
    }
    blocks
}
