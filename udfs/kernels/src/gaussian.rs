//! Standard normal numbers from a hash: every process draws the same number for the same seed, key and index.

use std::sync::LazyLock;

use crate::split_mix::SplitMix64;

/// Steps of each octave of probability in the table of quantiles.
const STEPS: usize = 256;
/// Octaves: probabilities from 1/2 down to 2^-63, which is 9.1 standard deviations out.
const OCTAVES: usize = 62;

/// Quantiles of the upper half: entry `octave * (STEPS + 1) + step` is that of the tail probability
/// 2^-(octave + 1) · (1 - step / (2 · STEPS)). Between entries it is linear: the error is below 1e-5.
static QUANTILES: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let mut table = Vec::with_capacity(OCTAVES * (STEPS + 1));
    for octave in 0..OCTAVES {
        for step in 0..=STEPS {
            let share = 1.0 - step as f64 / (2 * STEPS) as f64;
            table.push(upper_quantile(octave as i32 + 1, share) as f32);
        }
    }
    table
});

/// A stream of independent standard normal numbers. Each depends only on the seed, the key and its index in the
/// stream.
#[derive(Debug, Clone)]
pub(crate) struct Gaussians {
    stream: SplitMix64,
    quantiles: &'static [f32],
}

impl Gaussians {
    /// The stream of a key (a dimension, or the hash of a term), from index 0 on.
    pub(crate) fn new(seed: u64, key: u64) -> Self {
        // Two rounds, so that neither neighbouring seeds nor neighbouring keys share a stream.
        let seed = SplitMix64::new(seed).next();
        let state = SplitMix64::new(seed ^ key).next();
        Self {
            stream: SplitMix64::new(state),
            quantiles: &QUANTILES,
        }
    }

    /// The next number.
    #[inline]
    pub(crate) fn next(&mut self) -> f32 {
        let random = self.stream.next();
        // The lowest bit is the sign; the others give a tail probability as octave, step and position between two
        // steps.
        let octave = (random.leading_zeros() as usize).min(OCTAVES - 1);
        let rest = (random << octave) << 1;
        let step = (rest >> (64 - 8)) as usize;
        let between = ((rest >> (64 - 8 - 23)) & ((1 << 23) - 1)) as f32 / (1 << 23) as f32;
        let at = octave * (STEPS + 1) + step;
        let (near, far) = (self.quantiles[at], self.quantiles[at + 1]);
        let size = near + (far - near) * between;
        if random & 1 == 1 { -size } else { size }
    }
}

/// The x with P(X > x) = 2^-octave · share, for share in [1/2, 1]: algorithm AS 241 (Wichura 1988,
/// PPND16), with a relative error of 1e-16. Only the four operations and the square root, which are
/// the same on every machine.
fn upper_quantile(octave: i32, share: f64) -> f64 {
    let p = share * 0.5_f64.powi(octave);
    let q = 0.5 - p;
    if q <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRAL.0, r) / polynomial(&CENTRAL.1, r);
    }
    let r = (f64::from(octave) * std::f64::consts::LN_2 - ln(share)).sqrt();
    if r <= 5.0 {
        polynomial(&TAIL.0, r - 1.6) / polynomial(&TAIL.1, r - 1.6)
    } else {
        polynomial(&FAR_TAIL.0, r - 5.0) / polynomial(&FAR_TAIL.1, r - 5.0)
    }
}

/// ln(x) for x in [1/2, 1], by the series of the inverse hyperbolic tangent.
fn ln(x: f64) -> f64 {
    let z = (x - 1.0) / (x + 1.0);
    let mut sum = 0.0;
    for k in (0..20).rev() {
        sum = sum * z * z + 1.0 / f64::from(2 * k + 1);
    }
    2.0 * z * sum
}

fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    let mut value = 0.0;
    for coefficient in coefficients.iter().rev() {
        value = value * x + coefficient;
    }
    value
}

