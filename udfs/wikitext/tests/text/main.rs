//! Cleaning and splitting of real text. The corpora lie outside the project; where one is absent
//! its tests say so and pass.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests: what fails, fails the test, and figures are shown"
)]

mod golden_sentences;
mod pages;
mod sentences;
mod shared_data;
mod wikitext;
