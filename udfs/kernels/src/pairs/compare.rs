//! The Hamming distance and the cosine of two rows.

use super::input::{Items, Vectors};
use crate::cosine::cosine_of;

/// The number of bits in which two signatures, given as words, differ.
#[inline(always)]
pub(super) fn distance(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// The cosine of two rows of vectors; `None` for a zero vector.
pub(super) fn cosine(vectors: &Vectors<'_>, a: usize, b: usize) -> Option<f64> {
    let norms = vectors.norms.get(a)? * vectors.norms.get(b)?;
    if norms <= 0.0 {
        return None;
    }
    Some(cosine_of(vectors.values.dot(a, b)?, norms))
}

/// The value that two rows are reported with, if they are a pair: the distance of their signatures, or the
/// cosine of their vectors, if it is at least `threshold`. Signatures, where there are any, differ in at most
/// `max_distance` bits.
#[inline]
pub(super) fn compared(
    max_distance: u32,
    threshold: f64,
    items: &Items<'_>,
    a: usize,
    b: usize,
) -> Option<f64> {
    let near = match items {
        Items::Bits(bits)
        | Items::Vectors {
            bits: Some(bits), ..
        } => {
            let distance = distance(bits.row(a), bits.row(b));
            (distance <= max_distance).then_some(distance)?
        }
        _ => 0,
    };
    of_distance(threshold, items, a, b, near)
}

/// As [`compared`], for two rows whose signatures are known to differ in `distance` bits, which is near enough.
#[inline]
pub(super) fn of_distance(
    threshold: f64,
    items: &Items<'_>,
    a: usize,
    b: usize,
    distance: u32,
) -> Option<f64> {
    match items {
        Items::Bits(_) => Some(f64::from(distance)),
        Items::Vectors { vectors, .. } => {
            cosine(vectors, a, b).filter(|&cosine| cosine >= threshold)
        }
        _ => None,
    }
}
