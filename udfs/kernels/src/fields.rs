//! Records of several fields: the weighted mean of the similarities of their fields, and which fields can give the
//! candidates for pairs above a threshold.
//!
//! Two records are similar iff `Σ weight · similarity / Σ weight >= threshold`, computed in `f64` in the order of the fields,
//! so that records with equal fields have the similarity 1, also if the weights do not sum to 1 in `f64`. Let `F`
//! be some of the fields, `W` the sum of their weights and `V` that of all others. As no similarity exceeds 1, the
//! fields outside of `F` contribute at most `V`. If every field of `F` were below `t = (threshold - V) / W`, the sum
//! would be below `t · W + V = threshold`. So one field of `F` reaches `t`, and a join of each field of `F` at `t` finds
//! every pair. All fields give the largest `t`, which is the threshold; each field that is left out lowers it.
//!
//! With [`Missing::Rescale`] the fields that a pair lacks are left out, and the similarity is the weighted mean of the
//! others. A mean does not exceed the largest of its values, so one of the fields that both records have reaches the
//! threshold. As that may be any field, none can be left out.
//!
//! Rounding: a sum of at most [`MAX_FIELDS`] products differs from the exact one by less than 1e-12, as does a quotient of
//! two such sums, because weights are not below [`MIN_WEIGHT`]; the sum of the weights differs from 1 by at most
//! [`WEIGHT_TOLERANCE`]. [`WeightedFields::candidates`] subtracts [`MARGIN`].

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::jaccard::{jaccard_of_overlap, overlap};
use crate::shingle::Shingle;

/// The largest number of fields.
pub const MAX_FIELDS: usize = 100;
/// The smallest weight above 0.
pub const MIN_WEIGHT: f64 = 1e-9;
/// By how much the sum of all weights may differ from 1.
pub const WEIGHT_TOLERANCE: f64 = 1e-9;
/// By how much the threshold of candidates is lowered.
const MARGIN: f64 = 1e-8;
/// A threshold that two sets with a common member reach, as sets have less than 2^32 members.
const ANY_COMMON_MEMBER: f64 = 1e-12;
/// Fields of small weights give no candidates if the threshold of the others stays above this share of what it was.
const MIN_SHARE: f64 = 0.9;

/// The measure of the similarity of two sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetMeasure {
    /// Common members, divided by the members of either.
    Jaccard,
    /// Common members, divided by those of the smaller set.
    Containment,
}

impl SetMeasure {
    /// The similarity of two sets of sorted distinct hashes; 0 if one is empty.
    #[must_use]
    pub fn similarity(self, a: &[u64], b: &[u64]) -> f64 {
        match self {
            Self::Jaccard => jaccard_of_overlap(overlap(a, b), a.len(), b.len()),
            Self::Containment => match a.len().min(b.len()) {
                0 => 0.0,
                smaller => overlap(a, b) as f64 / smaller as f64,
            },
        }
    }
}

impl fmt::Display for SetMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jaccard => "jaccard",
            Self::Containment => "containment",
        })
    }
}

impl FromStr for SetMeasure {
    type Err = FieldsError;

    fn from_str(name: &str) -> Result<Self, FieldsError> {
        match name {
            "jaccard" => Ok(Self::Jaccard),
            "containment" => Ok(Self::Containment),
            _ => Err(FieldsError::Measure(name.to_owned())),
        }
    }
}

/// The contribution of a field that one of two records lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Missing {
    /// Its similarity is 0.
    Zero,
    /// It is left out, and the weights of the others are divided by their sum.
    Rescale,
}

impl FromStr for Missing {
    type Err = FieldsError;

    fn from_str(name: &str) -> Result<Self, FieldsError> {
        match name {
            "zero" => Ok(Self::Zero),
            "rescale" => Ok(Self::Rescale),
            _ => Err(FieldsError::Missing(name.to_owned())),
        }
    }
}

