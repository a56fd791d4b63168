//! Integer bounds of the Jaccard predicate and of the edit similarity, for the filters of exact joins.
//!
//! Two sets of sizes `a` and `b` with an overlap of `o` elements qualify at a threshold `t` iff
//! `o as f64 / (a + b - o) as f64 >= t`, evaluated in `f64`. Every filter of the exact join is a
//! bound on an integer, and each bound here is the smallest (or largest) integer that satisfies exactly this
//! predicate. A floating-point estimate is corrected with the predicate itself, so that rounding cannot lose a
//! pair (`(0.55 * 100.0).ceil()` is 56).
//!
//! Division is correctly rounded and therefore monotone: if the predicate is true for an overlap, it is true
//! for every larger one.
//!
//! The bounds are those of prefix filtering: Chaudhuri, Ganti, Kaushik, "A primitive operator for
//! similarity joins in data cleaning", ICDE 2006; Bayardo, Ma, Srikant, "Scaling up all pairs
//! similarity search", WWW 2007; Xiao et al., "Efficient similarity joins for near duplicate
//! detection", WWW 2008.
//!
//! Two texts of edit distance `d` qualify iff `(length - d) as f64 / length as f64 >= t`, where `length` counts the
//! characters of the longer one; [`max_edit_distance`] is the largest `d` that satisfies exactly this. The quotient is
//! rounded once: at a threshold of 0.2, a pair of similarity 1 / 5 qualifies, but `1.0 - 0.8` is less than 0.2.
//!
//! Thresholds are in (0, 1]. For others the functions terminate, but their results are meaningless.

/// The largest size of a set that [`partner_sizes`] returns, as rows and sizes are counted in `u32`.
pub const MAX_SET_SIZE: usize = u32::MAX as usize;

/// Whether an overlap of `overlap` elements qualifies, where `total` is the sum of the two sizes.
///
/// `overlap` must not exceed `total`. Two empty sets do not qualify.
#[inline]
#[must_use]
pub fn qualifies(overlap: usize, total: usize, threshold: f64) -> bool {
    jaccard(overlap, total) >= threshold
}

/// The Jaccard similarity of two sets that share `overlap` elements, where `total` is the sum of the two sizes;
/// NaN for two empty sets.
#[inline]
#[must_use]
pub fn jaccard(overlap: usize, total: usize) -> f64 {
    overlap as f64 / (total - overlap) as f64
}

/// The smallest overlap with which sets of these sizes qualify; at least 1.
///
/// It exceeds the smaller size if the sets cannot qualify.
#[inline]
#[must_use]
pub fn min_overlap(size_a: usize, size_b: usize, threshold: f64) -> usize {
    let total = size_a + size_b;
    // At this overlap the ratio is at least 1.
    let ceiling = total.div_ceil(2).max(1);
    let estimate = (threshold / (1.0 + threshold) * total as f64) as usize;
    let mut overlap = (estimate + 1).min(ceiling);
    while overlap > 1 && qualifies(overlap - 1, total, threshold) {
        overlap -= 1;
    }
    while overlap < ceiling && !qualifies(overlap, total, threshold) {
        overlap += 1;
    }
    overlap
}

/// The smallest and the largest size of a set that can qualify with one of `size` elements.
///
/// The range is empty (smallest over largest) for `size` 0. The largest saturates at
/// [`MAX_SET_SIZE`].
#[must_use]
pub fn partner_sizes(size: usize, threshold: f64) -> (usize, usize) {
    if size == 0 {
        return (1, 0);
    }
    // A smaller set is most similar if it is a subset, a larger one if it is a superset.
    let ratio = |small: usize, large: usize| small as f64 / large as f64 >= threshold;
    let mut smallest = ((threshold * size as f64) as usize).clamp(1, size);
    while smallest > 1 && ratio(smallest - 1, size) {
        smallest -= 1;
    }
    while smallest < size && !ratio(smallest, size) {
        smallest += 1;
    }
    let mut largest = ((size as f64 / threshold) as usize).clamp(size, MAX_SET_SIZE.max(size));
    while largest < MAX_SET_SIZE && ratio(size, largest + 1) {
        largest += 1;
    }
    while largest > size && !ratio(size, largest) {
        largest -= 1;
    }
    (smallest, largest)
}

