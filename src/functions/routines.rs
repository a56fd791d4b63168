//! Our table functions in `information_schema.routines`, which `SHOW FUNCTIONS` reads.

use super::{Header, TABLE_FUNCTIONS, TableFunction};
use datafusion::common::{Result, ScalarValue, TableReference};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, cast, lit};

/// The engine's table of routines, followed by the public table functions.
pub(super) fn with_table_functions(
    routines: LogicalPlan,
    config: &ConfigOptions,
) -> Result<LogicalPlan> {
    let mut rows = Vec::new();
    for function in TABLE_FUNCTIONS.iter().filter(|function| function.public) {
        let header = function.template.header()?;
        let syntax = syntax(function, &header);
        let fields = routines.schema().fields().iter();
        let row = fields.map(|field| {
            let value = match field.name().as_str() {
                "specific_catalog" | "routine_catalog" => config.catalog.default_catalog.as_str(),
                "specific_schema" | "routine_schema" => config.catalog.default_schema.as_str(),
                "specific_name" | "routine_name" => function.name,
                "routine_type" => "FUNCTION",
                "is_deterministic" => "true",
                "data_type" | "function_type" => "TABLE",
                "description" => header.description.as_str(),
                "syntax_example" => syntax.as_str(),
                _ => return Ok(lit(ScalarValue::try_new_null(field.data_type())?)),
            };
            Ok(cast(lit(value), field.data_type().clone()))
        });
        rows.push(row.collect::<Result<Vec<_>>>()?);
    }
    let ours = LogicalPlanBuilder::values(rows)?.build()?;
    LogicalPlanBuilder::from(routines)
        .union(ours)?
        .alias(TableReference::partial("information_schema", "routines"))?
        .build()
}

/// The call with its parameters and their defaults: `name(input [, input_b] [, threshold => 0.8])`. The call of a
/// function without relations lists its parameters itself.
fn syntax(function: &TableFunction, header: &Header) -> String {
    let call = header.call.trim_end_matches(')');
    if *function.relations.end() == 0 {
        return header.call.clone();
    }
    let parameters = header.parameters.iter().map(|parameter| {
        let default = parameter.default.as_deref().unwrap_or("…");
        format!(" [, {} => {default}]", parameter.name)
    });
    format!("{call}{})", parameters.collect::<String>())
}
