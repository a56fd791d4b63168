//! Relation arguments: plans a name, a quoted path or a subquery, and projects plans to inputs with fixed column names.

use super::Value;
use super::arguments::Call;
use super::groups::Groups;
use crate::near_names;
use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::information_schema::{INFORMATION_SCHEMA, InformationSchemaProvider};
use datafusion::catalog::{CatalogProviderList, SchemaProvider, TableProvider};
use datafusion::common::{
    Column, DFSchema, Result, ScalarValue, TableReference, plan_datafusion_err, plan_err,
};
use datafusion::datasource::provider_as_source;
use datafusion::functions::core::expr_fn::{arrow_cast, coalesce};
use datafusion::functions::string::expr_fn::{concat, concat_ws, octet_length};
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, lit, when};
use datafusion::sql::sqlparser::ast::{self, ObjectName, ObjectNamePart, TableFactor};
use futures::FutureExt;
use std::path::Path;
use std::sync::Arc;

/// Plans a relation argument.
pub(super) fn plan(
    function: &str,
    argument: ast::Expr,
    catalogs: &Arc<dyn CatalogProviderList>,
    context: &mut dyn RelationPlannerContext,
) -> Result<LogicalPlan> {
    let parts = match argument {
        ast::Expr::Identifier(ident) => vec![ident],
        ast::Expr::CompoundIdentifier(parts) => parts,
        ast::Expr::Subquery(subquery) => {
            return context.plan(TableFactor::Derived {
                lateral: false,
                subquery,
                alias: None,
                sample: None,
            });
        }
        ast::Expr::Value(value) => match value.value.clone().into_string() {
            Some(text) => {
                let schema = schema_of(
                    function,
                    TableReference::bare(text.as_str()),
                    catalogs,
                    context,
                )?;
                return by_text(function, &text, schema.as_ref());
            }
            None => return plan_err!("{function}: expected a relation, found {value}"),
        },
        ast::Expr::BinaryOp {
            left,
            op: ast::BinaryOperator::Eq,
            right,
        } => {
            return plan_err!("{function}: a parameter is given with =>: {left} => {right}");
        }
        other => {
            return plan_err!(
                "{function}: expected a relation (a table, a quoted path, or ((SELECT …)) in two pairs of parentheses), found {other}"
            );
        }
    };
    let name = ObjectName(parts.into_iter().map(ObjectNamePart::Identifier).collect());
    let reference = context.object_name_to_table_reference(name.clone())?;
    let factor = TableFactor::Table {
        name,
        alias: None,
        args: None,
        with_hints: vec![],
        version: None,
        with_ordinality: false,
        partitions: vec![],
        json_path: None,
        sample: None,
        index_hints: vec![],
    };
    // CTEs of this scope and tables that were resolved before planning have precedence.
    match context.plan(factor) {
        Ok(plan) => Ok(plan),
        Err(_) => match schema_of(function, reference.clone(), catalogs, context)
            .map_or(Ok(None), |schema| {
                by_name(function, reference.clone(), schema.as_ref())
            })? {
            Some(plan) => Ok(plan),
            None => plan_err!("{function}: table '{reference}' not found"),
        },
    }
}

/// The schema that a table of that name belongs to.
fn schema_of(
    function: &str,
    reference: TableReference,
    catalogs: &Arc<dyn CatalogProviderList>,
    context: &dyn RelationPlannerContext,
) -> Result<Arc<dyn SchemaProvider>> {
    let options = &context.context_provider().options().catalog;
    let reference = reference.resolve(&options.default_catalog, &options.default_schema);
    if options.information_schema && *reference.schema == *INFORMATION_SCHEMA {
        return Ok(Arc::new(InformationSchemaProvider::new(Arc::clone(
            catalogs,
        ))));
    }
    let catalog = catalogs.catalog(&reference.catalog);
    catalog
        .and_then(|catalog| catalog.schema(&reference.schema))
        .ok_or_else(|| {
            plan_datafusion_err!(
                "{function}: there is no schema {}.{}",
                reference.catalog,
                reference.schema
            )
        })
}

fn by_name(
    function: &str,
    reference: TableReference,
    schema: &dyn SchemaProvider,
) -> Result<Option<LogicalPlan>> {
    found(function, reference.table(), schema)?
        .map(|table| LogicalPlanBuilder::scan(reference, provider_as_source(table), None)?.build())
        .transpose()
}

/// A quoted relation: a table of that name, or else files, which the session's catalogue finds.
fn by_text(function: &str, text: &str, schema: &dyn SchemaProvider) -> Result<LogicalPlan> {
    let table = match found(function, text, schema)? {
        None if is_bare(text) && Path::new(text).exists() => {
            found(function, &format!("./{text}"), schema)?
        }
        table => table,
    };
    match table {
        // Under its own name: scans of one name are equal to the engine, which computes one of two equal subqueries.
        Some(table) => {
            let name = TableReference::bare(text);
            LogicalPlanBuilder::scan(name, provider_as_source(table), None)?.build()
        }
        None => plan_err!("{function}: '{text}' is neither a table nor a file"),
    }
}

