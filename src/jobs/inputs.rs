//! The input files of a job: detects changes to them, and refuses files in the output directory.

use super::manifest::InputFile;
use crate::files::{Input, Location};
use crate::parameters::{name, parameter_error};
use datafusion::common::{Result, exec_datafusion_err, exec_err};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::{Error as StoreError, ObjectMeta, ObjectStoreExt};
use futures::{FutureExt, StreamExt, TryStreamExt};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// Number of bytes at the beginning and at the end of a file that its checksum covers.
const END_BYTES: u64 = 64 << 10;
/// Number of files that are read at the same time.
const CONCURRENT_FILES: usize = 16;

/// Records size, times, tags and checksums of the files, by which a change of them is detected.
///
/// # Errors
/// If a file cannot be read.
pub(super) async fn identify(input: &Input, runtime: &RuntimeEnv) -> Result<Vec<InputFile>> {
    let files = input.files.iter();
    let all: Vec<_> = files
        .map(|file| identify_file(file, runtime).boxed())
        .collect();
    let identified = futures::stream::iter(all).buffered(CONCURRENT_FILES);
    identified.try_collect().await
}

async fn identify_file(file: &Location, runtime: &RuntimeEnv) -> Result<InputFile> {
    let meta = file.head(runtime).await?;
    let ends = ends(file, meta.size, runtime).await;
    let ends = ends.map_err(|error| exec_datafusion_err!("{file}: {error}"))?;
    Ok(input_file(file.to_string(), meta, ends))
}

/// Checks that the files are as they were recorded.
///
/// # Errors
/// If a file has changed or is gone; the error names it.
pub(super) async fn check(inputs: &[InputFile], runtime: &RuntimeEnv) -> Result<()> {
    let inputs = inputs.iter();
    let all: Vec<_> = inputs
        .map(|input| check_file(input, runtime).boxed())
        .collect();
    let checked = futures::stream::iter(all).buffered(CONCURRENT_FILES);
    checked.try_collect().await
}

/// Checks that the files hold the bytes that a job read, whatever their modification times. Files recorded in
/// format 1, which has no checksums, are not checked.
///
/// # Errors
/// If a file holds other bytes or is gone; the error names it.
pub(super) async fn check_bytes(inputs: &[InputFile], runtime: &RuntimeEnv) -> Result<()> {
    for input in inputs.iter().filter(|input| !input.ends.is_empty()) {
        let file = Location::new(&input.path)?;
        let now = identify_file(&file, runtime).await?;
        if (now.bytes, &now.ends) != (input.bytes, &input.ends) {
            return exec_err!(
                "the input file {file} holds other bytes than those that the job read"
            );
        }
    }
    Ok(())
}

async fn check_file(input: &InputFile, runtime: &RuntimeEnv) -> Result<()> {
    let change = change(input, runtime).await;
    match change.map_err(|error| exec_datafusion_err!("{}: {error}", input.path))? {
        None => Ok(()),
        Some(change) => exec_err!(
            "the input file {} has changed while the job ran: {change}",
            input.path
        ),
    }
}

async fn change(
    input: &InputFile,
    runtime: &RuntimeEnv,
) -> std::result::Result<Option<String>, StoreError> {
    let other = |error: datafusion::common::DataFusionError| StoreError::Generic {
        store: "input",
        source: error.into(),
    };
    let file = Location::new(&input.path).map_err(other)?;
    let (store, path) = file.store(runtime).map_err(other)?;
    let meta = match store.head(&path).await {
        Ok(meta) => meta,
        Err(StoreError::NotFound { .. }) => return Ok(Some("it is gone".to_owned())),
        Err(error) => return Err(error),
    };
    let size = meta.size;
    let mut now = input_file(input.path.clone(), meta, input.ends.clone());
    // An entity tag changes with any byte, so a file with one need not be read.
    if now.e_tag.is_none() && now.bytes == input.bytes {
        now.ends = match ends(&file, size, runtime).await {
            Err(StoreError::NotFound { .. }) => return Ok(Some("it is gone".to_owned())),
            ends => ends?,
        };
    }
    Ok(input.change(&now))
}

fn input_file(path: String, meta: ObjectMeta, ends: String) -> InputFile {
    let modified = meta.last_modified.timestamp_nanos_opt();
    // The tag of a file on disk contains its inode number, which a copy does not keep.
    let is_local = Location::new(&path).is_ok_and(|file| file.path().is_some());
    InputFile {
        path,
        bytes: meta.size,
        modified: modified
            .and_then(|time| u64::try_from(time).ok())
            .unwrap_or(0),
        ends,
        e_tag: meta.e_tag.filter(|_| !is_local),
        version: meta.version.filter(|_| !is_local),
    }
}

