//! Reads the rows of a file as record batches.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt64Builder,
};
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::{Result, exec_datafusion_err, exec_err};

use super::fields::Fields;
use crate::records::chunk::{BATCH_BYTES, Chunk};

/// Reads the projected columns of a file.
pub(in crate::records) struct Rows {
    name: String,
    fields: Fields,
    /// For each column of the file, its index among the projected columns.
    wanted: Vec<Option<usize>>,
    columns: Vec<Column>,
    max_rows: usize,
}

enum Column {
    Integer(Int64Builder),
    Unsigned(UInt64Builder),
    Float(Float64Builder),
    Boolean(BooleanBuilder),
    Text(StringBuilder),
}

impl Rows {
    /// Reads the header, which must be the schema's columns.
    pub(in crate::records) fn open(
        name: &str,
        mut fields: Fields,
        schema: &Schema,
        columns: &[usize],
        max_rows: usize,
    ) -> Result<Self> {
        let header = fields.header()?;
        let same = schema.fields().iter().map(|field| field.name()).eq(&header);
        // An empty file has no header.
        if !same && !header.is_empty() {
            return exec_err!("{name}: its columns have changed since the query was planned");
        }
        let mut wanted = vec![None; header.len()];
        for (place, column) in columns.iter().enumerate() {
            if let Some(slot) = wanted.get_mut(*column) {
                *slot = Some(place);
            }
        }
        let columns = columns
            .iter()
            .map(|column| Column::of(schema.field(*column).data_type()))
            .collect::<Result<_>>()?;
        Ok(Self {
            name: name.to_owned(),
            fields,
            wanted,
            columns,
            max_rows,
        })
    }

    /// The next rows.
    pub(in crate::records) fn next(&mut self) -> Result<Option<Chunk>> {
        let (mut rows, mut bytes) = (0, 0);
        if self.wanted.is_empty() {
            return Ok(None);
        }
        while let Some(field) = self.fields.next()? {
            bytes += field.value.len();
            let ends_row = field.ends_row;
            if let Some(place) = self.wanted[field.column] {
                let number = field.column;
                let is_right = self.columns[place].push(field.value, field.quoted);
                if !is_right {
                    return Err(exec_datafusion_err!(
                        "{}: line {}: column {} has changed since the query was planned",
                        self.name,
                        self.fields.line(),
                        number + 1
                    ));
                }
            }
            if ends_row {
                rows += 1;
                if rows == self.max_rows || bytes >= BATCH_BYTES {
                    break;
                }
            }
        }
        let columns = self.columns.iter_mut().map(Column::finish);
        Ok((rows > 0).then(|| Chunk {
            rows,
            columns: columns.collect(),
        }))
    }
}

impl Column {
    fn of(data_type: &DataType) -> Result<Self> {
        Ok(match data_type {
            DataType::Int64 => Self::Integer(Int64Builder::new()),
            DataType::UInt64 => Self::Unsigned(UInt64Builder::new()),
            DataType::Float64 => Self::Float(Float64Builder::new()),
            DataType::Boolean => Self::Boolean(BooleanBuilder::new()),
            DataType::Utf8 => Self::Text(StringBuilder::new()),
            other => return exec_err!("separated values are not read as {other}"),
        })
    }

    /// Adds a value; false if it is not a value of the type.
    fn push(&mut self, value: &str, quoted: bool) -> bool {
        let is_null = value.is_empty();
        match self {
            Self::Integer(builder) => match value.parse() {
                Ok(number) => builder.append_value(number),
                Err(_) if is_null => builder.append_null(),
                Err(_) => return false,
            },
            Self::Unsigned(builder) => match value.parse() {
                Ok(number) => builder.append_value(number),
                Err(_) if is_null => builder.append_null(),
                Err(_) => return false,
            },
            Self::Float(builder) => match value.parse() {
                Ok(number) => builder.append_value(number),
                Err(_) if is_null => builder.append_null(),
                Err(_) => return false,
            },
            Self::Boolean(builder) => match value.parse() {
                Ok(truth) => builder.append_value(truth),
                Err(_) if is_null => builder.append_null(),
                Err(_) => return false,
            },
            Self::Text(builder) if is_null && !quoted => builder.append_null(),
            Self::Text(builder) => builder.append_value(value),
        }
        true
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integer(builder) => Arc::new(builder.finish()),
            Self::Unsigned(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
            Self::Boolean(builder) => Arc::new(builder.finish()),
            Self::Text(builder) => Arc::new(builder.finish()),
        }
    }
}