/// The smallest number of the `size` elements of a set that another set must contain for a share of at least the
/// threshold: the smallest `n` with `n as f64 / size as f64 >= t`; 1 for the empty set.
#[must_use]
pub fn min_contained(size: usize, threshold: f64) -> usize {
    partner_sizes(size, threshold).0
}

/// The length of the prefix of a set of `size` tokens: `size` minus the smallest overlap with which any set
/// qualifies, plus 1; 0 for the empty set.
///
/// If the tokens of all sets are in one total order, the two sets of a qualifying pair share a token that is
/// among the first `prefix_len` tokens of each.
#[must_use]
pub fn prefix_len(size: usize, threshold: f64) -> usize {
    if size == 0 {
        return 0;
    }
    // The overlap needed grows with the size of the other set. The smallest set that can qualify is a subset,
    // whose size is the overlap.
    size - partner_sizes(size, threshold).0 + 1
}

/// The edit similarity of two texts at an edit distance of `distance`, where the longer one has `longest`
/// characters; NaN for two empty texts. A distance is at most `longest`.
#[inline]
#[must_use]
pub fn similarity_of_distance(distance: usize, longest: usize) -> f64 {
    longest.saturating_sub(distance) as f64 / longest as f64
}

/// The largest edit distance with which two texts qualify, where the longer one has `longest` characters; 0 for
/// two empty texts, which do not qualify.
///
/// It is less than `longest`. If `longest` grows by 1, it stays or grows by 1.
#[must_use]
pub fn max_edit_distance(longest: usize, threshold: f64) -> usize {
    let qualifies = |distance| similarity_of_distance(distance, longest) >= threshold;
    let mut distance = (((1.0 - threshold) * longest as f64) as usize).min(longest);
    while distance < longest && qualifies(distance + 1) {
        distance += 1;
    }
    while distance > 0 && !qualifies(distance) {
        distance -= 1;
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_share() {
        for threshold in thresholds() {
            for size in 1..60_usize {
                let enough = |n: &usize| *n as f64 / size as f64 >= threshold;
                assert_eq!(
                    Some(min_contained(size, threshold)),
                    (1..=size).find(enough)
                );
            }
        }
        assert_eq!(min_contained(0, 0.5), 1);
    }

    /// Every p/q with q up to 20, their neighbours in `f64`, and decimals that do not round well.
    fn thresholds() -> Vec<f64> {
        let mut all = Vec::new();
        for q in 1..=20u32 {
            for p in 1..=q {
                let t = f64::from(p) / f64::from(q);
                all.push(t);
                all.push(t.next_down());
                if t < 1.0 {
                    all.push(t.next_up());
                }
            }
        }
        for i in 1..100u32 {
            all.push(f64::from(i) / 100.0);
            all.push(f64::from(i) * 0.01);
        }
        all.extend([
            1e-9,
            0.001,
            0.123_456_789,
            0.333_333,
            0.666_667,
            0.999_999_9,
        ]);
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    fn naive_min_overlap(a: usize, b: usize, t: f64) -> usize {
        (0..=a + b)
            .find(|&o| o as f64 / (a + b - o) as f64 >= t)
            .expect("at o = a + b the ratio is infinite unless both are empty")
    }

    #[test]
    fn min_overlap_is_the_smallest_that_qualifies() {
        for t in thresholds() {
            for a in 0..=40 {
                for b in 0..=40 {
                    if a + b > 0 {
                        assert_eq!(
                            min_overlap(a, b, t),
                            naive_min_overlap(a, b, t),
                            "{a} {b} {t}"
                        );
                    }
                }
            }
        }
        assert_eq!(min_overlap(0, 0, 0.5), 1);
    }

    #[test]
    fn min_overlap_is_minimal_for_all_sizes_up_to_200() {
        for t in thresholds() {
            for a in 1..=200 {
                for b in a..=200 {
                    let o = min_overlap(a, b, t);
                    assert!(qualifies(o, a + b, t), "{a} {b} {t}: {o}");
                    assert!(!qualifies(o - 1, a + b, t), "{a} {b} {t}: {o}");
                    assert_eq!(o, min_overlap(b, a, t));
                }
            }
        }
    }

    /// Whether some pair of sets of these sizes qualifies: the best overlap is the smaller size.
    fn some_pair_qualifies(a: usize, b: usize, t: f64) -> bool {
        qualifies(a.min(b), a + b, t)
    }

    #[test]
    fn partner_sizes_are_exactly_those_that_can_qualify() {
        for t in thresholds() {
            for a in 0..=200 {
                let (smallest, largest) = partner_sizes(a, t);
                for b in 1..=450 {
                    let inside = smallest <= b && b <= largest;
                    assert_eq!(inside, some_pair_qualifies(a, b, t), "{a} {b} {t}");
                }
            }
        }
    }

    #[test]
    fn prefix_len_leaves_fewer_tokens_than_any_partner_needs() {
        for t in thresholds() {
            for a in 0..=200 {
                let min_overlap = (1..=450)
                    .filter(|&b| some_pair_qualifies(a, b, t))
                    .map(|b| min_overlap(a, b, t))
                    .min();
                let expected = min_overlap.map_or(0, |o| a - o + 1);
                assert_eq!(prefix_len(a, t), expected, "{a} {t}");
            }
        }
    }

    #[test]
    fn known_slips_of_floating_point() {
        // 0.55 * 100 rounds above 55, yet 55 of 100 qualify.
        assert_eq!((0.55f64 * 100.0).ceil() as usize, 56);
        assert_eq!(partner_sizes(100, 0.55).0, 55);
        assert_eq!(prefix_len(100, 0.55), 46);
        assert_eq!(prefix_len(155, 0.8), 32);
    }

    #[test]
    fn max_edit_distance_is_the_largest_that_qualifies() {
        for t in thresholds() {
            assert_eq!(max_edit_distance(0, t), 0);
            for longest in 1..=300 {
                let qualifies = |&d: &usize| (longest - d) as f64 / longest as f64 >= t;
                let expected = (0..=longest).rev().find(qualifies);
                let distance = max_edit_distance(longest, t);
                assert_eq!(Some(distance), expected, "{longest} {t}");
                assert!(distance < longest, "{longest} {t}");
                let longer = max_edit_distance(longest + 1, t);
                assert!(
                    longer == distance || longer == distance + 1,
                    "{longest} {t}"
                );
            }
        }
    }

    #[test]
    fn edit_distances_at_the_threshold() {
        assert_eq!(max_edit_distance(4, 0.8), 0);
        assert_eq!(max_edit_distance(5, 0.8), 1);
        assert_eq!(max_edit_distance(9, 0.8), 1);
        assert_eq!(max_edit_distance(10, 0.8), 2);
        // 1 - 0.9 rounds below 0.1, yet 1 of 10 qualifies.
        assert_eq!(((1.0 - 0.9) * 10.0) as usize, 0);
        assert_eq!(max_edit_distance(10, 0.9), 1);
        // 1 - 0.8 rounds below 0.2, yet 4 of 5 qualifies.
        assert_eq!(max_edit_distance(5, 0.2), 4);
        assert_eq!(similarity_of_distance(4, 5), 0.2);
        assert_eq!(max_edit_distance(1_000_000, 1.0), 0);
        assert_eq!(max_edit_distance(10, 1e-300), 9);
    }

    #[test]
    fn tiny_thresholds_saturate() {
        assert_eq!(partner_sizes(10, 1e-300), (1, MAX_SET_SIZE));
        assert_eq!(partner_sizes(10, f64::MIN_POSITIVE), (1, MAX_SET_SIZE));
        assert_eq!(prefix_len(10, 1e-300), 10);
        assert_eq!(min_overlap(1_000_000, 1, 1e-300), 1);
    }
}
