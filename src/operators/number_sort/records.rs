//! Rows of numbers as records of 64-bit words, whose order is that of the rows.

use datafusion::arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray, RecordBatch,
};
use datafusion::arrow::datatypes::{
    DataType, Float64Type, Int32Type, Int64Type, SchemaRef, UInt32Type, UInt64Type,
};
use datafusion::common::{Result, internal_err};
use datafusion::physical_expr::LexOrdering;
use datafusion::physical_expr::expressions::Column;
use std::sync::Arc;

/// A row: the columns that rows are sorted by, then the others.
pub(super) type Record<const WORDS: usize> = [u64; WORDS];

/// The largest number of columns of a row.
pub(super) const MAX_COLUMNS: usize = 4;

/// How the columns of a batch are stored in records.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    schema: SchemaRef,
    /// The columns of a batch, in the order of the words of a record.
    columns: Vec<StoredColumn>,
}

/// A column of a batch, and how its values become words.
#[derive(Debug, Clone, Copy)]
struct StoredColumn {
    index: usize,
    /// The bits that differ between a value, extended to 64 bits, and its word.
    flipped: u64,
}

impl Layout {
    /// The layout of rows that are sorted by columns of integers. `None` if another type is among their columns, there
    /// are too many of them, or rows are sorted by something else.
    pub(super) fn of(schema: &SchemaRef, order: &LexOrdering) -> Option<Self> {
        let fields = schema.fields();
        let are_numbers = fields.iter().all(|field| {
            let data_type = field.data_type();
            is_integer(data_type) || *data_type == DataType::Float64
        });
        if !are_numbers || fields.is_empty() || fields.len() > MAX_COLUMNS {
            return None;
        }
        let mut columns: Vec<StoredColumn> = Vec::new();
        for sorted in order {
            let index = sorted.expr.downcast_ref::<Column>()?.index();
            let data_type = fields.get(index)?.data_type();
            if !is_integer(data_type) {
                return None;
            }
            // The first of two orders of a column decides.
            if columns.iter().all(|column| column.index != index) {
                let sign = if data_type.is_signed_integer() {
                    1 << 63
                } else {
                    0
                };
                columns.push(StoredColumn {
                    index,
                    flipped: if sorted.options.descending {
                        !sign
                    } else {
                        sign
                    },
                });
            }
        }
        for index in 0..fields.len() {
            if columns.iter().all(|column| column.index != index) {
                columns.push(StoredColumn { index, flipped: 0 });
            }
        }
        Some(Self {
            schema: Arc::clone(schema),
            columns,
        })
    }

    /// The number of words of a record.
    pub(super) fn words(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Whether records can hold the rows of a batch: none of its values is NULL.
    pub(super) fn can_hold(batch: &RecordBatch) -> bool {
        let mut columns = batch.columns().iter();
        columns.all(|column| column.null_count() == 0)
    }

    /// Appends the rows of a batch.
    pub(super) fn append<const WORDS: usize>(
        &self,
        batch: &RecordBatch,
        out: &mut Vec<Record<WORDS>>,
    ) -> Result<()> {
        let first = out.len();
        out.resize(first + batch.num_rows(), [0; WORDS]);
        for (word, column) in self.columns.iter().enumerate() {
            let values = batch.column(column.index);
            let records = &mut out[first..];
            let flipped = column.flipped;
            match values.data_type() {
                DataType::Int32 => {
                    let values = values.as_primitive::<Int32Type>().values().iter();
                    fill(
                        records,
                        word,
                        flipped,
                        values.map(|&value| i64::from(value) as u64),
                    );
                }
                DataType::Int64 => {
                    let values = values.as_primitive::<Int64Type>().values().iter();
                    fill(records, word, flipped, values.map(|&value| value as u64));
                }
                DataType::UInt32 => {
                    let values = values.as_primitive::<UInt32Type>().values().iter();
                    fill(
                        records,
                        word,
                        flipped,
                        values.map(|&value| u64::from(value)),
                    );
                }
                DataType::UInt64 => {
                    let values = values.as_primitive::<UInt64Type>().values().iter();
                    fill(records, word, flipped, values.copied());
                }
                DataType::Float64 => {
                    let values = values.as_primitive::<Float64Type>().values().iter();
                    fill(records, word, flipped, values.map(|value| value.to_bits()));
                }
                other => return internal_err!("NumberSortExec: {other} is no type of numbers"),
            }
        }
        Ok(())
    }

    /// The rows of records.
    pub(super) fn batch<const WORDS: usize>(
        &self,
        records: &[Record<WORDS>],
    ) -> Result<RecordBatch> {
        let mut columns: Vec<(usize, ArrayRef)> = Vec::with_capacity(WORDS);
        for (word, column) in self.columns.iter().enumerate() {
            let words = records.iter().map(|record| record[word] ^ column.flipped);
            let values: ArrayRef = match self.schema.field(column.index).data_type() {
                DataType::Int32 => array::<Int32Type>(words.map(|word| word as i32)),
                DataType::Int64 => array::<Int64Type>(words.map(|word| word as i64)),
                DataType::UInt32 => array::<UInt32Type>(words.map(|word| word as u32)),
                DataType::UInt64 => array::<UInt64Type>(words),
                DataType::Float64 => array::<Float64Type>(words.map(f64::from_bits)),
                other => return internal_err!("NumberSortExec: {other} is no type of numbers"),
            };
            columns.push((column.index, values));
        }
        columns.sort_unstable_by_key(|(index, _)| *index);
        let columns = columns.into_iter().map(|(_, values)| values);
        Ok(RecordBatch::try_new(
            Arc::clone(&self.schema),
            columns.collect(),
        )?)
    }
}

fn is_integer(data_type: &DataType) -> bool {
    use DataType::{Int32, Int64, UInt32, UInt64};
    matches!(data_type, Int32 | Int64 | UInt32 | UInt64)
}

/// Sets a word of each record.
fn fill<const WORDS: usize>(
    records: &mut [Record<WORDS>],
    word: usize,
    flipped: u64,
    values: impl Iterator<Item = u64>,
) {
    for (record, value) in records.iter_mut().zip(values) {
        record[word] = value ^ flipped;
    }
}

fn array<T: ArrowPrimitiveType>(values: impl Iterator<Item = T::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter_values(values))
}

