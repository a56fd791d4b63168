//! Collects the rows of one part from batches.

use super::{Candidates, Spec, Verify};
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeListArray, Int8Array, ListArray, RecordBatch, UInt8Array,
    UInt64Array,
};
use datafusion::arrow::compute::{
    SortColumn, SortOptions, cast, concat, lexsort_to_indices, partition, sort_to_indices, take,
};
use datafusion::arrow::datatypes::{DataType, Int8Type, UInt32Type, UInt64Type};
use datafusion::common::{
    DataFusionError, Result, ScalarValue, exec_datafusion_err, exec_err, internal_datafusion_err,
    internal_err,
};
use neardup_kernels::VectorColumn;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Lists of 64-bit values, concatenated.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) values: Vec<u64>,
    /// The start of each list, and the end of the last one.
    pub(super) offsets: Vec<usize>,
}

impl Default for Lists {
    fn default() -> Self {
        Self {
            values: vec![],
            offsets: vec![0],
        }
    }
}

impl Lists {
    fn extend(&mut self, array: &ArrayRef, rows: &[usize]) -> Result<()> {
        match array.data_type() {
            DataType::List(_) => {
                let lists: &ListArray = array.as_list();
                let values = u64_values(lists.values())?;
                let offsets = lists.value_offsets();
                for &row in rows {
                    if lists.is_valid(row) {
                        let (start, end) = (offsets[row] as usize, offsets[row + 1] as usize);
                        self.values.extend_from_slice(&values.values()[start..end]);
                    }
                    self.offsets.push(self.values.len());
                }
            }
            DataType::FixedSizeList(_, _) => {
                let lists: &FixedSizeListArray = array.as_fixed_size_list();
                let values = u64_values(lists.values())?;
                for &row in rows {
                    if lists.is_valid(row) {
                        let start = lists.value_offset(row) as usize;
                        let end = start + lists.value_length() as usize;
                        self.values.extend_from_slice(&values.values()[start..end]);
                    }
                    self.offsets.push(self.values.len());
                }
            }
            other => {
                return internal_err!(
                    "similar_pairs: expected lists of 64-bit integers, found {other}"
                );
            }
        }
        Ok(())
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        8 * (self.values.capacity() + self.offsets.capacity())
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.values[self.offsets[row]..self.offsets[row + 1]]
    }

    /// The same lists in another order.
    fn reorder(&self, order: &[u32]) -> Self {
        let mut sorted = Self::default();
        sorted.values.reserve_exact(self.values.len());
        sorted.offsets.reserve_exact(order.len());
        for &row in order {
            sorted.values.extend_from_slice(self.row(row as usize));
            sorted.offsets.push(sorted.values.len());
        }
        sorted
    }
}

fn u64_values(values: &ArrayRef) -> Result<UInt64Array> {
    let wide = cast(values, &DataType::UInt64)?;
    Ok(wide.as_primitive::<UInt64Type>().clone())
}

/// Texts, concatenated.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) bytes: String,
    /// The start of each text in bytes, and the end of the last one.
    pub(super) offsets: Vec<usize>,
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            bytes: String::new(),
            offsets: vec![0],
        }
    }
}

/// Bit signatures of equal length, as 64-bit words.
#[derive(Debug, Default)]
pub(super) struct Signatures {
    pub(super) words: Vec<u64>,
    /// Bytes of each signature, known after the first one.
    bytes: Option<usize>,
}

impl Signatures {
    /// Number of words of a signature, at least 1.
    pub(super) fn width(&self) -> usize {
        self.bytes.unwrap_or(0).div_ceil(8).max(1)
    }

    fn push(&mut self, signature: &[u8]) -> Result<()> {
        let bytes = *self.bytes.get_or_insert(signature.len());
        if bytes != signature.len() {
            return exec_err!(
                "signatures of {bytes} and of {} bytes cannot be compared",
                signature.len()
            );
        }
        let before = self.words.len();
        let (words, last) = signature.as_chunks();
        self.words
            .extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        if !last.is_empty() || signature.is_empty() {
            let mut word = [0; 8];
            word[..last.len()].copy_from_slice(last);
            self.words.push(u64::from_le_bytes(word));
        }
        debug_assert_eq!(self.words.len() - before, self.width());
        Ok(())
    }

    fn reorder(&self, order: &[u32]) -> Self {
        let width = self.width();
        let mut words = Vec::with_capacity(self.words.len());
        for &row in order {
            words.extend_from_slice(&self.words[row as usize * width..(row as usize + 1) * width]);
        }
        Self {
            words,
            bytes: self.bytes,
        }
    }
}

/// The rows of one part.
#[derive(Debug, Default)]
pub(super) struct PartRows {
    ids: Vec<ArrayRef>,
    pub(super) keys: Lists,
    pub(super) sets: Lists,
    pub(super) texts: Texts,
    pub(super) signatures: Signatures,
    pub(super) vectors: VectorColumn,
    pub(super) sides: Vec<u8>,
    /// Whether the sides are rows of one relation.
    pub(super) self_join: bool,
    group_values: Vec<ArrayRef>,
    /// Bytes of `ids` and `group_values`, which have many arrays if batches are small.
    array_bytes: usize,
}

