//! The counts of the operator in EXPLAIN ANALYZE.

use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use neardup_kernels::pairs as kernel;

/// Counts of the operator, as EXPLAIN ANALYZE shows them.
pub(super) struct Metrics {
    pub(super) output_rows: Count,
    candidates: Count,
    verified: Count,
    oversized_buckets: Count,
    unlinked: Count,
    capped: Count,
    uncompared: Count,
    unreported: Count,
}

impl Metrics {
    pub(super) fn new(set: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        let counter = |name: &'static str| MetricBuilder::new(set).counter(name, partition);
        Self {
            output_rows: MetricBuilder::new(set).output_rows(partition),
            candidates: counter("candidates"),
            verified: counter("verified"),
            oversized_buckets: counter("oversized_buckets"),
            unlinked: counter("unlinked"),
            capped: counter("capped"),
            uncompared: counter("uncompared"),
            unreported: counter("unreported"),
        }
    }

    pub(super) fn add(&self, stats: &kernel::Stats) {
        self.candidates.add(stats.candidates as usize);
        self.verified.add(stats.verified as usize);
        self.oversized_buckets.add(stats.oversized_buckets as usize);
        self.unlinked.add(stats.unlinked as usize);
        self.capped.add(stats.capped as usize);
        self.uncompared.add(stats.uncompared as usize);
        self.unreported.add(stats.unreported as usize);
    }
}
