//! How many rows hold each key.

use super::rows::Columns;
use super::store::Store;
use crate::operators::similar_pairs::Spec;
use datafusion::common::Result;
use datafusion::execution::memory_pool::{MemoryLimit, MemoryReservation};
use futures::StreamExt;
use neardup_kernels::pairs::{HeavyKeys, KeyFilter, OversizedKeys};
use std::sync::Arc;

/// A filter takes at most this share of a memory limit: an eighth.
const FILTER_SHARE: usize = 8;

/// What the keys of all rows say about each key.
pub(super) struct Counts {
    /// Keys that several rows hold pass all of them.
    filters: Vec<KeyFilter>,
    pub(super) oversized: Arc<OversizedKeys>,
}

impl Counts {
    /// Counts the keys of all rows.
    pub(super) async fn of(
        store: &Arc<Store>,
        spec: &Spec,
        limit: MemoryLimit,
        memory: &mut MemoryReservation,
    ) -> Result<Self> {
        let keys = store.segments.iter().map(|segment| segment.keys).sum();
        let most = match limit {
            MemoryLimit::Finite(bytes) => bytes / FILTER_SHARE,
            _ => usize::MAX,
        };
        // The positions of prefix tokens are those in the set, so that none is left out; besides, nearly every row has
        // one that other rows have.
        let stages = if spec.prefixes { 0 } else { 2 };
        let heavy = spec.max_bucket_pairwise.filter(|&limit| keys > limit);
        let bytes_of_filters = stages * KeyFilter::memory_for(keys, most);
        memory.try_grow(bytes_of_filters)?;
        memory.try_grow(heavy.map_or(0, |limit| HeavyKeys::memory_for(keys, limit)))?;
        let mut heavy = heavy.map(|limit| HeavyKeys::new(keys, limit, spec.two_sides));
        let mut filters = Vec::new();
        for stage in 0..stages {
            let mut filter = KeyFilter::new(keys, most, stage as u64);
            let passes = |key| {
                filters
                    .iter()
                    .all(|earlier: &KeyFilter| earlier.is_shared(key))
            };
            each_key(store, |key, _| {
                if passes(key) {
                    filter.add(key);
                }
            })
            .await?;
            filters.push(filter);
        }
        if let Some(heavy) = &mut heavy {
            each_key(store, |key, _| heavy.add(key)).await?;
        }
        let oversized = match heavy.filter(HeavyKeys::any) {
            None => OversizedKeys::default(),
            Some(mut heavy) => {
                each_key(store, |key, side| heavy.count(key, side)).await?;
                memory.try_resize(bytes_of_filters + heavy.memory())?;
                heavy.finish()
            }
        };
        memory.try_resize(bytes_of_filters + oversized.memory())?;
        Ok(Self {
            filters,
            oversized: Arc::new(oversized),
        })
    }

    /// Whether a key is needed: other rows may hold it.
    #[inline]
    pub(super) fn is_kept(&self, key: u64) -> bool {
        self.filters.iter().all(|filter| filter.is_shared(key))
    }

    /// Whether rows are compared at a key within blocks.
    #[inline]
    pub(super) fn is_compared(&self, key: u64) -> bool {
        self.is_kept(key) && !self.oversized.contains(key)
    }
}

/// Calls `visit` with each key of each row, and the side of the row.
async fn each_key(store: &Arc<Store>, mut visit: impl FnMut(u64, u8)) -> Result<()> {
    let mut rows = store.scan();
    while let Some(batch) = rows.next().await.transpose()? {
        let columns = Columns::of(&batch)?;
        for row in 0..columns.len() {
            let side = columns.side(row);
            columns.keys(row).iter().for_each(|&key| visit(key, side));
        }
    }
    Ok(())
}
