//! Joins and clusters against what is obviously right: every pair compared, a union-find, a greedy
//! walk in keep order. Corpora are generated from seeds.
//!
//! - `corpus`: rows as tables.
//! - `naive`: the obvious versions.
//! - `joins`, `recall`, `clusters`, `giants`, `oversized`, `signatures`, `vectors`, `memory`: what is compared.
//! - `cross_lingual`: the statements of a page of `docs/`, and what they find in real corpora.

mod clusters;
mod corpus;
mod cross_lingual;
mod giants;
mod joins;
mod memory;
pub mod naive;
mod oversized;
mod recall;
mod signatures;
mod vectors;

use libtest_mimic::{Failed, Trial};

/// The trials of all modules.
pub fn trials() -> Vec<Trial> {
    [
        joins::trials(),
        recall::trials(),
        clusters::trials(),
        giants::trials(),
        oversized::trials(),
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

/// Fails where two lists of pairs, each sorted, differ, and says where.
fn same_pairs(what: &str, found: &[Pair], expected: &[Pair]) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    let wrong = found.iter().find(|pair| !expected.contains(pair));
    let missing = expected.iter().find(|pair| !found.contains(pair));
    Err(format!(
        "{what}: found {} pairs, expected {}; not expected: {wrong:?}; not found: {missing:?}",
        found.len(),
        expected.len()
    )
    .into())
}
