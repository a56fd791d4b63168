//! Runs a query from the client: submits it to the scheduler, monitors it, cancels it when its stream is
//! dropped, and resubmits it when the cluster lost it.

use super::client_side::{change_in_memory, changed, with_series};
use super::copy_to::encode_copies;
use super::failure::{Failure, Kind};
use super::limits::runnable;
use super::monitor::Monitor;
use super::qualifiers::parseable;
use super::scratch::Scratch;
use super::shared;
use super::staging::Staging;
use super::token::Token;
use crate::operators::planner::refuse_subqueries;
use ballista_core::config::BallistaConfig;
use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::extension::SessionConfigExt;
use ballista_core::planner::BallistaQueryPlanner;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{DataFusionError, Result, internal_err, not_impl_err};
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, SessionState, TaskContext};
use datafusion::logical_expr::{EmptyRelation, Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    ReplaceChildrenOptions,
};
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::protobuf::LogicalPlanNode;
use futures::{StreamExt, TryStreamExt};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a query that the cluster lost is resubmitted.
const MAX_RESUBMISSIONS: usize = 3;

/// Plans queries for the cluster of a scheduler.
#[derive(Debug)]
pub(super) struct ClusterPlanner {
    /// `http://HOST:PORT`.
    pub(super) scheduler: String,
    pub(super) codec: Arc<dyn LogicalExtensionCodec>,
    pub(super) step_timeout: Duration,
    /// Each query writes to another directory below the parent of this one.
    pub(super) scratch: Scratch,
    /// The directories of queries whose plans do not keep them, until the session ends.
    pub(super) kept: Mutex<Vec<Scratch>>,
    pub(super) token: Option<Token>,
    /// Whether a query of the session has reached the scheduler.
    pub(super) reached: Arc<AtomicBool>,
}

#[async_trait::async_trait]
impl QueryPlanner for ClusterPlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(state) = session.as_any().downcast_ref::<SessionState>() else {
            return internal_err!("the client plans with a session state");
        };
        if let LogicalPlan::Analyze(analyze) = plan
            && matches!(*analyze.input, LogicalPlan::Copy(_) | LogicalPlan::Dml(_))
        {
            return not_impl_err!(
                "EXPLAIN ANALYZE of a statement that writes does not run on a cluster"
            );
        }
        if let Some((statement, table)) = change_in_memory(plan) {
            return changed(statement, &table, self, session).await;
        }
        let scratch = self.scratch.another();
        let plan = match plan {
            LogicalPlan::Explain(_) => shared::shown(plan.clone())?,
            _ => {
                refuse_subqueries(plan)?;
                shared::materialised(plan.clone(), state, &scratch).await?
            }
        };
        let plan = with_series(runnable(plan)?, state, &scratch).await?;
        let plan = encode_copies(parseable(with_columns(plan)?)?)?;
        let plan = scratch.staged(plan, state).await?;
        let config = session.config().ballista_config();
        let planned = BallistaQueryPlanner::<LogicalPlanNode>::with_extension(
            self.scheduler.clone(),
            config.clone(),
            Arc::clone(&self.codec),
        )
        .create_physical_plan(&plan, session)
        .await?;
        if !planned.is::<DistributedQueryExec<LogicalPlanNode>>() {
            self.kept.lock().push(scratch);
            return Ok(planned);
        }
        let query = Query {
            plan,
            config,
            codec: Arc::clone(&self.codec),
            session: session.session_id().to_owned(),
            monitor: Monitor::new(&self.scheduler, self.token.clone()),
            step_timeout: self.step_timeout,
            reached: Arc::clone(&self.reached),
            _scratch: scratch,
        };
        Ok(Arc::new(ClusterQueryExec::new(Arc::new(query))))
    }
}

/// Replaces each empty relation by an empty table: an empty relation is serialised without its columns.
fn with_columns(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.transform_up_with_subqueries(|node| {
        let LogicalPlan::EmptyRelation(EmptyRelation {
            produce_one_row: false,
            schema,
        }) = &node
        else {
            return Ok(Transformed::no(node));
        };
        if schema.fields().is_empty() {
            return Ok(Transformed::no(node));
        }
        // Columns of several relations may have the same name.
        let numbered = |number: usize| format!("column{number}");
        let fields = schema.fields().iter().enumerate();
        let fields = fields.map(|(number, field)| Field::clone(field).with_name(numbered(number)));
        let fields = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let table = MemTable::try_new(fields, vec![vec![]])?;
        let source = provider_as_source(Arc::new(table));
        let columns = schema
            .iter()
            .enumerate()
            .map(|(number, (qualifier, field))| {
                Expr::from(datafusion::common::Column::new(
                    Some("no_rows"),
                    numbered(number),
                ))
                .alias_qualified(qualifier.cloned(), field.name())
            });
        let plan = LogicalPlanBuilder::scan("no_rows", source, None)?
            .project(columns)?
            .build()?;
        Ok(Transformed::yes(plan))
    })?;
    Ok(plan.data)
}

