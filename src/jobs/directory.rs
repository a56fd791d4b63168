//! A job's directory, on disk or in an object store.
//!
//! On disk, a lock file keeps other processes out. An object store has no locks: there the manifest is replaced
//! only if it is still the version that this process wrote (a conditional put). If two processes run one job,
//! the process that started first fails at its next step.

mod disk;

use super::manifest::Manifest;
use crate::files::{Location, MANIFEST};
use crate::parameters::{name as named, parameter_error};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::buffered::BufWriter;
use datafusion::object_store::path::Path as ObjectPath;
use datafusion::object_store::{
    Error as StoreError, ObjectStore, ObjectStoreExt, PutMode, PutResult, UpdateVersion,
};
use futures::{StreamExt, TryStreamExt};
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use xxhash_rust::xxh3::Xxh3;

/// Name of the report in the directory of a job.
pub(super) const REPORT: &str = "report.html";

/// The files and directories that a job owns in its directory, beside the manifest and the lock.
pub(super) const OWNED: [&str; 13] = [
    "steps",
    "plain_text",
    "sentences",
    "pages",
    "pairs.parquet",
    "clusters.parquet",
    "kept.parquet",
    "removed.parquet",
    "contamination.parquet",
    "cuts.parquet",
    "settings.parquet",
    "methods.parquet",
    REPORT,
];

/// Whether a job writes or removes a file or a directory of this name in its directory.
pub fn is_owned(name: &str) -> bool {
    OWNED.contains(&name) || [MANIFEST, ".lock"].contains(&name)
}

/// Object stores copy objects up to this size in one request.
const MAX_COPY_BYTES: u64 = 5 << 30;

/// A job's directory, and the state that this process needs to replace its manifest.
pub(super) struct Directory {
    location: Location,
    runtime: Arc<RuntimeEnv>,
    backend: Backend,
}

enum Backend {
    Disk {
        path: PathBuf,
        /// The lock file, locked as long as it is open.
        _lock: fs::File,
    },
    Store {
        store: Arc<dyn ObjectStore>,
        path: ObjectPath,
        /// The version of the manifest that was last read or written.
        version: Option<UpdateVersion>,
    },
}

impl Directory {
    /// Makes the directory if it is missing, locks it and reads its manifest.
    ///
    /// # Errors
    /// If the directory cannot be made, holds files but no job, or is in use by another process.
    pub(super) async fn open(
        name: &str,
        runtime: Arc<RuntimeEnv>,
    ) -> Result<(Self, Option<Manifest>)> {
        let location = Location::new(name)?;
        match location.path() {
            Some(path) => Self::on_disk(path, runtime),
            None => Self::in_store(location, runtime).await,
        }
    }

    fn on_disk(path: &Path, runtime: Arc<RuntimeEnv>) -> Result<(Self, Option<Manifest>)> {
        let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", path.display());
        if path.exists() && !path.is_dir() {
            return exec_err!("{}: must be a directory, but it is a file", path.display());
        }
        let existing = path.ancestors().find(|above| above.exists());
        if let Some(file) = existing.filter(|above| !above.is_dir()) {
            return exec_err!(
                "{}: cannot be made, because {} is a file",
                path.display(),
                file.display()
            );
        }
        let is_new = !path.exists();
        fs::create_dir_all(path).map_err(at)?;
        let path = path.canonicalize().map_err(at)?;
        if is_new && let Some(parent) = path.parent() {
            // This is best effort: the parent directory may not be readable.
            let _ = disk::sync_directory(parent);
        }
        // Checked first without the lock, so that an error leaves no lock file behind, then read again under it.
        disk::find_manifest(&path)?;
        let lock = disk::lock(&path)?;
        let found = disk::find_manifest(&path)?;
        let directory = Self {
            location: Location::from(path.clone()),
            runtime,
            backend: Backend::Disk { path, _lock: lock },
        };
        Ok((directory, found))
    }

    async fn in_store(
        location: Location,
        runtime: Arc<RuntimeEnv>,
    ) -> Result<(Self, Option<Manifest>)> {
        let (store, path) = location.store(&runtime)?;
        let manifest = location.join(MANIFEST);
        let at = |error: StoreError| exec_datafusion_err!("{manifest}: {error}");
        let (found, version) = match store.get(&path.clone().join(MANIFEST)).await {
            Ok(found) => {
                let version = UpdateVersion {
                    e_tag: found.meta.e_tag.clone(),
                    version: found.meta.version.clone(),
                };
                Manifest::check_size(found.meta.size, &manifest).map_err(no_job)?;
                let bytes = found.bytes().await.map_err(at)?;
                let read = Manifest::parse(&bytes, &manifest).map_err(no_job)?;
                (Some(read), Some(version))
            }
            Err(StoreError::NotFound { .. }) => (None, None),
            Err(error) => return Err(at(error)),
        };
        if found.is_none()
            && let Some(object) = store.list(Some(&path)).next().await
        {
            let object = object.map_err(at)?.location;
            let name = object
                .as_ref()
                .strip_prefix(path.as_ref())
                .unwrap_or_default();
            return other_files(&location, name.trim_start_matches('/'));
        }
        let backend = Backend::Store {
            store,
            path,
            version,
        };
        let directory = Self {
            location,
            runtime,
            backend,
        };
        Ok((directory, found))
    }

