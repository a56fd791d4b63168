//! Infers the columns of all files from all of their values.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result, plan_err};
use futures::{StreamExt, TryStreamExt};
use tokio::runtime::Handle;

use super::json::Shape;
use super::options::{RecordFormat, RecordOptions};
use super::separated::{Columns, Fields};
use super::{input, json, separated, text};
use crate::files::StoredFile;

enum Found {
    Separated(Columns),
    Json(Shape),
    Text,
}

fn inspect(file: &StoredFile, options: &RecordOptions, handle: &Handle) -> Result<Found> {
    let bytes = file.open_unchanged(file.meta.size, handle)?;
    let input = input::open(file, bytes, options)?;
    Ok(match &options.format {
        RecordFormat::Separated(dialect) => {
            let fields = Fields::new(&file.name, input, dialect);
            Found::Separated(separated::columns(fields)?)
        }
        RecordFormat::Json => Found::Json(json::shape(&file.name, input)?),
        RecordFormat::Text => {
            text::read(&file.name, input)?;
            Found::Text
        }
    })
}

/// The columns of all files.
pub(super) struct Inferred {
    /// The columns that can hold every value.
    pub(super) schema: SchemaRef,
    /// For each watched column, the indices of the files that have no value of it, not even a null.
    pub(super) lacking: BTreeMap<String, Vec<i64>>,
}

/// Infers the columns of these files; `at_once` files are read at the same time.
pub(super) async fn columns(
    files: &[StoredFile],
    options: &RecordOptions,
    watched: &[String],
    at_once: usize,
) -> Result<Inferred> {
    let mut found = futures::stream::iter(files.to_vec())
        .map(|file| {
            let options = options.clone();
            async move {
                let handle = Handle::current();
                let task = tokio::task::spawn_blocking(move || {
                    inspect(&file, &options, &handle).map(|found| (file, found))
                });
                task.await
                    .map_err(|error| DataFusionError::External(Box::new(error)))?
            }
        })
        .buffered(at_once.max(1));
    let mut shape = Shape::default();
    let mut table: Option<(StoredFile, Columns)> = None;
    let watched = watched.iter().map(|name| (name.clone(), Vec::new()));
    let mut lacking: BTreeMap<String, Vec<i64>> = watched.collect();
    let mut number = 0;
    while let Some((file, found)) = found.try_next().await? {
        match found {
            Found::Json(other) => {
                for (name, files) in &mut lacking {
                    if !other.has(name) {
                        files.push(number);
                    }
                }
                shape.merge(&other)?;
            }
            Found::Text => {}
            // A file without a header is empty.
            Found::Separated(columns) if columns.names.is_empty() => {}
            Found::Separated(columns) => match &mut table {
                None => table = Some((file, columns)),
                Some((first, known)) => join(known, columns, first, &file)?,
            },
        }
        number += 1;
    }
    let fields = match &options.format {
        RecordFormat::Json => shape.fields()?,
        RecordFormat::Text => text::columns().into(),
        RecordFormat::Separated(dialect) => {
            let columns = table.map(|(_, columns)| columns).unwrap_or_default();
            let fields = columns
                .names
                .iter()
                .zip(columns.types)
                .map(|(name, inferred)| {
                    let data_type = match dialect.all_text || options.texts.contains(name) {
                        true => DataType::Utf8,
                        false => inferred.data_type(),
                    };
                    Field::new(name, data_type, true)
                });
            fields.collect()
        }
    };
    Ok(Inferred {
        schema: Arc::new(Schema::new(fields)),
        lacking,
    })
}

/// Values are assigned to columns by their position in the row, so all headers must be the same.
fn join(known: &mut Columns, more: Columns, first: &StoredFile, file: &StoredFile) -> Result<()> {
    if known.names != more.names {
        return plan_err!(
            "{}: its columns are {}, but those of {} are {}; files of one table have the same header",
            file.name,
            more.names.join(", "),
            first.name,
            known.names.join(", ")
        );
    }
    for (known, more) in known.types.iter_mut().zip(more.types) {
        *known = known.with(more);
    }
    Ok(())
}
