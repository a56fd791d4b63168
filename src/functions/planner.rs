//! The relation planner: from `name(relation, argument => value)` in `FROM` to a plan.
//!
//! ```text
//! TableFactor ── relations ──> input plans ─┐
//!             └─ arguments ──> values ──────┴─> resolve ──> template + literals ──> plan
//! ```

use super::arguments::{Call, Given};
use super::deferred;
use super::expand;
use super::fixed;
use super::reader::{self, Interpreter, Value};
use super::relations;
use super::routines;
use super::{Expansion, TableFunction};
use crate::operators::shared_rows::{Purpose, SharedRows};
use crate::resources::has_limit;
use datafusion::catalog::CatalogProviderList;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result, ScalarValue, plan_err};
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::sql::sqlparser::ast::{
    self, FunctionArg, Ident, ObjectName, ObjectNamePart, TableFactor,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Plans the table functions of the registry.
#[derive(Debug)]
pub(crate) struct FunctionPlanner {
    /// The catalogs of the session, whose tables a call may name.
    catalogs: Arc<dyn CatalogProviderList>,
    /// The number of templates in which the planned calls are nested.
    depth: usize,
}

impl FunctionPlanner {
    /// A planner of calls over the tables of these catalogs.
    pub(crate) fn new(catalogs: Arc<dyn CatalogProviderList>, depth: usize) -> Self {
        Self { catalogs, depth }
    }

    fn plan(
        &self,
        function: &'static TableFunction,
        arguments: &[FunctionArg],
        context: &mut dyn RelationPlannerContext,
    ) -> Result<LogicalPlan> {
        let read = reader::read(
            function,
            arguments,
            &mut InSession {
                planner: self,
                context,
            },
        )?;
        let config = context.context_provider().options();
        match read.pending.is_empty() {
            true => expand_call(function, read.relations, read.given, config, self.depth),
            false => deferred::plan(
                function,
                read.relations,
                read.given,
                read.pending,
                config,
                self.depth,
            ),
        }
    }
}

/// Interprets arguments by the tables and rules of a session.
struct InSession<'a> {
    planner: &'a FunctionPlanner,
    context: &'a mut dyn RelationPlannerContext,
}

impl Interpreter for InSession<'_> {
    type Relation = LogicalPlan;

    fn relation(
        &mut self,
        function: &'static TableFunction,
        expr: &ast::Expr,
    ) -> Result<LogicalPlan> {
        let catalogs = &self.planner.catalogs;
        let plan = relations::plan(function.name, expr.clone(), catalogs, self.context)?;
        if function.once {
            return Ok(SharedRows::plan(plan, Purpose::NotDeterministic));
        }
        let config = self.context.context_provider().options();
        self.planner.argument(plan, config)
    }

    fn normalized(&self, name: &Ident) -> String {
        self.context.normalize_ident(name.clone())
    }

    fn value(
        &mut self,
        function: &'static TableFunction,
        name: &str,
        expr: &ast::Expr,
    ) -> Result<Value> {
        let planned = self.context.sql_to_expr(expr.clone(), &DFSchema::empty())?;
        if planned.exists(|expr| Ok(matches!(expr, Expr::Placeholder(_))))? {
            return Ok(Value::Pending(planned));
        }
        Ok(Value::Known(constant(function.name, name, planned)?))
    }
}

