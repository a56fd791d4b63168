//! Monitors a query from the client, through the scheduler's REST API.

use super::failure::Failure;
use super::token::{Refusal, Token};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// Timeout of a request to the scheduler.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Executors send a heartbeat every two seconds, so each one sends at least one within this time.
const HEARTBEAT_WAIT: Duration = Duration::from_secs(4);
/// A query that waits this long for an executor to register says so.
const EXECUTOR_WAIT: Duration = Duration::from_secs(5);
/// How long a client waits for a cluster to recover.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(120);
/// How long the first query of a session waits for a scheduler that is just being started.
const FIRST_CONNECTION_TIMEOUT: Duration = Duration::from_secs(3);
/// The maximum number of stages of a plan; real plans have fewer.
const MAX_STAGES: usize = 1000;
/// The longest time between two polls of a query's progress.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(5);

/// A client of a scheduler's REST API.
#[derive(Debug, Clone)]
pub(super) struct Monitor {
    scheduler: String,
    agent: ureq::Agent,
    token: Option<Token>,
}

#[derive(Deserialize)]
struct Stages {
    stages: Vec<Stage>,
}

#[derive(Deserialize)]
struct Stage {
    tasks: Vec<Task>,
}

#[derive(Deserialize)]
struct Task {
    status: serde_json::Value,
}

#[derive(Deserialize)]
struct Job {
    job_id: String,
}

#[derive(Deserialize)]
struct Executor {
    id: String,
    last_seen: Option<u64>,
}

/// Whether each executor in `now` was last seen later than in `before`.
fn all_seen_since(
    before: &HashMap<String, Option<u64>>,
    now: &HashMap<String, Option<u64>>,
) -> bool {
    now.iter().all(|(id, seen)| match before.get(id) {
        Some(before) => seen > before,
        None => true,
    })
}

