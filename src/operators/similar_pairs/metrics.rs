//! The counts of the operator in EXPLAIN ANALYZE.

use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use neardup_kernels::pairs as kernel;

/// Counts of the operator, as EXPLAIN ANALYZE shows them.
pub(super) struct Metrics {
    pub(super) output_rows: Count,
    candidates: Count,
    verified: Count,
    oversized_buckets: Count,
    rows_without_pivot: Count,
    rows_beyond_max_bucket: Count,
    pairs_not_compared: Count,
    pairs_not_reported: Count,
}

impl Metrics {
    pub(super) fn new(set: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        let counter = |name: &'static str| MetricBuilder::new(set).counter(name, partition);
        Self {
            output_rows: MetricBuilder::new(set).output_rows(partition),
            candidates: counter("candidates"),
            verified: counter("verified"),
            oversized_buckets: counter("oversized_buckets"),
            rows_without_pivot: counter("rows_without_pivot"),
            rows_beyond_max_bucket: counter("rows_beyond_max_bucket"),
            pairs_not_compared: counter("pairs_not_compared"),
            pairs_not_reported: counter("pairs_not_reported"),
        }
    }

    pub(super) fn add(&self, stats: &kernel::Stats) {
        self.candidates.add(stats.candidates as usize);
        self.verified.add(stats.verified as usize);
        self.oversized_buckets.add(stats.oversized_buckets as usize);
        self.rows_without_pivot
            .add(stats.rows_without_pivot as usize);
        self.rows_beyond_max_bucket
            .add(stats.rows_beyond_max_bucket as usize);
        self.pairs_not_compared
            .add(stats.pairs_not_compared as usize);
        self.pairs_not_reported
            .add(stats.pairs_not_reported as usize);
    }
}
