//! The `neardup` command.
#![expect(clippy::print_stdout, reason = "the command line talks to a person")]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
