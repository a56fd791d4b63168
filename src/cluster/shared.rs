//! Rows that several parts of a query share. On a cluster these parts run in different processes, so that such rows are
//! computed first and replaced in the plan by a table. Rows that may differ from run to run pass through the client.
//! Rows that take long to compute are written by the executors to the directory that they share with the client; without
//! one, each part computes them.

use super::codec::INLINE_BYTES;
use super::scratch::Scratch;
use crate::files::{cast_to, parquet_files};
use crate::operators::shared_rows::{Purpose, SharedRows};
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Schema, SchemaRef, UInt64Type};
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::datasource::{MemTable, TableProvider, provider_as_source};
use datafusion::execution::{SendableRecordBatchStream, SessionState};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::DataFrame;
use futures::TryStreamExt;
use futures::future::ready;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Computes the shared rows of each key, and replaces them in the plan by a table.
pub(super) async fn materialised(
    plan: LogicalPlan,
    state: &SessionState,
    scratch: &Scratch,
) -> Result<LogicalPlan> {
    // Only the outermost shared rows: those nested in others are computed with them.
    let mut outer: Vec<SharedRows> = Vec::new();
    plan.apply_with_subqueries(|node| {
        let shared = SharedRows::of(node);
        let Some(shared) = shared.filter(|shared| shared.purpose() == Purpose::NotDeterministic)
        else {
            return Ok(TreeNodeRecursion::Continue);
        };
        if outer.iter().all(|other| other.key() != shared.key()) {
            outer.push(shared.clone());
        }
        Ok(TreeNodeRecursion::Jump)
    })?;
    let mut tables: HashMap<_, Arc<dyn TableProvider>> = HashMap::new();
    for shared in outer {
        let table = table(shared.input(), state, scratch).await?;
        tables.insert(shared.key(), table);
    }
    let plan = replaced(plan, |shared| {
        let table = tables.get(&shared.key());
        table.map(|table| scan(shared, table)).transpose()
    })?;
    computed_once(plan, state, scratch).await
}

/// Replaces the remaining shared rows, which are the same in each run: by files if several parts of the plan read them.
async fn computed_once(
    mut plan: LogicalPlan,
    state: &SessionState,
    scratch: &Scratch,
) -> Result<LogicalPlan> {
    // How often each is read, if each is computed once.
    let mut reads: HashMap<_, usize> = HashMap::new();
    plan.apply_with_subqueries(|node| {
        let Some(shared) = SharedRows::of(node) else {
            return Ok(TreeNodeRecursion::Continue);
        };
        let count = reads.entry(shared.key()).or_default();
        *count += 1;
        Ok(match *count {
            1 => TreeNodeRecursion::Continue,
            _ => TreeNodeRecursion::Jump,
        })
    })?;
    while let Some(inner) = innermost(&plan)? {
        let folder = match reads.get(&inner.key()) {
            Some(2..) => scratch.folder()?,
            _ => None,
        };
        let table = match folder {
            Some(folder) => Some(written(inner.input(), folder, state).await?),
            None => None,
        };
        plan = replaced(plan, |shared| {
            if shared.key() != inner.key() {
                return Ok(None);
            }
            Ok(Some(match &table {
                Some(table) => scan(shared, table)?,
                None => shared.input().clone(),
            }))
        })?;
    }
    Ok(plan)
}

