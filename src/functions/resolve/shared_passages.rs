//! Resolves `shared_passages`: the unit and the minimum length of its passages.

use super::{Call, Expansion, Value, expansion, function};
use crate::functions::inputs;
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use neardup_kernels::Shingle;

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
    Ok(expansion(
        call,
        function.template,
        vec![inputs::documents(call)?],
        [("min_passage", Value::Text(shortest.to_string()))],
    ))
}
