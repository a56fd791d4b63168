//! Adds a column to rows without columns, such as those that `count(*)` counts, which cannot be sent between stages.
//! The column is added below an operator that needs rows of several tasks, and removed above it.

use super::keyed::{KeyedExec, with_children};
use datafusion::common::{Result, ScalarValue};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::lit;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::UnionExec;
use std::sync::Arc;

/// Whether the operator's rows have no columns and may have to be sent.
pub(super) fn needs_marks(node: &Arc<dyn ExecutionPlan>) -> bool {
    let sends =
        node.is::<UnionExec>() || node.is::<GlobalLimitExec>() || node.is::<LocalLimitExec>();
    sends && node.schema().fields().is_empty()
}

/// The operator over inputs with a column.
pub(super) fn marked(node: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let inputs = node.children().into_iter().map(|input| {
        let row: Arc<dyn PhysicalExpr> = lit(ScalarValue::Int8(Some(0)));
        let input = ProjectionExec::try_new([(row, "row".to_owned())], Arc::clone(input))?;
        Ok(Arc::new(input) as _)
    });
    with_children(node, inputs.collect::<Result<_>>()?)
}

/// The rows of such an operator without the column. No rule moves the projection below the [`KeyedExec`].
pub(super) fn unmarked(node: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let no_columns: [(Arc<dyn PhysicalExpr>, String); 0] = [];
    let rows = ProjectionExec::try_new(no_columns, KeyedExec::of(node, None)?)?;
    Ok(Arc::new(rows))
}
