//! Reports a panic as an error. Some readers of the engine panic on damaged files.

use datafusion::common::{DataFusionError, exec_datafusion_err};
use parking_lot::Mutex;
use std::panic::PanicHookInfo;

/// Where the last panic of the process was, and what it said.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Keeps what panics say, which is not printed then, unless `RUST_BACKTRACE` is set: those that are caught are reported
/// as errors.
pub(super) fn record() {
    let print = std::panic::take_hook();
    let is_wanted = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    std::panic::set_hook(Box::new(move |panic: &PanicHookInfo| {
        let text = panic.payload_as_str().unwrap_or("no reason given");
        let place = panic.location().map(|place| {
            let file = place.file();
            // Without the directories in which the code was built.
            let file = match file.rsplit_once("/src/") {
                Some((package, file)) => {
                    format!(
                        "{}/src/{file}",
                        package.rsplit('/').next().unwrap_or_default()
                    )
                }
                None => file.to_owned(),
            };
            format!(" ({file}:{})", place.line())
        });
        *LAST.lock() = Some(format!("{text}{}", place.unwrap_or_default()));
        if is_wanted {
            print(panic);
        }
    }));
}

/// The error of a command that ended in a panic.
pub(super) fn error() -> DataFusionError {
    let last = LAST.lock().take();
    let last = last.unwrap_or_else(|| "no reason given".to_owned());
    exec_datafusion_err!("a fault in neardup or in a library that it uses: {last}")
}
