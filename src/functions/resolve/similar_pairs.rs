//! Resolves `similar_pairs` to its operator.

use super::{Call, Expansion, block_variant};
use crate::operators::similar_pairs::{
    Candidates, GroupRule, SimilarPairs, Spec, Verify, may_join_by_blocks,
};
use datafusion::common::Result;

pub(in crate::functions) fn similar_pairs(call: &Call) -> Result<Expansion> {
    let limit = |name: &str| limit(call, name);
    let integer = |name: &str| -> Result<u32> { Ok(call.integer(name)? as u32) };
    let mut spec = Spec {
        threshold: call.number("threshold")?,
        candidates: match call.text("candidates")? {
            "all" => Candidates::All,
            "windows" => Candidates::Windows {
                bits: integer("bits")?,
                tables: integer("tables")?,
                window: integer("window")?,
                chunk: integer("chunk")?,
                seed: call.integer("seed")? as u64,
            },
            _ => Candidates::Keys,
        },
        max_distance: match call.integer("max_distance")? {
            -1 => None,
            bits => Some(bits as u32),
        },
        verify: verify(call)?,
        prefixes: call.boolean("prefixes")?,
        max_bucket_pairwise: limit("max_bucket_pairwise")?,
        max_bucket: limit("max_bucket")?,
        parts: call.integer("parts")? as u32,
        two_sides: call.integer("sides")? == 2,
        group_rule: group_rule(call)?,
        shingle: None,
        report: None,
    };
    if call.is_given("shingle") && spec.may_join_by_blocks() {
        spec.shingle = Some(call.text("shingle")?.to_owned());
    }
    Ok(Expansion::Plan(SimilarPairs::plan(
        call.relations[0].clone(),
        spec,
    )?))
}

fn limit(call: &Call, name: &str) -> Result<Option<usize>> {
    let value = call.integer(name)? as usize;
    Ok((value > 0).then_some(value))
}

fn verify(call: &Call) -> Result<Verify> {
    Ok(match call.text("verify")? {
        "containment" => Verify::Containment,
        "edit" => Verify::Edit,
        "estimate" => Verify::Estimate,
        "hamming" => Verify::Hamming,
        "cosine" => Verify::Cosine,
        "none" => Verify::None,
        _ => Verify::Exact,
    })
}

fn group_rule(call: &Call) -> Result<GroupRule> {
    Ok(match call.text("group_rule")? {
        "differ" => GroupRule::Differ,
        "agree" => GroupRule::Agree,
        _ => GroupRule::Any,
    })
}

/// `rows_with_shared_keys`, the building block of joins by `similar_pairs`.
pub(in crate::functions) fn rows_with_shared_keys(call: &Call) -> Result<Expansion> {
    let parts = call.integer("parts")? as u32;
    let by_blocks = may_join_by_blocks(
        verify(call)?,
        parts,
        limit(call, "max_bucket")?,
        group_rule(call)?,
    );
    let variant = match (parts, by_blocks) {
        (1, _) => "rows_with_shared_keys.one",
        (_, true) => "rows_with_shared_keys",
        (_, false) => "rows_with_shared_keys.by_key",
    };
    block_variant(call, Some(variant), [])
}
