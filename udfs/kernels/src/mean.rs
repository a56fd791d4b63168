//! The mean of vectors, with the same bits in whatever order and groups the vectors are added.
//!
//! Sums of floating-point numbers depend on their order. Here each number is rounded to a multiple of 2^-64 and
//! added to a 128-bit integer, so that sums are exact; the quotient is rounded once, to nearest, ties to even. A
//! Float32 with an absolute value of at least 2^-41 (4.6e-13) is such a multiple, and so is a Float64 of at least
//! 2^-12 (0.00025); smaller ones change by at most 2^-65 (2.8e-20). A sum with an absolute value of 2^63 (9.2e18)
//! or more is an error.

use std::cmp::Ordering;
use std::fmt;

/// Bits after the binary point.
const SCALE_BITS: u32 = 64;

/// 2^64.
const UNITS: f64 = 18_446_744_073_709_551_616.0;

/// 2^63, the smallest absolute value that does not fit.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// The reason why vectors have no mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MeanError {
    /// Vectors have different lengths.
    Lengths {
        /// The length of the vectors before.
        expected: usize,
        /// The length of this vector.
        found: usize,
    },
    /// A number is NaN or infinite.
    NotFinite {
        /// Its position in the vector, from 1.
        position: usize,
        /// The number.
        value: f64,
    },
    /// The absolute value of a sum is not below 2^63.
    TooLarge {
        /// Its position in the vectors, from 1.
        position: usize,
    },
    /// Bytes are not a state.
    State,
}

impl fmt::Display for MeanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lengths { expected, found } => write!(
                f,
                "vectors must have the same length, found {} and {}",
                expected.min(found),
                expected.max(found)
            ),
            Self::NotFinite { position, value } => write!(
                f,
                "the numbers of a vector must be finite, and number {position} of one is {value}"
            ),
            Self::TooLarge { position } => write!(
                f,
                "the sum of number {position} over all vectors is not below 2^63"
            ),
            Self::State => f.write_str("received a partial state of another version"),
        }
    }
}

impl std::error::Error for MeanError {}

/// A number of a vector: `f32` or `f64`.
pub trait VectorNumber: Copy {
    /// The same number.
    fn to_f64(self) -> f64;

    /// The number nearest to `quotient` / 2^`shift`, where `shift` is at most 191.
    fn of_quotient(quotient: u128, shift: u32) -> Self;

    /// The number with its sign changed.
    #[must_use]
    fn negated(self) -> Self;
}

impl VectorNumber for f32 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn of_quotient(quotient: u128, shift: u32) -> Self {
        (f64::from(quotient as f32) * power(shift)) as f32
    }

    fn negated(self) -> Self {
        -self
    }
}

impl VectorNumber for f64 {
    fn to_f64(self) -> f64 {
        self
    }

    fn of_quotient(quotient: u128, shift: u32) -> Self {
        quotient as f64 * power(shift)
    }

    fn negated(self) -> Self {
        -self
    }
}

/// 2^-`shift`, exactly.
fn power(shift: u32) -> f64 {
    0.5_f64.powi(shift as i32)
}

/// The sum and the number of vectors of one length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VectorMean {
    /// In units of 2^-64.
    sums: Vec<i128>,
    count: u64,
}

impl VectorMean {
    /// The number of vectors added.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Bytes held by the sums.
    #[must_use]
    pub fn size(&self) -> usize {
        self.sums.capacity() * size_of::<i128>()
    }

