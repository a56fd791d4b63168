//! Counts of the rows and pairs that the operator did not compare, and their collection by a job.
//!
//! On a cluster the operator runs in other processes than the job. Therefore each part that leaves something out
//! writes a file into the directory of the step, which all processes share. The file is named after the part and its
//! content is determined by the rows, so that a repeated task writes the same file again.

use super::Spec;
use crate::files::Location;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::ObjectStoreExt;
use futures::TryStreamExt;
use neardup_kernels::pairs::Stats;
use serde::{Deserialize, Serialize};

/// Prefix of the names of the files.
const PREFIX: &str = "left-out-";

/// Where a join writes the counts of what it leaves out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Serialize, Deserialize)]
pub struct LeftOutTarget {
    directory: String,
    /// The number of the join within its plan, from 0.
    join: usize,
}

/// Counts of what joins left out. The counts of several parts are added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Oversized buckets: those with more rows, which are distinct texts, than `max_bucket_pairwise`.
    pub oversized_buckets: u64,
    /// Rows of oversized buckets. A row counts once for each such bucket.
    pub rows_in_oversized_buckets: u64,
    /// Rows of oversized buckets that are similar to no pivot and are no pivots themselves, because the bucket had
    /// enough pivots. A row counts once for each such bucket.
    pub rows_without_pivot: u64,
    /// Capped buckets: those with more rows than `max_bucket`.
    pub capped_buckets: u64,
    /// Rows beyond `max_bucket`. A row counts once for each such bucket.
    pub rows_beyond_max_bucket: u64,
    /// Pairs of rows of a bucket that were not compared within it. A pair counts once for each such bucket.
    pub pairs_not_compared: u64,
    /// Rows with more similar predecessors than the limit of pairs per row. A row counts once for each part.
    pub rows_with_many_neighbours: u64,
    /// Similar pairs beyond that limit, counted within each part.
    pub pairs_not_reported: u64,
    /// Similar pairs found by joins with that limit.
    pub similar: u64,
}

impl LeftOutTarget {
    /// The counts of the `join`-th join of a plan, in files in a directory.
    pub(super) fn new(directory: &str, join: usize) -> Self {
        let directory = directory.to_owned();
        Self { directory, join }
    }
}

impl LeftOut {
    /// The counts of the join of one part.
    pub(super) fn of(stats: &Stats) -> Self {
        Self {
            oversized_buckets: stats.oversized_buckets,
            rows_in_oversized_buckets: stats.rows_in_oversized_buckets,
            rows_without_pivot: stats.rows_without_pivot,
            capped_buckets: stats.capped_buckets,
            rows_beyond_max_bucket: stats.rows_beyond_max_bucket,
            pairs_not_compared: stats.pairs_not_compared,
            rows_with_many_neighbours: stats.rows_with_many_neighbours,
            pairs_not_reported: stats.pairs_not_reported,
            similar: stats.similar,
        }
    }

    /// Adds the counts of another part.
    pub(super) fn add(&mut self, other: &Self) {
        self.oversized_buckets += other.oversized_buckets;
        self.rows_in_oversized_buckets += other.rows_in_oversized_buckets;
        self.rows_without_pivot += other.rows_without_pivot;
        self.capped_buckets += other.capped_buckets;
        self.rows_beyond_max_bucket += other.rows_beyond_max_bucket;
        self.pairs_not_compared += other.pairs_not_compared;
        self.rows_with_many_neighbours += other.rows_with_many_neighbours;
        self.pairs_not_reported += other.pairs_not_reported;
        self.similar += other.similar;
    }

    /// Logs a warning if anything was left out.
    pub(super) fn warn(&self) {
        if self.oversized_buckets > 0 {
            log::warn!(
                "{} oversized buckets with {} rows: {} pairs within a bucket were not compared, {} rows are similar to no pivot",
                self.oversized_buckets,
                self.rows_in_oversized_buckets,
                self.pairs_not_compared,
                self.rows_without_pivot
            );
        }
        if self.capped_buckets > 0 {
            log::warn!(
                "max_bucket left {} rows of {} buckets out: {} pairs within a bucket were not compared",
                self.rows_beyond_max_bucket,
                self.capped_buckets,
                self.pairs_not_compared
            );
        }
        if self.pairs_not_reported > 0 {
            log::warn!(
                "{} rows have more similar predecessors than are paired with them: {} pairs were left out",
                self.rows_with_many_neighbours,
                self.pairs_not_reported
            );
        }
    }

    /// Writes the counts of a part into the directory of the report, if one is set and anything was left out.
    pub(super) async fn write(&self, spec: &Spec, part: u32, runtime: &RuntimeEnv) -> Result<()> {
        let Some(LeftOutTarget { directory, join }) = &spec.report else {
            return Ok(());
        };
        if *self == Self::default() {
            return Ok(());
        }
        let text = serde_json::to_vec(self);
        let text = text.map_err(|error| DataFusionError::External(error.into()))?;
        let file = Location::new(directory)?.join(&format!("{PREFIX}{join}-{part}.json"));
        let (store, path) = file.store(runtime)?;
        store.put(&path, text.into()).await?;
        Ok(())
    }

    /// Reads and removes the files that the joins of a plan wrote into a directory, and returns their sums.
    pub(crate) async fn take(directory: &Location, runtime: &RuntimeEnv) -> Result<Self> {
        let (store, path) = directory.store(runtime)?;
        let files: Vec<_> = store.list(Some(&path)).try_collect().await?;
        let mut all = Self::default();
        for file in files {
            let name = file.location.filename();
            if !name.is_some_and(|name| name.starts_with(PREFIX)) {
                continue;
            }
            let text = store.get(&file.location).await?.bytes().await?;
            let counts: Self = serde_json::from_slice(&text)
                .map_err(|error| DataFusionError::External(error.into()))?;
            all.add(&counts);
            store.delete(&file.location).await?;
        }
        Ok(all)
    }
}
