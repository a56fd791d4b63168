//! Runs the `.slt` files: each is a named test with a fresh session and a scratch directory.
//!
//! In a file, `$__SCRATCH__` is its directory, `$__SAMPLE__` that of the bundled sample and `$__DATA__` that
//! of `tests/data`, in statements and in answers. A record under `onlyif partitions_2` runs only there: plans differ
//! with the number of partitions, rows must not.

use super::database::{Database, Failure};
use super::host::{Order, session_of_host};
use libtest_mimic::{Failed, Trial};
use sqllogictest::{Runner, default_column_validator, default_normalizer, default_validator};
use std::path::PathBuf;

/// The number of target partitions with which answers are written, and the numbers with which files run again.
const PARTITIONS: usize = 2;
const OTHER_PARTITIONS: [usize; 3] = [1, 7, 64];

/// The directory of the files.
pub fn directory() -> PathBuf {
    super::root().join("tests/slt")
}

/// The name of each file below the directory, without `.slt`, and its path.
pub fn files() -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    let mut directories = vec![directory()];
    while let Some(next) = directories.pop() {
        let entries =
            std::fs::read_dir(&next).unwrap_or_else(|e| panic!("{}: {e}", next.display()));
        for entry in entries {
            let path = entry.expect("a readable directory").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "slt") {
                let name = path
                    .strip_prefix(directory())
                    .expect("below it")
                    .with_extension("");
                files.push((name.display().to_string(), path));
            }
        }
    }
    files.sort();
    files
}

/// A trial for each file, and for each other number of partitions.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, path) in files() {
        let file = path.clone();
        trials.push(Trial::test(format!("slt::{name}"), move || {
            super::run(run_file(file, PARTITIONS))
        }));
        for partitions in OTHER_PARTITIONS {
            let file = path.clone();
            let name = format!("slt::{name} on {partitions}");
            let trial = Trial::test(name, move || super::run(run_file(file, partitions)));
            trials.push(trial.with_ignored_flag(super::completes()));
        }
        if !name.starts_with("session/") {
            for order in Order::ALL {
                let file = path.clone();
                let name = format!("slt::{name} {order:?}");
                let trial = Trial::test(name, move || super::run(run_embedded(file, order)));
                trials.push(trial.with_ignored_flag(super::completes()));
            }
        }
    }
    trials
}

/// In the session of a host, which has an extension with a query planner of its own.
async fn run_embedded(path: PathBuf, order: Order) -> Result<(), Failed> {
    let connect = move || async move {
        let session = session_of_host(order).map_err(|error| Failure(error.to_string()))?;
        Database::over(session)
    };
    Runner::new(connect)
        .run_file_async(&path)
        .await
        .map_err(|error| Failed::from(error.display(false).to_string()))
}

async fn run_file(path: PathBuf, partitions: usize) -> Result<(), Failed> {
    let connect = move || async move { Database::new(partitions) };
    let mut runner = Runner::new(connect);
    runner.add_label(&format!("partitions_{partitions}"));
    if super::completes() {
        return runner
            .update_test_file(
                &path,
                " ",
                default_validator,
                default_normalizer,
                default_column_validator,
            )
            .await
            .map_err(|error| Failed::from(error.to_string()));
    }
    runner
        .run_file_async(&path)
        .await
        .map_err(|error| Failed::from(error.display(false).to_string()))
}
