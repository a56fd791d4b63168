//! Plain text: a file is one document, whose id is its path.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringArray};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{Result, exec_datafusion_err, exec_err};

use super::chunk::Chunk;
use super::encoding::NAME_ENCODING;
use super::input::Buffer;

/// The columns of every table of texts; the decoder returns them by these indexes.
pub(super) fn columns() -> Vec<Field> {
    let column = |name: &str| Field::new(name, DataType::Utf8, true);
    vec![column("id"), column("text")]
}

/// The whole text of a file.
pub(super) fn read(name: &str, mut input: Buffer) -> Result<String> {
    let failed = |error| exec_datafusion_err!("{name}: {error}");
    // A byte order mark lies before the text.
    let skipped = input.skipped();
    while input.more().map_err(failed)? {}
    let bytes = input.rest();
    if i32::try_from(bytes.len()).is_err() {
        return exec_err!(
            "{name}: the text has {} bytes, and a document has at most {}",
            bytes.len(),
            i32::MAX
        );
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => exec_err!(
            "{name}: invalid UTF-8 at byte {} of the text{NAME_ENCODING}",
            skipped + error.valid_up_to()
        ),
    }
}

/// The one row of a file.
pub(super) struct Rows {
    name: String,
    columns: Vec<usize>,
    /// The file, until its row was returned.
    input: Option<Buffer>,
}

impl Rows {
    pub(super) fn open(name: &str, input: Buffer, columns: &[usize]) -> Self {
        Self {
            name: name.to_owned(),
            columns: columns.to_vec(),
            input: Some(input),
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Chunk>> {
        let Some(input) = self.input.take() else {
            return Ok(None);
        };
        let text = read(&self.name, input)?;
        let column = |column: &usize| {
            let value = match column {
                0 => &self.name,
                _ => &text,
            };
            Arc::new(StringArray::from(vec![value.as_str()])) as ArrayRef
        };
        Ok(Some(Chunk {
            rows: 1,
            columns: self.columns.iter().map(column).collect(),
        }))
    }
}