/// A field of a record, and how it is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedField {
    /// Its share of the similarity: 0, or at least [`MIN_WEIGHT`].
    pub weight: f64,
    /// How two values are compared.
    pub measure: SetMeasure,
    /// How a value becomes a set.
    pub shingle: Shingle,
}

/// The fields of a record. As text: `0.4 jaccard word:3, 0.6 containment word:2`.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedFields(Vec<WeightedField>);

/// Fields whose similar values give the candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldCandidates {
    /// For each field, whether its values are joined.
    pub is_joined: Vec<bool>,
    /// The threshold of these joins.
    pub threshold: f64,
}

/// Why fields cannot be compared.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FieldsError {
    /// No field, or too many.
    #[error("there must be 1 to {MAX_FIELDS} fields, found {0}")]
    Count(usize),
    /// A weight is out of range.
    #[error("a weight must be 0 or a number from {MIN_WEIGHT} to 1, found {0}")]
    Weight(String),
    /// The weights do not sum to 1.
    #[error("weights must sum to 1, found the sum {0}")]
    Sum(f64),
    /// The name of no measure.
    #[error("measure must be jaccard or containment, found '{0}'")]
    Measure(String),
    /// The name of no rule for missing fields.
    #[error("missing must be zero or rescale, found '{0}'")]
    Missing(String),
    /// No weight, measure and shingle.
    #[error("a field is written as '0.5 jaccard word:3', found '{0}'")]
    Field(String),
    /// No number and shingle.
    #[error("a field is written as '1 word:3', found '{0}'")]
    Number(String),
    /// A shingle that is none.
    #[error("{0}")]
    Shingle(String),
    /// A text is not the fields of a record.
    #[error("not the fields of a record: at byte {0} of {1}")]
    Record(usize, usize),
}

impl WeightedFields {
    /// Fields whose weights sum to 1, up to [`WEIGHT_TOLERANCE`].
    ///
    /// # Errors
    /// If there is no field or more than [`MAX_FIELDS`], or a weight or the sum of weights is out of range.
    pub fn new(fields: Vec<WeightedField>) -> Result<Self, FieldsError> {
        if fields.is_empty() || fields.len() > MAX_FIELDS {
            return Err(FieldsError::Count(fields.len()));
        }
        let is_weight = |weight: f64| weight == 0.0 || (MIN_WEIGHT..=1.0).contains(&weight);
        if let Some(wrong) = fields.iter().find(|field| !is_weight(field.weight)) {
            return Err(FieldsError::Weight(wrong.weight.to_string()));
        }
        let sum: f64 = fields.iter().map(|field| field.weight).sum();
        if (sum - 1.0).abs() > WEIGHT_TOLERANCE {
            return Err(FieldsError::Sum(sum));
        }
        Ok(Self(fields))
    }

    /// The fields, in order.
    #[must_use]
    pub fn fields(&self) -> &[WeightedField] {
        &self.0
    }

    /// The fields that give the candidates of all pairs at a threshold in (0, 1]: those of positive weight, without those of
    /// the smallest weights as long as the threshold of the others stays above nine tenths of what it was.
    #[must_use]
    pub fn candidates(&self, threshold: f64, missing: Missing) -> FieldCandidates {
        let mut is_joined: Vec<bool> = self.0.iter().map(|field| field.weight > 0.0).collect();
        let sum = |of_joined: bool, is_joined: &[bool]| -> f64 {
            let fields = self.0.iter().zip(is_joined);
            let fields = fields.filter(|(_, is_joined)| **is_joined == of_joined);
            fields.map(|(field, _)| field.weight).sum()
        };
        let threshold = threshold - MARGIN;
        let bound = |is_joined: &[bool]| match missing {
            Missing::Zero => (threshold - sum(false, is_joined)) / sum(true, is_joined),
            Missing::Rescale => threshold,
        };
        let all = bound(&is_joined);
        let mut best = all;
        if missing == Missing::Zero {
            // The smallest weight first, of equal ones the last field.
            let mut order: Vec<usize> = (0..self.0.len()).filter(|&at| is_joined[at]).collect();
            order.sort_by(|&a, &b| {
                self.0[a]
                    .weight
                    .total_cmp(&self.0[b].weight)
                    .then(b.cmp(&a))
            });
            order.pop();
            for at in order {
                is_joined[at] = false;
                let without = bound(&is_joined);
                if !(without > 0.0 && without >= MIN_SHARE * all) {
                    is_joined[at] = true;
                    break;
                }
                best = without;
            }
        }
        FieldCandidates {
            is_joined,
            threshold: best.clamp(ANY_COMMON_MEMBER, 1.0),
        }
    }

