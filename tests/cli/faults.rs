//! Failing system calls: they are reported, partly written files are ignored, and the next run resumes.

#![cfg(unix)]

use crate::scratch::{Answer, Scratch, answer};
use std::process::Command;

const JOB: [&str; 7] = [
    "dedup",
    "rows.parquet",
    "-o",
    "out",
    "--threads",
    "2",
    "--quiet",
];

fn table() -> (Scratch, Vec<Vec<u8>>) {
    let scratch = Scratch::new();
    scratch.generate("2000", "rows.parquet");
    scratch.succeed(&JOB);
    let wanted = scratch.published("out");
    std::fs::remove_dir_all(scratch.path("out")).expect("a removed directory");
    (scratch, wanted)
}

/// Runs the job after shell commands that set limits.
fn limited(scratch: &Scratch, limits: &str) -> Answer {
    let job = scratch.command(&JOB);
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("{limits}; exec \"$@\""))
        .arg("sh")
        .arg(job.get_program())
        .args(job.get_args())
        .current_dir(scratch.path(""));
    for (name, value) in job.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    answer(shell.output().expect("a shell"))
}

/// Files that cannot grow simulate a full disk: writes fail at the same points.
#[test]
fn a_disk_that_is_full() {
    let (scratch, wanted) = table();
    for blocks in [1, 20, 60] {
        let answer = limited(&scratch, &format!("trap '' XFSZ; ulimit -f {blocks}"));
        assert_eq!(answer.code, Some(1), "{blocks}: {}", answer.err);
        assert!(answer.err.contains("File too large"), "{}", answer.err);
        // The file that could not be written is named, not the input.
        assert!(answer.err.contains("out/"), "{}", answer.err);
        assert!(!answer.err.contains("rows.parquet"), "{}", answer.err);
        if scratch.has("out/manifest.json") {
            scratch.assert_whole("out");
            assert_eq!(scratch.manifest("out")["finished"], false);
        }
    }
    scratch.succeed(&JOB);
    assert!(scratch.published("out") == wanted);
}

#[test]
fn too_few_open_files() {
    let (scratch, wanted) = table();
    for files in [4, 8, 12, 16, 20] {
        let answer = limited(&scratch, &format!("ulimit -n {files}"));
        if answer.code == Some(0) {
            break;
        }
        assert!(
            answer.err.contains("Too many open files"),
            "{files}: {:?} {}",
            answer.code,
            answer.err
        );
        if scratch.has("out/manifest.json") {
            scratch.assert_whole("out");
        }
    }
    scratch.succeed(&JOB);
    assert!(scratch.published("out") == wanted);
}

/// The error states the cause, and not that another process holds the lock.
#[test]
fn a_lock_that_cannot_be_had() {
    let (scratch, _) = table();
    std::fs::create_dir_all(scratch.path("out/.lock")).expect("a directory");
    let answer = scratch.fail(&JOB, &[".lock", "is a directory"]);
    assert!(!answer.err.contains("another process"), "{}", answer.err);
}