/// A checksum of the first and the last [`END_BYTES`] of a file, in hexadecimal.
async fn ends(
    file: &Location,
    size: u64,
    runtime: &RuntimeEnv,
) -> std::result::Result<String, StoreError> {
    let (store, path) = file.store(runtime).map_err(|error| StoreError::Generic {
        store: "input",
        source: error.into(),
    })?;
    let mut hasher = Xxh3::new();
    let first = 0..size.min(END_BYTES);
    let last = size.saturating_sub(END_BYTES).max(first.end)..size;
    for range in [first, last] {
        if !range.is_empty() {
            hasher.update(&store.get_range(&path, range).await?);
        }
    }
    Ok(format!("{:016x}", hasher.digest()))
}

/// Refuses inputs in the output directory, whose files a job replaces.
///
/// # Errors
/// If the output directory has no name, or an input is in that directory, by whatever name it was given.
pub(super) fn refuse_inside(input: &Input, output: &str, runtime: &RuntimeEnv) -> Result<()> {
    if output.is_empty() {
        let why = " must be the path of a directory, found ''";
        return Err(parameter_error![name("output"), why].into());
    }
    let output = Location::new(output)?;
    let inside = match output.path() {
        Some(directory) => on_disk(input, directory),
        None => in_store(input, &output, runtime)?,
    };
    match inside {
        None => Ok(()),
        Some(file) => Err(parameter_error![
            format!(
                "the input {file} is in the output directory {output}, whose files are replaced; give another directory with "
            ),
            name("output")
        ]
        .into()),
    }
}

fn in_store<'a>(
    input: &'a Input,
    output: &Location,
    runtime: &RuntimeEnv,
) -> Result<Option<&'a Location>> {
    let (_, directory) = output.store(runtime)?;
    for file in &input.files {
        let (_, path) = file.store(runtime)?;
        if bucket(file.as_str()) == bucket(output.as_str()) && path.prefix_matches(&directory) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Scheme and bucket of an address; `s3a` is the same scheme as `s3`.
fn bucket(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let scheme = if scheme == "s3a" { "s3" } else { scheme };
    Some((scheme, rest.split('/').next().unwrap_or_default()))
}

fn on_disk<'a>(input: &'a Input, directory: &Path) -> Option<&'a Location> {
    let mut owned = vec![real(directory)];
    // A directory of the job may be a symbolic link to another directory.
    for name in super::directory::OWNED {
        let path = directory.join(name);
        if path.is_symlink() {
            owned.push(real(&path));
        }
    }
    let identities: BTreeSet<_> = owned.iter().filter_map(|path| identity(path)).collect();
    let mut known = BTreeSet::new();
    let files = input
        .files
        .iter()
        .filter_map(|file| Some((file, file.path()?)));
    // A name may be a link, which is in the directory or leads there.
    let paths = files.flat_map(|(file, path)| [(file, path.to_owned()), (file, real(path))]);
    for (file, path) in paths {
        if owned.iter().any(|directory| path.starts_with(directory)) {
            return Some(file);
        }
        // The same directory may be mounted at two paths.
        for above in path.ancestors() {
            if !known.insert(above.to_owned()) {
                break;
            }
            if identity(above).is_some_and(|found| identities.contains(&found)) {
                return Some(file);
            }
        }
    }
    None
}

/// A path without links, also of something that is not there yet.
fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut above = path;
    loop {
        if let Ok(found) = above.canonicalize() {
            let mut real = found;
            for part in missing.into_iter().rev() {
                match part {
                    Component::ParentDir => drop(real.pop()),
                    part => real.push(part),
                }
            }
            return real;
        }
        let mut parts = above.components();
        match parts.next_back() {
            Some(part) => missing.push(part),
            None => return path.to_owned(),
        }
        above = parts.as_path();
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_yet_has_a_real_path() {
        let here = Path::new("/").canonicalize().expect("a root");
        assert_eq!(
            real(Path::new("/no-such-place/a/../b")),
            here.join("no-such-place/b")
        );
        assert_eq!(real(Path::new("/no-such-place/../..")), here);
    }

    #[test]
    fn buckets_are_compared_by_name() {
        assert_eq!(bucket("s3a://b/x"), bucket("s3://b/y"));
        assert_ne!(bucket("s3://b/x"), bucket("s3://c/x"));
    }
}
