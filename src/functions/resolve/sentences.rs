//! Resolves `sentences`, whose id and carried columns keep the names that they have in the input.

use super::{Call, Expansion, expansion, function};
use crate::functions::columns;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::functions::core::expr_fn::named_struct;
use datafusion::logical_expr::{LogicalPlanBuilder, col, lit};
use datafusion::prelude::get_field;

pub(in crate::functions) fn sentences(call: &Call) -> Result<Expansion> {
    let plan = &call.relations[0];
    let id_name = call.column("id").unwrap_or("id");
    let id = columns::id_column(call, plan, id_name)?;
    let text = columns::text_column(call, plan, call.column("text").unwrap_or("text"))?;
    let language = match call.column("language_column") {
        Some(name) => columns::text_column(call, plan, name)?,
        None => lit(call.text("language")?),
    };
    let blocks = match call.column("blocks") {
        Some(name) => columns::text_column(call, plan, name)?,
        None => lit(ScalarValue::Utf8(None)),
    };
    let carry = call.columns("carry");
    let fixed = [
        "sentence_id",
        "sentence_no",
        "start_byte",
        "end_byte",
        "sentence",
        id_name,
        call.column("blocks").map_or("sentence", |_| "kind"),
    ];
    if let Some(clash) = carry.iter().find(|name| fixed.contains(&name.as_str())) {
        return plan_err!("sentences: carry: '{clash}' is a column of the result already");
    }
    let mut fields = Vec::new();
    for name in carry {
        fields.push(lit(name.as_str()));
        fields.push(columns::column(call, plan, name)?);
    }
    let carried = match fields.is_empty() {
        true => lit(0_i8),
        false => named_struct(fields),
    };
    let input = LogicalPlanBuilder::from(plan.clone())
        .project(vec![
            id.alias("id"),
            text.alias("text"),
            blocks.alias("blocks"),
            language.alias("language"),
            carried.alias("carried"),
        ])?
        .build()?;
    let template = function(call)?.template;
    let mut result = expansion(call, template, vec![input], []);
    if let Expansion::Template { output, .. } = &mut result {
        let mut columns = vec![col("sentence_id"), col("id").alias(id_name)];
        for name in carry {
            columns.push(get_field(col("carried"), name.as_str()).alias(name));
        }
        columns.extend(["sentence_no", "start_byte", "end_byte"].map(col));
        if call.column("blocks").is_some() {
            columns.push(col("kind"));
        }
        columns.push(col("sentence"));
        *output = Some(columns);
    }
    Ok(result)
}
