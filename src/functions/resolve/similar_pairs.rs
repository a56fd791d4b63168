//! Resolves `similar_pairs` to its operator.

use super::{Call, Expansion};
use crate::operators::similar_pairs::{Candidates, GroupRule, SimilarPairs, Spec, Verify};
use datafusion::common::Result;

pub(in crate::functions) fn similar_pairs(call: &Call) -> Result<Expansion> {
    let limit = |name: &str| -> Result<Option<usize>> {
        let value = call.integer(name)? as usize;
        Ok((value > 0).then_some(value))
    };
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
        verify: match call.text("verify")? {
            "containment" => Verify::Containment,
            "edit" => Verify::Edit,
            "estimate" => Verify::Estimate,
            "hamming" => Verify::Hamming,
            "cosine" => Verify::Cosine,
            "none" => Verify::None,
            _ => Verify::Exact,
        },
        prefixes: call.boolean("prefixes")?,
        max_bucket_pairwise: limit("max_bucket_pairwise")?,
        marked_keys: call.boolean("marked_keys")?,
        max_bucket: limit("max_bucket")?,
        parts: call.integer("parts")? as u32,
        two_sides: call.integer("sides")? == 2,
        group_rule: match call.text("group_rule")? {
            "differ" => GroupRule::Differ,
            "agree" => GroupRule::Agree,
            _ => GroupRule::Any,
        },
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
