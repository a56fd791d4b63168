//! Turns panics of the engine's file readers into errors.

use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use futures::FutureExt;
use std::panic::AssertUnwindSafe;

/// The beginning of the error of a panic.
pub(super) const FAULT: &str = "a fault in neardup or in a library that it uses";

/// Runs `work` and returns its result; a panic in it becomes an error. The reader of Parquet panics on some damaged
/// files, which [`super::explain_read_error`] then finds.
///
/// # Errors
/// Those of `work`.
pub async fn caught<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let panic = match AssertUnwindSafe(work).catch_unwind().await {
        Ok(result) => return result,
        Err(panic) => panic,
    };
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("no reason is given");
    exec_err!("{FAULT}: {text} (RUST_BACKTRACE=1 shows where)")
}

/// The error of reading one file, which is damaged if its reader panicked.
pub(super) fn of_file(error: DataFusionError) -> DataFusionError {
    let text = error.strip_backtrace();
    match text.contains(FAULT) {
        true => exec_datafusion_err!("the file is damaged: {text}"),
        false => error,
    }
}
