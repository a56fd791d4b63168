//! Calls with placeholders such as `$1` in their arguments. They are expanded when the values are bound.
//!
//! The expansion of a call depends on its arguments (for example, the bands depend on the threshold). Therefore a call
//! with placeholders is a single node of the plan until the placeholders are replaced. Its columns must be known
//! before, so placeholders are an error in arguments on which the columns depend.

use super::TableFunction;
use super::arguments::Given;
use super::planner::{constant, expand_call};
use crate::parameters::{Kind, Parameter};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{
    DFSchemaRef, DataFusionError, FunctionalDependencies, Result, ScalarValue, internal_err,
    plan_err,
};
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::optimizer::AnalyzerRule;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A call of which some arguments contain placeholders.
#[derive(Clone)]
struct DeferredCall {
    function: &'static TableFunction,
    relations: Vec<LogicalPlan>,
    given: BTreeMap<String, Given>,
    /// Arguments with placeholders, by name.
    pending: Vec<(String, Expr)>,
    /// The options of the session when the call was planned.
    config: Arc<ConfigOptions>,
    depth: usize,
    schema: DFSchemaRef,
}

/// Plans a call with arguments that are bound later.
///
/// # Errors
/// If the columns of the result depend on one of these arguments, or another argument is wrong.
pub(super) fn plan(
    function: &'static TableFunction,
    relations: Vec<LogicalPlan>,
    given: BTreeMap<String, Given>,
    mut pending: Vec<(String, Expr)>,
    config: &ConfigOptions,
    depth: usize,
) -> Result<LogicalPlan> {
    let header = function.template.header()?;
    let mut known = given.clone();
    for (name, expr) in &mut pending {
        let Some(parameter) = header.parameters.iter().find(|p| p.name == *name) else {
            // The check of the call reports the unknown argument and lists the known ones.
            known.insert(name.clone(), Given::Constant(ScalarValue::Null));
            continue;
        };
        if let Expr::Placeholder(Placeholder { field, id }) = expr {
            let data_type = data_type(&parameter.kind);
            field.get_or_insert_with(|| Arc::new(Field::new(&*id, data_type, true)));
        }
        match (&parameter.kind, parameter.default.is_some()) {
            (Kind::Column | Kind::Columns, _)
            | (Kind::Text | Kind::Language | Kind::Constant, false) => {
                return plan_err!(
                    "{}: {name} must be known while the query is planned, but {expr} is bound later",
                    function.name
                );
            }
            _ => known.extend(placeholder_value(parameter).map(|value| (name.clone(), value))),
        }
    }
    let like = expand_call(function, relations.clone(), known, config, depth)?;
    // Nothing relies on a key of rows that are not known yet.
    let schema = like.schema().as_ref().clone();
    let schema = schema.with_functional_dependencies(FunctionalDependencies::empty())?;
    let node = DeferredCall {
        function,
        relations,
        given,
        pending,
        config: Arc::new(config.clone()),
        depth,
        schema: Arc::new(schema),
    };
    Ok(LogicalPlan::Extension(Extension {
        node: Arc::new(node),
    }))
}

/// The type of a parameter's values, for placeholders without a type.
fn data_type(kind: &Kind) -> DataType {
    match kind {
        Kind::Number(_) => DataType::Float64,
        Kind::Integer(_) => DataType::Int64,
        Kind::Boolean => DataType::Boolean,
        _ => DataType::Utf8,
    }
}

/// Any valid value for a parameter without a default. The plan made with it is used only for its columns.
fn placeholder_value(parameter: &Parameter) -> Option<Given> {
    match (&parameter.kind, &parameter.default) {
        (Kind::Integer(range), None) => Some(Given::Constant(ScalarValue::Int64(Some(
            range.min_integer(),
        )))),
        _ => None,
    }
}

impl DeferredCall {
    fn expand(&self) -> Result<LogicalPlan> {
        let mut given = self.given.clone();
        for (name, expr) in &self.pending {
            let value = constant(self.function.name, name, expr.clone().unalias())?;
            given.insert(name.clone(), Given::Constant(value));
        }
        let relations = self.relations.clone();
        let plan = expand_call(self.function, relations, given, &self.config, self.depth)?;
        if !plan
            .schema()
            .logically_equivalent_names_and_types(&self.schema)
        {
            let names: Vec<&str> = self.pending.iter().map(|(name, _)| name.as_str()).collect();
            return plan_err!(
                "{}: the columns depend on {}, which must be known while the query is planned",
                self.function.name,
                names.join(", ")
            );
        }
        Ok(plan)
    }
}

impl UserDefinedLogicalNodeCore for DeferredCall {
    fn name(&self) -> &str {
        self.function.name
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        self.relations.iter().collect()
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        self.pending.iter().map(|(_, expr)| expr.clone()).collect()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let pending = self.pending.iter();
        let pending: Vec<String> = pending
            .map(|(name, expr)| format!("{name} => {expr}"))
            .collect();
        write!(
            f,
            "DeferredCall: {}({})",
            self.function.name,
            pending.join(", ")
        )
    }

    fn with_exprs_and_inputs(&self, exprs: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        if exprs.len() != self.pending.len() || inputs.len() != self.relations.len() {
            return internal_err!(
                "{}: the node was rebuilt with a different number of arguments or relations",
                self.function.name
            );
        }
        let names = self.pending.iter().map(|(name, _)| name.clone());
        Ok(Self {
            relations: inputs,
            pending: names.zip(exprs).collect(),
            ..self.clone()
        })
    }
}

/// Expands deferred calls, whose arguments are constants by then. It is the first rule of the analyzer, so that all
/// other rules see ordinary operators.
#[derive(Debug)]
pub(crate) struct ExpandDeferredCalls;

impl AnalyzerRule for ExpandDeferredCalls {
    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        let expanded = plan.transform_up_with_subqueries(|plan| {
            let LogicalPlan::Extension(extension) = &plan else {
                return Ok(Transformed::no(plan));
            };
            match extension.node.as_any().downcast_ref::<DeferredCall>() {
                Some(call) => Ok(Transformed::yes(call.expand()?)),
                None => Ok(Transformed::no(plan)),
            }
        })?;
        Ok::<_, DataFusionError>(expanded.data)
    }

    fn name(&self) -> &str {
        "expand_deferred_calls"
    }
}

impl fmt::Debug for DeferredCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_for_explain(f)
    }
}

impl DeferredCall {
    /// The identity of the call, without the session in which it was planned.
    fn key(&self) -> (&str, &[LogicalPlan], String, &[(String, Expr)]) {
        let given = format!("{:?}", self.given);
        (self.function.name, &self.relations, given, &self.pending)
    }
}

impl PartialEq for DeferredCall {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for DeferredCall {}

impl Hash for DeferredCall {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl PartialOrd for DeferredCall {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.key().partial_cmp(&other.key())
    }
}
