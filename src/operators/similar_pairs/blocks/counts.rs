//! How many rows hold each key.

use super::columns::Columns;
use super::store::Store;
use crate::operators::similar_pairs::Spec;
use datafusion::common::{Result, internal_err};
use datafusion::execution::memory_pool::{MemoryLimit, MemoryReservation};
use futures::StreamExt;
use neardup_kernels::pairs::{BlockSpec, KeyFilter, OversizedKeyCounter, OversizedKeys, Role};
use std::sync::Arc;

/// A filter takes at most this share of a memory limit: an eighth.
const FILTER_SHARE: usize = 8;

/// What the keys of all rows say about each key at which rows are compared.
pub(super) struct Counts {
    spec: BlockSpec,
    /// Keys that several rows hold pass all of them.
    filters: Vec<KeyFilter>,
    pub(super) oversized: Arc<OversizedKeys>,
}

impl Counts {
    /// The bytes of the counters of the keys of all rows.
    pub(super) fn memory_for(store: &Store, spec: &Spec, limit: &MemoryLimit) -> usize {
        let keys = store.keys();
        let counter = oversized_limit(spec, keys);
        stages(spec) * KeyFilter::memory_for(keys, filter_bytes(limit))
            + counter.map_or(0, |limit| OversizedKeyCounter::memory_for(keys, limit))
    }

    /// Counts the keys of all rows, and leaves out of the rows in memory those that only one row has. `memory` holds the bytes
    /// of [`Self::memory_for`].
    pub(super) async fn of(
        store: &mut Arc<Store>,
        spec: &Spec,
        block: BlockSpec,
        limit: &MemoryLimit,
        memory: &MemoryReservation,
    ) -> Result<Self> {
        let keys = store.keys();
        let (stages, max_bytes) = (stages(spec), filter_bytes(limit));
        let counter = oversized_limit(spec, keys);
        let bytes_of_filters = stages * KeyFilter::memory_for(keys, max_bytes);
        let mut counter =
            counter.map(|limit| OversizedKeyCounter::new(keys, limit, spec.two_sides));
        let mut counts = Self {
            spec: block,
            filters: Vec::new(),
            oversized: Arc::default(),
        };
        for stage in 0..stages {
            let mut filter = KeyFilter::new(keys, max_bytes, stage as u64);
            each_batch(store, |columns| {
                for_each_key(columns, block, |key, _| {
                    if counts.is_shared(key) {
                        filter.add(key);
                    }
                });
                Ok(())
            })
            .await?;
            counts.filters.push(filter);
        }
        if counts.leaves_rows_out() {
            counts.retain_shared(store).await?;
        }
        if let Some(counter) = &mut counter {
            each_batch(store, |columns| {
                for_each_key(columns, block, |key, _| counter.add(key));
                Ok(())
            })
            .await?;
        }
        if let Some(mut counter) = counter.filter(OversizedKeyCounter::any) {
            each_batch(store, |columns| {
                for_each_key(columns, block, |key, side| counter.count(key, side));
                memory.try_resize(bytes_of_filters + counter.memory())
            })
            .await?;
            counts.oversized = Arc::new(counter.finish());
        }
        memory.resize(bytes_of_filters + counts.oversized.memory());
        Ok(counts)
    }

    /// Leaves out the keys of the rows in memory that only one row has: what follows reads the keys several times.
    async fn retain_shared(&self, store: &mut Arc<Store>) -> Result<()> {
        let Some(store) = Arc::get_mut(store) else {
            return internal_err!("similar_pairs: keys are left out while they are read");
        };
        for batch in 0..store.batches() {
            store.retain_keys(batch, |key| self.is_shared(key))?;
            // A cancelled query can end here.
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Whether rows without a key that other rows have are known, and not compared.
    pub(super) fn leaves_rows_out(&self) -> bool {
        !self.filters.is_empty()
    }

    /// Whether rows may be compared at a key, because other rows may hold it.
    #[inline]
    pub(super) fn is_shared(&self, key: u64) -> bool {
        self.spec.owns(key) && self.filters.iter().all(|filter| filter.is_shared(key))
    }

    /// Whether a row is found at a key.
    #[inline]
    pub(super) fn indexes(&self, role: Role, key: u64) -> bool {
        self.spec.indexes(role, key)
    }

    /// Whether a key is needed: rows may be compared at it, or it is one of another part that tells the position of a
    /// prefix token.
    #[inline]
    pub(super) fn is_kept(&self, key: u64) -> bool {
        match self.spec.part {
            Some(part) if !part.owns(key) => self.spec.prefixes,
            _ => self.is_shared(key),
        }
    }

    /// Whether rows are compared at a key within blocks.
    #[inline]
    pub(super) fn is_compared(&self, key: u64) -> bool {
        self.is_shared(key) && !self.oversized.contains(key)
    }
}

/// The number of filters. The positions of prefix tokens are those in the set, so that none is left out; besides, nearly
/// every row has one that other rows have.
fn stages(spec: &Spec) -> usize {
    match spec.prefixes {
        true => 0,
        false => 2,
    }
}

/// The maximum number of bytes of a filter.
fn filter_bytes(limit: &MemoryLimit) -> usize {
    match limit {
        MemoryLimit::Finite(bytes) => bytes / FILTER_SHARE,
        _ => usize::MAX,
    }
}

/// The limit of the rows of a bucket, if one of this number of keys can exceed it.
fn oversized_limit(spec: &Spec, keys: usize) -> Option<usize> {
    spec.max_bucket_pairwise.filter(|&limit| keys > limit)
}

/// Calls `visit` with the rows of each batch.
async fn each_batch(
    store: &Arc<Store>,
    mut visit: impl FnMut(&Columns) -> Result<()>,
) -> Result<()> {
    let mut rows = store.scan();
    while let Some(batch) = rows.next().await.transpose()? {
        visit(&Columns::of(&batch, store.part())?)?;
        // Rows in memory are always ready: a cancelled query can end here.
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Calls `visit` with each key of each row at which rows are compared, and the side of the row.
fn for_each_key(columns: &Columns, spec: BlockSpec, mut visit: impl FnMut(u64, u8)) {
    for row in 0..columns.len() {
        let side = columns.side(row);
        let keys = columns.keys(row).iter().filter(|&&key| spec.owns(key));
        keys.for_each(|&key| visit(key, side));
    }
}
