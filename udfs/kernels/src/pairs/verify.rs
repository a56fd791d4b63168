//! Filters and verification of one candidate.

use super::compare;
use super::input::{Items, PairInput, Texts};
use super::jaccard_probe::JaccardProbe;
use super::sketch::Sketches;
use super::spec::{Spec, Verify};
use crate::bounds::{max_edit_distance, min_contained, similarity_of_distance};
use crate::edit_distance_within;
use std::sync::Arc;

/// A row that shares a key with the probe row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) row: u32,
    /// The position, among the keys of `row`, of the key at which it became a candidate.
    pub(super) position: u32,
    /// The number of common tokens that the pair needs, from [`Verifier::needed`].
    pub(super) needed: u32,
}

/// The state of the verification: the current probe row, and lengths and sketches of all rows.
#[derive(Debug)]
pub(super) struct Verifier {
    threshold: f64,
    verify: Verify,
    /// Tokens of each set or characters of each text; empty where lengths do not matter.
    lengths: Arc<Vec<u32>>,
    /// Sketches of the sets, where sets are compared.
    sketches: Arc<Sketches>,
    /// The length of the probe row.
    length: usize,
    /// The side of the probe row.
    side: usize,
    /// The number of equal positions that a pair of signatures needs.
    min_equal: usize,
    /// The set of the probe row, where sets are compared.
    set: JaccardProbe,
}

