//! The columns of relation arguments: their names, types and conversions.

use super::Value;
use super::arguments::Call;
use crate::near_names;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchema, Result, ScalarValue, plan_err};
use datafusion::functions::core::expr_fn::arrow_cast;
use datafusion::functions::string::expr_fn::concat_ws;
use datafusion::logical_expr::{Expr, LogicalPlan, cast, lit, when};

/// All columns of a plan.
pub(super) fn all_columns(plan: &LogicalPlan) -> Vec<Expr> {
    let columns = plan.schema().columns().into_iter();
    columns.map(Expr::Column).collect()
}

/// The column `name` of a plan.
pub(super) fn column(call: &Call, plan: &LogicalPlan, name: &str) -> Result<Expr> {
    column_of(call.function, input_name(&call.relations, plan), plan, name)
}

/// What errors call a plan, one of the relations of a call.
pub(super) fn input_name(relations: &[LogicalPlan], plan: &LogicalPlan) -> &'static str {
    let is_plan = |relation: &LogicalPlan| std::ptr::eq(relation, plan);
    match (relations.len(), relations.iter().position(is_plan)) {
        (2, Some(0)) => "the first relation",
        (2, Some(1)) => "the second relation",
        _ => "the input",
    }
}

/// The column `name` of a plan, with the names of the function and its input for the error.
pub(super) fn column_of(
    function: &str,
    input: &str,
    plan: &LogicalPlan,
    name: &str,
) -> Result<Expr> {
    let schema = plan.schema();
    match schema
        .qualified_fields_with_unqualified_name(name)
        .as_slice()
    {
        [(qualifier, field)] => Ok(Expr::Column(Column::new(qualifier.cloned(), field.name()))),
        [] => {
            let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
            let same = names.iter().find(|other| other.to_lowercase() == name);
            let hint = match (same, near_names::hint(name, names.iter().copied())) {
                _ if name.contains(',') => {
                    let parts: Vec<&str> = name.split(',').map(str::trim).collect();
                    format!(" (several columns are written [{}])", parts.join(", "))
                }
                (Some(other), _) => {
                    format!(" (a name with capitals is written in double quotes: \"{other}\")")
                }
                (None, near) if !near.is_empty() || name != "id" => near,
                _ => " (id => column names another one; (SELECT row_number() OVER (ORDER BY …) AS id, * FROM …) numbers the rows in an order of columns)".to_owned(),
            };
            plan_err!(
                "{function}: {input} has no column '{name}'{hint}; its columns are: {}",
                names.join(", ")
            )
        }
        _ => plan_err!("{function}: {input} has more than one column '{name}'"),
    }
}

pub(super) fn data_type(plan: &LogicalPlan, expr: &Expr) -> Result<DataType> {
    use datafusion::logical_expr::ExprSchemable;
    expr.get_type(plan.schema())
}

/// The type in which values are held in lists and structs: views would refer to the buffers of other rows, and 32-bit
/// offsets end at 2 GiB.
pub(super) fn held_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8 | DataType::Utf8View => DataType::LargeUtf8,
        DataType::Binary | DataType::BinaryView => DataType::LargeBinary,
        other => other.clone(),
    }
}

/// A text column. Dictionaries are decoded.
pub(super) fn text_column(call: &Call, plan: &LogicalPlan, name: &str) -> Result<Expr> {
    let expr = column(call, plan, name)?;
    match data_type(plan, &expr)? {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(expr),
        DataType::Null => Ok(cast(expr, DataType::Utf8)),
        DataType::Dictionary(_, value) if value.is_string() => Ok(cast(expr, *value)),
        DataType::List(of) | DataType::LargeList(of) if of.data_type().is_string() => plan_err!(
            "{}: the column '{name}' must hold texts, but it holds lists of them: array_to_string({name}, ' ') makes a text of a list, UNNEST({name}) a row of each element",
            call.function
        ),
        other => plan_err!(
            "{}: the column '{name}' must hold texts, but it holds {other}",
            call.function
        ),
    }
}

/// The text that is compared: that of a column, or of several columns.
pub(super) fn texts(call: &Call, plan: &LogicalPlan, names: &[String]) -> Result<Expr> {
    let mut found = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return plan_err!("{}: text names the column '{name}' twice", call.function);
        }
        found.push(text_column(call, plan, name)?);
    }
    match found.is_empty() {
        true => plan_err!("{}: text must name a column", call.function),
        false => joined_texts(found),
    }
}

/// The columns that the argument text names.
pub(super) fn text_names(call: &Call) -> Vec<String> {
    match call.get("text") {
        Some(Value::Columns(names)) => names.clone(),
        _ => vec!["text".to_owned()],
    }
}

/// One text of those of several columns, with blank lines between them. NULL is left out; of NULL alone it is NULL.
pub(crate) fn joined_texts(mut texts: Vec<Expr>) -> Result<Expr> {
    if texts.len() == 1 {
        return Ok(texts.remove(0));
    }
    let texts: Vec<Expr> = texts
        .into_iter()
        .map(|text| cast(text, DataType::Utf8View))
        .collect();
    let some = texts.iter().map(|text| text.clone().is_not_null());
    let has_text = some.reduce(Expr::or).unwrap_or_else(|| lit(false));
    let joined = concat_ws(lit(BETWEEN_TEXTS), texts);
    when(has_text, cast(joined, DataType::Utf8View)).end()
}

/// The last column of a schema, such as the one that a window has just added.
pub(crate) fn last_column(schema: &DFSchema) -> Expr {
    let last = schema.columns().pop();
    last.map_or(lit(ScalarValue::Null), Expr::Column)
}

/// The separator of the texts of two columns: a blank line.
const BETWEEN_TEXTS: &str = "\n\n";

