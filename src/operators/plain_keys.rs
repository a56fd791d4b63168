//! Changes keys of joins that the engine (DataFusion 55) fails on: dictionaries, and numbers with two zeros.
//!
//! A hash join of integers that are close to each other numbers its rows by them, in an array. It takes a dictionary for
//! such integers if it knows the bounds of its values, and then cannot read it. A join by sorting that returns rows of one
//! side does not compare dictionaries.
//!
//! A join by sorting takes −0.0 and 0.0 for equal, and the sort before it does not: rows after them found no partner.
//! [`PlainKeys`] adds 0.0 to floating-point keys, which makes both 0.0.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, JoinType, Result, ScalarValue};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, Operator, cast, lit};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use std::mem;

/// Joins rows by the values of such dictionaries and numbers. It must run after the rules that make joins.
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
            let returns_one_side = matches!(
                join.join_type,
                JoinType::LeftSemi
                    | JoinType::RightSemi
                    | JoinType::LeftAnti
                    | JoinType::RightAnti
                    | JoinType::LeftMark
                    | JoinType::RightMark
            );
            let mut has_changed = false;
            for (left, right) in &mut join.on {
                has_changed |= unpack(left, join.left.schema(), returns_one_side)?;
                has_changed |= unpack(right, join.right.schema(), returns_one_side)?;
            }
            Ok(match has_changed {
                true => Transformed::yes(LogicalPlan::Join(join)),
                false => Transformed::no(LogicalPlan::Join(join)),
            })
        })
    }
}

/// Replaces a key that is a dictionary of integers, or with `all` any dictionary, by its values, and one of floating-point
/// numbers by numbers with one zero; whether it is one of these.
fn unpack(key: &mut Expr, schema: &DFSchema, all: bool) -> Result<bool> {
    let value = match key.get_type(schema)? {
        DataType::Dictionary(_, value) => value,
        data_type if data_type.is_floating() => {
            let zero = lit(ScalarValue::new_zero(&data_type)?);
            let is_changed = match &key {
                Expr::BinaryExpr(sum) => sum.op != Operator::Plus || *sum.right != zero,
                _ => true,
            };
            if is_changed {
                let number = mem::take(key);
                *key = number + zero;
            }
            return Ok(is_changed);
        }
        _ => return Ok(false),
    };
    let is_unpacked = all || value.is_integer();
    if is_unpacked {
        let packed = mem::take(key);
        *key = cast(packed, *value);
    }
    Ok(is_unpacked)
}
