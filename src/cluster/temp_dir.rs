//! Temporary directories that only the process's user can read, with names that cannot be guessed. A process
//! removes its directory when it ends; the directory of a killed process is removed by the next process that
//! makes one below the same parent.

use std::fs::{DirBuilder, File};
use std::io::{Read, Result, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The lock file, which the process that owns the directory holds locked.
pub(super) const LOCK: &str = ".lock";

/// A private temporary directory, removed on drop.
#[derive(Debug)]
pub(super) struct LockedTempDir {
    path: PathBuf,
    lock: Option<File>,
}

impl LockedTempDir {
    /// Makes a new directory in `parent`, named `kind`, a hyphen and a random UUID.
    pub(super) fn new(parent: &Path, kind: &str) -> Result<Self> {
        std::fs::create_dir_all(parent)?;
        sweep(parent, kind);
        let path = parent.join(format!("{kind}-{}", uuid::Uuid::new_v4().simple()));
        DirBuilder::new().mode(0o700).create(&path)?;
        let mut made = Self { path, lock: None };
        made.lock = locked(&made.path, "")?;
        Ok(made)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for LockedTempDir {
    fn drop(&mut self) {
        // The next process removes what may be left.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Makes the lock file of a directory, which its owner holds locked, with the contents `mark`; `None` on a file system
/// without locks, where directories are not swept either.
pub(super) fn locked(directory: &Path, mark: &str) -> Result<Option<File>> {
    // The lock file is locked before it gets its name: another process may be sweeping at this moment.
    let new = directory.join(".lock.new");
    let mut lock = File::create(&new)?;
    lock.write_all(mark.as_bytes())?;
    if lock.try_lock().is_err() {
        std::fs::remove_file(&new)?;
        return Ok(None);
    }
    std::fs::rename(&new, directory.join(LOCK))?;
    Ok(Some(lock))
}

/// Removes directories of this kind whose processes have ended.
fn sweep(parent: &Path, kind: &str) {
    sweep_named(parent, "", |name| {
        let id = name.strip_prefix(kind)?.strip_prefix('-')?;
        uuid::Uuid::try_parse(id).ok()
    });
}

/// Removes directories whose names `id` recognises, and whose lock files contain `mark` and are not locked: those of
/// processes that have ended.
pub(super) fn sweep_named(parent: &Path, mark: &str, id: impl Fn(&str) -> Option<uuid::Uuid>) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().and_then(&id).is_some();
        // This is the type of the entry itself, so symbolic links are left alone.
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        // A directory that is being made has no lock file yet, and that of another user cannot be opened: both
        // are left alone.
        let lock = File::options()
            .read(true)
            .write(true)
            .open(entry.path().join(LOCK));
        let is_left = |mut lock: File| {
            let mut found = String::new();
            lock.read_to_string(&mut found).is_ok_and(|_| found == mark) && lock.try_lock().is_ok()
        };
        if lock.is_ok_and(is_left) {
            match std::fs::remove_dir_all(entry.path()) {
                Ok(()) => log::info!(
                    "{}: left by a killed process, removed",
                    entry.path().display()
                ),
                Err(error) => log::warn!("{}: {error}", entry.path().display()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_a_killed_process_left_is_removed_by_the_next() {
        let parent = tempfile::tempdir().unwrap();
        let alive = LockedTempDir::new(parent.path(), "rows").unwrap();
        let mode = std::fs::metadata(alive.path())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        let mut killed = LockedTempDir::new(parent.path(), "rows").unwrap();
        let left = killed.path().to_owned();
        std::fs::write(left.join("spilled"), "x").unwrap();
        killed.lock = None;
        std::mem::forget(killed);
        for other in ["rows-x", "other-0123456789abcdef0123456789abcdef", "rows"] {
            std::fs::create_dir(parent.path().join(other)).unwrap();
        }
        let next = LockedTempDir::new(parent.path(), "rows").unwrap();
        assert!(!left.exists());
        assert!(alive.path().exists());
        let own = next.path().to_owned();
        drop((alive, next));
        assert!(!own.exists());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 3);
    }
}
