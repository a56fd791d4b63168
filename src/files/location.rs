//! The location of a file or directory: a path on disk, or the address of an object in a store.

use datafusion::common::{Result, exec_datafusion_err, plan_datafusion_err, plan_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::object_store::path::Path as ObjectPath;
use datafusion::object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use std::fmt::{Display, Formatter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An absolute path on this machine, or `SCHEME://AUTHORITY/KEY` with the unencoded key of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location(String);

/// A store, and the path of an object in it.
pub(crate) type Stored = (Arc<dyn ObjectStore>, ObjectPath);

/// Whether a name is the address of an object and not a path; a name with `file://` is a path.
pub(crate) fn is_address(name: &str) -> bool {
    name.contains("://") && !name.starts_with("file://")
}

impl Location {
    /// The location that a name refers to; a path may be relative.
    ///
    /// # Errors
    /// If the name is empty, or the path is relative and the working directory does not exist.
    pub fn new(name: &str) -> Result<Self> {
        if name.is_empty() {
            return plan_err!("the path is empty");
        }
        if is_address(name) {
            return Ok(Self(name.trim_end_matches('/').to_owned()));
        }
        let name = name.strip_prefix("file://").unwrap_or(name);
        // Existing files get a path without `..`, which object stores do not accept.
        let path = match std::fs::canonicalize(name) {
            Ok(path) => path,
            Err(_) => std::path::absolute(name)?,
        };
        Ok(Self(path.to_string_lossy().into_owned()))
    }

    /// As text: a path or an address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path, if it is one.
    pub fn path(&self) -> Option<&Path> {
        (!is_address(&self.0)).then(|| Path::new(&self.0))
    }

    /// The location without links; the location itself if it is an address, or nothing is there.
    pub(crate) fn target(&self) -> Self {
        match self.path().map(Path::canonicalize) {
            Some(Ok(path)) => Self::from(path),
            _ => self.clone(),
        }
    }

    /// The location of a file below this directory; `names` are separated by `/`.
    pub(crate) fn join(&self, names: &str) -> Self {
        Self(format!("{}/{names}", self.0.trim_end_matches('/')))
    }

    /// Another object in the same store.
    pub(super) fn in_same_store(&self, key: &str) -> Self {
        match self.address() {
            Some((authority, _)) => Self(format!("{authority}/{key}")),
            None => Self(format!("/{key}")),
        }
    }

    /// The path of `location` relative to this directory; `None` if it is not below it.
    pub(crate) fn name_of<'a>(&self, location: &'a str) -> Option<&'a str> {
        location.strip_prefix(&self.0)?.strip_prefix('/')
    }

    /// The store that holds the file, and its path there.
    pub(crate) fn store(&self, runtime: &RuntimeEnv) -> Result<Stored> {
        let (store, path) = self.object()?;
        Ok((runtime.object_store(store)?, path))
    }

    /// The address of the store that holds the file, and its path there.
    pub(super) fn object(&self) -> Result<(ObjectStoreUrl, ObjectPath)> {
        let (store, path) = match self.address() {
            None => (
                ObjectStoreUrl::local_filesystem(),
                ObjectPath::from_absolute_path(&self.0),
            ),
            Some((authority, key)) => (ObjectStoreUrl::parse(authority)?, ObjectPath::parse(key)),
        };
        let path = path.map_err(|error| match self.0.contains(char::is_control) {
            true => plan_datafusion_err!(
                "{}: the name has a control character, such as a tab or a line break, which is not read; rename it",
                self.0.escape_debug()
            ),
            false => plan_datafusion_err!("{self}: {error}"),
        })?;
        Ok((store, path))
    }

    /// Size and time of the last change of the file there.
    ///
    /// # Errors
    /// If there is no such file, or it cannot be accessed.
    pub(crate) async fn head(&self, runtime: &RuntimeEnv) -> Result<ObjectMeta> {
        let (store, path) = self.store(runtime)?;
        let meta = store.head(&path).await;
        meta.map_err(|error| exec_datafusion_err!("{self}: {error}"))
    }

    /// The percent-encoded address for the engine, which would take an unencoded path with a bracket for a glob.
    pub(crate) fn url(&self) -> Result<ListingTableUrl> {
        let (authority, key) = self.address().unwrap_or(("file://", &self.0));
        let mut url = authority.to_owned();
        if !key.starts_with('/') {
            url.push('/');
        }
        for byte in key.bytes() {
            match byte {
                b'/' | b'-' | b'.' | b'_' | b'~' => url.push(char::from(byte)),
                byte if byte.is_ascii_alphanumeric() => url.push(char::from(byte)),
                // Writing to a String does not fail.
                byte => _ = write!(url, "%{byte:02X}"),
            }
        }
        ListingTableUrl::parse(url)
    }

    /// The store and the key of an address.
    fn address(&self) -> Option<(&str, &str)> {
        let (scheme, rest) = self.0.split_once("://")?;
        let authority = scheme.len() + "://".len() + rest.find('/').unwrap_or(rest.len());
        let (authority, key) = self.0.split_at(authority);
        Some((authority, key.trim_start_matches('/')))
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<PathBuf> for Location {
    /// Converts an absolute path.
    fn from(path: PathBuf) -> Self {
        Self(path.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Location;

    #[test]
    fn names_keep_their_letters_in_addresses_of_the_engine() {
        let url = |name: &str| Location::new(name).unwrap().url().unwrap().to_string();
        assert_eq!(url("/a b/[1]%.csv"), "file:///a%20b/%5B1%5D%25.csv");
        assert_eq!(url("s3://b/x/[1]%.csv"), "s3://b/x/%5B1%5D%25.csv");
        assert_eq!(url("s3://b"), "s3://b/");
    }

    #[test]
    fn control_characters_in_names_are_shown() {
        let error = Location::new("/a/b\tc.csv").unwrap().object().unwrap_err();
        let error = error.strip_backtrace();
        let said = "/a/b\\tc.csv: the name has a control character";
        assert!(error.contains(said), "{error}");
    }

    #[test]
    fn names_below_a_directory() {
        let directory = Location::new("s3://b/out/").unwrap();
        let file = directory.join("steps/01/a.parquet");
        assert_eq!(file.as_str(), "s3://b/out/steps/01/a.parquet");
        assert_eq!(directory.name_of(file.as_str()), Some("steps/01/a.parquet"));
        assert_eq!(directory.name_of("s3://b/other/a.parquet"), None);
        assert_eq!(file.path(), None);
    }
}
