//! Unpacks dictionaries of integers that are keys of a join: the engine (DataFusion 55) fails on them.
//!
//! A hash join of integers that are close to each other numbers its rows by them, in an array. It takes a dictionary for
//! such integers if it knows the bounds of its values, and then cannot read it.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, cast};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use std::mem;

/// Joins rows by the values of dictionaries of integers. It must run after the rules that make joins.
#[derive(Debug)]
pub(crate) struct PlainKeys;

impl OptimizerRule for PlainKeys {
    fn name(&self) -> &str {
        "plain_keys"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        None
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        plan.transform_up_with_subqueries(|node| {
            let LogicalPlan::Join(mut join) = node else {
                return Ok(Transformed::no(node));
            };
            let mut has_changed = false;
            for (left, right) in &mut join.on {
                has_changed |= unpack(left, join.left.schema())?;
                has_changed |= unpack(right, join.right.schema())?;
            }
            Ok(match has_changed {
                true => Transformed::yes(LogicalPlan::Join(join)),
                false => Transformed::no(LogicalPlan::Join(join)),
            })
        })
    }
}

/// Replaces a key that is a dictionary of integers by its values; whether it is one.
fn unpack(key: &mut Expr, schema: &DFSchema) -> Result<bool> {
    let DataType::Dictionary(_, value) = key.get_type(schema)? else {
        return Ok(false);
    };
    let is_integer = value.is_integer();
    if is_integer {
        let packed = mem::take(key);
        *key = cast(packed, *value);
    }
    Ok(is_integer)
}