/// Shared rows that are computed without other shared rows.
fn innermost(plan: &LogicalPlan) -> Result<Option<SharedRows>> {
    let mut last = None;
    // The last of them in preorder.
    plan.apply_with_subqueries(|node| {
        if let Some(shared) = SharedRows::of(node) {
            last = Some(shared.clone());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(last)
}

/// The plan as `EXPLAIN` shows it: with the plans of the shared rows in their place.
pub(super) fn shown(plan: LogicalPlan) -> Result<LogicalPlan> {
    replaced(plan, |shared| Ok(Some(shared.input().clone())))
}

/// Replaces each node of shared rows for which `by` returns a plan by that plan.
fn replaced(
    plan: LogicalPlan,
    by: impl Fn(&SharedRows) -> Result<Option<LogicalPlan>>,
) -> Result<LogicalPlan> {
    // Top-down, so that shared rows nested in others are replaced together with them.
    let plan = plan.transform_down_with_subqueries(|mut node| {
        let mut is_replaced = false;
        while let Some(shared) = SharedRows::of(&node)
            && let Some(other) = by(shared)?
        {
            node = other;
            is_replaced = true;
        }
        Ok(match is_replaced {
            true => Transformed::yes(node),
            false => Transformed::no(node),
        })
    })?;
    Ok(plan.data)
}

/// The rows of a plan as files that the executors write.
async fn written(
    plan: &LogicalPlan,
    folder: PathBuf,
    state: &SessionState,
) -> Result<Arc<dyn TableProvider>> {
    let plan = numbered(plan)?;
    let schema = nullable(&plan);
    let rows = DataFrame::new(state.clone(), plan);
    let path = folder.join("").display().to_string();
    let options = DataFrameWriteOptions::new().with_single_file_output(false);
    let counts = rows.write_parquet(&path, options, None).await?;
    match counts.iter().map(rows_written).sum::<u64>() {
        // There may be no file.
        0 => Ok(Arc::new(MemTable::try_new(schema, vec![vec![]])?)),
        _ => parquet_files(state, &[folder.into()]).await,
    }
}

/// The number of rows that a statement wrote, which is the only row of its result.
pub(super) fn rows_written(answer: &RecordBatch) -> u64 {
    let counts = answer.columns().iter();
    let counts = counts.filter_map(|column| column.as_primitive_opt::<UInt64Type>());
    counts.flatten().flatten().sum()
}

/// The rows of a plan as a table.
async fn table(
    plan: &LogicalPlan,
    state: &SessionState,
    scratch: &Scratch,
) -> Result<Arc<dyn TableProvider>> {
    let plan = numbered(plan)?;
    let schema = nullable(&plan);
    let wanted = Arc::clone(&schema);
    let rows = DataFrame::new(state.clone(), plan).execute_stream().await?;
    let rows = rows.and_then(move |batch| ready(cast_to(&batch, &wanted)));
    let rows = RecordBatchStreamAdapter::new(schema, rows);
    collected(Box::pin(rows), state, scratch).await
}

/// A plan with other names of its columns: those of two relations may have the same name, and in a table they need
/// different ones.
fn numbered(plan: &LogicalPlan) -> Result<LogicalPlan> {
    let columns = plan.schema().columns().into_iter().enumerate();
    let columns = columns.map(|(index, column)| Expr::from(column).alias(name(index)));
    LogicalPlanBuilder::from(plan.clone())
        .project(columns)?
        .build()
}

/// The columns of a plan, all nullable, as in a user's table: the engine's operators disagree on which are never NULL.
fn nullable(plan: &LogicalPlan) -> SchemaRef {
    let fields = plan.schema().fields().iter();
    let fields = fields.map(|field| field.as_ref().clone().with_nullable(true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Rows as a table in memory, or in a file if they are too large to be part of a plan.
pub(super) async fn collected(
    mut rows: SendableRecordBatchStream,
    state: &SessionState,
    scratch: &Scratch,
) -> Result<Arc<dyn TableProvider>> {
    let mut batches: Vec<RecordBatch> = Vec::new();
    let mut bytes = 0;
    while let Some(batch) = rows.try_next().await? {
        bytes += batch.get_array_memory_size();
        batches.push(batch);
        if bytes > INLINE_BYTES {
            return scratch.stored(batches, rows, state).await;
        }
    }
    Ok(Arc::new(MemTable::try_new(rows.schema(), vec![batches])?))
}

/// The name of a column in the table.
fn name(index: usize) -> String {
    format!("column_{index}")
}

/// A scan of the table, with the columns that the node has.
fn scan(shared: &SharedRows, table: &Arc<dyn TableProvider>) -> Result<LogicalPlan> {
    // Scans of one name are equal to the engine, which computes one of two equal subqueries.
    let name_of_table = format!("shared_rows_{}", shared.key());
    let plan = shared.input();
    let stored = table.schema();
    let source = provider_as_source(Arc::clone(table));
    let columns = plan.schema().iter().enumerate();
    let columns = columns.map(|(index, (qualifier, field))| {
        let column = Expr::from(Column::new(Some(name_of_table.as_str()), name(index)));
        let column = match stored.field(index).data_type() == field.data_type() {
            true => column,
            // Strings read from a file may have another type.
            false => cast(column, field.data_type().clone()),
        };
        column.alias_qualified(qualifier.cloned(), field.name())
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::scan(name_of_table.as_str(), source, None)?
        .project(columns)?
        .build()
}