    /// The similarity of two records, given the sets of their fields. The similarity of each field is added to `out`;
    /// it is NaN if the field is left out.
    #[must_use]
    pub fn similarity(
        &self,
        missing: Missing,
        a: &[Vec<u64>],
        b: &[Vec<u64>],
        out: &mut Vec<f64>,
    ) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (field, (a, b)) in self.0.iter().zip(a.iter().zip(b)) {
            if missing == Missing::Rescale && (a.is_empty() || b.is_empty()) {
                out.push(f64::NAN);
                continue;
            }
            let similarity = field.measure.similarity(a, b);
            sum += field.weight * similarity;
            weights += field.weight;
            out.push(similarity);
        }
        match weights > 0.0 {
            true => sum / weights,
            false => 0.0,
        }
    }
}

impl fmt::Display for WeightedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, field) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let WeightedField {
                weight,
                measure,
                shingle,
            } = field;
            write!(f, "{comma}{weight} {measure} {shingle}")?;
        }
        Ok(())
    }
}

impl FromStr for WeightedFields {
    type Err = FieldsError;

    fn from_str(text: &str) -> Result<Self, FieldsError> {
        let field = |text: &str| {
            let wrong = || FieldsError::Field(text.to_owned());
            let (weight, rest) = text.split_once(' ').ok_or_else(wrong)?;
            let (measure, shingle) = rest.split_once(' ').ok_or_else(wrong)?;
            Ok(WeightedField {
                weight: weight.parse().map_err(|_| wrong())?,
                measure: measure.parse()?,
                shingle: read_shingle(shingle)?,
            })
        };
        Self::new(text.split(", ").map(field).collect::<Result<_, _>>()?)
    }
}

/// Some fields of a record, with their numbers from 1 on, and how their values become sets. As text: `1 word:3, 3 word:2`;
/// the empty text for no field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NumberedShingles(Vec<(usize, Shingle)>);

impl NumberedShingles {
    /// The fields that are joined by a measure.
    #[must_use]
    pub fn of(fields: &WeightedFields, is_joined: &[bool], measure: SetMeasure) -> Self {
        let fields = fields.0.iter().zip(is_joined).enumerate();
        let joined =
            fields.filter(|(_, (field, is_joined))| **is_joined && field.measure == measure);
        Self(
            joined
                .map(|(at, (field, _))| (at + 1, field.shingle))
                .collect(),
        )
    }

    /// The shingle of the field of a number.
    #[must_use]
    pub fn shingle(&self, number: usize) -> Option<Shingle> {
        let found = self.0.iter().find(|(other, _)| *other == number);
        found.map(|(_, shingle)| *shingle)
    }
}

impl fmt::Display for NumberedShingles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (number, shingle)) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{number} {shingle}")?;
        }
        Ok(())
    }
}

impl FromStr for NumberedShingles {
    type Err = FieldsError;

    fn from_str(text: &str) -> Result<Self, FieldsError> {
        let field = |text: &str| {
            let wrong = || FieldsError::Number(text.to_owned());
            let (number, shingle) = text.split_once(' ').ok_or_else(wrong)?;
            let number = number.parse().map_err(|_| wrong())?;
            Ok((number, read_shingle(shingle)?))
        };
        match text {
            "" => Ok(Self::default()),
            _ => Ok(Self(text.split(", ").map(field).collect::<Result<_, _>>()?)),
        }
    }
}