/// The table of that name in a schema.
fn found(
    function: &str,
    name: &str,
    schema: &dyn SchemaProvider,
) -> Result<Option<Arc<dyn TableProvider>>> {
    wait(async { schema.table(name).await })
        .map_err(|error| plan_datafusion_err!("{function}: {}", error.strip_backtrace()))
}

/// Whether a quoted name may be a file or a table: `./name` and `name.csv` are files only.
pub(super) fn is_bare(name: &str) -> bool {
    !name.contains(['/', '*', '?', '[']) && Path::new(name).extension().is_none()
}

/// The file or directory of a bare name; `None` if there is none.
pub(super) fn bare_file(
    function: &str,
    name: &str,
    catalogs: &Arc<dyn CatalogProviderList>,
    context: &dyn RelationPlannerContext,
) -> Result<Option<LogicalPlan>> {
    if !Path::new(name).exists() {
        return Ok(None);
    }
    let reference = TableReference::bare(name);
    let schema = schema_of(function, reference.clone(), catalogs, context)?;
    let table = found(function, &format!("./{name}"), schema.as_ref())?;
    let scan =
        |table| LogicalPlanBuilder::scan(reference, provider_as_source(table), None)?.build();
    table.map(scan).transpose()
}

/// Waits for a catalogue look-up. A look-up in memory is ready at once. One that reads file metadata runs on its own
/// thread, because planning is not asynchronous.
fn wait<T: Send>(future: impl Future<Output = Result<T>> + Send) -> Result<T> {
    let mut future = std::pin::pin!(future);
    if let Some(ready) = future.as_mut().now_or_never() {
        return ready;
    }
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()?
                    .block_on(future)
            })
            .join()
            .unwrap_or_else(|_| plan_err!("a catalogue look-up failed"))
    })
}

/// The column `name` of a plan.
pub(super) fn column(call: &Call, plan: &LogicalPlan, name: &str) -> Result<Expr> {
    column_of(call.function, plan, name)
}

/// The column `name` of a plan, with the name of the function for the error.
pub(super) fn column_of(function: &str, plan: &LogicalPlan, name: &str) -> Result<Expr> {
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
                "{function}: the input has no column '{name}'{hint}; its columns are: {}",
                names.join(", ")
            )
        }
        _ => plan_err!("{function}: the input has more than one column '{name}'"),
    }
}

pub(super) fn data_type(plan: &LogicalPlan, expr: &Expr) -> Result<DataType> {
    use datafusion::logical_expr::ExprSchemable;
    expr.get_type(plan.schema())
}

/// A text column. Dictionaries are decoded.
pub(super) fn text_column(call: &Call, plan: &LogicalPlan, name: &str) -> Result<Expr> {
    let expr = column(call, plan, name)?;
    match data_type(plan, &expr)? {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(expr),
        DataType::Null => Ok(cast(expr, DataType::Utf8)),
        DataType::Dictionary(_, value) if value.is_string() => Ok(cast(expr, *value)),
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

/// What stands between the texts of two columns: a blank line.
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

/// The documents of a call as one relation `side, id, text, group_value`: side 0 for the first
/// relation, 1 for the second.
pub(super) fn documents(call: &Call) -> Result<LogicalPlan> {
    rows_of(call, "text", |index, plan, _| {
        texts(call, plan, &argument(call, "text", index))
    })
}

/// The rows of a call as one relation `side, id, <alias>, group_value`. `payload` converts the column that `parameter` names
/// to the column `alias`.
pub(super) fn rows(
    call: &Call,
    parameter: &str,
    alias: &str,
    payload: fn(&Call, &LogicalPlan, &str, &Expr) -> Result<Expr>,
) -> Result<LogicalPlan> {
    rows_of(call, alias, |index, plan, id| {
        let names = argument(call, parameter, index);
        payload(call, plan, names.first().map_or("", String::as_str), id)
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

/// The rows of a call as one relation `side, id, <alias>, group_value`. `payload` gives the expression of `alias` for a
/// relation, by its number, plan and id.
fn rows_of(
    call: &Call,
    alias: &str,
    payload: impl Fn(usize, &LogicalPlan, &Expr) -> Result<Expr>,
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
        let payload = payload(index, &plan, &id)?;
        LogicalPlanBuilder::from(plan)
            .project(vec![
                lit(index as i8).alias("side"),
                id.alias("id"),
                payload.alias(alias),
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

/// The last column of a schema, such as the one that a window has just added.
pub(crate) fn last_column(schema: &DFSchema) -> Expr {
    let last = schema.columns().pop();
    last.map_or(lit(ScalarValue::Null), Expr::Column)
}
