//! The present state of the destination of a write: a file, or the files of a directory.

use super::location::{Location, Stored};
use datafusion::common::{Result, exec_datafusion_err, plan_err};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::path::Path as ObjectPath;
use datafusion::object_store::{Error as StoreError, ObjectStoreExt};
use futures::{StreamExt, TryStreamExt};
use std::path::Path;
use uuid::Uuid;

/// The destination of a write, on disk or in an object store.
#[derive(Debug)]
pub struct Destination {
    name: String,
    is_directory: bool,
    store: Stored,
    found: Vec<ObjectPath>,
}

impl Destination {
    /// Finds the files at a destination. As in `COPY … TO`, a name without an extension is that of a directory, unless it
    /// is a file.
    ///
    /// # Errors
    /// If the name is empty, or the destination cannot be accessed.
    pub async fn find(name: &str, runtime: &RuntimeEnv) -> Result<Self> {
        if name.is_empty() {
            return plan_err!("the path is empty");
        }
        let location = Location::new(name)?;
        let on_disk = location.path();
        let is_directory = match on_disk {
            Some(path) if path.exists() => path.is_dir(),
            _ => name.ends_with('/') || Path::new(name).extension().is_none(),
        };
        let store = location.store(runtime)?;
        let found = match is_directory {
            // A directory that is not there has no files, which not every store of files reports.
            true if on_disk.is_some_and(|path| !path.exists()) => Ok(vec![]),
            true => {
                let files = store.0.list(Some(&store.1));
                files.map_ok(|file| file.location).try_collect().await
            }
            false => match store.0.head(&store.1).await {
                Ok(file) => Ok(vec![file.location]),
                Err(StoreError::NotFound { .. }) => Ok(vec![]),
                Err(error) => Err(error),
            },
        };
        Ok(Self {
            found: found.map_err(|error| exec_datafusion_err!("{name}: {error}"))?,
            name: name.to_owned(),
            is_directory,
            store,
        })
    }

    /// Whether the destination is a directory of files.
    pub fn is_directory(&self) -> bool {
        self.is_directory
    }

    /// Whether no file is there.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Checks that files of an extension can replace what is there: that the removal of the files of a directory removes
    /// nothing else, and that a file has a name of a file.
    ///
    /// # Errors
    /// If they cannot.
    pub fn check_replaceable(&self, extension: &str) -> Result<()> {
        if !self.is_directory {
            return match Path::new(&self.name).extension() {
                Some(_) => Ok(()),
                None => plan_err!(
                    "{}: it is a file, and a name without an extension is that of a directory",
                    self.name
                ),
            };
        }
        let other = self
            .found
            .iter()
            .find(|file| file.extension() != Some(extension));
        match other {
            Some(file) => plan_err!(
                "{}: the directory cannot be overwritten, since it has a file that is not .{extension}: {}",
                self.name,
                file.filename().unwrap_or_default()
            ),
            None => Ok(()),
        }
    }

    /// The name of a further file of a directory.
    pub fn new_file(&self, extension: &str) -> String {
        let directory = self.name.trim_end_matches('/');
        format!("{directory}/{}.{extension}", Uuid::new_v4().simple())
    }

    /// Removes the files of a directory that were found there.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub async fn remove_found(self) -> Result<()> {
        if !self.is_directory {
            return Ok(());
        }
        let found = futures::stream::iter(self.found.into_iter().map(Ok)).boxed();
        let removed: std::result::Result<Vec<_>, StoreError> =
            self.store.0.delete_stream(found).try_collect().await;
        match removed {
            Ok(_) => Ok(()),
            Err(error) => Err(exec_datafusion_err!("{}: {error}", self.name)),
        }
    }
}
