//! Reduces a relation to one row per id.

use super::columns::{all_columns, last_column};
use super::keep::KeepOrder;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, ExprSchemable, LogicalPlan, LogicalPlanBuilder, cast, lit,
};
use std::sync::Arc;

/// Keeps the first row of each id: rows with a value come first, then rows are ordered by the keep order if there is
/// one, then by all columns from left to right. NULL is
/// last everywhere. All rows without an id are kept.
///
/// The order is total up to equal rows, so that the result does not depend on the plan.
pub(crate) fn one_row_per_id(
    plan: LogicalPlan,
    id: Expr,
    value: Expr,
    keep_order: Option<KeepOrder>,
) -> Result<LogicalPlan> {
    let columns = all_columns(&plan);
    // A shuffle on a cluster decodes dictionaries but leaves them in the schema.
    let schema = Arc::clone(plan.schema());
    let plain = |expr: Expr| -> Result<Expr> {
        Ok(match expr.get_type(&schema)? {
            DataType::Dictionary(_, value) => cast(expr, *value),
            _ => expr,
        })
    };
    let mut order = vec![value.is_null().sort(true, false)];
    if let Some(KeepOrder { expr, descending }) = keep_order {
        order.push(plain(expr)?.sort(!descending, false));
    }
    for column in columns.iter().filter(|column| **column != id) {
        order.push(plain(column.clone())?.sort(true, false));
    }
    let number = row_number()
        .partition_by(vec![plain(id.clone())?])
        .order_by(order)
        .build()?;
    let numbered = LogicalPlanBuilder::from(plan).window(vec![number])?;
    let number = last_column(numbered.schema());
    numbered
        .filter(number.eq(lit(1_u64)).or(id.is_null()))?
        .project(columns)?
        .build()
}
