//! Sources of the bytes of a dump: a file, a slice, or any implementation of [`ReadAt`].

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// Random access to the bytes of one dump file, which do not change while it is read.
///
/// Calls are synchronous and may come from several threads. Reads are mostly sequential, of
/// [`READ_BYTES`] each, so a remote source need not buffer.
pub trait ReadAt: Send + Sync {
    /// The length of the file in bytes.
    fn len(&self) -> u64;

    /// Whether the file has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads bytes from `offset` into the front of `buf` and returns their number, which may be less than requested, and
    /// is 0 only at the end of the file.
    ///
    /// # Errors
    ///
    /// Whatever the storage reports. `Interrupted` is retried by the reader, all else ends it.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize>;
}

/// Number of bytes that are requested at a time.
pub const READ_BYTES: usize = 1 << 20;

impl ReadAt for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.get(from..).unwrap_or_default();
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.as_slice().read_at(offset, buf)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, buf)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for Arc<T> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, buf)
    }
}

/// A file of the local file system, whose length is taken when it is opened.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    len: u64,
}

impl FileSource {
    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// What the file system reports.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::new(File::open(path)?)
    }

    /// Reads from an open file.
    ///
    /// # Errors
    ///
    /// The length that the file system reports.
    pub fn new(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self { file, len })
    }
}

impl ReadAt for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buf, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.file, buf, offset)
    }
}

/// Reads a source sequentially, from an offset on.
pub struct SequentialReader {
    source: Arc<dyn ReadAt>,
    offset: u64,
}

impl SequentialReader {
    /// A reader whose first byte is that at `offset`.
    pub fn new(source: Arc<dyn ReadAt>, offset: u64) -> Self {
        Self { source, offset }
    }

    /// The offset of the next byte in the source.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// What it reads.
    pub fn source(&self) -> &Arc<dyn ReadAt> {
        &self.source
    }
}

impl Read for SequentialReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read_at(self.offset, buf)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// Reads until `buf` is full or the file ends; returns the number of bytes read.
pub(crate) fn read_full(source: &dyn ReadAt, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buf.len() {
        match source.read_at(offset + filled as u64, &mut buf[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count.min(buf.len() - filled),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A window that moves forward over a source and grows where one item needs more.
pub(crate) struct Window {
    source: Arc<dyn ReadAt>,
    /// File offset of the first byte held.
    start: u64,
    bytes: Vec<u8>,
    /// Whether `bytes` reaches the end of the source.
    at_end: bool,
}

impl Window {
    pub(crate) fn new(source: Arc<dyn ReadAt>, start: u64) -> Self {
        Self {
            source,
            start,
            bytes: Vec::new(),
            at_end: false,
        }
    }

    pub(crate) fn source(&self) -> &Arc<dyn ReadAt> {
        &self.source
    }

    /// The first byte that is still held.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// The bytes from file offset `from` on: at least `wanted` of them unless the file ends
    /// before. What lies before `from` is forgotten; `from` must not lie before an earlier one.
    pub(crate) fn from(&mut self, from: u64, wanted: usize) -> io::Result<&[u8]> {
        debug_assert!(from >= self.start);
        let skip = usize::try_from(from.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let have = self.bytes.len().saturating_sub(skip);
        if have < wanted && !self.at_end {
            if skip >= self.bytes.len() {
                self.bytes.clear();
            } else {
                self.bytes.drain(..skip);
            }
            self.start = from;
            while self.bytes.len() < wanted && !self.at_end {
                self.read_more()?;
            }
        }
        let skip = usize::try_from(from.saturating_sub(self.start)).unwrap_or(usize::MAX);
        Ok(self.bytes.get(skip..).unwrap_or_default())
    }

    /// Whether what is held reaches the end of the file.
    pub(crate) fn at_end(&self) -> bool {
        self.at_end
    }

    fn read_more(&mut self) -> io::Result<()> {
        let held = self.bytes.len();
        let offset = self.start + held as u64;
        let left = self.source.len().saturating_sub(offset);
        let wanted = usize::try_from(left).map_or(READ_BYTES, |left| left.min(READ_BYTES));
        self.bytes.resize(held + wanted, 0);
        let read = read_full(&*self.source, offset, &mut self.bytes[held..]);
        self.bytes.truncate(held + *read.as_ref().unwrap_or(&0));
        self.at_end = read? < READ_BYTES;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives at most three bytes a call, after one interruption.
    struct Slow(Vec<u8>, std::sync::atomic::AtomicU32);

    impl ReadAt for Slow {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
            let call = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if call.is_multiple_of(5) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let count = buf.len().min(3);
            self.0.read_at(offset, &mut buf[..count])
        }
    }

    #[test]
    fn short_reads_and_interruptions_are_made_up_for() {
        let bytes: Vec<u8> = (0..=255).collect();
        let source = Slow(bytes.clone(), 0.into());
        let mut buf = [0; 300];
        assert_eq!(read_full(&source, 6, &mut buf).unwrap(), 250);
        assert_eq!(&buf[..250], &bytes[6..]);
    }

    #[test]
    fn a_window_moves_and_ends() {
        let bytes: Vec<u8> = (0..3_000_000u32).map(|i| (i / 7) as u8).collect();
        let mut window = Window::new(Arc::new(bytes.clone()), 5);
        assert_eq!(window.from(5, 10).unwrap()[..10], bytes[5..15]);
        assert!(!window.at_end());
        assert_eq!(
            window.from(1000, 2_000_000).unwrap()[..2_000_000],
            bytes[1000..2_001_000]
        );
        assert_eq!(window.from(2_999_990, 100).unwrap(), &bytes[2_999_990..]);
        assert!(window.at_end());
        assert_eq!(window.from(4_000_000, 1).unwrap(), b"");
    }
}
