//! Prepared statements. Their values are substituted into the statement before it is planned, so that `EXECUTE`
//! returns the rows of the statement with literals.
//!
//! The engine (DataFusion 55) gives a parameter without a type that of the column beside it, and cuts the value to it
//! before types are coerced: `id = $1` with 1.5 finds the row 1. It also optimizes the statement before types are
//! coerced, where a union of integers and fractions loses the fractions, and reads tables as they were at `PREPARE`.

use datafusion::common::{DFSchema, DataFusionError, Result, exec_err, internal_err, plan_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Execute, Expr as Planned, LogicalPlan, LogicalPlanBuilder};
use datafusion::logical_expr::{Prepare, Statement as PlannedStatement};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    CastKind, DataType, Expr, Statement as SqlStatement, Value, ValueWithSpan, VisitMut, VisitorMut,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The prepared statements of a session by their names. It is an extension of the session's configuration.
#[derive(Debug, Default)]
pub(crate) struct PreparedStatements(Mutex<BTreeMap<String, Prepared>>);

#[derive(Debug, Clone)]
struct Prepared {
    statement: SqlStatement,
    /// The types that `PREPARE` names; none if it names none.
    types: Vec<DataType>,
    /// The number of parameters: `$1` to `$n`.
    parameters: usize,
}

impl PreparedStatements {
    fn by_name(&self) -> MutexGuard<'_, BTreeMap<String, Prepared>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plans a statement that a session was given.
    pub(super) async fn plan(
        &self,
        state: &SessionState,
        statement: Statement,
    ) -> Result<LogicalPlan> {
        let statement = match statement {
            Statement::Explain(mut explain) => {
                *explain.statement = self.bound(state, *explain.statement).await?;
                Statement::Explain(explain)
            }
            statement => self.bound(state, statement).await?,
        };
        if let Statement::Statement(sql) = &statement
            && let SqlStatement::Prepare {
                name,
                data_types,
                statement: inner,
            } = sql.as_ref()
        {
            let prepared = Prepared::new(inner, data_types)?;
            prepared.check(state, statement.clone()).await?;
            let ends = SqlStatement::Deallocate {
                name: name.clone(),
                prepare: true,
            };
            let ends = Statement::Statement(Box::new(ends));
            return match state.statement_to_plan(ends).await? {
                LogicalPlan::Statement(PlannedStatement::Deallocate(plan)) => {
                    self.prepare(plan.name, prepared)
                }
                other => internal_err!("a plan of DEALLOCATE, not {}", other.display()),
            };
        }
        let plan = state.statement_to_plan(statement).await?;
        if let LogicalPlan::Statement(PlannedStatement::Deallocate(plan)) = &plan {
            self.by_name().remove(&plan.name);
        }
        Ok(plan)
    }

    /// `EXECUTE` as the prepared statement with its values; another statement as it is.
    async fn bound(&self, state: &SessionState, statement: Statement) -> Result<Statement> {
        let Statement::Statement(sql) = &statement else {
            return Ok(statement);
        };
        let SqlStatement::Execute { parameters, .. } = sql.as_ref() else {
            return Ok(statement);
        };
        let plan = state.statement_to_plan(statement.clone()).await?;
        let LogicalPlan::Statement(PlannedStatement::Execute(plan)) = plan else {
            return Ok(statement);
        };
        let prepared = self.by_name().get(&plan.name).cloned();
        Ok(match prepared {
            Some(prepared) => {
                let bound = prepared.bind(state, &plan, parameters.clone())?;
                Statement::Statement(Box::new(bound))
            }
            None => return exec_err!("Prepared statement '{}' does not exist", plan.name),
        })
    }

    /// Keeps a statement. The engine keeps its name.
    fn prepare(&self, name: String, prepared: Prepared) -> Result<LogicalPlan> {
        let mut by_name = self.by_name();
        if by_name.contains_key(&name) {
            return exec_err!("Prepared statement '{name}' already exists");
        }
        by_name.insert(name.clone(), prepared);
        Ok(LogicalPlan::Statement(PlannedStatement::Prepare(Prepare {
            name,
            fields: vec![],
            input: Arc::new(LogicalPlanBuilder::empty(false).build()?),
        })))
    }
}

impl Prepared {
    fn new(statement: &SqlStatement, types: &[DataType]) -> Result<Self> {
        let innermost = match statement {
            SqlStatement::Explain { statement, .. } => statement,
            statement => statement,
        };
        if let SqlStatement::Prepare { .. }
        | SqlStatement::Execute { .. }
        | SqlStatement::Deallocate { .. } = innermost
        {
            return plan_err!(
                "PREPARE of a statement on prepared statements is not supported: {statement}"
            );
        }
        if matches!(innermost, SqlStatement::Copy { .. }) {
            return plan_err!("PREPARE of COPY is not supported: {statement}");
        }
        let mut statement = statement.clone();
        let mut names = Names::default();
        if let ControlFlow::Break(error) = statement.visit(&mut names) {
            return Err(error);
        }
        let parameters = names.0.len();
        if names.0.last().is_some_and(|&last| last != parameters) {
            let missing = (1..).find(|number| !names.0.contains(number)).unwrap_or(1);
            return plan_err!(
                "PREPARE: the statement has ${} and no ${missing}",
                names.0.last().unwrap_or(&0)
            );
        }
        if !types.is_empty() && types.len() != parameters {
            return plan_err!(
                "PREPARE names the types of {}, and the statement has {}",
                count(types.len()),
                count(parameters)
            );
        }
        Ok(Self {
            statement,
            types: types.to_vec(),
            parameters,
        })
    }

