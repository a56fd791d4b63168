//! Merges the schemas of the Parquet files of a table.

use super::Location;
use super::type_words::values_of;
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::common::{Result, plan_err};
use std::sync::Arc;

/// The common schema of all these files: the columns of the first file in their order, then further ones. Indices of
/// dictionaries are wide.
///
/// # Errors
/// If a column has incompatible types in two files.
pub(super) fn merge(files: &[(&Location, SchemaRef)]) -> Result<SchemaRef> {
    // Files without columns hold no rows.
    let mut files = files
        .iter()
        .filter(|(_, schema)| !schema.fields().is_empty());
    let Some((first, schema)) = files.next() else {
        return Ok(Arc::new(Schema::empty()));
    };
    let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
    for (file, schema) in files {
        for field in schema.fields() {
            let Some(known) = fields.iter_mut().find(|known| known.name() == field.name()) else {
                fields.push(Arc::clone(field));
                continue;
            };
            if known.data_type() == field.data_type() {
                continue;
            }
            let Some(data_type) = common_type(known.data_type(), field.data_type()) else {
                let types = [field.data_type(), known.data_type()];
                let [own, other] = match types.map(values_of) {
                    [own, other] if own == other => types.map(ToString::to_string),
                    words => words,
                };
                return plan_err!(
                    "{file}: the column {} holds {own}, but in {first} it holds {other}",
                    field.name()
                );
            };
            *known = Arc::new(known.as_ref().clone().with_data_type(data_type));
        }
    }
    let fields = fields
        .iter()
        .map(|field| wide_field(field).as_ref().clone().with_nullable(true));
    Ok(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
}

/// The schema with indices of dictionaries of at least 32 bits. Rows of several batches, of which each has its own
/// dictionary, get one in which values may be repeated, and indices of 8 or 16 bits cannot count these.
pub fn wide_dictionaries(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(wide_field);
    let fields: Vec<FieldRef> = fields.collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// The batch, with its columns cast to a schema.
///
/// # Errors
/// If a value has none of the type that the schema declares.
pub fn cast_to(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    if batch.schema() == *schema {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().zip(schema.fields());
    let columns: Result<Vec<_>, _> = columns
        .map(|(column, field)| cast(column, field.data_type()))
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(
        Arc::clone(schema),
        columns?,
        &options,
    )?)
}

fn wide_field(field: &FieldRef) -> FieldRef {
    Arc::new(Field::clone(field).with_data_type(wide_type(field.data_type())))
}

/// The recursion is as deep as the type, which readers limit.
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
        DataType::List(inner) => DataType::List(wide_field(inner)),
        DataType::LargeList(inner) => DataType::LargeList(wide_field(inner)),
        DataType::FixedSizeList(inner, length) => {
            DataType::FixedSizeList(wide_field(inner), *length)
        }
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(wide_field).collect()),
        DataType::Map(entries, is_sorted) => DataType::Map(wide_field(entries), *is_sorted),
        other => other.clone(),
    }
}

