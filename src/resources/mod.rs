//! Threads, memory and temporary space of a session in one process.

mod available;
mod pool;
mod spill;

use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::common::{Result, plan_err};
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use pool::SharedPool;
use spill::{SpillSpace, Spills};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::thread::available_parallelism;

/// Memory that a partition needs at least: a sketch of token frequencies takes 16 MiB, one more
/// where sketches meet, and the pool gives every operator of every partition an equal share.
const PARTITION_BYTES: usize = 64 << 20;
/// Of the memory of a partition, the part that a sort keeps back for its merge.
const MERGE_SHARE: usize = 32;
/// Memory of a partition for each row of a batch: less memory, smaller batches.
const ROW_BYTES: usize = 32 << 10;

/// What a session in one process may use.
///
/// ```
/// use neardup::{Memory, Resources};
/// let resources = Resources { threads: 2, memory: Memory::Bytes(1 << 30), ..Resources::default() };
/// let session = resources.session()?;
/// # Ok::<(), datafusion::common::DataFusionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Resources {
    /// Threads to work with, at least 1.
    pub threads: usize,
    /// Memory that operators may hold.
    pub memory: Memory,
    /// Where temporary files go; `None`: where the system has them.
    pub temp_dir: Option<PathBuf>,
    /// Bytes that temporary files may take; `None`: what leaves a twentieth of the disk free, or 10 GiB.
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
    /// 70 % of what the machine and the control groups of this process leave, and half of what a limit of
    /// its address space leaves. What fits is not slowed down by this limit.
    #[default]
    Share,
    /// So many bytes.
    Bytes(usize),
    /// No limit.
    Unlimited,
}

impl Memory {
    /// The limit in bytes, as of now; `None` where there is none, or where the system does not say what
    /// is left.
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

    /// A size, or `none`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().eq_ignore_ascii_case("none") {
            true => Ok(Self::Unlimited),
            false => parse_size(text)
                .map(Self::Bytes)
                .map_err(|error| format!("{error}, or none")),
        }
    }
}

/// Below this the system refuses threads in the middle of a job, and the process aborts.
const LEAST_ADDRESS_SPACE: u64 = 680 << 20;

/// In a session whose limit nobody asked for: hash joins run where their inputs fit into so many bytes.
/// (They are faster than joins of sorted rows, but do not spill.)
#[derive(Debug, Clone, Copy)]
pub(crate) struct HashJoinsWithin(pub(crate) usize);

impl Resources {
    /// A session that keeps to these; what does not fit into the memory is spilled to disk.
    ///
    /// # Errors
    /// If temporary files cannot be made in the directory that was given; else as [`crate::session`].
    pub fn session(&self) -> Result<SessionContext> {
        if let Some(bytes) = available::limit_of_address_space()
            && bytes < LEAST_ADDRESS_SPACE
        {
            return plan_err!(
                "the address space of this process is limited to {} MiB (ulimit -v), of which threads and files take most; {} MiB are needed at least",
                bytes >> 20,
                LEAST_ADDRESS_SPACE >> 20
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
            if self.memory == Memory::Share {
                let pool = TrackConsumersPool::new(SharedPool::new(bytes), named);
                runtime = runtime.with_memory_pool(Arc::new(pool));
                config = config.with_extension(Arc::new(HashJoinsWithin(bytes / 2)));
            } else {
                // Hash joins do not spill, sorts do.
                options.optimizer.prefer_hash_join = false;
                let pool = TrackConsumersPool::new(FairSpillPool::new(bytes), named);
                runtime = runtime.with_memory_pool(Arc::new(pool));
            }
        }
        crate::session(config, runtime.build_arc()?)
    }

    /// Partitions of a plan: one a thread, where the memory suffices.
    fn partitions(&self, limit: Option<usize>) -> usize {
        let room = limit.map_or(usize::MAX, |bytes| bytes / PARTITION_BYTES);
        self.threads.min(room).max(1)
    }
}

/// Temporary files in a directory, of so many bytes.
pub(crate) fn disk(directory: PathBuf, limit: Option<u64>) -> DiskManagerBuilder {
    let space = SpillSpace::new(directory, limit);
    let spills = DiskManagerMode::Custom(Arc::new(Spills(Arc::new(space))));
    DiskManagerBuilder::default().with_mode(spills)
}

/// Parses a size in bytes: a number with an optional K, M, G or T (of 1024).
///
/// # Errors
/// If the text is none, in words.
pub fn parse_size(text: &str) -> Result<usize, String> {
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
    use super::{Memory, parse_size};

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("1024"), Ok(1024));
        assert_eq!(parse_size("2k"), Ok(2048));
        assert_eq!(parse_size("1.5M"), Ok(1_572_864));
        assert_eq!(parse_size("4GiB"), Ok(4 << 30));
        assert_eq!(parse_size("1T"), Ok(1 << 40));
        assert_eq!("none".parse(), Ok(Memory::Unlimited));
        assert_eq!("1K".parse(), Ok(Memory::Bytes(1024)));
        assert!("nothing".parse::<Memory>().is_err());
        for wrong in ["", "G", "-1", "0", "four", "NaN"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
