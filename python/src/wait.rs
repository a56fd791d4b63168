//! The runtime that queries run on, and waiting for it.

use crate::errors::exception;
use datafusion::common::Result;
use pyo3::exceptions::PyRuntimeError;
use pyo3::{PyResult, Python};
use std::future::Future;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Plans of nested table functions recurse deeply.
const STACK_BYTES: usize = 32 << 20;

/// How long Ctrl-C may take to be noticed, and how often progress is told.
const INTERVAL: Duration = Duration::from_millis(100);

/// How long a query that was ended may keep its threads before others get new ones.
const GRACE: Duration = Duration::from_millis(300);

/// The runtime that the next query runs on.
static RUNTIME: Mutex<Option<Arc<Runtime>>> = Mutex::new(None);

/// The runtime, made when it is first asked for.
fn runtime() -> std::io::Result<Arc<Runtime>> {
    let mut current = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = &*current {
        return Ok(Arc::clone(runtime));
    }
    let runtime = Builder::new_multi_thread()
        .thread_stack_size(STACK_BYTES)
        .thread_name("neardup")
        .enable_all()
        .build()?;
    Ok(Arc::clone(current.insert(Arc::new(runtime))))
}

/// Leaves a runtime to the queries that run on it: the next one gets another.
fn leave(runtime: Arc<Runtime>) {
    let mut current = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    current.take_if(|current| Arc::ptr_eq(current, &runtime));
    // To drop a runtime is to wait for its threads.
    std::mem::forget(runtime);
}

/// Runs a future to its end, without the GIL. Ctrl-C ends it.
///
/// # Errors
/// What the future returns, as an exception; `KeyboardInterrupt`.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    future: impl Future<Output = Result<T>> + Send + 'static,
) -> PyResult<T> {
    wait_with(py, future, |_| Ok(()))
}

/// As [`wait`]; meanwhile `each` is called at short intervals and may end it.
pub(crate) fn wait_with<T: Send + 'static>(
    py: Python<'_>,
    future: impl Future<Output = Result<T>> + Send + 'static,
    mut each: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let runtime = runtime()?;
    // Workers may be busy for long between two looks at their timers: this thread has its own.
    let (ended, mut result) = std::sync::mpsc::sync_channel(1);
    let task = runtime.spawn(async move {
        // Nobody waits any more after Ctrl-C.
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
                    // A task ends where it waits. An operator that computes for long before it does would
                    // keep the threads from every other query.
                    let waiting = &mut result;
                    let after = py.detach(move || waiting.recv_timeout(GRACE));
                    if matches!(after, Err(RecvTimeoutError::Timeout)) {
                        leave(runtime);
                    }
                    return Err(stopped);
                }
            }
        }
    }
}
