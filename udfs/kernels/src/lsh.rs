//! The choice of the numbers of bands and rows, and the probability with which they find a pair.
//!
//! With b bands of r rows a pair of similarity J becomes a candidate with probability
//! `1 − (1 − J^r)^b`. More rows give fewer false candidates, more bands miss fewer similar pairs, and the
//! cost is b·r hashes.

use crate::bands::Draws;
use crate::minhash::MAX_HASHES;

/// Rows of the single band for a threshold of 1.0, where equal sets agree in every position: enough to give
/// few candidates that are not equal.
const ROWS_OF_EQUALS: usize = 16;

/// The maximal number of draws whose probability is computed, as the sum has a term for each set of draws.
pub const MAX_MODEL_DRAWS: usize = 16;

/// Bands of rows over the first `bands * rows` positions of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    /// The number of bands.
    pub bands: usize,
    /// The number of positions in each band.
    pub rows: usize,
}

/// The reason why bands or probabilities cannot be computed for the parameters.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LshError {
    /// The threshold is out of range.
    #[error("threshold must be above 0 and at most 1, found {0}")]
    Threshold(f64),
    /// The recall is out of range.
    #[error("target_recall must be above 0 and below 1, found {0}")]
    TargetRecall(f64),
    /// The number of hashes is out of range.
    #[error("num_hashes must be between 1 and {MAX_HASHES}, found {0}")]
    NumHashes(usize),
    /// No bands within the hashes reach the recall at the threshold.
    #[error(
        "a recall of {target_recall} at threshold {threshold} needs num_hashes of at least {needed}, found {num_hashes}"
    )]
    TooFewHashes {
        /// The requested threshold.
        threshold: f64,
        /// The requested recall.
        target_recall: f64,
        /// The smallest number of hashes that reaches the recall; may be above [`MAX_HASHES`].
        needed: u64,
        /// The number of hashes available.
        num_hashes: usize,
    },
    /// There are too many draws for an exact probability.
    #[error(
        "the probability of a candidate is computed for at most {MAX_MODEL_DRAWS} draws, found {0}"
    )]
    Draws(usize),
}

/// The bands that find at least the share `target_recall` of the pairs whose similarity is `threshold`, with
/// the largest number of rows that `num_hashes` hashes allow (pairs above the threshold are found more often).
///
/// r is the largest number with b·r ≤ `num_hashes`, where b = ⌈ln(1 − R) / ln(1 − τ^r)⌉ for the recall R and
/// the threshold τ. At threshold 1.0 a single band suffices; it has sixteen rows, or all hashes if there are
/// fewer.
///
/// ```
/// let bands = neardup_kernels::choose_bands(0.8, 0.99, 128)?;
/// assert_eq!((bands.bands, bands.rows), (16, 6));
/// # Ok::<(), neardup_kernels::LshError>(())
/// ```
///
/// # Errors
/// If a parameter is outside of its range, or no bands within `num_hashes` reach the target; the
/// error names the number that would.
pub fn choose_bands(
    threshold: f64,
    target_recall: f64,
    num_hashes: usize,
) -> Result<Bands, LshError> {
    if !(threshold > 0.0 && threshold <= 1.0) {
        return Err(LshError::Threshold(threshold));
    }
    if !(target_recall > 0.0 && target_recall < 1.0) {
        return Err(LshError::TargetRecall(target_recall));
    }
    if !(1..=MAX_HASHES).contains(&num_hashes) {
        return Err(LshError::NumHashes(num_hashes));
    }
    if threshold == 1.0 {
        return Ok(Bands {
            bands: 1,
            rows: num_hashes.min(ROWS_OF_EQUALS),
        });
    }
    let mut needed = f64::INFINITY;
    let mut chosen = None;
    for rows in 1..=num_hashes {
        let bands = bands_for(threshold, target_recall, rows);
        let hashes = bands * rows as f64;
        needed = needed.min(hashes);
        if hashes <= num_hashes as f64 {
            chosen = Some(Bands {
                bands: bands as usize,
                rows,
            });
        }
    }
    chosen.ok_or(LshError::TooFewHashes {
        threshold,
        target_recall,
        needed: needed as u64,
        num_hashes,
    })
}