fn read_shingle(text: &str) -> Result<Shingle, FieldsError> {
    let shingle = text.parse::<Shingle>();
    shingle.map_err(|error| FieldsError::Shingle(error.to_string()))
}

/// The fields of a record that is one text, in which the length of each field in bytes and a colon precede it:
/// `3:one0:5:three`.
///
/// # Errors
/// If the text is none.
pub fn record_fields(record: &str) -> impl Iterator<Item = Result<&str, FieldsError>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = record.get(at..).filter(|rest| !rest.is_empty())?;
        let field = rest.split_once(':').and_then(|(length, rest)| {
            let field = rest.get(..length.parse().ok()?)?;
            Some((length.len() + 1 + field.len(), field))
        });
        match field {
            Some((length, field)) => {
                at += length;
                Some(Ok(field))
            }
            None => {
                let error = FieldsError::Record(at, record.len());
                at = record.len();
                Some(Err(error))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_texts::RandomTexts;

    fn field(weight: f64, measure: SetMeasure) -> WeightedField {
        WeightedField {
            weight,
            measure,
            shingle: Shingle::Word(3),
        }
    }

    fn jaccards(weights: &[f64]) -> WeightedFields {
        let fields = weights
            .iter()
            .map(|&weight| field(weight, SetMeasure::Jaccard));
        WeightedFields::new(fields.collect()).expect("weights")
    }

    #[test]
    fn fields_are_read_as_they_are_written() {
        for text in [
            "1 jaccard word:3",
            "0.4 jaccard word:3, 0.2 jaccard char:12, 0.4 containment space:1",
            "0.30000000000000004 containment word:1, 0.7 jaccard word:2",
        ] {
            assert_eq!(
                text.parse::<WeightedFields>().expect("fields").to_string(),
                text
            );
        }
        for text in ["", "1 word:3", "2 word:1, 13 char:4"] {
            assert_eq!(
                text.parse::<NumberedShingles>()
                    .expect("fields")
                    .to_string(),
                text
            );
        }
        let error = |text: &str| {
            text.parse::<WeightedFields>()
                .map_err(|error| error.to_string())
        };
        for (text, message) in [
            ("", "a field is written as '0.5 jaccard word:3', found ''"),
            (
                "1 dice word:3",
                "measure must be jaccard or containment, found 'dice'",
            ),
            (
                "0.5 jaccard word:3",
                "weights must sum to 1, found the sum 0.5",
            ),
            (
                "-1 jaccard word:3",
                "a weight must be 0 or a number from 0.000000001 to 1, found -1",
            ),
            (
                "NaN jaccard word:3",
                "a weight must be 0 or a number from 0.000000001 to 1, found NaN",
            ),
        ] {
            assert_eq!(error(text), Err(message.to_owned()), "{text}");
        }
        assert!(error("1 jaccard word:0").is_err());
        assert!("x word:3".parse::<NumberedShingles>().is_err());
    }

    #[test]
    fn records_are_divided_into_fields() {
        let fields = |record| record_fields(record).collect::<Result<Vec<&str>, _>>();
        assert_eq!(fields("3:one0:6:a:b:ää"), Err(FieldsError::Record(15, 17)));
        assert_eq!(fields("3:one0:8:a:b:ää"), Ok(vec!["one", "", "a:b:ää"]));
        assert_eq!(fields(""), Ok(vec![]));
        for wrong in ["x", "4:one", "-1:a", "3", "1:ää"] {
            assert!(fields(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn missing_fields() {
        let fields = "0.5 jaccard word:1, 0.25 jaccard word:1, 0.25 containment word:1";
        let fields: WeightedFields = fields.parse().expect("fields");
        let (a, b) = (
            [vec![1, 2], vec![], vec![5]],
            [vec![2, 3], vec![4], vec![5, 6]],
        );
        let compare = |missing| {
            let mut all = Vec::new();
            (fields.similarity(missing, &a, &b, &mut all), all)
        };
        let third = 1.0 / 3.0;
        assert_eq!(
            compare(Missing::Zero),
            (0.5 * third + 0.25, vec![third, 0.0, 1.0])
        );
        let (similarity, all) = compare(Missing::Rescale);
        assert_eq!(similarity, (0.5 * third + 0.25) / 0.75);
        assert!(all[0] == third && all[1].is_nan() && all[2] == 1.0);
        let nothing = [vec![], vec![], vec![]];
        for missing in [Missing::Zero, Missing::Rescale] {
            assert_eq!(
                fields.similarity(missing, &nothing, &nothing, &mut vec![]),
                0.0
            );
        }
    }

    #[test]
    fn small_weights_give_no_candidates() {
        let joined = |weights: &[f64], threshold, missing| {
            let found = jaccards(weights).candidates(threshold, missing);
            (found.is_joined, (found.threshold * 1e6).round() / 1e6)
        };
        let zero = |weights: &[f64], threshold| joined(weights, threshold, Missing::Zero);
        assert_eq!(zero(&[0.4, 0.2, 0.4], 0.5), (vec![true; 3], 0.5));
        assert_eq!(zero(&[0.9, 0.1], 0.8), (vec![true, false], 0.777_778));
        assert_eq!(
            zero(&[0.05, 0.9, 0.05], 0.8),
            (vec![false, true, false], 0.777_778)
        );
        assert_eq!(zero(&[0.5, 0.5, 0.0], 0.3), (vec![true, true, false], 0.3));
        assert_eq!(
            zero(&[0.25; 4], 1.0),
            (vec![true, false, false, false], 1.0)
        );
        let rescale = joined(&[0.9, 0.1, 0.0], 0.8, Missing::Rescale);
        assert_eq!(rescale, (vec![true, true, false], 0.8));
        assert_eq!(
            jaccards(&[0.5, 0.5])
                .candidates(1e-10, Missing::Zero)
                .threshold,
            1e-12
        );
    }

    /// Every pair at the threshold has a joined field that reaches the threshold of candidates.
    #[test]
    fn candidates_are_complete() {
        let mut random = RandomTexts::new(11);
        let measures = [SetMeasure::Jaccard, SetMeasure::Containment];
        let mut pairs = 0;
        for round in 0..20_000 {
            let count = 1 + round % 4;
            let weights: Vec<f64> = (0..count).map(|_| random.below(8) as f64).collect();
            let sum: f64 = weights.iter().sum();
            if sum == 0.0 {
                continue;
            }
            let fields = weights.iter().enumerate();
            let fields = fields.map(|(at, weight)| field(weight / sum, measures[(at + round) % 2]));
            let fields = WeightedFields::new(fields.collect()).expect("weights");
            let mut sets = || -> Vec<Vec<u64>> { (0..count).map(|_| random.set(6, 6)).collect() };
            let (a, b) = (sets(), sets());
            for missing in [Missing::Zero, Missing::Rescale] {
                let mut all = Vec::new();
                let similarity = fields.similarity(missing, &a, &b, &mut all);
                // The threshold that the pair just reaches, as rounding gives it.
                if similarity == 0.0 {
                    continue;
                }
                pairs += 1;
                let candidates = fields.candidates(similarity.min(1.0), missing);
                let is_found = all.iter().zip(&candidates.is_joined);
                assert!(
                    is_found
                        .clone()
                        .any(|(&field, &joined)| joined && field >= candidates.threshold),
                    "{fields}, {missing:?}: {all:?}, {candidates:?}"
                );
            }
        }
        assert!(pairs > 10_000, "{pairs}");
    }
}
