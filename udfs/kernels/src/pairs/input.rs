//! The input of a join: borrowed columns of rows, numbered from 0.

use crate::cosine::{dot, sparse_dot};

/// One list of values for each row: row `i` is `values[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone, Copy)]
pub struct Csr<'a, T> {
    offsets: &'a [usize],
    values: &'a [T],
}

impl<'a, T> Csr<'a, T> {
    /// Lists over `offsets`, which has one entry more than there are rows and does not descend. A row
    /// whose range lies outside of `values` reads as empty.
    #[must_use]
    pub fn new(offsets: &'a [usize], values: &'a [T]) -> Self {
        Self { offsets, values }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The values of all rows.
    #[must_use]
    pub fn values(&self) -> &'a [T] {
        self.values
    }

    /// The values of a row; empty if there is no such row.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &'a [T] {
        self.values.get(self.range(row)).unwrap_or(&[])
    }

    /// The range of the values of a row; empty if there is no such row.
    #[inline]
    #[must_use]
    pub(super) fn range(&self, row: usize) -> std::ops::Range<usize> {
        match (self.offsets.get(row), self.offsets.get(row + 1)) {
            (Some(&start), Some(&end)) if start <= end && end <= self.values.len() => start..end,
            _ => 0..0,
        }
    }
}

/// One text for each row: row `i` is `text[offsets[i]..offsets[i + 1]]`, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    offsets: &'a [usize],
    text: &'a str,
}

impl<'a> Texts<'a> {
    /// Texts over `offsets`, which has one entry more than there are rows and does not descend. A
    /// row whose range is outside of `text`, or cuts a character, reads as empty.
    #[must_use]
    pub fn new(offsets: &'a [usize], text: &'a str) -> Self {
        Self { offsets, text }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The text of a row; empty if there is no such row.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &'a str {
        match (self.offsets.get(row), self.offsets.get(row + 1)) {
            (Some(&start), Some(&end)) => self.text.get(start..end).unwrap_or(""),
            _ => "",
        }
    }
}

/// The group of each row. Two rows are in the same group if and only if their values are equal.
#[derive(Debug, Clone, Copy)]
pub struct Groups<'a> {
    /// One value for each row.
    pub values: &'a [u64],
    /// Whether each row has a group; `None` if all have. A row without a group pairs with nothing.
    pub valid: Option<&'a [bool]>,
    /// Whether only rows of the same group pair; if not, only rows of different groups do.
    pub agree: bool,
}

/// The items of all rows: what is compared when a candidate is verified.
#[derive(Debug, Clone, Copy)]
pub enum Items<'a> {
    /// Nothing.
    None,
    /// The tokens of each row, in ascending order and distinct.
    Sets(Csr<'a, u64>),
    /// MinHash signatures of `width` values of 32 bits.
    Signatures32 {
        /// `rows * width` values, row by row.
        values: &'a [u32],
        /// Values of a signature, at least 1.
        width: usize,
    },
    /// MinHash signatures of `width` values of 64 bits.
    Signatures64 {
        /// `rows * width` values, row by row.
        values: &'a [u64],
        /// Values of a signature, at least 1.
        width: usize,
    },
    /// The text of each row.
    Texts(Texts<'a>),
    /// A bit signature of each row.
    Bits(Bits<'a>),
    /// A vector of each row, and optionally its bit signature.
    Vectors {
        /// Signatures of the vectors: vectors whose signatures differ in too many bits are not compared.
        bits: Option<Bits<'a>>,
        /// The vectors.
        vectors: Vectors<'a>,
    },
}

/// Bit signatures of one width, in words of 64 bits.
#[derive(Debug, Clone, Copy)]
pub struct Bits<'a> {
    /// `rows * width` words, row by row.
    pub words: &'a [u64],
    /// Words of a signature, at least 1.
    pub width: usize,
}

impl<'a> Bits<'a> {
    /// The signature of a row; empty if there is no such row.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &'a [u64] {
        let start = row * self.width;
        self.words.get(start..start + self.width).unwrap_or(&[])
    }
}

