//! `FROM 'path'`: a quoted name that is no table is a file, a directory or a glob.

use async_trait::async_trait;
use datafusion::catalog::{TableProvider, UrlTableFactory};
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::execution::SessionState;
use parking_lot::RwLock;
use std::path::Path;
use std::sync::{Arc, OnceLock, Weak};

/// Makes tables of quoted paths.
#[derive(Debug, Default)]
pub(crate) struct FileTables {
    /// The session that owns this. Weak, and set once the session is there.
    state: OnceLock<Weak<RwLock<SessionState>>>,
}

impl FileTables {
    /// Tells which session this belongs to.
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
            .ok_or_else(|| plan_datafusion_err!("'{url}': the session is gone"))?
            .read()
            .clone();
        // A bare name is a table's, also where a directory has the same name: './name' is a path.
        if !url.contains(['/', '*', '?', '[']) && Path::new(url).extension().is_none() {
            return Ok(None);
        }
        super::table(&[url.to_owned()], &state).await.map(Some)
    }
}
