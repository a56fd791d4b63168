//! The schema of a session with the tables of a job, whose files are verified when a table is first used.

use super::damage::damage;
use super::manifest::StepRecord;
use crate::files::Location;
use async_trait::async_trait;
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::{Result, exec_err};
use datafusion::execution::runtime_env::RuntimeEnv;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A schema, and the steps whose files have not been verified yet. A table of a job may be large, and most statements
/// read few of them, so each is read when a statement names it.
#[derive(Debug)]
pub(super) struct VerifiedTables {
    inner: Arc<dyn SchemaProvider>,
    directory: Location,
    runtime: Arc<RuntimeEnv>,
    /// By the name of the table.
    unverified: Mutex<BTreeMap<String, Arc<StepRecord>>>,
}

impl VerifiedTables {
    /// The tables of `inner`, among which those of `steps` are of a job in `directory`.
    pub(super) fn new(
        inner: Arc<dyn SchemaProvider>,
        directory: Location,
        runtime: Arc<RuntimeEnv>,
        steps: BTreeMap<String, Arc<StepRecord>>,
    ) -> Self {
        Self {
            inner,
            directory,
            runtime,
            unverified: Mutex::new(steps),
        }
    }
}

/// Reads the files of a step and compares their checksums with its record.
///
/// # Errors
/// If a file is damaged or missing; the error names it.
pub(super) async fn verify(
    step: &StepRecord,
    directory: &Location,
    runtime: &RuntimeEnv,
) -> Result<()> {
    match damage(step, directory, runtime).await? {
        None => Ok(()),
        Some(damage) => exec_err!("{damage}; run the command of the job again to repeat the step"),
    }
}

#[async_trait]
impl SchemaProvider for VerifiedTables {
    fn table_names(&self) -> Vec<String> {
        let mut names = self.inner.table_names();
        names.extend(self.unverified.lock().keys().cloned());
        names.sort_unstable();
        names.dedup();
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let step = self.unverified.lock().get(name).cloned();
        if let Some(step) = step {
            verify(&step, &self.directory, &self.runtime).await?;
            self.unverified.lock().remove(name);
        }
        self.inner.table(name).await
    }

    fn register_table(
        &self,
        name: String,
        table: Arc<dyn TableProvider>,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        self.unverified.lock().remove(&name);
        self.inner.register_table(name, table)
    }

    fn deregister_table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        self.unverified.lock().remove(name);
        self.inner.deregister_table(name)
    }

    fn table_exist(&self, name: &str) -> bool {
        self.inner.table_exist(name) || self.unverified.lock().contains_key(name)
    }
}
