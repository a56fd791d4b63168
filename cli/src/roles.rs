//! `neardup scheduler` and `neardup executor`.

use super::options::Global;
use super::stop::stop_signal;
use clap::Args;
use datafusion::common::{Result, exec_err};
use neardup::Memory;
use neardup::cluster::{ExecutorOptions, SchedulerOptions, Token, Trust};
use std::num::NonZeroUsize;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;

/// Run the scheduler of a cluster
///
/// It plans the queries of clients (--cluster df://HOST:PORT) and assigns their tasks to executors. Its state
/// is in memory; after a restart, jobs resume when their command is run again. GET /api/state, /api/executors
/// and /api/jobs on the same port report its state.
#[derive(Debug, Args)]
pub(crate) struct Scheduler {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    bind: String,
    /// Seconds without a heartbeat after which an executor counts as lost
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(3..))]
    executor_timeout: u64,
    /// Also serve the rows of results, so that clients need to reach the scheduler only, and no executors
    #[arg(long)]
    serve_results: bool,
    #[command(flatten)]
    network: Network,
}

/// Run an executor of a cluster
///
/// It runs tasks and serves their rows to other executors and to clients. After SIGTERM or Ctrl-C it lets its
/// tasks end first. If it loses the scheduler, it waits until the scheduler is back and then restarts.
#[derive(Debug, Args)]
pub(crate) struct Executor {
    /// Address of the scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    scheduler: String,
    /// Address to serve rows on; tasks are received on the next port; port 0 selects two free ports
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    bind: String,
    /// Directory in which to make a private directory for rows between stages, removed at the end [default:
    /// the directory of temporary files]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
    /// Number of tasks that run at the same time [default: --threads]
    #[arg(long, value_name = "N")]
    slots: Option<NonZeroUsize>,
    #[command(flatten)]
    network: Network,
}

/// Options of how a scheduler or an executor is reached over the network.
#[derive(Debug, Args)]
struct Network {
    /// Host name under which other processes reach this one [default: the address of --bind]
    #[arg(long, value_name = "HOST")]
    external_host: Option<String>,
    /// Allow addresses that other machines can reach: traffic is not encrypted, and without --token-file
    /// requests are not authenticated
    #[arg(long)]
    trust_network: bool,
    /// File with the secret that every request must carry: one line, readable by its owner only, the same for
    /// the scheduler, the executors and the clients
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl Network {
    fn trust(&self) -> Trust {
        match self.trust_network {
            true => Trust::Network,
            false => Trust::Loopback,
        }
    }

    fn token(&self) -> Result<Option<Token>> {
        self.token_file.as_deref().map(Token::read).transpose()
    }
}

impl Executor {
    /// The number of tasks that run at a time.
    pub(crate) fn slots(&self, global: &Global) -> usize {
        self.slots.map_or(global.threads(), NonZeroUsize::get)
    }
}

pub(crate) async fn scheduler(arguments: &Scheduler, global: &Global) -> Result<()> {
    global
        .refuse_resource_options("a scheduler holds no rows; it is an option of each executor")?;
    let options = SchedulerOptions {
        bind: arguments.bind.clone(),
        trust: arguments.network.trust(),
        external_host: arguments.network.external_host.clone(),
        serve_results: arguments.serve_results,
        token: arguments.network.token()?,
        executor_timeout: arguments.executor_timeout,
    };
    let quiet = global.quiet;
    let service = neardup::cluster::scheduler(&options, |address| {
        if !quiet {
            report!("scheduler at df://{address}");
        }
    });
    tokio::select! {
        result = service => result.and_then(|()| exec_err!("the scheduler's service has ended")),
        _ = stop_signal() => Ok(()),
    }
}

pub(crate) async fn executor(arguments: &Executor, global: &Global) -> Result<()> {
    let slots = arguments.slots(global);
    let options = ExecutorOptions {
        scheduler: arguments.scheduler.clone(),
        bind: arguments.bind.clone(),
        trust: arguments.network.trust(),
        external_host: arguments.network.external_host.clone(),
        token: arguments.network.token()?,
        work_dir: arguments
            .work_dir
            .clone()
            .unwrap_or_else(|| global.temp_dir()),
        slots,
        memory_limit: match global.memory() {
            Memory::Unlimited => Some(usize::MAX / 2),
            limited => limited.limit(),
        },
        temp_limit: global.temp_limit(),
    };
    let stopping = Arc::new(AtomicBool::new(false));
    let (hang_up, hung_up) = tokio::sync::oneshot::channel();
    let listener = tokio::spawn({
        let stopping = Arc::clone(&stopping);
        async move {
            let stop = stop_signal().await;
            stopping.store(true, Ordering::Relaxed);
            // The engine's executor handles the other signals itself.
            if stop.is_hangup() {
                _ = hang_up.send(());
            }
        }
    });
    let quiet = global.quiet;
    let service = neardup::cluster::executor(&options, |address| {
        if !quiet {
            report!("executor at {address}, {slots} tasks at a time");
        }
    });
    let result = tokio::select! {
        result = service => result,
        Ok(()) = hung_up => return Ok(()),
    };
    if result.is_ok() && !stopping.load(Ordering::Relaxed) {
        // The executor also ends if the scheduler was unreachable, or expired it while the network was down.
        report!("the scheduler is lost; waiting for it");
        while TcpStream::connect(&arguments.scheduler).await.is_err() {
            if stopping.load(Ordering::Relaxed) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        return restart();
    }
    listener.abort();
    result
}

/// Replaces this process by a new one with the same command, because the engine's executor cannot be started
/// twice in one process.
fn restart() -> Result<()> {
    let program = std::env::current_exe()?;
    let error = std::process::Command::new(program)
        .args(std::env::args_os().skip(1))
        .exec();
    exec_err!("the executor could not be restarted: {error}")
}
