//! Records of several fields: the weighted mean of the similarities of their fields, and which fields can give the
//! candidates for pairs above a threshold.
//!
//! Two records are similar iff `Σ weight · similarity / Σ weight >= threshold`, computed in `f64` in the order of the fields,
//! so that records with equal fields have the similarity 1, also if the weights do not sum to 1 in `f64`. A mean that is
//! less than the threshold by a share of at most [`TOLERANCE`] is equal to it but for rounding, and counts as the threshold:
//! `0.3 * 0.75 / 0.3` is less than 0.75 in `f64`. Let `F`
//! be some of the fields, `W` the sum of their weights and `V` that of all others. As no similarity exceeds 1, the
//! fields outside of `F` contribute at most `V`. If every field of `F` were below `t = (threshold - V) / W`, the sum
//! would be below `t · W + V = threshold`. So one field of `F` reaches `t`, and a join of each field of `F` at `t` finds
//! every pair. All fields give the largest `t`, which is the threshold; each field that is left out lowers it.
//!
//! A field is compared by the sets of its shingles or by its edit similarity; all of this holds for any similarities from 0
//! to 1.
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

use crate::bounds::similarity_of_distance;
use crate::edit::edit_distance_up_to;
use crate::jaccard::{jaccard_of_overlap, overlap};
use crate::shingle::Shingle;

/// The largest number of fields.
pub const MAX_FIELDS: usize = 100;
/// The smallest weight above 0.
pub const MIN_WEIGHT: f64 = 1e-9;
/// By how much the sum of all weights may differ from 1.
pub const WEIGHT_TOLERANCE: f64 = 1e-9;
/// By which share of the threshold a mean may be below it and count as the threshold.
const TOLERANCE: f64 = 1e-12;
/// By how much the threshold of candidates is lowered.
const MARGIN: f64 = 1e-8;
/// A threshold that every similarity above 0 reaches, as sets have less than 2^32 members and texts less than 2^32 characters.
const ANY_SIMILARITY: f64 = 1e-12;
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

/// How the values of a field are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldComparison {
    /// By their sets of shingles.
    Sets(SetMeasure, Shingle),
    /// By the edit similarity of the texts.
    Edit,
}

impl FieldComparison {
    /// The comparison by a measure of that name; `shingle` is for the measures of sets.
    ///
    /// # Errors
    /// If there is no such measure.
    pub fn new(measure: &str, shingle: Shingle) -> Result<Self, FieldsError> {
        match measure {
            "jaccard" => Ok(Self::Sets(SetMeasure::Jaccard, shingle)),
            "containment" => Ok(Self::Sets(SetMeasure::Containment, shingle)),
            "edit" => Ok(Self::Edit),
            _ => Err(FieldsError::Measure(measure.to_owned())),
        }
    }

    /// The similarity of two values, of texts an upper bound by their lengths; 0 if one is empty or of another kind.
    fn bound(self, a: &FieldValue, b: &FieldValue) -> f64 {
        match (self, a, b) {
            (Self::Sets(measure, _), FieldValue::Set(a), FieldValue::Set(b)) => {
                measure.similarity(a, b)
            }
            (Self::Edit, FieldValue::Text(a), FieldValue::Text(b))
                if a.length.min(b.length) > 0 =>
            {
                similarity_of_distance(a.length.abs_diff(b.length), a.length.max(b.length))
            }
            _ => 0.0,
        }
    }
}

impl fmt::Display for FieldComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sets(measure, shingle) => write!(f, "{measure} {shingle}"),
            Self::Edit => f.write_str("edit"),
        }
    }
}

/// The value of a field, as its [`FieldComparison`] needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// The sorted distinct hashes of its shingles.
    Set(Vec<u64>),
    /// Its text.
    Text(FieldText),
}

/// The text of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldText {
    text: String,
    /// In characters.
    length: usize,
}

impl FieldValue {
    /// A text that is compared by its edit similarity.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(FieldText {
            text: text.to_owned(),
            length: text.chars().count(),
        })
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Set(set) => set.is_empty(),
            Self::Text(text) => text.length == 0,
        }
    }

    /// The bytes of its hashes or of its text.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Set(set) => size_of_val(set.as_slice()),
            Self::Text(text) => text.text.len(),
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
    pub comparison: FieldComparison,
}

