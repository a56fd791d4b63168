//! Serialises tables and sources of separated values and JSON.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::common::Result;
use serde::{Deserialize, Serialize};

use super::decode::RecordSource;
use super::options::RecordOptions;
use super::table::RecordTable;
use crate::files::{
    Files, Numbers, Stamp, Wire, read_parts, read_schema, write_parts, write_schema,
};

#[derive(Serialize, Deserialize)]
struct TableParts {
    files: Files,
    stamps: Vec<Stamp>,
    lacking: BTreeMap<String, Vec<i64>>,
    scan: SourceParts,
}

#[derive(Serialize, Deserialize)]
struct SourceParts {
    options: RecordOptions,
    schema: Vec<u8>,
    numbers: Option<Numbers>,
}

impl SourceParts {
    fn of(source: &RecordSource) -> Result<Self> {
        Ok(Self {
            options: source.options().clone(),
            schema: write_schema(source.schema())?,
            numbers: source.numbers().cloned(),
        })
    }

    fn source(self) -> Result<RecordSource> {
        let schema = read_schema(&self.schema)?;
        Ok(RecordSource::new(self.options, schema, self.numbers))
    }
}

impl Wire for RecordTable {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        write_parts(&TableParts {
            files: self.files.clone(),
            stamps: self.stamps.clone(),
            lacking: self.lacking.clone(),
            scan: SourceParts::of(&self.source())?,
        })
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let TableParts {
            files,
            stamps,
            lacking,
            scan,
        } = read_parts(bytes)?;
        let source = scan.source()?;
        Ok(Self {
            files,
            stamps,
            options: source.options().clone(),
            schema: Arc::clone(source.schema()),
            lacking,
            numbers: source.numbers().cloned(),
            all: Arc::clone(source.table_schema_ref()),
        })
    }
}

impl Wire for RecordSource {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        write_parts(&SourceParts::of(self)?)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        read_parts::<SourceParts>(bytes)?.source()
    }
}
