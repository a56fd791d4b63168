//! Oversized buckets: their rows, sorted by id, are compared with the pivots of the buckets.
//!
//! Workers compare runs of rows with the pivots so far. Then one task goes through the rows in order: it compares them
//! with the pivots that were added since then, adds pivots, and sends the pairs ([`PivotJoin`]). Few rows become pivots,
//! so that nearly all of the work is that of the workers.

use super::columns::Columns;
use super::counts::Counts;
use super::output::{Output, Pairs};
use super::store::Store;
use super::{external, too_large};
use crate::operators::similar_pairs::spool::{compact, compact_column};
use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, UInt64Array, new_empty_array};
use datafusion::arrow::compute::{concat, filter_record_batch, take};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::stream::Fuse;
use futures::{StreamExt, TryStreamExt};
use neardup_kernels::pairs::{
    BlockSpec, ComparedRows, KeyPart, PivotJoin, PivotLists, PivotProber, SetRow, SimilarRow, Stats,
};
use neardup_kernels::{Shingle, ShingleScratch};
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Memory that the sort of the rows gets beside the other reservations.
pub(super) const SORT: usize = 16 << 20;
/// Rows of a run: a millisecond or more of work, so that tasks cost little, and few enough that the first runs, which are
/// compared before there are pivots, are a small share of the rows.
const ROWS: usize = 128;
/// Runs for each worker that are compared, or wait for an earlier one, at a time.
const RUNS_AT_A_TIME: usize = 2;

/// An upper bound of the bytes that the pivots take, which may be the longest rows, and of the sort.
pub(super) fn memory_for(
    store: &Store,
    counts: &Counts,
    spec: &BlockSpec,
    workers: usize,
) -> usize {
    let max_pivots = PivotJoin::max_pivots(spec, &counts.oversized);
    let (mut rows, mut keys, mut tokens) = (0, 0, 0);
    let mut segments: Vec<_> = store.segments.iter().collect();
    segments.sort_unstable_by_key(|segment| Reverse(segment.lengths.1));
    for segment in segments {
        if rows >= max_pivots {
            break;
        }
        rows += segment.all.rows;
        keys += segment.all.keys;
        tokens += segment.all.tokens;
    }
    match max_pivots {
        0 => 0,
        _ => {
            SORT + PivotJoin::memory_of_lists(spec, &counts.oversized, sizes(store))
                + PivotJoin::memory_of_pivots(rows, keys, tokens)
                + workers * PivotProber::memory_for(max_pivots)
        }
    }
}

/// The number of rows, and of their tokens.
fn sizes(store: &Store) -> (usize, usize) {
    let segments = store.segments.iter();
    segments.fold((0, 0), |(rows, tokens), segment| {
        (rows + segment.all.rows, tokens + segment.all.tokens)
    })
}

/// The rows of oversized buckets.
pub(super) struct Pivots {
    pub(super) store: Arc<Store>,
    pub(super) counts: Arc<Counts>,
    pub(super) spec: BlockSpec,
    pub(super) shingle: Shingle,
    pub(super) schema: SchemaRef,
    /// The number of workers that compare rows.
    pub(super) workers: usize,
    /// Memory for the pivots; they may need more.
    pub(super) memory: MemoryReservation,
}

impl std::fmt::Debug for Pivots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pivots")
    }
}

/// What the comparison with pivots did.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) stats: Stats,
    /// How often and how many bytes the sort spilled.
    pub(super) spills: usize,
    pub(super) spilled_bytes: usize,
}

impl PartitionStream for Pivots {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let oversized = Arc::clone(&self.counts.oversized);
        let part = self.store.part();
        let rows = self.store.scan().map(move |batch| {
            let batch = batch?;
            let columns = Columns::of(&batch, part)?;
            let is_in = |row| columns.keys(row).iter().any(|&key| oversized.contains(key));
            let rows: BooleanArray = (0..columns.len()).map(|row| Some(is_in(row))).collect();
            compact(&filter_record_batch(&batch, &rows)?)
        });
        let rows = rows.try_filter(|batch| {
            let any = batch.num_rows() > 0;
            async move { any }
        });
        Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&self.schema),
            rows,
        ))
    }
}