/// Ranges of the first word of records, in ascending order: buckets of about the same width.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buckets {
    min: u64,
    shift: u32,
    count: usize,
}

/// Records are distributed to at most so many buckets at a time: the end of each has a page in the cache of addresses of
/// a core.
const MAX_BUCKETS: usize = 1 << 9;
/// A bucket that is sorted by itself has about this many records, if the first words are uniformly distributed.
const RECORDS_OF_BUCKET: usize = 1 << 6;

impl Buckets {
    /// The buckets of some records.
    pub(super) fn of<const WORDS: usize>(parts: &[&[Record<WORDS>]]) -> Self {
        let words = || parts.iter().copied().flatten().map(|record| record[0]);
        let (min, max) = words().fold((u64::MAX, 0), |(min, max), word| {
            (min.min(word), max.max(word))
        });
        let records: usize = parts.iter().map(|part| part.len()).sum();
        let range = max.saturating_sub(min);
        let wanted = (records / RECORDS_OF_BUCKET).clamp(1, MAX_BUCKETS);
        let mut shift = 0;
        while (range >> shift) as usize >= wanted && shift < 63 {
            shift += 1;
        }
        Self {
            min,
            shift,
            count: (range >> shift) as usize + 1,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    fn bucket<const WORDS: usize>(&self, record: &Record<WORDS>) -> usize {
        ((record[0] - self.min) >> self.shift) as usize
    }

    /// Moves each record into its bucket, in place, and returns where each bucket begins, and the end of the last one.
    /// (McIlroy, Bostic, McIlroy, "Engineering Radix Sort", 1993.)
    pub(super) fn distribute<const WORDS: usize>(
        &self,
        records: &mut [Record<WORDS>],
    ) -> Vec<usize> {
        let mut starts = vec![0; self.count + 1];
        for record in records.iter() {
            starts[self.bucket(record) + 1] += 1;
        }
        for bucket in 0..self.count {
            starts[bucket + 1] += starts[bucket];
        }
        let mut next = starts.clone();
        for bucket in 0..self.count {
            let end = starts[bucket + 1];
            while next[bucket] < end {
                let at = next[bucket];
                let wanted = self.bucket(&records[at]);
                records.swap(at, next[wanted]);
                next[wanted] += 1;
            }
        }
        starts
    }
}

/// Sorts records, first into buckets.
pub(super) fn sort<const WORDS: usize>(records: &mut [Record<WORDS>]) {
    let buckets = Buckets::of(&[&*records]);
    let starts = buckets.distribute(records);
    for bucket in starts.windows(2) {
        records[bucket[0]..bucket[1]].sort_unstable();
    }
}
