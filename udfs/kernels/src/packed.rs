//! Packed vectors: vectors as bytes, so that relations can group, compare and send them whatever their type.
//!
//! A packed vector is a byte for its kind, followed by its numbers in little-endian order. Kind 1 is a dense
//! vector of f32, kind 2 a dense vector of f64, and kind 3 a sparse vector of (hash of the term as u64, weight as
//! f64) in ascending order of the hash. A vector that is empty or zero has no bytes. Numbers are finite.

use crate::cosine::{dot, is_safe, sparse_dot};
use crate::pairs::{Csr, Values};
use crate::projection::scale;

const DENSE32: u8 = 1;
const DENSE64: u8 = 2;
const SPARSE: u8 = 3;

/// Appends a packed dense vector.
pub fn pack_f32(vector: &[f32], out: &mut Vec<u8>) {
    if vector.iter().any(|&x| x != 0.0) {
        out.push(DENSE32);
        let start = out.len();
        out.resize(start + size_of_val(vector), 0);
        let numbers = out[start..].as_chunks_mut().0;
        for (number, x) in numbers.iter_mut().zip(vector) {
            *number = x.to_le_bytes();
        }
    }
}

/// Appends a packed dense vector. If its squared length overflows or underflows, the vector is scaled by a power
/// of two.
pub fn pack_f64(vector: &[f64], out: &mut Vec<u8>) {
    if vector.iter().any(|&x| x != 0.0) {
        out.push(DENSE64);
        let scale = match is_safe(dot(vector, vector)) {
            true => 1.0,
            false => scale(vector.iter().map(|x| x.abs()).fold(0.0, f64::max)),
        };
        let start = out.len();
        out.resize(start + size_of_val(vector), 0);
        let numbers = out[start..].as_chunks_mut().0;
        for (number, x) in numbers.iter_mut().zip(vector) {
            *number = (x * scale).to_le_bytes();
        }
    }
}

/// Appends a packed sparse vector: (hash of the term, weight), in ascending order of distinct terms. It is scaled
/// like a dense one.
pub fn pack_sparse(vector: &[(u64, f64)], out: &mut Vec<u8>) {
    if vector.iter().any(|&(_, x)| x != 0.0) {
        out.push(SPARSE);
        let scale = match is_safe(sparse_dot(vector, vector)) {
            true => 1.0,
            false => scale(vector.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max)),
        };
        for &(term, weight) in vector {
            out.extend(term.to_le_bytes());
            out.extend((weight * scale).to_le_bytes());
        }
    }
}

/// The reason why packed vectors cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// Dense vectors have different lengths.
    #[error("vectors of {0} and of {1} numbers cannot be compared")]
    Lengths(usize, usize),
    /// Some vectors are dense and some are sparse.
    #[error("a list of numbers cannot be compared with a list of (term, weight)")]
    Kinds,
    /// Bytes are not a packed vector.
    #[error("{0} bytes are not a packed vector")]
    Damaged(usize),
}

/// The unpacked vectors of a column. An empty or zero vector is a row of zeros.
#[derive(Debug, Clone, Default)]
pub struct VectorColumn {
    numbers: Numbers,
    /// The number of rows before the first one with numbers.
    empty: usize,
}

#[derive(Debug, Clone, Default)]
enum Numbers {
    #[default]
    Unknown,
    Dense32 {
        values: Vec<f32>,
        dimensions: usize,
    },
    Dense64 {
        values: Vec<f64>,
        dimensions: usize,
    },
    Sparse {
        offsets: Vec<usize>,
        entries: Vec<(u64, f64)>,
    },
}

