//! What the workers share: the lists of rows that are compared, the rows in the form in which others are compared with
//! them, and the units of work.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::input::{Items, PairInput, Values, Vectors};
use super::super::join::PairBatch;
use super::super::spec::Spec;
use super::super::tiles::transposed;
use super::postings::Postings;

#[derive(Debug)]
pub(super) struct Rows {
    /// The rows that are compared with those on the right.
    pub(super) left: Vec<u32>,
    /// The rows on the right; `None` if the rows on the left are compared with each other.
    pub(super) right: Option<Vec<u32>>,
    /// Whether sides are two relations, so that pairs give the row of side 0 first.
    by_side: bool,
    /// The rows on the right, or on the left if those are compared with each other.
    pub(super) prepared: Prepared,
    /// The rows on the left, where those on the right are compared with them too.
    prepared_left: Option<Prepared>,
    /// The number of rows of a block.
    block: usize,
    /// In linked mode: the maximal number of similar predecessors that a row is paired with.
    pub(super) max_predecessors: Option<usize>,
    /// The next unit of work.
    next: AtomicUsize,
    /// The number of units of work: pairs of blocks, blocks of sparse vectors, or in linked mode blocks of probe rows.
    pub(super) units: usize,
}

/// Rows in the form in which others are compared with them.
#[derive(Debug)]
pub(super) enum Prepared {
    /// Signatures, transposed.
    Bits {
        words: Vec<u64>,
        width: usize,
    },
    /// Vectors of unit length, transposed.
    Dense {
        values: Vec<f32>,
        dimensions: usize,
    },
    Sparse(Postings),
}

