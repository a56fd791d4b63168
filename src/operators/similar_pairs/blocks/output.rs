//! Batches of pairs.

use datafusion::arrow::array::{Array, ArrayRef, Float64Array, RecordBatch, make_comparator};
use datafusion::arrow::compute::{SortOptions, interleave};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::physical_plan::metrics::Count;
use std::sync::Arc;
use tokio::sync::mpsc::Sender;

/// Where pairs are sent.
#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) schema: SchemaRef,
    pub(super) batch_size: usize,
    pub(super) two_sides: bool,
    /// The number of pairs sent.
    pub(super) rows: Count,
    pub(super) sender: Sender<Result<RecordBatch>>,
}

/// Pairs of a row of one array of ids and a row of another.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    left: Vec<usize>,
    right: Vec<usize>,
    /// Whether the right row is on side 0.
    is_first: Vec<bool>,
    similarity: Vec<f64>,
}

impl Pairs {
    pub(super) fn push(&mut self, left: usize, right: usize, right_side: u8, similarity: f64) {
        self.left.push(left);
        self.right.push(right);
        self.is_first.push(right_side == 0);
        self.similarity.push(similarity);
    }

    pub(super) fn len(&self) -> usize {
        self.left.len()
    }

    fn clear(&mut self) {
        self.left.clear();
        self.right.clear();
        self.is_first.clear();
        self.similarity.clear();
    }
}

impl Output {
    /// Sends pairs of rows with these ids, and clears them. Returns false if no more pairs are wanted.
    pub(super) async fn send(
        &self,
        pairs: &mut Pairs,
        left: &ArrayRef,
        right: &ArrayRef,
    ) -> Result<bool> {
        if pairs.len() == 0 {
            return Ok(!self.sender.is_closed());
        }
        let batch = self.batch(pairs, left, right)?;
        pairs.clear();
        for start in (0..batch.num_rows()).step_by(self.batch_size) {
            let rows = self.batch_size.min(batch.num_rows() - start);
            self.rows.add(rows);
            if self
                .sender
                .send(Ok(batch.slice(start, rows)))
                .await
                .is_err()
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The row of side 0 comes first, or else the one with the smaller id.
    fn batch(&self, pairs: &Pairs, left: &ArrayRef, right: &ArrayRef) -> Result<RecordBatch> {
        let order = make_comparator(left, right, SortOptions::default())?;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for at in 0..pairs.len() {
            let swap = match self.two_sides {
                true => pairs.is_first[at],
                false => order(pairs.left[at], pairs.right[at]).is_gt(),
            };
            let (left, right) = ((0, pairs.left[at]), (1, pairs.right[at]));
            a.push(if swap { right } else { left });
            b.push(if swap { left } else { right });
        }
        let ids: [&dyn Array; 2] = [left, right];
        let similarity = Float64Array::from(pairs.similarity.clone());
        Ok(RecordBatch::try_new(
            Arc::clone(&self.schema),
            vec![
                interleave(&ids, &a)?,
                interleave(&ids, &b)?,
                Arc::new(similarity),
            ],
        )?)
    }
}
