//! Malformed input: mutations of seeds, and repeated fragments.
//!
//! The targets and their invariants are in `fuzz/targets.rs`, their seeds in `fuzz/corpus/`. libFuzzer runs the same
//! targets (`fuzz/`). Here each target runs on a bounded number of inputs that are generated from a seed, with a time
//! limit: repeated fragments expose algorithms of more than linear time.
//!
//! ```text
//! cargo test --test sql -- hostile::                            a fixed number of inputs, as in CI
//! NEARDUP_FUZZ_MINUTES=30 cargo test --test sql -- hostile::    as many as the time allows
//! ```
//!
//! A failing input is reduced and written to the temporary directory.

mod bombs;
mod mutation;
#[path = "../../../fuzz/targets.rs"]
mod targets;

use super::fuzz::{Budget, Random, panic_text};
use libtest_mimic::{Failed, Trial};
use mutation::{Input, Seeds};
use std::time::{Duration, Instant};

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    // The number of inputs in CI, which take a second or two.
    let counts = |name: &str| match name {
        "arguments" => 60,
        "word_vectors" => 15,
        "tables" => 30,
        "manifest" => 80,
        "bzip2" => 80,
        _ => 400,
    };
    let mutated = targets::TARGETS.iter().map(|&(name, _)| {
        let trial = move || run(name, targets::target(name), counts(name));
        Trial::test(format!("hostile::{name}"), trial)
    });
    mutated.chain(bombs::trials()).collect()
}

/// Limit of the CPU time for an input of at most [`mutation::MAX_BYTES`] bytes; most take a thousandth of it. The limit
/// of the wall time is twenty times as large, for targets that run queries on other threads.
const TIMEOUT: Duration = Duration::from_secs(2);

fn run(name: &str, target: fn(&[u8]), cases: u64) -> Result<(), Failed> {
    let seeds = Seeds::of(name)?;
    for seed in &seeds.files {
        attempt(target, seed).map_err(|wrong| format!("{name}: a seed: {wrong}"))?;
    }
    let mut budget = Budget::new(cases);
    while let Some(number) = budget.next() {
        let input = Input::random(&mut Random::new(number), &seeds);
        let Err(mut wrong) = attempt(target, &input.bytes()) else {
            continue;
        };
        let mut input = input;
        let end = Instant::now() + Duration::from_secs(60);
        while let Some(smaller) = input.smaller().into_iter().find(|smaller| {
            Instant::now() < end
                && attempt(target, &smaller.bytes())
                    .map_err(|still| wrong = still)
                    .is_err()
        }) {
            input = smaller;
        }
        let path = std::env::temp_dir().join(format!("hostile-{name}-{number}"));
        std::fs::write(&path, input.bytes())?;
        return Err(format!(
            "{name}: NEARDUP_FUZZ_SEED={number} NEARDUP_FUZZ_CASES=1: {wrong}\n{}\n{input:?}",
            path.display()
        )
        .into());
    }
    Ok(())
}

/// Runs an input, and returns an error if it panics or takes too long.
fn attempt(target: fn(&[u8]), bytes: &[u8]) -> Result<(), String> {
    let (begun, before) = (Instant::now(), processor_time());
    let caught = std::panic::catch_unwind(|| target(bytes));
    caught.map_err(|panic| panic_text(&*panic))?;
    let (late, took) = (begun.elapsed(), processor_time().saturating_sub(before));
    match took > TIMEOUT || late > 20 * TIMEOUT {
        true => Err(format!(
            "{} bytes took {took:?} of a processor, {late:?} in all",
            bytes.len()
        )),
        false => Ok(()),
    }
}

/// CPU time of this thread, or 0 if the system does not report it. It excludes the time of other processes.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split(' ')
        .next()
        .and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