impl Pivots {
    /// Compares all rows with the pivots of their buckets, and sends the pairs.
    pub(super) async fn join(mut self, output: Output, context: Arc<TaskContext>) -> Result<Done> {
        let memory = self.memory.take();
        let reserved = memory.size();
        let (spec, shingle, workers) = (self.spec, self.shingle, self.workers.max(1));
        let runs_at_a_time = workers * RUNS_AT_A_TIME;
        let sizes = sizes(&self.store);
        let mut join = PivotJoin::new(spec, Arc::clone(&self.counts.oversized), sizes);
        let mut pairs = PivotPairs::new(output, self.store.id_type());
        let sort = Arc::new(self.sorted()?);
        let mut rows = Rows {
            sorted: sort.execute(0, context)?.fuse(),
            batch: None,
            part: spec.part,
        };
        let idle = Arc::new(Mutex::new(Vec::new()));
        let mut running = VecDeque::new();
        let (mut set, mut scratch) = (Vec::new(), ShingleScratch::default());
        let mut found = Vec::new();
        let mut open = true;
        while open {
            while running.len() < runs_at_a_time
                && let Some(run) = rows.next().await?
            {
                let (lists, idle) = (join.lists(), Arc::clone(&idle));
                running.push_back(SpawnedTask::spawn(async move {
                    let worker: Option<Worker> = idle.lock().pop();
                    let mut worker = worker.unwrap_or_else(|| Worker::new(spec.threshold));
                    let run = worker.compare(run, &lists, shingle);
                    idle.lock().push(worker);
                    run
                }));
            }
            let Some(first) = running.pop_front() else {
                break;
            };
            let mut runs = vec![first.join().await.map_err(external)?];
            if join.may_take(&runs[0].compared) {
                // Pivots may be added: the runs that are compared with those so far end first.
                while let Some(next) = running.pop_front() {
                    runs.push(next.join().await.map_err(external)?);
                }
            }
            for mut run in runs {
                open = pairs.begin(&run.columns).await?;
                if !open {
                    break;
                }
                let columns = Arc::clone(&run.columns);
                for (number, row) in run.rows.clone().enumerate() {
                    set.clear();
                    if join.needs_set(&run.compared, number) {
                        shingle.hashes_into(columns.text(row), &mut scratch, &mut set);
                    }
                    let set_row = SetRow {
                        set: &set,
                        ..columns.with_keys(row, columns.keys(row))
                    };
                    found.clear();
                    if join.push(&mut run.compared, number, set_row, &mut found) {
                        pairs.add_pivot(row);
                    }
                    pairs.push(&found, row, set_row.side);
                }
                // The runs that are compared or wait are about as large as this one.
                let bytes_of_runs = runs_at_a_time * run.compared.memory();
                let bytes_of_probers = workers * PivotProber::memory_for(join.lists().len());
                let bytes = join.memory() + pairs.memory() + bytes_of_runs + bytes_of_probers;
                memory
                    .try_resize(reserved.max(bytes))
                    .map_err(|error| too_large("pivots of oversized buckets do", &error))?;
                if pairs.is_full() {
                    open = pairs.send().await?;
                    if !open {
                        break;
                    }
                }
                // Other tasks run, and a cancelled query can end.
                tokio::task::yield_now().await;
            }
        }
        if open {
            pairs.send().await?;
        }
        let sort_metrics = sort.metrics();
        let metrics = sort_metrics.as_ref();
        Ok(Done {
            stats: *join.stats(),
            spills: metrics
                .and_then(|metrics| metrics.spill_count())
                .unwrap_or(0),
            spilled_bytes: metrics
                .and_then(|metrics| metrics.spilled_bytes())
                .unwrap_or(0),
        })
    }

    /// The rows in ascending order of ids, and of sides where both sides have an id.
    fn sorted(self) -> Result<SortExec> {
        let schema = Arc::clone(&self.schema);
        let columns = ["id", "side"].into_iter();
        let columns = columns.filter_map(|name| Some((name, schema.index_of(name).ok()?)));
        let order = columns
            .map(|(name, index)| PhysicalSortExpr::new_default(Arc::new(Column::new(name, index))));
        let order = LexOrdering::new(order)
            .ok_or_else(|| internal_datafusion_err!("similar_pairs: rows without an id"))?;
        let rows =
            StreamingTableExec::try_new(schema, vec![Arc::new(self)], None, [], false, None)?;
        Ok(SortExec::new(order, Arc::new(rows)))
    }
}

/// Consecutive rows of a batch.
struct Run {
    columns: Arc<Columns>,
    rows: Range<usize>,
    compared: ComparedRows,
}

