//! Plans the body of a template in a scope that has only its declared inputs.
//!
//! The body is planned in a private session whose only tables are the inputs, as views. Thus no table of the user can
//! shadow an input or a CTE. Calls inside the body are planned by a planner of that private session.

use super::from_items::FromItems;
use super::planner::FunctionPlanner;
use super::template::Template;
use super::with_functions;
use crate::options::NeardupOptions;
use crate::resources::{has_limit, is_remote};
use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, MemoryCatalogProvider, MemoryCatalogProviderList,
    MemorySchemaProvider,
};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use datafusion::datasource::ViewTable;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast;
use futures::FutureExt;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Maximum nesting depth of templates that call templates.
const MAX_DEPTH: usize = 8;

/// Plans the body of a template over its inputs.
pub(super) fn expand(
    template: Template,
    inputs: Vec<(&'static str, LogicalPlan)>,
    values: &BTreeMap<String, ast::Expr>,
    config: &ConfigOptions,
    depth: usize,
) -> Result<LogicalPlan> {
    if depth >= MAX_DEPTH {
        return plan_err!("template {}: nested deeper than {MAX_DEPTH}", template.name);
    }
    let statement = template.statement(values)?;
    let private = private_session(config, depth + 1)?;
    for (name, plan) in inputs {
        private.register_table(name, Arc::new(ViewTable::new(plan, None)))?;
    }
    private
        .state()
        .statement_to_plan(Statement::Statement(Box::new(statement)))
        .now_or_never()
        .ok_or_else(|| {
            plan_datafusion_err!(
                "template {}: planning did not complete synchronously",
                template.name
            )
        })?
}

/// A session with the functions of neardup, an empty catalogue and default settings, but for those that choose templates.
fn private_session(config: &ConfigOptions, depth: usize) -> Result<SessionContext> {
    static WITH_FUNCTIONS: LazyLock<SessionState> = LazyLock::new(|| {
        let builder = SessionStateBuilder::new().with_default_features();
        with_functions(builder).build()
    });
    let catalog = MemoryCatalogProvider::new();
    catalog.register_schema("public", Arc::new(MemorySchemaProvider::new()))?;
    let catalogs: Arc<dyn CatalogProviderList> = Arc::new(MemoryCatalogProviderList::new());
    catalogs.register_catalog("datafusion".to_owned(), Arc::new(catalog));
    let mut own = SessionConfig::new()
        .with_target_partitions(config.execution.target_partitions)
        .with_option_extension(NeardupOptions::default());
    // Whether there is a memory limit, for the choice of templates that are called by templates. A cluster may compute a
    // relation again for each part of a query that reads it, and those under a limit read theirs many times.
    own.options_mut().optimizer.prefer_hash_join = is_remote(config) || !has_limit(config);
    // The option would also remove sorts of inputs that were optimized, in which a sort may have the limit of its
    // query.
    let parser = &mut own.options_mut().sql_parser;
    parser.enable_subquery_sort_elimination = false;
    let state = SessionStateBuilder::new_from_existing(WITH_FUNCTIONS.clone())
        .with_config(own)
        .with_catalog_list(Arc::clone(&catalogs))
        .with_relation_planners(vec![
            Arc::new(FromItems),
            Arc::new(FunctionPlanner::new(catalogs, depth)),
        ])
        .build();
    Ok(SessionContext::new_with_state(state))
}
