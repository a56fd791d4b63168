//! Measures the recall of a job.

use super::Measured;
use crate::files::Location;
use crate::functions::Value;
use crate::jobs::dedup::Method;
use crate::jobs::defaults::default;
use crate::jobs::figures::Figure;
use crate::jobs::manifest::Manifest;
use crate::jobs::recall::{recall, sample};
use crate::jobs::tables::table;
use crate::jobs::verified::verify;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use neardup_kernels::{Bands, candidate_probability, choose_bands};
use std::collections::BTreeMap;

/// Number of bins of the measured recall between 0 and 1.
const RECALL_BINS: usize = 20;

/// Maximum number of texts of the sample, and of the pairs that they are expected to have.
const SAMPLE: i64 = 10_000;
const PAIRS_OF_SAMPLE: i64 = 2_000_000;

/// The number of texts of the sample for a job with these numbers of texts and pairs. Most of the time goes into the
/// other texts, with which they are compared, unless they have very many pairs.
fn sample_size(texts: i64, pairs: i64) -> i64 {
    let smallest: i64 = default("sample");
    let affordable = PAIRS_OF_SAMPLE.saturating_mul(texts) / pairs.saturating_mul(2).max(1);
    affordable.min(SAMPLE).max(smallest)
}

/// Measures the recall of a job over texts that may miss pairs.
pub(super) async fn measured(
    context: &SessionContext,
    manifest: &Manifest,
    directory: &str,
) -> Result<Option<Measured>> {
    let (Some(pairs), Some(texts)) = (manifest.step("pairs"), manifest.step("texts")) else {
        return Ok(None);
    };
    let method = pairs.figure(Figure::Method).and_then(|word| word.as_str());
    let by_minhash = method == Some(Method::MinHash.word());
    let uncompared = pairs.figure(Figure::PairsNotCompared);
    let is_complete = !by_minhash && uncompared.is_none();
    let is_other =
        manifest.parameters.contains_key("measure") || method == Some(Method::Projection.word());
    if is_complete || is_other {
        return Ok(None);
    }
    let number = |name: &str| {
        manifest
            .parameters
            .get(name)
            .and_then(|value| value.as_f64())
    };
    let shingle = manifest
        .parameters
        .get("shingle")
        .and_then(|value| value.as_str());
    let (Some(threshold), Some(shingle)) = (number("threshold"), shingle) else {
        return Ok(None);
    };
    let directory = Location::new(directory)?;
    let rows = table(context, &directory, texts).await?;
    verify(texts, &directory, &context.runtime_env()).await?;
    context.register_table("texts", rows)?;
    let group_rule = match manifest.parameters.contains_key("within") {
        true => "agree",
        false => "any",
    };
    let distinct = texts.figure(Figure::DistinctTexts);
    let distinct = distinct.and_then(|texts| texts.as_i64()).unwrap_or(0);
    let size = sample_size(distinct, pairs.rows as i64);
    let values = BTreeMap::from([
        ("sample".to_owned(), Value::Integer(size)),
        ("threshold".to_owned(), Value::Number(threshold)),
        ("shingle".to_owned(), Value::Text(shingle.to_owned())),
        ("group_rule".to_owned(), Value::Text(group_rule.to_owned())),
        ("parts".to_owned(), Value::Integer(1)),
    ]);
    let sample = sample(context, &values).await?;
    let recall = recall(context, "pairs", "sampled_pairs", RECALL_BINS).await?;
    let hashes = number("num_hashes").unwrap_or(0.0) as usize;
    let target_recall = number("target_recall").unwrap_or(0.0);
    let expected = match choose_bands(threshold, target_recall, hashes) {
        Ok(Bands { bands, rows }) if by_minhash => (0..=100)
            .map(|percent| f64::from(percent) / 100.0)
            .map(|similarity| (similarity, candidate_probability(similarity, bands, rows)))
            .collect(),
        _ => vec![],
    };
    Ok(Some(Measured {
        sample,
        recall,
        expected,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_many_pairs_have_a_smaller_sample() {
        assert_eq!(sample_size(1_000_000, 350_000), SAMPLE);
        assert_eq!(sample_size(1_000_000, 500_000_000), 2000);
        assert_eq!(sample_size(1_000_000, i64::MAX), 1000);
        assert_eq!(sample_size(0, 0), 1000);
    }
}
