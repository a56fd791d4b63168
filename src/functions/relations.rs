//! Relation arguments: plans a name, a quoted path or a subquery.

use datafusion::catalog::information_schema::{INFORMATION_SCHEMA, InformationSchemaProvider};
use datafusion::catalog::{CatalogProviderList, SchemaProvider, TableProvider};
use datafusion::common::{Result, TableReference, plan_datafusion_err, plan_err};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
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
