//! Object stores that withhold written files until the query has succeeded.

use async_trait::async_trait;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::object_store::ObjectStoreRegistry;
use futures::FutureExt;
use futures::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    RenameOptions, Result as StoreResult, UploadPart,
};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fmt::{Display, Formatter};
use std::sync::Arc;
use url::Url;

/// Upper bound of the bytes of small files that are held in memory. Further files are written to the store under a
/// hidden name.
const MAX_HELD_BYTES: usize = 64 << 20;

/// The files of a query that are written but not yet committed.
#[derive(Debug, Clone, Default)]
pub(super) struct Files(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The first error of the input rows or of a store.
    first_error: Option<Arc<DataFusionError>>,
    waiting: VecDeque<UncommittedFile>,
    held: usize,
}

/// A complete file that is not committed yet.
#[derive(Debug)]
enum UncommittedFile {
    Held {
        store: Arc<dyn ObjectStore>,
        path: Path,
        payload: PutPayload,
        options: PutOptions,
    },
    Hidden {
        store: Arc<dyn ObjectStore>,
        from: Path,
        to: Path,
    },
    Uploaded(Box<dyn MultipartUpload>),
}

impl Files {
    /// Records an error unless there is an earlier one, and returns it.
    pub(super) fn record(&self, error: DataFusionError) -> DataFusionError {
        let error = Arc::new(error);
        let mut state = self.0.lock();
        state.first_error.get_or_insert_with(|| Arc::clone(&error));
        DataFusionError::Shared(error)
    }

    /// Commits the files.
    ///
    /// # Errors
    /// If an error was recorded, or if a store fails. In the latter case earlier files are committed already.
    pub(super) async fn commit(&self) -> Result<()> {
        if let Some(first) = self.0.lock().first_error.clone() {
            return Err(DataFusionError::Shared(first));
        }
        while let Some(file) = self.next() {
            match file {
                UncommittedFile::Held {
                    store,
                    path,
                    payload,
                    options,
                } => {
                    store.put_opts(&path, payload, options).await?;
                }
                UncommittedFile::Hidden { store, from, to } => store.rename(&from, &to).await?,
                UncommittedFile::Uploaded(mut upload) => {
                    upload.complete().await?;
                }
            }
        }
        Ok(())
    }

    /// Removes the files after the writer failed with `error`, and returns the first recorded error instead, if any.
    pub(super) async fn remove(&self, error: DataFusionError) -> DataFusionError {
        while let Some(file) = self.next() {
            // If this fails too, the remaining hidden file or upload is ignored by all readers.
            let _ = match file {
                UncommittedFile::Held { .. } => Ok(()),
                UncommittedFile::Hidden { store, from, .. } => store.delete(&from).await,
                UncommittedFile::Uploaded(mut upload) => upload.abort().await,
            };
        }
        match self.0.lock().first_error.clone() {
            Some(first) => DataFusionError::Shared(first),
            None => error,
        }
    }

    fn next(&self) -> Option<UncommittedFile> {
        self.0.lock().waiting.pop_front()
    }

    /// Records the error of a store, because the writer does not pass it on unchanged.
    fn record_store<T>(&self, result: StoreResult<T>) -> StoreResult<T> {
        result.map_err(|error| {
            self.record(error.into());
            Error::Generic {
                store: "neardup",
                source: "the file was not written".into(),
            }
        })
    }
}

/// The result of writing a file that is not committed yet: it has no tag and no version.
fn uncommitted() -> PutResult {
    PutResult {
        e_tag: None,
        version: None,
    }
}

/// A hidden name in the same directory, which readers of directories skip.
fn hidden(path: &Path) -> Path {
    let mut parts: Vec<_> = path.parts().collect();
    let name = parts.pop();
    let name = name.as_ref().map_or("", |name| name.as_ref());
    Path::from_iter(parts).join(format!(".{name}.unfinished"))
}

/// The object stores of a session, wrapped so that written files are withheld.
#[derive(Debug)]
pub(super) struct Stores {
    pub(super) stores: Arc<dyn ObjectStoreRegistry>,
    pub(super) files: Files,
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
            files: self.files.clone(),
        }))
    }
}

