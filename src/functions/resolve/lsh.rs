//! Resolves `lsh_plan`, and chooses the bands and rows of MinHash joins.

use super::{Call, Expansion, Value, expansion, function};
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use datafusion::sql::sqlparser::ast;
use neardup_kernels::{BitSetting, bit_settings, choose_bands};

/// `lsh_plan`: passes the chosen bands and rows as literals.
pub(in crate::functions) fn lsh_plan(call: &Call) -> Result<Expansion> {
    if call.text("method")? == "projection" {
        return projection_plan(call);
    }
    for name in ["vectors", "bits"] {
        if call.is_given(name) {
            return plan_err!("lsh_plan: {name} needs method => 'projection'");
        }
    }
    let (bands, rows) = chosen(call, call.number("target_recall")?)?;
    let template = function(call)?.template;
    Ok(expansion(
        call,
        template,
        vec![],
        [("bands", bands), ("rows", rows)],
    ))
}

/// `lsh_plan` with method 'projection': passes the settings of the model as one list per column.
fn projection_plan(call: &Call) -> Result<Expansion> {
    if call.is_given("num_hashes") {
        return plan_err!("lsh_plan: num_hashes needs method => 'minhash'");
    }
    let settings = bit_settings(
        call.integer("vectors")? as f64,
        call.integer("bits")? as usize,
        call.number("threshold")?,
        call.number("target_recall")?,
    )
    .map_err(|error| plan_datafusion_err!("lsh_plan: {error}"))?;
    let function = function(call)?;
    let mut result = expansion(call, function.variant("lsh_plan.projection"), vec![], []);
    if let Expansion::Template { values, .. } = &mut result {
        let mut column = |name: &str, value: &dyn Fn(&BitSetting) -> Option<Value>| {
            let elements = settings.iter().map(|setting| match value(setting) {
                Some(value) => value.literal(),
                None => ast::Expr::value(ast::Value::Null),
            });
            let list = ast::Expr::Array(ast::Array {
                elem: elements.collect(),
                named: true,
            });
            values.insert(format!("{name}_list"), list);
        };
        let whole = |number: usize| Some(Value::Integer(number as i64));
        let number = |number: f64| Some(Value::Number(number));
        column("method", &|setting| {
            Some(Value::Text(setting.method.to_owned()))
        });
        column("max_distance", &|setting| whole(setting.max_distance));
        column("tables", &|setting| setting.tables.and_then(whole));
        column("key_bits", &|setting| setting.key_bits.and_then(whole));
        column("window", &|setting| setting.window.and_then(whole));
        column("expected_recall", &|setting| {
            number(setting.found * setting.kept)
        });
        column("found", &|setting| number(setting.found));
        column("kept", &|setting| number(setting.kept));
        column("unrelated_kept", &|setting| number(setting.unrelated_kept));
        column("relative_cost", &|setting| number(setting.relative_cost));
        column("recommended", &|setting| {
            Some(Value::Boolean(setting.recommended))
        });
    }
    Ok(result)
}

/// The bands and rows of a call: given explicitly, or chosen for the target recall at the threshold.
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
        (None, None) => chosen(call, call.number("target_recall")?),
        (Some(_), None) => plan_err!("{}: bands must be given together with rows", call.function),
        (None, Some(_)) => plan_err!("{}: rows must be given together with bands", call.function),
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
