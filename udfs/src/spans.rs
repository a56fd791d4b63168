//! Columns of spans: lists of structs with offsets in characters, or in words.

use std::ops::Range;

use arrow::array::{Array, Int64Array};
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err};

use crate::columns::{Arguments, Records, check_fields};

/// The spans of each row.
pub(crate) struct Spans {
    function: &'static str,
    fields: [&'static str; 2],
    records: Records,
    starts: Int64Array,
    ends: Int64Array,
}

impl Spans {
    /// The fields of spans of characters.
    pub(crate) const CHARS: [&'static str; 2] = ["start_char", "end_char"];
    /// The fields of spans of words.
    pub(crate) const WORDS: [&'static str; 2] = ["first_word", "end_word"];

    /// Checks the type of a column of spans.
    pub(crate) fn check(function: &str, data_type: &DataType, fields: [&str; 2]) -> Result<()> {
        check_fields(function, data_type, &fields, &[])
    }

    pub(crate) fn new(
        function: &'static str,
        args: &Arguments,
        index: usize,
        fields: [&'static str; 2],
    ) -> Result<Self> {
        let records = args.records(index)?;
        Ok(Self {
            function,
            fields,
            starts: records.integers(fields[0])?,
            ends: records.integers(fields[1])?,
            records,
        })
    }

    /// Whether a row has a list of spans, which may be empty.
    pub(crate) fn has(&self, row: usize) -> bool {
        self.records.get(row).is_some()
    }

    /// The spans of a row; none if it is NULL.
    ///
    /// # Errors
    /// If an offset is NULL or negative, or a span ends before its start.
    pub(crate) fn row(&self, row: usize, out: &mut Vec<Range<usize>>) -> Result<()> {
        out.clear();
        for at in self.records.get(row).into_iter().flatten() {
            let is_null = self.starts.is_null(at) || self.ends.is_null(at);
            let offsets = [&self.starts, &self.ends];
            let [start, end] = offsets.map(|offsets| usize::try_from(offsets.value(at)));
            match (start, end) {
                (Ok(start), Ok(end)) if !is_null && start <= end => out.push(start..end),
                _ => {
                    let [start, end] = offsets.map(|offsets| match offsets.is_null(at) {
                        true => "NULL".to_owned(),
                        false => offsets.value(at).to_string(),
                    });
                    let [first, last] = self.fields;
                    return exec_err!(
                        "{}: a span goes from {first} >= 0 to {last} >= {first}, found {start} and {end}",
                        self.function
                    );
                }
            }
        }
        Ok(())
    }
}