impl VectorColumn {
    /// Adds a row.
    ///
    /// # Errors
    /// If its kind or length differs from that of the rows before it, or its bytes are not a packed vector.
    pub fn push(&mut self, packed: &[u8]) -> Result<(), PackError> {
        let damaged = PackError::Damaged(packed.len());
        let Some((&kind, numbers)) = packed.split_first() else {
            self.push_empty();
            return Ok(());
        };
        let size = match kind {
            DENSE32 => 4,
            DENSE64 => 8,
            SPARSE => 16,
            _ => return Err(damaged),
        };
        if numbers.is_empty() || !numbers.len().is_multiple_of(size) {
            return Err(damaged);
        }
        let count = numbers.len() / size;
        if let Numbers::Unknown = self.numbers {
            self.numbers = match kind {
                DENSE32 => Numbers::Dense32 {
                    values: vec![0.0; self.empty * count],
                    dimensions: count,
                },
                DENSE64 => Numbers::Dense64 {
                    values: vec![0.0; self.empty * count],
                    dimensions: count,
                },
                _ => Numbers::Sparse {
                    offsets: vec![0; self.empty + 1],
                    entries: Vec::new(),
                },
            };
        }
        if let (DENSE64, Numbers::Dense32 { values, dimensions }) = (kind, &self.numbers) {
            self.numbers = Numbers::Dense64 {
                values: values.iter().map(|&x| x.into()).collect(),
                dimensions: *dimensions,
            };
        }
        match (&mut self.numbers, kind) {
            (
                Numbers::Dense32 { dimensions, .. } | Numbers::Dense64 { dimensions, .. },
                DENSE32 | DENSE64,
            ) if *dimensions != count => Err(PackError::Lengths(*dimensions, count)),
            (Numbers::Dense32 { values, .. }, DENSE32) => {
                values.extend(numbers.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x)));
                Ok(())
            }
            (Numbers::Dense64 { values, .. }, DENSE32) => {
                let wide = |x: &[u8; 4]| f64::from(f32::from_le_bytes(*x));
                values.extend(numbers.as_chunks().0.iter().map(wide));
                Ok(())
            }
            (Numbers::Dense64 { values, .. }, DENSE64) => {
                values.extend(numbers.as_chunks().0.iter().map(|x| f64::from_le_bytes(*x)));
                Ok(())
            }
            (Numbers::Sparse { offsets, entries }, SPARSE) => {
                let (words, _) = numbers.as_chunks::<8>();
                let (pairs, _) = words.as_chunks::<2>();
                let entry = |[term, weight]: &[[u8; 8]; 2]| {
                    (u64::from_le_bytes(*term), f64::from_le_bytes(*weight))
                };
                entries.extend(pairs.iter().map(entry));
                offsets.push(entries.len());
                Ok(())
            }
            _ => Err(PackError::Kinds),
        }
    }

    fn push_empty(&mut self) {
        match &mut self.numbers {
            Numbers::Unknown => self.empty += 1,
            Numbers::Dense32 { values, dimensions } => {
                values.resize(values.len() + *dimensions, 0.0);
            }
            Numbers::Dense64 { values, dimensions } => {
                values.resize(values.len() + *dimensions, 0.0);
            }
            Numbers::Sparse { offsets, entries } => offsets.push(entries.len()),
        }
    }

    /// The rows. If none has numbers, they are sparse vectors without terms, and `offsets` has one more zero than
    /// there are rows.
    #[must_use]
    pub fn values<'a>(&'a self, offsets: &'a [usize]) -> Values<'a> {
        match &self.numbers {
            Numbers::Unknown => Values::Sparse(Csr::new(offsets, &[])),
            Numbers::Dense32 { values, dimensions } => Values::Dense32 {
                values,
                dimensions: *dimensions,
            },
            Numbers::Dense64 { values, dimensions } => Values::Dense64 {
                values,
                dimensions: *dimensions,
            },
            Numbers::Sparse { offsets, entries } => Values::Sparse(Csr::new(offsets, entries)),
        }
    }

    /// The same rows in another order.
    #[must_use]
    pub fn reorder(&self, order: &[u32]) -> Self {
        fn rows<T: Copy>(values: &[T], dimensions: usize, order: &[u32]) -> Vec<T> {
            let row = |row: &u32| {
                let start = *row as usize * dimensions;
                values.get(start..start + dimensions).unwrap_or(&[])
            };
            order.iter().flat_map(row).copied().collect()
        }
        let numbers = match &self.numbers {
            Numbers::Unknown => Numbers::Unknown,
            Numbers::Dense32 { values, dimensions } => Numbers::Dense32 {
                values: rows(values, *dimensions, order),
                dimensions: *dimensions,
            },
            Numbers::Dense64 { values, dimensions } => Numbers::Dense64 {
                values: rows(values, *dimensions, order),
                dimensions: *dimensions,
            },
            Numbers::Sparse { offsets, entries } => {
                let lists = Csr::new(offsets, entries);
                let mut sorted = (vec![0], Vec::with_capacity(entries.len()));
                for &row in order {
                    sorted.1.extend_from_slice(lists.row(row as usize));
                    sorted.0.push(sorted.1.len());
                }
                Numbers::Sparse {
                    offsets: sorted.0,
                    entries: sorted.1,
                }
            }
        };
        Self {
            numbers,
            empty: self.empty,
        }
    }

    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        match &self.numbers {
            Numbers::Unknown => 0,
            Numbers::Dense32 { values, .. } => values.capacity() * 4,
            Numbers::Dense64 { values, .. } => values.capacity() * 8,
            Numbers::Sparse { offsets, entries } => {
                offsets.capacity() * 8 + entries.capacity() * 16
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed<T: ?Sized>(pack: impl Fn(&T, &mut Vec<u8>), vector: &T) -> Vec<u8> {
        let mut out = Vec::new();
        pack(vector, &mut out);
        out
    }

    #[test]
    fn rows_come_back() {
        let mut column = VectorColumn::default();
        let rows: [&[f32]; 4] = [&[0.0, 0.0], &[1.5, -2.0], &[0.0, 0.25], &[]];
        for row in rows {
            column.push(&packed(pack_f32, row)).expect("one length");
        }
        let Values::Dense32 {
            values,
            dimensions: 2,
        } = column.values(&[])
        else {
            panic!("{column:?}");
        };
        assert_eq!(values, [0.0, 0.0, 1.5, -2.0, 0.0, 0.25, 0.0, 0.0]);
        column
            .push(&packed(pack_f64, &[1e300, 1e299][..]))
            .expect("one length");
        let Values::Dense64 {
            values,
            dimensions: 2,
        } = column.values(&[])
        else {
            panic!("{column:?}");
        };
        assert_eq!(values[..4], [0.0, 0.0, 1.5, -2.0]);
        assert!((1.0..2.0).contains(&values[8]) && (values[8] / values[9] - 10.0).abs() < 1e-12);
        assert_eq!(
            column.push(&packed(pack_f32, &[1.0][..])),
            Err(PackError::Lengths(2, 1))
        );
        let column = column.reorder(&[4, 1]);
        let Values::Dense64 { values, .. } = column.values(&[]) else {
            panic!("{column:?}");
        };
        assert_eq!(values[2..], [1.5, -2.0]);

        let mut column = VectorColumn::default();
        column.push(&[]).expect("empty");
        assert_eq!(column.values(&[0, 0]).rows(), 1);
        column
            .push(&packed(pack_sparse, &[(3, 1.0), (9, -1.0)][..]))
            .expect("sparse");
        let Values::Sparse(lists) = column.values(&[]) else {
            panic!("{column:?}");
        };
        assert_eq!(
            (lists.row(0), lists.row(1)),
            (&[][..], &[(3, 1.0), (9, -1.0)][..])
        );
        assert_eq!(
            column.push(&packed(pack_f32, &[1.0][..])),
            Err(PackError::Kinds)
        );
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        for bytes in [
            &[0][..],
            &[9, 1, 2, 3, 4],
            &[1, 2, 3],
            &[1],
            &[3, 1, 2, 3, 4, 5, 6, 7, 8],
        ] {
            let found = VectorColumn::default().push(bytes);
            assert_eq!(found, Err(PackError::Damaged(bytes.len())));
        }
    }
}
