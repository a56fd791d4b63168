//! The statements of the steps.

use crate::functions::{Template, Value};
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{DataFrame, SessionContext};
use datafusion::sql::parser::Statement;
use std::collections::BTreeMap;

/// A statement of `sql/jobs/`, by its name.
macro_rules! statement {
    ($name:literal) => {
        $crate::functions::Template {
            name: concat!("jobs/", $name),
            text: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/sql/jobs/",
                $name,
                ".sql"
            )),
        }
    };
}

/// Plans a statement over the tables of a session.
pub(super) async fn plan(
    context: &SessionContext,
    template: Template,
    values: &BTreeMap<String, Value>,
) -> Result<LogicalPlan> {
    let literals = values
        .iter()
        .map(|(name, value)| (name.clone(), value.literal()))
        .collect();
    let statement = template.statement(&literals)?;
    let statement = Statement::Statement(Box::new(statement));
    context.state().statement_to_plan(statement).await
}

/// Registers a statement as a view, in place of another one of that name.
pub(super) async fn view(
    context: &SessionContext,
    name: &str,
    template: Template,
    values: &BTreeMap<String, Value>,
) -> Result<()> {
    let plan = plan(context, template, values).await?;
    let view = DataFrame::new(context.state(), plan).into_view();
    context.deregister_table(name)?;
    context.register_table(name, view)?;
    Ok(())
}
