//! Options that every command takes, and the session that they configure.

use clap::Args;
use datafusion::common::{Result, plan_err};
use datafusion::prelude::SessionContext;
use neardup::cluster::{ClientOptions, Token};
use neardup::{Memory, Resources, parse_limit};
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Every command")]
pub(crate) struct Global {
    /// Number of worker threads [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = parse_threads)]
    threads: Option<NonZeroUsize>,
    /// Memory that operators may hold: 512M, 4G, or none for no limit [default: 70 % of the memory that is
    /// available on the machine and in its control groups; at most half of the address space, if it is limited]
    #[arg(long, global = true, value_name = "SIZE", value_parser = Memory::from_str)]
    memory_limit: Option<Memory>,
    /// Directory for temporary files, to which operators spill [default: that of the system, $TMPDIR]
    #[arg(long, global = true, value_name = "DIR")]
    temp_dir: Option<PathBuf>,
    /// Maximum size of temporary files, such as 50G [default: leave 5 % of the disk, but at most 10G, free]
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_limit)]
    temp_limit: Option<usize>,
    /// Level of log messages on standard error: off, error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL", default_value = "warn", value_parser = parse_level)]
    pub(crate) log: log::LevelFilter,
    /// Print errors and results only
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    /// Print the summary, the answer of why, or the rows of show and sql, as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "must be an integer of at least 1".to_owned())
}

fn parse_level(text: &str) -> Result<log::LevelFilter, String> {
    text.parse()
        .map_err(|_| "must be off, error, warn, info, debug or trace".to_owned())
}

impl Global {
    /// Number of worker threads.
    pub(crate) fn threads(&self) -> usize {
        let cores = std::thread::available_parallelism();
        self.threads.or(cores.ok()).map_or(1, NonZeroUsize::get)
    }

    /// A session in this process with these threads, this memory and this temporary space.
    pub(crate) fn session(&self) -> Result<SessionContext> {
        let resources = Resources {
            threads: self.threads(),
            memory: self.memory(),
            temp_dir: self.temp_dir.clone(),
            temp_limit: self.temp_limit(),
        };
        resources.session()
    }

    /// Memory that operators may hold.
    pub(crate) fn memory(&self) -> Memory {
        self.memory_limit.unwrap_or_default()
    }

    /// Where temporary files go.
    pub(crate) fn temp_dir(&self) -> PathBuf {
        self.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Bytes that temporary files may take.
    pub(crate) fn temp_limit(&self) -> Option<u64> {
        self.temp_limit.map(|bytes| bytes as u64)
    }

    /// Refuses the options of memory and temporary space for a process that does not apply them.
    pub(crate) fn refuse_resource_options(&self, why: &str) -> Result<()> {
        let given = [
            ("--memory-limit", self.memory_limit.is_some()),
            ("--temp-dir", self.temp_dir.is_some()),
            ("--temp-limit", self.temp_limit.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => plan_err!("{option}: {why}"),
            None => Ok(()),
        }
    }

    /// A session in this process, or on a cluster if `--cluster` is given.
    pub(crate) fn session_on(&self, cluster: &Cluster) -> Result<SessionContext> {
        match &cluster.cluster {
            None => self.session(),
            Some(url) => {
                self.refuse_resource_options("on a cluster it is an option of each executor")?;
                let mut options = ClientOptions::new(url);
                options.step_timeout = Duration::from_secs(cluster.step_timeout);
                options.scratch.clone_from(&cluster.scratch);
                options.token = cluster.token_file.as_deref().map(Token::read).transpose()?;
                if let Some(threads) = self.threads {
                    options.partitions = threads.get();
                }
                neardup::cluster::session(&options, Arc::default())
            }
        }
    }

    /// Whether progress is shown on a terminal.
    pub(crate) fn is_interactive(&self) -> bool {
        !self.quiet && !self.json && std::io::stderr().is_terminal()
    }
}

/// Options of commands that can run on a cluster.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct Cluster {
    /// Run on the cluster of this scheduler, with --threads tasks in each stage [default: 16]
    #[arg(long, value_name = "df://HOST:PORT")]
    cluster: Option<String>,
    /// On a cluster: resubmit a step if none of its tasks ends within this time, at most three times
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "cluster", value_parser = clap::value_parser!(u64).range(1..))]
    step_timeout: u64,
    /// On a cluster: a directory that all processes see, for tables above 64 MiB and rows that are read several times
    #[arg(long, value_name = "DIR", requires = "cluster")]
    scratch: Option<PathBuf>,
    /// On a cluster: a file with the secret that its scheduler and executors require
    #[arg(long, value_name = "FILE", requires = "cluster")]
    token_file: Option<PathBuf>,
}
