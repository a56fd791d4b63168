//! Records what was left out of damaged dumps, by file.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use neardup_wikidump::Losses;

/// Losses of all scans of a table in this process, by the name of the file; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct LossLog(Arc<Mutex<BTreeMap<String, Losses>>>);

impl LossLog {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Losses>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, file: &str, losses: &Losses) {
        self.lock()
            .entry(file.to_owned())
            .or_default()
            .merge(losses);
    }

    /// Returns and removes the losses that were added since the last call.
    pub(super) fn take(&self) -> Vec<(String, Losses)> {
        std::mem::take(&mut *self.lock()).into_iter().collect()
    }
}
