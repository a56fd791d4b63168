//! Resolves `partial_duplicates`, whose relation has a row for each sentence or for each document.

use super::{Call, Expansion, Value, expansion, function};
use crate::functions::columns::{
    data_type, has_column, held_type, id_column, integer_column, text_column,
};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};

/// The arguments of a relation of sentences, and those of a relation of documents.
const OF_SENTENCES: [&str; 4] = ["document", "position", "start_column", "end_column"];
const OF_DOCUMENTS: [&str; 4] = ["id", "language", "language_column", "splitter"];

pub(in crate::functions) fn partial_duplicates(call: &Call) -> Result<Expansion> {
    let function = function(call)?;
    let plan = &call.relations[0];
    let of_sentences = OF_SENTENCES.iter().find(|name| call.is_given(name));
    let of_documents = OF_DOCUMENTS.iter().find(|name| call.is_given(name));
    let has_documents = match (of_sentences, of_documents) {
        (Some(sentences), Some(documents)) => {
            return plan_err!(
                "partial_duplicates: {sentences} is for a relation of sentences, {documents} for one of documents; give only one of them"
            );
        }
        (None, Some(_)) => true,
        (Some(_), None) => false,
        (None, None) => {
            let missing: Vec<&str> = ["document", "position"]
                .into_iter()
                .filter(|name| !has_column(plan, name))
                .collect();
            if let [missing] = missing[..]
                && !has_column(plan, "id")
            {
                return plan_err!(
                    "partial_duplicates: the input has no column '{missing}': a relation of sentences has the columns \
                     document and position, which the arguments of these names give other names, and one of documents \
                     the column id"
                );
            }
            !missing.is_empty()
        }
    };
    let text = text_column(call, plan, call.column("text").unwrap_or("text"))?;
    if has_documents {
        let language = match call.column("language_column") {
            Some(name) => text_column(call, plan, name)?,
            None => lit(call.text("language")?),
        };
        let id = id_column(call, plan, call.column("id").unwrap_or("id"))?;
        let [held_type, document_type] = document_types(plan, &id)?;
        let columns = vec![
            id.alias("document"),
            text.alias("text"),
            language.alias("language"),
        ];
        let input = LogicalPlanBuilder::from(plan.clone())
            .project(columns)?
            .build()?;
        let variant = function.variant("partial_duplicates.documents");
        let more = [one_part(call)?, document_type, held_type];
        return Ok(expansion(call, variant, vec![input], more));
    }
    let document = id_column(call, plan, call.column("document").unwrap_or("document"))?;
    let [held_type, document_type] = document_types(plan, &document)?;
    let position = integer_column(call, plan, call.column("position").unwrap_or("position"))?;
    let offset = |parameter: &str| match call.column(parameter) {
        Some(name) => integer_column(call, plan, name),
        None => Ok(lit(ScalarValue::Int64(None))),
    };
    let columns = vec![
        document.alias("document"),
        position.alias("position"),
        text.alias("text"),
        offset("start_column")?.alias("start_offset"),
        offset("end_column")?.alias("end_offset"),
    ];
    let input = LogicalPlanBuilder::from(plan.clone())
        .project(columns)?
        .build()?;
    let more = [one_part(call)?, document_type, held_type];
    Ok(expansion(call, function.template, vec![input], more))
}

/// The type to which sentence_runs casts the ids of documents back from texts, and their own type.
fn document_types(plan: &LogicalPlan, document: &Expr) -> Result<[(&'static str, Value); 2]> {
    let data_type = data_type(plan, document)?;
    Ok([
        ("held_type", Value::Text(held_type(&data_type).to_string())),
        ("document_type", Value::Text(data_type.to_string())),
    ])
}

/// The number of parts: one if buckets are limited, because a limit applies to a whole bucket.
fn one_part(call: &Call) -> Result<(&'static str, Value)> {
    let parts = match call.integer("max_bucket")? {
        0 => call.integer("parts")?,
        _ => 1,
    };
    Ok(("parts", Value::Integer(parts)))
}
