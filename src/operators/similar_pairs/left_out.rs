//! What the operator did not compare, and how a job hears of it.
//!
//! On a cluster the operator runs in other processes than the one that writes the step. So each part that leaves
//! something out writes a file into the directory of the step, which everybody sees. Its name is that of the
//! part and its content follows from the rows, so that a repeated task writes the same again.

use super::{SimilarPairs, Spec};
use crate::files::Location;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion::object_store::ObjectStoreExt;
use futures::TryStreamExt;
use neardup_kernels::pairs::Stats;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How the names of the files begin.
const PREFIX: &str = "left-out-";

/// Where a plan notes what its joins leave out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Serialize, Deserialize)]
pub struct Report {
    directory: String,
    /// The number of the join in its plan.
    join: usize,
}

/// Counts of what joins left out; those of parts add up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Buckets of more rows than the limit.
    pub oversized_buckets: u64,
    /// Rows in them, once a bucket.
    pub rows: u64,
    /// Rows in them that resemble no pivot of a bucket and found no seat, once a bucket.
    pub rows_without_pivot: u64,
    /// Buckets of more rows than the cap.
    pub capped_buckets: u64,
    /// Rows beyond it, once a bucket.
    pub rows_beyond_cap: u64,
    /// Pairs of rows of one bucket that were not compared in it, once a bucket.
    pub uncompared: u64,
    /// Rows with more similar predecessors than are paired with them, once a part.
    pub crowded_rows: u64,
    /// Similar pairs beyond those predecessors, as far as one part sees.
    pub unreported: u64,
    /// Similar pairs found where predecessors are limited.
    pub similar: u64,
}

impl LeftOut {
    /// What a join of one part left out.
    pub(super) fn of(stats: &Stats) -> Self {
        Self {
            oversized_buckets: stats.oversized_buckets,
            rows: stats.rows_in_oversized,
            rows_without_pivot: stats.unlinked,
            capped_buckets: stats.capped_buckets,
            rows_beyond_cap: stats.capped,
            uncompared: stats.uncompared,
            crowded_rows: stats.crowded,
            unreported: stats.unreported,
            similar: stats.similar,
        }
    }

    /// Adds the counts of another part.
    pub(super) fn add(&mut self, other: &Self) {
        self.oversized_buckets += other.oversized_buckets;
        self.rows += other.rows;
        self.rows_without_pivot += other.rows_without_pivot;
        self.capped_buckets += other.capped_buckets;
        self.rows_beyond_cap += other.rows_beyond_cap;
        self.uncompared += other.uncompared;
        self.crowded_rows += other.crowded_rows;
        self.unreported += other.unreported;
        self.similar += other.similar;
    }

    /// Warns of what was left out, if anything was.
    pub(super) fn warn(&self) {
        if self.oversized_buckets > 0 {
            log::warn!(
                "{} oversized buckets of {} rows: {} pairs of rows of one bucket were not compared in it, {} rows resemble no pivot",
                self.oversized_buckets,
                self.rows,
                self.uncompared,
                self.rows_without_pivot
            );
        }
        if self.capped_buckets > 0 {
            log::warn!(
                "max_bucket left {} rows out of {} buckets: {} pairs of rows of one bucket were not compared in it",
                self.rows_beyond_cap,
                self.capped_buckets,
                self.uncompared
            );
        }
        if self.unreported > 0 {
            log::warn!(
                "{} rows are similar to more rows before them than are paired: {} pairs are left out",
                self.crowded_rows,
                self.unreported
            );
        }
    }

    /// The counts that are not zero, by what they say to a reader.
    pub(crate) fn figures(&self) -> BTreeMap<String, u64> {
        let figures = [
            ("oversized buckets", self.oversized_buckets),
            ("rows in oversized buckets", self.rows),
            ("rows without a pivot", self.rows_without_pivot),
            ("capped buckets", self.capped_buckets),
            ("rows beyond the cap", self.rows_beyond_cap),
            ("pairs not compared", self.uncompared),
            ("rows of too many neighbours", self.crowded_rows),
            ("pairs not reported", self.unreported),
            ("similar pairs found", self.similar),
        ];
        let figures = figures.into_iter().filter(|(_, count)| *count > 0);
        figures
            .map(|(name, count)| (name.to_owned(), count))
            .collect()
    }

    /// Writes the counts of a part where the plan wants them, if anything was left out.
    pub(super) async fn write(&self, spec: &Spec, part: u32, runtime: &RuntimeEnv) -> Result<()> {
        let Some(Report { directory, join }) = &spec.report else {
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

    /// Takes what the joins of a plan wrote into a directory, and removes it there.
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

/// The same plan, whose joins note what they leave out in a directory.
pub(crate) fn reporting(plan: LogicalPlan, directory: &str) -> Result<LogicalPlan> {
    let mut joins = 0;
    let plan = plan.transform_up_with_subqueries(|node| {
        let LogicalPlan::Extension(extension) = &node else {
            return Ok(Transformed::no(node));
        };
        let Some(pairs) = extension.node.as_any().downcast_ref::<SimilarPairs>() else {
            return Ok(Transformed::no(node));
        };
        let report = Report {
            directory: directory.to_owned(),
            join: joins,
        };
        joins += 1;
        let node = Arc::new(pairs.reporting(report)?);
        Ok(Transformed::yes(LogicalPlan::Extension(Extension { node })))
    })?;
    Ok(plan.data)
}
