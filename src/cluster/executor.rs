//! The executor: runs tasks and serves their rows.

use super::address::{Trust, listen_address};
use super::config;
use super::server;
use super::temp_dir::LockedTempDir;
use super::token::{Token, check_scheduler_token};
use crate::parameters::{name, parameter_error, set};
use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use datafusion::common::{DataFusionError, Result};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

/// How an executor runs.
#[derive(Debug, Clone)]
pub struct ExecutorOptions {
    /// `HOST:PORT` of the scheduler.
    pub scheduler: String,
    /// `HOST:PORT` to serve rows on; tasks are received on the next port. Port 0 selects two free ports.
    pub bind: String,
    /// Who may reach it.
    pub trust: Trust,
    /// The host name under which others reach it, if it is not the address of `bind`.
    pub external_host: Option<String>,
    /// The token that every request must carry; `None`: requests are not authenticated.
    pub token: Option<Token>,
    /// Where it makes a private directory for rows between stages; it removes that directory when it ends.
    pub work_dir: PathBuf,
    /// Number of tasks that run at the same time.
    pub slots: usize,
    /// Bytes that operators of all tasks may hold; `None`: 70 % of the machine's memory.
    pub memory_limit: Option<usize>,
    /// Bytes that each task's spilled rows may take; `None`: as many as leave some of the disk free.
    pub temp_limit: Option<u64>,
}

/// Runs an executor until SIGTERM or Ctrl-C, then lets its tasks end. `ready` is called with the address before
/// the executor registers with the scheduler.
///
/// # Errors
/// If the scheduler cannot be reached, an address is in use, or the service ends.
pub async fn executor(options: &ExecutorOptions, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    let wrong = || {
        let error = parameter_error![set("scheduler", &options.scheduler), ": must be HOST:PORT"];
        DataFusionError::from(error)
    };
    let (host, port) = options.scheduler.rsplit_once(':').ok_or_else(wrong)?;
    let scheduler_port = port.parse().map_err(|_| wrong())?;
    let address = listen_address(&options.bind, options.trust)?;
    let parent = &options.work_dir;
    let work_dir = LockedTempDir::new(parent, "neardup-executor").map_err(|error| {
        parameter_error![set("work_dir", parent.display()), format!(": {error}")]
    })?;
    let path = work_dir.path().to_str().ok_or_else(|| {
        parameter_error![set("work_dir", parent.display()), ": must be valid UTF-8"]
    })?;
    check_scheduler_token(&options.scheduler, options.token.as_ref()).await?;
    let (rows, tasks) = ports(address)?;
    ready(SocketAddr::new(address.ip(), rows));
    let (spilled, temp_limit) = (work_dir.path().to_owned(), options.temp_limit);
    let (of_tasks, of_runtimes) = (options.token.clone(), options.token.clone());
    let settings = ExecutorProcessConfig {
        bind_host: address.ip().to_string(),
        external_host: options
            .external_host
            .clone()
            .or_else(|| Some(address.ip().to_string())),
        port: rows,
        grpc_port: tasks,
        scheduler_host: host.to_owned(),
        scheduler_port,
        vcores: options.slots,
        task_scheduling_policy: TaskSchedulingPolicy::PushStaged,
        work_dir: Some(path.to_owned()),
        executor_heartbeat_interval_seconds: 2,
        memory_pool_size: options.memory_limit.map(|bytes| bytes as u64),
        grpc_max_decoding_message_size: config::MESSAGE_BYTES as u32,
        grpc_max_encoding_message_size: config::MESSAGE_BYTES as u32,
        override_function_registry: Some(Arc::new(config::functions()?)),
        override_runtime_producer: Some(Arc::new(move |session| {
            // The engine requests a runtime before it decodes the plan of a task.
            if let Some(token) = &of_runtimes {
                token.check_task(session.options())?;
            }
            config::runtime(&spilled, temp_limit)
        })),
        override_config_producer: Some(Arc::new(move || config::task_config(of_tasks.as_ref()))),
        override_create_grpc_client_endpoint: options.token.as_ref().map(Token::endpoint),
        override_arrow_flight_service: Some(server::flight_service(options.token.clone())),
        override_logical_codec: Some(config::logical_codec()),
        override_physical_codec: Some(config::physical_codec()),
        ..Default::default()
    };
    start_executor_process(Arc::new(settings))
        .await
        .map_err(|error| {
            let text = error.to_string();
            match text.contains("Could not connect to scheduler") {
                true => parameter_error![
                    format!("no scheduler answers at {} (", options.scheduler),
                    name("scheduler"),
                    " names another); start one with neardup scheduler"
                ],
                false => {
                    parameter_error![set("scheduler", &options.scheduler), format!(": {text}")]
                }
            }
            .into()
        })
}

/// The two ports of an executor, which were free when this function checked.
fn ports(address: SocketAddr) -> Result<(u16, u16)> {
    let listen = |port: u16| {
        let address = SocketAddr::new(address.ip(), port);
        TcpListener::bind(address)
            .and_then(|listener| Ok((listener.local_addr()?.port(), listener)))
            .map_err(|error| {
                let error = parameter_error![set("bind", address), format!(": {error}")];
                DataFusionError::from(error)
            })
    };
    let (rows, first) = listen(address.port())?;
    let next = match address.port() {
        0 => 0,
        port => port + 1,
    };
    let (tasks, second) = listen(next)?;
    drop((first, second));
    Ok((rows, tasks))
}
