//! Casts dictionaries and large lists to plain types, also within lists, structs and maps. A shuffle unpacks
//! dictionaries and shortens the offsets of large lists but keeps the schema that declares them, and operators that make
//! batches from its rows fail, so columns must be plain from the scan on. `CREATE TABLE` compares the schema of a query
//! with its rows, so those that a query computes are cast, too.

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Union, cast};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Casts columns with dictionaries or large lists to [`plain_type`] above each scan and in the rows of a query. It must run
/// before all other rules.
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
        let plan = match found {
            false => plan,
            true => plan.transform_up_with_subqueries(plain)?.data,
        };
        match plan {
            LogicalPlan::Analyze(_)
            | LogicalPlan::Copy(_)
            | LogicalPlan::Ddl(_)
            | LogicalPlan::DescribeTable(_)
            | LogicalPlan::Dml(_)
            | LogicalPlan::Explain(_)
            | LogicalPlan::Statement(_) => Ok(plan),
            query => Ok(plain_columns(query)?.data),
        }
    }

    fn name(&self) -> &str {
        "plain_dictionaries"
    }
}

fn has(schema: &Schema) -> bool {
    let mut types = schema.fields().iter().map(|field| field.data_type());
    types.any(|data_type| plain_type(data_type) != *data_type)
}

/// The type with dictionaries replaced by the type of their values, and large lists by lists. The recursion is as deep
/// as the type, which readers limit.
fn plain_type(data_type: &DataType) -> DataType {
    let field = |field: &FieldRef| {
        let plain = plain_type(field.data_type());
        Arc::new(Field::clone(field).with_data_type(plain))
    };
    match data_type {
        DataType::Dictionary(_, value) => plain_type(value),
        DataType::List(inner) | DataType::LargeList(inner) => DataType::List(field(inner)),
        DataType::FixedSizeList(inner, length) => DataType::FixedSizeList(field(inner), *length),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Map(entries, is_sorted) => DataType::Map(field(entries), *is_sorted),
        other => other.clone(),
    }
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
    plain_columns(node)
}

/// The rows of a plan with columns of plain types.
fn plain_columns(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    if !has(node.schema().as_arrow()) {
        return Ok(Transformed::no(node));
    }
    let columns: Vec<Expr> = node
        .schema()
        .iter()
        .map(|(qualifier, field)| {
            let column = Expr::Column((qualifier, field).into());
            let plain = plain_type(field.data_type());
            match plain == *field.data_type() {
                false => cast(column, plain).alias_qualified(qualifier.cloned(), field.name()),
                true => column,
            }
        })
        .collect();
    let projected = LogicalPlanBuilder::from(node).project(columns)?.build()?;
    Ok(Transformed::yes(projected))
}
