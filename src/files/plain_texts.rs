//! `COPY … TO` Parquet writes plain texts.
//!
//! The engine reads texts as views, and would note in the file that they were some. Other readers can
//! neither sort nor group views (PyArrow), so that what is written are plain strings and bytes, also
//! within lists, structs and maps.

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Casts views to plain types below `COPY … TO` Parquet.
#[derive(Debug)]
pub(crate) struct CopyPlainTexts;

impl AnalyzerRule for CopyPlainTexts {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_down(|plan| match plan {
            LogicalPlan::Copy(copy) if copy.file_type.get_ext() == "parquet" => plain(copy),
            other => Ok(Transformed::no(other)),
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "copy_plain_texts"
    }
}

fn plain(copy: CopyTo) -> Result<Transformed<LogicalPlan>> {
    let schema = Arc::clone(copy.input.schema());
    let is_plain = |field: &FieldRef| plain_type(field.data_type()).is_none();
    if schema.fields().iter().all(is_plain) {
        return Ok(Transformed::no(LogicalPlan::Copy(copy)));
    }
    let columns = schema.iter().map(|(qualifier, field)| {
        let column = Expr::Column((qualifier, field).into());
        match plain_type(field.data_type()) {
            Some(data_type) => {
                cast(column, data_type).alias_qualified(qualifier.cloned(), field.name())
            }
            None => column,
        }
    });
    let input = LogicalPlanBuilder::from(Arc::unwrap_or_clone(copy.input))
        .project(columns.collect::<Vec<_>>())?
        .build()?;
    Ok(Transformed::yes(LogicalPlan::Copy(CopyTo {
        input: Arc::new(input),
        ..copy
    })))
}

/// The type without views, if it has any. Types are as deep as a reader allowed.
fn plain_type(data_type: &DataType) -> Option<DataType> {
    let field = |field: &FieldRef| {
        let plain = plain_type(field.data_type())?;
        Some(Arc::new(Field::clone(field).with_data_type(plain)))
    };
    Some(match data_type {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::List(item) => DataType::List(field(item)?),
        DataType::LargeList(item) => DataType::LargeList(field(item)?),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(field(item)?, *length),
        DataType::Map(entries, sorted) => DataType::Map(field(entries)?, *sorted),
        DataType::Dictionary(key, value) => {
            DataType::Dictionary(key.clone(), Box::new(plain_type(value)?))
        }
        DataType::Struct(fields) => {
            if fields.iter().all(|inner| field(inner).is_none()) {
                return None;
            }
            let plain = |inner: &FieldRef| field(inner).unwrap_or_else(|| Arc::clone(inner));
            DataType::Struct(fields.iter().map(plain).collect())
        }
        _ => return None,
    })
}
