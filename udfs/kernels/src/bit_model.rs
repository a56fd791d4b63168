//! A model of the recall and cost of bit signatures, to choose parameters in advance (Ture, Elsayed, Lin,
//! SIGIR 2011, §5).
//!
//! Signatures of D bits by random projection differ in each bit with probability ρ = acos(t)/π, where t
//! is the cosine of the vectors. A pair is reported if it is *found*, i.e. its signatures agree in the n key
//! bits of at least one of m tables, and *kept*, i.e. they differ in at most T bits.

use std::f64::consts::PI;

use crate::lsh::{LshError, choose_bands};
use crate::projection::MAX_BITS;

/// The reason why the model has no result for the parameters.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// The cosine is out of range.
    #[error("threshold must be above 0 and at most 1, found {0}")]
    Threshold(f64),
    /// The recall is out of range.
    #[error("target_recall must be above 0 and below 1, found {0}")]
    TargetRecall(f64),
    /// The number of bits is out of range.
    #[error("bits must be between 1 and {MAX_BITS}, found {0}")]
    Bits(usize),
    /// No tables within the bits reach the recall at the threshold.
    #[error(
        "a recall of {target_recall} at threshold {threshold} takes {needed} bits in tables, found {bits}: take more bits or method => 'exhaustive'"
    )]
    TooFewBits {
        /// The requested threshold.
        threshold: f64,
        /// The requested recall.
        target_recall: f64,
        /// The smallest number of bits that reaches the recall.
        needed: u64,
        /// The bits of a signature.
        bits: usize,
    },
}

/// The probability that a bit differs between the signatures of two vectors of the given cosine: acos(cosine)/π.
#[must_use]
pub fn bit_difference(cosine: f64) -> f64 {
    cosine.clamp(-1.0, 1.0).acos() / PI
}

/// P(Bin(trials, p) ≤ max).
#[must_use]
pub fn binomial_at_most(max: usize, trials: usize, p: f64) -> f64 {
    if max >= trials || p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return 0.0;
    }
    // The smaller tail is summed. Terms are in logarithms, because the first ones may underflow.
    let upper = max as f64 > trials as f64 * p;
    let (count, p) = if upper {
        (trials - max, 1.0 - p)
    } else {
        (max + 1, p)
    };
    let odds = (p / (1.0 - p)).ln();
    let mut term = trials as f64 * (-p).ln_1p();
    let mut sum = 0.0;
    for i in 0..count {
        sum += term.exp();
        term += ((trials - i) as f64 / (i + 1) as f64).ln() + odds;
    }
    if upper { 1.0 - sum } else { sum }.clamp(0.0, 1.0)
}

