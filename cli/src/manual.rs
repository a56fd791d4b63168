//! Generates shell completions and manual pages from the arguments of the command line.

use super::out;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use datafusion::common::{Result, exec_datafusion_err};
use std::io::Write;
use std::path::PathBuf;

/// Print a script that completes commands and options in a shell
///
/// For example: neardup completions bash > /etc/bash_completion.d/neardup
#[derive(Args)]
pub(super) struct Completions {
    /// Shell that runs the script
    shell: Shell,
}

/// Write the manual pages of all commands
///
/// For example: neardup man /usr/local/share/man/man1
#[derive(Args)]
pub(super) struct Man {
    /// Directory for neardup.1, neardup-dedup.1 and the other pages
    directory: PathBuf,
}

pub(super) fn completions(arguments: &Completions) -> Result<()> {
    let mut script = Vec::new();
    let mut command = super::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "neardup", &mut script);
    out::print(|out| Ok(out.write_all(&script)?))
}

pub(super) fn man(arguments: &Man) -> Result<()> {
    let directory = &arguments.directory;
    let written = std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(super::Arguments::command(), directory));
    written.map_err(|error| exec_datafusion_err!("{}: {error}", directory.display()))
}
