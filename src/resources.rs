//! Threads and memory of a session in one process.

use datafusion::common::Result;
use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Memory that a partition needs at least: a sketch of token frequencies takes 16 MiB, one more
/// where sketches meet, and the pool gives every operator of every partition an equal share.
const PARTITION_BYTES: usize = 64 << 20;
/// Of the memory of a partition, the part that a sort keeps back for its merge.
const MERGE_SHARE: usize = 32;
/// Memory of a partition for each row of a batch: less memory, smaller batches.
const ROW_BYTES: usize = 32 << 10;

/// What a session in one process may use.
#[derive(Debug, Clone, Copy)]
pub struct Resources {
    /// Threads to work with, at least 1.
    pub threads: usize,
    /// Bytes that operators may hold; `None`: no limit.
    pub memory_limit: Option<usize>,
}

impl Resources {
    /// A session that keeps to these; what does not fit into the memory is spilled to disk.
    ///
    /// # Errors
    /// As [`crate::session`].
    pub fn session(&self) -> Result<SessionContext> {
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
        crate::session(config, runtime.build_arc()?)
    }

    /// Partitions of a plan: one a thread, where the memory suffices.
    fn partitions(&self) -> usize {
        let room = self
            .memory_limit
            .map_or(usize::MAX, |bytes| bytes / PARTITION_BYTES);
        self.threads.min(room).max(1)
    }
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