/// The smallest T with P(Bin(bits, acos(cosine)/π) ≤ T) ≥ `recall`: the maximal Hamming distance, in bits, that
/// keeps at least the share `recall` of the pairs of that cosine.
///
/// ```
/// // 1,000 bits at a cosine of 0.3: the expected distance of 403 would keep about half.
/// assert_eq!(neardup_kernels::distance_for_recall(1000, 0.3, 0.96)?, 430);
/// # Ok::<(), neardup_kernels::ModelError>(())
/// ```
///
/// # Errors
/// If a parameter is out of range.
pub fn distance_for_recall(bits: usize, cosine: f64, recall: f64) -> Result<usize, ModelError> {
    check(bits, cosine, recall)?;
    let rho = bit_difference(cosine);
    let (mut low, mut high) = (0, bits);
    while low < high {
        let middle = (low + high) / 2;
        if binomial_at_most(middle, bits, rho) >= recall {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}

/// The probability that signatures agree in all `key_bits` bits of at least one of `tables` tables:
/// `1 − (1 − (1 − ρ)^n)^m`. This is exact if no two tables share a bit. For a sorted window of B rows over C
/// signatures, n is log2(C/B), at least 0 and not necessarily an integer. The cosine is clamped to [-1, 1], and a
/// negative `key_bits` counts as 0.
#[must_use]
pub fn found_in_tables(cosine: f64, key_bits: f64, tables: usize) -> f64 {
    let agree = (1.0 - bit_difference(cosine)).powf(key_bits.max(0.0));
    if agree >= 1.0 {
        return 1.0;
    }
    -(tables as f64 * (-agree).ln_1p()).exp_m1()
}

/// The probability that a pair which agrees in `key_bits` of `bits` bits differs in at most
/// `max_distance` of the others: `Σ_{i=0..T} binom(D − n, i) ρ^i (1 − ρ)^(D − n − i)`.
#[must_use]
pub fn kept_by_distance(cosine: f64, bits: usize, key_bits: usize, max_distance: usize) -> f64 {
    binomial_at_most(
        max_distance,
        bits.saturating_sub(key_bits),
        bit_difference(cosine),
    )
}

/// Hash tables of signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashTables {
    /// The number of tables.
    pub tables: usize,
    /// The number of bits of a key.
    pub key_bits: usize,
}

/// The tables that find at least the share `target_recall` of the pairs of that cosine, with the largest number
/// of bits for each key that `bits` bits allow. This is [`choose_bands`] with bits instead of hash values.
///
/// # Errors
/// If a parameter is out of range, or no tables within `bits` reach the target; the error names the
/// number that would.
pub fn choose_tables(
    bits: usize,
    cosine: f64,
    target_recall: f64,
) -> Result<HashTables, ModelError> {
    check(bits, cosine, target_recall)?;
    match choose_bands(1.0 - bit_difference(cosine), target_recall, bits) {
        Ok(bands) => Ok(HashTables {
            tables: bands.bands,
            key_bits: bands.rows,
        }),
        Err(LshError::TooFewHashes { needed, .. }) => Err(ModelError::TooFewBits {
            threshold: cosine,
            target_recall,
            needed,
            bits,
        }),
        Err(_) => Err(ModelError::Bits(bits)),
    }
}

/// The smallest number of tables of `key_bits` bits that find at least the share `target_recall` of the pairs of that
/// cosine: an integer of at least 1, or infinity. The cosine is clamped to [-1, 1]; `key_bits` must be at least 0, and
/// `target_recall` in (0, 1).
#[must_use]
pub fn tables_for_recall(cosine: f64, key_bits: f64, target_recall: f64) -> f64 {
    let agree = (1.0 - bit_difference(cosine)).powf(key_bits);
    if agree >= 1.0 {
        return 1.0;
    }
    ((-target_recall).ln_1p() / (-agree).ln_1p())
        .ceil()
        .max(1.0)
}

/// A method to find the pairs of a collection, with its parameters, recall and cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BitSetting {
    /// `exhaustive`, `bands` or `window`.
    pub method: &'static str,
    /// The largest Hamming distance of a pair, in bits.
    pub max_distance: usize,
    /// The number of tables, if the method has any.
    pub tables: Option<usize>,
    /// The number of bits of a key, for `bands`.
    pub key_bits: Option<usize>,
    /// The number of preceding rows that a row is compared with, for `window`.
    pub window: Option<usize>,
    /// Probability that a pair at the threshold is compared.
    pub found: f64,
    /// Probability that the distance of a pair at the threshold is at most `max_distance`.
    pub kept: f64,
    /// Probability that the distance of a pair of cosine 0 is at most `max_distance`.
    pub unrelated_kept: f64,
    /// Time relative to comparing all pairs.
    pub relative_cost: f64,
    /// Whether this is the cheapest setting that reaches the target recall.
    pub recommended: bool,
}

/// Costs in comparisons of the exhaustive method, rounded from runs of `examples/all_pairs.rs` at 1,024
/// bits: a candidate of a bucket (24 to 33), computing and indexing a key (71 to 100), a row of a sorted table
/// (140 to 210), and a comparison within a window (0.6 to 1.3).
const CANDIDATE: f64 = 30.0;
const KEY: f64 = 85.0;
const SORTED_ROW: f64 = 170.0;
const WINDOW_ROW: f64 = 1.0;