#[derive(Debug)]
struct Store {
    store: Arc<dyn ObjectStore>,
    files: Files,
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
        let bytes = payload.content_length();
        let plain = PutOptions::default();
        if options == plain && self.files.0.lock().held + bytes > MAX_HELD_BYTES {
            // Not as a multipart upload, because each pending upload keeps a file open.
            let from = hidden(location);
            let put = self.store.put_opts(&from, payload, options).await;
            self.files.record_store(put)?;
            self.files
                .0
                .lock()
                .waiting
                .push_back(UncommittedFile::Hidden {
                    store: Arc::clone(&self.store),
                    from,
                    to: location.clone(),
                });
            return Ok(uncommitted());
        }
        let mut state = self.files.0.lock();
        state.held += bytes;
        state.waiting.push_back(UncommittedFile::Held {
            store: Arc::clone(&self.store),
            path: location.clone(),
            payload,
            options,
        });
        Ok(uncommitted())
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> StoreResult<Box<dyn MultipartUpload>> {
        let upload = self.store.put_multipart_opts(location, options).await;
        Ok(Box::new(Upload {
            upload: Some(self.files.record_store(upload)?),
            files: self.files.clone(),
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
    /// `None` once the upload is complete.
    upload: Option<Box<dyn MultipartUpload>>,
    files: Files,
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let Some(upload) = &mut self.upload else {
            return futures::future::ready(Err(Error::NotImplemented {
                operation: "put_part after complete".to_owned(),
                implementer: "neardup".to_owned(),
            }))
            .boxed();
        };
        let (part, files) = (upload.put_part(data), self.files.clone());
        part.map(move |result| files.record_store(result)).boxed()
    }

    async fn complete(&mut self) -> StoreResult<PutResult> {
        let upload = self.upload.take().map(UncommittedFile::Uploaded);
        self.files.0.lock().waiting.extend(upload);
        Ok(uncommitted())
    }

    async fn abort(&mut self) -> StoreResult<()> {
        match &mut self.upload {
            Some(upload) => upload.abort().await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Files, Store, hidden};
    use datafusion::common::exec_datafusion_err;
    use futures::TryStreamExt;
    use object_store::memory::InMemory;
    use object_store::path::Path;
    use object_store::{ObjectStore, ObjectStoreExt};
    use std::sync::Arc;

    async fn names(store: &InMemory) -> Vec<String> {
        let found = store.list(None).map_ok(|meta| meta.location.to_string());
        let mut names: Vec<String> = found.try_collect().await.expect("a list");
        names.sort();
        names
    }

    /// Three files of 30 MiB, of which the last is held in the store, and a multipart upload.
    async fn written() -> (Arc<InMemory>, Files) {
        let memory = Arc::new(InMemory::new());
        let files = Files::default();
        let store = Store {
            store: Arc::clone(&memory) as Arc<dyn ObjectStore>,
            files: files.clone(),
        };
        for name in ["a", "b", "c"] {
            let path = Path::from(format!("out/{name}.csv"));
            let put = store.put(&path, vec![b'x'; 30 << 20].into()).await;
            put.expect("a file");
        }
        let path = Path::from("out/d.csv");
        let mut upload = store.put_multipart(&path).await.expect("an upload");
        upload.put_part("one".into()).await.expect("a part");
        upload.complete().await.expect("an end");
        (memory, files)
    }

    #[tokio::test]
    async fn files_are_committed_at_the_end() {
        let (store, files) = written().await;
        assert_eq!(names(&store).await, ["out/.c.csv.unfinished"]);
        files.commit().await.expect("files");
        let all = ["out/a.csv", "out/b.csv", "out/c.csv", "out/d.csv"];
        assert_eq!(names(&store).await, all);
    }

    #[tokio::test]
    async fn files_of_a_failed_query_are_removed() {
        let (store, files) = written().await;
        let recorded = files.record(exec_datafusion_err!("first"));
        assert!(recorded.to_string().contains("first"));
        files.commit().await.expect_err("an error");
        let error = files.remove(exec_datafusion_err!("second")).await;
        assert!(error.to_string().contains("first"), "{error}");
        assert!(names(&store).await.is_empty());
    }

    #[test]
    fn hidden_names_are_in_the_same_directory() {
        for (path, wanted) in [
            ("a.csv", ".a.csv.unfinished"),
            ("x/y/a", "x/y/.a.unfinished"),
        ] {
            assert_eq!(hidden(&Path::from(path)).as_ref(), wanted);
        }
    }
}
