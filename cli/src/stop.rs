//! Handles Ctrl-C, SIGTERM and SIGHUP: a command that is stopped by them removes its temporary files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A signal that stops the command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    /// The message to print.
    pub(super) message: &'static str,
    /// The exit code by which shells recognise the signal: 128 plus its number.
    pub(super) code: u8,
}

const HANGUP: u8 = 1;
const INTERRUPT: u8 = 2;

impl Stop {
    /// Whether it is SIGHUP.
    pub(super) fn is_hangup(self) -> bool {
        self.code == 128 + HANGUP
    }

    /// Whether it stops the command: Ctrl-C in a shell stops a statement only.
    fn stops_command(self) -> bool {
        self.code != 128 + INTERRUPT || !IS_SHELL.load(Ordering::Relaxed)
    }
}

/// Whether the command is a shell.
static IS_SHELL: AtomicBool = AtomicBool::new(false);

/// After this call, Ctrl-C does not stop the command: the caller receives the signal and stops a statement.
pub(super) fn interrupts_of_shell() -> std::io::Result<Signal> {
    let interrupts = signal(SignalKind::interrupt())?;
    IS_SHELL.store(true, Ordering::Relaxed);
    Ok(interrupts)
}

const SIGNALS: [(i32, Stop); 3] = [
    stop(HANGUP, "the terminal was closed"),
    stop(INTERRUPT, "interrupted"),
    stop(15, "terminated"),
];

const fn stop(number: u8, message: &'static str) -> (i32, Stop) {
    let code = 128 + number;
    (number as i32, Stop { message, code })
}

/// Waits for the first of the signals. They are caught from the call on, not only when the future is polled. A
/// signal that was ignored when the process began stays ignored, as `nohup` requires.
pub(super) fn stop_signal() -> impl Future<Output = Stop> {
    let ignored = ignored();
    let listeners = SIGNALS.into_iter().filter_map(|(number, stop)| {
        let is_ignored = ignored & (1 << (number - 1)) != 0;
        match is_ignored {
            true => None,
            false => Some((signal(SignalKind::from_raw(number)).ok()?, stop)),
        }
    });
    let listeners: Vec<_> = listeners.collect();
    async move {
        let waits = listeners.into_iter().map(|(mut listener, stop)| {
            Box::pin(async move {
                listener.recv().await;
                while !stop.stops_command() {
                    listener.recv().await;
                }
                stop
            })
        });
        let waits: Vec<_> = waits.collect();
        match waits.is_empty() {
            true => std::future::pending().await,
            false => futures::future::select_all(waits).await.0,
        }
    }
}

/// The signals that this process ignores, one bit each; 0 if the system does not report them.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// The files and directories to remove if the command is stopped before it finishes.
static CLEANUP_PATHS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes a file or directory when it is dropped, or when the command is stopped before that.
pub(super) struct CleanupGuard(PathBuf);

impl CleanupGuard {
    pub(super) fn new(path: PathBuf) -> Self {
        if let Ok(mut all) = CLEANUP_PATHS.lock() {
            all.insert(path.clone());
        }
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for CleanupGuard {
    fn drop(&mut self) {
        if let Ok(mut all) = CLEANUP_PATHS.lock() {
            all.remove(&self.0);
        }
        remove(&self.0);
    }
}

/// Removes the files and directories of all guards.
pub(super) fn clean_up() {
    let all = CLEANUP_PATHS
        .lock()
        .map(|mut all| std::mem::take(&mut *all));
    all.unwrap_or_default().iter().for_each(|path| remove(path));
}

/// Removes a file or directory. Errors are ignored: the next run removes what is left.
fn remove(path: &Path) {
    let _ = match path.is_dir() {
        true => std::fs::remove_dir_all(path),
        false => std::fs::remove_file(path),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signal_before_the_first_poll_is_caught() {
        let stop = stop_signal();
        let own = std::process::id().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-TERM", &own])
            .status();
        assert!(sent.expect("kill").success());
        assert_eq!(stop.await.code, 143);
    }
}
