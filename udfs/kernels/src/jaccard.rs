//! Exact similarities of two sets, each given as a sorted slice of distinct hashes.
//!
//! An empty set has similarity 0 to every set, itself included, so that empty texts never form pairs.

/// If the ratio of the sizes is below this, both sets are merged; otherwise each hash of the smaller set is
/// searched in the larger one.
const SEARCH_RATIO: usize = 32;

/// The number of steps between two checks whether the overlap can still be reached.
const STRIDE: usize = 16;

/// The number of hashes that two sets share.
pub fn overlap(a: &[u64], b: &[u64]) -> usize {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if small.len().saturating_mul(SEARCH_RATIO) < large.len() {
        return overlap_by_search(small, large);
    }
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < small.len() && j < large.len() {
        step(small[i], large[j], &mut i, &mut j, &mut shared);
    }
    shared
}

/// The number of hashes that two sets share, if it is at least `needed`; stops as soon as it cannot be reached.
pub fn overlap_at_least(a: &[u64], b: &[u64], needed: usize) -> Option<usize> {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if small.len() < needed {
        return None;
    }
    if small.len().saturating_mul(SEARCH_RATIO) < large.len() {
        return Some(overlap_by_search(small, large)).filter(|&shared| shared >= needed);
    }
    let (mut i, mut j, mut shared) = (0, 0, 0);
    // `STRIDE` steps move neither cursor past its end here, so they need no bounds checks.
    while i + STRIDE <= small.len() && j + STRIDE <= large.len() {
        for _ in 0..STRIDE {
            step(small[i], large[j], &mut i, &mut j, &mut shared);
        }
        if shared + (small.len() - i).min(large.len() - j) < needed {
            return None;
        }
    }
    while i < small.len() && j < large.len() {
        step(small[i], large[j], &mut i, &mut j, &mut shared);
    }
    Some(shared).filter(|&shared| shared >= needed)
}

/// Moves past the smaller hash, or past both if they are equal, without a branch.
#[inline(always)]
fn step(x: u64, y: u64, i: &mut usize, j: &mut usize, shared: &mut usize) {
    *shared += usize::from(x == y);
    *i += usize::from(x <= y);
    *j += usize::from(y <= x);
}

/// Searches each hash of `small` in the rest of `large` by exponential search.
fn overlap_by_search(small: &[u64], mut large: &[u64]) -> usize {
    let mut shared = 0;
    for &hash in small {
        let mut bound = 1;
        while bound < large.len() && large[bound] < hash {
            bound *= 2;
        }
        let within = &large[..large.len().min(bound + 1)];
        match within.binary_search(&hash) {
            Ok(at) => {
                shared += 1;
                large = &large[at + 1..];
            }
            Err(at) => large = &large[at..],
        }
    }
    shared
}

/// |A ∩ B| / |A ∪ B|, 0.0 if either set is empty.
///
/// ```
/// assert_eq!(neardup_kernels::jaccard(&[1, 2, 3], &[2, 3, 4]), 0.5);
/// ```
pub fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    jaccard_of_overlap(overlap(a, b), a.len(), b.len())
}

/// The Jaccard similarity of sets of `a` and `b` hashes that share `overlap` hashes; 0.0 if either set is empty.
/// Thresholds are compared with this quotient, in `f64`.
pub fn jaccard_of_overlap(overlap: usize, a: usize, b: usize) -> f64 {
    if a == 0 || b == 0 {
        0.0
    } else {
        overlap as f64 / (a + b - overlap) as f64
    }
}

/// |A ∩ B| / |A|: the share of the hashes of `a` that are in `b`. 0.0 if `a` is empty.
pub fn containment(a: &[u64], b: &[u64]) -> f64 {
    if a.is_empty() {
        0.0
    } else {
        overlap(a, b) as f64 / a.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::random_texts::RandomTexts;

    fn oracle(a: &[u64], b: &[u64]) -> usize {
        let a: BTreeSet<_> = a.iter().collect();
        b.iter().filter(|hash| a.contains(hash)).count()
    }

    #[test]
    fn every_implementation_equals_the_oracle() {
        let mut random = RandomTexts::new(8);
        for round in 0..6_000 {
            let bound = [4, 60, 600, u64::MAX][round % 4];
            let a = random.set(70, bound);
            let b = random.set([60, 600, 6_000][round % 3], bound);
            let expected = oracle(&a, &b);
            assert_eq!(overlap(&a, &b), expected);
            assert_eq!(overlap(&b, &a), expected);
            assert_eq!(overlap_by_search(&a, &b), expected);
            for needed in [
                0,
                1,
                expected.saturating_sub(1),
                expected,
                expected + 1,
                100,
            ] {
                let found = Some(expected).filter(|&shared| shared >= needed);
                assert_eq!(
                    overlap_at_least(&a, &b, needed),
                    found,
                    "{needed} of {expected}"
                );
                assert_eq!(
                    overlap_at_least(&b, &a, needed),
                    found,
                    "{needed} of {expected}"
                );
            }
            let union = a.len() + b.len() - expected;
            if !a.is_empty() && !b.is_empty() {
                assert_eq!(jaccard(&a, &b), expected as f64 / union as f64);
                assert_eq!(containment(&a, &b), expected as f64 / a.len() as f64);
            }
        }
    }

    #[test]
    fn empty_sets_are_like_nothing() {
        assert_eq!(jaccard(&[], &[]), 0.0);
        assert_eq!(jaccard(&[], &[1]), 0.0);
        assert_eq!(containment(&[], &[1]), 0.0);
        assert_eq!(containment(&[1], &[]), 0.0);
        assert_eq!(overlap_at_least(&[], &[], 0), Some(0));
    }
}
