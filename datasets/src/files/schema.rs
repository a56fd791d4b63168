//! Serialises schemas, for plans that are sent to other processes.

use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::common::Result;

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
