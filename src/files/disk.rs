//! The file system as an object store that refuses to write into a directory in which no file can be created.
//!
//! The engine's store takes "not found" for a missing parent directory and tries again once that directory exists. A
//! directory such as `/proc`, which exists and never contains the new file, would make it try for ever.

use async_trait::async_trait;
use futures::stream::BoxStream;
use futures::{FutureExt, TryFutureExt};
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result,
    UploadPart,
};
use std::fmt::{Display, Formatter};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

/// A store of the whole file system.
#[derive(Debug)]
pub(super) struct Disk(pub(super) Arc<dyn ObjectStore>);

/// Checks that a file can be created where `location` names one, if its directory is there.
fn check(location: &Path) -> Result<()> {
    let name = PathBuf::from(format!("/{location}"));
    let Some(directory) = name.parent().filter(|directory| directory.is_dir()) else {
        return Ok(());
    };
    // Hidden, so that no glob matches it meanwhile.
    let probe = directory.join(format!(".{}", Uuid::new_v4().simple()));
    match File::create_new(&probe) {
        Ok(_) => fs::remove_file(&probe).map_err(|source| failed(&name, source)),
        Err(source) if source.kind() == ErrorKind::NotFound => Err(failed(
            &name,
            std::io::Error::new(
                ErrorKind::Unsupported,
                format!("no file can be created in {}", directory.display()),
            ),
        )),
        // The store reports all other errors itself.
        Err(_) => Ok(()),
    }
}

fn failed(name: &std::path::Path, source: std::io::Error) -> Error {
    Error::Generic {
        store: "file system",
        source: format!("{}: {source}", name.display()).into(),
    }
}

/// A file that is written in parts. Errors name it, and the file is removed when an upload that is not complete is
/// dropped.
#[derive(Debug)]
struct Upload {
    name: PathBuf,
    /// `None` after the end.
    file: Option<Box<dyn MultipartUpload>>,
}

impl Upload {
    fn ended(&self) -> Error {
        failed(&self.name, std::io::Error::other("the upload has ended"))
    }
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let name = self.name.clone();
        match &mut self.file {
            Some(file) => {
                let part = file.put_part(data);
                part.map_err(move |error| failed(&name, std::io::Error::other(error)))
                    .boxed()
            }
            None => futures::future::ready(Err(self.ended())).boxed(),
        }
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let mut file = self.file.take().ok_or_else(|| self.ended())?;
        let done = file.complete().await;
        done.map_err(|error| failed(&self.name, std::io::Error::other(error)))
    }

    async fn abort(&mut self) -> Result<()> {
        let mut file = self.file.take().ok_or_else(|| self.ended())?;
        file.abort().await
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // The engine's store leaves the removal of the file to a task of the runtime, which may not run before the process
        // ends. In a thread without a runtime it removes the file at once.
        if let Some(file) = self.file.take() {
            _ = std::thread::spawn(move || drop(file)).join();
        }
    }
}

impl Display for Disk {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
impl ObjectStore for Disk {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        check(location)?;
        self.0.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        check(location)?;
        Ok(Box::new(Upload {
            name: format!("/{location}").into(),
            file: Some(self.0.put_multipart_opts(location, options).await?),
        }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.0.get_opts(location, options).await
    }

    async fn get_ranges(
        &self,
        location: &Path,
        ranges: &[std::ops::Range<u64>],
    ) -> Result<Vec<bytes::Bytes>> {
        self.0.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.0.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.list(prefix)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.list_with_offset(prefix, offset)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.0.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        check(to)?;
        self.0.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        check(to)?;
        self.0.rename_opts(from, to, options).await
    }
}