impl Verifier {
    pub(super) fn new(input: &PairInput<'_>, spec: &Spec) -> Self {
        let rows = 0..input.keys.rows();
        let length = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let lengths = match (spec.verify, input.items) {
            (Verify::Exact | Verify::Containment, Items::Sets(sets)) => {
                rows.map(|row| length(sets.row(row).len())).collect()
            }
            (Verify::Edit, Items::Texts(texts)) => rows
                .map(|row| length(texts.row(row).chars().count()))
                .collect(),
            _ => Vec::new(),
        };
        let min_equal = match input.items {
            Items::Signatures32 { width, .. } | Items::Signatures64 { width, .. } => (0..=width)
                .find(|&equal| equal as f64 / width as f64 >= spec.threshold)
                .unwrap_or(width),
            _ => 0,
        };
        let sketches = match (spec.verify, input.items) {
            (Verify::Exact | Verify::Containment, Items::Sets(sets)) => Sketches::new(sets),
            _ => Sketches::default(),
        };
        Self {
            threshold: spec.threshold,
            verify: spec.verify,
            lengths: Arc::new(lengths),
            sketches: Arc::new(sketches),
            length: 0,
            side: 0,
            min_equal,
            set: JaccardProbe::new(spec.threshold),
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        size_of::<u32>() * self.lengths.capacity() + self.sketches.memory()
    }

    /// A verifier of the same rows for another worker.
    pub(super) fn for_worker(&self) -> Self {
        Self {
            lengths: Arc::clone(&self.lengths),
            sketches: Arc::clone(&self.sketches),
            set: JaccardProbe::new(self.threshold),
            ..*self
        }
    }

    /// Makes a row of this side the probe row.
    pub(super) fn begin(&mut self, row: u32, side: usize) {
        self.side = side;
        self.length = self
            .lengths
            .get(row as usize)
            .map_or(0, |&length| length as usize);
        if matches!(self.verify, Verify::Exact | Verify::Containment) {
            self.set.begin(self.length);
        }
    }

    /// The length filter: the number of common tokens that the probe row and another row need to reach the
    /// threshold (0 for other measures than Jaccard), or `None` if their lengths rule it out.
    #[inline]
    pub(super) fn needed(&self, other: u32) -> Option<u32> {
        match self.verify {
            Verify::Exact => {
                let length = *self.lengths.get(other as usize)? as usize;
                self.set.needed(length)
            }
            Verify::Containment => {
                let (contained, container) = self.by_side(*self.lengths.get(other as usize)?);
                let needed = min_contained(contained, self.threshold);
                (0 < contained && needed <= container)
                    .then(|| u32::try_from(needed).unwrap_or(u32::MAX))
            }
            Verify::Edit => {
                let length = *self.lengths.get(other as usize)? as usize;
                let (shortest, longest) = (self.length.min(length), self.length.max(length));
                let max_distance = max_edit_distance(longest, self.threshold);
                (longest > 0 && longest - shortest <= max_distance).then_some(0)
            }
            Verify::Estimate | Verify::Hamming(_) | Verify::Cosine(_) | Verify::None => Some(0),
        }
    }

    /// The positional filter: whether the sets can have as many common tokens as they need, given that they
    /// share the token at `position` of the probe row and at `candidate.position`. If `first`, they share no
    /// token before it.
    #[inline]
    pub(super) fn position_qualifies(
        &self,
        candidate: &Candidate,
        position: usize,
        first: bool,
    ) -> bool {
        let length = self.lengths[candidate.row as usize] as usize;
        let positions = (position as u32, candidate.position);
        self.set
            .position_qualifies(length, positions, first, candidate.needed)
    }

    /// Whether the bound that the sketches of the probe row `row` and of a candidate give is at least the
    /// number of common tokens that they need.
    #[inline]
    pub(super) fn sketch_qualifies(&self, row: u32, candidate: &Candidate) -> bool {
        let Some(different) = self.sketches.distance(row as usize, candidate.row as usize) else {
            return true;
        };
        let length = self.lengths[candidate.row as usize] as usize;
        self.set
            .sketch_qualifies(length, different, candidate.needed)
    }

    /// The similarity of the probe row `row` to a candidate, if it reaches the threshold.
    #[inline]
    pub(super) fn similarity(
        &mut self,
        input: &PairInput<'_>,
        row: u32,
        candidate: &Candidate,
    ) -> Option<f64> {
        let (a, b) = (row as usize, candidate.row as usize);
        match (self.verify, input.items) {
            (Verify::None, _) => Some(f64::NAN),
            (Verify::Exact, Items::Sets(sets)) => {
                self.set
                    .similarity(sets.row(a), sets.row(b), candidate.needed)
            }
            (Verify::Containment, Items::Sets(sets)) => {
                let (set, other) = (sets.row(a), sets.row(b));
                let common = self.set.overlap(set, other, candidate.needed)?;
                let (contained, _) = self.by_side(self.lengths[b]);
                Some(common as f64 / contained as f64)
            }
            (Verify::Edit, Items::Texts(texts)) => self.edit_similarity(texts, a, b),
            (Verify::Estimate, Items::Signatures32 { values, width }) => {
                self.estimate(values, width, a, b)
            }
            (Verify::Estimate, Items::Signatures64 { values, width }) => {
                self.estimate(values, width, a, b)
            }
            (Verify::Hamming(max_distance), Items::Bits(_)) => {
                compare::compared(max_distance, self.threshold, &input.items, a, b)
            }
            (Verify::Cosine(max_distance), Items::Vectors { .. }) => {
                compare::compared(max_distance, self.threshold, &input.items, a, b)
            }
            _ => None,
        }
    }

    /// The length of the set of side 0, and that of side 1, of the probe row and a row of this length.
    fn by_side(&self, other: u32) -> (usize, usize) {
        match self.side {
            0 => (self.length, other as usize),
            _ => (other as usize, self.length),
        }
    }

    fn estimate<T: PartialEq>(
        &self,
        values: &[T],
        width: usize,
        a: usize,
        b: usize,
    ) -> Option<f64> {
        let a = values.get(a * width..(a + 1) * width)?;
        let b = values.get(b * width..(b + 1) * width)?;
        let equal: u32 = a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum();
        (equal as usize >= self.min_equal).then(|| f64::from(equal) / width as f64)
    }

    fn edit_similarity(&self, texts: Texts<'_>, a: usize, b: usize) -> Option<f64> {
        let longest = self.lengths[a].max(self.lengths[b]) as usize;
        let (a, b) = (texts.row(a), texts.row(b));
        if a == b {
            return (longest > 0).then_some(1.0);
        }
        let distance = edit_distance_within(a, b, max_edit_distance(longest, self.threshold))?;
        Some(similarity_of_distance(distance, longest))
    }
}