/// A part whose rows are sorted by id, ascending.
pub(super) struct SortedPart {
    pub(super) ids: ArrayRef,
    pub(super) rows: PartRows,
    /// The dot product of each vector with itself.
    pub(super) norms: Vec<f64>,
    /// All zero, one more than there are rows: the offsets of lists that are all empty.
    pub(super) zeros: Vec<usize>,
    /// For each row a number that is equal for rows with equal `group_value`, and whether it is not NULL.
    pub(super) groups: Option<(Vec<u64>, Vec<bool>)>,
}

impl PartRows {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.array_bytes
            + self.keys.bytes()
            + self.sets.bytes()
            + self.texts.bytes.capacity()
            + 8 * self.texts.offsets.capacity()
            + 8 * self.signatures.words.capacity()
            + self.vectors.memory()
            + self.sides.capacity()
    }

    /// Additional bytes that sorting takes: columns are reordered one after the other. The sort indices, and the
    /// numbers that [`SortedPart`] adds to the rows, are included.
    pub(super) fn bytes_to_sort(&self) -> usize {
        let largest = [
            self.keys.bytes(),
            self.sets.bytes(),
            self.texts.bytes.capacity() + 8 * self.texts.offsets.capacity(),
            8 * self.signatures.words.capacity(),
            self.vectors.memory(),
        ];
        let rows: usize = self.ids.iter().map(|ids| ids.len()).sum();
        largest.into_iter().max().unwrap_or(0)
            + 2 * self.array_bytes
            + rows * (size_of::<u32>() + 2 * size_of::<usize>() + size_of::<f64>())
    }

    /// Checks that 32-bit row indices suffice.
    fn check_rows(&self) -> Result<()> {
        let rows: usize = self.ids.iter().map(|ids| ids.len()).sum();
        // The largest index is reserved for "no row".
        match rows < u32::MAX as usize {
            true => Ok(()),
            false => exec_err!(
                "similar_pairs: {rows} rows in one part of a join, at most {} fit: raise the number of parts",
                u32::MAX - 1
            ),
        }
    }

    /// Adds rows of a batch.
    pub(super) fn extend(
        &mut self,
        spec: &Spec,
        batch: &RecordBatch,
        rows: &[usize],
    ) -> Result<()> {
        let indices = UInt64Array::from_iter_values(rows.iter().map(|&row| row as u64));
        let column = |name: &str| {
            batch
                .column_by_name(name)
                .ok_or_else(|| internal_datafusion_err!("similar_pairs: no column '{name}'"))
        };
        let ids = column("id")?;
        let taken = take(ids, &indices, None)?;
        self.array_bytes += taken.get_array_memory_size();
        self.ids.push(taken);
        if spec.candidates == Candidates::Keys {
            self.keys.extend(column("keys")?, rows)?;
        }
        if spec.reads_signatures() {
            let signatures = cast(column("signature")?, &DataType::Binary)?;
            let signatures = signatures.as_binary::<i32>();
            for &row in rows {
                self.signatures
                    .push(signatures.value(row))
                    .map_err(|error| of_id(ids, row, &error.message()))?;
            }
        }
        match spec.verify {
            Verify::Exact | Verify::Containment => self.sets.extend(column("tokens")?, rows)?,
            Verify::Estimate => self.sets.extend(column("signature")?, rows)?,
            Verify::Edit => {
                let texts = cast(column("text")?, &DataType::Utf8View)?;
                let texts = texts.as_string_view();
                for &row in rows {
                    if texts.is_valid(row) {
                        self.texts.bytes.push_str(texts.value(row));
                    }
                    self.texts.offsets.push(self.texts.bytes.len());
                }
            }
            Verify::Cosine => {
                let vectors = cast(column("vector")?, &DataType::BinaryView)?;
                let vectors = vectors.as_binary_view();
                for &row in rows {
                    self.vectors
                        .push(vectors.value(row))
                        .map_err(|error| of_id(ids, row, &error))?;
                }
            }
            Verify::Hamming | Verify::None => {}
        }
        if spec.has_two_groups() {
            let second = column("in_second_group")?.as_boolean();
            let of_two_groups = rows.iter().filter(|&&row| second.is_valid(row));
            self.sides
                .extend(of_two_groups.map(|&row| u8::from(second.value(row))));
            self.self_join = true;
        }
        if spec.two_sides {
            let sides = cast(column("side")?, &DataType::Int8)?;
            let sides: &Int8Array = sides.as_primitive::<Int8Type>();
            self.sides
                .extend(rows.iter().map(|&row| u8::from(sides.value(row) != 0)));
        }
        if spec.compares_groups() {
            let taken = take(column("group_value")?, &indices, None)?;
            self.array_bytes += taken.get_array_memory_size();
            self.group_values.push(taken);
        }
        Ok(())
    }

    /// Sorts the rows by id.
    pub(super) fn sort(self) -> Result<SortedPart> {
        self.check_rows()?;
        let ids: Vec<&dyn Array> = self.ids.iter().map(AsRef::as_ref).collect();
        let ids = concat(&ids)?;
        // The same id may occur on both sides. The side decides their order, on which windows depend.
        let indices = match self.self_join || self.sides.len() != ids.len() {
            true => sort_to_indices(&ids, Some(SortOptions::default()), None)?,
            false => {
                let sides: ArrayRef = Arc::new(UInt8Array::from(self.sides.clone()));
                let column = |values: &ArrayRef| SortColumn {
                    values: Arc::clone(values),
                    options: None,
                };
                lexsort_to_indices(&[column(&ids), column(&sides)], None)?
            }
        };
        let order = indices.values();
        let ids = take(&ids, &indices, None)?;
        let is_sorted = order
            .iter()
            .enumerate()
            .all(|(position, &row)| position == row as usize);
        let reorder = |lists: Lists| match is_sorted || lists.offsets.len() == 1 {
            true => lists,
            false => lists.reorder(order),
        };
        let groups = match self.group_values.is_empty() {
            true => None,
            false => {
                let values: Vec<&dyn Array> = self.group_values.iter().map(AsRef::as_ref).collect();
                Some(group_numbers(&take(&concat(&values)?, &indices, None)?)?)
            }
        };
        let mut texts = Texts::default();
        if self.texts.offsets.len() > 1 {
            for &row in order {
                let (start, end) = (
                    self.texts.offsets[row as usize],
                    self.texts.offsets[row as usize + 1],
                );
                texts.bytes.push_str(&self.texts.bytes[start..end]);
                texts.offsets.push(texts.bytes.len());
            }
        }
        let sides = match self.sides.len() == order.len() {
            false => self.sides,
            true => order.iter().map(|&row| self.sides[row as usize]).collect(),
        };
        let signatures = match is_sorted || self.signatures.words.is_empty() {
            true => self.signatures,
            false => self.signatures.reorder(order),
        };
        let vectors = match is_sorted {
            true => self.vectors,
            false => self.vectors.reorder(order),
        };
        let zeros = vec![0; ids.len() + 1];
        let norms = vectors.values(&zeros).norms();
        Ok(SortedPart {
            ids,
            rows: Self {
                ids: vec![],
                keys: reorder(self.keys),
                sets: reorder(self.sets),
                texts,
                signatures,
                vectors,
                sides,
                self_join: self.self_join,
                group_values: vec![],
                array_bytes: 0,
            },
            norms,
            zeros,
            groups,
        })
    }
}

