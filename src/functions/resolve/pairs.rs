//! Functions over relations of pairs.

use super::{Call, Expansion, expansion};
use crate::functions::find;
use crate::functions::relations::{common_id_type, data_type, id_column};
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::logical_expr::{LogicalPlanBuilder, cast};

/// `components`.
pub(in crate::functions) fn components(call: &Call) -> Result<Expansion> {
    over_pairs(call)
}

/// `pair_quality`.
pub(in crate::functions) fn pair_quality(call: &Call) -> Result<Expansion> {
    over_pairs(call)
}

fn over_pairs(call: &Call) -> Result<Expansion> {
    let names = ["id_a", "id_b"];
    let mut ends = Vec::new();
    for plan in &call.relations {
        for name in names {
            let end = id_column(call, plan, call.column(name).unwrap_or(name))?;
            ends.push((data_type(plan, &end)?, end));
        }
    }
    // Ids can be compared, within a pair and between relations, only in a common type.
    let types: Vec<_> = ends.iter().map(|(id, _)| id.clone()).collect();
    let id_type = common_id_type(&types);
    let mut ends = ends.into_iter().map(|(found, end)| match found == id_type {
        true => end,
        false => cast(end, id_type.clone()),
    });
    let mut inputs = Vec::new();
    for plan in &call.relations {
        let columns = names.iter().zip(ends.by_ref());
        let columns: Vec<_> = columns.map(|(name, end)| end.alias(*name)).collect();
        let plan = LogicalPlanBuilder::from(plan.clone());
        inputs.push(plan.project(columns)?.build()?);
    }
    let template = find(call.function)
        .ok_or_else(|| plan_datafusion_err!("unknown function {}", call.function))?
        .template;
    Ok(expansion(call, template, inputs, []))
}
