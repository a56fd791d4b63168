//! Serialises tables and sources, for engines that send plans to other processes.
//!
//! The bytes are JSON, with schemas in Arrow's format; both sides must use the same version of this crate.

use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::common::{DataFusionError, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A table, or the source of a scan, that can be sent to another process. Files, projection and store of a scan belong
/// to the file scan that contains the source.
pub trait Wire: Sized {
    /// Serialises it for [`Wire::from_bytes`].
    ///
    /// # Errors
    /// Those of the serializer.
    fn to_bytes(&self) -> Result<Vec<u8>>;

    /// Reads what [`Wire::to_bytes`] wrote; a source has all columns.
    ///
    /// # Errors
    /// If it did not write the bytes.
    fn from_bytes(bytes: &[u8]) -> Result<Self>;
}

/// The bytes of the parts of a table or a source.
pub(crate) fn write_parts<T: Serialize>(parts: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(parts).map_err(|error| DataFusionError::External(error.into()))
}

/// Reads parts that [`write_parts`] wrote.
pub(crate) fn read_parts<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| DataFusionError::External(error.into()))
}

/// A schema as an Arrow stream without batches.
pub(crate) fn write_schema(schema: &Schema) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    StreamWriter::try_new(&mut bytes, schema)?.finish()?;
    Ok(bytes)
}

/// Reads a schema that [`write_schema`] wrote.
pub(crate) fn read_schema(bytes: &[u8]) -> Result<SchemaRef> {
    Ok(StreamReader::try_new(bytes, None)?.schema())
}

/// Paths and addresses as another process finds them, whatever its directory.
pub(crate) fn absolute(locations: &[String]) -> Result<Vec<String>> {
    let absolute = locations
        .iter()
        .map(|location| match location.contains("://") {
            true => Ok(location.clone()),
            false => Ok(std::path::absolute(location)?.display().to_string()),
        });
    absolute.collect()
}
