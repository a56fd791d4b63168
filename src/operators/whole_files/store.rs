//! Stores that put no file in place once a query failed.

use async_trait::async_trait;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::object_store::ObjectStoreRegistry;
use futures::FutureExt;
use futures::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions,
    Result as StoreResult, UploadPart,
};
use parking_lot::Mutex;
use std::fmt::{Display, Formatter};
use std::sync::Arc;
use url::Url;

/// The first error of the rows or of a store; after it no file is put in place.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstError(Arc<Mutex<Option<Arc<DataFusionError>>>>);

impl FirstError {
    /// Notes an error unless there is one, and gives it back.
    pub(super) fn note(&self, error: DataFusionError) -> DataFusionError {
        let error = Arc::new(error);
        self.0.lock().get_or_insert_with(|| Arc::clone(&error));
        DataFusionError::Shared(error)
    }

    /// What is to be said where the writer failed with that error.
    pub(super) fn instead_of(&self, error: DataFusionError) -> DataFusionError {
        match self.0.lock().clone() {
            Some(first) => DataFusionError::Shared(first),
            None => error,
        }
    }

    fn check(&self) -> StoreResult<()> {
        match self.0.lock().is_some() {
            false => Ok(()),
            true => Err(refused()),
        }
    }

    /// Notes what a store said.
    fn of_store<T>(&self, result: StoreResult<T>) -> StoreResult<T> {
        result.map_err(|error| {
            self.note(error.into());
            refused()
        })
    }
}

fn refused() -> Error {
    Error::Generic {
        store: "neardup",
        source: "the query failed: no file is put in place".into(),
    }
}

/// Hands out the stores of a session, which look at what became of the query.
#[derive(Debug)]
pub(super) struct Stores {
    pub(super) stores: Arc<dyn ObjectStoreRegistry>,
    pub(super) first: FirstError,
}

impl ObjectStoreRegistry for Stores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.stores.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.stores.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        Ok(Arc::new(Store {
            store: self.stores.get_store(url)?,
            first: self.first.clone(),
        }))
    }
}

#[derive(Debug)]
struct Store {
    store: Arc<dyn ObjectStore>,
    first: FirstError,
}

impl Display for Store {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.store.fmt(f)
    }
}

#[async_trait]
impl ObjectStore for Store {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> StoreResult<PutResult> {
        self.first.check()?;
        let put = self.store.put_opts(location, payload, options).await;
        self.first.of_store(put)
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> StoreResult<Box<dyn MultipartUpload>> {
        let upload = self.store.put_multipart_opts(location, options).await;
        Ok(Box::new(Upload {
            upload: self.first.of_store(upload)?,
            first: self.first.clone(),
        }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> StoreResult<GetResult> {
        self.store.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, StoreResult<Path>>,
    ) -> BoxStream<'static, StoreResult<Path>> {
        self.store.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, StoreResult<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> StoreResult<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> StoreResult<()> {
        self.store.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> StoreResult<()> {
        self.store.rename_opts(from, to, options).await
    }
}

#[derive(Debug)]
struct Upload {
    upload: Box<dyn MultipartUpload>,
    first: FirstError,
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let (part, first) = (self.upload.put_part(data), self.first.clone());
        part.map(move |result| first.of_store(result)).boxed()
    }

    async fn complete(&mut self) -> StoreResult<PutResult> {
        if let Err(refused) = self.first.check() {
            // Parts that stay where even this fails are removed by the store's own rules.
            let _ = self.upload.abort().await;
            return Err(refused);
        }
        let complete = self.upload.complete().await;
        self.first.of_store(complete)
    }

    async fn abort(&mut self) -> StoreResult<()> {
        self.upload.abort().await
    }
}
