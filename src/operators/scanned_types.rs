//! Changes the types of scanned columns whose values operators of the engine cannot hold, also within lists, structs
//! and maps. Columns are cast above each scan.

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Union, cast};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Casts columns above each scan to other types. It must run before all other rules.
#[derive(Debug)]
pub(crate) struct ScannedTypes {
    name: &'static str,
    /// The type of the same values that replaces a type; the type itself if none does.
    replaced: fn(&DataType) -> DataType,
}

impl ScannedTypes {
    /// Makes the indices of dictionaries 32 bits wide. Rows of several batches, of which each has its own dictionary,
    /// get one dictionary in which values may be repeated, and indices of 8 or 16 bits cannot count these.
    pub(crate) fn wide_dictionaries() -> Self {
        Self {
            name: "wide_dictionaries",
            replaced: wide_type,
        }
    }

    /// Replaces dictionaries by their values, and large lists by lists. A shuffle unpacks dictionaries and shortens the
    /// offsets of large lists but keeps the schema that declares them, and operators that make batches from its rows
    /// fail.
    pub(crate) fn plain_dictionaries() -> Self {
        Self {
            name: "plain_dictionaries",
            replaced: plain_type,
        }
    }

    fn changes(&self, schema: &Schema) -> bool {
        let mut types = schema.fields().iter().map(|field| field.data_type());
        types.any(|data_type| (self.replaced)(data_type) != *data_type)
    }

    fn cast(&self, node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        // Above a scan, the types are those of its cast columns.
        let node = match node {
            LogicalPlan::TableScan(_) => node,
            LogicalPlan::Union(union) => {
                let union = Union::try_new_with_loose_types(union.inputs)?;
                return Ok(Transformed::yes(LogicalPlan::Union(union)));
            }
            other => return Ok(Transformed::yes(other.recompute_schema()?)),
        };
        if !self.changes(node.schema().as_arrow()) {
            return Ok(Transformed::no(node));
        }
        let columns: Vec<Expr> = node
            .schema()
            .iter()
            .map(|(qualifier, field)| {
                let column = Expr::Column((qualifier, field).into());
                let replaced = (self.replaced)(field.data_type());
                match replaced == *field.data_type() {
                    false => {
                        cast(column, replaced).alias_qualified(qualifier.cloned(), field.name())
                    }
                    true => column,
                }
            })
            .collect();
        let projected = LogicalPlanBuilder::from(node).project(columns)?.build()?;
        Ok(Transformed::yes(projected))
    }
}

impl AnalyzerRule for ScannedTypes {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let mut found = false;
        plan.apply_with_subqueries(|node| {
            found |= matches!(node, LogicalPlan::TableScan(_))
                && self.changes(node.schema().as_arrow());
            Ok(match found {
                true => TreeNodeRecursion::Stop,
                false => TreeNodeRecursion::Continue,
            })
        })?;
        match found {
            false => Ok(plan),
            true => {
                let plan = plan.transform_up_with_subqueries(|node| self.cast(node))?;
                Ok(plan.data)
            }
        }
    }

    fn name(&self) -> &str {
        self.name
    }
}

fn wide_type(data_type: &DataType) -> DataType {
    use DataType::{Int8, Int16, Int32, UInt8, UInt16};
    match data_type {
        DataType::Dictionary(index, value) => {
            let index = match index.as_ref() {
                Int8 | Int16 | UInt8 | UInt16 => Int32,
                wide => wide.clone(),
            };
            DataType::Dictionary(Box::new(index), value.clone())
        }
        other => with_parts(other, wide_type),
    }
}

fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, value) => plain_type(value),
        DataType::LargeList(inner) => plain_type(&DataType::List(Arc::clone(inner))),
        other => with_parts(other, plain_type),
    }
}

/// The type with the types that it is made of replaced. The recursion is as deep as the type, which readers limit.
fn with_parts(data_type: &DataType, replaced: fn(&DataType) -> DataType) -> DataType {
    let field = |field: &FieldRef| {
        let data_type = replaced(field.data_type());
        Arc::new(Field::clone(field).with_data_type(data_type))
    };
    match data_type {
        DataType::List(inner) => DataType::List(field(inner)),
        DataType::LargeList(inner) => DataType::LargeList(field(inner)),
        DataType::FixedSizeList(inner, length) => DataType::FixedSizeList(field(inner), *length),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Map(entries, is_sorted) => DataType::Map(field(entries), *is_sorted),
        other => other.clone(),
    }
}
