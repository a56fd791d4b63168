//! Resolves `repeated_text` and `repeated_passages`: projects the relation to an input with fixed column names. Their
//! building block has a variant for units that are similar rather than equal.

use super::{Call, Expansion, Value, block_variant, expansion, function};
use crate::functions::columns::{column, data_type, held_type, id_column, text_column};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlanBuilder;

pub(in crate::functions) fn repeated_text(call: &Call) -> Result<Expansion> {
    resolved(call)
}

pub(in crate::functions) fn repeated_passages(call: &Call) -> Result<Expansion> {
    resolved(call)
}

/// `repeated_units`, the building block.
pub(in crate::functions) fn repeated_units(call: &Call) -> Result<Expansion> {
    let are_equal = call.number("threshold")? >= 1.0;
    block_variant(call, (!are_equal).then_some("repeated_units.similar"), [])
}

/// `passage_runs`, the building block: with the types of ids and of ranks in structs.
pub(in crate::functions) fn passage_runs(call: &Call) -> Result<Expansion> {
    let plan = &call.relations[0];
    let type_of = |name: &str| data_type(plan, &column(call, plan, name)?);
    let (id, rank) = (type_of("id")?, type_of("rank")?);
    let more = [
        ("held_type", Value::Text(held_type(&id).to_string())),
        ("held_rank_type", Value::Text(held_type(&rank).to_string())),
        ("id_type", Value::Text(id.to_string())),
    ];
    block_variant(call, None, more)
}

fn resolved(call: &Call) -> Result<Expansion> {
    let plan = &call.relations[0];
    let id = id_column(call, plan, call.column("id").unwrap_or("id"))?;
    let text = text_column(call, plan, call.column("text").unwrap_or("text"))?;
    let input = LogicalPlanBuilder::from(plan.clone())
        .project(vec![id.alias("id"), text.alias("text")])?
        .build()?;
    let template = function(call)?.template;
    Ok(expansion(call, template, vec![input], []))
}