/// Coefficients of the numerator and of the denominator of a rational approximation, by ascending power.
type Rational = ([f64; 8], [f64; 8]);

const CENTRAL: Rational = (
    [
        3.387_132_872_796_366_6,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_66e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
);

const TAIL: Rational = (
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);

const FAR_TAIL: Rational = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    /// P(X > x) by Simpson's rule from x to 40.
    fn tail(x: f64) -> f64 {
        let steps = 200_000;
        let width = (40.0 - x) / f64::from(steps);
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let sum: f64 = (0..=steps)
            .map(|i| {
                let weight = match i {
                    _ if i == 0 || i == steps => 1.0,
                    _ if i % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                weight * density(x + f64::from(i) * width)
            })
            .sum();
        sum * width / 3.0
    }

    #[test]
    fn quantiles_invert_the_integral() {
        for octave in [1, 2, 3, 4, 5, 6, 8, 12, 20, 40, 62] {
            for share in [1.0, 0.93, 0.75, 0.51, 0.5] {
                let p = share * 0.5_f64.powi(octave);
                let x = upper_quantile(octave, share);
                assert!(
                    (tail(x) / p - 1.0).abs() < 1e-9,
                    "{p}: quantile {x} has tail {}",
                    tail(x)
                );
            }
        }
        assert_eq!(upper_quantile(1, 1.0), 0.0);
        for x in [0.5, 0.6, 0.9, 1.0_f64] {
            assert!((ln(x) - x.ln()).abs() < 1e-15, "{x}");
        }
    }

    #[test]
    fn table_is_close_between_its_entries_and_joins_up() {
        for octave in 0..OCTAVES {
            let at = |step: usize| f64::from(QUANTILES[octave * (STEPS + 1) + step]);
            for step in 0..STEPS {
                let share = 1.0 - (step as f64 + 0.5) / (2 * STEPS) as f64;
                let exact = upper_quantile(octave as i32 + 1, share);
                let linear = (at(step) + at(step + 1)) / 2.0;
                assert!((exact - linear).abs() < 1e-5, "{exact} and {linear}");
            }
            if octave > 0 {
                let before = f64::from(QUANTILES[octave * (STEPS + 1) - 1]);
                assert!((before - at(0)).abs() < 1e-6);
            }
        }
    }

    /// Shares beyond points of the normal distribution, moments, and no correlation of streams.
    #[test]
    fn numbers_are_standard_normal_and_independent() {
        let count = 400_000;
        let mut stream = Gaussians::new(7, 3);
        let numbers: Vec<f64> = (0..count).map(|_| f64::from(stream.next())).collect();
        let mean =
            |f: &dyn Fn(f64) -> f64| numbers.iter().map(|&x| f(x)).sum::<f64>() / f64::from(count);
        assert!(mean(&|x| x).abs() < 0.006, "{}", mean(&|x| x));
        assert!((mean(&|x| x * x) - 1.0).abs() < 0.01);
        assert!(mean(&|x| x * x * x).abs() < 0.025);
        assert!((mean(&|x| x.powi(4)) - 3.0).abs() < 0.08);
        for x in [-3.0, -1.5, -0.7, 0.0, 0.1, 1.0, 2.0, 3.0] {
            let expected = if x < 0.0 { 1.0 - tail(-x) } else { tail(x) };
            let found = mean(&|number| f64::from(number > x));
            assert!(
                (found - expected).abs() < 0.004,
                "{x}: {found}, not {expected}"
            );
        }
        for (seed, key) in [(7, 4), (8, 3), (3, 7), (7 ^ 3, 0), (7, 3 + (1 << 63))] {
            let mut other = Gaussians::new(seed, key);
            let correlation = numbers
                .iter()
                .map(|x| x * f64::from(other.next()))
                .sum::<f64>()
                / f64::from(count);
            assert!(correlation.abs() < 0.008, "{seed}, {key}: {correlation}");
        }
    }
}