/// An id column of any integer or text type. Dictionaries are decoded, and decimals of scale 0 become integers.
pub(super) fn id_column(call: &Call, plan: &LogicalPlan, name: &str) -> Result<Expr> {
    let expr = column(call, plan, name)?;
    match data_type(plan, &expr)? {
        DataType::Null => Ok(cast(expr, DataType::Int64)),
        // The type of a union of signed and unsigned integers.
        DataType::Decimal128(_, 0) => Ok(signed_id(call, expr, name)),
        other if other.is_integer() || other.is_string() => Ok(expr),
        DataType::Dictionary(_, value) if value.is_integer() || value.is_string() => {
            Ok(cast(expr, *value))
        }
        other => plan_err!(
            "{}: the column '{name}' must hold integers or texts to be an id, but it holds {other}",
            call.function
        ),
    }
}

/// Ids as Int64; one outside of its range is an error that names the column.
pub(super) fn signed_id(call: &Call, id: Expr, column: &str) -> Expr {
    let digits = cast(id, DataType::Utf8);
    neardup_udfs::signed_id().call(vec![digits, lit(call.function), lit(column)])
}

/// A column of vectors, converted to packed vectors.
pub(super) fn vector_column(
    call: &Call,
    plan: &LogicalPlan,
    name: &str,
    id: &Expr,
) -> Result<Expr> {
    let expr = column(call, plan, name)?;
    let data_type = data_type(plan, &expr)?;
    let is_list = matches!(
        data_type,
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(_, _)
    );
    if !is_list && !data_type.is_null() {
        return plan_err!(
            "{}: the column '{name}' must hold vectors, that is lists of numbers or of (term, weight), but it holds {data_type}",
            call.function
        );
    }
    let id = cast(id.clone(), DataType::Utf8);
    Ok(neardup_udfs::packed_vector().call(vec![expr, id]))
}

/// A column of bit signatures.
pub(super) fn signature_column(
    call: &Call,
    plan: &LogicalPlan,
    name: &str,
    _: &Expr,
) -> Result<Expr> {
    let expr = column(call, plan, name)?;
    match data_type(plan, &expr)? {
        DataType::FixedSizeBinary(_)
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::Null => Ok(arrow_cast(expr, lit("Binary"))),
        other => plan_err!(
            "{}: the column '{name}' must hold signatures, that is bytes, but it holds {other}",
            call.function
        ),
    }
}

/// A column of sets: lists of hashes or of strings.
pub(super) fn set_column(call: &Call, plan: &LogicalPlan, name: &str, _: &Expr) -> Result<Expr> {
    let expr = column(call, plan, name)?;
    let data_type = data_type(plan, &expr)?;
    let element = match &data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            Some(field.data_type())
        }
        DataType::Null => return Ok(cast(expr, DataType::new_list(DataType::UInt64, true))),
        _ => None,
    };
    match element {
        Some(DataType::Null) => Ok(cast(expr, DataType::new_list(DataType::UInt64, true))),
        // Before the rows of two relations are joined, which would make one type of hashes and texts.
        Some(element) if element.is_integer() || element.is_string() => {
            Ok(neardup_udfs::set_hashes().call(vec![expr]))
        }
        Some(DataType::Dictionary(_, value)) if value.is_string() => {
            Ok(neardup_udfs::set_hashes().call(vec![expr]))
        }
        _ => plan_err!(
            "{}: the column '{name}' must hold lists of hashes or of strings, but it holds {data_type}",
            call.function
        ),
    }
}

/// A column of integers, as Int64.
pub(super) fn integer_column(call: &Call, plan: &LogicalPlan, name: &str) -> Result<Expr> {
    let expr = column(call, plan, name)?;
    match data_type(plan, &expr)? {
        DataType::Int64 => Ok(expr),
        other if other.is_integer() || other.is_null() => Ok(cast(expr, DataType::Int64)),
        other => plan_err!(
            "{}: the column '{name}' must hold integers, but it holds {other}",
            call.function
        ),
    }
}

/// A column of numbers, as Float64.
pub(super) fn number_column(call: &Call, plan: &LogicalPlan, name: &str) -> Result<Expr> {
    let expr = column(call, plan, name)?;
    match data_type(plan, &expr)? {
        DataType::Float64 => Ok(expr),
        other if other.is_numeric() || other.is_null() => Ok(cast(expr, DataType::Float64)),
        other => plan_err!(
            "{}: the column '{name}' must hold numbers, but it holds {other}",
            call.function
        ),
    }
}

/// Whether a plan has a column of that name.
pub(super) fn has_column(plan: &LogicalPlan, name: &str) -> bool {
    let schema = plan.schema();
    !schema
        .qualified_fields_with_unqualified_name(name)
        .is_empty()
}

/// A column of vectors as lists of numbers: of Float32 if it holds Float32, otherwise of Float64.
pub(super) fn numbers_column(call: &Call, plan: &LogicalPlan, name: &str) -> Result<Expr> {
    let expr = column(call, plan, name)?;
    let data_type = data_type(plan, &expr)?;
    let element = match &data_type {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            field.data_type()
        }
        other => other,
    };
    let wanted = match element {
        DataType::Float32 if *element != data_type => DataType::Float32,
        number if number.is_numeric() && *element != data_type => DataType::Float64,
        DataType::Null => DataType::Float64,
        _ => {
            return plan_err!(
                "{}: the column '{name}' must hold lists of numbers, but it holds {data_type}",
                call.function
            );
        }
    };
    let wanted = DataType::new_list(wanted, true);
    match wanted == data_type {
        true => Ok(expr),
        false => Ok(cast(expr, wanted)),
    }
}
