//! Changes keys that the engine (DataFusion 55) fails on: dictionaries in joins, and numbers with two zeros.
//!
//! A hash join of integers that are close to each other numbers its rows by them, in an array. It takes a dictionary for
//! such integers if it knows the bounds of its values, and then cannot read it. A join by sorting that returns rows of one
//! side does not compare dictionaries, times of day, times in a zone, durations and decimals of 256 bits, and a NaN ends
//! the process: these are joined as numbers or texts, of which equal keys have equal ones and others do not.
//!
//! A join by sorting takes −0.0 and 0.0 for equal, and the sort before it does not: rows after them found no partner.
//! Groups of sorted rows were returned once for each zero, windows and some DISTINCT arguments took the zeros for different.
//! [`PlainKeys`] adds 0.0 to floating-point keys, which makes both 0.0.

use crate::resources::has_limit;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, JoinType, Result, ScalarValue};
use datafusion::logical_expr::{
    Aggregate, Expr, ExprSchemable, LogicalPlan, Operator, Window, cast, lit,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use std::mem;

/// Joins and groups rows by the values of such dictionaries and numbers. It must run after the rules that make joins and
/// groups.
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
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let by_sorting = has_limit(&config.options());
        plan.transform_up_with_subqueries(|node| {
            let mut join = match node {
                LogicalPlan::Join(join) => join,
                LogicalPlan::Aggregate(groups) => return with_one_zero(groups),
                LogicalPlan::Window(window) => return partitioned_with_one_zero(window),
                node => return Ok(Transformed::no(node)),
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
                if returns_one_side && by_sorting {
                    has_changed |= make_comparable(left, join.left.schema())?;
                    has_changed |= make_comparable(right, join.right.schema())?;
                }
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
        data_type if data_type.is_floating() => return add_zero(key, schema),
        _ => return Ok(false),
    };
    let is_unpacked = all || value.is_integer();
    if is_unpacked {
        let packed = mem::take(key);
        *key = cast(packed, *value);
    }
    Ok(is_unpacked)
}

/// Replaces a key by a number or a text, if a join by sorting that returns rows of one side does not compare its type;
/// whether it does not.
fn make_comparable(key: &mut Expr, schema: &DFSchema) -> Result<bool> {
    let comparable = match key.get_type(schema)? {
        DataType::Timestamp(_, Some(_))
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Duration(_) => DataType::Int64,
        data_type if data_type.is_floating() => DataType::Utf8View,
        DataType::Decimal256(..) => DataType::Utf8View,
        _ => return Ok(false),
    };
    let other = mem::take(key);
    *key = cast(other, comparable);
    Ok(true)
}

/// Adds 0.0 to a floating-point number; whether it is one, to which 0.0 was not added before.
fn add_zero(key: &mut Expr, schema: &DFSchema) -> Result<bool> {
    let data_type = key.get_type(schema)?;
    if !data_type.is_floating() {
        return Ok(false);
    }
    let zero = lit(ScalarValue::new_zero(&data_type)?);
    if let Expr::BinaryExpr(sum) = &*key
        && sum.op == Operator::Plus
        && *sum.right == zero
    {
        return Ok(false);
    }
    let number = mem::take(key);
    *key = number + zero;
    Ok(true)
}

/// Groups by numbers with one zero, of which DISTINCT arguments of aggregates have one, too.
fn with_one_zero(groups: Aggregate) -> Result<Transformed<LogicalPlan>> {
    let schema = groups.input.schema();
    let mut has_changed = false;
    let mut change = |expr: &Expr, change: &dyn Fn(&mut Expr) -> Result<bool>| -> Result<Expr> {
        let (qualifier, name) = expr.qualified_name();
        let mut changed = expr.clone().unalias();
        let is_changed = change(&mut changed)?;
        has_changed |= is_changed;
        Ok(match is_changed {
            true => changed.alias_qualified(qualifier, name),
            false => expr.clone(),
        })
    };
    let of_groups = groups.group_expr.iter().map(|group| match group {
        Expr::GroupingSet(_) => Ok(group.clone()),
        group => change(group, &|group| add_zero(group, schema)),
    });
    let of_groups = of_groups.collect::<Result<Vec<_>>>()?;
    let aggregates = groups.aggr_expr.iter().map(|aggregate| {
        change(aggregate, &|aggregate| {
            let Expr::AggregateFunction(function) = aggregate else {
                return Ok(false);
            };
            let mut is_changed = false;
            // Arguments that are ordered are those that they are ordered by.
            if function.params.distinct && function.params.order_by.is_empty() {
                for argument in &mut function.params.args {
                    is_changed |= add_zero(argument, schema)?;
                }
            }
            Ok(is_changed)
        })
    });
    let aggregates = aggregates.collect::<Result<Vec<_>>>()?;
    if !has_changed {
        return Ok(Transformed::no(LogicalPlan::Aggregate(groups)));
    }
    let groups = Aggregate::try_new(groups.input, of_groups, aggregates)?;
    Ok(Transformed::yes(LogicalPlan::Aggregate(groups)))
}

/// Windows of rows whose numbers are equal, with one zero.
fn partitioned_with_one_zero(window: Window) -> Result<Transformed<LogicalPlan>> {
    let schema = window.input.schema();
    let mut has_changed = false;
    let windows = window.window_expr.iter().map(|expr| {
        let (qualifier, name) = expr.qualified_name();
        let mut changed = expr.clone().unalias();
        let mut is_changed = false;
        if let Expr::WindowFunction(function) = &mut changed {
            let params = &mut function.params;
            for key in &mut params.partition_by {
                let key_before = key.clone();
                if add_zero(key, schema)? {
                    is_changed = true;
                    // The planner has put windows together whose keys are the same ones.
                    let order = params.order_by.iter_mut();
                    for sort in order.filter(|sort| sort.expr == key_before) {
                        sort.expr = key.clone();
                    }
                }
            }
        }
        has_changed |= is_changed;
        Ok(match is_changed {
            true => changed.alias_qualified(qualifier, name),
            false => expr.clone(),
        })
    });
    let windows = windows.collect::<Result<Vec<_>>>()?;
    if !has_changed {
        return Ok(Transformed::no(LogicalPlan::Window(window)));
    }
    let window = Window::try_new(windows, window.input)?;
    Ok(Transformed::yes(LogicalPlan::Window(window)))
}
