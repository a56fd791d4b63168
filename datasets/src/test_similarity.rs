//! A similarity of texts for tests, which does not use the kernels.

use std::collections::HashSet;

/// Jaccard similarity of the five-character windows of two texts in lower case.
pub(crate) fn characters(a: &str, b: &str) -> f64 {
    fn windows(text: &str) -> HashSet<[char; 5]> {
        let text: Vec<char> = text.to_lowercase().chars().collect();
        text.windows(5)
            .map(|window| std::array::from_fn(|at| window[at]))
            .collect()
    }
    let (a, b) = (windows(a), windows(b));
    let shared = a.intersection(&b).count();
    shared as f64 / (a.len() + b.len() - shared) as f64
}
