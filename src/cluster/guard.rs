//! What a scheduler does about jobs that nothing moves any more, and about its books.
//!
//! Three faults of the engine's adaptive scheduling (Ballista 55) are held in check:
//!
//! - An executor that is lost with rows of a finished stage leaves the stages that read them unresolved for
//!   ever. Such a job is cancelled, and its client sends the query again.
//! - The slots of tasks that such a stage had running on other executors are never given back, and an
//!   executor without free slots gets no work. The books are compared with what runs, and mended.
//! - A replan can shuffle the same empty relation again and again (a FULL JOIN with an empty side does). A
//!   job with far more stages than any plan has is cancelled.

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpc;
use ballista_core::serde::protobuf::{AvailableVcores, UpdateTaskStatusParams};
use ballista_scheduler::cluster::{BoundTask, ClusterState, DistributionPolicy};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::execution_stage::ExecutionStage;
use ballista_scheduler::state::task_manager::JobInfoCache;
use datafusion::common::Result;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tonic::Request;

pub(super) type Server = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// Between two looks.
const LOOK: Duration = Duration::from_secs(2);
/// A job of which nothing runs and nothing can run for so long is dead.
const STILL: Duration = Duration::from_secs(10);
/// More stages than a plan has.
const STAGES: usize = 5000;

/// Looks after a scheduler for as long as it is polled.
pub(super) async fn guard(server: Server, cluster: Arc<dyn ClusterState>) {
    let mut guard = Guard {
        server,
        cluster,
        still: HashMap::new(),
        cancelled: HashSet::new(),
        missing: HashMap::new(),
    };
    loop {
        tokio::time::sleep(LOOK).await;
        if let Err(error) = guard.look().await {
            log::warn!("the books of the executors could not be looked at: {error}");
        }
    }
}

struct Guard {
    server: Server,
    cluster: Arc<dyn ClusterState>,
    /// Since when nothing of a job moves.
    still: HashMap<JobId, Instant>,
    cancelled: HashSet<JobId>,
    /// Slots of each executor that were neither free nor in use at the last look.
    missing: HashMap<String, u32>,
}

impl Guard {
    async fn look(&mut self) -> Result<()> {
        let jobs = self.server.state.task_manager.get_running_job_cache();
        self.still.retain(|job, _| jobs.contains_key(job));
        self.cancelled.retain(|job| jobs.contains_key(job));
        let mut waiting = false;
        for (id, job) in jobs.iter() {
            let (running, available, verdict) = {
                let graph = job.execution_graph.read().await;
                let stages = graph.stages();
                let unresolved = stages
                    .values()
                    .any(|stage| matches!(stage, ExecutionStage::UnResolved(_)));
                let verdict = if unresolved {
                    Some("the rows of a finished stage were lost with an executor")
                } else if stages.len() > STAGES {
                    Some("it is planned again and again without an end")
                } else {
                    None
                };
                (
                    graph.running_tasks().len(),
                    graph.available_tasks(),
                    verdict,
                )
            };
            waiting |= running == 0 && available > 0;
            let since = match running + available {
                0 => Some(*self.still.entry(id.clone()).or_insert_with(Instant::now)),
                _ => {
                    self.still.remove(id);
                    None
                }
            };
            let verdict = match since {
                Some(since) if since.elapsed() > STILL => Some("none of its tasks runs or can run"),
                _ => verdict,
            };
            if let (Some(reason), true) = (verdict, self.cancelled.insert(id.clone())) {
                log::warn!("job {id} is cancelled: {reason}");
                if let Err(error) = self.server.cancel_job(id.clone()).await {
                    log::warn!("job {id} could not be cancelled: {error}");
                }
            } else if verdict.is_none() {
                self.cancelled.remove(id);
            }
        }
        self.mend(jobs, waiting).await
    }

    /// Gives back slots that are neither free nor in use. Between the end of a task and its booking they
    /// are missing for a moment, so that a loss counts when two looks see it.
    async fn mend(&mut self, jobs: Arc<HashMap<JobId, JobInfoCache>>, waiting: bool) -> Result<()> {
        let probe = Arc::new(Probe::default());
        let policy = TaskDistributionPolicy::Custom(Arc::clone(&probe) as _);
        self.cluster
            .bind_schedulable_tasks(policy, jobs, None)
            .await
            .map_err(|error| datafusion::common::exec_datafusion_err!("{error}"))?;
        let booked = std::mem::take(&mut *probe.0.lock());
        let mut missing = HashMap::new();
        let mut alive = Vec::new();
        for executor in self.cluster.registered_executor_metadata().await {
            let all = executor.specification.vcores;
            let lost = all.saturating_sub(booked.get(&executor.id).copied().unwrap_or(0));
            let before = self.missing.get(&executor.id).copied().unwrap_or(0);
            let confirmed = lost.min(before);
            if confirmed > 0 {
                log::warn!(
                    "executor {}: {confirmed} slots of lost tasks are given back",
                    executor.id
                );
                self.server
                    .state
                    .executor_manager
                    .unbind_tasks(vec![(executor.id.clone(), confirmed)])
                    .await
                    .map_err(|error| datafusion::common::exec_datafusion_err!("{error}"))?;
            }
            missing.insert(executor.id.clone(), lost - confirmed);
            alive.push((executor.id, confirmed));
        }
        self.missing = missing;
        // The report of no task makes the scheduler offer its work again.
        let mended = alive.iter().find(|(_, confirmed)| *confirmed > 0);
        let asked = mended.or_else(|| alive.first().filter(|_| waiting));
        if let Some((executor, _)) = asked {
            let report = UpdateTaskStatusParams {
                executor_id: executor.clone(),
                task_status: vec![],
            };
            let offered = SchedulerGrpc::update_task_status(&self.server, Request::new(report));
            if let Err(status) = offered.await {
                log::warn!("work could not be offered again: {status}");
            }
        }
        Ok(())
    }
}

/// Binds nothing, and notes the slots of each executor that are free or in use, under the lock of the books.
#[derive(Debug, Default)]
struct Probe(Mutex<HashMap<String, u32>>);

#[async_trait]
impl DistributionPolicy for Probe {
    async fn bind_tasks(
        &self,
        budgets: Vec<&mut AvailableVcores>,
        jobs: Arc<HashMap<JobId, JobInfoCache>>,
    ) -> Result<Vec<BoundTask>> {
        let mut booked: HashMap<String, u32> = HashMap::new();
        for budget in &budgets {
            *booked.entry(budget.executor_id.clone()).or_default() += budget.vcores;
        }
        for job in jobs.values() {
            let graph = job.execution_graph.read().await;
            for task in graph.running_tasks() {
                let slots = graph.task_vcores(task.stage_id, task.task_id).unwrap_or(0);
                *booked.entry(task.executor_id).or_default() += slots;
            }
        }
        *self.0.lock() = booked;
        Ok(vec![])
    }

    fn name(&self) -> &str {
        "probe"
    }
}
