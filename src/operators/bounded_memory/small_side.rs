//! Joins under a memory limit: by hash if one side is certain to fit, else by sorting.
//!
//! Under a memory limit the engine plans joins that sort both inputs, because sorts can spill and hash tables cannot. If
//! one side is certain to be small, such as a sketch of token frequencies or the ids of the removed rows, its hash table
//! fits into memory, and the other side need neither be sorted nor repartitioned by its key. Where a plan has a single
//! partition, the engine plans joins by hash in any case; these become joins by sorting unless one side is small.
//!
//! The engine moves projections below joins by sorting, with the columns that the condition of the join reads, and does
//! not adapt the condition: it would read other columns, or none. [`UnknownValuesExec`] between the two prevents it. The
//! engine also declares the columns of the condition as those of the inputs, of which none may be NULL where a row has
//! no partner: here they may.
//!
//! A sort of the rows of an outer join by hash stays above it, because of [`UnknownValuesExec`], too: the engine would
//! sort its input, without the columns that are constants there, and end with an error, because they are none above.

use super::single_row::SingleRowJoinExec;
use crate::operators::unknown_values::UnknownValuesExec;
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{NullEquality, Result};
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::JoinType;
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::CardinalityEffect;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode, SortMergeJoinExec};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::union::UnionExec;
use std::sync::Arc;

/// The hash tables of a plan may use this fraction of the memory limit: 1/2. Sorts share the rest.
const PLAN_DIVISOR: usize = 2;
/// The hash table of a join may use this fraction of the memory limit: 1/4.
const JOIN_DIVISOR: usize = 4;
/// Upper bound of the bytes of a row in a hash table, without its columns: its hash and position in a table that is
/// half full, and its position in the list of rows with the same hash.
pub(super) const HASHED_BYTES: usize = 2 * 16 + 8;

/// Chooses joins by hash where one side is certain to fit into memory, and joins by sorting elsewhere. This rule precedes
/// those that sort and repartition the inputs.
#[derive(Debug)]
pub(crate) struct JoinSmallSide {
    /// Memory limit in bytes; `None`: only single rows are small.
    limit: Option<usize>,
}

impl JoinSmallSide {
    /// The rule for sessions with a runtime.
    pub(crate) fn of(runtime: Option<&Arc<RuntimeEnv>>) -> Self {
        let limit = runtime.map(|runtime| runtime.memory_pool.memory_limit());
        Self {
            limit: match limit {
                Some(MemoryLimit::Finite(bytes)) => Some(bytes),
                _ => None,
            },
        }
    }
}

