//! Makes `COPY … TO` write plain strings to Parquet and tab-separated values without quotes, and refuse a directory
//! where the statement names a file, and columns with the same name.
//!
//! The engine reads strings as views, and would record that type in the file's Arrow schema. Some readers, such as
//! PyArrow, can neither sort nor group views, so plain strings and bytes are written, also within lists, structs
//! and maps.

use super::written_formats::by_name;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, lit};
use datafusion::optimizer::AnalyzerRule;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// Casts views to plain types below `COPY … TO` Parquet.
#[derive(Debug)]
pub(crate) struct CopyPlainTexts;

impl AnalyzerRule for CopyPlainTexts {
    fn analyze(&self, plan: LogicalPlan, options: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_down(|plan| match plan {
            LogicalPlan::Copy(copy) if names_directory(&copy.output_url) => plan_err!(
                "COPY … TO '{0}': it is a directory; '{0}/' adds files to it",
                copy.output_url
            ),
            LogicalPlan::Copy(copy) if is_pattern(&copy.output_url) => plan_err!(
                "COPY … TO '{}': a name with *, ? or [ is a pattern of names; files cannot be written under it",
                copy.output_url
            ),
            LogicalPlan::Copy(copy) => {
                let copy = by_name(copy)?;
                refuse_equal_names(&copy, options)?;
                match copy.file_type.get_ext().as_str() {
                    "parquet" => plain(copy),
                    "tsv" => unquoted(copy),
                    _ => Ok(Transformed::yes(LogicalPlan::Copy(copy))),
                }
            }
            other => Ok(Transformed::no(other)),
        })?;
        Ok(plan.data)
    }

    fn name(&self) -> &str {
        "copy_plain_texts"
    }
}

/// Refuses columns of which readers would have only the last one.
///
/// # Errors
/// If two columns of the rows have the same name, and the file would have it.
fn refuse_equal_names(copy: &CopyTo, options: &ConfigOptions) -> Result<()> {
    let has_header = match copy.options.get("format.has_header") {
        Some(header) => !header.eq_ignore_ascii_case("false"),
        None => options.catalog.has_header,
    };
    let format = copy.file_type.get_ext();
    if !has_header && ["csv", "tsv"].contains(&format.as_str()) {
        return Ok(());
    }
    let mut names = HashSet::new();
    for field in copy.input.schema().fields() {
        let name = field.name();
        if !names.insert(name) {
            return plan_err!(
                "COPY … TO '{}': two columns have the name '{name}'; AS gives one of them another name",
                copy.output_url
            );
        }
    }
    Ok(())
}

/// Whether the name is a pattern for files.
fn is_pattern(output: &str) -> bool {
    ListingTableUrl::parse(output).is_ok_and(|url| url.get_glob().is_some())
}

/// Whether a destination that is named like a file is a directory on disk.
fn names_directory(output: &str) -> bool {
    let path = Path::new(output);
    !output.ends_with('/') && path.extension().is_some() && path.is_dir()
}

/// Writes tab-separated values as they are read: without quotes, unless the statement has options for quotes.
fn unquoted(mut copy: CopyTo) -> Result<Transformed<LogicalPlan>> {
    const STYLE: &str = "format.quote_style";
    if [STYLE, "format.quote", "format.delimiter"]
        .iter()
        .any(|option| copy.options.contains_key(*option))
    {
        return Ok(Transformed::yes(LogicalPlan::Copy(copy)));
    }
    copy.options.insert(STYLE.to_owned(), "Never".to_owned());
    let schema = Arc::clone(copy.input.schema());
    let alone = schema.fields().len() == 1;
    let mut columns = Vec::with_capacity(schema.fields().len());
    for (qualifier, field) in schema.iter() {
        let name = field.name();
        if name.contains(['\t', '\n', '\r']) || (alone && name.is_empty()) {
            return plan_err!(
                "COPY … TO '{}': the column name {name:?} cannot be in the header of tab-separated values, which have no quotes",
                copy.output_url
            );
        }
        let column = Expr::Column((qualifier, field).into());
        let is_text = match field.data_type() {
            DataType::Dictionary(_, value) => value.is_string(),
            other => other.is_string(),
        };
        columns.push(match is_text || alone {
            true => neardup_udfs::unquoted_text()
                .call(vec![
                    lit(name),
                    cast(column, DataType::Utf8View),
                    lit(alone),
                ])
                .alias_qualified(qualifier.cloned(), name),
            false => column,
        });
    }
    let input = LogicalPlanBuilder::from(Arc::unwrap_or_clone(copy.input))
        .project(columns)?
        .build()?;
    Ok(Transformed::yes(LogicalPlan::Copy(CopyTo {
        input: Arc::new(input),
        ..copy
    })))
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

/// The schema of written files. Views are replaced because PyArrow can neither sort nor group them; large
/// strings are replaced because strings that are read as views may have been large ones.
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

/// The type with views and large strings replaced by plain ones, and types that Parquet does not have by those it has. The recursion is as deep as the type, which readers
/// limit.
fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8View | DataType::LargeUtf8 => DataType::Utf8,
        DataType::BinaryView | DataType::LargeBinary => DataType::Binary,
        DataType::List(field) | DataType::ListView(field) => DataType::List(plain_field(field)),
        // Parquet has no seconds, and its dates are days: readers would take the values for integers.
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
        DataType::Date64 => DataType::Date32,
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
