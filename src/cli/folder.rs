//! Directories of this user in the place for temporary files, which others write to as well: private, and
//! never one that somebody else put there.

use super::stop::Unfinished;
use datafusion::common::{Result, exec_datafusion_err, exec_err};
use std::fs::{DirBuilder, File, Metadata};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Held locked by the process whose directory it stands in.
const LOCK: &str = ".lock";
/// Names that are tried before the place counts as full of other people's directories.
const TRIES: u32 = 100;

/// A new directory that goes with this process. What processes left that were killed is removed.
pub(super) struct ProcessFolder {
    directory: Unfinished,
    _lock: File,
}

impl ProcessFolder {
    /// A directory below `parent` whose name begins with `prefix` and cannot be guessed.
    pub(super) fn new(parent: &Path, prefix: &str) -> Result<Self> {
        let at = |error: std::io::Error| {
            exec_datafusion_err!(
                "temporary files in {}: {error}; --temp-dir gives another directory",
                parent.display()
            )
        };
        for _ in 0..TRIES {
            let made = tempfile::Builder::new()
                .prefix(prefix)
                .rand_bytes(20)
                .permissions(PermissionsExt::from_mode(0o700))
                .tempdir_in(parent);
            let directory = Unfinished::new(made.map_err(at)?.keep());
            let lock = File::create_new(directory.path().join(LOCK)).map_err(at)?;
            // Another process may have taken the directory for a dead one's before it was locked.
            if lock.try_lock().is_ok() && directory.path().join(LOCK).exists() {
                let owner = directory.path().metadata().map_err(at)?.uid();
                remove_dead(parent, prefix, owner, directory.path());
                return Ok(Self {
                    directory,
                    _lock: lock,
                });
            }
        }
        exec_err!(
            "temporary files in {}: no directory stays",
            parent.display()
        )
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes the directories of this user whose processes are gone.
fn remove_dead(parent: &Path, prefix: &str, owner: u32, own: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let named = entry.file_name().to_string_lossy().starts_with(prefix);
        let ours = || {
            let found = path.symlink_metadata();
            found.is_ok_and(|found| is_private(&found, owner))
        };
        if !named || path == own || !ours() {
            continue;
        }
        if let Ok(lock) = File::open(path.join(LOCK))
            && lock.try_lock().is_ok()
        {
            log::debug!("{}: its process is gone", path.display());
            // The lock is held until all is gone, so that nobody else removes it, too.
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

/// Whether a directory belongs to a user and to nobody else.
fn is_private(found: &Metadata, owner: u32) -> bool {
    found.is_dir() && found.uid() == owner && found.mode() & 0o077 == 0
}

/// The directory of this user that has this name as long as the system keeps it; another name where somebody
/// else has that one.
pub(super) fn lasting_folder(parent: &Path, name: &str) -> Result<PathBuf> {
    let at =
        |error: std::io::Error| exec_datafusion_err!("{}: {error}", parent.join(name).display());
    let owner = tempfile::tempfile_in(parent)
        .and_then(|file| file.metadata())
        .map_err(at)?
        .uid();
    for number in 0..TRIES {
        let path = parent.join(match number {
            0 => format!("{name}-{owner}"),
            _ => format!("{name}-{owner}-{number}"),
        });
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                if is_private(&path.symlink_metadata().map_err(at)?, owner) {
                    return Ok(path);
                }
            }
            Err(error) => return Err(at(error)),
        }
    }
    exec_err!(
        "{}: this and other names like it belong to other users",
        parent.join(name).display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_dead_process_is_tidied_up_after_and_a_living_one_is_not() {
        let parent = tempfile::tempdir().expect("a directory");
        let living = ProcessFolder::new(parent.path(), "p-").expect("a folder");
        let mode = living.path().metadata().expect("a folder").mode();
        assert_eq!(mode & 0o777, 0o700);
        let dead = parent.path().join("p-dead");
        DirBuilder::new()
            .mode(0o700)
            .create(&dead)
            .expect("a folder");
        std::fs::write(dead.join(LOCK), "").expect("a lock");
        std::fs::write(dead.join("rows"), "left").expect("a file");
        let foreign = parent.path().join("p-link");
        symlink(living.path(), &foreign).expect("a link");
        let other = ProcessFolder::new(parent.path(), "p-").expect("a folder");
        assert!(!dead.exists() && living.path().exists() && foreign.is_symlink());
        let path = other.path().to_owned();
        drop(other);
        assert!(!path.exists());
    }

    #[test]
    fn what_others_put_there_is_not_taken() {
        let parent = tempfile::tempdir().expect("a directory");
        let first = lasting_folder(parent.path(), "sample").expect("a folder");
        assert_eq!(lasting_folder(parent.path(), "sample").expect("it"), first);
        // A directory that others can write to, and a link in its place.
        std::fs::set_permissions(&first, PermissionsExt::from_mode(0o777)).expect("open");
        let second = lasting_folder(parent.path(), "sample").expect("a folder");
        assert_ne!(first, second);
        std::fs::remove_dir(&second).expect("removed");
        symlink(&first, &second).expect("a link");
        let third = lasting_folder(parent.path(), "sample").expect("a folder");
        assert!(third != first && third != second);
    }
}
