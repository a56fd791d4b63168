//! Reads the decompressed bytes of a file, in a buffer that keeps a token contiguous.

use std::io::{self, Read};
use std::sync::Arc;

use datafusion::common::{Result, exec_datafusion_err};
use neardup_wikidump::ReadAt;

use super::encoding::as_utf8;
use super::options::RecordOptions;
use crate::files::StoredFile;

/// Number of bytes that are read at a time.
const READ: usize = 1 << 17;
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The decompressed bytes of a file, as UTF-8 without a byte order mark.
pub(super) fn open(
    file: &StoredFile,
    bytes: Arc<dyn ReadAt>,
    options: &RecordOptions,
) -> Result<Buffer> {
    let name = &file.name;
    let bytes = Sequential {
        inner: bytes,
        offset: 0,
    };
    let unpacked = options
        .unpacking(&file.meta.location)?
        .convert_read(bytes)?;
    let text = as_utf8(unpacked, options.encoding.as_deref());
    let mut buffer = Buffer::new(
        text.map_err(|error| exec_datafusion_err!("{name}: {}", error.strip_backtrace()))?,
    );
    let marked = buffer.skip_mark();
    marked.map_err(|error| exec_datafusion_err!("{name}: {error}"))?;
    Ok(buffer)
}

/// Reads a file from its beginning.
struct Sequential {
    inner: Arc<dyn ReadAt>,
    offset: u64,
}

impl Read for Sequential {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read_at(self.offset, buf)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// Bytes that were read and not yet consumed.
pub(super) struct Buffer {
    input: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    start: usize,
    is_at_end: bool,
}

impl Buffer {
    pub(super) fn new(input: Box<dyn Read + Send>) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            start: 0,
            is_at_end: false,
        }
    }

    /// The bytes that were read and not consumed.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// The number of bytes that were consumed since the last were read.
    pub(super) fn skipped(&self) -> usize {
        self.start
    }

    /// Consumes bytes.
    pub(super) fn take(&mut self, count: usize) {
        self.start += count.min(self.bytes.len() - self.start);
    }

    /// Reads more bytes after the unconsumed ones; false at the end of the file.
    pub(super) fn more(&mut self) -> io::Result<bool> {
        if self.is_at_end {
            return Ok(false);
        }
        self.bytes.drain(..self.start);
        self.start = 0;
        let filled = self.bytes.len();
        // Doubles the buffer, so that the number of copies of a long token is logarithmic.
        self.bytes.resize(filled + READ.max(filled), 0);
        let read = loop {
            match self.input.read(&mut self.bytes[filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let count = *read.as_ref().unwrap_or(&0);
        self.bytes.truncate(filled + count);
        self.is_at_end = count == 0;
        read?;
        Ok(count > 0)
    }

    /// The next byte, which is not consumed.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        while self.start == self.bytes.len() {
            if !self.more()? {
                return Ok(None);
            }
        }
        Ok(Some(self.bytes[self.start]))
    }

    fn skip_mark(&mut self) -> io::Result<()> {
        while self.rest().len() < BOM.len() && BOM.starts_with(self.rest()) {
            if !self.more()? {
                return Ok(());
            }
        }
        if self.rest().starts_with(BOM) {
            self.take(BOM.len());
        }
        Ok(())
    }
}
