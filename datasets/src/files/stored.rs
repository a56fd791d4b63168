//! The files of a table, as paths in one store.

use std::sync::Arc;

use datafusion::common::{Result, ScalarValue, exec_datafusion_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::path::Path;
use datafusion::object_store::{ObjectMeta, ObjectStoreExt};
use futures::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};

use super::storage::StoredFile;

/// Number of files whose metadata is requested at the same time.
const CONCURRENT_FILES: usize = 16;

/// Files of one store, in order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Files {
    store: String,
    paths: Vec<String>,
}

impl Files {
    pub(crate) fn new(store: &ObjectStoreUrl, paths: &[Path]) -> Self {
        Self {
            store: store.as_str().to_owned(),
            paths: paths.iter().map(ToString::to_string).collect(),
        }
    }

    pub(crate) fn store(&self) -> Result<ObjectStoreUrl> {
        ObjectStoreUrl::parse(&self.store)
    }

    /// Requests the current metadata of the files.
    pub(crate) async fn stat(&self, runtime: &RuntimeEnv) -> Result<Vec<StoredFile>> {
        let store = runtime.object_store(self.store()?)?;
        futures::stream::iter(self.paths.clone())
            .map(|path| {
                let store = Arc::clone(&store);
                async move {
                    let meta = match Path::parse(&path) {
                        Ok(parsed) => store.head(&parsed).await,
                        Err(error) => Err(error.into()),
                    };
                    let meta = meta.map_err(|error| exec_datafusion_err!("{path}: {error}"))?;
                    Ok(StoredFile::new(store, &self.store, meta))
                }
            })
            .buffered(CONCURRENT_FILES)
            .try_collect()
            .await
    }
}

/// Metadata that changes when a file changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    bytes: u64,
    changed: Option<i64>,
    tag: Option<String>,
}

impl Stamp {
    pub(crate) fn of(meta: &ObjectMeta) -> Self {
        Self {
            bytes: meta.size,
            changed: meta.last_modified.timestamp_nanos_opt(),
            tag: meta.e_tag.clone(),
        }
    }
}

/// The files as a scan lists them; with `numbered`, each has its index.
pub(crate) fn parts(files: Vec<StoredFile>, numbered: bool) -> Vec<PartitionedFile> {
    let part = |(number, file): (usize, StoredFile)| {
        let part = PartitionedFile::new_from_meta(file.meta);
        match numbered {
            true => part.with_partition_values(vec![
                ScalarValue::Int64(Some(number as i64)),
                ScalarValue::Utf8(Some(file.name)),
            ]),
            false => part,
        }
    };
    files.into_iter().enumerate().map(part).collect()
}
