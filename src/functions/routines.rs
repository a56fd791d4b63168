//! Our functions in `information_schema.routines` and `information_schema.parameters`, which `SHOW FUNCTIONS` reads.

use super::{Header, TABLE_FUNCTIONS, TableFunction};
use datafusion::common::{Result, ScalarValue, TableReference};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::{Documentation, LogicalPlan, LogicalPlanBuilder, cast, lit};

/// The engine's table of routines, followed by the public table functions.
pub(super) fn with_table_functions(
    routines: LogicalPlan,
    config: &ConfigOptions,
) -> Result<LogicalPlan> {
    let mut rows = Vec::new();
    for function in TABLE_FUNCTIONS.iter().filter(|function| function.public) {
        let header = function.template.header()?;
        let syntax = syntax(function, &header);
        rows.push(vec![
            ("specific_name", function.name.to_owned()),
            ("routine_name", function.name.to_owned()),
            ("routine_type", "FUNCTION".to_owned()),
            ("is_deterministic", "true".to_owned()),
            ("data_type", "TABLE".to_owned()),
            ("function_type", "TABLE".to_owned()),
            ("description", header.description),
            ("syntax_example", syntax),
        ]);
    }
    with_rows(routines, "routines", rows, config)
}

/// The engine's table of parameters, which lacks functions that accept several types, followed by those of our functions
/// of values.
pub(super) fn with_our_parameters(
    parameters: LogicalPlan,
    config: &ConfigOptions,
) -> Result<LogicalPlan> {
    let scalar = neardup_udfs::scalar_functions().into_iter();
    let scalar = scalar.map(|function| {
        (
            function.name().to_owned(),
            function.documentation().cloned(),
        )
    });
    let aggregate = neardup_udfs::aggregate_functions().into_iter();
    let aggregate = aggregate.map(|function| {
        (
            function.name().to_owned(),
            function.documentation().cloned(),
        )
    });
    let mut rows = Vec::new();
    for (name, documentation) in scalar.chain(aggregate) {
        let row = |number: usize, mode: &str| {
            vec![
                ("specific_name", name.clone()),
                ("ordinal_position", number.to_string()),
                ("parameter_mode", mode.to_owned()),
                ("data_type", "Any".to_owned()),
                ("is_variadic", "false".to_owned()),
                ("rid", "0".to_owned()),
            ]
        };
        rows.push(row(1, "OUT"));
        let arguments = documentation.and_then(|Documentation { arguments, .. }| arguments);
        for (number, (argument, _)) in arguments.into_iter().flatten().enumerate() {
            let mut row = row(number + 1, "IN");
            row.push(("parameter_name", argument));
            rows.push(row);
        }
    }
    with_rows(parameters, "parameters", rows, config)
}

/// A table of the information schema, followed by rows with these values; other columns are NULL.
fn with_rows(
    table: LogicalPlan,
    name: &str,
    rows: Vec<Vec<(&str, String)>>,
    config: &ConfigOptions,
) -> Result<LogicalPlan> {
    let rows = rows.into_iter().map(|row| {
        let fields = table.schema().fields().iter();
        let row = fields.map(|field| {
            let value = match field.name().as_str() {
                "specific_catalog" | "routine_catalog" => Some(&config.catalog.default_catalog),
                "specific_schema" | "routine_schema" => Some(&config.catalog.default_schema),
                name => row
                    .iter()
                    .find(|(column, _)| *column == name)
                    .map(|(_, value)| value),
            };
            Ok(match value {
                Some(value) => cast(lit(value.as_str()), field.data_type().clone()),
                None => lit(ScalarValue::try_new_null(field.data_type())?),
            })
        });
        row.collect::<Result<Vec<_>>>()
    });
    let ours = LogicalPlanBuilder::values(rows.collect::<Result<_>>()?)?.build()?;
    LogicalPlanBuilder::from(table)
        .union(ours)?
        .alias(TableReference::partial("information_schema", name))?
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
