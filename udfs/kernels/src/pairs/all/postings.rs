//! The comparison of sparse vectors through an inverted index.

use super::super::input::{Items, PairInput, Values};
use crate::cosine::cosine_of;

/// An inverted index: for each term the posting list of the rows that hold it.
#[derive(Debug, Default)]
pub(super) struct Postings {
    /// The terms, ascending.
    terms: Vec<u64>,
    /// Where the posting list of each term begins, and where the last one ends.
    starts: Vec<usize>,
    /// Positions of rows in the list of rows, ascending within a term.
    positions: Vec<u32>,
    /// The weight of the term in each row.
    weights: Vec<f64>,
}

impl Postings {
    pub(super) fn of_rows<'a>(rows: &[u32], row: impl Fn(usize) -> &'a [(u64, f64)]) -> Self {
        let mut entries: Vec<(u64, u32, f64)> = Vec::new();
        for (position, &number) in rows.iter().enumerate() {
            let entry = |&(term, weight): &(u64, f64)| (term, position as u32, weight);
            entries.extend(row(number as usize).iter().map(entry));
        }
        entries.sort_unstable_by_key(|&(term, position, _)| (term, position));
        let mut postings = Self::default();
        for (term, position, weight) in entries {
            if postings.terms.last() != Some(&term) {
                postings.terms.push(term);
                postings.starts.push(postings.positions.len());
            }
            postings.positions.push(position);
            postings.weights.push(weight);
        }
        postings.starts.push(postings.positions.len());
        postings
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.positions.len() * 12 + self.terms.len() * 16
    }

    fn of(&self, term: u64) -> (&[u32], &[f64]) {
        match self.terms.binary_search(&term) {
            Ok(at) => {
                let range = self.starts[at]..self.starts[at + 1];
                (&self.positions[range.clone()], &self.weights[range])
            }
            Err(_) => (&[], &[]),
        }
    }
}

/// The dot product of the probe row with each row, zero between probes.
#[derive(Debug, Default)]
pub(super) struct Sums(Vec<f64>);

impl Sums {
    /// The rows among the first `end` of `others`, which are those of `postings`, whose cosine with `row` reaches the
    /// threshold, and their cosines, in no particular order.
    pub(super) fn similar(
        &mut self,
        input: &PairInput<'_>,
        postings: &Postings,
        threshold: f64,
        row: u32,
        (others, end): (&[u32], usize),
    ) -> Vec<(u32, f64)> {
        let Items::Vectors { vectors, .. } = input.items else {
            return Vec::new();
        };
        let Values::Sparse(lists) = vectors.values else {
            return Vec::new();
        };
        let sums = &mut self.0;
        if sums.len() < others.len() {
            sums.resize(others.len(), 0.0);
        }
        let mut touched: Vec<u32> = Vec::new();
        for &(term, weight) in lists.row(row as usize) {
            let (positions, weights) = postings.of(term);
            for (&position, other_weight) in positions.iter().zip(weights) {
                if position as usize >= end {
                    break;
                }
                let sum = &mut sums[position as usize];
                if *sum == 0.0 {
                    touched.push(position);
                }
                *sum += weight * other_weight;
            }
        }
        let mut found = Vec::new();
        for position in touched {
            let sum = std::mem::replace(&mut sums[position as usize], 0.0);
            let other = others[position as usize];
            let norms = vectors.norms[row as usize] * vectors.norms[other as usize];
            // A row whose sum returned to zero in between is listed twice; the second time its sum is zero.
            if sum == 0.0 || norms <= 0.0 {
                continue;
            }
            let cosine = cosine_of(sum, norms);
            if cosine >= threshold {
                found.push((other, cosine));
            }
        }
        found
    }
}
