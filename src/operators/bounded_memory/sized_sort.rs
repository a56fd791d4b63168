//! Sorts with batches of as many rows as take the memory of a batch.
//!
//! If the rows of a file are large, all operators of a plan have batches of few rows: those of a book are two texts, and
//! two of its lines. The time of the engine's sort (DataFusion 55) grows with the square of the number of batches, because
//! each batch of its result is taken from the columns of all batches that it holds: 20,000 lines of four books took
//! minutes. So this operator measures the rows first, and gives the engine's sort merged batches, and the number of rows
//! of a batch of its result.
//!
//! ```text
//! rows ── measured, merged ── sort with batches of n rows ──> sorted rows
//!                 ▲                         │
//!                 └── if rows that come later are much larger or smaller: with another n
//! ```
//!
//! Rows that are sorted again are few: each time, the rows or their bytes have become four times as many.

use super::max_batch_bytes;
use super::merge_batches::{MAX_ROWS, Merger, bytes_of_rows, can_be_merged};
use crate::operators::one_input::one_input;
use crate::operators::rows_once::rows_once;
use crate::operators::task_context::with_options;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result;
use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    PlanProperties, ReplaceChildrenOptions,
};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

/// Rows are sorted again if this many times as many, or as few, fit into a batch.
const MAX_RATIO: usize = 4;

/// Sorts its input like the engine's sort.
#[derive(Debug)]
pub(super) struct SizedSortExec {
    /// The engine's sort.
    sort: Arc<dyn ExecutionPlan>,
    input: Arc<dyn ExecutionPlan>,
}

impl SizedSortExec {
    /// The replacement of a sort; `None` for other nodes, and for rows that are not merged.
    pub(super) fn in_place_of(node: &Arc<dyn ExecutionPlan>) -> Option<Self> {
        let sort = node.downcast_ref::<SortExec>()?;
        let partitions = sort.input().output_partitioning().partition_count();
        let merges_partitions = !sort.preserve_partitioning() && partitions > 1;
        if sort.fetch().is_some() || merges_partitions || !can_be_merged(&sort.schema()) {
            return None;
        }
        Some(Self {
            sort: Arc::clone(node),
            input: Arc::clone(sort.input()),
        })
    }

    fn over(&self, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self {
            sort: sort_of(&self.sort, &input)?,
            input,
        }))
    }
}

/// The same sort of other rows.
fn sort_of(
    sort: &Arc<dyn ExecutionPlan>,
    input: &Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(sort).replace_children(vec![Arc::clone(input)], options)
}

impl DisplayAs for SizedSortExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        match self.sort.downcast_ref::<SortExec>() {
            Some(sort) => write!(f, "SizedSortExec: expr=[{}]", sort.expr()),
            None => write!(f, "SizedSortExec"),
        }
    }
}

impl ExecutionPlan for SizedSortExec {
    fn name(&self) -> &str {
        "SizedSortExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.sort.properties()
    }

    one_input!(input);

    fn metrics(&self) -> Option<MetricsSet> {
        self.sort.metrics()
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let schema = self.schema();
        let config = context.session_config();
        let limit = context.memory_pool().memory_limit();
        let source = Source {
            input: self.input.execute(partition, Arc::clone(&context))?,
            max_bytes: max_batch_bytes(limit, config.target_partitions()),
            min_rows: config.batch_size().min(MAX_ROWS),
            rows: 0,
            bytes: 0,
        };
        let sorted = sorted(Arc::clone(&self.sort), source, context);
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            schema,
            stream::once(sorted).try_flatten(),
        )))
    }
}

/// Rows that are read, of which the size is known.
struct Source {
    input: SendableRecordBatchStream,
    /// Memory of a batch.
    max_bytes: usize,
    /// A batch has this many rows in any case.
    min_rows: usize,
    /// What was read.
    rows: usize,
    bytes: usize,
}

impl Source {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        let batch = self.input.next().await.transpose()?;
        if let Some(batch) = &batch {
            self.rows += batch.num_rows();
            self.bytes += bytes_of_rows(batch);
        }
        Ok(batch)
    }

    /// How many rows of the average size a batch has.
    fn rows_of_batch(&self) -> usize {
        let row_bytes = (self.bytes / self.rows.max(1)).max(1);
        (self.max_bytes / row_bytes).clamp(self.min_rows, MAX_ROWS)
    }

    fn has_other_size(&self, rows_of_batch: usize) -> bool {
        let fitting = self.rows_of_batch();
        fitting > rows_of_batch.saturating_mul(MAX_RATIO)
            || fitting.saturating_mul(MAX_RATIO) < rows_of_batch
    }
}

