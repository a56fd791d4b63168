//! Resolves `contamination`: projects the corpus and the items to inputs with fixed column names.

use super::{Call, Expansion, expansion, function};
use crate::functions::columns;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, plan_datafusion_err};
use datafusion::functions::core::expr_fn::{get_field, named_struct};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, col, lit};

/// The columns of an item, besides its id, that are copied to what is found of it.
const COPIED: [&str; 2] = ["benchmark", "field"];

/// The columns of the template after the ids.
const FOUND: [&str; 8] = [
    "kind",
    "coverage",
    "hits",
    "ignored_hits",
    "longest_run",
    "start_char",
    "end_char",
    "runs",
];

pub(in crate::functions) fn contamination(call: &Call) -> Result<Expansion> {
    let mut inputs = Vec::new();
    let mut output = vec![col("corpus_id"), col("item_id")];
    for (plan, names) in call
        .relations
        .iter()
        .zip([["id", "text"], ["id_b", "text_b"]])
    {
        let [id_name, text_name] = names.map(|name| {
            let first = name.trim_end_matches("_b");
            call.column(name).or(call.column(first)).unwrap_or(first)
        });
        let is_corpus = names[0] == "id";
        let of_items = |error: DataFusionError| match is_corpus {
            true => error,
            false => plan_datafusion_err!(
                "{}; these are the columns of the items, which id_b, text_b, benchmark and field name",
                error.message()
            ),
        };
        let id = columns::id_column(call, plan, id_name).map_err(of_items)?;
        let text = columns::text_column(call, plan, text_name).map_err(of_items)?;
        let mut projected = vec![id.clone().alias("id"), text.alias("text")];
        if !is_corpus {
            let mut item = vec![lit("id"), id];
            for name in COPIED {
                let copied = copied(call, plan, name, [id_name, text_name]).map_err(of_items)?;
                if let Some(column) = copied {
                    item.extend([lit(name), column]);
                    output.push(get_field(col("item"), name).alias(name));
                }
            }
            projected.push(named_struct(item).alias("item"));
        }
        let plan = LogicalPlanBuilder::from(plan.clone())
            .project(projected)?
            .build()?;
        inputs.push(plan);
    }
    output.extend(FOUND.map(col));
    let template = function(call)?.template;
    let mut result = expansion(call, template, inputs, []);
    if let Expansion::Template { output: last, .. } = &mut result {
        *last = Some(output);
    }
    Ok(result)
}

/// The column of the items that a parameter names, else the one of the same name, unless that holds the ids or the texts.
fn copied(
    call: &Call,
    items: &LogicalPlan,
    parameter: &str,
    others: [&str; 2],
) -> Result<Option<Expr>> {
    let is_free = !others.contains(&parameter);
    let name = match call.column(parameter) {
        Some(name) => name,
        None if is_free && columns::has_column(items, parameter) => parameter,
        None => return Ok(None),
    };
    let column = columns::column(call, items, name)?;
    Ok(Some(match columns::data_type(items, &column)? {
        DataType::Dictionary(_, value) => cast(column, *value),
        DataType::Null => cast(column, DataType::Utf8),
        _ => column,
    }))
}