    pub(super) fn location(&self) -> &Location {
        &self.location
    }

    /// Replaces the manifest atomically.
    ///
    /// # Errors
    /// If it cannot be written, or another process has replaced it since this process wrote it.
    pub(super) async fn store(&mut self, manifest: &Manifest) -> Result<()> {
        let text = manifest.text()?;
        match &mut self.backend {
            Backend::Disk { path, .. } => {
                let file = path.join(MANIFEST);
                disk::replace(path, &file, &text)
                    .map_err(|error| exec_datafusion_err!("{}: {error}", file.display()))
            }
            Backend::Store {
                store,
                path,
                version,
            } => {
                let mode = version.clone().map_or(PutMode::Create, PutMode::Update);
                let file = path.clone().join(MANIFEST);
                match store.put_opts(&file, text.into(), mode.into()).await {
                    Ok(PutResult {
                        e_tag, version: v, ..
                    }) => {
                        *version = Some(UpdateVersion { e_tag, version: v });
                        Ok(())
                    }
                    Err(
                        StoreError::AlreadyExists { .. }
                        | StoreError::Precondition { .. }
                        | StoreError::NotFound { .. },
                    ) => exec_err!("{}: another process works on this job", self.location),
                    Err(error) => exec_err!("{}: {error}", self.location.join(MANIFEST)),
                }
            }
        }
    }

    /// Checks that no other process has taken over the job, before anything is removed.
    ///
    /// # Errors
    /// As [`Self::store`].
    pub(super) async fn claim(&mut self, manifest: &Manifest) -> Result<()> {
        match self.backend {
            Backend::Disk { .. } => Ok(()),
            Backend::Store { .. } => self.store(manifest).await,
        }
    }

    /// Syncs files below the directory, and their names, to disk, so that they survive a loss of power. Object
    /// stores need no sync.
    ///
    /// # Errors
    /// If a file or directory cannot be synced.
    pub(super) async fn sync(&self, names: &[&str]) -> Result<()> {
        let Backend::Disk { path, .. } = &self.backend else {
            return Ok(());
        };
        let files: Vec<PathBuf> = names.iter().map(|name| path.join(name)).collect();
        let root = path.clone();
        let work = move || {
            let mut directories = BTreeSet::from([root.clone()]);
            for file in &files {
                fs::File::open(file)
                    .and_then(|file| file.sync_all())
                    .map_err(|error| exec_datafusion_err!("{}: {error}", file.display()))?;
                let above = file.ancestors().skip(1);
                let below = above.take_while(|above| *above != root);
                directories.extend(below.map(Path::to_owned));
            }
            // Deepest directories first.
            for directory in directories.iter().rev() {
                disk::sync_directory(directory)
                    .map_err(|error| exec_datafusion_err!("{}: {error}", directory.display()))?;
            }
            Ok(())
        };
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| DataFusionError::External(error.into()))?
    }

    /// The size in bytes of a file below the directory; `None` if there is no such file.
    pub(super) async fn bytes(&self, name: &str) -> Result<Option<u64>> {
        let file = self.location.join(name);
        match &self.backend {
            Backend::Disk { .. } => match fs::metadata(file.as_str()) {
                Ok(found) => Ok(Some(found.len())),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => exec_err!("{file}: {error}"),
            },
            Backend::Store { store, .. } => match store.head(&file.store(&self.runtime)?.1).await {
                Ok(found) => Ok(Some(found.size)),
                Err(StoreError::NotFound { .. }) => Ok(None),
                Err(error) => exec_err!("{file}: {error}"),
            },
        }
    }

    /// Removes files and directories below the directory, if they exist.
    pub(super) async fn remove(&self, names: &[&str]) -> Result<()> {
        for name in names {
            let location = self.location.join(name);
            let removed: Result<(), DataFusionError> = match &self.backend {
                Backend::Disk { .. } => {
                    let path = Path::new(location.as_str());
                    let removed = match path.is_dir() {
                        true => fs::remove_dir_all(path),
                        false => fs::remove_file(path),
                    };
                    match removed {
                        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                        removed => removed.map_err(Into::into),
                    }
                }
                Backend::Store { store, .. } => {
                    let path = location.store(&self.runtime)?.1;
                    let below = store.list(Some(&path)).map_ok(|meta| meta.location);
                    let all = futures::stream::iter([Ok(path.clone())])
                        .chain(below)
                        .boxed();
                    let is_gone = |removed: &Result<ObjectPath, StoreError>| {
                        matches!(removed, Err(StoreError::NotFound { .. }))
                    };
                    let removed = store.delete_stream(all);
                    let failed =
                        removed.filter(|removed| futures::future::ready(!is_gone(removed)));
                    let failed = failed.try_for_each(|_| async { Ok(()) }).await;
                    failed.map_err(Into::into)
                }
            };
            removed
                .map_err(|error| exec_datafusion_err!("{location}: {}", error.strip_backtrace()))?;
        }
        Ok(())
    }

    /// Makes an empty directory below the directory; removes what an attempt that was not committed left there.
    pub(super) async fn empty(&self, name: &str) -> Result<()> {
        self.remove(&[name]).await?;
        if let Backend::Disk { path, .. } = &self.backend {
            let path = path.join(name);
            fs::create_dir_all(&path)
                .map_err(|error| exec_datafusion_err!("{}: {error}", path.display()))?;
        }
        Ok(())
    }

    /// Moves a file below the directory to its final name.
    pub(super) async fn publish(&self, from: &str, to: &str) -> Result<()> {
        let file = self.location.join(to);
        match &self.backend {
            Backend::Disk { path, .. } => {
                let from = path.join(from);
                let moved =
                    fs::rename(&from, path.join(to)).and_then(|()| disk::sync_directory(path));
                moved.map_err(|error| exec_datafusion_err!("{file}: {error}"))?;
                // The step's directory is now empty; it does no harm if it cannot be removed.
                if let Some(parent) = from.parent() {
                    let _ = fs::remove_dir(parent);
                }
                Ok(())
            }
            Backend::Store { store, .. } => {
                let (from, to) = (self.location.join(from), file.store(&self.runtime)?.1);
                let from = from.store(&self.runtime)?.1;
                let moved = moved(store, &from, to).await;
                moved.map_err(|error| exec_datafusion_err!("{file}: {}", error.strip_backtrace()))
            }
        }
    }
}

