//! Resolves the locations that a user names to files: paths, globs, addresses of objects.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use datafusion::catalog::Session;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, plan_datafusion_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::object_store::{Error, ObjectStore, ObjectStoreExt, path::Path as ObjectPath};
use futures::TryStreamExt;
use glob::{MatchOptions, Pattern};

use super::storage::StoredFile;

/// The kind of files that a table is made from, for error messages.
pub(crate) struct Wanted {
    /// As in "a table of …".
    pub(crate) what: &'static str,
    /// A glob of file names.
    pub(crate) example: &'static str,
}

/// The files of a table, each once, in the order of its locations and by name within a glob.
pub(crate) struct Located {
    pub(crate) store: ObjectStoreUrl,
    pub(crate) files: Vec<StoredFile>,
}

/// Glob options: `*` does not match `/` or a leading dot.
const MATCH: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

pub(crate) async fn locate(
    session: &dyn Session,
    locations: &[String],
    wanted: &'static Wanted,
) -> Result<Located> {
    let mut found: Option<Located> = None;
    let mut seen = HashSet::new();
    for location in locations {
        let (url, paths) = if location.contains("://") {
            remote(session, location, wanted).await?
        } else {
            local(location.clone(), wanted).await?
        };
        let store = session.runtime_env().object_store(&url)?;
        let located = found.get_or_insert_with(|| Located {
            store: url.clone(),
            files: Vec::new(),
        });
        if located.store != url {
            return Err(plan_datafusion_err!(
                "{location}: the files of a table must lie in one store, and others of this table \
                 lie in {}",
                located.store
            ));
        }
        for path in paths {
            if !seen.insert(path.clone()) {
                continue;
            }
            let meta = store
                .head(&path)
                .await
                .map_err(|error| fault(&location, error))?;
            let file = StoredFile::new(Arc::clone(&store), url.as_str(), meta);
            located.files.push(file);
        }
    }
    found.ok_or_else(|| plan_datafusion_err!("a table of {} needs at least one file", wanted.what))
}

/// The files on disk that a path or a glob refers to.
async fn local(
    location: String,
    wanted: &'static Wanted,
) -> Result<(ObjectStoreUrl, Vec<ObjectPath>)> {
    let list = move || -> Result<Vec<ObjectPath>> {
        let paths = local_paths(&location, wanted)?;
        paths
            .iter()
            .map(|path| object_path(path).map_err(|error| fault(&path.display(), error)))
            .collect()
    };
    let paths = tokio::task::spawn_blocking(list)
        .await
        .map_err(|error| DataFusionError::External(Box::new(error)))??;
    Ok((ObjectStoreUrl::local_filesystem(), paths))
}

fn object_path(path: &Path) -> Result<ObjectPath, Error> {
    let absolute = path.canonicalize().map_err(|source| Error::Generic {
        store: "LocalFileSystem",
        source: Box::new(source),
    })?;
    Ok(ObjectPath::from_absolute_path(absolute)?)
}

fn local_paths(location: &str, wanted: &Wanted) -> Result<Vec<PathBuf>> {
    let path = Path::new(location);
    if path.is_dir() {
        return Err(plan_datafusion_err!(
            "{location}: is a directory; name files, for example '{}/{}'",
            location.trim_end_matches('/'),
            wanted.example
        ));
    }
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    if path.exists() {
        return Err(plan_datafusion_err!(
            "{location}: is not a regular file (random access is needed)"
        ));
    }
    if !is_glob(location) {
        return Err(plan_datafusion_err!("{location}: no such file"));
    }
    let compiled = Pattern::new(&plain(path)).map_err(|error| pattern(location, &error))?;
    // With these options, the `glob` crate leaves out what `.a*` matches, and fails at names that are not UTF-8.
    let matches = glob::glob(location).map_err(|error| pattern(location, &error))?;
    let mut paths = Vec::new();
    for path in matches {
        let path = path.map_err(|error| exec_datafusion_err!("{location}: {error}"))?;
        if path.is_file() && compiled.matches_with(&plain(&path), MATCH) {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(no_match(location));
    }
    Ok(paths)
}

/// A path without `.` and repeated slashes.
fn plain(path: &Path) -> String {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.collect::<PathBuf>().to_string_lossy().into_owned()
}

/// The objects that an address refers to; its path may be a glob.
async fn remote(
    session: &dyn Session,
    location: &str,
    wanted: &Wanted,
) -> Result<(ObjectStoreUrl, Vec<ObjectPath>)> {
    let url = ListingTableUrl::parse(location)?;
    let store_url = url.object_store();
    let store = session.runtime_env().object_store(&store_url)?;
    if url.is_collection() {
        return Err(plan_datafusion_err!(
            "{location}: is a directory; name files, for example '{location}{}'",
            wanted.example
        ));
    }
    match store.head(url.prefix()).await {
        Ok(meta) => return Ok((store_url, vec![meta.location])),
        Err(Error::NotFound { .. }) if is_glob(url.prefix().as_ref()) => {}
        Err(error) => return Err(fault(&location, error)),
    }
    let objects = matching(&*store, url.prefix(), location).await?;
    if objects.is_empty() {
        return Err(no_match(location));
    }
    Ok((store_url, objects))
}

async fn matching(
    store: &dyn ObjectStore,
    path: &ObjectPath,
    location: &str,
) -> Result<Vec<ObjectPath>> {
    let compiled = Pattern::new(path.as_ref()).map_err(|error| pattern(location, &error))?;
    // The parts of the path before the first one with a wildcard.
    let prefix: ObjectPath = path
        .parts()
        .take_while(|part| !is_glob(part.as_ref()))
        .collect();
    let mut objects: Vec<ObjectPath> = store
        .list(Some(&prefix))
        .try_filter_map(|meta| {
            let matches = compiled.matches_with(meta.location.as_ref(), MATCH);
            futures::future::ready(Ok(matches.then_some(meta.location)))
        })
        .try_collect()
        .await
        .map_err(|error| fault(&location, error))?;
    objects.sort();
    Ok(objects)
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn no_match(location: &str) -> DataFusionError {
    plan_datafusion_err!("{location}: no file matches")
}

fn pattern(location: &str, error: &glob::PatternError) -> DataFusionError {
    plan_datafusion_err!("{location}: {}", error.msg)
}

fn fault(location: &dyn std::fmt::Display, error: Error) -> DataFusionError {
    match error {
        Error::NotFound { .. } => plan_datafusion_err!("{location}: no such file"),
        error => exec_datafusion_err!("{location}: {error}"),
    }
}
