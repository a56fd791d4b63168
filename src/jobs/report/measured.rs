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
    let size: i64 = default("sample");
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
