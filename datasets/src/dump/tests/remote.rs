//! Dumps in an object store.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::object_store::memory::InMemory;
use datafusion::object_store::path::Path;
use datafusion::object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use datafusion::prelude::SessionContext;
use futures::stream::BoxStream;

use super::support::*;

/// A store in memory that counts the bytes it gives.
#[derive(Debug, Default)]
struct Counting {
    inner: InMemory,
    given: AtomicU64,
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Counting({})", self.inner)
    }
}

#[async_trait]
impl ObjectStore for Counting {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.inner.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let head = options.head;
        let got = self.inner.get_opts(path, options).await?;
        if !head {
            let bytes = got.range.end - got.range.start;
            self.given.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(got)
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

async fn store(files: &[(&str, Vec<u8>)]) -> Arc<Counting> {
    let store = Arc::new(Counting::default());
    for (name, bytes) in files {
        let payload = PutPayload::from(bytes.clone());
        store
            .put(&Path::from(*name), payload)
            .await
            .expect("memory");
    }
    store
}

fn table(partitions: usize, store: &Arc<Counting>, location: &str) -> SessionContext {
    let (session, _) = pages(partitions, &[location.as_ref()], &[]);
    let url = ObjectStoreUrl::parse("mem://dumps").expect("an address");
    session.register_object_store(url.as_ref(), Arc::clone(store) as Arc<dyn ObjectStore>);
    session
}

#[tokio::test]
async fn objects_are_read_by_name_and_by_pattern() {
    let xml = generated("testwiki", 1_000, 3_000);
    let store = store(&[
        ("a/x-1.xml", xml.clone()),
        ("a/x-2.xml.bz2", bzip2(&xml)),
        ("a/b/x-3.xml", xml.clone()),
    ])
    .await;
    for (location, want) in [
        ("mem://dumps/a/x-1.xml", 1_000),
        ("mem://dumps/a/x-2.xml.bz2", 1_000),
        ("mem://dumps/a/x-*", 2_000),
        ("mem://dumps/*/*/x-*.xml", 1_000),
    ] {
        for partitions in [1, 2, 7] {
            let session = table(partitions, &store, location);
            assert_eq!(rows(&session).await.unwrap().len(), want, "{location}");
        }
    }
    for (location, part) in [
        ("mem://dumps/a/y.xml", "mem://dumps/a/y.xml: no such file"),
        ("mem://dumps/a/y*", "mem://dumps/a/y*: no file matches"),
        ("mem://dumps/a/", "mem://dumps/a/: is a directory"),
    ] {
        let text = message(rows(&table(2, &store, location)).await);
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_fetches_little_and_a_scan_everything_about_once() {
    let xml = generated("testwiki", 12_000, 4_000);
    let size = xml.len() as u64;
    let store = store(&[("a.xml", xml)]).await;
    for (sql, min, max) in [
        ("SELECT * FROM pages LIMIT 1", 0, 12 << 20),
        ("SELECT count(*) FROM pages", size, size + (8 << 20)),
    ] {
        let session = table(4, &store, "mem://dumps/a.xml");
        let before = store.given.load(Ordering::Relaxed);
        query(&session, sql).await.unwrap();
        let given = store.given.load(Ordering::Relaxed) - before;
        println!("{sql}: {given} of {size} bytes");
        assert!((min..=max).contains(&given), "{sql}: {given} of {size}");
    }
}

#[tokio::test]
async fn a_broken_object_is_named_by_its_address() {
    let mut bytes = bzip2(&generated("testwiki", 100, 3_000));
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    let store = store(&[("a.xml.bz2", bytes)]).await;
    let text = message(rows(&table(2, &store, "mem://dumps/a.xml.bz2")).await);
    assert!(
        text.contains("mem://dumps/a.xml.bz2: corrupt bz2"),
        "{text}"
    );
}
