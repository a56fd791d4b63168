//! Decodes files of separated values, of JSON and of plain text.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::datasource::physical_plan::FileSource;
use datafusion::datasource::table_schema::TableSchema;

use super::chunk::Chunk;
use super::options::{RecordFormat, RecordOptions};
use super::{input, json, separated, text};
use crate::files::{DecodeTask, Decoder, FormatSource, Numbers};

/// A scan of separated values, JSON or plain text.
pub type RecordSource = FormatSource<RecordDecoder>;

/// Decodes separated values, JSON or plain text.
#[derive(Debug, Clone)]
pub struct RecordDecoder {
    options: RecordOptions,
    /// The columns of the files.
    schema: SchemaRef,
    numbers: Option<Numbers>,
}

impl RecordSource {
    /// A scan of all columns.
    pub(super) fn new(options: RecordOptions, schema: SchemaRef, numbers: Option<Numbers>) -> Self {
        let table_schema = match &numbers {
            None => TableSchema::from(Arc::clone(&schema)),
            Some(numbers) => {
                let mut fields = schema.fields().to_vec();
                fields.push(Arc::new(Field::new(&numbers.row, DataType::Int64, false)));
                TableSchema::builder(Arc::new(Schema::new(fields)))
                    .with_table_partition_cols(numbers.file_fields())
                    .build()
            }
        };
        let decoder = RecordDecoder {
            options,
            schema,
            numbers,
        };
        Self::over(decoder, table_schema)
    }

    /// The columns, followed by those with the position of a row.
    pub(super) fn table_schema_ref(&self) -> &SchemaRef {
        self.table_schema().table_schema()
    }

    pub(super) fn options(&self) -> &RecordOptions {
        &self.decoder().options
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.decoder().schema
    }

    pub(super) fn numbers(&self) -> Option<&Numbers> {
        self.decoder().numbers.as_ref()
    }
}

enum Rows {
    Separated(Box<separated::Rows>),
    Json(Box<json::Rows>),
    Text(text::Rows),
}

impl Decoder for RecordDecoder {
    fn name(&self) -> &str {
        match &self.options.format {
            RecordFormat::Separated(dialect) if dialect.delimiter == b'\t' => "tsv",
            RecordFormat::Separated(_) => "csv",
            RecordFormat::Json => "json",
            RecordFormat::Text => "txt",
        }
    }

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&str> = self
            .options
            .compressions
            .values()
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        names.dedup();
        match names.is_empty() {
            true => Ok(()),
            false => write!(f, ", compression={}", names.join("|")),
        }
    }

    fn decode(&self, task: &DecodeTask) -> Result<()> {
        // The index of the row follows the columns of the file.
        let number = self.numbers.as_ref().map(|_| self.schema.fields().len());
        let mut wanted = task.columns.clone();
        wanted.retain(|column| Some(*column) != number);
        let name = &task.file.name;
        let input = input::open(&task.file, task.open()?, &self.options)?;
        let (schema, max_rows) = (&self.schema, task.max_rows);
        let mut rows = match &self.options.format {
            RecordFormat::Separated(dialect) => {
                let fields = separated::Fields::new(name, input, dialect);
                let rows = separated::Rows::open(name, fields, schema, &wanted, max_rows)?;
                Rows::Separated(Box::new(rows))
            }
            RecordFormat::Json => {
                let rows = json::Rows::open(name, input, schema, &wanted, max_rows)?;
                Rows::Json(Box::new(rows))
            }
            RecordFormat::Text => Rows::Text(text::Rows::open(name, input, &wanted)),
        };
        let mut before = 0;
        loop {
            let chunk = match &mut rows {
                Rows::Separated(rows) => rows.next()?,
                Rows::Json(rows) => rows.next()?,
                Rows::Text(rows) => rows.next()?,
            };
            let Some(Chunk { rows, columns }) = chunk else {
                return Ok(());
            };
            let mut values = columns.into_iter();
            let end = before + rows as i64;
            let columns = task.columns.iter().filter_map(|column| match number {
                Some(number) if number == *column => {
                    Some(Arc::new(Int64Array::from_iter_values(before..end)) as ArrayRef)
                }
                _ => values.next(),
            });
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            let batch = RecordBatch::try_new_with_options(
                Arc::clone(&task.schema),
                columns.collect(),
                &options,
            )?;
            before = end;
            if !task.send(Ok(batch)) {
                return Ok(());
            }
        }
    }
}
