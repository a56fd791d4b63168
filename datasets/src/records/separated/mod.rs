//! Separated values: RFC 4180 with any separator, as `csv-core` reads it.
//!
//! An empty value is NULL; a quoted empty one is an empty text where the column holds texts. Blank lines are no
//! rows. A row has as many values as the header, and a quote that opens closes.

mod fields;
mod look;
mod rows;

pub(super) use fields::Fields;
pub(super) use look::Look;
pub(super) use rows::Rows;

use datafusion::common::Result;

/// The header of a file and the looks of its columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    pub(super) looks: Vec<Look>,
}

/// Reads all values of a file.
pub(super) fn columns(mut fields: Fields) -> Result<Columns> {
    let names = fields.header()?;
    let mut looks = vec![Look::default(); names.len()];
    while let Some(field) = fields.next()? {
        if !field.value.is_empty() {
            looks[field.column].see(field.value);
        }
    }
    Ok(Columns { names, looks })
}