impl PhysicalOptimizerRule for JoinSmallSide {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        options: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut budget = self.limit.map(|bytes| HashBudget {
            plan: bytes / PLAN_DIVISOR,
            join: bytes / JOIN_DIVISOR,
        });
        let may_hash = options.optimizer.prefer_hash_join || self.limit.is_none();
        plan.transform_up(|node| {
            let join = Join::of(&node).filter(|join| !join.is_by_hash || !may_hash);
            let Some(join) = join else {
                return Ok(Transformed::no(node));
            };
            if let Some(by_hash) = join.by_hash(budget.as_mut())? {
                let is_outer = matches!(join.join_type, JoinType::Left | JoinType::Right);
                return Ok(Transformed::yes(match is_outer {
                    true => Arc::new(UnknownValuesExec::new(by_hash)),
                    false => by_hash,
                }));
            }
            Ok(match join.filter {
                Some(_) => {
                    Transformed::yes(Arc::new(UnknownValuesExec::new(join.by_sorting()?)) as _)
                }
                None if join.is_by_hash => Transformed::yes(join.by_sorting()?),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "join_small_side"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Bytes that hash tables may use.
#[derive(Debug, Clone, Copy)]
struct HashBudget {
    /// Bytes for all hash tables of the plan that are not planned yet.
    plan: usize,
    /// Bytes for the hash table of one join.
    join: usize,
}

/// The side of a join whose rows would be hashed.
#[derive(Debug, Clone, Copy)]
struct Side {
    /// Upper bound of the bytes of its hash table; `None`: unknown.
    bytes: Option<usize>,
    /// Whether it has one row at most.
    is_one_row: bool,
}

/// Whether the rows of the left side, and those of the right side, can be hashed: only those of a side whose rows without
/// a partner are in no result, because the partitions of the other side share the table.
pub(super) fn hashable_sides(join_type: JoinType) -> (bool, bool) {
    match join_type {
        JoinType::Inner => (true, true),
        JoinType::Right | JoinType::RightSemi | JoinType::RightAnti => (true, false),
        JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti => (false, true),
        _ => (false, false),
    }
}

/// A join that can be planned in both ways.
pub(super) struct Join<'a> {
    left: &'a Arc<dyn ExecutionPlan>,
    right: &'a Arc<dyn ExecutionPlan>,
    pub(super) on: &'a [(PhysicalExprRef, PhysicalExprRef)],
    filter: Option<&'a JoinFilter>,
    pub(super) join_type: JoinType,
    null_equality: NullEquality,
    /// The order of each key of a join by sorting.
    pub(super) sort_options: Vec<SortOptions>,
    is_by_hash: bool,
}

impl<'a> Join<'a> {
    pub(super) fn of(node: &'a Arc<dyn ExecutionPlan>) -> Option<Self> {
        if let Some(join) = node.downcast_ref::<SortMergeJoinExec>() {
            return Some(Self {
                left: join.left(),
                right: join.right(),
                on: join.on(),
                filter: join.filter().as_ref(),
                join_type: join.join_type(),
                null_equality: join.null_equality(),
                sort_options: join.sort_options.clone(),
                is_by_hash: false,
            });
        }
        let join = node.downcast_ref::<HashJoinExec>()?;
        // Joins by sorting do not compute NOT IN, for which NULL is a value that may be equal to any.
        let is_plain = !join.null_aware && !join.contains_projection();
        (is_plain && *join.partition_mode() == PartitionMode::CollectLeft).then(|| Self {
            left: join.left(),
            right: join.right(),
            on: join.on(),
            filter: join.filter(),
            join_type: *join.join_type(),
            null_equality: join.null_equality(),
            sort_options: vec![SortOptions::default(); join.on().len()],
            is_by_hash: true,
        })
    }

    /// The join by hash of a side that is small.
    fn by_hash(&self, budget: Option<&mut HashBudget>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let (left, right) = hashable_sides(self.join_type);
        let left = left.then(|| side(self.left)).transpose()?;
        let right = right.then(|| side(self.right)).transpose()?;
        let size = |side: Side| match side.is_one_row {
            true => 0,
            false => side.bytes.unwrap_or(usize::MAX),
        };
        let (smaller, is_left) = match (left, right) {
            (Some(left), Some(right)) if size(right) < size(left) => (right, false),
            (Some(left), _) => (left, true),
            (None, Some(right)) => (right, false),
            (None, None) => return Ok(None),
        };
        match (smaller.is_one_row, smaller.bytes, budget) {
            (true, _, _) => {}
            (false, Some(bytes), Some(budget)) if bytes <= budget.plan.min(budget.join) => {
                budget.plan -= bytes;
            }
            _ => return Ok(None),
        }
        self.hashing(is_left).map(Some)
    }

    /// The same join of other inputs.
    pub(super) fn over<'b>(
        &'b self,
        left: &'b Arc<dyn ExecutionPlan>,
        right: &'b Arc<dyn ExecutionPlan>,
    ) -> Join<'b> {
        Join {
            left,
            right,
            on: self.on,
            filter: self.filter,
            sort_options: self.sort_options.clone(),
            ..*self
        }
    }

    /// The join by hash of the left or the right side.
    pub(super) fn hashing(&self, is_left: bool) -> Result<Arc<dyn ExecutionPlan>> {
        let by_hash = HashJoinExec::try_new(
            Arc::clone(self.left),
            Arc::clone(self.right),
            self.on.to_vec(),
            self.filter.cloned(),
            &self.join_type,
            None,
            PartitionMode::CollectLeft,
            self.null_equality,
            false,
        )?;
        match is_left {
            true => Ok(Arc::new(by_hash)),
            false => by_hash.swap_inputs(PartitionMode::CollectLeft),
        }
    }

    pub(super) fn by_sorting(&self) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(SortMergeJoinExec::try_new(
            Arc::clone(self.left),
            Arc::clone(self.right),
            self.on.to_vec(),
            self.filter.map(of_nullable_columns),
            self.join_type,
            self.sort_options.clone(),
            self.null_equality,
        )?))
    }
}