/// The fields of a record. As text: `0.4 jaccard word:3, 0.4 containment word:2, 0.2 edit`.
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
    /// No measure has this name.
    #[error("measure must be jaccard, containment or edit, found '{0}'")]
    Measure(String),
    /// No rule for missing fields has this name.
    #[error("missing must be zero or rescale, found '{0}'")]
    Missing(String),
    /// The text is not a weight, a measure and a shingle.
    #[error("a field is written as '0.5 jaccard word:3' or '0.5 edit', found '{0}'")]
    Field(String),
    /// The text is not a number and a shingle.
    #[error("a field is written as '1 word:3', found '{0}'")]
    NumberedShingle(String),
    /// The text is not a number.
    #[error("a field is written as its number, from 1 on, found '{0}'")]
    Number(String),
    /// The shingle is not valid.
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
            threshold: best.clamp(ANY_SIMILARITY, 1.0),
        }
    }

    /// The similarity of two records, given the values of their fields, if it is at least `threshold`, up to a share of 1e-12;
    /// one below the threshold is then given as the threshold. `out` is replaced by the similarity of each field, which is
    /// NaN if the field is left out.
    ///
    /// Edit distances are computed only as far as the threshold permits. Their bounds are exact: the weighted mean, as it is
    /// rounded, does not rise if a similarity falls, because each of its operations is monotone.
    pub fn similarity(
        &self,
        missing: Missing,
        threshold: f64,
        a: &[FieldValue],
        b: &[FieldValue],
        out: &mut Vec<f64>,
    ) -> Option<f64> {
        out.clear();
        for (field, (a, b)) in self.0.iter().zip(a.iter().zip(b)) {
            let is_left_out = missing == Missing::Rescale && (a.is_empty() || b.is_empty());
            out.push(match is_left_out {
                true => f64::NAN,
                false => field.comparison.bound(a, b),
            });
        }
        let least = threshold * (1.0 - TOLERANCE);
        if self.mean(out) < least {
            return None;
        }
        for (at, (a, b)) in a.iter().zip(b).enumerate() {
            let (FieldValue::Text(a), FieldValue::Text(b)) = (a, b) else {
                continue;
            };
            let (shortest, longest) = (a.length.min(b.length), a.length.max(b.length));
            if shortest == 0 {
                continue;
            }
            let max = largest(longest - shortest, longest, |distance| {
                out[at] = similarity_of_distance(distance, longest);
                self.mean(out) >= least
            });
            let distance = edit_distance_up_to(&a.text, &b.text, max)?;
            out[at] = similarity_of_distance(distance, longest);
        }
        Some(self.mean(out).max(threshold))
    }

    /// The weighted mean of similarities without those that are NaN; 0 if the weights of the others are.
    fn mean(&self, similarities: &[f64]) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (field, similarity) in self.0.iter().zip(similarities) {
            if !similarity.is_nan() {
                sum += field.weight * similarity;
                weights += field.weight;
            }
        }
        match weights > 0.0 {
            true => sum / weights,
            false => 0.0,
        }
    }
}

/// The largest number from `first` to `last` that satisfies a predicate. `first` satisfies it, and after a number that does
/// not, none does.
fn largest(first: usize, last: usize, mut is_enough: impl FnMut(usize) -> bool) -> usize {
    let (mut from, mut to) = (first, last);
    while from < to {
        let middle = to - (to - from) / 2;
        match is_enough(middle) {
            true => from = middle,
            false => to = middle - 1,
        }
    }
    from
}

impl fmt::Display for WeightedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, field) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let WeightedField { weight, comparison } = field;
            write!(f, "{comma}{weight} {comparison}")?;
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
            let comparison = match rest.split_once(' ') {
                None if rest == "edit" => FieldComparison::Edit,
                Some((measure, shingle)) if measure != "edit" => {
                    FieldComparison::new(measure, read_shingle(shingle)?)?
                }
                _ => return Err(wrong()),
            };
            Ok(WeightedField {
                weight: weight.parse().map_err(|_| wrong())?,
                comparison,
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
        let joined = joined(fields, is_joined);
        Self(
            joined
                .filter_map(|(number, comparison)| match comparison {
                    FieldComparison::Sets(of_field, shingle) if of_field == measure => {
                        Some((number, shingle))
                    }
                    _ => None,
                })
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
            let wrong = || FieldsError::NumberedShingle(text.to_owned());
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

/// Some fields of a record by their numbers, from 1 on. As text: `1, 3`; the empty text for no field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldNumbers(Vec<usize>);

impl FieldNumbers {
    /// The fields that are joined by edit similarity.
    #[must_use]
    pub fn of_edit(fields: &WeightedFields, is_joined: &[bool]) -> Self {
        let joined = joined(fields, is_joined);
        let edit = joined.filter(|(_, comparison)| *comparison == FieldComparison::Edit);
        Self(edit.map(|(number, _)| number).collect())
    }

    /// Whether the field of a number is one of them.
    #[must_use]
    pub fn contains(&self, number: usize) -> bool {
        self.0.contains(&number)
    }
}

impl fmt::Display for FieldNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, number) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{number}")?;
        }
        Ok(())
    }
}

