//! The runtime that queries run on, and waiting for their results.

use crate::errors::exception;
use datafusion::common::Result;
use pyo3::exceptions::PyRuntimeError;
use pyo3::{PyResult, Python};
use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Stack size of a thread: plans of nested table functions recurse deeply.
const STACK_BYTES: usize = 32 << 20;

/// Interval at which signals are checked and progress is reported.
const INTERVAL: Duration = Duration::from_millis(100);

/// Timeout after which an aborted query is assumed to keep its threads, and other queries get new ones.
const ABORT_TIMEOUT: Duration = Duration::from_millis(300);

/// The process that runs the threads of the runtimes; 0 if there are none.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Checks that this process is not a fork of one that had a runtime: the threads of the runtime are missing in it, and
/// locks may be held for ever.
///
/// # Errors
/// `RuntimeError`, if it is.
pub(crate) fn refuse_fork() -> PyResult<()> {
    let owner = OWNER.load(Ordering::Acquire);
    if owner == 0 || owner == std::process::id() {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(format!(
        "this process is a fork of process {owner}, in which neardup had run a query; a fork has none of its threads: \
         start workers with multiprocessing.get_context('spawn')"
    )))
}

/// The runtime that the next query runs on.
static RUNTIME: Mutex<Option<Arc<Runtime>>> = Mutex::new(None);

/// The current runtime; creates it if there is none.
fn runtime() -> std::io::Result<Arc<Runtime>> {
    let mut current = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = &*current {
        return Ok(Arc::clone(runtime));
    }
    OWNER.store(std::process::id(), Ordering::Release);
    let runtime = Builder::new_multi_thread()
        .thread_stack_size(STACK_BYTES)
        .thread_name("neardup")
        .enable_all()
        .build()?;
    Ok(Arc::clone(current.insert(Arc::new(runtime))))
}

/// Abandons a runtime to the queries that run on it: the next query gets a new one.
fn abandon(runtime: Arc<Runtime>) {
    let mut current = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    current.take_if(|current| Arc::ptr_eq(current, &runtime));
    // Dropping a runtime would wait for its threads.
    std::mem::forget(runtime);
}

/// Runs a future to its end, with the GIL released. Ctrl-C aborts it.
///
/// # Errors
/// An error of the future, as an exception; `KeyboardInterrupt` after Ctrl-C.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    future: impl Future<Output = Result<T>> + Send + 'static,
) -> PyResult<T> {
    wait_with(py, future, |_| Ok(()))
}

/// Like [`wait`]; calls `each` at short intervals, whose error aborts the future.
pub(crate) fn wait_with<T: Send + 'static>(
    py: Python<'_>,
    future: impl Future<Output = Result<T>> + Send + 'static,
    mut each: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    refuse_fork()?;
    let runtime = runtime()?;
    // The threads of the runtime may compute for long without serving timers, so this thread waits with its own
    // timeout.
    let (ended, mut result) = std::sync::mpsc::sync_channel(1);
    let task = runtime.spawn(async move {
        // After Ctrl-C the receiver is gone.
        let _ = ended.send(future.await);
    });
    loop {
        let waiting = &mut result;
        match py.detach(move || waiting.recv_timeout(INTERVAL)) {
            Ok(result) => return result.map_err(exception),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the query ended by a panic"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(stopped) = py.check_signals().and_then(|()| each(py)) {
                    task.abort();
                    // A task ends at its next await. An operator that computes for long before that would
                    // block the threads for all other queries.
                    let waiting = &mut result;
                    let after = py.detach(move || waiting.recv_timeout(ABORT_TIMEOUT));
                    if matches!(after, Err(RecvTimeoutError::Timeout)) {
                        abandon(runtime);
                    }
                    return Err(stopped);
                }
            }
        }
    }
}
