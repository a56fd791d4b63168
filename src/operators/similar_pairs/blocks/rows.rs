//! The rows of a segment with their sets.

use super::columns::Columns;
use super::counts::Counts;
use super::store::{Data, Segment, Store};
use datafusion::arrow::array::{Array, ArrayRef, new_empty_array};
use datafusion::arrow::compute::interleave;
use datafusion::common::{Result, exec_err};
use futures::{StreamExt, TryStreamExt};
use neardup_kernels::pairs::{Block, SetRows};
use neardup_kernels::{Shingle, ShingleScratch};

/// Rows of a segment that have keys which other rows have, with their sets.
#[derive(Debug)]
pub(super) struct Portion {
    pub(super) ids: ArrayRef,
    pub(super) rows: SetRows,
    /// The number of rows of the segment without a key that other rows have.
    pub(super) alone: usize,
}

impl Segment {
    /// An upper bound of the bytes of the segment as a portion of a block, with its index.
    pub(super) fn bytes_in_block(&self) -> usize {
        self.bytes_of_portion() + Block::memory_for(self.rows, self.compared, self.tokens)
    }

    /// An upper bound of the bytes of the segment as a portion, while it is read.
    pub(super) fn bytes_of_portion(&self) -> usize {
        let read = match self.data {
            Data::Held(_) => 0,
            Data::Spilled(_) => self.bytes,
        };
        SetRows::memory_for(self.rows, self.keys, self.tokens) + 16 * self.rows + read
    }
}

impl Portion {
    /// Reads a segment, and computes the sets of its rows.
    pub(super) async fn load(
        store: &Store,
        segment: &Segment,
        counts: &Counts,
        shingle: Shingle,
    ) -> Result<Self> {
        let read: Vec<Columns>;
        let (columns, indices) = match &segment.data {
            Data::Held(indices) => (&store.columns, indices.clone()),
            Data::Spilled(file) => {
                read = store
                    .read(file)?
                    .map(|batch| Columns::of(&batch?))
                    .try_collect()
                    .await?;
                (&read, all_indices(&read))
            }
        };
        let columns_of = |batch: u32| &columns[batch as usize];
        let is_kept = |key: &&u64| counts.is_kept(**key);
        let (mut kept, mut keys, mut tokens) = (Vec::new(), 0, 0);
        let mut alone = 0;
        for (batch, row) in indices {
            let (columns, row) = (columns_of(batch), row as usize);
            alone += usize::from(!columns.keys(row).iter().any(|&key| counts.is_shared(key)));
            if columns.keys(row).iter().any(|&key| counts.is_compared(key)) {
                kept.push((batch as usize, row));
                keys += columns.keys(row).iter().filter(is_kept).count();
                tokens += columns.lengths.value(row) as usize;
            }
        }
        let mut rows = SetRows::with_capacity(kept.len(), keys, tokens);
        let (mut set, mut scratch) = (Vec::new(), ShingleScratch::default());
        for &(batch, row) in &kept {
            let columns = &columns[batch];
            set.clear();
            shingle.hashes_into(columns.text(row), &mut scratch, &mut set);
            let expected = columns.lengths.value(row);
            if set.len() as u64 != expected {
                return exec_err!(
                    "similar_pairs: length {expected} is given for a text of {} shingles ({shingle})",
                    set.len()
                );
            }
            let keys = columns.keys(row).iter().filter(is_kept).copied();
            rows.push(keys, columns.side(row), &set);
        }
        let ids: Vec<&dyn Array> = columns.iter().map(|columns| columns.ids.as_ref()).collect();
        let ids = match kept.is_empty() {
            true => new_empty_array(store.id_type()),
            false => interleave(&ids, &kept)?,
        };
        Ok(Self { ids, rows, alone })
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.rows.memory() + self.ids.get_array_memory_size()
    }
}

/// The batch and the row of every row.
fn all_indices(columns: &[Columns]) -> Vec<(u32, u32)> {
    let batches = columns.iter().enumerate();
    let indices = batches
        .flat_map(|(batch, columns)| (0..columns.len()).map(move |row| (batch as u32, row as u32)));
    indices.collect()
}
