//! The groups of rows: `across` forms pairs of rows whose values differ, `within` pairs of rows whose values agree.

use super::Value;
use super::arguments::Call;
use super::columns::{column, column_of, data_type, input_name};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, plan_err};
use datafusion::functions::math::expr_fn::nanvl;
use datafusion::functions::string::expr_fn::{concat, octet_length};
use datafusion::logical_expr::type_coercion::binary::comparison_coercion;
use datafusion::logical_expr::{Expr, LogicalPlan, cast, lit, when};

/// Which rows of a call may be in a pair, by the arguments `across` and `within`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Groups<'a> {
    Any,
    /// Rows whose values in this column differ.
    Differ(&'a str),
    /// Rows that agree in these columns.
    Agree(&'a [String]),
}

impl<'a> Groups<'a> {
    /// The groups of a call.
    ///
    /// # Errors
    /// If both arguments are given, or `within` is empty.
    pub(super) fn of(call: &'a Call) -> Result<Self> {
        let within = call.columns("within");
        if call.is_given("within") && within.is_empty() {
            return plan_err!("{}: within must name a column", call.function);
        }
        match (call.column("across"), within) {
            (None, []) => Ok(Self::Any),
            (Some(name), []) => Ok(Self::Differ(name)),
            (None, names) => Ok(Self::Agree(names)),
            (Some(_), _) => plan_err!("{}: give either across or within, not both", call.function),
        }
    }

    /// The argument of the building blocks.
    pub(super) fn rule(self) -> (&'static str, Value) {
        let rule = match self {
            Self::Any => "any",
            Self::Differ(_) => "differ",
            Self::Agree(_) => "agree",
        };
        ("group_rule", Value::Text(rule.to_owned()))
    }

    /// The column `group_value` of each relation of the call.
    ///
    /// # Errors
    /// If a column is missing, or its values cannot be compared.
    pub(super) fn values(self, call: &Call) -> Result<Vec<Expr>> {
        match self {
            Self::Any => Ok(vec![lit(0_i8); call.relations.len()]),
            Self::Differ(name) => across(call, name),
            Self::Agree(names) => names_of_groups(call.function, &call.relations, names),
        }
    }
}

/// The values of one column.
fn across(call: &Call, name: &str) -> Result<Vec<Expr>> {
    let mut found = Vec::new();
    for plan in &call.relations {
        let expr = column(call, plan, name)?;
        found.push((data_type(plan, &expr)?, expr));
    }
    let has_floats = found.iter().any(|(data_type, _)| data_type.is_floating());
    let values = found.into_iter();
    let values = values.map(
        |(data_type, expr)| match has_floats && data_type.is_numeric() {
            true => cast(comparable(expr), DataType::Utf8View),
            false => expr,
        },
    );
    Ok(values.collect())
}

/// Normalises -0.0 and NaN, so that numbers of equal groups compare equal.
fn comparable(number: Expr) -> Expr {
    nanvl(cast(number, DataType::Float64) + lit(0.0), lit(f64::NAN))
}

/// For each relation a text that is equal for rows that agree in all of the columns, and NULL if one of them is NULL.
pub(crate) fn names_of_groups(
    function: &str,
    relations: &[LogicalPlan],
    names: &[String],
) -> Result<Vec<Expr>> {
    let mut columns: Vec<Vec<Expr>> = vec![vec![]; relations.len()];
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return plan_err!("{function}: within names the column '{name}' twice");
        }
        let mut found = Vec::new();
        for plan in relations {
            let expr = column_of(function, input_name(relations, plan), plan, name)?;
            let (expr, data_type) = match data_type(plan, &expr)? {
                DataType::Dictionary(_, value) => (cast(expr, (*value).clone()), *value),
                other => (expr, other),
            };
            found.push((data_type, expr));
        }
        let common = common_type(function, name, found.iter().map(|(found, _)| found))?;
        for ((_, expr), columns) in found.into_iter().zip(&mut columns) {
            let value = match common.is_floating() {
                true => comparable(expr),
                false => cast(expr, common.clone()),
            };
            columns.push(cast(value, DataType::Utf8View));
        }
    }
    columns.into_iter().map(joined).collect()
}

/// The type in which the values of a column of several relations are compared.
fn common_type<'a>(
    function: &str,
    name: &str,
    mut types: impl Iterator<Item = &'a DataType>,
) -> Result<DataType> {
    let mut common = types.next().cloned().unwrap_or(DataType::Null);
    for other in types {
        let kind = |data_type: &DataType| (data_type.is_string(), data_type.is_numeric());
        let are_alike = kind(&common) == kind(other);
        let are_comparable = are_alike || common.is_null() || other.is_null();
        match comparison_coercion(&common, other).filter(|_| are_comparable) {
            Some(coerced) => common = coerced,
            None => {
                return plan_err!(
                    "{function}: the column '{name}' of within holds {common} in the first relation and {other} in the second, which cannot be compared; cast one of them"
                );
            }
        }
    }
    let has_name = match &common {
        DataType::Null | DataType::Boolean => true,
        other => other.is_string() || other.is_numeric() || other.is_temporal(),
    };
    match has_name {
        true => Ok(common),
        false => plan_err!(
            "{function}: the columns of within must hold texts, numbers, dates or truth values, but '{name}' holds {common}"
        ),
    }
}

/// One text of the values of all columns; each is preceded by its length, so that no two lists of values have one text.
fn joined(mut columns: Vec<Expr>) -> Result<Expr> {
    if columns.len() == 1 {
        return Ok(columns.remove(0));
    }
    let mut complete = lit(true);
    let mut parts = Vec::new();
    for column in columns {
        complete = complete.and(column.clone().is_not_null());
        parts.push(cast(octet_length(column.clone()), DataType::Utf8));
        parts.push(lit(":"));
        parts.push(column);
    }
    when(complete, concat(parts)).end()
}
