//! The runtime that queries run on, and waiting for it.

use crate::errors::exception;
use datafusion::common::Result;
use pyo3::exceptions::PyRuntimeError;
use pyo3::{PyResult, Python};
use std::future::Future;
use std::sync::LazyLock;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Plans of nested table functions recurse deeply.
const STACK_BYTES: usize = 32 << 20;

/// How long Ctrl-C may take to be noticed, and how often progress is told.
const INTERVAL: Duration = Duration::from_millis(100);

static RUNTIME: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .thread_stack_size(STACK_BYTES)
        .thread_name("neardup")
        .enable_all()
        .build()
});

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
    let runtime = RUNTIME
        .as_ref()
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
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
                    return Err(stopped);
                }
            }
        }
    }
}