/// The error for a manifest that cannot be read. It is an error even with `overwrite`, because the file may belong
/// to another program.
fn no_job(error: DataFusionError) -> DataFusionError {
    let found = error.strip_backtrace();
    parameter_error![
        found,
        "; no job can resume here: remove the directory if it is not needed, or give another one with ",
        named("output")
    ]
    .into()
}

/// The error for a directory that holds files but no job.
fn other_files<T>(directory: &dyn std::fmt::Display, name: &str) -> Result<T> {
    Err(parameter_error![
        format!("{directory} is not empty and holds no job (it contains '{name}')"),
        "; give another directory with ",
        named("output")
    ]
    .into())
}

/// Reads a file and returns its size in bytes and its XXH3-64; `None` if there is no such file.
///
/// # Errors
/// If the file exists but cannot be read.
pub(super) async fn content(file: &Location, runtime: &RuntimeEnv) -> Result<Option<(u64, u64)>> {
    if let Some(path) = file.path() {
        let path = path.to_owned();
        let read = tokio::task::spawn_blocking(move || disk::content(&path)).await;
        let read = read.map_err(|error| DataFusionError::External(error.into()))?;
        return read.map_err(|error| exec_datafusion_err!("{file}: {error}"));
    }
    let at = |error: StoreError| exec_datafusion_err!("{file}: {error}");
    let (store, path) = file.store(runtime)?;
    let mut bytes = match store.get(&path).await {
        Ok(found) => found.into_stream(),
        Err(StoreError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(at(error)),
    };
    let (mut size, mut hasher) = (0, Xxh3::new());
    while let Some(part) = bytes.next().await {
        let part = part.map_err(at)?;
        size += part.len() as u64;
        hasher.update(&part);
    }
    Ok(Some((size, hasher.digest())))
}

/// Copies an object to another key, then removes it under its old key.
async fn moved(store: &Arc<dyn ObjectStore>, from: &ObjectPath, to: ObjectPath) -> Result<()> {
    let found = store.get(from).await?;
    if found.meta.size <= MAX_COPY_BYTES {
        drop(found);
        store.copy(from, &to).await?;
    } else {
        let mut bytes = found.into_stream();
        let mut writer = BufWriter::new(Arc::clone(store), to);
        while let Some(part) = bytes.next().await {
            writer.put(part?).await?;
        }
        writer.shutdown().await?;
    }
    Ok(store.delete(from).await?)
}
