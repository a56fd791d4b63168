//! Columns with the position of a row: its file, and its index in the file.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema};
use serde::{Deserialize, Serialize};

/// The names of the columns with the position of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// Index of the file in the list of files: Int64, from 0.
    pub file: String,
    /// Path or address of the file: Utf8.
    pub name: String,
    /// Index of the row in the file: Int64, from 0.
    pub row: String,
}

impl Numbers {
    /// Chooses names that no column of the schema has.
    #[must_use]
    pub fn beside(schema: &Schema) -> Self {
        let known: HashSet<String> = schema
            .fields()
            .iter()
            .map(|field| field.name().to_lowercase())
            .collect();
        let free = |name: &str| {
            let mut name = name.to_owned();
            while known.contains(&name) {
                name.push('_');
            }
            name
        };
        Self {
            file: free("neardup_file_number"),
            name: free("neardup_file_name"),
            row: free("neardup_row_number"),
        }
    }

    /// The columns that are the same for all rows of a file, as [`super::parts`] fills them.
    pub(crate) fn file_fields(&self) -> Vec<FieldRef> {
        vec![
            Arc::new(Field::new(&self.file, DataType::Int64, false)),
            Arc::new(Field::new(&self.name, DataType::Utf8, false)),
        ]
    }
}
