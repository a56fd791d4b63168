//! Resolves `contamination`: projects the corpus and the items to inputs with fixed column names.

use super::{Call, Expansion, expansion};
use crate::functions::columns;
use crate::functions::find;
use datafusion::common::{DataFusionError, Result, plan_datafusion_err};
use datafusion::logical_expr::LogicalPlanBuilder;

pub(in crate::functions) fn contamination(call: &Call) -> Result<Expansion> {
    let mut inputs = Vec::new();
    for (plan, names) in call
        .relations
        .iter()
        .zip([["id", "text"], ["id_b", "text_b"]])
    {
        let [id, text] = names.map(|name| {
            let first = name.trim_end_matches("_b");
            call.column(name).or(call.column(first)).unwrap_or(first)
        });
        let of_items = |error: DataFusionError| match names[0] {
            "id" => error,
            _ => plan_datafusion_err!(
                "{}; these are the columns of the items, which id_b and text_b name",
                error.message()
            ),
        };
        let id = columns::id_column(call, plan, id).map_err(of_items)?;
        let text = columns::text_column(call, plan, text).map_err(of_items)?;
        let plan = LogicalPlanBuilder::from(plan.clone())
            .project(vec![id.alias("id"), text.alias("text")])?
            .build()?;
        inputs.push(plan);
    }
    let template = find("contamination")
        .ok_or_else(|| plan_datafusion_err!("unknown function contamination"))?
        .template;
    Ok(expansion(call, template, inputs, []))
}
