//! Bytes that nobody meant: mutations of seeds, and pieces said again and again.
//!
//! The targets and what must hold of them stand in `fuzz/targets.rs`, their seeds in `fuzz/corpus/`; libFuzzer runs the
//! same ones (`fuzz/`). Here they take a bounded number of inputs that are drawn from a seed, and each must end in time:
//! what takes more than linear time shows where pieces are repeated.
//!
//! ```text
//! cargo test --test sql -- hostile::                            a fixed number of inputs, as in CI
//! NEARDUP_FUZZ_MINUTES=30 cargo test --test sql -- hostile::    as many as there is time for
//! ```
//!
//! An input that fails is written to the temporary directory, as small as it could be made.

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
    // How many inputs in CI: as many as take a second or two.
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

/// An input of at most [`mutation::MOST`] bytes may take this long of a processor; most take a thousandth of it.
/// Targets that run queries on other threads may take twenty times as long by the clock.
const PATIENCE: Duration = Duration::from_secs(2);

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

/// What is wrong with an input, if anything is: a panic, or too much time.
fn attempt(target: fn(&[u8]), bytes: &[u8]) -> Result<(), String> {
    let (begun, before) = (Instant::now(), processor_time());
    let caught = std::panic::catch_unwind(|| target(bytes));
    caught.map_err(|panic| panic_text(&*panic))?;
    let (late, took) = (begun.elapsed(), processor_time().saturating_sub(before));
    match took > PATIENCE || late > 20 * PATIENCE {
        true => Err(format!(
            "{} bytes took {took:?} of a processor, {late:?} in all",
            bytes.len()
        )),
        false => Ok(()),
    }
}

/// Time of a processor that this thread has had, where the system tells: other processes do not count.
fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told
        .split(' ')
        .next()
        .and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
