//! The options of a `decontaminate` job.

use crate::functions::Value;
use crate::jobs::defaults::default;
use crate::jobs::row_ids::RowIds;
use crate::parameters::parameter;
use datafusion::common::Result;
use std::collections::BTreeMap;

words! {
    /// What is done with a row that contains an item.
    pub enum Action("action") {
        /// The row is left out.
        Drop = "drop",
        /// The item is cut out of the text of the row.
        Cut = "cut",
        /// The row is kept, with true in the column [`CONTAMINATED`].
        Mark = "mark",
    }
}

/// The column that [`Action::Mark`] adds.
pub(super) const CONTAMINATED: &str = "contaminated";

/// A `decontaminate` job.
#[derive(Debug, Clone)]
pub struct Decontaminate {
    /// The corpus: files, directories or globs, by path or address.
    pub inputs: Vec<String>,
    /// The items of benchmark sets: files, directories or globs, by path or address.
    pub against: Vec<String>,
    /// The job's directory: a path or an address.
    pub output: String,
    /// The id column of the corpus; `None`: `id` if there is such a column, else row numbers.
    pub id: Option<String>,
    /// How ids are made for a corpus without an id column.
    pub row_ids: RowIds,
    /// The text column of the corpus; `None`: `text`.
    pub text: Option<String>,
    /// The id column of the items; `None`: `id` if there is such a column, else the path of the file and the row number.
    pub item_id: Option<String>,
    /// The column of the items with their benchmark; `None`: `benchmark`, if there is such a column.
    pub item_benchmark: Option<String>,
    /// The text columns of the items, each of which is an item of its own; the texts of a list are its lines. Empty: `text`.
    pub item_text: Vec<String>,
    /// Minimum share of an item's words that runs hold, in (0, 1].
    pub min_coverage: f64,
    /// Minimum number of words of a run, in 1..=64.
    pub min_run: usize,
    /// N-grams that occur in more distinct items than this are ignored.
    pub max_items: usize,
    /// Items of fewer words are not looked for.
    pub min_words: usize,
    /// What is done with a row that contains an item.
    pub action: Action,
    /// Whether to replace a job with other parameters in the directory.
    pub overwrite: bool,
}

impl Decontaminate {
    /// A job with default options.
    pub fn new(inputs: Vec<String>, against: Vec<String>, output: String) -> Self {
        Self {
            inputs,
            against,
            output,
            id: None,
            row_ids: default("row_ids"),
            text: None,
            item_id: None,
            item_benchmark: None,
            item_text: Vec::new(),
            min_coverage: default("min_coverage"),
            min_run: default("min_run"),
            max_items: default("max_items"),
            min_words: default("min_words.items"),
            action: default("action"),
            overwrite: false,
        }
    }

    /// All parameters that the result depends on, for the manifest.
    pub(super) fn parameters(&self) -> BTreeMap<String, serde_json::Value> {
        let mut parameters = BTreeMap::from([
            ("id".to_owned(), self.id.clone().into()),
            ("text".to_owned(), self.text.clone().into()),
            ("item_id".to_owned(), self.item_id.clone().into()),
            ("item_text".to_owned(), self.item_text.clone().into()),
            ("min_coverage".to_owned(), self.min_coverage.into()),
            ("min_run".to_owned(), self.min_run.into()),
            ("max_items".to_owned(), self.max_items.into()),
            ("min_words".to_owned(), self.min_words.into()),
            ("action".to_owned(), self.action.word().into()),
        ]);
        if let Some(column) = &self.item_benchmark {
            parameters.insert("item_benchmark".to_owned(), column.clone().into());
        }
        if self.row_ids != RowIds::Number {
            parameters.insert("row_ids".to_owned(), self.row_ids.word().into());
        }
        parameters
    }

    pub(super) fn values(&self) -> BTreeMap<String, Value> {
        let integer = |number: usize| Value::Integer(number as i64);
        BTreeMap::from([
            ("min_coverage".to_owned(), Value::Number(self.min_coverage)),
            ("min_run".to_owned(), integer(self.min_run)),
            ("max_items".to_owned(), integer(self.max_items)),
            ("min_words".to_owned(), integer(self.min_words)),
        ])
    }

    pub(super) fn check_ranges(&self) -> Result<()> {
        for (entry, value) in [
            ("min_coverage", self.min_coverage.to_string()),
            ("min_run", self.min_run.to_string()),
            ("max_items", self.max_items.to_string()),
            ("min_words.items", self.min_words.to_string()),
        ] {
            parameter(entry).read(&value)?;
        }
        Ok(())
    }
}
