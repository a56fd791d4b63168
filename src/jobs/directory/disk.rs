//! A job's directory on disk: the lock, the manifest, and syncing of names to survive a loss of power.

use super::{no_job, other_files};
use crate::files::MANIFEST;
use crate::jobs::manifest::Manifest;
use datafusion::common::{Result, exec_datafusion_err, exec_err};
use std::fs::{self, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Size in bytes of the buffer that files are read with.
const READ_BYTES: usize = 1 << 20;

/// Files that a job may leave if it is stopped before its first manifest is written.
const BEFORE_MANIFEST: [&str; 2] = [".lock", "manifest.json.new"];

/// Size in bytes and XXH3-64 of a file; `None` if there is no such file.
pub(super) fn content(path: &Path) -> std::io::Result<Option<(u64, u64)>> {
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if file.metadata()?.is_dir() {
        let wrong = "must be a file, but it is a directory: remove it, and the step is done again";
        return Err(std::io::Error::new(ErrorKind::IsADirectory, wrong));
    }
    let (mut size, mut hasher) = (0, Xxh3::new());
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Some((size, hasher.digest()))),
            Ok(read) => {
                size += read as u64;
                hasher.update(&buffer[..read]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The manifest of a directory; `None` if the directory is empty. It is an error if the directory holds other files
/// but no manifest.
pub(super) fn find_manifest(path: &Path) -> Result<Option<Manifest>> {
    let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", path.display());
    if !path.join(MANIFEST).exists() {
        for entry in fs::read_dir(path).map_err(at)? {
            let name = entry.map_err(at)?.file_name();
            if !BEFORE_MANIFEST.iter().any(|ours| name == *ours) && name != MANIFEST {
                return other_files(&path.display(), &name.to_string_lossy());
            }
        }
    }
    Manifest::load(path).map_err(no_job)
}

/// Locks a directory as long as the returned file is open.
pub(super) fn lock(directory: &Path) -> Result<fs::File> {
    let path = directory.join(".lock");
    let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", path.display());
    let lock = fs::File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(at)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return exec_err!(
                "{}: another process works in this directory",
                directory.display()
            );
        }
        Err(TryLockError::Error(error)) => {
            return exec_err!(
                "{}: the file cannot be locked, and without a lock two processes could write here: {error}",
                path.display()
            );
        }
    }
    // If the lock file was replaced meanwhile, another process may hold the lock of the new one.
    match is_same(&lock, &path) {
        Ok(true) => Ok(lock),
        Ok(false) => exec_err!(
            "{}: another process works in this directory",
            directory.display()
        ),
        Err(error) => Err(at(error)),
    }
}

#[cfg(unix)]
fn is_same(open: &fs::File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, found) = (open.metadata()?, fs::metadata(path)?);
    Ok((open.dev(), open.ino()) == (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn is_same(_: &fs::File, path: &Path) -> std::io::Result<bool> {
    path.try_exists()
}

/// Syncs the names in a directory to disk, if its file system supports that.
pub(super) fn sync_directory(directory: &Path) -> std::io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match fs::File::open(directory)?.sync_all() {
        // Some file systems cannot sync directories.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Replaces a file atomically: writes a temporary file, syncs it and renames it.
pub(super) fn replace(directory: &Path, file: &Path, text: &str) -> std::io::Result<()> {
    let aside = directory.join(format!("{MANIFEST}.new"));
    let mut new = fs::File::create(&aside)?;
    new.write_all(text.as_bytes())?;
    new.sync_all()?;
    fs::rename(&aside, file)?;
    sync_directory(directory)
}
