//! Tests through SQL, in one binary. Each trial is a named test.
//!
//! | trials | what they check |
//! | --- | --- |
//! | `slt::…` | each file of `tests/slt`, with 2 target partitions |
//! | `slt::… on N` | the same answers with 1, 7 and 64 target partitions |
//! | `slt::… BeforeAnother`, `AfterAnother` | the same answers in the session of a host with another extension |
//! | `buckets::…` | inputs and jobs in an object store |
//! | `cluster::…` | the same rows on a cluster of a scheduler and executors |
//! | `jobs::…` | the bytes of sorted output files depend on the rows alone |
//! | `determinism::…` | the same rows for any partitions, threads and batch sizes, in every format |
//! | `fuzz::…` | random rows, calls, compositions and jobs against brute force |
//! | `host::…` | neardup and another extension in one session, in both orders |
//! | `hostile::…` | malformed input: no panic, at most linear time, no silent loss |
//! | `inline::…` | the SQL text of a call gives the same rows as the call |
//! | `once::…` | a relation argument is computed once |
//! | `oracle::…` | joins and clusters against brute force, recall, and linear growth for oversized buckets |
//! | `plans::…` | operators that no plan may have, and columns as declared |
//! | `completeness::…` | sql ⇔ registry ⇔ slt ⇔ reference pages |
//! | `reference::…` | the reference pages and the methods in Python are those of the registry |
//!
//! `NEARDUP_COMPLETE=1 cargo test --workspace --test sql` writes the answers of the `.slt` files and
//! the reference pages again. Review each changed answer critically.
//!
//! To add a test: write an `.slt` file; in Rust, a function in the module of its kind and its line
//! in that module's `trials`.
#![expect(
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    reason = "helpers of tests: what fails, fails the test"
)]

mod buckets;
mod calls;
mod cluster;
mod completeness;
mod database;
mod determinism;
mod fuzz;
mod host;
mod hostile;
mod inline;
mod jobs;
mod once;
mod oracle;
mod plans;
mod python_methods;
mod reference;
mod scratch;
mod slt;

use libtest_mimic::{Arguments, Trial};
use std::path::Path;

/// Stack size of threads: planning nested templates recurses deeply, and an unoptimised build needs more than 2 MiB.
const STACK_BYTES: usize = 32 << 20;

fn main() {
    // Paths in statements are relative to the root of the repository.
    std::env::set_current_dir(root()).expect("the root of the repository");
    let arguments = Arguments::from_args();
    let trials: Vec<Trial> = [
        slt::trials(),
        oracle::trials(),
        once::trials(),
        plans::trials(),
        completeness::trials(),
        reference::trials(),
        buckets::trials(),
        inline::trials(),
        jobs::trials(),
        cluster::trials(),
        determinism::trials(),
        fuzz::trials(),
        host::trials(),
        hostile::trials(),
    ]
    .into_iter()
    .flatten()
    .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// The root of the repository, which is above the package of these tests.
fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("a directory above the package")
}

/// Whether generated files are written instead of compared.
fn completes() -> bool {
    std::env::var_os("NEARDUP_COMPLETE").is_some_and(|value| value != "0" && !value.is_empty())
}

/// Runs a future to completion, on threads with a stack that is large enough for deep plans.
fn run<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()
        .expect("a runtime");
    match runtime.block_on(runtime.spawn(future)) {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
