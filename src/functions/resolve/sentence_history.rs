//! Resolves `sentence_history`: projects the relation to an input with fixed column names.

use super::{Call, Expansion, expansion, function};
use crate::functions::columns::{column, data_type, id_column, integer_column, text_column};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::LogicalPlanBuilder;

pub(in crate::functions) fn sentence_history(call: &Call) -> Result<Expansion> {
    let plan = &call.relations[0];
    let name = |parameter: &'static str| call.column(parameter).unwrap_or(parameter);
    let document = id_column(call, plan, name("document"))?;
    let revision = integer_column(call, plan, name("revision"))?;
    let timestamp = column(call, plan, name("timestamp"))?;
    let found = data_type(plan, &timestamp)?;
    let is_time = found.is_temporal() || found.is_numeric();
    if !is_time || matches!(found, DataType::Interval(_) | DataType::Duration(_)) {
        return plan_err!(
            "sentence_history: the column '{}' must hold timestamps, dates or numbers, but it holds {found}",
            name("timestamp")
        );
    }
    let text = text_column(call, plan, name("text"))?;
    let input = LogicalPlanBuilder::from(plan.clone())
        .project(vec![
            document.alias("document"),
            revision.alias("revision"),
            timestamp.alias("timestamp"),
            text.alias("text"),
        ])?
        .build()?;
    let template = function(call)?.template;
    Ok(expansion(call, template, vec![input], []))
}
