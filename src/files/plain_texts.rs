//! `COPY … TO` Parquet writes plain texts, and `COPY … TO` a file no directory.
//!
//! The engine reads texts as views, and would note in the file that they were some. Other readers can
//! neither sort nor group views (PyArrow), so that what is written are plain strings and bytes, also
//! within lists, structs and maps.

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};
use datafusion::optimizer::AnalyzerRule;
use std::path::Path;
use std::sync::Arc;

/// Casts views to plain types below `COPY … TO` Parquet.
#[derive(Debug)]
pub(crate) struct CopyPlainTexts;

impl AnalyzerRule for CopyPlainTexts {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_down(|plan| match plan {
            LogicalPlan::Copy(copy) if names_directory(&copy.output_url) => plan_err!(
                "COPY … TO '{0}': it is a directory; '{0}/' writes files into it, beside those that are there",
                copy.output_url
            ),
            LogicalPlan::Copy(copy) if copy.file_type.get_ext() == "parquet" => plain(copy),
            other => Ok(Transformed::no(other)),
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "copy_plain_texts"
    }
}

/// Whether what is named like a file is a directory on disk.
fn names_directory(output: &str) -> bool {
    let path = Path::new(output);
    !output.ends_with('/') && path.extension().is_some() && path.is_dir()
}

fn plain(copy: CopyTo) -> Result<Transformed<LogicalPlan>> {
    let schema = Arc::clone(copy.input.schema());
    let is_plain = |field: &FieldRef| plain_type(field.data_type()) == *field.data_type();
    if schema.fields().iter().all(is_plain) {
        return Ok(Transformed::no(LogicalPlan::Copy(copy)));
    }
    let columns = schema.iter().map(|(qualifier, field)| {
        let column = Expr::Column((qualifier, field).into());
        match is_plain(field) {
            false => cast(column, plain_type(field.data_type()))
                .alias_qualified(qualifier.cloned(), field.name()),
            true => column,
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

/// The schema with plain texts and bytes: PyArrow can neither sort nor group views, and texts that are read as views
/// are not known to have been large ones.
pub(crate) fn plain_schema(schema: &Schema) -> SchemaRef {
    let fields: Vec<FieldRef> = schema.fields().iter().map(plain_field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn plain_field(field: &FieldRef) -> FieldRef {
    let plain = plain_type(field.data_type());
    match plain == *field.data_type() {
        true => Arc::clone(field),
        false => Arc::new(Field::clone(field).with_data_type(plain)),
    }
}

/// The type without views and large texts. Types are as deep as a reader allowed.
fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8View | DataType::LargeUtf8 => DataType::Utf8,
        DataType::BinaryView | DataType::LargeBinary => DataType::Binary,
        DataType::List(field) | DataType::ListView(field) => DataType::List(plain_field(field)),
        DataType::LargeList(field) | DataType::LargeListView(field) => {
            DataType::LargeList(plain_field(field))
        }
        DataType::FixedSizeList(field, length) => {
            DataType::FixedSizeList(plain_field(field), *length)
        }
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(plain_field).collect()),
        DataType::Map(field, is_sorted) => DataType::Map(plain_field(field), *is_sorted),
        DataType::Dictionary(key, value) => {
            DataType::Dictionary(key.clone(), Box::new(plain_type(value)))
        }
        other => other.clone(),
    }
}
