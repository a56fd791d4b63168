//! The join of texts whose shingle sets are similar, in memory that does not depend on the number of rows.
//!
//! ```text
//! rows (id, keys, length, text) ──> Store, by length ──> Counts: keys that several rows hold, oversized buckets
//!                                      │
//!                                      ├── segments ── sets ──> block ──┬─ its own rows ──┬──> pairs
//!                                      │                                └─ later segments ┘
//!                                      └── rows of oversized buckets, by id ── pivots ───────> pairs
//! ```
//!
//! The sets are not stored: they are several times as large as the texts, and computing them again is cheaper than
//! writing and reading them. A block takes as many segments as its share of the memory holds, in the order of lengths.
//! All later segments whose lengths are not too large are read, one by one, and probed against it: by their keys, and
//! by their sets if a row of the block has one of the keys and a suitable length. Then the next block begins. Hence each
//! row is held by one block, is written at most once, and is read again for each block of similar lengths; its set is
//! computed again for each block whose rows may be similar to it.
//!
//! On a cluster each task does this for its parts, one after the other. Rows are divided by the lengths of their sets
//! ([`neardup_kernels::LengthParts`]): a block holds rows whose home is the part, and the rows of later parts that may be
//! similar to them are later segments.
//!
//! This join is used where keys are given and pairs are verified by the Jaccard similarity of shingle sets. It does not
//! handle rows whose groups must differ, `max_bucket`, whose limits depend on other rows of a bucket, or other ways to
//! verify: these are joined as the parent module describes. Rows whose groups do not agree share no key.

mod columns;
mod counts;
mod output;
mod pivots;
mod rows;
mod store;

use super::Spec;
use super::left_out::LeftOut;
use super::metrics::Metrics;
use super::spool::cause;
use counts::Counts;
use datafusion::arrow::array::{Array, ArrayRef, new_empty_array};
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::runtime::{JoinSet, SpawnedTask};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::{Count, SpillMetrics};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use futures::StreamExt;
use neardup_kernels::Shingle;
use neardup_kernels::pairs::{Block, BlockSpec, KeyPart, Prober, Stats};
use output::{Output, Pairs};
use pivots::Pivots;
use rows::Portion;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use store::{Segment, Store};

/// The maximum number of bytes of a block, unless this gives more than [`BLOCKS`] blocks. Larger blocks would save little:
/// rows are probed against few other blocks.
const BLOCK_BYTES: usize = 256 << 20;
/// With more blocks than this, blocks are larger, as far as a memory limit allows: the number of blocks that a row is probed
/// against grows with that of all blocks.
const BLOCKS: usize = 16;
/// A block takes at most this share of a memory limit: a third.
const BLOCK_SHARE: usize = 3;
/// If a task has several parts, the rows in memory take at most this share of a memory limit: an eighth.
const WAITING_SHARE: usize = 8;
/// The maximum number of rows of a block that a worker probes one after the other.
const PROBES: usize = 512;
/// The number of such runs of rows for each worker: in a block of few rows, which are long, runs are shorter, so that no
/// worker is left alone with the last one.
const RUNS: usize = 64;
/// Work after which a worker yields, in units of about a nanosecond.
const WORK: usize = 4 << 20;

/// The parameters of a join by blocks.
pub(super) struct BlockJoin {
    pub(super) spec: Spec,
    pub(super) shingle: Shingle,
    pub(super) schema: SchemaRef,
    pub(super) workers: usize,
    /// The number of joins that share the memory limit.
    pub(super) joins: usize,
    pub(super) metrics: Metrics,
    pub(super) blocks: Count,
    /// Rows without a key that another row may have.
    pub(super) dropped: Count,
    pub(super) spills: SpillMetrics,
    pub(super) context: Arc<TaskContext>,
}

/// What the workers of all blocks share.
struct Shared {
    store: Arc<Store>,
    counts: Arc<Counts>,
    spec: BlockSpec,
    shingle: Shingle,
    workers: usize,
    output: Output,
}

/// A block, and the segments whose rows are probed against it.
struct Current {
    block: Block,
    ids: ArrayRef,
    /// The numbers of the segments after those of the block whose rows may be similar to one of its rows.
    later: Vec<usize>,
    /// The number of units of work that were taken: first runs of rows of the block, then segments.
    taken: AtomicUsize,
}

