//! Confidence intervals of shares.

/// The quantile 0.975 of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % confidence interval of a share of which `successes` of `trials` were seen (Wilson, JASA 1927).
///
/// Both numbers may be fractional: trials that depend on each other count as fewer ones. Returns the lower and the upper
/// end, both in [0, 1]; `None` if there are no trials, or the successes are not between 0 and the trials.
pub fn wilson_interval(successes: f64, trials: f64) -> Option<(f64, f64)> {
    if !(trials > 0.0 && trials.is_finite() && (0.0..=trials).contains(&successes)) {
        return None;
    }
    let share = successes / trials;
    let spread = Z * Z / trials;
    let middle = share + spread / 2.0;
    let half = (spread * (share * (1.0 - share) + spread / 4.0)).sqrt();
    // The ends are exactly 0 and 1 where nothing or everything was seen.
    let low = match successes == 0.0 {
        true => 0.0,
        false => (middle - half) / (1.0 + spread),
    };
    let high = match successes == trials {
        true => 1.0,
        false => (middle + half) / (1.0 + spread),
    };
    Some((low.max(0.0), high.min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends are the shares p for which the seen share is Z standard deviations from p.
    #[test]
    fn the_seen_share_is_at_the_quantile_of_both_ends() {
        for (successes, trials) in [
            (1.0, 3.0),
            (5.0, 10.0),
            (81.0, 263.0),
            (2.5, 7.25),
            (999.0, 1000.0),
        ] {
            let Some((low, high)) = wilson_interval(successes, trials) else {
                panic!("no interval of {successes} of {trials}");
            };
            let share = successes / trials;
            assert!(low < share && share < high);
            for end in [low, high] {
                let deviations = (share - end).abs() / (end * (1.0 - end) / trials).sqrt();
                assert!(
                    (deviations - Z).abs() < 1e-9,
                    "{successes} of {trials}: {deviations}"
                );
            }
        }
    }

    #[test]
    fn ends_of_nothing_and_everything() {
        let (low, high) = wilson_interval(0.0, 10.0).unwrap();
        assert_eq!(low, 0.0);
        assert!((high - 0.277_532_799_862_889_7).abs() < 1e-12, "{high}");
        assert_eq!(wilson_interval(10.0, 10.0).unwrap().1, 1.0);
        for (successes, trials) in [
            (0.0, 0.0),
            (-1.0, 3.0),
            (4.0, 3.0),
            (f64::NAN, 3.0),
            (1.0, f64::NAN),
        ] {
            assert_eq!(
                wilson_interval(successes, trials),
                None,
                "{successes} of {trials}"
            );
        }
    }
}
