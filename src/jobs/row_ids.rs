//! Makes ids for the rows of a table without an id column.

use crate::files::Input;
use crate::functions::last_column;
use crate::parameters::{parameter_error, set};
use datafusion::arrow::compute::can_cast_types;
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::Result;
use datafusion::functions::crypto::expr_fn::md5;
use datafusion::functions::encoding::expr_fn::encode;
use datafusion::functions::string::expr_fn::{concat, octet_length};
use datafusion::functions::unicode::expr_fn::lpad;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{Expr, ExprFunctionExt, LogicalPlan, cast, ident, lit, when};
use datafusion::prelude::SessionContext;

words! {
    /// How ids are made for a table without an id column.
    pub enum RowIds("row_ids") {
        /// Index of the file in the sorted list, shifted left by 40 bits, plus the index of the row in the file, both
        /// from 0. The ids of a file's rows change if a file is added that sorts before it.
        Number = "number",
        /// Path of the file and index of the row: `/data/a.csv:000000000017`. The ids change if a row is inserted
        /// before theirs, or if the file is moved.
        Path = "path",
        /// MD5 of the names and values of the row's columns that are not NULL. The second row with the same content
        /// gets the suffix `-2`, and so on. The ids change if the content changes.
        Content = "content",
    }
}

/// Number of digits of a row number in an id, padded with zeros so that the ids of a file sort in row order.
const DIGITS: i64 = 12;

/// The rows of the files with a new column of ids.
pub(super) async fn numbered(
    context: &SessionContext,
    input: &Input,
    row_ids: RowIds,
    name: &str,
) -> Result<LogicalPlan> {
    let (table, numbers) = input.numbered(&context.state()).await?;
    let mut rows = context.read_table(table)?;
    let added = [&numbers.file, &numbers.name, &numbers.row];
    let schema = rows.schema().inner().clone();
    let fields = schema.fields().iter();
    let fields: Vec<_> = fields
        .filter(|field| !added.contains(&field.name()))
        .collect();
    let id = match row_ids {
        RowIds::Number => ident(&numbers.file) * lit(1_i64 << 40) + ident(&numbers.row),
        RowIds::Path => {
            let row = lpad(vec![
                cast(ident(&numbers.row), DataType::Utf8),
                lit(DIGITS),
                lit("0"),
            ]);
            // A pipe has a name of its own, not that of its copy, which differs from run to run.
            let name = input
                .pipes()
                .try_fold(ident(&numbers.name), |name, (copy, pipe)| {
                    let is_copy = ident(&numbers.name).eq(lit(copy.as_str()));
                    when(is_copy, lit(pipe)).otherwise(name)
                })?;
            concat(vec![name, lit(":"), row])
        }
        RowIds::Content => {
            let mut columns = fields.clone();
            columns.sort_by_key(|field| field.name());
            let parts = columns
                .iter()
                .map(|field| part(field))
                .collect::<Result<_>>()?;
            let hash = md5(concat(parts));
            let mut selected: Vec<_> = schema
                .fields()
                .iter()
                .map(|field| ident(field.name()))
                .collect();
            // The name of the hash column must differ from those of all other columns.
            let mut hashed = format!("{}_hash", numbers.name);
            while schema.field_with_name(&hashed).is_ok() {
                hashed.push('_');
            }
            selected.push(hash.alias(&hashed));
            let copy = row_number()
                .partition_by(vec![ident(&hashed)])
                .order_by(vec![
                    ident(&numbers.file).sort(true, false),
                    ident(&numbers.row).sort(true, false),
                ])
                .build()?;
            rows = rows.select(selected)?.window(vec![copy])?;
            let copy = last_column(rows.schema());
            let again = concat(vec![
                ident(&hashed),
                lit("-"),
                cast(copy.clone(), DataType::Utf8),
            ]);
            when(copy.eq(lit(1_u64)), ident(&hashed)).otherwise(again)?
        }
    };
    let mut selected = vec![id.alias(name)];
    selected.extend(fields.iter().map(|field| ident(field.name())));
    Ok(rows.select(selected)?.into_unoptimized_plan())
}

/// A column's part of the text that is hashed: its name and its value, each with its length; empty for NULL.
fn part(field: &Field) -> Result<Expr> {
    let name = field.name();
    let data_type = match field.data_type() {
        DataType::Dictionary(_, value) => value.as_ref(),
        other => other,
    };
    let value = match data_type {
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => encode(cast(ident(name), DataType::Binary), lit("hex")),
        other if can_cast_types(other, &DataType::Utf8) => cast(ident(name), DataType::Utf8),
        other => {
            let row_ids = |row_ids: RowIds| set("row_ids", row_ids);
            return Err(parameter_error![
                row_ids(RowIds::Content),
                format!(
                    ": the column {name} holds {other}, which cannot be cast to text and hashed; "
                ),
                row_ids(RowIds::Path),
                " identifies rows by file and row number"
            ]
            .into());
        }
    };
    let key = format!("{}:{name}=", name.len());
    let length = cast(octet_length(value.clone()), DataType::Utf8);
    let whole = concat(vec![lit(key), length, lit(":"), value]);
    when(ident(name).is_null(), lit("")).otherwise(whole)
}
