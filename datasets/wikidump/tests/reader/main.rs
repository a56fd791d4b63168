//! The reader as a caller sees it: the same rows for every form and every cut of a dump, what damage
//! costs, and real dumps where they are present.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests: what fails, fails the test, and figures are shown"
)]

mod corpora;
mod damage;
mod dumps;
mod oracle;
mod rows;
#[path = "../../src/shared_data.rs"]
mod shared_data;
mod splits;