impl FunctionPlanner {
    /// Plans `information_schema.routines` and `.parameters`, to which our functions are added, and a file or directory
    /// in single quotes without a slash and an extension, unless a table or CTE has that name. `None` for other
    /// relations.
    fn plan_table(
        &self,
        relation: &TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<Option<PlannedRelation>> {
        let TableFactor::Table {
            name,
            alias,
            args: None,
            ..
        } = relation
        else {
            return Ok(None);
        };
        let parts = name.0.iter().filter_map(ObjectNamePart::as_ident);
        let plan = match parts.collect::<Vec<_>>().as_slice() {
            [schema, table]
                if schema.quote_style.is_none()
                    && table.quote_style.is_none()
                    && schema.value.eq_ignore_ascii_case("information_schema")
                    && (table.value.eq_ignore_ascii_case("routines")
                        || table.value.eq_ignore_ascii_case("parameters")) =>
            {
                let table = table.value.to_lowercase();
                let plan = context.plan(quoted(relation, &["information_schema", &table]))?;
                let config = context.context_provider().options();
                Some(match table.as_str() {
                    "routines" => routines::with_table_functions(plan, config)?,
                    _ => routines::with_our_parameters(plan, config)?,
                })
            }
            [file] if file.quote_style == Some('\'') && relations::is_bare(&file.value) => {
                match context.plan(quoted(relation, &[&file.value])) {
                    Ok(plan) => Some(plan),
                    Err(_) => relations::bare_file("FROM", &file.value, &self.catalogs, context)?,
                }
            }
            _ => None,
        };
        Ok(plan.map(|plan| PlannedRelation::new(plan, alias.clone())))
    }

    /// A relation argument as a plan that gives every reader the same rows, of the types that it has.
    fn argument(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        // In a template, relations read the arguments of the outer call, which were fixed already.
        if self.depth > 0 {
            return Ok(plan);
        }
        // A union of two types of numbers has the type of its first input until it is coerced.
        let plan = TypeCoercion::new().analyze(plan, config)?;
        match fixed::is_deterministic(&plan)? {
            true => Ok(plan),
            false => Ok(SharedRows::plan(plan, Purpose::NotDeterministic)),
        }
    }
}

/// Plans a call whose arguments are known.
pub(super) fn expand_call(
    function: &'static TableFunction,
    relations: Vec<LogicalPlan>,
    given: BTreeMap<String, Given>,
    config: &ConfigOptions,
    depth: usize,
) -> Result<LogicalPlan> {
    let parameters = &function.template.header()?.parameters;
    // Options are defaults for users, not for the templates and jobs that call building blocks.
    let options = function.public.then_some(config);
    let mut call = Call::new(function.name, parameters, relations, given, options)?;
    call.has_limit = has_limit(config);
    match (function.resolve)(&call)? {
        Expansion::Plan(plan) => Ok(plan),
        Expansion::Template {
            template,
            inputs,
            values,
            output,
        } => {
            let inputs = match function.shares {
                true => inputs
                    .into_iter()
                    .map(|(name, plan)| Ok((name, shared(plan)?)))
                    .collect::<Result<_>>()?,
                false => inputs,
            };
            let plan = expand::expand(template, inputs, &values, config, depth)?;
            match output {
                Some(columns) => LogicalPlanBuilder::from(plan).project(columns)?.build(),
                None => Ok(plan),
            }
        }
    }
}

/// The input of a template, computed once if it is more than a scan of a table.
fn shared(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut takes_long = false;
    plan.apply(|node| {
        if SharedRows::of(node).is_some() {
            return Ok(TreeNodeRecursion::Jump);
        }
        takes_long |= matches!(
            node,
            LogicalPlan::Aggregate(_)
                | LogicalPlan::Distinct(_)
                | LogicalPlan::Extension(_)
                | LogicalPlan::Join(_)
                | LogicalPlan::Sort(_)
                | LogicalPlan::Unnest(_)
                | LogicalPlan::Window(_)
        );
        Ok(match takes_long {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    })?;
    Ok(match takes_long {
        true => SharedRows::plan(plan, Purpose::Expensive),
        false => plan,
    })
}

impl RelationPlanner for FunctionPlanner {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        if let Some(planned) = self.plan_table(&relation, context)? {
            return Ok(RelationPlanning::Planned(Box::new(planned)));
        }
        let TableFactor::Table {
            name,
            alias,
            args: Some(arguments),
            ..
        } = &relation
        else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let Some(function) = super::find(&name.to_string().to_lowercase()) else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let plan = self.plan(function, &arguments.args, context)?;
        let plan = LogicalPlanBuilder::from(plan)
            .alias(function.name)?
            .build()?;
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(
            plan,
            alias.clone(),
        ))))
    }
}

/// The table in double quotes, as a name that [`FunctionPlanner::plan_table`] leaves to the engine.
fn quoted(relation: &TableFactor, names: &[&str]) -> TableFactor {
    let mut relation = relation.clone();
    if let TableFactor::Table { name, alias, .. } = &mut relation {
        let names = names.iter().map(|name| Ident::with_quote('"', *name));
        *name = ObjectName(names.map(ObjectNamePart::Identifier).collect());
        *alias = None;
    }
    relation
}

/// The value of an expression without columns.
pub(super) fn constant(function: &str, name: &str, expr: Expr) -> Result<ScalarValue> {
    let schema = Arc::new(DFSchema::empty());
    let simplifier = ExprSimplifier::new(SimplifyContext::builder().with_schema(schema).build());
    // 2.0 / 3 is a division of numbers of two types until it is coerced.
    let expr = simplifier.coerce(expr, &DFSchema::empty())?;
    match simplifier.simplify(expr)? {
        Expr::Literal(value, _) => Ok(value),
        Expr::Negative(inner) => match *inner {
            Expr::Literal(value, _) => value.arithmetic_negate(),
            other => plan_err!("{function}: {name} must be a constant, found -{other}"),
        },
        Expr::Placeholder(placeholder) => plan_err!(
            "{function}: no value is bound to {} for {name}",
            placeholder.id
        ),
        other => plan_err!("{function}: {name} must be a constant, found {other}"),
    }
}