/// The type to which the values of both types convert without loss; `None` if there is none. The recursion is as deep as
/// the type, which readers limit.
fn common_type(a: &DataType, b: &DataType) -> Option<DataType> {
    let field = |a: &FieldRef, b: &FieldRef| {
        let data_type = common_type(a.data_type(), b.data_type())?;
        let field = Field::clone(a).with_data_type(data_type);
        Some(Arc::new(field.with_nullable(true)))
    };
    match (a, b) {
        (a, b) if a == b => Some(a.clone()),
        (DataType::List(a), DataType::List(b)) => field(a, b).map(DataType::List),
        (
            DataType::List(a) | DataType::LargeList(a),
            DataType::List(b) | DataType::LargeList(b),
        ) => field(a, b).map(DataType::LargeList),
        (DataType::FixedSizeList(a, length), DataType::FixedSizeList(b, other))
            if length == other =>
        {
            let item = field(a, b)?;
            Some(DataType::FixedSizeList(item, *length))
        }
        (DataType::FixedSizeList(a, _), DataType::List(b) | DataType::FixedSizeList(b, _))
        | (DataType::List(a), DataType::FixedSizeList(b, _)) => field(a, b).map(DataType::List),
        // The keys of a map are never NULL.
        (DataType::Map(a, is_sorted), DataType::Map(b, other)) => {
            let DataType::Struct(pairs) = common_type(a.data_type(), b.data_type())? else {
                return None;
            };
            let [key, value] = pairs.iter().collect::<Vec<_>>().try_into().ok()?;
            let key = Arc::new(Field::clone(key).with_nullable(false));
            let pairs = DataType::Struct([key, Arc::clone(value)].into_iter().collect());
            let entries = Field::clone(a).with_data_type(pairs).with_nullable(false);
            Some(DataType::Map(Arc::new(entries), *is_sorted && *other))
        }
        (DataType::Struct(a), DataType::Struct(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b);
            let fields = pairs.map(|(a, b)| field(a, b).filter(|_| a.name() == b.name()));
            Some(DataType::Struct(fields.collect::<Option<_>>()?))
        }
        (DataType::Null, other) | (other, DataType::Null) => Some(other.clone()),
        // A dictionary is an encoding of its values.
        (DataType::Dictionary(_, value), other) | (other, DataType::Dictionary(_, value)) => {
            match value.as_ref() == other {
                true => Some(other.clone()),
                false => common_type(value, other),
            }
        }
        (a, b) if a.is_signed_integer() && b.is_signed_integer() => Some(DataType::Int64),
        (a, b) if a.is_unsigned_integer() && b.is_unsigned_integer() => Some(DataType::UInt64),
        (DataType::Float32, DataType::Float64) | (DataType::Float64, DataType::Float32) => {
            Some(DataType::Float64)
        }
        (a, b) if a.is_string() && b.is_string() => Some(DataType::Utf8View),
        (a, b) if a.is_binary() && b.is_binary() => Some(DataType::BinaryView),
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

    fn merged(schemas: &[SchemaRef]) -> Result<SchemaRef> {
        let file = Location::new("file")?;
        let files: Vec<_> = schemas
            .iter()
            .map(|schema| (&file, Arc::clone(schema)))
            .collect();
        merge(&files)
    }

    #[test]
    fn types_have_a_common_type() -> Result<()> {
        let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let small = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        let list = |item| DataType::new_list(item, true);
        let group = |data_type: &DataType| {
            DataType::Struct(vec![Field::new("part", data_type.clone(), true)].into())
        };
        let vector = |name: &str, length| {
            DataType::FixedSizeList(Arc::new(Field::new(name, DataType::Float32, true)), length)
        };
        let map = |value: DataType| {
            let key = Field::new("key", DataType::Utf8, false);
            let pairs = DataType::Struct(vec![key, Field::new("value", value, true)].into());
            DataType::Map(Arc::new(Field::new("entries", pairs, false)), false)
        };
        for (one, other, wanted) in [
            (DataType::Int64, DataType::Null, DataType::Int64),
            (DataType::Int64, DataType::Int32, DataType::Int64),
            (DataType::Float32, DataType::Float64, DataType::Float64),
            (dictionary.clone(), DataType::Utf8, DataType::Utf8),
            (dictionary.clone(), DataType::Utf8View, DataType::Utf8View),
            (
                DataType::Binary,
                DataType::LargeBinary,
                DataType::BinaryView,
            ),
            (
                list(dictionary.clone()),
                list(small.clone()),
                list(DataType::Utf8),
            ),
            (
                list(DataType::Utf8),
                list(small.clone()),
                list(DataType::Utf8),
            ),
            (group(&small), group(&dictionary), group(&DataType::Utf8)),
            (
                vector("item", 3),
                vector("item", 4),
                DataType::new_list(DataType::Float32, true),
            ),
            (
                map(DataType::Int32),
                map(DataType::Int64),
                map(DataType::Int64),
            ),
            (
                DataType::new_large_list(DataType::Int32, true),
                list(DataType::Int64),
                DataType::new_large_list(DataType::Int64, true),
            ),
        ] {
            let (one, other) = (schema(&[("id", one)]), schema(&[("id", other)]));
            let wanted = schema(&[("id", wanted)]);
            assert_eq!(merged(&[Arc::clone(&one), Arc::clone(&other)])?, wanted);
            assert_eq!(merged(&[other, one, Arc::new(Schema::empty())])?, wanted);
        }
        // The name of the items of the first file.
        let [item, element] = ["item", "element"].map(|name| schema(&[("id", vector(name, 3))]));
        assert_eq!(merged(&[Arc::clone(&item), element])?, item);
        let integers = schema(&[("id", DataType::Int64)]);
        for other in [DataType::Utf8, DataType::Float64, DataType::UInt64] {
            assert!(merged(&[Arc::clone(&integers), schema(&[("id", other)])]).is_err());
        }
        Ok(())
    }

    #[test]
    fn columns_are_merged_by_name() -> Result<()> {
        let a = schema(&[("id", DataType::Int64), ("text", DataType::Utf8)]);
        let b = schema(&[("text", DataType::Utf8), ("more", DataType::Utf8)]);
        let all = schema(&[
            ("id", DataType::Int64),
            ("text", DataType::Utf8),
            ("more", DataType::Utf8),
        ]);
        assert_eq!(merged(&[a, b])?, all);
        Ok(())
    }
}
