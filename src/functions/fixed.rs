//! Decides whether a relation is fixed, that is deterministic: each execution returns the same rows.
//!
//! A template names its inputs more than once, and the engine runs each copy again. That is correct if the rows are
//! determined by the files and tables below, and wrong otherwise: with `random()`, `row_number()` without an order,
//! LIMIT, or a stream that can be read only once. If it is not known whether a plan is fixed, it is treated as not
//! fixed.

use crate::operators::shared_rows::{Purpose, SharedRows};
use crate::operators::similar_pairs::SimilarPairs;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::datasource::listing::ListingTable;
use datafusion::datasource::{MemTable, source_as_provider};
use datafusion::logical_expr::expr::{AggregateFunction, WindowFunction};
use datafusion::logical_expr::{
    Distinct, Expr, ExprSchemable, LogicalPlan, TableScan, WindowFrameUnits,
    WindowFunctionDefinition,
};
use neardup_datasets::{DumpTable, NumberedParquet, RecordTable, WordVectorTable};
use std::any::Any;

/// Aggregates whose result does not depend on the order of their rows. Sums and means of floats do, in their last bits,
/// and so do the minimum and maximum of floats if there are NaNs.
const UNORDERED: &[&str] = &[
    "count",
    "bool_and",
    "bool_or",
    "bit_and",
    "bit_or",
    "bit_xor",
    "approx_distinct",
    "grouping",
    "connected_components",
    "representatives",
    "spanning_forest",
    "token_frequencies",
    "mean_vector",
];

/// Aggregates that do not depend on the order of their rows if their arguments are integers or decimals.
const UNORDERED_IF_EXACT: &[&str] = &["sum", "avg"];

/// Aggregates that do not depend on the order of their rows unless their arguments are floats.
const UNORDERED_UNLESS_FLOATS: &[&str] = &["min", "max"];

/// Window functions that depend only on the values of the ORDER BY expressions, not on the order of equal rows.
const RANKS: &[&str] = &["rank", "dense_rank", "percent_rank", "cume_dist"];

/// Whether executing the plan again gives the same rows, in any order.
pub(super) fn is_deterministic(plan: &LogicalPlan) -> Result<bool> {
    let mut fixed = true;
    plan.apply_with_subqueries(|node| {
        fixed = node_is_fixed(node)?;
        Ok(match fixed {
            true => TreeNodeRecursion::Continue,
            false => TreeNodeRecursion::Stop,
        })
    })?;
    Ok(fixed)
}

fn node_is_fixed(node: &LogicalPlan) -> Result<bool> {
    let known = match node {
        LogicalPlan::TableScan(scan) => table_is_fixed(scan),
        LogicalPlan::Extension(_) if SharedRows::of(node).is_some() => {
            SharedRows::of(node).is_some_and(|shared| shared.purpose() != Purpose::NotDeterministic)
        }
        LogicalPlan::Extension(extension) => {
            let pairs = extension.node.as_any().downcast_ref::<SimilarPairs>();
            // With these limits, which redundant pairs are reported may depend on the order of the rows.
            pairs.is_some_and(|pairs| {
                let spec = pairs.spec();
                spec.max_bucket_pairwise.is_none() && spec.max_bucket.is_none()
            })
        }
        LogicalPlan::Distinct(distinct) => matches!(distinct, Distinct::All(_)),
        LogicalPlan::Sort(sort) => sort.fetch.is_none(),
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Aggregate(_)
        | LogicalPlan::Join(_)
        | LogicalPlan::Repartition(_)
        | LogicalPlan::Union(_)
        | LogicalPlan::EmptyRelation(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Values(_)
        | LogicalPlan::Unnest(_) => true,
        _ => false,
    };
    if !known {
        return Ok(false);
    }
    let mut fixed = true;
    node.apply_expressions(|expr| {
        expr.apply(|expr| {
            fixed = expr_is_fixed(expr, node)?;
            Ok(match fixed {
                true => TreeNodeRecursion::Continue,
                false => TreeNodeRecursion::Stop,
            })
        })
    })?;
    Ok(fixed)
}

/// Whether each scan of a table gives the same rows.
fn table_is_fixed(scan: &TableScan) -> bool {
    let Ok(table) = source_as_provider(&scan.source) else {
        return false;
    };
    let table = table.as_ref() as &dyn Any;
    scan.fetch.is_none()
        && (table.is::<MemTable>()
            || table.is::<ListingTable>()
            || table.is::<RecordTable>()
            || table.is::<NumberedParquet>()
            || table.is::<DumpTable>()
            || table.is::<WordVectorTable>())
}

fn expr_is_fixed(expr: &Expr, node: &LogicalPlan) -> Result<bool> {
    Ok(match expr {
        Expr::AggregateFunction(aggregate) => aggregate_is_fixed(aggregate, node)?,
        Expr::WindowFunction(window) => window_is_fixed(window, node)?,
        // Its subexpressions are visited separately.
        other => !other.is_volatile_node(),
    })
}

fn aggregate_is_fixed(aggregate: &AggregateFunction, node: &LogicalPlan) -> Result<bool> {
    is_unordered(aggregate.func.name(), &aggregate.params.args, node)
}

fn is_unordered(name: &str, args: &[Expr], node: &LogicalPlan) -> Result<bool> {
    Ok(UNORDERED.contains(&name)
        || (UNORDERED_IF_EXACT.contains(&name) && all(args, node, is_exact)?)
        || (UNORDERED_UNLESS_FLOATS.contains(&name) && all(args, node, holds_no_floats)?))
}

fn window_is_fixed(window: &WindowFunction, node: &LogicalPlan) -> Result<bool> {
    let params = &window.params;
    let name = match &window.fun {
        WindowFunctionDefinition::WindowUDF(function) => {
            return Ok(RANKS.contains(&function.name()));
        }
        WindowFunctionDefinition::AggregateUDF(function) => function.name(),
    };
    let unordered = is_unordered(name, &params.args, node)?;
    let frame = &params.window_frame;
    // A ROWS frame may separate rows that are equal in the order, unless it has all rows.
    let whole = frame.start_bound.is_unbounded() && frame.end_bound.is_unbounded();
    let by_value = frame.units != WindowFrameUnits::Rows;
    Ok(unordered && (whole || by_value))
}

/// Whether the types of all arguments satisfy a predicate.
fn all(args: &[Expr], node: &LogicalPlan, predicate: fn(&DataType) -> bool) -> Result<bool> {
    let inputs = node.inputs();
    let Some(input) = inputs.first() else {
        return Ok(false);
    };
    for arg in args {
        if !predicate(&arg.get_type(input.schema())?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether sums of values of the type are independent of their order.
fn is_exact(data_type: &DataType) -> bool {
    data_type.is_integer() || data_type.is_decimal() || data_type.is_null()
}

/// Whether values of the type are no floats and contain none.
fn holds_no_floats(data_type: &DataType) -> bool {
    !data_type.is_floating() && !data_type.is_nested()
}