/// The condition over columns that may be NULL: an outer join by sorting evaluates it for rows without a partner, too,
/// whose columns of the other side are NULL.
fn of_nullable_columns(filter: &JoinFilter) -> JoinFilter {
    let fields = filter.schema().fields().iter();
    let fields: Vec<Field> = fields
        .map(|field| field.as_ref().clone().with_nullable(true))
        .collect();
    let schema = Schema::new_with_metadata(fields, filter.schema().metadata().clone());
    JoinFilter::new(
        Arc::clone(filter.expression()),
        filter.column_indices().to_vec(),
        Arc::new(schema),
    )
}

fn side(plan: &Arc<dyn ExecutionPlan>) -> Result<Side> {
    let schema = plan.schema();
    // Texts are of any length, whatever their average.
    let widths = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Boolean => Some(1),
        other => other.primitive_width(),
    });
    let width: Option<usize> = widths.sum();
    let rows = max_rows(plan)?;
    let bytes = width.zip(rows).map(|(width, rows)| {
        let row = width.saturating_add(HASHED_BYTES);
        rows.saturating_mul(row)
    });
    Ok(Side {
        bytes,
        is_one_row: rows.is_some_and(|rows| rows <= 1),
    })
}

/// Whether a plan has one row at most.
pub(super) fn is_one_row(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    Ok(max_rows(plan)?.is_some_and(|rows| rows <= 1))
}