impl Monitor {
    /// A monitor of the scheduler at `http://HOST:PORT`.
    pub(super) fn new(scheduler: &str, token: Option<Token>) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(REQUEST_TIMEOUT))
            .http_status_as_error(false)
            .build();
        Self {
            scheduler: scheduler.to_owned(),
            agent: config.into(),
            token,
        }
    }

    pub(super) fn scheduler(&self) -> &str {
        &self.scheduler
    }

    /// Checks that something listens at the address of the scheduler.
    ///
    /// # Errors
    /// If nothing does within [`FIRST_CONNECTION_TIMEOUT`], or does not answer.
    pub(super) async fn check_listening(&self) -> Result<()> {
        let address = self.scheduler.trim_start_matches("http://");
        let begun = Instant::now();
        loop {
            let connected = timeout(REQUEST_TIMEOUT, TcpStream::connect(address)).await;
            if matches!(connected, Ok(Ok(_))) {
                return Ok(());
            }
            if begun.elapsed() >= FIRST_CONNECTION_TIMEOUT {
                let reason =
                    format!("no scheduler answers at {address}; start one with neardup scheduler");
                return Err(DataFusionError::External(reason.into()));
            }
            sleep(FIRST_CONNECTION_TIMEOUT / 10).await;
        }
    }

    /// Returns when a job makes no progress: none of its tasks ended within `limit`, or the scheduler does not
    /// know the job.
    pub(super) async fn until_stuck(
        &self,
        job: &impl Fn() -> Option<String>,
        limit: Duration,
    ) -> Failure {
        let pause = (limit / 4).clamp(Duration::from_millis(100), MAX_POLL_INTERVAL);
        let mut last = None;
        let mut since = Instant::now();
        let mut is_told = false;
        loop {
            sleep(pause).await;
            if !is_told
                && since.elapsed() >= EXECUTOR_WAIT
                && self.last_seen().await.is_ok_and(|seen| seen.is_empty())
            {
                log::warn!(
                    "no executor is registered with the scheduler at {}; the query waits for one: neardup executor --scheduler HOST:PORT",
                    self.scheduler
                );
                is_told = true;
            }
            let Some(job) = job() else {
                continue;
            };
            // If the scheduler does not answer, the query itself ends with an error that says so.
            if let Ok(found) = self.progress(&job).await {
                match found {
                    None => {
                        return Failure::retryable(
                            "the scheduler no longer knows the query".to_owned(),
                        );
                    }
                    Some((stages, _)) if stages > MAX_STAGES => {
                        return Failure::permanent(
                            "the cluster replans the query without end: a FULL JOIN, or an IN or EXISTS beside an OR, has a side without rows; rewrite the query or run it in one process".to_owned(),
                        );
                    }
                    found if found != last => {
                        last = found;
                        since = Instant::now();
                    }
                    _ => {}
                }
            }
            if since.elapsed() >= limit {
                return Failure::retryable(format!(
                    "no task of the query ended within {} seconds (--step-timeout)",
                    limit.as_secs()
                ));
            }
        }
    }

    /// The number of stages of a job and of its tasks that have ended; `None` if the scheduler does not know
    /// the job.
    async fn progress(&self, job: &str) -> Result<Option<(usize, usize)>> {
        let Some(Stages { stages }) = self.get(format!("/api/job/{job}/stages")).await? else {
            // It may still be queued.
            let jobs: Vec<Job> = self.get("/api/jobs".to_owned()).await?.unwrap_or_default();
            let known = jobs.iter().any(|known| known.job_id == job);
            return Ok(known.then_some((0, 0)));
        };
        let tasks = stages.iter().flat_map(|stage| &stage.tasks);
        let ended = tasks.filter(|task| task.status == "Successful").count();
        Ok(Some((stages.len(), ended)))
    }

    /// Waits until the scheduler answers and every executor that it knows has sent a heartbeat.
    ///
    /// # Errors
    /// If that does not happen within [`RECOVERY_TIMEOUT`].
    pub(super) async fn wait_for_recovery(&self) -> Result<()> {
        let begun = Instant::now();
        let mut before = None;
        loop {
            let reason = match (self.last_seen().await, &before) {
                (Ok(now), _) if now.is_empty() => "no executor is registered".to_owned(),
                (Ok(now), Some(before)) if all_seen_since(before, &now) => return Ok(()),
                (Ok(now), _) => {
                    before = Some(now);
                    "an executor sends no heartbeat".to_owned()
                }
                (Err(error), _) => error.strip_backtrace(),
            };
            if begun.elapsed() > RECOVERY_TIMEOUT {
                let reason = format!(
                    "the cluster did not recover within {} seconds: {reason}; run the same command again when it has, to resume",
                    RECOVERY_TIMEOUT.as_secs()
                );
                return Err(DataFusionError::External(reason.into()));
            }
            sleep(HEARTBEAT_WAIT).await;
        }
    }

    /// When each executor was last seen, by the clock of the scheduler.
    async fn last_seen(&self) -> Result<HashMap<String, Option<u64>>> {
        let executors: Option<Vec<Executor>> = self.get("/api/executors".to_owned()).await?;
        let executors = executors.unwrap_or_default().into_iter();
        Ok(executors
            .map(|executor| (executor.id, executor.last_seen))
            .collect())
    }

    /// Cancels a job. If the scheduler does not answer, the job is left to end by itself.
    pub(super) fn cancel(&self, job: &str) {
        let at = format!("{}/api/job/{job}", self.scheduler);
        let mut request = self.agent.patch(&at);
        if let Some(token) = &self.token {
            request = request.header("authorization", token.bearer());
        }
        let request = request.config();
        let request = request.timeout_global(Some(Duration::from_secs(2))).build();
        if let Err(error) = request.send_empty() {
            log::warn!("job {job} could not be cancelled: {error}");
        }
    }

    /// Requests a path of the API; `None` if the scheduler answers that there is no such object.
    async fn get<T: DeserializeOwned + Send + 'static>(&self, path: String) -> Result<Option<T>> {
        let agent = self.agent.clone();
        let bearer = self.token.as_ref().map(Token::bearer);
        let url = format!("{}{path}", self.scheduler);
        let answer = tokio::task::spawn_blocking(move || {
            let mut request = agent.get(&url);
            if let Some(bearer) = bearer {
                request = request.header("authorization", bearer);
            }
            let mut answer = request
                .call()
                .map_err(|error| exec_datafusion_err!("{url}: {error}"))?;
            if answer.status() == 401 {
                return exec_err!("{url}: {}", Refusal::Wrong.text());
            }
            if answer.status() == 404 {
                return Ok(None);
            }
            let body = answer.body_mut().with_config().limit(u64::MAX).reader();
            let value = serde_json::from_reader(body);
            value
                .map(Some)
                .map_err(|error| exec_datafusion_err!("{url}: {error}"))
        });
        answer
            .await
            .map_err(|error| DataFusionError::External(error.into()))?
    }
}
