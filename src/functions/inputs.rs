//! Relation arguments as the inputs of templates, with fixed column names.

use super::Value;
use super::arguments::Call;
use super::columns::{data_type, id_column, text_column, texts};
use super::groups::Groups;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::functions::string::expr_fn::{concat, octet_length};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, lit};

/// The documents of a call as one relation `side, id, text, group_value`: side 0 for the first
/// relation, 1 for the second.
pub(super) fn documents(call: &Call) -> Result<LogicalPlan> {
    rows_of(call, "text", |index, plan, _| {
        texts(call, plan, &argument(call, "text", index))
    })
}

/// The rows of a call as one relation `side, id, <alias>, group_value`. `item` converts the column that `parameter` names
/// to the column `alias`.
pub(super) fn rows(
    call: &Call,
    parameter: &str,
    alias: &str,
    item: fn(&Call, &LogicalPlan, &str, &Expr) -> Result<Expr>,
) -> Result<LogicalPlan> {
    rows_of(call, alias, |index, plan, id| {
        let names = argument(call, parameter, index);
        item(call, plan, names.first().map_or("", String::as_str), id)
    })
}

/// The records of a call as one relation `side, id, text, group_value`. The text holds the columns of `fields`: each after
/// its length in bytes and a colon; NULL is empty.
pub(super) fn records(call: &Call) -> Result<LogicalPlan> {
    rows_of(call, "text", |index, plan, _| {
        let mut parts = Vec::new();
        for name in argument(call, "fields", index) {
            let text = cast(text_column(call, plan, &name)?, DataType::Utf8View);
            let text = coalesce(vec![text, cast(lit(""), DataType::Utf8View)]);
            parts.push(cast(octet_length(text.clone()), DataType::Utf8View));
            parts.push(lit(":"));
            parts.push(text);
        }
        Ok(cast(concat(parts), DataType::Utf8View))
    })
}

/// The columns that a parameter names for a relation of a call, by its number: for the second one those of the parameter
/// with `_b`, if it is given.
fn argument(call: &Call, name: &str, index: usize) -> Vec<String> {
    match call.get(&format!("{name}_b")) {
        Some(Value::Columns(second)) if index == 1 => second.clone(),
        _ => match call.get(name) {
            Some(Value::Columns(names)) => names.clone(),
            _ => vec![name.trim_end_matches("_column").to_owned()],
        },
    }
}

/// The rows of a call as one relation `side, id, <alias>, group_value`. `item` gives the expression of `alias` for a
/// relation, by its number, plan and id.
fn rows_of(
    call: &Call,
    alias: &str,
    item: impl Fn(usize, &LogicalPlan, &Expr) -> Result<Expr>,
) -> Result<LogicalPlan> {
    let id_type = joined_id_type(&id_types(call)?);
    let groups = Groups::of(call)?.values(call)?;
    let side = |index: usize| -> Result<LogicalPlan> {
        let plan = call.relations[index].clone();
        let id = argument(call, "id", index);
        let id = id_column(call, &plan, id.first().map_or("id", String::as_str))?;
        let id = match data_type(&plan, &id)? == id_type {
            true => id,
            false => cast(id, id_type.clone()),
        };
        let item = item(index, &plan, &id)?;
        LogicalPlanBuilder::from(plan)
            .project(vec![
                lit(index as i8).alias("side"),
                id.alias("id"),
                item.alias(alias),
                groups[index].clone().alias("group_value"),
            ])?
            .build()
    };
    match call.relations.len() {
        1 => side(0),
        _ => LogicalPlanBuilder::from(side(0)?).union(side(1)?)?.build(),
    }
}

/// The type of the id column of each relation.
pub(super) fn id_types(call: &Call) -> Result<Vec<DataType>> {
    let names = ["id", "id_b"];
    call.relations
        .iter()
        .zip(names)
        .map(|(plan, name)| {
            let name = call.column(name).or(call.column("id")).unwrap_or("id");
            data_type(plan, &id_column(call, plan, name)?)
        })
        .collect()
}

/// The type in which ids of several types are compared: integers as integers, others as texts. It does not hold all
/// values of UInt64 if there are signed integers: see [`signed_id`].
pub(super) fn common_id_type(types: &[DataType]) -> DataType {
    match types {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.clone(),
        all if all.iter().all(DataType::is_unsigned_integer) => DataType::UInt64,
        all if all.iter().all(DataType::is_integer) => DataType::Int64,
        _ => DataType::Utf8View,
    }
}

/// The type in which ids of several types are compared if it need not be that of a result. It represents all of them
/// without loss.
pub(super) fn joined_id_type(types: &[DataType]) -> DataType {
    let is_wide = |id: &DataType| *id == DataType::UInt64;
    match common_id_type(types) {
        DataType::Int64 if types.iter().any(is_wide) => DataType::Utf8View,
        id_type => id_type,
    }
}
