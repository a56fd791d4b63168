//! Resolves `word_vectors`: the input of its template is a table over the files.

use super::{Call, Expansion, expansion, function, scan_name};
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::LogicalPlanBuilder;
use neardup_datasets::{WordVectorOptions, WordVectorTable};
use std::sync::Arc;

pub(in crate::functions) fn word_vectors(call: &Call) -> Result<Expansion> {
    let files = call.text("files")?.lines().map(str::to_owned).collect();
    let mut options = WordVectorOptions::default();
    for name in ["format", "on_error"] {
        options
            .set(name, call.text(name)?)
            .map_err(|error| plan_datafusion_err!("word_vectors: {}", error.message()))?;
    }
    let table = provider_as_source(Arc::new(WordVectorTable::try_new(files, options)?));
    let plan = LogicalPlanBuilder::scan(scan_name(call), table, None)?.build()?;
    let template = function(call)?.template;
    Ok(expansion(call, template, vec![plan], []))
}
