//! Resolves `wiki_pages`: the input of its template is a dump table.

use super::{Call, Expansion, expansion, function, scan_name};
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::LogicalPlanBuilder;
use neardup_datasets::{DumpOptions, DumpTable};
use std::sync::Arc;

pub(in crate::functions) fn wiki_pages(call: &Call) -> Result<Expansion> {
    let files = call.text("files")?.lines().map(str::to_owned).collect();
    let mut options = DumpOptions::default();
    for name in [
        "namespaces",
        "revisions",
        "on_error",
        "max_page_bytes",
        "language",
    ] {
        if call.get(name).is_some() {
            options
                .set(name, call.text(name)?)
                .map_err(|error| plan_datafusion_err!("wiki_pages: {}", error.message()))?;
        }
    }
    options.redirects = call.boolean("redirects")?;
    let table = provider_as_source(Arc::new(DumpTable::try_new(files, options)?));
    let plan = LogicalPlanBuilder::scan(scan_name(call), table, None)?.build()?;
    let template = function(call)?.template;
    Ok(expansion(call, template, vec![plan], []))
}
