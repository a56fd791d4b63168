//! The cosine of two vectors in f64, with the same bits wherever it is computed.
//!
//! The dot product of dense vectors is computed as four sums, one for the dimensions of each remainder modulo 4,
//! in ascending order, which are added as (0 + 1) + (2 + 3). [`crate::pairs`] reports cosines that are summed in
//! this order, too. The dot product of sparse vectors is one sum over their common terms in ascending order.

use crate::projection::{Coordinate, scale};

/// The number of separate sums of a dot product.
pub(crate) const LANES: usize = 4;

/// The dot product of two dense vectors, over the dimensions that both have.
#[inline]
pub(crate) fn dot<A: Coordinate, B: Coordinate>(a: &[A], b: &[B]) -> f64 {
    let mut sums = [0.0_f64; LANES];
    let (a, rest_a) = a.as_chunks::<LANES>();
    let (b, rest_b) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane].to_f64() * b[lane].to_f64();
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(rest_a).zip(rest_b) {
        *sum += a.to_f64() * b.to_f64();
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// The dot product of two sparse vectors: (term, weight), terms ascending and distinct.
pub(crate) fn sparse_dot(a: &[(u64, f64)], b: &[(u64, f64)]) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while let (Some((term_a, x)), Some((term_b, y))) = (a.get(i), b.get(j)) {
        if term_a == term_b {
            sum += x * y;
        }
        i += usize::from(term_a <= term_b);
        j += usize::from(term_b <= term_a);
    }
    sum
}

/// The cosine from a dot product and the product of the squared norms; exactly 1 for equal vectors.
#[inline]
pub(crate) fn cosine_of(dot: f64, norms: f64) -> f64 {
    (dot / norms.sqrt()).clamp(-1.0, 1.0)
}

/// Whether the squared norm `norm` of a vector shows that its squares neither overflow nor underflow.
pub(crate) fn is_safe(norm: f64) -> bool {
    (1e-140..1e140).contains(&norm)
}

/// The cosine of two dense vectors of the same length, in [-1, 1]; `None` if one of them is zero or
/// has no number. Numbers must be finite.
///
/// ```
/// assert_eq!(neardup_kernels::cosine(&[3.0_f32, 4.0], &[4.0_f32, 3.0]), Some(0.96));
/// assert_eq!(neardup_kernels::cosine(&[3.0_f32, 4.0], &[0.0_f32, 0.0]), None);
/// ```
#[must_use]
pub fn cosine<A: Coordinate, B: Coordinate>(a: &[A], b: &[B]) -> Option<f64> {
    let (norm_a, norm_b) = (dot(a, a), dot(b, b));
    if is_safe(norm_a) && is_safe(norm_b) {
        return Some(cosine_of(dot(a, b), norm_a * norm_b));
    }
    let (a, b) = (scaled(a), scaled(b));
    let norms = dot(&a, &a) * dot(&b, &b);
    (norms > 0.0).then(|| cosine_of(dot(&a, &b), norms))
}

/// The cosine of two sparse vectors, (hash of the term, weight) in ascending order of distinct terms; `None` if
/// one of them is zero.
#[must_use]
pub fn sparse_cosine(a: &[(u64, f64)], b: &[(u64, f64)]) -> Option<f64> {
    let (norm_a, norm_b) = (sparse_dot(a, a), sparse_dot(b, b));
    if is_safe(norm_a) && is_safe(norm_b) {
        return Some(cosine_of(sparse_dot(a, b), norm_a * norm_b));
    }
    let scaled = |vector: &[(u64, f64)]| -> Vec<(u64, f64)> {
        let largest = vector.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max);
        let scale = scale(largest);
        vector.iter().map(|&(term, x)| (term, x * scale)).collect()
    };
    let (a, b) = (scaled(a), scaled(b));
    let norms = sparse_dot(&a, &a) * sparse_dot(&b, &b);
    (norms > 0.0).then(|| cosine_of(sparse_dot(&a, &b), norms))
}

/// The vector scaled by a power of two that keeps its squares in range.
fn scaled<T: Coordinate>(vector: &[T]) -> Vec<f64> {
    let largest = vector.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    let scale = scale(largest);
    vector.iter().map(|x| x.to_f64() * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;

    #[test]
    fn cosine_is_the_formula() {
        let mut random = SplitMix64::new(2);
        for length in 1..70 {
            let mut vector = || -> Vec<f32> {
                (0..length)
                    .map(|_| random.below(2001) as f32 / 1000.0 - 1.0)
                    .collect()
            };
            let (a, b) = (vector(), vector());
            let sum = |a: &[f32], b: &[f32]| -> f64 {
                a.iter()
                    .zip(b)
                    .map(|(&a, &b)| f64::from(a) * f64::from(b))
                    .sum()
            };
            let expected = sum(&a, &b) / (sum(&a, &a).sqrt() * sum(&b, &b).sqrt());
            let found = cosine(&a, &b).expect("not zero");
            assert!((found - expected).abs() < 1e-14);
            assert_eq!(cosine(&a, &a), Some(1.0), "a vector with itself");
            let opposite: Vec<f32> = a.iter().map(|x| -x).collect();
            assert_eq!(cosine(&a, &opposite), Some(-1.0));
            let wide: Vec<f64> = b.iter().map(|&x| f64::from(x)).collect();
            assert_eq!(cosine(&a, &wide), Some(found));
            let entries = |v: &[f32]| -> Vec<(u64, f64)> {
                (0..).zip(v.iter().map(|&x| f64::from(x))).collect()
            };
            let sparse = sparse_cosine(&entries(&a), &entries(&b)).expect("not zero");
            assert!((sparse - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn sparse_vectors_meet_at_common_terms() {
        let a = [(1, 3.0), (5, 4.0), (9, 12.0)];
        let b = [(2, 8.0), (5, 6.0)];
        assert_eq!(sparse_cosine(&a, &b), Some(24.0 / 130.0));
        assert_eq!(sparse_cosine(&a, &[(7, 1.0)]), Some(0.0));
        assert_eq!(sparse_cosine(&a, &[]), None);
        assert_eq!(sparse_cosine(&a, &[(1, 0.0)]), None);
    }

    #[test]
    fn sizes_at_the_ends_of_the_range() {
        for size in [1e-320, 1e-200, 1e-80, 1e80, 1e200, 1e300] {
            let (a, b) = ([3.0 * size, 4.0 * size], [4.0 * size, 3.0 * size]);
            let found = cosine(&a, &b).expect("not zero");
            assert!((found - 0.96).abs() < 1e-3, "{size}: {found}");
            let of = |v: [f64; 2]| [(1, v[0]), (2, v[1])];
            assert!((sparse_cosine(&of(a), &of(b)).expect("not zero") - 0.96).abs() < 1e-3);
            assert_eq!(cosine(&a, &[0.0, 0.0]), None);
            assert_eq!(
                cosine(&a, &[1.0, 0.0]).map(|c| (c * 10.0).round()),
                Some(6.0)
            );
        }
        assert_eq!(cosine::<f32, f32>(&[], &[]), None);
    }
}