/// Settings for a collection of `vectors` vectors whose pairs are mostly unrelated (each bit differs with
/// probability 1/2): all pairs; for keys of 4, 8, … bits, the smallest number of tables without common bits that
/// reaches the target; for several numbers of tables, the smallest window that reaches it. For the last two
/// methods, the probabilities of being found and of being kept are both the square root of the target. The
/// cheapest setting is recommended.
///
/// # Errors
/// If a parameter is out of range.
pub fn bit_settings(
    vectors: f64,
    bits: usize,
    cosine: f64,
    target_recall: f64,
) -> Result<Vec<BitSetting>, ModelError> {
    let each = target_recall.sqrt();
    let setting = |method, max_distance: usize, found, comparisons: f64| BitSetting {
        method,
        max_distance,
        tables: None,
        key_bits: None,
        window: None,
        found,
        kept: kept_by_distance(cosine, bits, 0, max_distance),
        unrelated_kept: binomial_at_most(max_distance, bits, 0.5),
        relative_cost: comparisons / (vectors * (vectors - 1.0) / 2.0),
        recommended: false,
    };
    let far = distance_for_recall(bits, cosine, target_recall)?;
    let near = distance_for_recall(bits, cosine, each)?;
    let all = vectors * (vectors - 1.0) / 2.0;
    let mut settings = vec![setting("exhaustive", far, 1.0, all)];
    for key_bits in (4..=64.min(bits)).step_by(4) {
        let tables = tables_for_recall(cosine, key_bits as f64, each);
        if tables * key_bits as f64 > bits as f64 {
            break;
        }
        let candidates = all * 0.5_f64.powi(key_bits as i32);
        let found = found_in_tables(cosine, key_bits as f64, tables as usize);
        let cost = tables * (vectors * KEY + candidates * CANDIDATE);
        settings.push(BitSetting {
            tables: Some(tables as usize),
            key_bits: Some(key_bits),
            ..setting("bands", near, found, cost)
        });
    }
    for tables in [10, 20, 50, 100, 200, 300, 500, 1000] {
        // 1 − (1 − a)^m ≥ R gives the minimal probability a that one table finds a pair, and a = (1 − ρ)^n.
        let min_found = -((-each).ln_1p() / f64::from(tables)).exp_m1();
        let agree = (1.0 - bit_difference(cosine)).ln();
        let key_bits = match agree == 0.0 {
            true => f64::INFINITY,
            false => min_found.ln() / agree,
        };
        let window = (vectors * 0.5_f64.powf(key_bits)).ceil().max(1.0);
        if window >= vectors {
            continue;
        }
        let found = found_in_tables(cosine, (vectors / window).log2(), tables as usize);
        let cost = f64::from(tables) * vectors * (SORTED_ROW + window * WINDOW_ROW);
        settings.push(BitSetting {
            tables: Some(tables as usize),
            window: Some(window as usize),
            ..setting("window", near, found, cost)
        });
    }
    let reaches = |setting: &&mut BitSetting| setting.found * setting.kept >= target_recall - 1e-9;
    let cheapest = settings
        .iter_mut()
        .filter(reaches)
        .min_by(|a, b| a.relative_cost.total_cmp(&b.relative_cost));
    if let Some(cheapest) = cheapest {
        cheapest.recommended = true;
    }
    Ok(settings)
}