/// A query and the cluster that it runs on.
#[derive(Debug)]
struct Query {
    plan: LogicalPlan,
    config: BallistaConfig,
    codec: Arc<dyn LogicalExtensionCodec>,
    session: String,
    monitor: Monitor,
    step_timeout: Duration,
    reached: Arc<AtomicBool>,
    /// Holds the files that the plan reads until the query has ended.
    _scratch: Scratch,
}

impl Query {
    /// The rows of the query. If the cluster loses the query before its first row, the query is resubmitted.
    async fn rows(self: Arc<Self>, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        // A scheduler that was there is waited for, but not one that never was.
        if !self.reached.load(Ordering::Relaxed) {
            self.monitor.check_listening().await?;
            self.reached.store(true, Ordering::Relaxed);
        }
        let mut failure = match self.attempt(&context).await {
            Ok(rows) => return Ok(rows),
            Err(failure) => failure,
        };
        for attempt in 1..=MAX_RESUBMISSIONS {
            if failure.kind != Kind::Retryable {
                break;
            }
            log::warn!(
                "{}; resubmitting it, {attempt} of {MAX_RESUBMISSIONS}",
                failure.error
            );
            self.monitor.wait_for_recovery().await?;
            failure = match self.attempt(&context).await {
                Ok(rows) => return Ok(rows),
                Err(failure) => failure,
            };
        }
        Err(failure.error)
    }

    async fn attempt(
        self: &Arc<Self>,
        context: &Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream, Failure> {
        let explained = |error: DataFusionError| Failure::of(&error, self.monitor.scheduler());
        let last = |error: DataFusionError| Failure {
            kind: Kind::Permanent,
            error,
        };
        // Declared before the guard that cancels the query, so that it is dropped, and the directory removed,
        // after the query is cancelled.
        let (plan, staging) = Staging::of(&self.plan, context).map_err(last)?;
        let inner = DistributedQueryExec::<LogicalPlanNode>::with_extension(
            self.monitor.scheduler().to_owned(),
            self.config.clone(),
            plan,
            Arc::clone(&self.codec),
            self.session.clone(),
        );
        let schema = inner.schema();
        let mut rows = inner.execute(0, Arc::clone(context)).map_err(explained)?;
        let job = || inner.job_id().map(|id| id.to_string());
        let mut running = Running {
            monitor: &self.monitor,
            job: &job,
            done: false,
        };
        let first = tokio::select! {
            first = rows.next() => first,
            stuck = self.monitor.until_stuck(&job, self.step_timeout) => return Err(stuck),
        };
        // The engine's client returns the first row only when all rows have been computed.
        running.done = true;
        drop(running);
        let first = match (first.transpose(), staging) {
            (Ok(first), Some(staging)) => {
                let count = first.as_ref().map_or(0, shared::rows_written);
                staging.commit(count).await.map_err(last)?;
                first
            }
            (Ok(first), None) => first,
            (Err(error), None) => return Err(explained(error)),
            (Err(error), Some(staging)) => {
                let Failure { kind, error } = explained(error);
                let error = staging.named(error);
                staging.remove().await;
                return Err(Failure { kind, error });
            }
        };
        let query = Arc::clone(self);
        let rest = rows.map_err(move |error| Failure::of(&error, query.monitor.scheduler()).error);
        let rows = futures::stream::iter(first.map(Ok::<RecordBatch, DataFusionError>)).chain(rest);
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// Cancels the job if it is dropped before `done` is set.
struct Running<'a, F: Fn() -> Option<String>> {
    monitor: &'a Monitor,
    job: &'a F,
    done: bool,
}

impl<F: Fn() -> Option<String>> Drop for Running<'_, F> {
    fn drop(&mut self) {
        if let (false, Some(job)) = (self.done, (self.job)()) {
            self.monitor.cancel(&job);
        }
    }
}

/// A query on the cluster.
#[derive(Debug)]
struct ClusterQueryExec {
    query: Arc<Query>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl ClusterQueryExec {
    fn new(query: Arc<Query>) -> Self {
        let schema = Arc::clone(query.plan.schema().inner());
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        Self {
            query,
            schema,
            properties,
        }
    }
}

impl DisplayAs for ClusterQueryExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(
            f,
            "ClusterQueryExec: {}\n{}",
            self.query.monitor.scheduler(),
            self.query.plan.display_indent()
        )
    }
}

impl ExecutionPlan for ClusterQueryExec {
    fn name(&self) -> &str {
        "ClusterQueryExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let rows = futures::stream::once(Arc::clone(&self.query).rows(context)).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&self.schema),
            rows,
        )))
    }
}
