//! The scheduler: plans queries and gives tasks to executors.

use super::address::{Trust, listen_address};
use super::config;
use super::server;
use super::token::Token;
use super::watchdog;
use crate::parameters::{parameter_error, set};
use ballista_core::config::TaskSchedulingPolicy;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::create_scheduler;
use datafusion::common::{DataFusionError, Result};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use std::net::SocketAddr;
use std::sync::Arc;

/// How a scheduler runs.
#[derive(Debug, Clone)]
pub struct SchedulerOptions {
    /// `HOST:PORT` to listen on; port 0 selects a free port.
    pub bind: String,
    /// Who may reach it.
    pub trust: Trust,
    /// The host name under which executors reach it, if it is not that of `bind`.
    pub external_host: Option<String>,
    /// Whether clients fetch the rows of results through the scheduler, so that they need to reach no other
    /// process; if not, they fetch them from the executors.
    pub serve_results: bool,
    /// The token that every request must carry; `None`: requests are not authenticated.
    pub token: Option<Token>,
    /// Seconds without a heartbeat after which an executor counts as lost.
    pub executor_timeout: u64,
}

impl Default for SchedulerOptions {
    fn default() -> Self {
        Self {
            bind: "127.0.0.1:50050".to_owned(),
            trust: Trust::Loopback,
            external_host: None,
            serve_results: false,
            token: None,
            executor_timeout: 20,
        }
    }
}

/// Runs a scheduler until its future is dropped. `ready` is called with the address once it listens.
///
/// # Errors
/// If it cannot listen, or its service ends.
pub async fn scheduler(options: &SchedulerOptions, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    let address = listen_address(&options.bind, options.trust)?;
    let at = |error: std::io::Error| parameter_error![set("bind", address), format!(": {error}")];
    let listener = tokio::net::TcpListener::bind(address).await.map_err(at)?;
    let address = listener.local_addr().map_err(at)?;
    let host = address.ip().to_string();
    let token = options.token.clone();
    let settings = SchedulerConfig {
        external_host: options.external_host.clone().unwrap_or(host.clone()),
        bind_host: host,
        // Executors report to this port.
        bind_port: address.port(),
        scheduling_policy: TaskSchedulingPolicy::PushStaged,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        enable_embedded_flight_proxy: options.serve_results,
        executor_timeout_seconds: options.executor_timeout,
        expire_dead_executor_interval_seconds: (options.executor_timeout / 4).max(1),
        executor_termination_grace_period: options.executor_timeout,
        grpc_server_max_decoding_message_size: config::MESSAGE_BYTES as u32,
        grpc_server_max_encoding_message_size: config::MESSAGE_BYTES as u32,
        override_config_producer: Some(Arc::new(config::config)),
        override_session_builder: Some(Arc::new({
            let token = token.clone();
            move |config| config::scheduler_state(Token::with_task_key(token.as_ref(), config))
        })),
        override_create_grpc_client_endpoint: token.as_ref().map(Token::endpoint),
        override_logical_codec: Some(config::logical_codec()),
        override_physical_codec: Some(config::physical_codec()),
        ..Default::default()
    };
    settings.validate().map_err(failure)?;
    let cluster = BallistaCluster::new_from_config(&settings)
        .await
        .map_err(failure)?;
    let cluster_state = cluster.cluster_state();
    let server = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(settings))
        .await
        .map_err(failure)?;
    ready(address);
    tokio::select! {
        ended = server::serve(listener, server.clone(), token) => ended.map_err(failure),
        () = watchdog::run(server, cluster_state) => Ok(()),
    }
}

fn failure(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DataFusionError {
    DataFusionError::External(error.into())
}