/// Sorts rows with batches of the average size of all of them.
async fn sorted(
    sort: Arc<dyn ExecutionPlan>,
    mut source: Source,
    context: Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let schema = sort.schema();
    let mut first = Vec::new();
    while source.rows < MAX_ROWS
        && source.bytes < source.max_bytes
        && let Some(batch) = source.next().await?
    {
        first.push(Ok(batch));
    }
    let mut read = stream::iter(first).boxed();
    loop {
        let rows_of_batch = source.rows_of_batch();
        // What the sort leaves, because it is of another size.
        let rest = Arc::new(Mutex::new(None));
        let input = Input {
            merger: Merger::new(Arc::clone(&schema), rows_of_batch, source.max_bytes),
            rows_of_batch,
            read: Some(read),
            source: Some(source),
            rest: Arc::clone(&rest),
        };
        let input = stream::try_unfold(input, |mut input| async {
            let batch = input.next().await?;
            Ok(batch.map(|batch| (batch, input)))
        });
        let input = Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&schema), input));
        let sort = sort_of(&sort, &rows_once(&schema, [input as _])?)?;
        let rows = ConfigNonZeroUsize::try_new(rows_of_batch)?;
        let context = with_options(&context, |options| options.execution.batch_size = rows);
        let mut sorted = sort.execute(0, context)?;
        // A sort reads all its rows before it returns one.
        let batch = sorted.next().await;
        let sorted = stream::iter(batch).chain(sorted);
        let Some(next) = rest.lock().take() else {
            return Ok(Box::pin(RecordBatchStreamAdapter::new(schema, sorted)));
        };
        (read, source) = (sorted.boxed(), next);
    }
}

/// The rows of one sort.
struct Input {
    merger: Merger,
    rows_of_batch: usize,
    /// Rows that have been read from the source already.
    read: Option<BoxStream<'static, Result<RecordBatch>>>,
    source: Option<Source>,
    /// Where the source goes if its rows are of another size.
    rest: Arc<Mutex<Option<Source>>>,
}

impl Input {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.merger.next() {
                return Ok(Some(batch));
            }
            if let Some(read) = &mut self.read {
                match read.next().await {
                    Some(batch) => self.merger.push(batch?)?,
                    None => self.read = None,
                }
                continue;
            }
            let Some(source) = &mut self.source else {
                return Ok(None);
            };
            if source.has_other_size(self.rows_of_batch) {
                *self.rest.lock() = self.source.take();
            } else if let Some(batch) = source.next().await? {
                self.merger.push(batch)?;
                continue;
            }
            self.source = None;
            self.merger.finish()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::BATCH_MEMORY_DIVISOR;
    use super::*;
    use datafusion::arrow::array::{ArrayRef, AsArray, Int32Array, StringViewArray};
    use datafusion::arrow::datatypes::{Int32Type, SchemaRef};
    use datafusion::datasource::memory::MemorySourceConfig;
    use datafusion::execution::memory_pool::GreedyMemoryPool;
    use datafusion::execution::runtime_env::RuntimeEnvBuilder;
    use datafusion::physical_expr::expressions::col;
    use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
    use datafusion::physical_plan::collect;
    use datafusion::prelude::{SessionConfig, SessionContext};

    /// A row for each length of a text, in batches of two rows. The numbers of the rows are not in order.
    fn batches(lengths: &[usize]) -> Result<Vec<RecordBatch>> {
        let number = |row: usize| (row * 7_919 % lengths.len()) as i32;
        let rows = lengths.iter().enumerate();
        let rows: Vec<(i32, String)> = rows
            .map(|(row, &length)| (number(row), format!("{row} {}", "x".repeat(length))))
            .collect();
        let batches = rows.chunks(2).map(|rows| {
            let numbers = Int32Array::from_iter_values(rows.iter().map(|(number, _)| *number));
            let texts = StringViewArray::from_iter_values(rows.iter().map(|(_, text)| text));
            let columns = [
                ("number", Arc::new(numbers) as ArrayRef),
                ("text", Arc::new(texts) as _),
            ];
            Ok(RecordBatch::try_from_iter(columns)?)
        });
        batches.collect()
    }

