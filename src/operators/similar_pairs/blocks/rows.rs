//! The rows of a segment with their sets.

use super::columns::Columns;
use super::counts::Counts;
use super::store::{Data, Segment, Sizes, Store};
use crate::operators::similar_pairs::spool::compact_column;
use datafusion::arrow::array::{Array, ArrayRef, new_empty_array};
use datafusion::arrow::compute::interleave;
use datafusion::common::{Result, exec_err};
use futures::{StreamExt, TryStreamExt};
use neardup_kernels::pairs::{Block, Prober, SetRow, SetRows};
use neardup_kernels::{Shingle, ShingleScratch};
use std::borrow::Cow;

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
        let Sizes {
            rows,
            compared,
            tokens,
            ..
        } = self.kept;
        self.bytes_of_portion() + Block::memory_for(rows, compared, tokens)
    }

    /// An upper bound of the bytes of the segment as a portion, while it is read.
    pub(super) fn bytes_of_portion(&self) -> usize {
        let read = match self.data {
            Data::Held(_) => 0,
            Data::Spilled(_) => self.bytes,
        };
        let kept = self.kept;
        SetRows::memory_for(kept.rows, kept.keys, kept.tokens) + 16 * self.all.rows + read
    }
}

impl Portion {
    /// Reads a segment, and computes the sets of its rows. With a block, they are those of the rows that may be similar
    /// to one of its rows.
    pub(super) async fn load(
        store: &Store,
        segment: &Segment,
        counts: &Counts,
        shingle: Shingle,
        mut probed: Option<(&Block, &mut Prober)>,
    ) -> Result<Self> {
        let rows = Rows::read(store, segment).await?;
        let columns = rows.columns(store);
        let is_kept = |key: &&u64| counts.is_kept(**key);
        let (mut kept, mut sizes) = (Vec::new(), Sizes::default());
        let mut kept_keys = Vec::new();
        let mut alone = 0;
        for &(batch, row) in rows.indices.iter() {
            let (batch, row) = (batch as usize, row as usize);
            let of_batch = &columns[batch];
            let keys = of_batch.keys(row);
            alone += usize::from(!keys.iter().any(|&key| counts.is_shared(key)));
            if let Some((block, prober)) = &mut probed {
                kept_keys.clear();
                kept_keys.extend(keys.iter().filter(is_kept));
                let length = of_batch.lengths.value(row) as usize;
                if !prober.may_pair(block, of_batch.with_keys(row, &kept_keys), length) {
                    continue;
                }
            }
            if sizes.add(of_batch, row, counts, probed.is_some()) {
                kept.push((batch, row));
            }
        }
        let mut sets = SetRows::with_capacity(kept.len(), sizes.keys, sizes.tokens);
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
            let row = SetRow {
                set: &set,
                ..columns.with_keys(row, &[])
            };
            sets.push(row, keys);
        }
        let ids: Vec<&dyn Array> = columns.iter().map(|columns| columns.ids.as_ref()).collect();
        let ids = match kept.is_empty() {
            true => new_empty_array(store.id_type()),
            // Without the bytes of the other rows of their batches.
            false => compact_column(&interleave(&ids, &kept)?),
        };
        Ok(Self {
            ids,
            rows: sets,
            alone,
        })
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.rows.memory() + self.ids.get_array_memory_size()
    }
}

impl Sizes {
    /// Adds a row, if it is compared within blocks, and returns whether it is. A row that does not probe one is in it.
    fn add(&mut self, columns: &Columns, row: usize, counts: &Counts, probes: bool) -> bool {
        let keys = columns.keys(row);
        let role = columns.role(row);
        let is_compared = keys
            .iter()
            .any(|&key| counts.is_compared(key) && (probes || counts.indexes(role, key)));
        if is_compared {
            let kept = keys.iter().filter(|&&key| counts.is_kept(key)).count();
            self.rows += 1;
            self.keys += kept;
            // The index of a block has no other keys.
            self.compared += kept;
            self.tokens += columns.lengths.value(row) as usize;
        }
        is_compared
    }
}

/// The rows of a segment that have keys which other rows have.
pub(super) async fn kept(store: &Store, segment: &Segment, counts: &Counts) -> Result<Sizes> {
    let rows = Rows::read(store, segment).await?;
    let columns = rows.columns(store);
    let mut sizes = Sizes::default();
    for &(batch, row) in rows.indices.iter() {
        sizes.add(&columns[batch as usize], row as usize, counts, false);
    }
    Ok(sizes)
}

/// The rows of a segment in memory.
struct Rows<'a> {
    /// The batches of a segment on disk; `None`: the batches are in the store.
    read: Option<Vec<Columns>>,
    /// The batch and the row of each.
    indices: Cow<'a, [(u32, u32)]>,
}

impl<'a> Rows<'a> {
    async fn read(store: &Store, segment: &'a Segment) -> Result<Self> {
        let file = match &segment.data {
            Data::Held(indices) => {
                return Ok(Self {
                    read: None,
                    indices: Cow::Borrowed(indices),
                });
            }
            Data::Spilled(file) => file,
        };
        let batches = store.read(file)?;
        let batches = batches.map(|batch| Columns::of(&batch?, store.part()));
        let read: Vec<Columns> = batches.try_collect().await?;
        let batches = read.iter().enumerate();
        let indices = batches.flat_map(|(batch, columns)| {
            (0..columns.len()).map(move |row| (batch as u32, row as u32))
        });
        Ok(Self {
            indices: indices.collect(),
            read: Some(read),
        })
    }

    fn columns<'b>(&'b self, store: &'b Store) -> &'b [Columns] {
        self.read.as_deref().unwrap_or(&store.columns)
    }
}
