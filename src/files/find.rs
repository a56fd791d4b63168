//! Finds the files that a name refers to: a file, a directory or a glob, on disk or in an object store.

use super::stores::{BUCKETS, NO_STORE};
use super::{KNOWN, Location, is_text, kind_of};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::path::Path as ObjectPath;
use datafusion::object_store::{Error as StoreError, ObjectMeta, ObjectStore, ObjectStoreExt};
use futures::TryStreamExt;
use glob::{MatchOptions, Pattern};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The file that describes a job, in the job's directory.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Glob options: `*` does not match `/` or a leading dot.
const MATCH: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// A file that a name refers to: its location, and its path before symbolic links are resolved, if it may have some.
pub(super) type Named = (Location, Option<PathBuf>);

/// The files on disk that a name refers to, as absolute paths.
pub(super) fn on_disk(name: &str) -> Result<Vec<Named>> {
    let mut files = Vec::new();
    let path = Path::new(name);
    if path.is_dir() {
        walk(path, &mut files)?;
        if files.is_empty() {
            return holds_nothing(name);
        }
    } else if path.exists() {
        files.push(path.to_owned());
    } else if is_glob(name) {
        files = matching(name)?;
        if files.is_empty() {
            return exec_err!("{name}: no file matches");
        }
    } else {
        return exec_err!("{name}: no such file or directory");
    }
    let named = |file: PathBuf| -> Result<Named> { Ok((absolute(&file)?, Some(file))) };
    files.into_iter().map(named).collect()
}

/// The absolute path of a file. Of the names of the file and of the links to it, the first one that tells its kind is
/// kept, because stores of models and data sets link to files that are named by their checksums.
fn absolute(file: &Path) -> Result<Location> {
    let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", file.display());
    if file.to_str().is_none() {
        return Err(not_text(file));
    }
    let target = file.canonicalize().map_err(at)?;
    let mut named = file.to_owned();
    while kind_of(&named.to_string_lossy()).is_err()
        && let Ok(next) = named.read_link()
    {
        named = directory_of(&named).join(next);
    }
    match named.file_name() {
        Some(name) if named.is_symlink() => {
            let directory = directory_of(&named).canonicalize().map_err(at)?;
            Ok(Location::from(directory.join(name)))
        }
        _ => Ok(Location::from(target)),
    }
}

fn directory_of(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The files that a pattern matches. As in a shell, wildcards, also `**`, match no hidden files and directories.
fn matching(name: &str) -> Result<Vec<PathBuf>> {
    let failed = |error: &dyn Display| exec_datafusion_err!("{name}: {error}");
    let pattern = Pattern::new(&plain(Path::new(name)).to_string_lossy());
    let pattern = pattern.map_err(|error| failed(&error))?;
    let is_match = |path: &Path| pattern.matches_with(&plain(path).to_string_lossy(), MATCH);
    let mut files = Vec::new();
    // With these options, the `glob` crate leaves out what `.a*` matches, and fails at names that are not UTF-8.
    for path in glob::glob(name).map_err(|error| failed(&error))? {
        let path = path.map_err(|error| failed(&error))?;
        if path.is_file() && is_match(&path) {
            files.push(path);
        }
    }
    refuse_invalid_names(name, is_match)?;
    Ok(files)
}

/// A path without `.` and repeated slashes.
pub(super) fn plain(path: &Path) -> PathBuf {
    let parts = path.components();
    parts.filter(|part| *part != Component::CurDir).collect()
}

/// Refuses a glob that matches a name that is not valid UTF-8: the `glob` crate silently leaves such names out.
fn refuse_invalid_names(name: &str, is_match: impl Fn(&Path) -> bool) -> Result<()> {
    let parent = Path::new(name).parent().unwrap_or(Path::new(""));
    let directories = match parent.to_str() {
        None | Some("") => vec![Path::new(".").to_owned()],
        Some(parent) => {
            let found = glob::glob(parent);
            let found = found.map_err(|error| exec_datafusion_err!("{name}: {error}"))?;
            found.flatten().filter(|path| path.is_dir()).collect()
        }
    };
    for directory in directories {
        let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", directory.display());
        for entry in fs::read_dir(&directory).map_err(at)? {
            let entry = entry.map_err(at)?.file_name();
            let path = plain(&directory.join(&entry));
            if entry.to_str().is_none() && is_match(&path) {
                return Err(not_text(&path));
            }
        }
    }
    Ok(())
}

fn not_text(path: &Path) -> DataFusionError {
    exec_datafusion_err!(
        "{}: the name of the file is not valid UTF-8; rename it",
        path.display()
    )
}

/// Adds the files of known kinds below a directory and its subdirectories (with a stack instead of recursion); hidden
/// files, the directories of jobs, and texts beside files of other kinds are left out.
fn walk(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut others = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let at = |error: std::io::Error| exec_datafusion_err!("{}: {error}", directory.display());
        for entry in fs::read_dir(&directory).map_err(at)? {
            let entry = entry.map_err(at)?;
            let name = entry.file_name();
            if is_hidden(&name.to_string_lossy()) {
                continue;
            }
            let path = entry.path();
            // Symbolic links to directories are not followed, because they may form a cycle.
            if entry.file_type().map_err(at)?.is_dir() {
                if !is_job(&path) {
                    pending.push(path);
                }
            } else if path.is_file() && kind_of(&path.to_string_lossy()).is_ok() {
                files.push(path);
            } else {
                others.push(path);
            }
        }
    }
    // Texts beside tables or dumps are notes about them.
    let is_text = |path: &PathBuf| is_text(&path.to_string_lossy());
    if !files.iter().all(is_text) {
        others.extend(files.extract_if(.., |path| is_text(path)));
    }
    if let Some(first) = others.iter().min() {
        log::warn!(
            "{}: ignored {} files of other or unknown kinds, the first is {}",
            directory.display(),
            others.len(),
            first.display()
        );
    }
    Ok(())
}

fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

/// Whether a directory is that of a job, whose files are results and not inputs.
fn is_job(directory: &Path) -> bool {
    directory.join(".lock").is_file() && directory.join(MANIFEST).is_file()
}

/// The objects of a store that a name refers to.
pub(super) async fn in_store(name: &str, runtime: &RuntimeEnv) -> Result<Vec<Named>> {
    let location = Location::new(name)?;
    let (store, path) = location.store(runtime).map_err(|error| {
        match error.strip_backtrace().contains(NO_STORE) {
            true => exec_datafusion_err!(
                "{name}: addresses of this kind are not read, only paths{BUCKETS}; download the file first"
            ),
            false => error,
        }
    })?;
    let failed = |error: StoreError| exec_datafusion_err!("{name}: {error}");
    let is_directory = name.ends_with('/') || path.as_ref().is_empty();
    if !is_directory {
        match store.head(&path).await {
            Ok(_) => return Ok(vec![(location, None)]),
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    let is_glob = is_glob(path.as_ref());
    // The parts of the path before the first one with a wildcard.
    let prefix: ObjectPath = path
        .parts()
        .take_while(|part| !self::is_glob(part.as_ref()))
        .collect();
    let prefix = if is_glob { prefix } else { path.clone() };
    let objects: Vec<ObjectMeta> = store
        .list(Some(&prefix))
        .try_collect()
        .await
        .map_err(failed)?;
    let keys: BTreeSet<&str> = objects.iter().map(|meta| meta.location.as_ref()).collect();
    let found: Vec<&str> = match is_glob {
        true => {
            let pattern = Pattern::new(path.as_ref())
                .map_err(|error| exec_datafusion_err!("{name}: {error}"))?;
            let matches = |key: &&str| pattern.matches_with(key, MATCH);
            keys.iter().copied().filter(matches).collect()
        }
        false => below(path.as_ref(), &keys),
    };
    match (is_glob, found.is_empty()) {
        (true, true) => exec_err!("{name}: no file matches"),
        (false, true) if keys.is_empty() => exec_err!("{name}: no such file or directory"),
        (false, true) => holds_nothing(name),
        _ => Ok(found
            .into_iter()
            .map(|key| (location.in_same_store(key), None))
            .collect()),
    }
}

/// The keys below a directory, selected as by [`walk`].
fn below<'a>(directory: &str, keys: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let is_filled = |prefix: String| {
        let mut after = keys.range(prefix.as_str()..);
        after.next().is_some_and(|key| key.starts_with(&prefix))
    };
    let is_job = |directory: &&str| {
        ["steps", "plain_text"]
            .iter()
            .any(|name| is_filled(format!("{directory}/{name}/")))
    };
    let jobs: Vec<&str> = keys
        .iter()
        .filter_map(|key| key.strip_suffix(MANIFEST)?.strip_suffix('/'))
        .filter(|found| *found != directory)
        .filter(is_job)
        .collect();
    let is_wanted = |key: &&str| {
        let below = key.strip_prefix(directory).unwrap_or(key);
        let of_job = |job: &&str| {
            key.strip_prefix(job)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        !below.split('/').any(is_hidden) && !jobs.iter().any(of_job) && kind_of(key).is_ok()
    };
    let mut found: Vec<&str> = keys.iter().copied().filter(is_wanted).collect();
    if !found.iter().all(|key| is_text(key)) {
        found.retain(|key| !is_text(key));
    }
    found
}

fn holds_nothing<T>(name: &str) -> Result<T> {
    exec_err!("{name}: the directory holds no file of a known kind: {KNOWN}")
}
