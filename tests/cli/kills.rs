//! Jobs that are killed at random moments.

use crate::scratch::{Scratch, answer, signal};
use serde_json::Value;
use std::time::{Duration, Instant};

fn job(directory: &str) -> Vec<&str> {
    let job = ["dedup", "rows.parquet", "--pairs", "all", "--quiet", "-o"];
    [&job[..], &[directory]].concat()
}

/// Steps that a manifest lists, whole; nothing where there is none yet.
fn listed(scratch: &Scratch, directory: &str) -> Vec<Value> {
    let name = format!("{directory}/manifest.json");
    if !scratch.has(&name) {
        return vec![];
    }
    let manifest = scratch.manifest(directory);
    manifest["steps"].as_array().expect("steps").clone()
}

/// `kill -9` and Ctrl-C at random moments: what was committed is not done again, and the bytes are those of a
/// run that nobody stopped.
#[cfg(unix)]
#[test]
fn stopped_at_random_moments() {
    let scratch = Scratch::new();
    scratch.generate("2000", "rows.parquet");
    let begun = Instant::now();
    scratch.succeed(&job("undisturbed"));
    let whole = begun.elapsed();
    let wanted = scratch.published("undisturbed");
    let mut state = u64::from(std::process::id());
    println!("seed {state}");
    for round in 0..8 {
        let directory = format!("round-{round}");
        let name = if round % 2 == 0 { "-KILL" } else { "-INT" };
        // Twice in a row: also the run that goes on is stopped.
        for _ in 0..2 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let before = listed(&scratch, &directory);
            let mut child = scratch.begin(&job(&directory));
            std::thread::sleep(whole.mul_f64((state >> 33) as f64 / f64::from(u32::MAX) * 2.0));
            if child.try_wait().expect("a child").is_none() {
                signal(name, child.id());
            }
            let answer = answer(child.wait_with_output().expect("a child"));
            assert!(
                matches!(answer.code, None | Some(0 | 130)),
                "{:?} {}",
                answer.code,
                answer.err
            );
            let after = listed(&scratch, &directory);
            assert_eq!(after[..before.len()], before, "a step was repeated");
        }
        let before = listed(&scratch, &directory);
        let limit = Instant::now();
        scratch.succeed(&job(&directory));
        assert!(limit.elapsed() < Duration::from_secs(60) + whole * 4);
        let after = listed(&scratch, &directory);
        assert_eq!(after[..before.len()], before, "a step was repeated");
        assert!(
            scratch.published(&directory) == wanted,
            "round {round}: other bytes"
        );
        scratch.assert_whole(&directory);
    }
}
