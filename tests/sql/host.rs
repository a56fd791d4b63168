//! Two extensions in one session: ours, and one with a query planner that knows nothing of ours.

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::{DFSchemaRef, Result, internal_err, plan_err};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::{
    Expr, Extension, LogicalPlan, UserDefinedLogicalNode, UserDefinedLogicalNodeCore,
};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::sqlparser::ast::{self, FunctionArg, FunctionArgExpr, TableFactor};
use libtest_mimic::{Failed, Trial};
use neardup::NeardupExt;
use std::sync::Arc;

/// Which extension comes first.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    /// The other one's planner replaces ours.
    BeforeAnother,
    /// Ours has the other one's planner within it.
    AfterAnother,
}

impl Order {
    pub const ALL: [Self; 2] = [Self::BeforeAnother, Self::AfterAnother];
}

/// A session with both.
pub fn session_of_host(order: Order) -> Result<SessionContext> {
    let config = SessionConfig::new().with_target_partitions(3);
    let builder = SessionStateBuilder::new()
        .with_config(config.with_information_schema(true))
        .with_default_features();
    let other = |mut builder: SessionStateBuilder| {
        let planners = builder.relation_planners().get_or_insert_default();
        planners.push(Arc::new(OtherRelations));
        builder.with_query_planner(Arc::new(OtherPlanner))
    };
    let builder = match order {
        Order::BeforeAnother => builder,
        Order::AfterAnother => other(builder),
    };
    let session = SessionContext::new_with_state(builder.build());
    neardup::install(&session)?;
    let builder = SessionStateBuilder::new_from_existing(session.state());
    let builder = match order {
        Order::BeforeAnother => other(builder),
        // A second time changes nothing.
        Order::AfterAnother => builder.with_neardup(),
    };
    *session.state_ref().write() = builder.build();
    Ok(session)
}

/// `unchanged(relation)`, whose node only [`OtherPlanner`] plans.
#[derive(Debug)]
struct OtherRelations;

impl RelationPlanner for OtherRelations {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let TableFactor::Table {
            name,
            alias,
            args: Some(arguments),
            ..
        } = &relation
        else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        if name.to_string() != "unchanged" {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        }
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(ast::Expr::Subquery(subquery)))] =
            arguments.args.as_slice()
        else {
            return plan_err!("unchanged((SELECT ...))");
        };
        let input = context.plan(TableFactor::Derived {
            lateral: false,
            subquery: subquery.clone(),
            alias: None,
            sample: None,
        })?;
        let plan = LogicalPlan::Extension(Extension {
            node: Arc::new(Unchanged { input }),
        });
        let planned = PlannedRelation::new(plan, alias.clone());
        Ok(RelationPlanning::Planned(Box::new(planned)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
struct Unchanged {
    input: LogicalPlan,
}

impl UserDefinedLogicalNodeCore for Unchanged {
    fn name(&self) -> &str {
        "Unchanged"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        self.input.schema()
    }

    fn expressions(&self) -> Vec<Expr> {
        vec![]
    }

    fn fmt_for_explain(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Unchanged")
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        match <[LogicalPlan; 1]>::try_from(inputs) {
            Ok([input]) => Ok(Self { input }),
            Err(_) => internal_err!("Unchanged has one input"),
        }
    }
}

#[derive(Debug)]
struct OtherPlanner;

#[async_trait]
impl QueryPlanner for OtherPlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(OtherNodes)])
            .create_physical_plan(plan, session)
            .await
    }
}

struct OtherNodes;

#[async_trait]
impl ExtensionPlanner for OtherNodes {
    async fn plan_extension(
        &self,
        _: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        inputs: &[Arc<dyn ExecutionPlan>],
        _: &dyn Session,
        _: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        Ok(node
            .as_any()
            .is::<Unchanged>()
            .then(|| Arc::clone(&inputs[0])))
    }
}

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial = |order| Trial::test(format!("host::{order:?}"), move || super::run(both(order)));
    let mut trials: Vec<Trial> = Order::ALL.into_iter().map(trial).collect();
    trials.push(Trial::test("host::a builder", || super::run(builder())));
    trials.push(Trial::test(
        "host::executions of a prepared statement share no rows",
        || super::run(executions()),
    ));
    trials
}

const DOCUMENTS: &str = "SELECT id, body FROM 'datasets/sample/documents.jsonl'";

async fn cells(session: &SessionContext, query: &str) -> Result<Vec<Vec<String>>> {
    super::fuzz::cells(&session.sql(query).await?.collect().await?)
}

