//! Options that every command takes, and the session that follows from them.

use clap::Args;
use datafusion::common::Result;
use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use neardup::cluster::ClientOptions;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Memory that a partition needs at least: a sketch of token frequencies takes 16 MiB, one more
/// where sketches meet, and the pool gives every operator of every partition an equal share.
const PARTITION_BYTES: usize = 64 << 20;
/// Of the memory of a partition, the part that a sort keeps back for its merge.
const MERGE_SHARE: usize = 32;
/// Memory of a partition for each row of a batch: less memory, smaller batches.
const ROW_BYTES: usize = 32 << 10;

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Threads to work with [default: all cores]
    #[arg(long, global = true, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Memory that operators may hold, such as 512M or 4G [default: no limit]
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size)]
    memory_limit: Option<usize>,
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

    /// Partitions of a plan: one a thread, where the memory suffices.
    fn partitions(&self) -> usize {
        let room = self
            .memory_limit
            .map_or(usize::MAX, |bytes| bytes / PARTITION_BYTES);
        self.threads().min(room.max(1))
    }

    /// A session with these threads and this memory.
    pub(crate) fn session(&self) -> Result<SessionContext> {
        let mut runtime = RuntimeEnvBuilder::new();
        if let Some(bytes) = self.memory_limit {
            let named = NonZeroUsize::new(5).unwrap_or(NonZeroUsize::MIN);
            let pool = TrackConsumersPool::new(FairSpillPool::new(bytes), named);
            runtime = runtime.with_memory_pool(Arc::new(pool));
        }
        let mut config = SessionConfig::new().with_target_partitions(self.partitions());
        if let Some(bytes) = self.memory_limit {
            let options = config.options_mut();
            // Hash joins do not spill, sorts do.
            options.optimizer.prefer_hash_join = false;
            let share = bytes / self.partitions();
            let execution = &mut options.execution;
            execution.sort_spill_reservation_bytes = execution
                .sort_spill_reservation_bytes
                .min(share / MERGE_SHARE);
            let rows = usize::from(execution.batch_size).min((share / ROW_BYTES).max(256));
            execution.batch_size = ConfigNonZeroUsize::try_new(rows)?;
        }
        neardup::session(config, runtime.build_arc()?)
    }

    /// Memory that operators may hold.
    pub(crate) fn memory_limit(&self) -> Option<usize> {
        self.memory_limit
    }

    /// A session of one process, or on a cluster.
    pub(crate) fn session_on(&self, cluster: &Cluster) -> Result<SessionContext> {
        match &cluster.cluster {
            None => self.session(),
            Some(url) => {
                let mut options = ClientOptions::new(url);
                options.step_timeout = Duration::from_secs(cluster.step_timeout);
                options.scratch.clone_from(&cluster.scratch);
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
}

/// Parses a size: a number with an optional K, M, G or T (of 1024).
fn parse_size(text: &str) -> Result<usize, String> {
    let upper = text.trim().to_uppercase();
    let upper = upper
        .strip_suffix("IB")
        .or(upper.strip_suffix('B'))
        .unwrap_or(&upper);
    let (digits, shift) = match upper.char_indices().last() {
        Some((end, 'K')) => (&upper[..end], 10),
        Some((end, 'M')) => (&upper[..end], 20),
        Some((end, 'G')) => (&upper[..end], 30),
        Some((end, 'T')) => (&upper[..end], 40),
        _ => (upper, 0),
    };
    let number: f64 = digits
        .trim()
        .parse()
        .map_err(|_| format!("'{text}' is no size; write it as 512M or 4G"))?;
    let bytes = number
        * f64::from(1_u32 << (shift % 30))
        * if shift >= 30 {
            f64::from(1_u32 << 30)
        } else {
            1.0
        };
    match (1.0..1e18).contains(&bytes) {
        true => Ok(bytes as usize),
        false => Err(format!("'{text}' is no size; write it as 512M or 4G")),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("1024"), Ok(1024));
        assert_eq!(parse_size("2k"), Ok(2048));
        assert_eq!(parse_size("1.5M"), Ok(1_572_864));
        assert_eq!(parse_size("4GiB"), Ok(4 << 30));
        assert_eq!(parse_size("1T"), Ok(1 << 40));
        for wrong in ["", "G", "-1", "0", "four", "NaN"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
