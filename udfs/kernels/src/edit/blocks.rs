//! The edit distance for patterns of more than 64 symbols: a column consists of several words, of which only
//! those near the diagonal are computed.
//!
//! A path of cost at most `max` stays within a band of diagonals, so a block of 64 rows is computed from the
//! column where the band enters it to the column where the band leaves it. Cells at the border of the computed
//! region get the largest value that their neighbours allow. It is never too small, and it is exact on paths
//! within the band.

use super::masks::{Masks, Symbol};

/// 64 rows of the current column (fewer in the last block).
struct Block {
    /// Bit i: row i is one more than the row above.
    rises: u64,
    /// Bit i: row i is one less than the row above.
    falls: u64,
    /// The value of the last row.
    score: usize,
    rows: usize,
}

impl Block {
    fn below(score: usize, rows: usize) -> Self {
        Self {
            rises: u64::MAX,
            falls: 0,
            score: score + rows,
            rows,
        }
    }

    /// Moves one column to the right. The argument is the horizontal difference in the row above the block, as
    /// (rises, falls) in bit 0; the result is that of the last row of the block.
    #[inline(always)]
    fn step(&mut self, equal: u64, above: (u64, u64)) -> (u64, u64) {
        let vertical = equal | self.falls;
        let equal = equal | above.1;
        let diagonal = (((equal & self.rises).wrapping_add(self.rises)) ^ self.rises) | equal;
        let rises = self.falls | !(diagonal | self.rises);
        let falls = self.rises & diagonal;
        let last = self.rows - 1;
        let below = (rises >> last & 1, falls >> last & 1);
        self.score = self.score + below.0 as usize - below.1 as usize;
        let rises = rises << 1 | above.0;
        let falls = falls << 1 | above.1;
        self.rises = falls | !(vertical | rises);
        self.falls = rises & vertical;
        below
    }
}

/// The distance of `pattern` and `text` if it is at most `max`. `text` is at least as long as `pattern`, and `max`
/// is at least the difference of their lengths.
pub(super) fn within<S: Symbol>(pattern: &[S], text: &[S], max: usize) -> Option<usize> {
    let masks: Vec<S::Masks> = pattern.chunks(64).map(S::Masks::new).collect();
    let rows_of = |block: usize| (pattern.len() - 64 * block).min(64);
    let longer_by = text.len() - pattern.len();
    let slack = (max - longer_by) / 2;

    let mut blocks: Vec<Block> = Vec::with_capacity(masks.len());
    for column in 1..=text.len() {
        // The rows of this column that a path of cost `max` can touch, from 1.
        let first_row = column.saturating_sub(longer_by + slack).max(1);
        let last_row = (column + slack).min(pattern.len());
        let (first, last) = ((first_row - 1) / 64, (last_row - 1) / 64);
        while blocks.len() <= last {
            let above = blocks.last().map_or(0, |block| block.score);
            blocks.push(Block::below(above, rows_of(blocks.len())));
        }
        let symbol = text[column - 1];
        let mut above = (1, 0);
        for (block, masks) in blocks[first..=last].iter_mut().zip(&masks[first..=last]) {
            above = block.step(masks.of(symbol), above);
        }
        // Values never fall along a path, and within a block they are near that of its last row.
        if column % 64 == 0
            && blocks[first..=last]
                .iter()
                .all(|block| block.score > max + block.rows)
        {
            return None;
        }
    }
    blocks
        .last()
        .map(|block| block.score)
        .filter(|&distance| distance <= max)
}
