//! Ctrl-C, SIGTERM and SIGHUP: a command that is asked to stop leaves no temporary files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tokio::signal::unix::{SignalKind, signal};

/// A request to stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    /// What to tell the person.
    pub(super) word: &'static str,
    /// The exit code by which shells know the signal.
    pub(super) code: u8,
}

const HANGUP: u8 = 1;

impl Stop {
    /// Whether it is SIGHUP.
    pub(super) fn is_hangup(self) -> bool {
        self.code == 128 + HANGUP
    }
}

const STOPS: [(i32, Stop); 3] = [
    stop(HANGUP, "the terminal is gone"),
    stop(2, "interrupted"),
    stop(15, "asked to stop"),
];

const fn stop(number: u8, word: &'static str) -> (i32, Stop) {
    let code = 128 + number;
    (number as i32, Stop { word, code })
}

/// Returns at the first of the signals. One that was ignored when the process began stays so, as `nohup`
/// wants it.
pub(super) async fn asked_to_stop() -> Stop {
    let ignored = ignored();
    let waits = STOPS.into_iter().filter_map(|(number, stop)| {
        let is_ignored = ignored & (1 << (number - 1)) != 0;
        let mut listener = match is_ignored {
            true => return None,
            false => signal(SignalKind::from_raw(number)).ok()?,
        };
        Some(Box::pin(async move {
            listener.recv().await;
            stop
        }))
    });
    let waits: Vec<_> = waits.collect();
    match waits.is_empty() {
        true => std::future::pending().await,
        false => futures::future::select_all(waits).await.0,
    }
}

/// The signals that this process ignores, a bit each; none where the system does not say.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// The files and directories to remove when the command stops before its end.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file or directory that goes with its owner, or with the command if that stops before.
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    pub(super) fn new(path: PathBuf) -> Self {
        if let Ok(mut all) = UNFINISHED.lock() {
            all.insert(path.clone());
        }
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut all) = UNFINISHED.lock() {
            all.remove(&self.0);
        }
        remove(&self.0);
    }
}

/// Removes what is unfinished.
pub(super) fn remove_unfinished() {
    let all = UNFINISHED.lock().map(|mut all| std::mem::take(&mut *all));
    all.unwrap_or_default().iter().for_each(|path| remove(path));
}

/// What may be left after this nobody needs; the next run removes it.
fn remove(path: &Path) {
    let _ = match path.is_dir() {
        true => std::fs::remove_dir_all(path),
        false => std::fs::remove_file(path),
    };
}
