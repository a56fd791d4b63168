//! Configures the threads, memory and temporary space of a session in one process.

mod available;
mod pool;
mod spill;

use crate::options::NeardupOptions;
#[cfg(feature = "cluster")]
use ballista_core::config::BallistaConfig;
use datafusion::common::config::{ConfigNonZeroUsize, ConfigOptions, SpillCompression};
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::TrackConsumersPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::prelude::SessionConfig;
use neardup_kernels::KeyCounts;
use pool::SharedPool;
pub use pool::limit_heaps;
use spill::{SpillSpace, Spills};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::thread::available_parallelism;

/// Minimum memory of a partition in bytes: a sketch of token frequencies takes 20 MiB, merging takes a second one,
/// and the operators of every partition share the pool.
const PARTITION_BYTES: usize = 64 << 20;
/// A sort reserves this fraction (1 / 32) of a partition's memory for its merge.
const MERGE_SHARE: usize = 32;
/// Bytes of a partition's memory for each row of a batch: the less memory, the smaller the batches.
const ROW_BYTES: usize = 32 << 10;

/// Resources that a session in one process may use.
///
/// ```
/// use neardup::{Memory, Resources};
/// let resources = Resources { threads: 2, memory: Memory::Bytes(1 << 30), ..Resources::default() };
/// let session = resources.session()?;
/// # Ok::<(), datafusion::common::DataFusionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Resources {
    /// Number of worker threads, at least 1.
    pub threads: usize,
    /// Memory that operators may hold.
    pub memory: Memory,
    /// Directory of temporary files; `None`: that of the system.
    pub temp_dir: Option<PathBuf>,
    /// Bytes that temporary files may take; `None`: 5 % of the disk, but at most 10 GiB, stays free.
    pub temp_limit: Option<u64>,
}

impl Default for Resources {
    /// All cores, and a share of the memory.
    fn default() -> Self {
        Self {
            threads: available_parallelism().map_or(1, NonZeroUsize::get),
            memory: Memory::Share,
            temp_dir: None,
            temp_limit: None,
        }
    }
}

/// Memory that operators may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Memory {
    /// 70 % of the memory that is available on the machine and in the control groups of this process, and at most
    /// half of the available address space if that is limited. This limit does not slow down queries that fit.
    #[default]
    Share,
    /// This number of bytes.
    Bytes(usize),
    /// No limit.
    Unlimited,
}

impl Memory {
    /// The current limit in bytes; `None` if there is no limit, or if the system does not report how much memory is
    /// available.
    pub fn limit(self) -> Option<usize> {
        match self {
            Self::Share => available::default_limit(),
            Self::Bytes(bytes) => Some(bytes),
            Self::Unlimited => None,
        }
    }
}

impl FromStr for Memory {
    type Err = String;

    /// Parses a size of at least 1 MiB, or `none`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().eq_ignore_ascii_case("none") {
            return Ok(Self::Unlimited);
        }
        match parse_limit(text) {
            Err(error) if parse_size(text).is_err() => Err(format!("{error}, or none")),
            limit => limit.map(Self::Bytes),
        }
    }
}

/// Of a memory limit that was set, the share that a filter of keys may take: an eighth, as a query may hold two, and copies
/// of one. Of the default limit, which is most of the memory of the machine, a 32nd.
const FILTER_SHARE: usize = 8;
const FILTER_SHARE_OF_DEFAULT: usize = 32;

/// Minimum limit that can be set, in bytes: no query runs in less.
const MIN_LIMIT: usize = 1 << 20;

/// Minimum limit of the address space in bytes. Below it the system refuses threads in the middle of a job, and the
/// process aborts.
const MIN_ADDRESS_SPACE: u64 = 680 << 20;

/// How the engine begins the text of an error of too little memory, also within the text of another error.
pub(crate) const EXHAUSTED: &str = "Resources exhausted: ";

/// Whether the cause of an error is the limit of memory.
pub fn exhausts_memory(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
        || error.strip_backtrace().contains(EXHAUSTED)
}

/// Session extension for sessions with the default limit: hash joins are used if their inputs fit into this number of
/// bytes. (They are faster than sort-merge joins, but do not spill.)
#[derive(Debug, Clone, Copy)]
pub(crate) struct HashJoinsWithin(pub(crate) usize);

/// Session extension of the tasks of a cluster, each of which has a memory pool of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolOfTask;