    /// Adds a vector.
    ///
    /// # Errors
    /// If the vector has another length than those before, a number is not finite, or the absolute value of a sum
    /// is not below 2^63. The sums are unspecified afterwards.
    pub fn add<T: VectorNumber>(&mut self, vector: &[T]) -> Result<(), MeanError> {
        self.check_length(vector.len())?;
        for (index, (sum, number)) in self.sums.iter_mut().zip(vector).enumerate() {
            let value = number.to_f64();
            match fixed(value).and_then(|fixed| sum.checked_add(fixed)) {
                Some(total) => *sum = total,
                None => return Err(refused(value, index + 1)),
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Adds the vectors of another mean.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    pub fn merge(&mut self, other: &Self) -> Result<(), MeanError> {
        if other.count == 0 {
            return Ok(());
        }
        self.check_length(other.sums.len())?;
        for (index, (sum, more)) in self.sums.iter_mut().zip(&other.sums).enumerate() {
            let position = index + 1;
            *sum = sum
                .checked_add(*more)
                .ok_or(MeanError::TooLarge { position })?;
        }
        self.count += other.count;
        Ok(())
    }

    /// Appends the mean to `out` and returns true. If there are no vectors, appends nothing and returns false.
    pub fn mean_into<T: VectorNumber>(&self, out: &mut Vec<T>) -> bool {
        if self.count > 0 {
            let count = u128::from(self.count);
            out.extend(self.sums.iter().map(|&sum| divide::<T>(sum, count)));
        }
        self.count > 0
    }

    /// The count in 8 bytes and each sum in 16 bytes, little-endian.
    #[must_use]
    pub fn to_state(&self) -> Vec<u8> {
        let sums = self.sums.iter().flat_map(|sum| sum.to_le_bytes());
        self.count.to_le_bytes().into_iter().chain(sums).collect()
    }

    /// Reads the bytes written by [`to_state`](Self::to_state).
    ///
    /// # Errors
    /// If the number of bytes is not 8 plus a multiple of 16.
    pub fn from_state(state: &[u8]) -> Result<Self, MeanError> {
        let (count, sums) = state.split_first_chunk().ok_or(MeanError::State)?;
        let (sums, []) = sums.as_chunks() else {
            return Err(MeanError::State);
        };
        Ok(Self {
            sums: sums.iter().map(|sum| i128::from_le_bytes(*sum)).collect(),
            count: u64::from_le_bytes(*count),
        })
    }

    /// Checks the length of a vector; the first vector determines the length of all.
    fn check_length(&mut self, length: usize) -> Result<(), MeanError> {
        if self.count == 0 {
            self.sums.resize(length, 0);
        }
        if self.sums.len() == length {
            return Ok(());
        }
        Err(MeanError::Lengths {
            expected: self.sums.len(),
            found: length,
        })
    }
}

/// A number in units of 2^-64, rounded to nearest, ties to even; `None` if its absolute value is not below 2^63.
fn fixed(value: f64) -> Option<i128> {
    /// From here on, numbers have no fraction.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    let size = value.abs();
    if size.partial_cmp(&LIMIT) != Some(Ordering::Less) {
        return None;
    }
    // Each step except the rounding is exact.
    let whole = size as u64;
    let rest = (size - whole as f64) * UNITS;
    let rest = match rest < WHOLE {
        true => (rest + WHOLE) - WHOLE,
        false => rest,
    };
    let fixed = (i128::from(whole) << SCALE_BITS) | i128::from(rest as u64);
    Some(if value < 0.0 { -fixed } else { fixed })
}

/// The error for a number that was not added.
#[cold]
fn refused(value: f64, position: usize) -> MeanError {
    match value.is_finite() {
        true => MeanError::TooLarge { position },
        false => MeanError::NotFinite { position, value },
    }
}

/// `sum` / `count` / 2^64, rounded once.
fn divide<T: VectorNumber>(sum: i128, count: u128) -> T {
    let size = sum.unsigned_abs();
    if size == 0 {
        return T::of_quotient(0, 0);
    }
    // With 127 bits in the dividend and at most 64 in the divisor, the quotient has at least 63 bits: more than
    // the significand of a number. The last bit also records whether the remainder is not zero (sticky bit).
    let shift = size.leading_zeros().saturating_sub(1);
    let dividend = size << shift;
    let inexact = u128::from(!dividend.is_multiple_of(count));
    let number = T::of_quotient((dividend / count) | inexact, SCALE_BITS + shift);
    if sum < 0 { number.negated() } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;

    fn mean_of<T: VectorNumber>(vectors: &[Vec<T>]) -> Vec<T> {
        let mut mean = VectorMean::default();
        for vector in vectors {
            mean.add(vector).unwrap();
        }
        let mut out = Vec::new();
        assert_eq!(mean.mean_into(&mut out), !vectors.is_empty());
        out
    }

    /// Numbers of many sizes, and of both signs.
    fn number(random: &mut SplitMix64) -> f64 {
        let fraction = (random.next() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
        fraction * 2_f64.powi((random.next() % 40) as i32 - 30)
    }

    #[test]
    fn the_mean_is_that_of_the_schoolbook() {
        let mut random = SplitMix64::new(1);
        for count in [1_usize, 2, 3, 7, 1_000] {
            let vectors: Vec<Vec<f64>> = (0..count)
                .map(|_| (0..5).map(|_| number(&mut random)).collect())
                .collect();
            let found = mean_of(&vectors);
            for (position, found) in found.into_iter().enumerate() {
                let naive = vectors.iter().map(|v| v[position]).sum::<f64>() / count as f64;
                assert!((found - naive).abs() < 1e-12, "{found} {naive}");
            }
        }
    }

    /// Numbers that Float64 sums without loss: the mean is their exact quotient, rounded.
    #[test]
    fn the_mean_is_rounded_once() {
        let mut random = SplitMix64::new(2);
        for count in 1..200_u32 {
            let vectors: Vec<Vec<f32>> = (0..count)
                .map(|_| vec![(random.next() % (1 << 24)) as f32 / 1024.0 - 8192.0])
                .collect();
            let sum: f64 = vectors.iter().map(|v| f64::from(v[0])).sum();
            let doubles: Vec<Vec<f64>> = vectors.iter().map(|v| vec![f64::from(v[0])]).collect();
            assert_eq!(mean_of(&doubles), [sum / f64::from(count)]);
            let found = mean_of(&vectors)[0];
            let near = [found.next_down(), found.next_up()];
            let distance = |number: f32| (f64::from(number) - sum / f64::from(count)).abs();
            assert!(
                near.into_iter()
                    .all(|other| distance(found) <= distance(other))
            );
        }
    }

    #[test]
    fn equal_vectors_are_their_mean() {
        let vector = vec![0.1_f64, -1e-3, 12345.678, 0.0, 2_f64.powi(52) + 1.0];
        for count in [1, 3, 49, 1_000] {
            assert_eq!(mean_of(&vec![vector.clone(); count]), vector);
        }
        let vector = vec![0.1_f32, -1e-12, 3.4e8, f32::EPSILON];
        for count in [1, 3, 49, 1_000] {
            assert_eq!(mean_of(&vec![vector.clone(); count]), vector);
        }
    }

    #[test]
    fn the_order_does_not_matter() {
        let mut random = SplitMix64::new(3);
        let mut vectors: Vec<Vec<f64>> = (0..100)
            .map(|_| (0..3).map(|_| number(&mut random)).collect())
            .collect();
        let expected = mean_of(&vectors);
        vectors.sort_by(|a, b| a[0].total_cmp(&b[0]));
        assert_eq!(mean_of(&vectors), expected);
        let mut merged = VectorMean::default();
        for part in vectors.chunks(7).rev() {
            let mut state = VectorMean::default();
            for vector in part {
                state.add(vector).unwrap();
            }
            let state = VectorMean::from_state(&state.to_state()).unwrap();
            merged.merge(&VectorMean::default()).unwrap();
            merged.merge(&state).unwrap();
        }
        let mut out = Vec::<f64>::new();
        assert!(merged.mean_into(&mut out));
        assert_eq!(out, expected);
        assert_eq!(merged.count(), 100);
    }

    #[test]
    fn the_range_is_what_the_documentation_says() {
        let smallest = 2_f32.powi(-41);
        assert_eq!(
            mean_of(&[vec![smallest, smallest.next_up()]]),
            [smallest, smallest.next_up()]
        );
        let smallest = 2_f64.powi(-12);
        assert_eq!(
            mean_of(&[vec![smallest, smallest.next_up()]]),
            [smallest, smallest.next_up()]
        );
        assert_eq!(mean_of(&[vec![2_f64.powi(-66)]]), [0.0]);

        let largest = 2_f64.powi(63).next_down();
        assert_eq!(mean_of(&[vec![largest]]), [largest]);
        assert_eq!(
            mean_of(&[vec![largest], vec![-largest], vec![-largest]]),
            [-largest / 3.0]
        );
        for large in [2_f64.powi(63), f64::MAX] {
            for large in [large, -large] {
                let error = VectorMean::default().add(&[0.0, large]).unwrap_err();
                assert_eq!(error, MeanError::TooLarge { position: 2 });
            }
        }
        let mut sum = VectorMean::default();
        sum.add(&[largest]).unwrap();
        assert_eq!(
            sum.add(&[largest]),
            Err(MeanError::TooLarge { position: 1 })
        );
    }

    #[test]
    fn numbers_are_rounded_to_units() {
        let mut random = SplitMix64::new(4);
        for _ in 0..100_000 {
            let value = number(&mut random) * 2_f64.powi((random.next() % 70) as i32 - 40);
            let naive = (value * UNITS).round_ties_even() as i128;
            assert_eq!(fixed(value), Some(naive), "{value}");
        }
        let unit = 2_f64.powi(-64);
        for (units, expected) in [
            (0.5, 0),
            (1.5, 2),
            (2.5, 2),
            (-1.5, -2),
            (-0.5, 0),
            (3.25, 3),
        ] {
            assert_eq!(fixed(units * unit), Some(expected), "{units}");
        }
        for value in [f64::NAN, f64::INFINITY, LIMIT, -LIMIT] {
            assert_eq!(fixed(value), None);
        }
    }

    #[test]
    fn wrong_vectors_are_named() {
        let mut mean = VectorMean::default();
        mean.add(&[1.0, 2.0]).unwrap();
        let lengths = mean.add(&[1.0_f32]).unwrap_err();
        assert_eq!(
            lengths.to_string(),
            "vectors must have the same length, found 1 and 2"
        );
        let mut other = VectorMean::default();
        other.add(&[1.0]).unwrap();
        let expected = MeanError::Lengths {
            expected: 2,
            found: 1,
        };
        assert_eq!(mean.merge(&other), Err(expected));
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let error = VectorMean::default().add(&[1.0, value]).unwrap_err();
            assert!(matches!(error, MeanError::NotFinite { position: 2, .. }));
        }
        for state in [&[][..], &[0; 7], &[0; 9], &[0; 23]] {
            assert_eq!(VectorMean::from_state(state), Err(MeanError::State));
        }
    }

    #[test]
    fn vectors_without_numbers_have_a_mean_without_numbers() {
        assert_eq!(mean_of::<f32>(&[vec![], vec![]]), []);
        assert!(!VectorMean::default().mean_into(&mut Vec::<f32>::new()));
    }
}