impl BlockJoin {
    /// The pairs of the rows of `input`.
    pub(super) fn stream(self, input: SendableRecordBatchStream) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStream::builder(Arc::clone(&self.schema), self.workers);
        let output = Output {
            schema: Arc::clone(&self.schema),
            batch_size: self.context.session_config().batch_size(),
            two_sides: self.spec.two_sides,
            rows: self.metrics.output_rows.clone(),
            sender: stream.tx(),
        };
        stream.spawn(self.run(input, output));
        stream.build()
    }

    async fn run(self, input: SendableRecordBatchStream, output: Output) -> Result<()> {
        let mut left_out = LeftOut::default();
        for (part, store) in self.collect(input).await? {
            let of_part = self.join(store, &output).await?;
            if output.sender.is_closed() {
                return Ok(());
            }
            of_part
                .write(&self.spec, part, &self.context.runtime_env())
                .await?;
            left_out.add(&of_part);
        }
        // A job reports it in its manifest instead.
        if self.spec.report.is_none() {
            left_out.warn();
        }
        Ok(())
    }

    /// Joins the rows of a part.
    async fn join(&self, store: Store, output: &Output) -> Result<LeftOut> {
        let pool = self.context.memory_pool();
        let limit = self.limit();
        let consumer = |name| MemoryConsumer::new(name).register(pool);
        let spec = BlockSpec {
            threshold: self.spec.threshold,
            prefixes: self.spec.prefixes,
            two_sides: self.spec.two_sides,
            part: store.part(),
        };
        let mut store = Arc::new(store);
        let keys = consumer("similar_pairs keys");
        let counters = Counts::memory_for(&store, &self.spec, &limit);
        reserve(&mut store, &keys, counters)?
            .map_err(|error| too_large("counters of keys do", &error))?;
        let mut counts = Counts::of(&mut store, &self.spec, spec, &limit, &keys).await;
        if store.is_held() && matches!(counts, Err(DataFusionError::ResourcesExhausted(_))) {
            spill(&mut store)?;
            keys.resize(counters);
            counts = Counts::of(&mut store, &self.spec, spec, &limit, &keys).await;
        }
        let counts = Arc::new(counts.map_err(|error| too_large("counters of keys do", &error))?);
        let mut done = Stats::default();
        let memory = consumer("similar_pairs pivots");
        let needed = pivots::memory_for(&store, &counts, &spec, self.workers);
        let pivots_beside = reserve(&mut store, &memory, needed)?.is_ok();
        let pivots = |store: &Arc<Store>, memory| {
            let pivots = Pivots {
                store: Arc::clone(store),
                counts: Arc::clone(&counts),
                spec,
                shingle: self.shingle,
                schema: store.schema(),
                workers: self.workers,
                memory,
            };
            pivots.join(output.clone(), Arc::clone(&self.context))
        };
        let block_memory = consumer("similar_pairs block");
        let mut beside = None;
        let has_pivots = !counts.oversized.is_empty();
        let mut budget = None;
        if !has_pivots || pivots_beside {
            let reserved = self.reserve_block(&mut store, &counts, &block_memory);
            match reserved.await {
                Ok(bytes) => budget = Some(bytes),
                // Where no block fits beside the pivots, these come first.
                Err(DataFusionError::ResourcesExhausted(_)) if has_pivots => {}
                Err(error) => return Err(error),
            }
        }
        // The sort reserves what it takes by itself.
        memory.shrink(pivots::SORT.min(memory.size()));
        let budget = match budget {
            Some(budget) => {
                if has_pivots {
                    beside = Some(SpawnedTask::spawn(pivots(&store, memory)));
                }
                budget
            }
            None => {
                self.add(&mut done, &pivots(&store, memory).await?);
                self.reserve_block(&mut store, &counts, &block_memory)
                    .await?
            }
        };
        let shared = Arc::new(Shared {
            store,
            counts,
            spec,
            shingle: self.shingle,
            workers: self.workers.max(1),
            output: output.clone(),
        });
        let mut next = 0;
        let segments = &shared.store.segments;
        // At the end are segments whose rows are found in no block of this part.
        let is_found = |segment: &Segment| segment.all.compared > 0;
        let found = segments
            .iter()
            .rposition(is_found)
            .map_or(0, |last| last + 1);
        while next < found {
            let (current, end) = self.block(&shared, next, budget).await?;
            next = end;
            self.blocks.add(1);
            // The parts of a block are rounded up one by one in their estimates.
            let more = current.memory().saturating_sub(budget);
            block_memory.grow(more);
            done.add(&self.probe(&shared, Arc::new(current)).await?);
            block_memory.shrink(more);
            if shared.output.sender.is_closed() {
                return Ok(LeftOut::default());
            }
        }
        if let Some(pivots) = beside {
            self.add(&mut done, &pivots.join().await.map_err(external)??);
        }
        self.metrics.add(&done);
        Ok(LeftOut::of(&done))
    }

    /// The memory that this join may share with others, if there is a limit.
    fn limit(&self) -> MemoryLimit {
        match self.context.memory_pool().memory_limit() {
            MemoryLimit::Finite(bytes) => MemoryLimit::Finite(bytes / self.joins),
            limit => limit,
        }
    }

    /// Adds what the comparison with pivots did.
    fn add(&self, done: &mut Stats, pivots: &pivots::Done) {
        done.add(&pivots.stats);
        self.spills.spill_file_count.add(pivots.spills);
        self.spills.spilled_bytes.add(pivots.spilled_bytes);
    }

    /// Reads all rows of the input, those of each part into a store of its own.
    async fn collect(&self, mut input: SendableRecordBatchStream) -> Result<BTreeMap<u32, Store>> {
        let id = input.schema().field_with_name("id")?.data_type().clone();
        let schema = columns::schema(&id, self.spec.two_sides, self.spec.parts);
        let mut stores: BTreeMap<u32, Store> = BTreeMap::new();
        let max_bytes = match self.limit() {
            MemoryLimit::Finite(bytes) => bytes / WAITING_SHARE,
            _ => usize::MAX,
        };
        let parts = self.spec.parts;
        let key_part = |part| (parts > 1).then_some(KeyPart { part, parts });
        while let Some(batch) = input.next().await.transpose()? {
            for (part, batch) in columns::by_part(batch, parts)? {
                let store = stores.entry(part).or_insert_with(|| {
                    let (schema, spills) = (Arc::clone(&schema), self.spills.clone());
                    Store::new(schema, key_part(part), &self.context, spills)
                });
                store.push(&columns::stored(&batch, &schema)?)?;
            }
            while stores.len() > 1 && stores.values().map(Store::memory).sum::<usize>() > max_bytes
            {
                let largest = stores.values_mut().max_by_key(|store| store.memory());
                largest.map_or(Ok(()), Store::spill)?;
            }
        }
        stores.values_mut().try_for_each(Store::finish)?;
        Ok(stores)
    }

    /// The maximum number of bytes of a block under a memory limit.
    fn max_block(&self) -> usize {
        match self.limit() {
            MemoryLimit::Finite(bytes) => bytes / BLOCK_SHARE,
            _ => usize::MAX,
        }
    }

    /// Reserves memory for a block, and for the segments that the workers read while they probe. If it does not fit
    /// beside the rows in memory, these are spilled. Returns the bytes that a block may take.
    ///
    /// If all rows do not fit into one block, those that have a key which other rows have are counted: blocks hold no
    /// others.
    async fn reserve_block(
        &self,
        store: &mut Arc<Store>,
        counts: &Counts,
        memory: &MemoryReservation,
    ) -> Result<usize> {
        let mut max_block = self.max_block();
        let mut is_counted = !counts.leaves_rows_out();
        loop {
            let segments = store.segments.iter();
            let needed = segments.map(|segment| self.bytes_in_block(segment));
            let min_block = needed.clone().max().unwrap_or(0);
            let all: usize = needed.sum();
            let largest = max_block.min(BLOCK_BYTES.max(all / BLOCKS));
            if all > largest && !is_counted {
                count_kept(store, counts).await?;
                is_counted = true;
                continue;
            }
            let block = all.min(largest).max(min_block);
            // A segment is read by one worker at a time, and the first one is in the first block.
            let others = store.segments.iter().skip(1);
            let mut portions: Vec<usize> = others.map(Segment::bytes_of_portion).collect();
            portions.sort_unstable_by(|a, b| b.cmp(a));
            let probes: usize = portions.iter().take(self.workers).sum();
            match memory.try_resize(block + probes) {
                Ok(()) => return Ok(block),
                Err(_) if store.is_held() => {
                    spill(store)?;
                    is_counted = !counts.leaves_rows_out();
                }
                Err(_) if block > min_block => max_block = block / 2,
                Err(error) => return Err(too_large("largest texts do", &error)),
            }
        }
    }

    /// An upper bound of the bytes of a segment as a part of a block.
    fn bytes_in_block(&self, segment: &Segment) -> usize {
        segment.bytes_in_block() + self.workers * Prober::memory_for(segment.kept.rows)
    }

    /// The block that begins with a segment and takes at most `budget` bytes, and the number of the segment after its
    /// last one. All of its segments are of one kind.
    async fn block(
        &self,
        shared: &Arc<Shared>,
        start: usize,
        budget: usize,
    ) -> Result<(Current, usize)> {
        let segments = &shared.store.segments;
        let mut loading = VecDeque::new();
        let (mut portions, mut ids) = (Vec::new(), Vec::new());
        let mut end = start;
        let mut held = 0;
        loop {
            while loading.len() < self.workers
                && end < segments.len()
                && segments[end].visits == segments[start].visits
            {
                let bytes = self.bytes_in_block(&segments[end]);
                if end > start && held + bytes > budget {
                    break;
                }
                held += bytes;
                loading.push_back((bytes, spawn_load(shared, end)));
                end += 1;
            }
            let Some((bytes, portion)) = loading.pop_front() else {
                break;
            };
            let portion = portion.join().await.map_err(external)??;
            self.dropped.add(portion.alone);
            // Rows without a key that others have were left out.
            let rows = &portion.rows;
            let keys = rows.iter().map(|row| row.keys.len()).sum();
            let index = Block::memory_for(rows.len(), keys, rows.tokens());
            let probers = self.workers * Prober::memory_for(rows.len());
            held -= bytes.saturating_sub(portion.memory() + index + probers);
            if !rows.is_empty() {
                ids.push(portion.ids);
                portions.push(portion.rows);
            }
        }
        let ids = match ids.is_empty() {
            true => new_empty_array(shared.store.id_type()),
            false => {
                let ids: Vec<&dyn Array> = ids.iter().map(AsRef::as_ref).collect();
                concat(&ids)?
            }
        };
        let block = Block::new(portions, shared.spec, &shared.counts.oversized)
            .map_err(|error| exec_datafusion_err!("similar_pairs: {error}"))?;
        let longest = segments[start..end]
            .iter()
            .map(|segment| segment.lengths.1)
            .max();
        let longest = usize::try_from(longest.unwrap_or(0)).unwrap_or(usize::MAX);
        let (_, longest_partner) =
            neardup_kernels::bounds::partner_sizes(longest, self.spec.threshold);
        let is_compatible = |&later: &usize| segments[later].lengths.0 <= longest_partner as u64;
        let current = Current {
            block,
            ids,
            later: (end..segments.len()).filter(is_compatible).collect(),
            taken: AtomicUsize::new(0),
        };
        Ok((current, end))
    }

    /// Probes the rows of a block, and those of later segments, against it.
    async fn probe(&self, shared: &Arc<Shared>, current: Arc<Current>) -> Result<Stats> {
        let mut done = Stats::default();
        if current.block.is_empty() {
            return Ok(done);
        }
        let mut workers = JoinSet::new();
        for _ in 0..self.workers {
            workers.spawn(work(Arc::clone(shared), Arc::clone(&current)));
        }
        while let Some(stats) = workers.join_next().await {
            done.add(&stats.map_err(external)??);
        }
        Ok(done)
    }
}

