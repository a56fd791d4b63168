//! Which method finds the pairs of which measure.

use neardup_kernels::Measure;

/// The measure of the pairs that a method finds, unless another one is chosen.
pub(crate) fn default_measure(method: &str) -> Measure {
    match method {
        "projection" => Measure::Cosine,
        _ => Measure::Jaccard,
    }
}

/// The method that a measure needs, or `None` if `method` finds the pairs of that measure.
pub(crate) fn needed_method(measure: Measure, method: &str) -> Option<&'static str> {
    let of_vectors = measure == Measure::Cosine;
    let fits = match method {
        "projection" => of_vectors,
        "minhash" => measure == Measure::Jaccard,
        _ => !of_vectors,
    };
    let needed = if of_vectors { "projection" } else { "exact" };
    (!fits).then_some(needed)
}