impl Resources {
    /// The configuration and the runtime of a session with these limits.
    ///
    /// # Errors
    /// If the address space is too small, or if temporary files cannot be made in the given directory.
    pub(crate) fn limits(&self) -> Result<(SessionConfig, Arc<RuntimeEnv>)> {
        if let Some(bytes) = available::limit_of_address_space()
            && bytes < MIN_ADDRESS_SPACE
        {
            return plan_err!(
                "the address space of this process is limited to {} MiB (ulimit -v), most of which threads and files take; at least {} MiB are needed",
                bytes >> 20,
                MIN_ADDRESS_SPACE >> 20
            );
        }
        let directory = match &self.temp_dir {
            None => std::env::temp_dir(),
            Some(directory) => {
                SpillSpace::new(directory.clone(), None).open()?;
                directory.clone()
            }
        };
        let disk = disk(directory, self.temp_limit);
        let mut runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(disk);
        let limit = self.memory.limit();
        let partitions = self.partitions(limit);
        let mut config = SessionConfig::new().with_target_partitions(partitions);
        if let Some(bytes) = limit {
            let named = NonZeroUsize::new(5).unwrap_or(NonZeroUsize::MIN);
            let options = config.options_mut();
            let share = bytes / partitions;
            let execution = &mut options.execution;
            execution.sort_spill_reservation_bytes = execution
                .sort_spill_reservation_bytes
                .min(share / MERGE_SHARE);
            let rows = usize::from(execution.batch_size).min((share / ROW_BYTES).max(256));
            execution.batch_size = ConfigNonZeroUsize::try_new(rows)?;
            execution.spill_compression = SpillCompression::Lz4Frame;
            if self.memory == Memory::Share {
                config = config.with_extension(Arc::new(HashJoinsWithin(bytes / 2)));
            } else {
                // Hash joins do not spill, sorts do.
                options.optimizer.prefer_hash_join = false;
            }
            let filter = match self.memory {
                Memory::Share => bytes / FILTER_SHARE_OF_DEFAULT,
                _ => bytes / FILTER_SHARE,
            };
            let filter = filter.clamp(KeyCounts::DEFAULT_BYTES, KeyCounts::MAX_BYTES);
            config = config.with_option_extension(NeardupOptions {
                filter_bytes: Some(filter as u64),
                ..NeardupOptions::default()
            });
            let pool = TrackConsumersPool::new(SharedPool::new(bytes), named);
            runtime = runtime.with_memory_pool(Arc::new(pool));
        }
        Ok((config, runtime.build_arc()?))
    }

    /// Number of partitions of a plan: one for each thread, or fewer if the memory does not suffice.
    fn partitions(&self, limit: Option<usize>) -> usize {
        let room = limit.map_or(usize::MAX, |bytes| bytes / PARTITION_BYTES);
        self.threads.min(room).max(1)
    }
}

/// Whether a session has a memory limit that was set, so that its plans prefer operators that spill.
pub(crate) fn has_limit(options: &ConfigOptions) -> bool {
    // The setting is kept where a plan is sent to other processes.
    !options.optimizer.prefer_hash_join
}

/// Whether queries of a session run on a cluster.
#[cfg(feature = "cluster")]
pub(crate) fn is_remote(options: &ConfigOptions) -> bool {
    options.extensions.get::<BallistaConfig>().is_some()
}

#[cfg(not(feature = "cluster"))]
pub(crate) fn is_remote(_: &ConfigOptions) -> bool {
    false
}

/// A disk manager with temporary files in `directory`, limited to `limit` bytes.
pub(crate) fn disk(directory: PathBuf, limit: Option<u64>) -> DiskManagerBuilder {
    let space = SpillSpace::new(directory, limit);
    let spills = DiskManagerMode::Custom(Arc::new(Spills(Arc::new(space))));
    DiskManagerBuilder::default().with_mode(spills)
}

/// Parses a limit of memory or of temporary space: a size of at least 1 MiB.
///
/// # Errors
/// A message, if the text is not a size, or is implausibly small, such as a number without a unit.
pub fn parse_limit(text: &str) -> Result<usize, String> {
    match parse_size(text)? {
        bytes if bytes < MIN_LIMIT => Err(format!(
            "'{text}' is {bytes} bytes, less than 1M; write a unit, as in 512M or 4G"
        )),
        bytes => Ok(bytes),
    }
}

/// Parses a size in bytes: a number with an optional K, M, G or T (of 1024).
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
        .map_err(|_| format!("'{text}' is not a size; write it as 512M or 4G"))?;
    let bytes = number
        * f64::from(1_u32 << (shift % 30))
        * if shift >= 30 {
            f64::from(1_u32 << 30)
        } else {
            1.0
        };
    match (1.0..1e18).contains(&bytes) {
        true => Ok(bytes as usize),
        false => Err(format!("'{text}' is not a size; write it as 512M or 4G")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Memory, parse_size};

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("1024"), Ok(1024));
        assert_eq!(parse_size("2k"), Ok(2048));
        assert_eq!(parse_size("1.5M"), Ok(1_572_864));
        assert_eq!(parse_size("4GiB"), Ok(4 << 30));
        assert_eq!(parse_size("1T"), Ok(1 << 40));
        assert_eq!("none".parse(), Ok(Memory::Unlimited));
        assert_eq!("1M".parse(), Ok(Memory::Bytes(1 << 20)));
        // A number without a unit is a number of bytes: too small a limit is an error.
        for wrong in ["4", "512", "1K", "nothing"] {
            assert!(wrong.parse::<Memory>().is_err(), "{wrong}");
        }
        for wrong in ["", "G", "-1", "0", "four", "NaN"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
