//! The fields of the records of a column, in the form in which they are compared.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use datafusion_common::{Result, exec_datafusion_err};
use neardup_kernels::{Shingle, ShingleScratch, record_fields};

use crate::columns::{Arguments, StructLists};
use crate::normalize_text::compared;

/// Lists of some fields of the records of argument 0. `keep` gets the number of a field, from 1 on, and the field, and
/// returns whether the list of its record has it. Returns the lists, and the numbers of the fields in all of them.
pub(crate) fn lists_of_fields(
    function: &'static str,
    args: &Arguments,
    mut keep: impl FnMut(usize, &str) -> Result<bool>,
) -> Result<(StructLists, ArrayRef)> {
    let records = args.texts(0)?;
    let mut numbers: Vec<i64> = Vec::new();
    let mut lists = StructLists::new(function, args.rows());
    for row in 0..args.rows() {
        let record = records.get(row);
        for (number, field) in (1..).zip(record.into_iter().flat_map(record_fields)) {
            let field = field.map_err(|error| exec_datafusion_err!("{function}: {error}"))?;
            if keep(number, field)? {
                numbers.push(number as i64);
            }
        }
        lists.end_row(record.is_some(), numbers.len())?;
    }
    let numbers = Arc::new(Int64Array::from(numbers)) as ArrayRef;
    Ok((lists, numbers))
}

/// Makes the values of the fields of records that are compared.
pub(crate) struct FieldReader {
    normalize: bool,
    normal: String,
    scratch: ShingleScratch,
}

impl FieldReader {
    pub(crate) fn new(normalize: bool) -> Self {
        Self {
            normalize,
            normal: String::new(),
            scratch: ShingleScratch::default(),
        }
    }

    /// The text of a field as it is compared.
    pub(crate) fn text<'a>(&'a mut self, field: &'a str) -> &'a str {
        compared(field, self.normalize, &mut self.normal)
    }

    /// Replaces `set` by the sorted distinct hashes of the shingles of a field.
    pub(crate) fn set_into(&mut self, field: &str, shingle: Shingle, set: &mut Vec<u64>) {
        set.clear();
        let field = compared(field, self.normalize, &mut self.normal);
        shingle.hashes_into(field, &mut self.scratch, set);
    }
}
