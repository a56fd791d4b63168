//! The object stores of a session: registered stores, and buckets that are opened when an address first names them.

use super::disk::Disk;
use datafusion::common::{Result, plan_err};
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::object_store::ObjectStore;
use std::sync::Arc;
use url::Url;

/// The error of an address that no store serves.
pub(super) const NO_STORE: &str = "no store is registered for addresses of this kind";

/// The addresses that are read beside paths.
pub(super) const BUCKETS: &str = if cfg!(feature = "s3") {
    " and s3://"
} else {
    ""
};

/// How the engine's store of the whole file system shows itself.
const WHOLE_DISK: &str = "LocalFileSystem(file:///)";

/// A runtime that opens buckets on demand, and does not cache file listings, so that files that were added or removed
/// are noticed.
///
/// # Errors
/// As [`RuntimeEnvBuilder::build_arc`].
pub(crate) fn with_buckets(runtime: &RuntimeEnv) -> Result<Arc<RuntimeEnv>> {
    let registry = Buckets(Arc::clone(&runtime.object_store_registry));
    RuntimeEnvBuilder::from_runtime_env(runtime)
        .with_object_store_registry(Arc::new(registry))
        .with_object_list_cache_limit(0)
        .build_arc()
}

/// Opens a bucket of S3, or of a service with its protocol, when it is first requested. Registered stores take
/// precedence.
///
/// Region, keys and endpoint are read from the environment: `AWS_REGION`, `AWS_ACCESS_KEY_ID`,
/// `AWS_SECRET_ACCESS_KEY`, `AWS_ENDPOINT`, `AWS_SKIP_SIGNATURE` for public buckets, and the rest of
/// [`AmazonS3Builder::from_env`](https://docs.rs/object_store/latest/object_store/aws/struct.AmazonS3Builder.html).
#[derive(Debug)]
struct Buckets(Arc<dyn ObjectStoreRegistry>);

impl ObjectStoreRegistry for Buckets {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.0.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.0.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if let Ok(store) = self.0.get_store(url) {
            // The engine's store of files, and not one that a host has registered in its place.
            return Ok(match store.to_string() == WHOLE_DISK {
                true => Arc::new(Disk(store)),
                false => store,
            });
        }
        match open(url)? {
            Some(store) => {
                self.0.register_store(url, Arc::clone(&store));
                Ok(store)
            }
            None => plan_err!("{url}: {NO_STORE}; supported are paths{BUCKETS}"),
        }
    }
}

#[cfg(feature = "s3")]
fn open(url: &Url) -> Result<Option<Arc<dyn ObjectStore>>> {
    use datafusion::common::plan_datafusion_err;
    use object_store::aws::AmazonS3Builder;

    if !matches!(url.scheme(), "s3" | "s3a") {
        return Ok(None);
    }
    let store = AmazonS3Builder::from_env()
        .with_bucket_name(url.host_str().unwrap_or_default())
        .build()
        .map_err(|error| plan_datafusion_err!("{url}: {error}"))?;
    Ok(Some(Arc::new(store)))
}

#[cfg(not(feature = "s3"))]
fn open(_: &Url) -> Result<Option<Arc<dyn ObjectStore>>> {
    Ok(None)
}
