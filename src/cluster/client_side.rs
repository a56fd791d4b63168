//! The work of the client: it makes the rows of tables that cannot be sent, and changes tables in its memory.

use super::scratch::Scratch;
use super::shared::collected;
use crate::operators::planner::planned;
use datafusion::catalog::Session;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::datasource::{MemTable, TableProvider, provider_as_source, source_as_provider};
use datafusion::execution::SessionState;
use datafusion::execution::context::QueryPlanner;
use datafusion::functions_table::generate_series::GenerateSeriesTable;
use datafusion::logical_expr::{DmlStatement, LogicalPlan, TableScan, WriteOp};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use std::any::Any;
use std::sync::Arc;

/// Replaces numbers that the engine makes in memory (`generate_series`, `range`) by tables that can be sent.
pub(super) async fn with_series(
    plan: LogicalPlan,
    state: &SessionState,
    scratch: &Scratch,
) -> Result<LogicalPlan> {
    let mut series: Vec<Arc<dyn TableProvider>> = Vec::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            series.extend(series_of(scan));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let mut tables = Vec::new();
    for made in series {
        let rows = made.scan(state, None, &[], None).await?;
        let rows = execute_stream(rows, state.task_ctx())?;
        tables.push((made, collected(rows, state, scratch).await?));
    }
    let plan = plan.transform_up_with_subqueries(|node| {
        let LogicalPlan::TableScan(scan) = node else {
            return Ok(Transformed::no(node));
        };
        let table = series_of(&scan)
            .and_then(|made| tables.iter().find(|(other, _)| Arc::ptr_eq(&made, other)));
        Ok(match table {
            Some((_, table)) => Transformed::yes(LogicalPlan::TableScan(TableScan {
                source: provider_as_source(Arc::clone(table)),
                ..scan
            })),
            None => Transformed::no(LogicalPlan::TableScan(scan)),
        })
    })?;
    Ok(plan.data)
}

fn series_of(scan: &TableScan) -> Option<Arc<dyn TableProvider>> {
    let table = source_as_provider(&scan.source).ok()?;
    (table.as_ref() as &dyn Any)
        .is::<GenerateSeriesTable>()
        .then_some(table)
}

/// A statement that changes a table in the memory of the client, with that table.
pub(super) fn change_in_memory(
    plan: &LogicalPlan,
) -> Option<(&DmlStatement, Arc<dyn TableProvider>)> {
    let LogicalPlan::Dml(statement) = plan else {
        return None;
    };
    let table = source_as_provider(&statement.target).ok()?;
    (table.as_ref() as &dyn Any)
        .is::<MemTable>()
        .then_some((statement, table))
}

/// Plans such a statement in this process; the rows that are inserted come from the cluster.
pub(super) async fn changed(
    statement: &DmlStatement,
    table: &Arc<dyn TableProvider>,
    cluster: &(dyn QueryPlanner + Send + Sync),
    session: &dyn Session,
) -> Result<Arc<dyn ExecutionPlan>> {
    match statement.op {
        WriteOp::Insert(how) => {
            let rows = cluster
                .create_physical_plan(&statement.input, session)
                .await?;
            table.insert_into(session, rows, how).await
        }
        _ => planned(&LogicalPlan::Dml(statement.clone()), session).await,
    }
}
