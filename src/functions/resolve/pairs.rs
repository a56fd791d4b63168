//! Functions over relations of pairs.

use super::{Call, Expansion, expansion};
use crate::functions::find;
use crate::functions::relations::id_column;
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};

/// `components`.
pub(in crate::functions) fn components(call: &Call, _: &SessionState) -> Result<Expansion> {
    over_pairs(call)
}

/// `pair_quality`.
pub(in crate::functions) fn pair_quality(call: &Call, _: &SessionState) -> Result<Expansion> {
    over_pairs(call)
}

fn over_pairs(call: &Call) -> Result<Expansion> {
    let bind = |plan: &LogicalPlan| {
        let id_a = id_column(call, plan, call.column("id_a").unwrap_or("id_a"))?;
        let id_b = id_column(call, plan, call.column("id_b").unwrap_or("id_b"))?;
        LogicalPlanBuilder::from(plan.clone())
            .project(vec![id_a.alias("id_a"), id_b.alias("id_b")])?
            .build()
    };
    let inputs = call
        .relations
        .iter()
        .map(bind)
        .collect::<Result<Vec<_>>>()?;
    let template = find(call.function)
        .ok_or_else(|| plan_datafusion_err!("unknown function {}", call.function))?
        .template;
    Ok(expansion(call, template, inputs, []))
}
