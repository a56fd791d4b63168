//! One row an id.

use super::relations::last_column;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::functions::math::expr_fn::isnan;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, ExprSchemable, LogicalPlan, LogicalPlanBuilder, cast, lit, when,
};
use neardup_udfs::number_order;
use std::sync::Arc;

/// What rows are ordered by: texts by the numbers that they are, then as texts, in either direction. An empty text and
/// a number that is none (NaN) count as no value, which is last in every order.
///
/// The engine's least and greatest of doubles depend on the order of the rows where NaN is among them.
pub(crate) fn orderable(expr: Expr, data_type: &DataType, descending: bool) -> Result<Expr> {
    match data_type {
        DataType::Dictionary(_, value) => {
            orderable(cast(expr, (**value).clone()), value, descending)
        }
        text if text.is_string() => Ok(number_order().call(vec![expr, lit(descending)])),
        number if number.is_floating() => {
            when(isnan(expr.clone()), lit(ScalarValue::try_new_null(number)?)).otherwise(expr)
        }
        DataType::Map(_, _) => plan_err!("{expr} is a map; maps have no order to keep rows by"),
        _ => Ok(expr),
    }
}

/// Of the rows of each id the first: one that has a value, then the first in the keep order, if there is one
/// (an expression, and whether it descends), then the first in the order of its columns from left to right.
/// NULL is last everywhere. Rows without an id all stay.
///
/// The order is total, so that the same row stays whatever the plan; rows that are equal in it are equal.
pub(crate) fn one_row_an_id(
    plan: LogicalPlan,
    id: Expr,
    value: Expr,
    place: Option<(Expr, bool)>,
) -> Result<LogicalPlan> {
    let columns: Vec<Expr> = plan
        .schema()
        .columns()
        .into_iter()
        .map(Expr::Column)
        .collect();
    // Rows that were shuffled on a cluster hold no dictionaries any more, whatever their schema says.
    let schema = Arc::clone(plan.schema());
    let plain = |expr: Expr| -> Result<Expr> {
        Ok(match expr.get_type(&schema)? {
            DataType::Dictionary(_, value) => cast(expr, *value),
            _ => expr,
        })
    };
    let mut order = vec![value.is_null().sort(true, false)];
    if let Some((place, is_descending)) = place {
        order.push(plain(place)?.sort(!is_descending, false));
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