    /// The numbers of rows of the batches of the sorted rows, and the number of sorts, with at least 256 KiB for a batch.
    async fn sorted_rows(lengths: &[usize], limit: Option<usize>) -> Result<(Vec<usize>, usize)> {
        let batches = batches(lengths)?;
        let input = MemorySourceConfig::try_new_exec(&[batches], schema()?, None)?;
        let order = PhysicalSortExpr::new_default(col("number", &input.schema())?);
        let order = LexOrdering::new([order]).expect("a column");
        let sort: Arc<dyn ExecutionPlan> = Arc::new(SortExec::new(order, input));
        let sized = SizedSortExec::in_place_of(&sort).expect("rows that are merged");
        let mut runtime = RuntimeEnvBuilder::new();
        let mut partitions = 1;
        if let Some(limit) = limit {
            runtime = runtime.with_memory_pool(Arc::new(GreedyMemoryPool::new(limit)));
            partitions = limit / BATCH_MEMORY_DIVISOR / (256 << 10);
        }
        let config = SessionConfig::new()
            .with_target_partitions(partitions.max(1))
            .with_batch_size(2);
        let context = SessionContext::new_with_config_rt(config, runtime.build_arc()?);
        let sized: Arc<dyn ExecutionPlan> = Arc::new(sized);
        let found = collect(Arc::clone(&sized), context.task_ctx()).await?;
        let (mut next, mut sizes) = (0, Vec::new());
        for batch in &found {
            let numbers = batch.column(0).as_primitive::<Int32Type>();
            let texts = batch.column(1).as_string_view();
            for (number, text) in numbers.values().iter().zip(texts) {
                assert_eq!(*number, next);
                let (row, rest) = text.and_then(|text| text.split_once(' ')).expect("a text");
                let row: usize = row.parse().expect("a number");
                assert_eq!(row * 7_919 % lengths.len(), next as usize);
                assert_eq!(rest.len(), lengths[row]);
                next += 1;
            }
            sizes.push(batch.num_rows());
        }
        assert_eq!(next as usize, lengths.len());
        let metrics = sized.metrics().expect("metrics");
        let read = metrics
            .iter()
            .filter(|metric| metric.value().name() == "output_rows");
        Ok((sizes, read.count()))
    }

    fn schema() -> Result<SchemaRef> {
        Ok(batches(&[1])?[0].schema())
    }

    #[tokio::test]
    async fn batches_have_as_many_rows_as_fit() -> Result<()> {
        // Of 128 bytes there are 8 MiB in a batch of the maximum number of rows.
        let (sizes, _) = sorted_rows(&[100; 20_001], None).await?;
        assert_eq!(sizes, [8_192, 8_192, 3_617]);
        let (sizes, _) = sorted_rows(&[1_000; 5_001], Some(256 << 20)).await?;
        let rows = sizes[0];
        assert!((200..400).contains(&rows), "{sizes:?}");
        assert!(
            sizes.iter().rev().skip(1).all(|size| *size == rows),
            "{sizes:?}"
        );
        assert_eq!(sorted_rows(&[7], None).await?.0, [1]);
        Ok(())
    }

    #[tokio::test]
    async fn sizes_that_change_between_rows() -> Result<()> {
        let short_first: Vec<usize> = (0..9_999)
            .map(|row| if row < 9_000 { 5 } else { 20_000 })
            .collect();
        let long_first: Vec<usize> = short_first.iter().rev().copied().collect();
        let mixed: Vec<usize> = (0..9_999)
            .map(|row| if row % 97 == 0 { 50_000 } else { row % 7 })
            .collect();
        for (lengths, most) in [(short_first, 700), (long_first, 700), (mixed, 2_000)] {
            for limit in [None, Some(256 << 20), Some(40 << 20)] {
                let (sizes, sorts) = sorted_rows(&lengths, limit).await?;
                assert!(sizes.len() < 300, "{limit:?}: {} batches", sizes.len());
                if limit.is_some() {
                    assert!(
                        sizes.iter().all(|size| *size <= most),
                        "{limit:?}: {sizes:?}"
                    );
                }
                assert!(sorts < 8, "{sorts} sorts");
            }
        }
        Ok(())
    }
}
