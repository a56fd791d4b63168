//! Bands and rows.

use super::{Call, Expansion, Value, expansion};
use crate::functions::find;
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use datafusion::execution::SessionState;
use neardup_kernels::choose_bands;

/// `lsh_plan`: the chosen bands and rows as literals.
pub(in crate::functions) fn lsh_plan(call: &Call, _: &SessionState) -> Result<Expansion> {
    let (bands, rows) = chosen(call, call.number("target_recall")?)?;
    let template = find(call.function)
        .ok_or_else(|| plan_datafusion_err!("unknown function {}", call.function))?
        .template;
    Ok(expansion(
        call,
        template,
        vec![],
        [("bands", bands), ("rows", rows)],
    ))
}

/// Bands and rows of a call: explicit ones, or those for the target recall at the threshold.
pub(super) fn bands_and_rows(call: &Call) -> Result<(Value, Value)> {
    match (call.get("bands"), call.get("rows")) {
        (Some(bands), Some(rows)) => {
            if call.is_given("target_recall") {
                return plan_err!(
                    "{}: give either bands and rows or target_recall, not both",
                    call.function
                );
            }
            let needed = call.integer("bands")?.saturating_mul(call.integer("rows")?);
            let allowed = call.integer("num_hashes")?;
            if needed > allowed && call.is_given("num_hashes") {
                return plan_err!(
                    "{}: bands × rows must be at most num_hashes = {allowed}, found {needed}",
                    call.function
                );
            }
            if needed > 4096 {
                return plan_err!(
                    "{}: bands × rows must be at most 4096, found {needed}",
                    call.function
                );
            }
            Ok((bands.clone(), rows.clone()))
        }
        (None, None) => chosen(call, call.number("target_recall").unwrap_or(0.99)),
        (Some(_), None) => plan_err!("{}: bands needs rows beside it", call.function),
        (None, Some(_)) => plan_err!("{}: rows needs bands beside it", call.function),
    }
}

fn chosen(call: &Call, target_recall: f64) -> Result<(Value, Value)> {
    let allowed = call.integer("num_hashes")? as usize;
    let bands = choose_bands(call.number("threshold")?, target_recall, allowed)
        .map_err(|error| plan_datafusion_err!("{}: {error}", call.function))?;
    Ok((
        Value::Integer(bands.bands as i64),
        Value::Integer(bands.rows as i64),
    ))
}
