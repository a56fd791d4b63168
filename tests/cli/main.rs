//! The `neardup` binary from a user's point of view: arguments, files, exit codes and messages.
//!
//! Every test runs the real binary in a temporary directory of its own and reads its answers
//! through the binary again (`neardup sql`). What a query or a function computes is tested in SQL;
//! here is what only the command line and the jobs do.
#![expect(
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    reason = "helpers of tests: what fails, fails the test"
)]

mod bad_input;
mod bounds;
mod choices;
mod damage;
mod decontaminate;
mod dialects;
mod documents;
mod edits;
mod equal_rows;
mod faults;
mod formats;
mod generate;
mod hostile;
mod inputs;
mod keep_orders;
mod kills;
mod locks;
mod manual;
mod measures;
mod names;
mod oversized;
mod pages;
mod plan;
mod removed;
mod repeated_ids;
mod report;
mod resume;
mod rows;
mod sample;
mod scratch;
mod shell;
mod show;
mod sql;
mod text_columns;
mod tune;
mod vectors;
