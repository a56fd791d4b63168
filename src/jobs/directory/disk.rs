//! What a directory on disk needs: the lock, the manifest under it, and names that survive a loss of power.

use super::{foreign, no_job};
use crate::files::MANIFEST;
use crate::jobs::manifest::Manifest;
use datafusion::common::{Result, exec_datafusion_err, exec_err};
use std::fs::{self, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Files on disk are read in pieces of this size.
const READ_BYTES: usize = 1 << 20;

/// Of a job that was stopped before its first manifest was whole, these may be left.
const BEFORE_MANIFEST: [&str; 2] = [".lock", "manifest.json.new"];

/// Size and XXH3-64 of a file, if it is there.
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

/// The manifest of a directory, which holds a job or nothing.
pub(super) fn found(path: &Path) -> Result<Option<Manifest>> {
    let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", path.display());
    if !path.join(MANIFEST).exists() {
        for entry in fs::read_dir(path).map_err(at)? {
            let name = entry.map_err(at)?.file_name();
            if !BEFORE_MANIFEST.iter().any(|ours| name == *ours) && name != MANIFEST {
                return foreign(&path.display(), &name.to_string_lossy());
            }
        }
    }
    Manifest::load(path).map_err(no_job)
}

/// Locks a directory for as long as the file is open.
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
    // Of a file that was replaced meanwhile, another process may hold the lock.
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

/// Writes the names in a directory to the disk, where its file system can.
pub(super) fn synced(directory: &Path) -> std::io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match fs::File::open(directory)?.sync_all() {
        // Some file systems know no such thing.
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

/// Writes a file aside, then renames it into place.
pub(super) fn replace(directory: &Path, file: &Path, text: &str) -> std::io::Result<()> {
    let aside = directory.join(format!("{MANIFEST}.new"));
    let mut new = fs::File::create(&aside)?;
    new.write_all(text.as_bytes())?;
    new.sync_all()?;
    fs::rename(&aside, file)?;
    synced(directory)
}
