//! Oversized buckets: their rows, sorted by id, are compared with the pivots of the buckets.

use super::columns::Columns;
use super::counts::Counts;
use super::output::{Output, Pairs};
use super::store::Store;
use super::too_large;
use crate::operators::similar_pairs::spool::{compact, compact_column};
use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, UInt64Array};
use datafusion::arrow::compute::{concat, filter_record_batch, take};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::{StreamExt, TryStreamExt};
use neardup_kernels::pairs::{BlockSpec, PivotJoin, SetRow, Stats};
use neardup_kernels::{Shingle, ShingleScratch};
use std::sync::Arc;

/// Memory that the sort of the rows gets beside the other reservations.
pub(super) const SORT: usize = 16 << 20;

/// An upper bound of the bytes that the pivots take, which may be the longest rows, and of the sort.
pub(super) fn memory_for(store: &Store, counts: &Counts, spec: &BlockSpec) -> usize {
    let max_pivots = PivotJoin::max_pivots(spec, &counts.oversized);
    let (mut rows, mut keys, mut tokens) = (0, 0, 0);
    for segment in store.segments.iter().rev() {
        if rows >= max_pivots {
            break;
        }
        rows += segment.all.rows;
        keys += segment.all.keys;
        tokens += segment.all.tokens;
    }
    match max_pivots {
        0 => 0,
        _ => SORT + PivotJoin::memory_for(spec, &counts.oversized, rows, keys, tokens),
    }
}

/// The rows of oversized buckets.
pub(super) struct Pivots {
    pub(super) store: Arc<Store>,
    pub(super) counts: Arc<Counts>,
    pub(super) spec: BlockSpec,
    pub(super) shingle: Shingle,
    pub(super) schema: SchemaRef,
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
        let rows = self.store.scan().map(move |batch| {
            let batch = batch?;
            let columns = Columns::of(&batch)?;
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
        let (spec, shingle) = (self.spec, self.shingle);
        let mut join = PivotJoin::new(spec, Arc::clone(&self.counts.oversized));
        let sort = Arc::new(self.sorted()?);
        let mut rows = sort.execute(0, context)?;
        let mut pivots: Vec<ArrayRef> = Vec::new();
        let mut bytes_of_ids = 0;
        let (mut set, mut scratch) = (Vec::new(), ShingleScratch::default());
        let (mut found, mut pairs) = (Vec::new(), Pairs::default());
        let mut open = true;
        while open {
            let batch = rows.next().await.transpose();
            let batch = batch.map_err(|error| match error {
                error @ DataFusionError::ResourcesExhausted(_) => {
                    too_large("rows of oversized buckets do", &error)
                }
                error => error,
            })?;
            let Some(batch) = batch else {
                break;
            };
            let columns = Columns::of(&batch)?;
            for row in 0..columns.len() {
                set.clear();
                shingle.hashes_into(columns.text(row), &mut scratch, &mut set);
                let side = columns.side(row);
                let set_row = SetRow {
                    keys: columns.keys(row),
                    set: &set,
                    side,
                };
                found.clear();
                if join.push(set_row, &mut found) {
                    let row = UInt64Array::from(vec![row as u64]);
                    let id = compact_column(&take(&columns.ids, &row, None)?);
                    bytes_of_ids += size_of::<ArrayRef>();
                    // The values of a dictionary are those of the batch that it was read in.
                    if !matches!(id.data_type(), DataType::Dictionary(..)) {
                        bytes_of_ids += id.get_array_memory_size();
                    }
                    pivots.push(id);
                }
                for found in &found {
                    pairs.push(found.row as usize, row, side, found.similarity);
                }
                if pairs.len() >= output.batch_size {
                    open = send(&output, &mut pairs, &pivots, &columns.ids).await?;
                    if !open {
                        break;
                    }
                }
                if row % 64 == 63 {
                    tokio::task::yield_now().await;
                }
            }
            memory
                .try_resize(reserved.max(join.memory() + bytes_of_ids))
                .map_err(|error| too_large("pivots of oversized buckets do", &error))?;
            if open && pairs.len() > 0 {
                open = send(&output, &mut pairs, &pivots, &columns.ids).await?;
            }
        }
        Ok(Done {
            stats: *join.stats(),
            spills: sort
                .metrics()
                .and_then(|metrics| metrics.spill_count())
                .unwrap_or(0),
            spilled_bytes: sort
                .metrics()
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

/// Sends the pairs of pivots and rows; false if nobody receives them.
async fn send(
    output: &Output,
    pairs: &mut Pairs,
    pivots: &[ArrayRef],
    rows: &ArrayRef,
) -> Result<bool> {
    let ids: Vec<&dyn Array> = pivots.iter().map(AsRef::as_ref).collect();
    output.send(pairs, &concat(&ids)?, rows).await
}