impl Current {
    /// Bytes held.
    fn memory(&self) -> usize {
        self.block.memory() + self.ids.get_array_memory_size()
    }
}

/// Reserves memory, for which the rows in memory are spilled if it does not fit beside them. The inner error is that of
/// the memory, the outer one that of spilling, after which the store is incomplete.
fn reserve(store: &mut Arc<Store>, memory: &MemoryReservation, bytes: usize) -> Result<Result<()>> {
    Ok(match memory.try_grow(bytes) {
        Err(_) if store.is_held() => {
            spill(store)?;
            memory.try_grow(bytes)
        }
        reserved => reserved,
    })
}

/// Writes the rows in memory to disk. Nobody may read them meanwhile.
fn spill(store: &mut Arc<Store>) -> Result<()> {
    let Some(store) = Arc::get_mut(store) else {
        return internal_err!("similar_pairs: rows are spilled while they are read");
    };
    store.spill()?;
    store.finish()
}

/// Counts the rows of each segment that have a key which other rows have.
async fn count_kept(store: &mut Arc<Store>, counts: &Counts) -> Result<()> {
    let mut all = Vec::with_capacity(store.segments.len());
    for segment in &store.segments {
        all.push(rows::kept(store, segment, counts).await?);
        // Rows in memory are always ready: a cancelled query can end here.
        tokio::task::yield_now().await;
    }
    let Some(store) = Arc::get_mut(store) else {
        return internal_err!("similar_pairs: rows are counted while they are read");
    };
    for (segment, kept) in store.segments.iter_mut().zip(all) {
        segment.kept = kept;
    }
    Ok(())
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(error.into())
}