/// The number of bands of `rows` rows that reach a recall: an integer of at least 1, or infinity.
fn bands_for(threshold: f64, target_recall: f64, rows: usize) -> f64 {
    let agree = threshold.powf(rows as f64);
    ((1.0 - target_recall).ln() / (-agree).ln_1p())
        .ceil()
        .max(1.0)
}

/// The probability that a pair of similarity `jaccard` shares the key of at least one band.
pub fn candidate_probability(jaccard: f64, bands: usize, rows: usize) -> f64 {
    let agree = jaccard.clamp(0.0, 1.0).powf(rows as f64);
    // 1 − (1 − agree)^bands, accurate for tiny values of `agree`.
    -(bands as f64 * (-agree).ln_1p()).exp_m1()
}

/// The probability that a pair of similarity `jaccard` shares the key of at least one of these draws. As draws
/// overlap, this is the inclusion-exclusion sum over all sets of draws.
///
/// # Errors
/// If there are more than [`MAX_MODEL_DRAWS`] draws.
pub fn draws_probability(draws: &Draws, jaccard: f64) -> Result<f64, LshError> {
    let count = draws.iter().len();
    if count > MAX_MODEL_DRAWS {
        return Err(LshError::Draws(count));
    }
    // Sets of positions are bit sets. Terms are gathered by the size of the union, so that the alternating
    // sum has integer coefficients.
    let words = draws.num_hashes().div_ceil(64);
    let sets: Vec<Vec<u64>> = draws
        .iter()
        .map(|draw| {
            let mut set = vec![0_u64; words];
            draw.iter()
                .for_each(|&at| set[usize::from(at) / 64] |= 1 << (at % 64));
            set
        })
        .collect();
    let mut terms = vec![0_i64; draws.num_hashes() + 1];
    for chosen in 1_u32..1 << count {
        let size: u32 = (0..words)
            .map(|word| {
                let members = sets
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| chosen >> i & 1 == 1);
                members
                    .fold(0, |union, (_, set)| union | set[word])
                    .count_ones()
            })
            .sum();
        terms[size as usize] += if chosen.count_ones() % 2 == 1 { 1 } else { -1 };
    }
    let jaccard = jaccard.clamp(0.0, 1.0);
    let sum: f64 = terms
        .iter()
        .enumerate()
        .map(|(size, &term)| term as f64 * jaccard.powf(size as f64))
        .sum();
    Ok(sum.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::SplitMix64;

    #[test]
    fn bands_for_a_recall_of_99_percent_in_128_hashes() {
        for (threshold, bands, rows) in [
            (0.5, 35, 3),
            (0.6, 19, 3),
            (0.7, 17, 4),
            (0.8, 16, 6),
            (0.9, 11, 10),
            (0.95, 8, 16),
            (1.0, 1, 16),
        ] {
            assert_eq!(
                choose_bands(threshold, 0.99, 128),
                Ok(Bands { bands, rows }),
                "at {threshold}"
            );
        }
        assert_eq!(choose_bands(1.0, 0.99, 4), Ok(Bands { bands: 1, rows: 4 }));
    }

    #[test]
    fn chosen_bands_reach_the_recall_and_one_row_more_would_not_fit() {
        for step in 1..100 {
            let threshold = f64::from(step) / 100.0;
            for recall in [0.5, 0.9, 0.99, 0.999] {
                for num_hashes in [16, 64, 128, 1_024] {
                    let Ok(Bands { bands, rows }) = choose_bands(threshold, recall, num_hashes)
                    else {
                        continue;
                    };
                    let found = candidate_probability(threshold, bands, rows);
                    assert!(
                        found >= recall - 1e-12,
                        "{found} of {recall} at {threshold}"
                    );
                    assert!(bands * rows <= num_hashes);
                    let more = num_hashes / (rows + 1);
                    let missed = candidate_probability(threshold, more, rows + 1) < recall;
                    assert!(more == 0 || missed, "{more} x {} at {threshold}", rows + 1);
                }
            }
        }
    }

    #[test]
    fn errors_name_the_hashes_needed() {
        let error = |t, r, h| choose_bands(t, r, h).map_err(|e| e.to_string());
        assert_eq!(
            error(0.1, 0.99, 16),
            Err(
                "a recall of 0.99 at threshold 0.1 needs num_hashes of at least 44, found 16"
                    .to_owned()
            )
        );
        assert_eq!(
            choose_bands(0.1, 0.99, 44),
            Ok(Bands { bands: 44, rows: 1 })
        );
        assert_eq!(
            error(0.0, 0.99, 16),
            Err("threshold must be above 0 and at most 1, found 0".to_owned())
        );
        assert_eq!(
            error(f64::NAN, 0.99, 16),
            Err("threshold must be above 0 and at most 1, found NaN".to_owned())
        );
        assert_eq!(
            error(0.8, 1.0, 16),
            Err("target_recall must be above 0 and below 1, found 1".to_owned())
        );
        assert_eq!(
            error(0.8, 0.9, 0),
            Err("num_hashes must be between 1 and 4096, found 0".to_owned())
        );
        assert!(choose_bands(1e-300, 0.99, 16).is_err());
    }

    #[test]
    fn candidates_of_low_thresholds() {
        assert!((candidate_probability(0.3, 35, 3) - 0.617).abs() < 1e-3);
        assert_eq!(candidate_probability(1.0, 1, 1), 1.0);
        assert_eq!(candidate_probability(0.0, 9, 2), 0.0);
        assert!((candidate_probability(1e-9, 10, 1) - 1e-8).abs() < 1e-15);
    }

    /// Given that m of H positions agree, random draws of K are independent: each agrees with
    /// probability (m/H)^K, and m is binomial.
    fn average_over_all_draws(jaccard: f64, h: i32, draws: i32, size: i32) -> f64 {
        let mut binomial = (1.0 - jaccard).powi(h);
        let mut found = 0.0;
        for m in 0..=h {
            let agrees = (f64::from(m) / f64::from(h)).powi(size);
            found += binomial * (1.0 - (1.0 - agrees).powi(draws));
            binomial *= jaccard / (1.0 - jaccard) * f64::from(h - m) / f64::from(m + 1);
        }
        found
    }

    /// 10 draws of 10 from 20 hashes, the published setting: which draws they are matters a lot.
    #[test]
    fn the_published_setting_depends_on_its_draws() {
        for (jaccard, published) in [(0.8, 0.73), (0.7, 0.44)] {
            let found = |seed| {
                let draws = Draws::new(20, 10, 10, seed).expect("valid parameters");
                draws_probability(&draws, jaccard).expect("few draws")
            };
            let found: Vec<f64> = (0..400).map(found).collect();
            let average = found.iter().sum::<f64>() / 400.0;
            let expected = average_over_all_draws(jaccard, 20, 10, 10);
            assert!(
                (average - expected).abs() < 0.01,
                "{average} and {expected} at {jaccard}"
            );
            // The published draws have a higher probability than the average of all draws.
            assert!(found.iter().any(|&found| found > published));
            assert!(expected < published);
        }
    }

    #[test]
    fn the_sum_over_draws_equals_an_experiment() {
        let draws = Draws::new(20, 10, 8, 1).expect("valid parameters");
        let mut random = SplitMix64::new(10);
        for jaccard in [0.5, 0.8] {
            let mut found = 0;
            for _ in 0..40_000 {
                let agree: Vec<bool> = (0..20)
                    .map(|_| (random.below(1_000) as f64) < jaccard * 1_000.0)
                    .collect();
                found += u32::from(
                    draws
                        .iter()
                        .any(|draw| draw.iter().all(|&at| agree[usize::from(at)])),
                );
            }
            let expected = draws_probability(&draws, jaccard).expect("few draws");
            assert!(
                (f64::from(found) / 40_000.0 - expected).abs() < 0.01,
                "at {jaccard}"
            );
        }
        let many = Draws::new(20, 17, 8, 1).expect("valid parameters");
        assert_eq!(draws_probability(&many, 0.5), Err(LshError::Draws(17)));
        let one = Draws::new(100, 1, 1, 1).expect("valid parameters");
        assert_eq!(draws_probability(&one, 0.25), Ok(0.25));
    }
}
