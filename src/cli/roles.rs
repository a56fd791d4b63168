//! `neardup scheduler` and `neardup executor`.

use super::options::Global;
use super::stop::asked_to_stop;
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
/// It plans the queries of clients (--cluster df://HOST:PORT) and gives their tasks to executors. Its
/// state is in memory; jobs resume after it was stopped. GET /api/state, /api/executors and /api/jobs on
/// the same port tell what it does.
#[derive(Debug, Args)]
pub(crate) struct Scheduler {
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    bind: String,
    /// Seconds without a sign of life after which an executor counts as lost
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(3..))]
    executor_timeout: u64,
    /// Give clients the rows of results, too: they need to reach nothing else, not even executors
    #[arg(long)]
    serve_results: bool,
    #[command(flatten)]
    reach: Reach,
}

/// Run an executor of a cluster
///
/// It runs tasks and serves their rows to other executors and to clients. SIGTERM and Ctrl-C let its
/// tasks end first. Where the scheduler goes away it waits for it and begins anew.
#[derive(Debug, Args)]
pub(crate) struct Executor {
    /// The scheduler to work for
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    scheduler: String,
    /// Where to serve rows; tasks come in on the port after it; port 0 is any two free ones
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    bind: String,
    /// Where a private directory for rows between stages is made; it is removed at the end [default: where
    /// temporary files are]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
    /// Tasks at a time [default: --threads]
    #[arg(long, value_name = "N")]
    slots: Option<NonZeroUsize>,
    #[command(flatten)]
    reach: Reach,
}

/// From where a role is reached.
#[derive(Debug, Args)]
struct Reach {
    /// The name under which others reach this process [default: the address of --bind]
    #[arg(long, value_name = "HOST")]
    external_host: Option<String>,
    /// Listen on addresses that other machines reach: nothing is encrypted, and without --token-file nobody
    /// is asked who they are
    #[arg(long)]
    trust_network: bool,
    /// A file with the secret that every request must carry: one line that only you can read, the same for
    /// scheduler, executors and clients
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl Reach {
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

pub(crate) async fn scheduler(arguments: &Scheduler, global: &Global) -> Result<()> {
    global.holds_no_rows("a scheduler holds no rows; it is an option of each executor")?;
    let options = SchedulerOptions {
        bind: arguments.bind.clone(),
        trust: arguments.reach.trust(),
        external_host: arguments.reach.external_host.clone(),
        serve_results: arguments.serve_results,
        token: arguments.reach.token()?,
        executor_timeout: arguments.executor_timeout,
    };
    let quiet = global.quiet;
    let service = neardup::cluster::scheduler(&options, |address| {
        if !quiet {
            say!("scheduler at df://{address}");
        }
    });
    tokio::select! {
        result = service => result.and_then(|()| exec_err!("the scheduler's service has ended")),
        _ = asked_to_stop() => Ok(()),
    }
}

pub(crate) async fn executor(arguments: &Executor, global: &Global) -> Result<()> {
    let slots = arguments.slots.map_or(global.threads(), NonZeroUsize::get);
    let options = ExecutorOptions {
        scheduler: arguments.scheduler.clone(),
        bind: arguments.bind.clone(),
        trust: arguments.reach.trust(),
        external_host: arguments.reach.external_host.clone(),
        token: arguments.reach.token()?,
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
    let asked = Arc::new(AtomicBool::new(false));
    let (hang_up, hung_up) = tokio::sync::oneshot::channel();
    let listener = tokio::spawn({
        let asked = Arc::clone(&asked);
        async move {
            let stop = asked_to_stop().await;
            asked.store(true, Ordering::Relaxed);
            // The engine's executor knows the others.
            if stop.is_hangup() {
                _ = hang_up.send(());
            }
        }
    });
    let quiet = global.quiet;
    let service = neardup::cluster::executor(&options, |address| {
        if !quiet {
            say!("executor at {address}, {slots} tasks at a time");
        }
    });
    let result = tokio::select! {
        result = service => result,
        Ok(()) = hung_up => return Ok(()),
    };
    if result.is_ok() && !asked.load(Ordering::Relaxed) {
        // It also ends where the scheduler was away, or gave it up while the network was.
        say!("the scheduler is lost; waiting for it");
        while TcpStream::connect(&arguments.scheduler).await.is_err() {
            if asked.load(Ordering::Relaxed) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        return begin_anew();
    }
    listener.abort();
    result
}

/// Runs the same command in place of this process: the engine's executor does not start twice in one.
fn begin_anew() -> Result<()> {
    let program = std::env::current_exe()?;
    let error = std::process::Command::new(program)
        .args(std::env::args_os().skip(1))
        .exec();
    exec_err!("the executor could not begin anew: {error}")
}
