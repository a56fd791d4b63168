//! The comparison of pairs of blocks, and of blocks of sparse vectors with all rows.

use super::super::input::PairInput;
use super::super::join::PairBatch;
use super::postings::Postings;
use super::rows::Rows;
use super::{AllPairs, verified};

impl AllPairs {
    /// Compares two blocks of signatures or dense vectors.
    pub(super) fn pair_of_blocks(
        &mut self,
        input: &PairInput<'_>,
        rows: &Rows,
        unit: usize,
        batch: &mut PairBatch,
    ) {
        let right = rows.right.as_ref().unwrap_or(&rows.left);
        let (i, j) = rows.pair_of_blocks(unit);
        let (lefts, rights) = (rows.block(i, &rows.left), rows.block(j, right));
        let same = rows.right.is_none() && i == j;
        let compared = match same {
            true => lefts.len() * lefts.len().saturating_sub(1) / 2,
            false => lefts.len() * rights.len(),
        };
        self.stats.candidates += compared as u64;
        let hits = self.sweep.run(
            &self.spec,
            input,
            (&rows.left, &rows.prepared),
            lefts,
            &rights,
        );
        for hit in hits {
            if hit.right as usize >= rights.end || same && hit.right >= hit.left {
                continue;
            }
            let (a, b) = (rows.left[hit.left as usize], right[hit.right as usize]);
            if !input.may_pair(a, b) {
                continue;
            }
            self.stats.verified += 1;
            if let Some(value) = verified(&self.spec, input, (a, b), hit.distance) {
                rows.push(batch, a, b, value);
            }
        }
    }

    /// Compares a block of sparse vectors with all rows.
    pub(super) fn sparse_block(
        &mut self,
        input: &PairInput<'_>,
        (rows, postings): (&Rows, &Postings),
        unit: usize,
        batch: &mut PairBatch,
    ) {
        let right = rows.right.as_ref().unwrap_or(&rows.left);
        for position in rows.block(unit, &rows.left) {
            let a = rows.left[position];
            // Within one relation, a row is compared with the rows before it, so that each pair is found once.
            let end = if rows.right.is_some() {
                right.len()
            } else {
                position
            };
            self.stats.candidates += end as u64;
            let threshold = self.spec.threshold;
            for (b, cosine) in self
                .sums
                .similar(input, postings, threshold, a, (right, end))
            {
                if input.may_pair(a, b) {
                    self.stats.verified += 1;
                    rows.push(batch, a, b, cosine);
                }
            }
        }
    }
}