fn check(bits: usize, cosine: f64, recall: f64) -> Result<(), ModelError> {
    if !(1..=MAX_BITS).contains(&bits) {
        return Err(ModelError::Bits(bits));
    }
    if !(cosine > 0.0 && cosine <= 1.0) {
        return Err(ModelError::Threshold(cosine));
    }
    if !(recall > 0.0 && recall < 1.0) {
        return Err(ModelError::TargetRecall(recall));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsh::candidate_probability;

    /// The sum itself, with exact coefficients.
    fn naive_binomial(max: usize, trials: usize, p: f64) -> f64 {
        let mut sum = 0.0;
        let mut choose = 1.0;
        for i in 0..=max.min(trials) {
            sum += choose * p.powi(i as i32) * (1.0 - p).powi((trials - i) as i32);
            choose = choose * (trials - i) as f64 / (i + 1) as f64;
        }
        sum
    }

    #[test]
    fn binomial_is_the_sum() {
        for trials in [1, 2, 10, 64, 100] {
            for max in 0..=trials {
                for p in [0.0, 0.01, 0.25, 0.4, 0.5, 0.9, 1.0] {
                    let (found, expected) = (
                        binomial_at_most(max, trials, p),
                        naive_binomial(max, trials, p),
                    );
                    assert!(
                        (found - expected).abs() < 1e-9,
                        "{max} of {trials} at {p}: {found}, not {expected}"
                    );
                }
            }
        }
        assert!((binomial_at_most(2048, 4096, 0.5) - 0.506).abs() < 1e-3);
        assert!(binomial_at_most(10, 4096, 0.5) < 1e-300);
    }

    #[test]
    fn published_thresholds() {
        // T = 400 of 1,000 keeps 0.41 at the threshold; 430 keeps 96 %, 439 keeps 99 %.
        assert!((kept_by_distance(0.3, 1000, 0, 430) - 0.96).abs() < 0.005);
        assert!((kept_by_distance(0.3, 1000, 0, 439) - 0.99).abs() < 0.002);
        assert_eq!(distance_for_recall(1000, 0.3, 0.99), Ok(439));
        assert_eq!(distance_for_recall(64, 1.0, 0.99), Ok(0));
    }

    #[test]
    fn the_threshold_is_the_smallest() {
        for bits in [1, 7, 64, 100, 1024, 4096] {
            for cosine in [0.05, 0.3, 0.7, 0.95, 0.999] {
                for recall in [0.1, 0.5, 0.9, 0.999] {
                    let max = distance_for_recall(bits, cosine, recall).expect("in range");
                    assert!(kept_by_distance(cosine, bits, 0, max) >= recall);
                    assert!(max == 0 || kept_by_distance(cosine, bits, 0, max - 1) < recall);
                }
            }
        }
    }

    #[test]
    fn tables_reach_the_recall() {
        for cosine in [0.5, 0.8, 0.9, 0.95] {
            for recall in [0.5, 0.9, 0.99] {
                let Ok(HashTables { tables, key_bits }) = choose_tables(1024, cosine, recall)
                else {
                    continue;
                };
                assert!(tables * key_bits <= 1024);
                let key_bits = key_bits as f64;
                assert!(found_in_tables(cosine, key_bits, tables) >= recall - 1e-12);
                let fewest = tables_for_recall(cosine, key_bits, recall);
                assert_eq!(fewest, tables as f64);
            }
        }
        let probability = candidate_probability(1.0 - bit_difference(0.8), 20, 12);
        assert!((found_in_tables(0.8, 12.0, 20) - probability).abs() < 1e-12);
        assert_eq!(found_in_tables(0.3, -1.0, 3), 1.0, "a window of all");
    }

    #[test]
    fn settings_reach_the_target_and_one_is_recommended() {
        for (vectors, bits, cosine, recall) in [
            (1_000.0, 1024, 0.3, 0.95),
            (1e6, 1024, 0.9, 0.95),
            (1e9, 4096, 0.95, 0.99),
            (2.0, 64, 1.0, 0.5),
        ] {
            let settings = bit_settings(vectors, bits, cosine, recall).expect("in range");
            for setting in &settings {
                assert!(setting.found * setting.kept >= recall - 1e-9, "{setting:?}");
                assert!(setting.relative_cost > 0.0);
            }
            let recommended = settings.iter().filter(|setting| setting.recommended);
            assert_eq!(recommended.count(), 1);
            assert_eq!(settings[0].relative_cost, 1.0);
        }
        let best = |vectors, cosine| {
            let settings = bit_settings(vectors, 1024, cosine, 0.95).expect("in range");
            let best = settings.into_iter().find(|setting| setting.recommended);
            best.map(|setting| setting.method)
        };
        // Few vectors, or pairs of low cosines: comparing all is cheaper.
        assert_eq!(best(1_000.0, 0.9), Some("exhaustive"));
        assert_eq!(best(1e6, 0.3), Some("exhaustive"));
        assert_ne!(best(1e7, 0.95), Some("exhaustive"));
    }

    #[test]
    fn errors_name_parameter_and_value() {
        let error = |bits, cosine, recall| {
            distance_for_recall(bits, cosine, recall)
                .expect_err("out of range")
                .to_string()
        };
        assert_eq!(
            error(0, 0.3, 0.9),
            "bits must be between 1 and 4096, found 0"
        );
        assert_eq!(
            error(64, 0.0, 0.9),
            "threshold must be above 0 and at most 1, found 0"
        );
        assert_eq!(
            error(64, f64::NAN, 0.9),
            "threshold must be above 0 and at most 1, found NaN"
        );
        assert_eq!(
            error(64, 0.3, 1.0),
            "target_recall must be above 0 and below 1, found 1"
        );
        assert_eq!(
            choose_tables(4, 0.05, 0.999)
                .expect_err("too few")
                .to_string(),
            "a recall of 0.999 at threshold 0.05 takes 10 bits in tables, found 4: take more bits or method => 'exhaustive'"
        );
    }
}
