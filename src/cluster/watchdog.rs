//! The scheduler's watchdog: cancels jobs that make no progress, and releases leaked task slots.
//!
//! It works around three faults of the engine's adaptive scheduling (Ballista 55):
//!
//! - If an executor is lost with rows of a finished stage, the stages that read these rows stay unresolved
//!   for ever. The watchdog cancels such a job, and its client sends the query again.
//! - The slots of tasks that such a stage ran on other executors are never released, and an executor without
//!   free slots gets no work. The watchdog compares the recorded slots with the running tasks, and releases
//!   the difference.
//! - A replan can shuffle the same empty relation again and again (a FULL JOIN with an empty side does). The
//!   watchdog cancels a job that has far more stages than any plan.

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

/// Time between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// A job without a running or runnable task for this long is stalled, and is cancelled.
const STALL_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum number of stages of a plan; real plans have fewer.
const MAX_STAGES: usize = 5000;

/// Checks the jobs and executors of a scheduler at intervals, for as long as the future is polled.
pub(super) async fn run(server: Server, cluster: Arc<dyn ClusterState>) {
    let mut watchdog = Watchdog {
        server,
        cluster,
        stalled_since: HashMap::new(),
        cancelled: HashSet::new(),
        unaccounted: HashMap::new(),
    };
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        if let Err(error) = watchdog.check().await {
            log::warn!("the task slots of the executors could not be checked: {error}");
        }
    }
}

struct Watchdog {
    server: Server,
    cluster: Arc<dyn ClusterState>,
    /// The time since which a job has had no running or runnable task.
    stalled_since: HashMap<JobId, Instant>,
    cancelled: HashSet<JobId>,
    /// For each executor, the number of slots that were neither free nor in use at the last check.
    unaccounted: HashMap<String, u32>,
}

impl Watchdog {
    async fn check(&mut self) -> Result<()> {
        let jobs = self.server.state.task_manager.get_running_job_cache();
        self.stalled_since.retain(|job, _| jobs.contains_key(job));
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
                } else if stages.len() > MAX_STAGES {
                    Some("it is replanned without end")
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
                0 => Some(
                    *self
                        .stalled_since
                        .entry(id.clone())
                        .or_insert_with(Instant::now),
                ),
                _ => {
                    self.stalled_since.remove(id);
                    None
                }
            };
            let verdict = match since {
                Some(since) if since.elapsed() > STALL_TIMEOUT => {
                    Some("none of its tasks runs or can run")
                }
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
        self.release_leaked_slots(jobs, waiting).await
    }

    /// Releases slots that are neither free nor in use at two checks in a row. One check is not enough: between
    /// the end of a task and the release of its slots they are neither for a moment.
    async fn release_leaked_slots(
        &mut self,
        jobs: Arc<HashMap<JobId, JobInfoCache>>,
        waiting: bool,
    ) -> Result<()> {
        let probe = Arc::new(SlotProbe::default());
        let policy = TaskDistributionPolicy::Custom(Arc::clone(&probe) as _);
        self.cluster
            .bind_schedulable_tasks(policy, jobs, None)
            .await
            .map_err(|error| datafusion::common::exec_datafusion_err!("{error}"))?;
        let accounted = std::mem::take(&mut *probe.0.lock());
        let mut unaccounted = HashMap::new();
        let mut alive = Vec::new();
        for executor in self.cluster.registered_executor_metadata().await {
            let all = executor.specification.vcores;
            let now = all.saturating_sub(accounted.get(&executor.id).copied().unwrap_or(0));
            let before = self.unaccounted.get(&executor.id).copied().unwrap_or(0);
            let leaked = now.min(before);
            if leaked > 0 {
                log::warn!(
                    "executor {}: {leaked} slots of lost tasks are released",
                    executor.id
                );
                self.server
                    .state
                    .executor_manager
                    .unbind_tasks(vec![(executor.id.clone(), leaked)])
                    .await
                    .map_err(|error| datafusion::common::exec_datafusion_err!("{error}"))?;
            }
            unaccounted.insert(executor.id.clone(), now - leaked);
            alive.push((executor.id, leaked));
        }
        self.unaccounted = unaccounted;
        // A status report without tasks makes the scheduler offer pending tasks again.
        let released = alive.iter().find(|(_, leaked)| *leaked > 0);
        let reporting = released.or_else(|| alive.first().filter(|_| waiting));
        if let Some((executor, _)) = reporting {
            let report = UpdateTaskStatusParams {
                executor_id: executor.clone(),
                task_status: vec![],
            };
            let offered = SchedulerGrpc::update_task_status(&self.server, Request::new(report));
            if let Err(status) = offered.await {
                log::warn!("pending tasks could not be offered again: {status}");
            }
        }
        Ok(())
    }
}

/// A policy that binds no task and counts, for each executor, the slots that are free or in use. The engine
/// calls it under the lock of the cluster's state, so that the counts are consistent.
#[derive(Debug, Default)]
struct SlotProbe(Mutex<HashMap<String, u32>>);

#[async_trait]
impl DistributionPolicy for SlotProbe {
    async fn bind_tasks(
        &self,
        budgets: Vec<&mut AvailableVcores>,
        jobs: Arc<HashMap<JobId, JobInfoCache>>,
    ) -> Result<Vec<BoundTask>> {
        let mut accounted: HashMap<String, u32> = HashMap::new();
        for budget in &budgets {
            *accounted.entry(budget.executor_id.clone()).or_default() += budget.vcores;
        }
        for job in jobs.values() {
            let graph = job.execution_graph.read().await;
            for task in graph.running_tasks() {
                let slots = graph.task_vcores(task.stage_id, task.task_id).unwrap_or(0);
                *accounted.entry(task.executor_id).or_default() += slots;
            }
        }
        *self.0.lock() = accounted;
        Ok(vec![])
    }

    fn name(&self) -> &str {
        "probe"
    }
}