    /// Finds faults of the statement that do not depend on values. The engine plans parameters in few positions, and
    /// gives each a type; `prepare` is the statement as it was given. If it cannot be planned so, it is planned with
    /// some values instead: an error that is the same for all of them is a fault of the statement.
    async fn check(&self, state: &SessionState, prepare: Statement) -> Result<()> {
        let Err(error) = state.statement_to_plan(prepare).await else {
            return Ok(());
        };
        if self.parameters == 0 {
            return Err(error);
        }
        let text = error.to_string();
        let values = [
            Value::Null,
            Value::Number("1".to_owned(), false),
            Value::SingleQuotedString("a".to_owned()),
        ];
        for value in values {
            let statement = self.with(vec![Expr::value(value); self.parameters])?;
            let statement = Statement::Statement(Box::new(statement));
            match state.statement_to_plan(statement).await {
                Err(other) if other.to_string() == text => {}
                _ => return Ok(()),
            }
        }
        Err(error)
    }

    /// The statement with values in place of its parameters.
    fn bind(
        &self,
        state: &SessionState,
        plan: &Execute,
        values: Vec<Expr>,
    ) -> Result<SqlStatement> {
        let name = &plan.name;
        if values.len() != self.parameters || plan.parameters.len() != self.parameters {
            return exec_err!(
                "prepared statement '{name}' has {}, and EXECUTE gives {}",
                count(self.parameters),
                match values.len() {
                    1 => "1 value".to_owned(),
                    given => format!("{given} values"),
                }
            );
        }
        let context = SimplifyContext::builder()
            .with_config_options(Arc::clone(state.config_options()))
            .with_query_execution_start_time(state.execution_props().query_execution_start_time)
            .build();
        let simplifier = ExprSimplifier::new(context);
        for (index, value) in plan.parameters.iter().enumerate() {
            let coerced = simplifier.coerce(value.clone(), &DFSchema::empty())?;
            if !matches!(simplifier.simplify(coerced)?, Planned::Literal(..)) {
                return exec_err!(
                    "EXECUTE {name}: the value of ${} is not a constant: {value}",
                    index + 1
                );
            }
        }
        self.with(values)
    }

    fn with(&self, values: Vec<Expr>) -> Result<SqlStatement> {
        let mut types = self.types.iter();
        let values = values.into_iter().map(|value| match types.next() {
            Some(data_type) => Expr::Cast {
                kind: CastKind::Cast,
                expr: Box::new(value),
                data_type: data_type.clone(),
                array: false,
                format: None,
            },
            // In parentheses, also a number: without them `ORDER BY 2` is the second column.
            None => Expr::Nested(Box::new(value)),
        });
        let mut statement = self.statement.clone();
        match statement.visit(&mut Values(values.collect())) {
            ControlFlow::Continue(()) => Ok(statement),
            ControlFlow::Break(error) => Err(error),
        }
    }
}

fn count(parameters: usize) -> String {
    match parameters {
        1 => "1 parameter".to_owned(),
        _ => format!("{parameters} parameters"),
    }
}

/// The number in the name of a parameter.
fn number(name: &str) -> Result<usize> {
    match name.strip_prefix('$').map(str::parse) {
        Some(Ok(number)) if number > 0 => Ok(number),
        _ => plan_err!("parameters are named $1, $2 and so on, not {name}"),
    }
}

/// Collects the numbers of the parameters.
#[derive(Default)]
struct Names(BTreeSet<usize>);

impl VisitorMut for Names {
    type Break = DataFusionError;

    fn post_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<DataFusionError> {
        if let Value::Placeholder(name) = &value.value {
            match number(name) {
                Ok(number) => self.0.insert(number),
                Err(error) => return ControlFlow::Break(error),
            };
        }
        ControlFlow::Continue(())
    }
}

/// Puts values in place of parameters.
struct Values(Vec<Expr>);

impl VisitorMut for Values {
    type Break = DataFusionError;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<DataFusionError> {
        if let Expr::Value(value) = expr
            && let Value::Placeholder(name) = &value.value
        {
            match number(name) {
                Ok(number) => {
                    if let Some(value) = self.0.get(number - 1) {
                        *expr = value.clone();
                    }
                }
                Err(error) => return ControlFlow::Break(error),
            }
        }
        ControlFlow::Continue(())
    }
}