impl Rows {
    pub(super) fn new(
        input: &PairInput<'_>,
        spec: &Spec,
        self_join: bool,
        max_predecessors: Option<usize>,
    ) -> Self {
        let count = input.keys.rows();
        let of_side = |side: usize| -> Vec<u32> {
            (0..count)
                .filter(|&row| input.takes_part(row) && input.side_of(row) == side)
                .map(|row| row as u32)
                .collect()
        };
        let left = of_side(0);
        let right = input.side.map(|_| of_side(1));
        let prepared = Prepared::of(input, right.as_ref().unwrap_or(&left));
        let both = right.is_some() && max_predecessors.is_some();
        let is_sparse = matches!(prepared, Prepared::Sparse(_));
        let sizes = spec.blocks.for_rows(count);
        let block = if is_sparse { sizes.sparse } else { sizes.dense };
        let blocks = |rows: &[u32]| rows.len().div_ceil(block);
        let units = match &right {
            _ if max_predecessors.is_some() => count.div_ceil(probe_rows(block, both)),
            _ if is_sparse => blocks(&left),
            Some(right) => blocks(&left) * blocks(right),
            None => blocks(&left) * (blocks(&left) + 1) / 2,
        };
        Self {
            prepared_left: both.then(|| Prepared::of(input, &left)),
            left,
            right,
            by_side: !self_join,
            prepared,
            block,
            max_predecessors,
            next: AtomicUsize::new(0),
            units,
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let lists = self.left.len() + self.right.as_ref().map_or(0, Vec::len);
        let left = self.prepared_left.as_ref().map_or(0, Prepared::memory);
        lists * size_of::<u32>() + self.prepared.memory() + left
    }

    /// The number of the next unit of work; `None` if all have been taken.
    pub(super) fn next_unit(&self) -> Option<usize> {
        let unit = self.next.fetch_add(1, Ordering::Relaxed);
        (unit < self.units).then_some(unit)
    }

    /// The positions of the rows of a block in a list of rows.
    pub(super) fn block(&self, number: usize, rows: &[u32]) -> Range<usize> {
        number * self.block..((number + 1) * self.block).min(rows.len())
    }

    /// The pair of blocks of a unit of work. Of one list of rows these are (i, j) with j ≤ i.
    pub(super) fn pair_of_blocks(&self, unit: usize) -> (usize, usize) {
        match &self.right {
            Some(right) => {
                let blocks = right.len().div_ceil(self.block).max(1);
                (unit / blocks, unit % blocks)
            }
            None => triangle(unit),
        }
    }

    /// The list of probe rows, the list of rows that they are compared with, and the latter as they are prepared. If
    /// `swapped`, rows on the right are compared with those on the left.
    pub(super) fn sides(&self, swapped: bool) -> (&[u32], &[u32], &Prepared) {
        match (&self.right, &self.prepared_left) {
            (Some(right), Some(prepared)) if swapped => {
                (right.as_slice(), self.left.as_slice(), prepared)
            }
            (Some(right), _) => (self.left.as_slice(), right.as_slice(), &self.prepared),
            (None, _) => (self.left.as_slice(), self.left.as_slice(), &self.prepared),
        }
    }

    /// The positions of the probe rows of a unit of linked mode in their list: rows with successive numbers, so that
    /// units are in ascending order of rows.
    pub(super) fn probes(&self, unit: usize, swapped: bool) -> Range<usize> {
        let block = probe_rows(self.block, self.right.is_some());
        let (rows, _, _) = self.sides(swapped);
        let position = |first: usize| rows.partition_point(|&row| (row as usize) < first);
        position(unit * block)..position((unit + 1) * block)
    }

    pub(super) fn push(&self, batch: &mut PairBatch, a: u32, b: u32, value: f64) {
        let ascending = self.right.is_none() || !self.by_side;
        let (a, b) = if ascending && a > b { (b, a) } else { (a, b) };
        batch.push(a, b, value);
    }
}

/// The rows of a unit of linked mode, on two sides those of both.
fn probe_rows(block: usize, two_sides: bool) -> usize {
    block * (1 + usize::from(two_sides))
}

/// The pair of blocks (i, j), j ≤ i, with a given number, in the order (0, 0), (1, 0), (1, 1), (2, 0), …
fn triangle(unit: usize) -> (usize, usize) {
    let first = |i: usize| i * (i + 1) / 2;
    let mut i = (((8.0 * unit as f64 + 1.0).sqrt() - 1.0) / 2.0) as usize;
    while first(i) > unit {
        i -= 1;
    }
    while first(i + 1) <= unit {
        i += 1;
    }
    (i, unit - first(i))
}

impl Prepared {
    fn of(input: &PairInput<'_>, rows: &[u32]) -> Self {
        match input.items {
            Items::Bits(bits)
            | Items::Vectors {
                bits: Some(bits), ..
            } => Self::Bits {
                words: transposed(rows, bits.width, |row| {
                    bits.row(row as usize).iter().copied()
                }),
                width: bits.width,
            },
            Items::Vectors { vectors, .. } => match vectors.values {
                Values::Dense32 { dimensions, .. } | Values::Dense64 { dimensions, .. } => {
                    Self::Dense {
                        values: transposed(rows, dimensions, |row| unit_vector(&vectors, row)),
                        dimensions,
                    }
                }
                Values::Sparse(lists) => {
                    Self::Sparse(Postings::of_rows(rows, |row| lists.row(row)))
                }
            },
            _ => Self::Sparse(Postings::default()),
        }
    }

    fn memory(&self) -> usize {
        match self {
            Self::Bits { words, .. } => size_of_val(words.as_slice()),
            Self::Dense { values, .. } => size_of_val(values.as_slice()),
            Self::Sparse(postings) => postings.memory(),
        }
    }
}

/// The components of a dense vector scaled to unit length; zeros for a zero vector.
pub(super) fn unit_vector<'a>(
    vectors: &Vectors<'a>,
    row: u32,
) -> impl Iterator<Item = f32> + use<'a> {
    let row = row as usize;
    let norm = vectors.norms.get(row).copied().unwrap_or(0.0);
    let scale = if norm > 0.0 { norm.sqrt().recip() } else { 0.0 };
    let (narrow, wide): (&[f32], &[f64]) = match vectors.values {
        Values::Dense32 { values, dimensions } => (
            values
                .get(row * dimensions..(row + 1) * dimensions)
                .unwrap_or(&[]),
            &[],
        ),
        Values::Dense64 { values, dimensions } => (
            &[],
            values
                .get(row * dimensions..(row + 1) * dimensions)
                .unwrap_or(&[]),
        ),
        Values::Sparse(_) => (&[], &[]),
    };
    let narrow = narrow.iter().map(|&x| f64::from(x));
    narrow
        .chain(wide.iter().copied())
        .map(move |x| (x * scale) as f32)
}