/// The rows in ascending order of ids, as runs.
struct Rows {
    sorted: Fuse<SendableRecordBatchStream>,
    /// A batch, and the number of its next row.
    batch: Option<(Arc<Columns>, usize)>,
    part: Option<KeyPart>,
}

impl Rows {
    async fn next(&mut self) -> Result<Option<Run>> {
        loop {
            if let Some((columns, next)) = &mut self.batch
                && *next < columns.len()
            {
                let end = columns.len().min(*next + ROWS);
                let rows = std::mem::replace(next, end)..end;
                return Ok(Some(Run {
                    columns: Arc::clone(columns),
                    rows,
                    compared: ComparedRows::default(),
                }));
            }
            self.batch = None;
            let batch = self.sorted.next().await.transpose();
            let batch = batch.map_err(|error| match error {
                error @ DataFusionError::ResourcesExhausted(_) => {
                    too_large("rows of oversized buckets do", &error)
                }
                error => error,
            })?;
            match batch {
                Some(batch) => self.batch = Some((Arc::new(Columns::of(&batch, self.part)?), 0)),
                None => return Ok(None),
            }
        }
    }
}

/// One of the workers that compare rows with pivots.
struct Worker {
    prober: PivotProber,
    set: Vec<u64>,
    scratch: ShingleScratch,
}

impl Worker {
    fn new(threshold: f64) -> Self {
        Self {
            prober: PivotProber::new(threshold),
            set: Vec::new(),
            scratch: ShingleScratch::default(),
        }
    }

    /// Compares the rows of a run with the pivots.
    fn compare(&mut self, mut run: Run, lists: &PivotLists, shingle: Shingle) -> Run {
        let columns = &run.columns;
        for row in run.rows.clone() {
            self.set.clear();
            shingle.hashes_into(columns.text(row), &mut self.scratch, &mut self.set);
            let set_row = SetRow {
                set: &self.set,
                ..columns.with_keys(row, columns.keys(row))
            };
            self.prober.compare(lists, set_row, &mut run.compared);
        }
        run
    }
}

/// Pairs of pivots and rows of one batch that are not sent yet.
struct PivotPairs {
    output: Output,
    pairs: Pairs,
    /// The ids of the pivots.
    pivots: ArrayRef,
    batch: Option<Arc<Columns>>,
    /// The rows of the batch whose ids follow those of `pivots`.
    new_pivots: Vec<u64>,
}

impl PivotPairs {
    fn new(output: Output, id: &DataType) -> Self {
        Self {
            output,
            pairs: Pairs::default(),
            pivots: new_empty_array(id),
            batch: None,
            new_pivots: Vec::new(),
        }
    }

    /// Makes a batch the one of the rows that follow; false if nobody receives pairs.
    async fn begin(&mut self, batch: &Arc<Columns>) -> Result<bool> {
        if (self.batch.as_ref()).is_some_and(|current| Arc::ptr_eq(current, batch)) {
            return Ok(true);
        }
        let open = self.send().await?;
        self.batch = Some(Arc::clone(batch));
        Ok(open)
    }

    /// Makes a row of the batch the next pivot.
    fn add_pivot(&mut self, row: usize) {
        self.new_pivots.push(row as u64);
    }

    /// Adds the pairs of a row of the batch.
    fn push(&mut self, found: &[SimilarRow], row: usize, side: u8) {
        for found in found {
            (self.pairs).push(found.row as usize, row, side, found.similarity);
        }
    }

    /// Whether there are enough pairs to send.
    fn is_full(&self) -> bool {
        self.pairs.len() >= self.output.batch_size
    }

    /// Sends the pairs; false if nobody receives them.
    async fn send(&mut self) -> Result<bool> {
        let Some(batch) = &self.batch else {
            return Ok(true);
        };
        if !self.new_pivots.is_empty() {
            let rows = UInt64Array::from(std::mem::take(&mut self.new_pivots));
            let new = compact_column(&take(&batch.ids, &rows, None)?);
            self.pivots = concat(&[self.pivots.as_ref(), new.as_ref()])?;
        }
        (self.output)
            .send(&mut self.pairs, &self.pivots, &batch.ids)
            .await
    }

    /// Bytes of the ids of the pivots.
    fn memory(&self) -> usize {
        self.pivots.get_array_memory_size()
    }
}
