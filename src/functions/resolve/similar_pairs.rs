//! `similar_pairs`: the call becomes the operator.

use super::{Call, Expansion};
use crate::operators::similar_pairs::{SimilarPairs, Spec, Verify};
use datafusion::common::Result;
use datafusion::execution::SessionState;

pub(in crate::functions) fn similar_pairs(call: &Call, _: &SessionState) -> Result<Expansion> {
    let limit = |name: &str| -> Result<Option<usize>> {
        let value = call.integer(name)? as usize;
        Ok((value > 0).then_some(value))
    };
    let spec = Spec {
        threshold: call.number("threshold")?,
        verify: match call.text("verify")? {
            "edit" => Verify::Edit,
            "estimate" => Verify::Estimate,
            "none" => Verify::None,
            _ => Verify::Exact,
        },
        prefixes: call.boolean("prefixes")?,
        bucket_pairs: limit("bucket_pairs")?,
        max_bucket: limit("max_bucket")?,
        parts: call.integer("parts")? as u32,
        two_sides: call.integer("sides")? == 2,
        differ: call.boolean("differ")?,
    };
    Ok(Expansion::Plan(SimilarPairs::plan(
        call.relations[0].clone(),
        spec,
    )?))
}
