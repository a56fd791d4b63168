//! Resolves `sentence_vector`: projects the texts and the word vectors to inputs with fixed column names.

use super::{Call, Expansion, expansion, function};
use crate::functions::columns;
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::logical_expr::{LogicalPlanBuilder, lit};

pub(in crate::functions) fn sentence_vector(call: &Call) -> Result<Expansion> {
    let [documents, vectors] = call.relations.as_slice() else {
        return Err(plan_datafusion_err!(
            "sentence_vector takes texts and word vectors"
        ));
    };
    let name = |parameter: &'static str| call.column(parameter).unwrap_or(parameter);
    let id = columns::id_column(call, documents, name("id"))?;
    let text = columns::text_column(call, documents, name("text"))?;
    let language = match call.column("language_column") {
        Some(name) => columns::text_column(call, documents, name)?,
        None => lit(call.text("language")?),
    };
    let documents = LogicalPlanBuilder::from(documents.clone())
        .project(vec![
            id.alias("id"),
            text.alias("text"),
            language.alias("language"),
        ])?
        .build()?;
    let word = columns::text_column(call, vectors, name("word"))?;
    let vector = columns::numbers_column(call, vectors, name("vector"))?;
    let vectors = LogicalPlanBuilder::from(vectors.clone())
        .project(vec![word.alias("word"), vector.alias("vector")])?
        .build()?;
    let template = function(call)?.template;
    Ok(expansion(call, template, vec![documents, vectors], []))
}