/// Each extension's rows go through the other one.
async fn both(order: Order) -> Result<(), Failed> {
    let session = session_of_host(order)?;
    let ours = neardup::session(SessionConfig::new(), Arc::default())?;
    for (query, expected) in [
        (
            format!(
                "SELECT * FROM jaccard_join((SELECT * FROM unchanged(({DOCUMENTS}))), text => body, threshold => 0.4)"
            ),
            format!("SELECT * FROM jaccard_join(({DOCUMENTS}), text => body, threshold => 0.4)"),
        ),
        (
            format!(
                "SELECT id_b, count(*) AS n FROM unchanged((SELECT * FROM minhash_join(({DOCUMENTS}), text => body, threshold => 0.4))) WHERE id_a > 2 GROUP BY id_b"
            ),
            format!(
                "SELECT id_b, count(*) AS n FROM minhash_join(({DOCUMENTS}), text => body, threshold => 0.4) WHERE id_a > 2 GROUP BY id_b"
            ),
        ),
        (
            // The argument is not the same each time, so its rows are shared.
            format!(
                "SELECT count(*) AS n FROM unchanged((SELECT * FROM deduplicate((SELECT row_number() OVER () AS id, body FROM unchanged(({DOCUMENTS}))), text => body))) AS u"
            ),
            format!("SELECT count(*) AS n FROM deduplicate(({DOCUMENTS}), text => body)"),
        ),
    ] {
        let found = cells(&session, &query).await?;
        let expected = cells(&ours, &expected).await?;
        if expected.is_empty() || found != expected {
            return Err(format!("{query}: {found:?}, expected {expected:?}").into());
        }
    }
    let answer = session
        .sql("SET neardup.threshold = 7")
        .await?
        .collect()
        .await;
    drop(answer);
    let answer = cells(
        &session,
        &format!("SELECT * FROM jaccard_join(({DOCUMENTS}), text => body)"),
    )
    .await;
    match answer {
        Err(error) if error.to_string().contains("threshold") => Ok(()),
        other => Err(format!("an option without effect: {other:?}").into()),
    }
}

/// A builder without defaults of the engine, and tables in its catalog.
async fn builder() -> Result<(), Failed> {
    let state: SessionState = SessionStateBuilder::new().with_neardup().build();
    let session = SessionContext::new_with_state(state);
    let sql = "CREATE TABLE docs AS VALUES (1, 'one two three four'), (2, 'One two three four!'), (3, 'five six')";
    session.sql(sql).await?.collect().await?;
    let found = cells(
        &session,
        "SELECT * FROM jaccard_join(docs, id => column1, text => column2)",
    )
    .await?;
    match found.as_slice() {
        [row] if row[..2] == ["1", "2"] => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

/// Two executions of a statement that are planned before either runs.
async fn executions() -> Result<(), Failed> {
    let installed = SessionContext::new();
    neardup::install(&installed)?;
    let sessions = [
        installed,
        session_of_host(Order::BeforeAnother)?,
        session_of_host(Order::AfterAnother)?,
    ];
    for session in sessions {
        let docs = "CREATE TABLE docs AS SELECT arrow_cast(column1, 'Int32') AS n, column2 AS text
            FROM (VALUES (1, 'one two three'), (2, 'one two three'), (3, 'four'))";
        session.sql(docs).await?.collect().await?;
        // The argument is read several times. Its filter compares values of two types.
        let prepare = "PREPARE kept AS SELECT id FROM deduplicate((
            SELECT uuid() AS id, text FROM docs WHERE n < 2.5 OR n = 3))";
        session.sql(prepare).await?.collect().await?;
        let mut plans = Vec::new();
        for _ in 0..2 {
            let execution = session.sql("EXECUTE kept").await?;
            plans.push(execution.create_physical_plan().await?);
        }
        let context = session.task_ctx();
        let mut seen = std::collections::BTreeSet::new();
        for plan in &plans {
            let plan = Arc::clone(plan);
            let rows = datafusion::physical_plan::collect(plan, Arc::clone(&context)).await?;
            let ids = super::fuzz::cells(&rows)?;
            if ids.len() != 2 {
                return Err(format!("{} rows are kept: {ids:?}", ids.len()).into());
            }
            seen.extend(ids);
        }
        if seen.len() != 4 {
            return Err(format!("the executions share rows: {seen:?}").into());
        }
    }
    Ok(())
}