/// Vectors of finite numbers whose squared lengths neither overflow nor underflow.
#[derive(Debug, Clone, Copy)]
pub struct Vectors<'a> {
    /// The components.
    pub values: Values<'a>,
    /// The dot product of each vector with itself, as [`Values::norms`] gives it.
    pub norms: &'a [f64],
}

/// The components of vectors.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Dense vectors in single precision.
    Dense32 {
        /// `rows * dimensions` numbers, row by row.
        values: &'a [f32],
        /// Components of a vector, at least 1.
        dimensions: usize,
    },
    /// Dense vectors in double precision.
    Dense64 {
        /// `rows * dimensions` numbers, row by row.
        values: &'a [f64],
        /// Components of a vector, at least 1.
        dimensions: usize,
    },
    /// Sparse vectors: (hash of the term, weight), in ascending order of distinct terms.
    Sparse(Csr<'a, (u64, f64)>),
}

impl Values<'_> {
    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense32 { values, dimensions } => values.len() / (*dimensions).max(1),
            Self::Dense64 { values, dimensions } => values.len() / (*dimensions).max(1),
            Self::Sparse(lists) => lists.rows(),
        }
    }

    /// The dot product of each vector with itself.
    #[must_use]
    pub fn norms(&self) -> Vec<f64> {
        match self {
            Self::Dense32 { values, dimensions } => values
                .chunks_exact((*dimensions).max(1))
                .map(|row| dot(row, row))
                .collect(),
            Self::Dense64 { values, dimensions } => values
                .chunks_exact((*dimensions).max(1))
                .map(|row| dot(row, row))
                .collect(),
            Self::Sparse(lists) => (0..lists.rows())
                .map(|row| sparse_dot(lists.row(row), lists.row(row)))
                .collect(),
        }
    }

    /// The dot product of two rows.
    #[inline]
    pub(super) fn dot(&self, a: usize, b: usize) -> Option<f64> {
        Some(match *self {
            Self::Dense32 { values, dimensions } => dot(
                values.get(a * dimensions..(a + 1) * dimensions)?,
                values.get(b * dimensions..(b + 1) * dimensions)?,
            ),
            Self::Dense64 { values, dimensions } => dot(
                values.get(a * dimensions..(a + 1) * dimensions)?,
                values.get(b * dimensions..(b + 1) * dimensions)?,
            ),
            Self::Sparse(lists) => sparse_dot(lists.row(a), lists.row(b)),
        })
    }
}

/// The rows of a join, in ascending order of their ids.
#[derive(Debug, Clone, Copy)]
pub struct PairInput<'a> {
    /// The keys of each row, distinct within the row. All rows list their keys in one total order (the rank
    /// of the token, or the number of the band), so that two rows agree on the first key they share. A row
    /// without keys pairs with nothing.
    pub keys: Csr<'a, u64>,
    /// For a join of two relations: the side of each row, 0 or 1. Only rows of different sides pair.
    pub side: Option<&'a [u8]>,
    /// Only rows of different groups pair.
    pub group: Option<Groups<'a>>,
    /// What is compared when a candidate is verified.
    pub items: Items<'a>,
}

impl PairInput<'_> {
    /// Whether the groups of two rows let them pair.
    #[inline]
    pub(super) fn may_pair(&self, a: u32, b: u32) -> bool {
        self.group.is_none_or(|group| {
            match (group.values.get(a as usize), group.values.get(b as usize)) {
                (Some(a), Some(b)) => (a == b) == group.agree,
                _ => false,
            }
        })
    }

    /// Whether a row has a group, where there are groups; otherwise it pairs with nothing.
    pub(super) fn takes_part(&self, row: usize) -> bool {
        let valid = self.group.and_then(|group| group.valid);
        valid.is_none_or(|valid| valid.get(row) == Some(&true))
    }

    /// The side of a row; 0 if there are no sides.
    #[inline]
    pub(super) fn side_of(&self, row: usize) -> usize {
        let side = self.side.and_then(|side| side.get(row));
        side.map_or(0, |&side| usize::from(side & 1))
    }
}