/// Adds the id of the row to an error.
fn of_id(ids: &ArrayRef, row: usize, error: &dyn std::fmt::Display) -> DataFusionError {
    let id =
        ScalarValue::try_from_array(ids, row).map_or_else(|_| String::new(), |id| id.to_string());
    exec_datafusion_err!("similar_pairs: id {id} is incompatible with the other rows: {error}")
}

/// Numbers that are equal for equal values, and which values are not NULL.
fn group_numbers(values: &ArrayRef) -> Result<(Vec<u64>, Vec<bool>)> {
    let indices = sort_to_indices(values, Some(SortOptions::default()), None)?;
    let sorted = take(values, &indices, None)?;
    let mut numbers = vec![0; values.len()];
    for (number, range) in partition(&[sorted])?.ranges().into_iter().enumerate() {
        for position in range {
            numbers[indices.value(position) as usize] = number as u64;
        }
    }
    let valid = (0..values.len()).map(|row| values.is_valid(row)).collect();
    Ok((numbers, valid))
}

/// The row indices of a batch that can be in a pair, by part. Rows without an id, keys, signature or vector are left
/// out.
pub(super) fn rows_by_part(spec: &Spec, batch: &RecordBatch) -> Result<BTreeMap<u32, Vec<usize>>> {
    let column = |name: &str| {
        batch
            .column_by_name(name)
            .ok_or_else(|| internal_datafusion_err!("similar_pairs: no column '{name}'"))
    };
    let parts = cast(column("part")?, &DataType::UInt32)?;
    let parts = parts.as_primitive::<UInt32Type>();
    let mut needed = vec![column("id")?];
    match spec.candidates {
        Candidates::Keys => needed.push(column("keys")?),
        _ => needed.extend(spec.verify.column().map(column).transpose()?),
    }
    if spec.reads_signatures() {
        needed.push(column("signature")?);
    }
    let mut rows: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for row in 0..batch.num_rows() {
        if parts.is_valid(row) && needed.iter().all(|column| column.is_valid(row)) {
            rows.entry(parts.value(row)).or_default().push(row);
        }
    }
    Ok(rows)
}

/// The rows of a task by part, all of them in memory.
#[derive(Debug, Default)]
pub(super) struct TaskRows {
    pub(super) parts: BTreeMap<u32, PartRows>,
}

impl TaskRows {
    /// Adds a batch.
    pub(super) fn extend(&mut self, spec: &Spec, batch: &RecordBatch) -> Result<()> {
        for (part, rows) in rows_by_part(spec, batch)? {
            let part = self.parts.entry(part).or_default();
            part.extend(spec, batch, &rows)?;
        }
        Ok(())
    }
}
