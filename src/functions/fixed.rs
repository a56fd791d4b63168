//! Whether a relation has the same rows each time that it is run.
//!
//! A template names its inputs more than once, and the engine runs each copy anew. That is right where the
//! rows are a function of the files and tables below, and wrong where they are not: `random()`, numbers without
//! an order, LIMIT, a stream that can be read once. What is not known to be fixed counts as not fixed.

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

/// Aggregates whose result does not depend on the order of their rows. Sums and means of floats do, in
/// their last bits, and the least and the greatest of floats where NaN is among them.
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
    "token_frequencies",
    "mean_vector",
];

/// Aggregates that do not depend on the order of their rows where these are whole numbers or decimals.
const UNORDERED_IF_EXACT: &[&str] = &["sum", "avg"];

/// Aggregates that do not depend on the order of their rows where these are no floats.
const UNORDERED_UNLESS_FLOATS: &[&str] = &["min", "max"];

/// Window functions that depend on the values of their order alone.
const RANKS: &[&str] = &["rank", "dense_rank", "percent_rank", "cume_dist"];

/// Whether running the plan again gives the same rows, in whatever order.
pub(super) fn is_fixed(plan: &LogicalPlan) -> Result<bool> {
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
        LogicalPlan::Extension(extension) => {
            let pairs = extension.node.as_any().downcast_ref::<SimilarPairs>();
            // Which redundant pairs of an oversized bucket are reported may depend on the order of rows.
            pairs.is_some_and(|pairs| {
                let spec = pairs.spec();
                spec.bucket_pairs.is_none() && spec.max_bucket.is_none()
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

/// Whether a table has the same rows each time that it is scanned.
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
        // Its parts are looked at by themselves.
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
    // A frame that is counted in rows cuts equal rows apart, unless it has all of them.
    let whole = frame.start_bound.is_unbounded() && frame.end_bound.is_unbounded();
    let by_value = frame.units != WindowFrameUnits::Rows;
    Ok(unordered && (whole || by_value))
}

/// Whether all arguments are of such types.
fn all(args: &[Expr], node: &LogicalPlan, is_such: fn(&DataType) -> bool) -> Result<bool> {
    let inputs = node.inputs();
    let Some(input) = inputs.first() else {
        return Ok(false);
    };
    for arg in args {
        if !is_such(&arg.get_type(input.schema())?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a sum does not depend on the order of its values.
fn is_exact(data_type: &DataType) -> bool {
    data_type.is_integer() || data_type.is_decimal() || data_type.is_null()
}

/// Whether no value is a float, or may hold one.
fn holds_no_floats(data_type: &DataType) -> bool {
    !data_type.is_floating() && !data_type.is_nested()
}
