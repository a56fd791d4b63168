//! What is joined: borrowed columns of dense rows.

use crate::cosine::{dot, sparse_dot};

/// One list of values a row: row `i` is `values[offsets[i]..offsets[i + 1]]`.
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

    /// All values, of all rows.
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

    /// Where the values of a row lie.
    #[inline]
    #[must_use]
    pub(super) fn range(&self, row: usize) -> std::ops::Range<usize> {
        match (self.offsets.get(row), self.offsets.get(row + 1)) {
            (Some(&start), Some(&end)) if start <= end && end <= self.values.len() => start..end,
            _ => 0..0,
        }
    }
}

/// One text a row: row `i` is `text[offsets[i]..offsets[i + 1]]`, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    offsets: &'a [usize],
    text: &'a str,
}

impl<'a> Texts<'a> {
    /// Texts over `offsets`, which has one entry more than there are rows and does not descend. A
    /// row whose range is not a part of `text` reads as empty.
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

/// The group of each row; only rows of different groups pair. Values stand for the column's values
/// one to one.
#[derive(Debug, Clone, Copy)]
pub struct Groups<'a> {
    /// One value a row.
    pub values: &'a [u64],
    /// Which values are there; `None` if all are. A row without a group pairs with nothing.
    pub valid: Option<&'a [bool]>,
}

/// What a candidate is verified with.
#[derive(Debug, Clone, Copy)]
pub enum Payload<'a> {
    /// Nothing.
    None,
    /// The tokens of each row, ascending and distinct.
    Sets(Csr<'a, u64>),
    /// MinHash signatures of `width` values a row, one after the other.
    Signatures32 {
        /// `rows * width` values.
        values: &'a [u32],
        /// Values a row, at least 1.
        width: usize,
    },
    /// The same in 64 bits a value.
    Signatures64 {
        /// `rows * width` values.
        values: &'a [u64],
        /// Values a row, at least 1.
        width: usize,
    },
    /// The text of each row.
    Texts(Texts<'a>),
    /// A bit signature of each row.
    Bits(Bits<'a>),
    /// A vector of each row, and perhaps its signature.
    Vectors {
        /// Signatures of the vectors: rows whose signatures differ too much are not compared.
        bits: Option<Bits<'a>>,
        /// The vectors.
        vectors: Vectors<'a>,
    },
}

/// Bit signatures of one width, in words of 64 bits.
#[derive(Debug, Clone, Copy)]
pub struct Bits<'a> {
    /// `rows * width` words.
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

/// Vectors of finite numbers whose squares neither overflow nor vanish.
#[derive(Debug, Clone, Copy)]
pub struct Vectors<'a> {
    /// The numbers.
    pub values: Values<'a>,
    /// The dot product of each vector with itself, as [`Values::norms`] gives it.
    pub norms: &'a [f64],
}

/// The numbers of vectors.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// `dimensions` numbers a row, one row after the other.
    Dense32 {
        /// `rows * dimensions` numbers.
        values: &'a [f32],
        /// Numbers a row, at least 1.
        dimensions: usize,
    },
    /// The same in double precision.
    Dense64 {
        /// `rows * dimensions` numbers.
        values: &'a [f64],
        /// Numbers a row, at least 1.
        dimensions: usize,
    },
    /// (Hash of the term, weight) of each row, in ascending order, each term once.
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
    /// The keys of each row, distinct within the row. All rows list theirs in one total order (rank
    /// of the token; number of the band), so that the first key two rows share is the same one seen
    /// from either. A row without keys pairs with nothing.
    pub keys: Csr<'a, u64>,
    /// Join of two relations: 0 or 1 for each row. Only rows of different sides pair.
    pub side: Option<&'a [u8]>,
    /// Only rows of different groups pair.
    pub group: Option<Groups<'a>>,
    /// What candidates are verified with.
    pub payload: Payload<'a>,
}

impl PairInput<'_> {
    /// Whether two rows may pair at all.
    #[inline]
    pub(super) fn may_pair(&self, a: u32, b: u32) -> bool {
        self.group.is_none_or(|group| {
            match (group.values.get(a as usize), group.values.get(b as usize)) {
                (Some(a), Some(b)) => a != b,
                _ => false,
            }
        })
    }

    /// Whether a row can pair with anything.
    pub(super) fn takes_part(&self, row: usize) -> bool {
        let valid = self.group.and_then(|group| group.valid);
        valid.is_none_or(|valid| valid.get(row) == Some(&true))
    }

    /// The side of a row.
    #[inline]
    pub(super) fn side_of(&self, row: usize) -> usize {
        let side = self.side.and_then(|side| side.get(row));
        side.map_or(0, |&side| usize::from(side & 1))
    }
}