/// Upper bound of the number of rows; `None`: unknown. An estimate, such as that of a filter, is no bound.
fn max_rows(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<usize>> {
    let statistics = StatisticsContext::new().compute(plan.as_ref(), &StatisticsArgs::new())?;
    if let Precision::Exact(rows) = statistics.num_rows {
        return Ok(Some(rows));
    }
    let is_inner_join = plan.is::<SingleRowJoinExec>()
        || plan
            .downcast_ref::<HashJoinExec>()
            .is_some_and(|join| *join.join_type() == JoinType::Inner);
    match (plan.children().as_slice(), plan.cardinality_effect()) {
        ([input], CardinalityEffect::Equal | CardinalityEffect::LowerEqual) => max_rows(input),
        ([left, right], _) if is_inner_join => {
            let rows = max_rows(left)?.zip(max_rows(right)?);
            Ok(rows.map(|(left, right)| left.saturating_mul(right)))
        }
        (inputs, _) if plan.is::<UnionExec>() => {
            inputs.iter().try_fold(Some(0_usize), |sum, input| {
                let rows = max_rows(input)?;
                Ok(sum.zip(rows).map(|(sum, rows)| sum.saturating_add(rows)))
            })
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Memory, Resources};
    use datafusion::common::Result;
    use datafusion::physical_plan::displayable;
    use datafusion::prelude::SessionContext;

    /// A session with a memory limit, and 10,000 rows in files: their hash table takes up to 0.5 MB.
    async fn session(memory: Memory, directory: &tempfile::TempDir) -> Result<SessionContext> {
        let resources = |memory| Resources {
            threads: 2,
            memory,
            ..Resources::default()
        };
        let writer = resources(Memory::Unlimited).session()?;
        let context = resources(memory).session()?;
        for (name, columns) in [
            ("numbers", "value AS id"),
            ("names", "CAST(value AS VARCHAR) AS id, value"),
            ("texts", "value * 3 AS id, repeat('x', 90) AS text"),
        ] {
            let path = directory.path().join(name).with_extension("parquet");
            let path = path.display();
            let copy =
                format!("COPY (SELECT {columns} FROM generate_series(1, 10000)) TO '{path}'");
            writer.sql(&copy).await?.collect().await?;
            let view = format!("CREATE VIEW {name} AS SELECT * FROM '{path}'");
            context.sql(&view).await?.collect().await?;
        }
        Ok(context)
    }

    async fn plan(context: &SessionContext, sql: &str) -> Result<String> {
        let plan = context.sql(sql).await?.create_physical_plan().await?;
        Ok(displayable(plan.as_ref()).indent(false).to_string())
    }

    async fn rows(context: &SessionContext, sql: &str) -> Result<usize> {
        context.sql(sql).await?.count().await
    }

    #[tokio::test]
    async fn the_side_that_is_certain_to_fit_is_hashed() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let context = session(Memory::Bytes(64 << 20), &directory).await?;
        let small = "(SELECT id FROM numbers WHERE id % 2 = 0)";
        // Even multiples of 3 up to 10,000 are 1,666.
        for (join, expected) in [
            ("JOIN", 1_666),
            ("LEFT JOIN", 10_000),
            ("LEFT SEMI JOIN", 1_666),
            ("LEFT ANTI JOIN", 8_334),
        ] {
            let sql =
                format!("SELECT texts.* FROM texts {join} {small} AS small ON texts.id = small.id");
            let plan = plan(&context, &sql).await?;
            assert!(plan.contains("HashJoinExec: mode=CollectLeft"), "{plan}");
            assert!(!plan.contains("SortExec"), "{plan}");
            assert_eq!(rows(&context, &sql).await?, expected, "{join}");
        }
        let sql = format!(
            "SELECT texts.text, small.id FROM {small} AS small RIGHT JOIN texts ON texts.id = small.id"
        );
        assert!(!plan(&context, &sql).await?.contains("SortMergeJoinExec"));
        assert_eq!(rows(&context, &sql).await?, 10_000);
        Ok(())
    }

    #[tokio::test]
    async fn a_side_of_unknown_size_is_sorted() -> Result<()> {
        let directory = tempfile::tempdir()?;
        // With the smaller limit, plans have one partition.
        for limit in [64 << 20, 300 << 20] {
            let context = session(Memory::Bytes(limit), &directory).await?;
            check_sorting(&context).await?;
        }
        Ok(())
    }

    async fn check_sorting(context: &SessionContext) -> Result<()> {
        for sql in [
            // Texts are of any length.
            "SELECT * FROM texts LEFT ANTI JOIN names ON CAST(texts.id AS VARCHAR) = names.id",
            // The number of rows of a join, or of an expanded list, is not known.
            "SELECT * FROM texts LEFT SEMI JOIN (SELECT UNNEST(range(id)) AS id FROM numbers) AS lists ON texts.id = lists.id",
            // Rows of the hashed side without a partner would be in the result.
            "SELECT * FROM texts FULL JOIN numbers ON texts.id = numbers.id",
            "SELECT texts.text FROM numbers LEFT JOIN texts ON texts.id = numbers.id",
        ] {
            let plan = plan(context, sql).await?;
            assert!(
                plan.contains("AdaptiveJoinExec") || plan.contains("SortMergeJoinExec"),
                "{sql}\n{plan}"
            );
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_side_that_may_exceed_its_share_of_the_limit_is_sorted() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let sql = "SELECT * FROM texts LEFT ANTI JOIN numbers ON texts.id = numbers.id";
        for (limit, operator) in [(1 << 20, "SortMergeJoinExec"), (4 << 20, "HashJoinExec")] {
            let context = session(Memory::Bytes(limit), &directory).await?;
            let plan = plan(&context, sql).await?;
            assert!(plan.contains(operator), "{plan}");
            assert_eq!(rows(&context, sql).await?, 6_667);
        }
        Ok(())
    }

    /// `count(l.id)` was 0: the engine had left out the column `text` of the condition, and read another one.
    #[tokio::test]
    async fn conditions_of_joins_by_sorting_read_their_own_columns() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let unlimited = session(Memory::Unlimited, &directory).await?;
        for limit in [64 << 20, 300 << 20] {
            let context = session(Memory::Bytes(limit), &directory).await?;
            for join in ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"] {
                let sql = format!(
                    "SELECT count(l.id), count(r.id), sum(l.id) \
                     FROM (SELECT id, id * 2 AS double, text FROM texts) AS l {join} \
                     (SELECT CAST(id AS BIGINT) AS id, id AS name, value FROM names) AS r \
                     ON l.id = r.id AND length(l.text) + r.value > 1500 AND l.double < 9000"
                );
                let expected = unlimited.sql(&sql).await?.to_string().await?;
                let found = context.sql(&sql).await?.to_string().await?;
                assert_eq!(found, expected, "{join}");
            }
        }
        Ok(())
    }

    #[tokio::test]
    async fn rows_of_an_outer_join_are_sorted_by_a_column_that_was_constant() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let unlimited = session(Memory::Unlimited, &directory).await?;
        let context = session(Memory::Bytes(60 << 20), &directory).await?;
        let small = "(SELECT id AS f, 1 AS g FROM numbers WHERE id < 100)";
        for (first, second) in [
            ("LEFT JOIN", "FULL JOIN"),
            ("LEFT JOIN", "RIGHT JOIN"),
            ("RIGHT JOIN", "FULL JOIN"),
            ("RIGHT JOIN", "LEFT JOIN"),
        ] {
            let sql = format!(
                "SELECT count(*), sum(f), sum(g), sum(a), sum(i), sum(j) \
                 FROM (SELECT * FROM {small} AS b {first} (SELECT id AS a FROM numbers WHERE id < 80) AS a ON a = f) \
                 {second} (SELECT id AS i, id % 3 AS j FROM texts) AS d ON g = j AND f = i"
            );
            let expected = unlimited.sql(&sql).await?.to_string().await?;
            let found = context.sql(&sql).await?.to_string().await?;
            assert_eq!(found, expected, "{sql}");
        }
        Ok(())
    }

    #[tokio::test]
    async fn conditions_read_columns_that_are_never_null() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let unlimited = session(Memory::Unlimited, &directory).await?;
        let groups = "(SELECT id % 100 AS g, count(*) AS n, 7 AS c, max(id) AS id FROM numbers WHERE id > 20 GROUP BY 1)";
        for limit in [64 << 20, 300 << 20] {
            let context = session(Memory::Bytes(limit), &directory).await?;
            for join in ["LEFT JOIN", "RIGHT JOIN", "FULL JOIN"] {
                for (left, right) in [("numbers", groups), (groups, "numbers")] {
                    let (n, g) = match left {
                        "numbers" => ("r", "l.id = r.g"),
                        _ => ("l", "l.g = r.id"),
                    };
                    let sql = format!(
                        "SELECT count(*), sum(l.id), sum(r.id), sum({n}.n) \
                         FROM {left} AS l {join} {right} AS r ON {g} AND {n}.n > l.id % 110 AND {n}.c < r.id"
                    );
                    let expected = unlimited.sql(&sql).await?.to_string().await?;
                    let found = context.sql(&sql).await?.to_string().await?;
                    assert_eq!(found, expected, "{sql}");
                }
            }
        }
        Ok(())
    }
}
