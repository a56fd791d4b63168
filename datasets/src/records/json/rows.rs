//! Reads the rows of a file as record batches.

use std::sync::Arc;

use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::json::ReaderBuilder;
use datafusion::arrow::json::reader::Decoder;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};

use super::pairs::write_pairs;
use super::split::Split;
use crate::records::chunk::{BATCH_BYTES, Chunk};
use crate::records::input::Buffer;

/// Number of bytes that are split off at a time.
const PIECE: usize = 1 << 16;

/// Reads the projected columns of a file.
pub(in crate::records) struct Rows {
    name: String,
    input: Buffer,
    split: Split,
    decoder: Decoder,
    max_rows: usize,
    /// Complete rows that are not decoded yet.
    piece: Vec<u8>,
    taken: usize,
    /// Number of rows that were returned.
    rows: usize,
}

impl Rows {
    pub(in crate::records) fn open(
        name: &str,
        input: Buffer,
        schema: &Schema,
        columns: &[usize],
        max_rows: usize,
    ) -> Result<Self> {
        // With coercion, a number in a text column is returned as it was written.
        let decoder = ReaderBuilder::new(Arc::new(schema.project(columns)?))
            .with_batch_size(max_rows)
            .with_coerce_primitive(true)
            .build_decoder()?;
        Ok(Self {
            name: name.to_owned(),
            input,
            split: Split::default(),
            decoder,
            max_rows,
            piece: Vec::new(),
            taken: 0,
            rows: 0,
        })
    }

    /// The next rows.
    pub(in crate::records) fn next(&mut self) -> Result<Option<Chunk>> {
        let mut bytes = 0;
        while self.decoder.len() < self.max_rows && bytes < BATCH_BYTES {
            if self.taken == self.piece.len() {
                self.piece.clear();
                self.taken = 0;
                let more = self.split.next(&mut self.input, PIECE, &mut self.piece);
                more.map_err(|error| exec_datafusion_err!("{}: {error}", self.name))?;
                if self.piece.is_empty() {
                    break;
                }
                write_pairs(&mut self.piece);
            }
            let taken = self.decoder.decode(&self.piece[self.taken..]);
            let taken = taken.map_err(|error| self.failed(error.into()))?;
            self.taken += taken;
            bytes += taken;
            if taken == 0 {
                break;
            }
        }
        let batch = self.decoder.flush();
        let Some(batch) = batch.map_err(|error| self.failed(error.into()))? else {
            return Ok(None);
        };
        self.rows += batch.num_rows();
        Ok(Some(Chunk {
            rows: batch.num_rows(),
            columns: batch.columns().to_vec(),
        }))
    }

    fn failed(&self, error: DataFusionError) -> DataFusionError {
        let error = error.strip_backtrace();
        exec_datafusion_err!("{}: after row {}: {error}", self.name, self.rows)
    }
}