/// The error if what must be in memory at a time does not fit.
fn too_large(what: &str, error: &DataFusionError) -> DataFusionError {
    DataFusionError::ResourcesExhausted(format!(
        "similar_pairs: the {what} not fit into memory: {}",
        cause(error)
    ))
}

fn spawn_load(shared: &Arc<Shared>, segment: usize) -> SpawnedTask<Result<Portion>> {
    let shared = Arc::clone(shared);
    SpawnedTask::spawn(async move { shared.load(segment, None).await })
}

impl Shared {
    /// The rows of a segment; with a block, those that may be similar to one of its rows.
    async fn load(&self, segment: usize, probed: Option<(&Block, &mut Prober)>) -> Result<Portion> {
        let segment = &self.store.segments[segment];
        Portion::load(&self.store, segment, &self.counts, self.shingle, probed).await
    }
}

/// One of the workers that probe rows against a block.
async fn work(shared: Arc<Shared>, current: Arc<Current>) -> Result<Stats> {
    let block = &current.block;
    let mut prober = Prober::new(shared.spec.threshold);
    prober.begin(block);
    let (mut found, mut pairs) = (Vec::new(), Pairs::default());
    let run = (block.len() / (RUNS * shared.workers)).clamp(1, PROBES);
    let runs = block.len().div_ceil(run);
    let mut work = 0;
    loop {
        let unit = current.taken.fetch_add(1, Ordering::Relaxed);
        let portion = match unit.checked_sub(runs) {
            None => None,
            Some(segment) if segment < current.later.len() => {
                let probed = Some((block, &mut prober));
                Some(shared.load(current.later[segment], probed).await?)
            }
            Some(_) => break,
        };
        let ids = portion
            .as_ref()
            .map_or(&current.ids, |portion| &portion.ids);
        let rows = match &portion {
            // A row is compared with those before it, so that the last ones take longest.
            None => {
                let end = block.len() - unit * run;
                end.saturating_sub(run)..end
            }
            Some(portion) => 0..portion.rows.len(),
        };
        for row in rows {
            found.clear();
            let side = match &portion {
                None => {
                    work += prober.probe_own(block, row as u32, &mut found);
                    block.side(row as u32)
                }
                Some(portion) => {
                    let row = portion.rows.row(row);
                    work += prober.probe_other(block, row, &mut found);
                    row.side
                }
            };
            for found in &found {
                pairs.push(found.row as usize, row, side, found.similarity);
            }
            if pairs.len() >= shared.output.batch_size {
                if !shared.output.send(&mut pairs, &current.ids, ids).await? {
                    return Ok(*prober.stats());
                }
            } else if work > WORK {
                work = 0;
                // Other tasks run, and a cancelled query can end.
                tokio::task::yield_now().await;
            }
        }
        if !shared.output.send(&mut pairs, &current.ids, ids).await? {
            break;
        }
    }
    Ok(*prober.stats())
}
