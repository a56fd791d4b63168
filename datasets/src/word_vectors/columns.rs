//! The columns of the table, and the conversion of words and vectors to record batches.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{
    ArrayRef, Float32Array, ListArray, RecordBatch, RecordBatchOptions, StringBuilder,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::common::Result;

/// Indexes of the columns in the schema.
const WORD: usize = 0;
const VECTOR: usize = 1;

/// The schema of [`super::WordVectorTable`]: `word` (Utf8) and `vector` (List of Float32), never NULL.
pub fn word_vector_schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        Arc::new(Schema::new(vec![
            Field::new("word", DataType::Utf8, false),
            Field::new("vector", DataType::List(number()), false),
        ]))
    });
    Arc::clone(&SCHEMA)
}

/// The field of the numbers of a vector. It allows NULL, as SQL's own lists do.
fn number() -> FieldRef {
    Arc::new(Field::new_list_field(DataType::Float32, true))
}

/// Number of bytes of vectors after which a batch is full.
const MAX_BATCH_BYTES: usize = 4 << 20;

/// Collects rows into batches of some of the columns.
pub(super) struct BatchBuilder {
    schema: SchemaRef,
    columns: Vec<usize>,
    dimension: usize,
    words: StringBuilder,
    numbers: Vec<f32>,
    rows: usize,
    max_rows: usize,
}

impl BatchBuilder {
    /// `columns` are indexes in [`word_vector_schema`]; a batch has at most `max_rows` rows.
    pub(super) fn new(columns: &[usize], dimension: usize, max_rows: usize) -> Result<Self> {
        let fit = MAX_BATCH_BYTES / (dimension * size_of::<f32>()).max(1);
        Ok(Self {
            schema: Arc::new(word_vector_schema().project(columns)?),
            columns: columns.to_vec(),
            dimension,
            words: StringBuilder::new(),
            numbers: Vec::new(),
            rows: 0,
            max_rows: max_rows.min(fit).max(1),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows >= self.max_rows
    }

    /// The buffer to which the numbers of the next row are appended.
    pub(super) fn numbers(&mut self) -> &mut Vec<f32> {
        &mut self.numbers
    }

    /// Adds a row whose numbers were appended.
    pub(super) fn push(&mut self, word: &str) {
        if self.columns.contains(&WORD) {
            self.words.append_value(word);
        }
        if !self.columns.contains(&VECTOR) {
            self.numbers.clear();
        }
        self.rows += 1;
    }

    /// Returns the rows so far as a batch, and starts the next one.
    pub(super) fn finish(&mut self) -> Result<RecordBatch> {
        let mut arrays = Vec::new();
        for &column in &self.columns {
            let array: ArrayRef = match column {
                WORD => Arc::new(self.words.finish()),
                _ => {
                    let numbers = std::mem::take(&mut self.numbers);
                    let lengths = std::iter::repeat_n(self.dimension, self.rows);
                    Arc::new(ListArray::try_new(
                        number(),
                        OffsetBuffer::from_lengths(lengths),
                        Arc::new(Float32Array::from(numbers)),
                        None,
                    )?)
                }
            };
            arrays.push(array);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        self.rows = 0;
        Ok(RecordBatch::try_new_with_options(
            Arc::clone(&self.schema),
            arrays,
            &options,
        )?)
    }
}
