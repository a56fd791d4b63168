//! Reads the bytes of files: local files directly, others through their object store.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use datafusion::object_store::local::LocalFileSystem;
use datafusion::object_store::path::Path;
use datafusion::object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use neardup_wikidump::{FileSource, READ_BYTES, ReadAt};
use tokio::runtime::Handle;

/// Maximum number of bytes that are fetched ahead from an object store.
const MAX_READ_AHEAD: u64 = 8 << 20;

/// The `Display` text of the local file system store.
const LOCAL: &str = "LocalFileSystem(file:///)";

/// A file and the store that holds it.
#[derive(Clone)]
pub(crate) struct StoredFile {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) meta: ObjectMeta,
    /// Its name in messages: a path, or an address.
    pub(crate) name: String,
}

impl StoredFile {
    /// `address` is that of the store, such as `s3://bucket/`.
    pub(crate) fn new(store: Arc<dyn ObjectStore>, address: &str, meta: ObjectMeta) -> Self {
        let name = match local_path(&*store, &meta.location) {
            Some(path) => path.display().to_string(),
            None => format!("{}/{}", address.trim_end_matches('/'), meta.location),
        };
        Self { store, meta, name }
    }

    pub(crate) fn is_local(&self) -> bool {
        self.store.to_string() == LOCAL
    }

    /// Opens the file. Remote files are read ahead, but not past byte `until`. Their reads block on `handle`, so they
    /// must not be made by a task of its runtime.
    pub(crate) fn open(&self, until: u64, handle: &Handle) -> io::Result<Arc<dyn ReadAt>> {
        let Some(path) = local_path(&*self.store, &self.meta.location) else {
            return Ok(Arc::new(RemoteFile {
                store: Arc::clone(&self.store),
                location: self.meta.location.clone(),
                len: self.meta.size,
                until,
                handle: handle.clone(),
                ahead: Mutex::default(),
            }));
        };
        Ok(Arc::new(FileSource::open(path)?))
    }
}

impl fmt::Debug for StoredFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The path of a file on disk, if its store is the local file system.
fn local_path(store: &dyn ObjectStore, location: &Path) -> Option<PathBuf> {
    if store.to_string() != LOCAL {
        return None;
    }
    LocalFileSystem::new().path_to_filesystem(location).ok()
}

/// A file of an object store. Sequential reads fetch increasing amounts ahead; random reads, and reads past `until`,
/// fetch only the requested bytes.
struct RemoteFile {
    store: Arc<dyn ObjectStore>,
    location: Path,
    len: u64,
    until: u64,
    handle: Handle,
    ahead: Mutex<Ahead>,
}

/// The part of the file that was fetched last.
#[derive(Default)]
struct Ahead {
    start: u64,
    bytes: Bytes,
}

impl Ahead {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// The offset at which to end a fetch for a read of `wanted` bytes from `offset`.
    fn next_end(&self, offset: u64, wanted: u64, until: u64) -> u64 {
        let needed = offset.saturating_add(wanted);
        if offset != self.end() || wanted < READ_BYTES as u64 {
            return needed;
        }
        let ahead = (self.bytes.len() as u64 * 2).min(MAX_READ_AHEAD);
        needed.max(until.min(offset.saturating_add(ahead)))
    }
}

impl ReadAt for RemoteFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        if offset >= self.len || buf.is_empty() {
            return Ok(0);
        }
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        if !(ahead.start..ahead.end()).contains(&offset) {
            let end = ahead.next_end(offset, buf.len() as u64, self.until);
            let range = offset..end.min(self.len);
            let read = self.store.get_range(&self.location, range);
            let bytes = self.handle.block_on(read)?;
            *ahead = Ahead {
                start: offset,
                bytes,
            };
        }
        let from = usize::try_from(offset - ahead.start).unwrap_or(usize::MAX);
        ahead.bytes.as_ref().read_at(from as u64, buf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_reads_fetch_more_and_more_within_the_range() {
        const MIB: u64 = 1 << 20;
        let ahead = |start, count: u64| Ahead {
            start,
            bytes: vec![0; count as usize].into(),
        };
        let end = |ahead: Ahead, offset, wanted| ahead.next_end(offset, wanted, 20 * MIB);
        assert_eq!(end(Ahead::default(), 0, 64), 64);
        assert_eq!(end(Ahead::default(), 0, MIB), MIB);
        assert_eq!(end(ahead(0, MIB), MIB, MIB), 3 * MIB);
        assert_eq!(end(ahead(4 * MIB, 6 * MIB), 10 * MIB, MIB), 18 * MIB);
        assert_eq!(end(ahead(10 * MIB, 8 * MIB), 18 * MIB, MIB), 20 * MIB);
        assert_eq!(end(ahead(18 * MIB, 2 * MIB), 20 * MIB, MIB), 21 * MIB);
        assert_eq!(end(ahead(0, MIB), 5 * MIB, MIB), 6 * MIB);
    }
}
