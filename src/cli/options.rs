//! Options that every command takes, and the session that follows from them.

use clap::Args;
use datafusion::common::{Result, plan_err};
use datafusion::prelude::SessionContext;
use neardup::cluster::{ClientOptions, Token};
use neardup::{Memory, Resources, parse_size};
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Threads to work with [default: all cores]
    #[arg(long, global = true, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Memory that operators may hold: 512M, 4G, or none [default: 70 % of what is left of the machine,
    /// its control group or the limit of the address space]
    #[arg(long, global = true, value_name = "SIZE", value_parser = Memory::from_str)]
    memory_limit: Option<Memory>,
    /// Directory for what does not fit into memory [default: that of the system, $TMPDIR]
    #[arg(long, global = true, value_name = "DIR")]
    temp_dir: Option<PathBuf>,
    /// Bytes that temporary files may take, such as 50G [default: all but a twentieth of the disk, or 10G]
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size)]
    temp_limit: Option<usize>,
    /// What is logged to standard error: off, error, warn, info, debug, trace
    #[arg(long, global = true, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log: log::LevelFilter,
    /// Say nothing but errors and results
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    /// Print the summary as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Global {
    /// Threads to work with.
    pub(crate) fn threads(&self) -> usize {
        let cores = std::thread::available_parallelism();
        self.threads.or(cores.ok()).map_or(1, NonZeroUsize::get)
    }

    /// A session with these threads, this memory and this temporary space.
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

    /// Refuses the options that a process has no use for: it would not keep to them.
    pub(crate) fn holds_no_rows(&self, why: &str) -> Result<()> {
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

    /// A session of one process, or on a cluster.
    pub(crate) fn session_on(&self, cluster: &Cluster) -> Result<SessionContext> {
        match &cluster.cluster {
            None => self.session(),
            Some(url) => {
                self.holds_no_rows("on a cluster it is an option of each executor")?;
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

    /// Whether a person watches standard error.
    pub(crate) fn is_watched(&self) -> bool {
        !self.quiet && !self.json && std::io::stderr().is_terminal()
    }
}

/// Where a command runs.
#[derive(Debug, Clone, Args)]
pub(crate) struct Cluster {
    /// Run on the cluster of this scheduler, with --threads tasks a stage [default: 16]
    #[arg(long, value_name = "df://HOST:PORT")]
    cluster: Option<String>,
    /// On a cluster: a step of which no task ends for so long is sent again, at most three times
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "cluster", value_parser = clap::value_parser!(u64).range(1..))]
    step_timeout: u64,
    /// On a cluster: a directory that all processes see, for tables in memory above 64 MiB
    #[arg(long, value_name = "DIR", requires = "cluster")]
    scratch: Option<PathBuf>,
    /// On a cluster: a file with the secret that its roles ask for
    #[arg(long, value_name = "FILE", requires = "cluster")]
    token_file: Option<PathBuf>,
}
