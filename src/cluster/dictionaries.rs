//! Casts dictionary columns to plain columns. A shuffle unpacks dictionaries but keeps the schema that declares
//! them, and operators that make batches from its rows fail, so columns must be plain from the scan on.

use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Union, cast};
use datafusion::optimizer::AnalyzerRule;

/// Casts dictionary columns to the type of their values above each scan. It must run before all other rules.
#[derive(Debug)]
pub(super) struct PlainDictionaries;

impl AnalyzerRule for PlainDictionaries {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let mut found = false;
        plan.apply_with_subqueries(|node| {
            found |= matches!(node, LogicalPlan::TableScan(_)) && has(node.schema().as_arrow());
            Ok(match found {
                true => TreeNodeRecursion::Stop,
                false => TreeNodeRecursion::Continue,
            })
        })?;
        match found {
            false => Ok(plan),
            true => Ok(plan.transform_up_with_subqueries(plain)?.data),
        }
    }

    fn name(&self) -> &str {
        "plain_dictionaries"
    }
}

fn has(schema: &Schema) -> bool {
    let mut types = schema.fields().iter().map(|field| field.data_type());
    types.any(|data_type| matches!(data_type, DataType::Dictionary(_, _)))
}

fn plain(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    // Above a scan, the types are those of the values.
    let node = match node {
        LogicalPlan::TableScan(_) => node,
        LogicalPlan::Union(union) => {
            let plain = Union::try_new_with_loose_types(union.inputs)?;
            return Ok(Transformed::yes(LogicalPlan::Union(plain)));
        }
        other => return Ok(Transformed::yes(other.recompute_schema()?)),
    };
    if !has(node.schema().as_arrow()) {
        return Ok(Transformed::no(node));
    }
    let columns: Vec<Expr> = node
        .schema()
        .iter()
        .map(|(qualifier, field)| {
            let column = Expr::Column((qualifier, field).into());
            match field.data_type() {
                DataType::Dictionary(_, value) => cast(column, (**value).clone())
                    .alias_qualified(qualifier.cloned(), field.name()),
                _ => column,
            }
        })
        .collect();
    let projected = LogicalPlanBuilder::from(node).project(columns)?.build()?;
    Ok(Transformed::yes(projected))
}
