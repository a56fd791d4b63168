//! Joins and clusters against naive algorithms: comparison of every pair, union-find, and a greedy pass in keep order.
//! Corpora are generated from seeds.
//!
//! - `corpus`: rows as tables.
//! - `naive`: the naive algorithms.
//! - `joins`, `recall`, `clusters`, `templates`, `oversized`, `signatures`, `vectors`, `memory`: the comparisons.
//! - `field_join`: records of several fields.
//! - `measures`: kept rows by every measure.
//! - `partial_duplicates`: runs of sentences.
//! - `shared_passages`: verbatim passages.
//! - `repeated_passages`: repeated passages.
//! - `repeated_text`: lines and paragraphs that are similar to others.
//! - `contamination`: items of test sets in a corpus.
//! - `sentence_history`: the sentences of documents with revisions.
//! - `sets`: columns of lists and signatures.
//! - `page`: the statements of pages of `docs/`.
//! - `cross_lingual`: those of a page on translations, and their results on real corpora.

mod clusters;
mod contamination;
mod corpus;
mod cross_lingual;
mod field_join;
mod joins;
mod measures;
mod memory;
pub mod naive;
mod oversized;
mod page;
mod partial_duplicates;
mod recall;
mod repeated_passages;
mod repeated_text;
mod sentence_history;
mod sets;
mod shared_passages;
mod signatures;
mod templates;
mod vectors;

use libtest_mimic::{Failed, Trial};
use std::fmt::Debug;

/// The trials of all modules.
pub fn trials() -> Vec<Trial> {
    [
        joins::trials(),
        recall::trials(),
        sets::trials(),
        field_join::trials(),
        clusters::trials(),
        measures::trials(),
        templates::trials(),
        oversized::trials(),
        page::trials(),
        partial_duplicates::trials(),
        shared_passages::trials(),
        repeated_passages::trials(),
        repeated_text::trials(),
        contamination::trials(),
        sentence_history::trials(),
        signatures::trials(),
        vectors::trials(),
        memory::trials(),
        cross_lingual::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A pair: id_a, id_b, similarity.
type Pair = (i64, i64, f64);

/// The pairs whose similarity is at least a threshold.
fn at_least(threshold: f64, pairs: &[Pair]) -> Vec<Pair> {
    let found = pairs.iter().filter(|pair| pair.2 >= threshold);
    found.copied().collect()
}

/// Fails if two sorted lists of rows differ, and reports the first difference.
fn same_rows<T: PartialEq + Debug>(what: &str, found: &[T], expected: &[T]) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    let wrong = found.iter().find(|row| !expected.contains(row));
    let missing = expected.iter().find(|row| !found.contains(row));
    Err(format!(
        "{what}: found {} rows, expected {}; not expected: {wrong:?}; not found: {missing:?}",
        found.len(),
        expected.len()
    )
    .into())
}
