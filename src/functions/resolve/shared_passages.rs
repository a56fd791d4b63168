//! Resolves `shared_passages`: computes the lengths of the hashed runs and of the windows for its fingerprints.

use super::{Call, Expansion, Value, expansion, function};
use crate::functions::inputs;
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use neardup_kernels::{Shingle, passage_window};

pub(in crate::functions) fn shared_passages(call: &Call) -> Result<Expansion> {
    let function = function(call)?;
    let shortest = match call.is_given("min_words") {
        true if call.is_given("min_passage") => {
            return plan_err!("shared_passages: give either min_words or min_passage, not both");
        }
        true => Shingle::Word(call.integer("min_words")? as usize),
        false => call
            .text("min_passage")?
            .parse()
            .map_err(|error| plan_datafusion_err!("shared_passages: {error}"))?,
    };
    let (hashed, window) = passage_window(shortest.window());
    let hashed = match shortest {
        Shingle::Char(_) => Shingle::Char(hashed),
        Shingle::Word(_) => Shingle::Word(hashed),
        Shingle::Space(_) => Shingle::Space(hashed),
    };
    // A limit of buckets applies to whole buckets, so a single part must process all of them.
    let parts = match call.integer("max_bucket")? {
        0 => call.integer("parts")?,
        _ => 1,
    };
    let more = [
        ("min_passage", Value::Text(shortest.to_string())),
        ("hashed", Value::Text(hashed.to_string())),
        ("window", Value::Integer(window as i64)),
        ("parts", Value::Integer(parts)),
    ];
    Ok(expansion(
        call,
        function.template,
        vec![inputs::documents(call)?],
        more,
    ))
}
