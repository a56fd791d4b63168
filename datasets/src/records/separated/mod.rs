//! Separated values: RFC 4180 with any separator, as `csv-core` reads it.
//!
//! An empty value is NULL; in a text column, a quoted empty value is an empty text. Blank lines are skipped. It is an
//! error if a row has more or fewer values than the header, or if a quote is not closed.

mod column_type;
mod fields;
mod rows;

pub(super) use column_type::TypeInference;
pub(super) use fields::Fields;
pub(super) use rows::Rows;

use datafusion::common::{Result, exec_datafusion_err};

/// The header of a file and the inferred types of its columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    pub(super) types: Vec<TypeInference>,
}

/// Reads all values of a file.
///
/// # Errors
/// As [`Fields::header`] and [`Fields::next`].
pub(super) fn columns(mut fields: Fields) -> Result<Columns> {
    let read = read(&mut fields);
    match fields.begins_like_json() {
        true => read.map_err(|error| {
            exec_datafusion_err!(
                "{}; the file begins like JSON: if its lines are objects, its name must end in .jsonl",
                error.strip_backtrace()
            )
        }),
        false => read,
    }
}

fn read(fields: &mut Fields) -> Result<Columns> {
    let names = fields.header()?;
    let mut types = vec![TypeInference::default(); names.len()];
    while let Some(field) = fields.next()? {
        if !field.value.is_empty() {
            types[field.column].see(field.value);
        }
    }
    Ok(Columns { names, types })
}
