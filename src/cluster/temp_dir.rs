//! Temporary directories that only the process's user can read, with names that cannot be guessed. A process
//! removes its directory when it ends; the directory of a killed process is removed by the next process that
//! makes one below the same parent.

use std::fs::{DirBuilder, File};
use std::io::Result;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The lock file, which the process that owns the directory holds locked.
const LOCK: &str = ".lock";

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
        // The lock file is locked before it gets its name: another process may be sweeping at this moment.
        let new = made.path.join(".lock.new");
        let lock = File::create(&new)?;
        // On a file system without locks directories are not swept either.
        if lock.try_lock().is_ok() {
            std::fs::rename(&new, made.path.join(LOCK))?;
            made.lock = Some(lock);
        }
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

/// Removes directories of this kind whose processes have ended.
fn sweep(parent: &Path, kind: &str) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .and_then(|name| name.strip_prefix(kind)?.strip_prefix('-'))
            .is_some_and(|rest| uuid::Uuid::try_parse(rest).is_ok());
        // This is the type of the entry itself, so symbolic links are left alone.
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        // A directory that is being made has no lock file yet, and that of another user cannot be opened: both
        // are left alone.
        let lock = File::options().write(true).open(entry.path().join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
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
