//! Rows that a query shares: on a cluster the parts of a plan run in processes of their own, so the client runs
//! what they share first, and puts a table in its place.

use super::codec::INLINE_BYTES;
use super::scratch::Scratch;
use crate::operators::shared_rows::SharedRows;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::datasource::{MemTable, TableProvider, provider_as_source};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::DataFrame;
use futures::TryStreamExt;
use futures::future::ready;
use std::collections::HashMap;
use std::sync::Arc;

/// The plan with a table in place of the rows of each key.
pub(super) async fn materialised(
    plan: LogicalPlan,
    state: &SessionState,
    scratch: &Scratch,
) -> Result<LogicalPlan> {
    // Only what stands outside of other shared rows: what stands inside is run with them.
    let mut outer: Vec<SharedRows> = Vec::new();
    plan.apply_with_subqueries(|node| {
        let Some(shared) = SharedRows::of(node) else {
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
    replaced(plan, |shared| match tables.get(&shared.key()) {
        Some(table) => scan(shared.input(), table),
        None => Ok(shared.input().clone()),
    })
}

/// The plan as it is shown: with the plans of the rows in their place.
pub(super) fn shown(plan: LogicalPlan) -> Result<LogicalPlan> {
    replaced(plan, |shared| Ok(shared.input().clone()))
}

fn replaced(
    plan: LogicalPlan,
    by: impl Fn(&SharedRows) -> Result<LogicalPlan>,
) -> Result<LogicalPlan> {
    // From above: what stands inside of shared rows goes with them.
    let plan = plan.transform_down_with_subqueries(|node| {
        Ok(match SharedRows::of(&node) {
            Some(shared) => Transformed::yes(by(shared)?),
            None => Transformed::no(node),
        })
    })?;
    Ok(plan.data)
}

/// The rows of a plan as a table in memory, or in a file where they are more than travels inside a plan.
async fn table(
    plan: &LogicalPlan,
    state: &SessionState,
    scratch: &Scratch,
) -> Result<Arc<dyn TableProvider>> {
    // Columns of one name from two relations need names of their own in a table.
    let columns = plan.schema().columns().into_iter().enumerate();
    let columns = columns.map(|(place, column)| Expr::from(column).alias(name(place)));
    let plan = LogicalPlanBuilder::from(plan.clone())
        .project(columns)?
        .build()?;
    // As a table of the user has them: operators of the engine differ on which columns are never NULL.
    let fields = plan.schema().fields().iter();
    let fields = fields.map(|field| field.as_ref().clone().with_nullable(true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let wanted = Arc::clone(&schema);
    let rows = DataFrame::new(state.clone(), plan).execute_stream().await?;
    let rows = rows.and_then(move |batch| ready(as_declared(&batch, &wanted)));
    let mut rows = RecordBatchStreamAdapter::new(Arc::clone(&schema), rows);
    let mut batches: Vec<RecordBatch> = Vec::new();
    let mut bytes = 0;
    while let Some(batch) = rows.try_next().await? {
        bytes += batch.get_array_memory_size();
        batches.push(batch);
        if bytes > INLINE_BYTES {
            return scratch.stored(batches, Box::pin(rows), state).await;
        }
    }
    Ok(Arc::new(MemTable::try_new(schema, vec![batches])?))
}

/// The batch under a schema.
fn as_declared(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns: Result<Vec<_>, _> = columns
        .map(|(column, field)| compute::cast(column, field.data_type()))
        .collect();
    Ok(RecordBatch::try_new(Arc::clone(schema), columns?)?)
}

/// The name of a column in the table.
fn name(place: usize) -> String {
    format!("column_{place}")
}

/// A scan of a table with the columns as the plan has them.
fn scan(plan: &LogicalPlan, table: &Arc<dyn TableProvider>) -> Result<LogicalPlan> {
    const TABLE: &str = "shared_rows";
    let stored = table.schema();
    let source = provider_as_source(Arc::clone(table));
    let columns = plan.schema().iter().enumerate();
    let columns = columns.map(|(place, (qualifier, field))| {
        let column = Expr::from(Column::new(Some(TABLE), name(place)));
        let column = match stored.field(place).data_type() == field.data_type() {
            true => column,
            // A file may give back texts in another encoding.
            false => cast(column, field.data_type().clone()),
        };
        column.alias_qualified(qualifier.cloned(), field.name())
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::scan(TABLE, source, None)?
        .project(columns)?
        .build()
}