impl FromStr for FieldNumbers {
    type Err = FieldsError;

    fn from_str(text: &str) -> Result<Self, FieldsError> {
        let number = |text: &str| {
            let number = text.parse::<usize>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| FieldsError::Number(text.to_owned()))
        };
        match text {
            "" => Ok(Self::default()),
            _ => Ok(Self(
                text.split(", ").map(number).collect::<Result<_, _>>()?,
            )),
        }
    }
}

/// The fields that are joined, each with its number.
fn joined<'a>(
    fields: &'a WeightedFields,
    is_joined: &'a [bool],
) -> impl Iterator<Item = (usize, FieldComparison)> + 'a {
    let fields = (1..).zip(fields.0.iter().zip(is_joined));
    let joined = fields.filter(|(_, (_, is_joined))| **is_joined);
    joined.map(|(number, (field, _))| (number, field.comparison))
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

    const COMPARISONS: [FieldComparison; 3] = [
        FieldComparison::Sets(SetMeasure::Jaccard, Shingle::Word(3)),
        FieldComparison::Sets(SetMeasure::Containment, Shingle::Word(3)),
        FieldComparison::Edit,
    ];

    fn field(weight: f64, comparison: FieldComparison) -> WeightedField {
        WeightedField { weight, comparison }
    }

    fn jaccards(weights: &[f64]) -> WeightedFields {
        let fields = weights.iter();
        let fields = fields.map(|&weight| field(weight, COMPARISONS[0]));
        WeightedFields::new(fields.collect()).expect("weights")
    }

    /// A value of few different ones, which may be empty.
    fn value(random: &mut RandomTexts, comparison: FieldComparison) -> FieldValue {
        match comparison {
            FieldComparison::Sets(..) => FieldValue::Set(random.set(6, 6)),
            FieldComparison::Edit => FieldValue::text(&random.few_letters(9, &['a', 'b', 'ß'])),
        }
    }

    /// The similarity of each field and of all, without bounds.
    fn compared(
        fields: &WeightedFields,
        missing: Missing,
        a: &[FieldValue],
        b: &[FieldValue],
    ) -> (f64, Vec<f64>) {
        let (mut sum, mut weights, mut all) = (0.0, 0.0, Vec::new());
        for (field, pair) in fields.fields().iter().zip(a.iter().zip(b)) {
            let (similarity, is_missing) = match (field.comparison, pair) {
                (FieldComparison::Sets(measure, _), (FieldValue::Set(a), FieldValue::Set(b))) => {
                    (measure.similarity(a, b), a.is_empty() || b.is_empty())
                }
                (FieldComparison::Edit, (FieldValue::Text(a), FieldValue::Text(b))) => {
                    let is_missing = a.text.is_empty() || b.text.is_empty();
                    let similarity = crate::edit_similarity(&a.text, &b.text);
                    (if is_missing { 0.0 } else { similarity }, is_missing)
                }
                other => panic!("{other:?}"),
            };
            if is_missing && missing == Missing::Rescale {
                all.push(f64::NAN);
                continue;
            }
            sum += field.weight * similarity;
            weights += field.weight;
            all.push(similarity);
        }
        (if weights > 0.0 { sum / weights } else { 0.0 }, all)
    }

    fn bits(numbers: &[f64]) -> Vec<u64> {
        numbers.iter().map(|number| number.to_bits()).collect()
    }

    #[test]
    fn fields_are_read_as_they_are_written() {
        for text in [
            "1 jaccard word:3",
            "0.4 jaccard word:3, 0.2 jaccard char:12, 0.4 containment space:1",
            "0.30000000000000004 containment word:1, 0.7 jaccard word:2",
            "0.4 edit, 0.2 jaccard word:1, 0.4 edit",
            "1 edit",
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
        for text in ["", "2", "1, 13"] {
            let numbers = text.parse::<FieldNumbers>().expect("numbers");
            assert_eq!(numbers.to_string(), text);
        }
        let error = |text: &str| {
            text.parse::<WeightedFields>()
                .map_err(|error| error.to_string())
        };
        for (text, message) in [
            (
                "",
                "a field is written as '0.5 jaccard word:3' or '0.5 edit', found ''",
            ),
            (
                "1 dice word:3",
                "measure must be jaccard, containment or edit, found 'dice'",
            ),
            (
                "1 edit word:3",
                "a field is written as '0.5 jaccard word:3' or '0.5 edit', found '1 edit word:3'",
            ),
            (
                "1 jaccard",
                "a field is written as '0.5 jaccard word:3' or '0.5 edit', found '1 jaccard'",
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
        for wrong in ["0", "x", "1,2", "1, "] {
            assert!(wrong.parse::<FieldNumbers>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn joined_fields_by_their_comparison() {
        let fields: WeightedFields =
            "0.25 edit, 0.25 jaccard word:2, 0.25 edit, 0.25 containment char:4"
                .parse()
                .expect("fields");
        let joined = |is_joined: [bool; 4]| {
            let sets = |measure| NumberedShingles::of(&fields, &is_joined, measure).to_string();
            let edit = FieldNumbers::of_edit(&fields, &is_joined);
            assert!(!edit.contains(2) && edit.contains(3) == is_joined[2]);
            [
                sets(SetMeasure::Jaccard),
                sets(SetMeasure::Containment),
                edit.to_string(),
            ]
        };
        assert_eq!(joined([true; 4]), ["2 word:2", "4 char:4", "1, 3"]);
        assert_eq!(joined([false, false, true, false]), ["", "", "3"]);
        assert_eq!(
            joined([false, true, false, true]),
            ["2 word:2", "4 char:4", ""]
        );
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
        let fields = "0.5 jaccard word:1, 0.25 edit, 0.25 containment word:1";
        let fields: WeightedFields = fields.parse().expect("fields");
        let set = |hashes: &[u64]| FieldValue::Set(hashes.to_vec());
        let (a, b) = (
            [set(&[1, 2]), FieldValue::text(""), set(&[5])],
            [set(&[2, 3]), FieldValue::text("x"), set(&[5, 6])],
        );
        let compare = |missing| {
            let mut all = Vec::new();
            (fields.similarity(missing, 0.1, &a, &b, &mut all), all)
        };
        let third = 1.0 / 3.0;
        assert_eq!(
            compare(Missing::Zero),
            (Some(0.5 * third + 0.25), vec![third, 0.0, 1.0])
        );
        let (similarity, all) = compare(Missing::Rescale);
        assert_eq!(similarity, Some((0.5 * third + 0.25) / 0.75));
        assert!(all[0] == third && all[1].is_nan() && all[2] == 1.0);
        let nothing = [set(&[]), FieldValue::text(""), set(&[])];
        for missing in [Missing::Zero, Missing::Rescale] {
            assert_eq!(
                fields.similarity(missing, 1e-300, &nothing, &nothing, &mut vec![]),
                None
            );
        }
    }

    #[test]
    fn long_texts_that_differ_little_or_much() {
        let fields: WeightedFields = "0.5 edit, 0.5 edit".parse().expect("fields");
        let long = "the old mill ".repeat(100);
        let other = long.replace("mill", "barn");
        let similarity = |threshold: f64| {
            let (a, b) = (FieldValue::text(&long), FieldValue::text(&other));
            let a = [a.clone(), a];
            let mut all = Vec::new();
            let similarity =
                fields.similarity(Missing::Zero, threshold, &a, &[b, a[0].clone()], &mut all);
            similarity.map(|similarity| (similarity, all))
        };
        let half = 1.0 - 400.0 / 1300.0;
        let expected = 0.5 * half + 0.5;
        assert_eq!(similarity(0.1), Some((expected, vec![half, 1.0])));
        assert_eq!(similarity(expected), Some((expected, vec![half, 1.0])));
        assert_eq!(similarity(expected * (1.0 + 2.0 * TOLERANCE)), None);
    }

    /// Weights and thresholds with one decimal, and similarities that are fractions: as computed in integers.
    #[test]
    fn means_that_are_equal_to_the_threshold() {
        // A multiple of the numbers from 1 to 10.
        const WHOLE: u64 = 2_520;
        let mut random = RandomTexts::new(5);
        let mut equal = 0;
        for _ in 0..20_000 {
            let first = 1 + random.below(9) as u64;
            let weights = [first, 10 - first];
            let parts = [(); 2].map(|()| {
                let members = 1 + random.below(10) as u64;
                (random.below(members as usize + 1) as u64, members)
            });
            // Containments of two sets of `members`, of which `common` are in both.
            let set_from =
                |from: u64, members: u64| FieldValue::Set((from..from + members).collect());
            let a = parts.map(|(_, members)| set_from(0, members));
            let b = parts.map(|(common, members)| set_from(members - common, members));
            let field = |weight: u64| WeightedField {
                weight: weight as f64 / 10.0,
                comparison: FieldComparison::Sets(SetMeasure::Containment, Shingle::Word(1)),
            };
            let fields = WeightedFields::new(weights.map(field).to_vec()).expect("weights");
            let products = weights.iter().zip(parts);
            let products =
                products.map(|(weight, (common, members))| weight * common * WHOLE / members);
            let sum: u64 = products.sum();
            for twentieths in 1..=20 {
                let threshold = twentieths as f64 / 20.0;
                let is_similar = 2 * sum >= twentieths * WHOLE;
                let found = fields.similarity(Missing::Zero, threshold, &a, &b, &mut vec![]);
                assert_eq!(
                    found.is_some(),
                    is_similar,
                    "{fields}: {parts:?} at {threshold}"
                );
                if 2 * sum == twentieths * WHOLE {
                    equal += 1;
                    assert!(found >= Some(threshold), "{found:?} at {threshold}");
                }
            }
        }
        assert!(equal > 1_000, "{equal}");
        let fields: WeightedFields = "0.3 edit, 0.7 edit".parse().expect("fields");
        let text = |text: &str| FieldValue::text(text);
        let (a, b) = ([text("mill"), text("")], [text("bill"), text("x")]);
        let found = fields.similarity(Missing::Rescale, 0.75, &a, &b, &mut vec![]);
        assert_eq!(found, Some(0.75));
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

    /// Every pair at the threshold has a joined field that reaches the threshold of candidates, and the bounds of the
    /// comparison lose none.
    #[test]
    fn candidates_are_complete() {
        let mut random = RandomTexts::new(11);
        let mut pairs = 0;
        for round in 0..20_000 {
            let count = 1 + round % 4;
            let weights: Vec<f64> = (0..count).map(|_| random.below(8) as f64).collect();
            let sum: f64 = weights.iter().sum();
            if sum == 0.0 {
                continue;
            }
            let fields = weights
                .iter()
                .map(|weight| field(weight / sum, COMPARISONS[random.below(3)]));
            let fields = WeightedFields::new(fields.collect()).expect("weights");
            let mut values = || -> Vec<FieldValue> {
                let fields = fields.fields().iter();
                fields
                    .map(|field| value(&mut random, field.comparison))
                    .collect()
            };
            let (a, b) = (values(), values());
            for missing in [Missing::Zero, Missing::Rescale] {
                let (similarity, all) = compared(&fields, missing, &a, &b);
                if similarity == 0.0 {
                    continue;
                }
                pairs += 1;
                // A threshold that the pair just reaches, as rounding gives it, and those around it.
                for threshold in [
                    1e-300,
                    similarity,
                    similarity.next_up(),
                    similarity * (1.0 + 2.0 * TOLERANCE),
                    random.below(100) as f64 / 100.0,
                ] {
                    let mut found = Vec::new();
                    let result = fields.similarity(missing, threshold, &a, &b, &mut found);
                    let is_similar = similarity >= threshold * (1.0 - TOLERANCE);
                    let expected = is_similar.then_some(similarity.max(threshold));
                    assert_eq!(result, expected, "{fields}, {missing:?}: {a:?}, {b:?}");
                    if expected.is_some() {
                        assert_eq!(bits(&found), bits(&all), "{fields}, {missing:?}");
                    }
                }
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
