//! `FROM 'path'`: resolves a quoted name that is not a table as a file, a directory, a glob, or standard input (`-`).

use super::pipes::STANDARD_INPUT;
use async_trait::async_trait;
use datafusion::catalog::{TableProvider, UrlTableFactory};
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::execution::SessionState;
use parking_lot::RwLock;
use std::path::Path;
use std::sync::{Arc, OnceLock, Weak};

/// Makes tables from quoted paths.
#[derive(Debug, Default)]
pub(crate) struct FileTables {
    /// The state of the session that owns this factory. It is weak to avoid a cycle, and set once the session exists.
    state: OnceLock<Weak<RwLock<SessionState>>>,
}

impl FileTables {
    /// Sets the session that owns this factory.
    pub(crate) fn belong_to(&self, state: Weak<RwLock<SessionState>>) {
        // A second call would name the same session.
        let _ = self.state.set(state);
    }
}

#[async_trait]
impl UrlTableFactory for FileTables {
    async fn try_new(&self, url: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let state = self
            .state
            .get()
            .and_then(Weak::upgrade)
            .ok_or_else(|| plan_datafusion_err!("'{url}': the session no longer exists"))?
            .read()
            .clone();
        if !names_files(url) {
            return Ok(None);
        }
        super::table(&[url.to_owned()], &state).await.map(Some)
    }
}

/// Whether a quoted name that is no table refers to files. A bare name refers to a table, even if a directory has the
/// same name; './name' is a path.
pub(crate) fn names_files(name: &str) -> bool {
    let is_bare = !name.contains(['/', '*', '?', '[']) && Path::new(name).extension().is_none();
    !is_bare || name == STANDARD_INPUT
}
