//! One schema for the files of a table.

use super::{Kind, Location};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, plan_err};
use std::sync::Arc;

/// The schema that all these files fit, in the order of the first one's columns.
///
/// # Errors
/// If separated values differ in their headers, or a column holds what does not go together.
pub(super) fn merge(kind: Kind, files: &[(&Location, SchemaRef)]) -> Result<SchemaRef> {
    // A file without columns is empty.
    let mut files = files
        .iter()
        .filter(|(_, schema)| !schema.fields().is_empty());
    let Some((first, schema)) = files.next() else {
        return Ok(Arc::new(Schema::empty()));
    };
    let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
    for (file, schema) in files {
        if matches!(kind, Kind::Csv | Kind::Tsv) {
            check_header(first, &fields, file, schema)?;
        }
        for field in schema.fields() {
            let Some(known) = fields.iter_mut().find(|known| known.name() == field.name()) else {
                fields.push(Arc::clone(field));
                continue;
            };
            if known.data_type() == field.data_type() {
                continue;
            }
            let Some(data_type) = common_type(kind, known.data_type(), field.data_type()) else {
                return plan_err!(
                    "{}: the column {} holds {}, but in {} it holds {}",
                    file,
                    field.name(),
                    field.data_type(),
                    first,
                    known.data_type()
                );
            };
            *known = Arc::new(known.as_ref().clone().with_data_type(data_type));
        }
    }
    let fields = fields
        .iter()
        .map(|field| field.as_ref().clone().with_nullable(true));
    Ok(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
}

/// Values of a line go to columns by their place, so that all headers must be the same.
fn check_header(
    first: &Location,
    fields: &[Arc<Field>],
    file: &Location,
    schema: &Schema,
) -> Result<()> {
    let names = |fields: &[Arc<Field>]| -> Vec<String> {
        fields.iter().map(|field| field.name().clone()).collect()
    };
    let (wanted, found) = (names(fields), names(schema.fields()));
    if wanted != found {
        return plan_err!(
            "{}: its columns are {}, but those of {} are {}; files of one table have the same header",
            file,
            found.join(", "),
            first,
            wanted.join(", ")
        );
    }
    Ok(())
}

/// The type that holds the values of both.
fn common_type(kind: Kind, a: &DataType, b: &DataType) -> Option<DataType> {
    let is_text = matches!(kind, Kind::Csv | Kind::Tsv);
    match (a, b) {
        (DataType::Null, other) | (other, DataType::Null) => Some(other.clone()),
        (a, b) if a.is_signed_integer() && b.is_signed_integer() => Some(DataType::Int64),
        (a, b) if a.is_unsigned_integer() && b.is_unsigned_integer() => Some(DataType::UInt64),
        (a, b) if a.is_numeric() && b.is_numeric() && kind != Kind::Parquet => {
            Some(DataType::Float64)
        }
        (a, b) if a.is_string() && b.is_string() => Some(DataType::Utf8View),
        _ if is_text => Some(DataType::Utf8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(columns: &[(&str, DataType)]) -> SchemaRef {
        let field =
            |(name, data_type): &(&str, DataType)| Field::new(*name, data_type.clone(), true);
        Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
    }

    fn merged(kind: Kind, schemas: &[SchemaRef]) -> Result<SchemaRef> {
        let file = Location::new("file")?;
        let files: Vec<_> = schemas
            .iter()
            .map(|schema| (&file, Arc::clone(schema)))
            .collect();
        merge(kind, &files)
    }

    #[test]
    fn types_meet_in_one_that_holds_both() -> Result<()> {
        let integers = schema(&[("id", DataType::Int64)]);
        for (kind, other, wanted) in [
            (Kind::Csv, DataType::Null, DataType::Int64),
            (Kind::Csv, DataType::Float64, DataType::Float64),
            (Kind::Csv, DataType::Utf8, DataType::Utf8),
            (Kind::Parquet, DataType::Int32, DataType::Int64),
        ] {
            let other = schema(&[("id", other)]);
            let wanted = schema(&[("id", wanted)]);
            assert_eq!(
                merged(kind, &[Arc::clone(&integers), Arc::clone(&other)])?,
                wanted
            );
            assert_eq!(
                merged(
                    kind,
                    &[other, Arc::clone(&integers), Arc::new(Schema::empty())]
                )?,
                wanted
            );
        }
        let texts = schema(&[("id", DataType::Utf8)]);
        assert!(merged(Kind::Parquet, &[integers, texts]).is_err());
        Ok(())
    }

    #[test]
    fn columns_join_by_name_but_headers_are_the_same() -> Result<()> {
        let a = schema(&[("id", DataType::Int64), ("text", DataType::Utf8)]);
        let b = schema(&[("text", DataType::Utf8), ("more", DataType::Utf8)]);
        let all = schema(&[
            ("id", DataType::Int64),
            ("text", DataType::Utf8),
            ("more", DataType::Utf8),
        ]);
        assert_eq!(merged(Kind::Json, &[Arc::clone(&a), Arc::clone(&b)])?, all);
        assert!(merged(Kind::Csv, &[a, b]).is_err());
        Ok(())
    }
}
