//! Reads the decompressed bytes of a file, in a buffer that keeps a token contiguous.

use std::fmt::Display;
use std::io::{self, Read};
use std::sync::Arc;

use datafusion::common::{Result, exec_datafusion_err};
use neardup_wikidump::ReadAt;

use super::encoding::{as_utf8, is_utf16};
use super::options::RecordOptions;
use super::{start, unpacked};
use crate::files::StoredFile;

/// Number of bytes that are read at a time.
const READ: usize = 1 << 17;
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The decompressed bytes of a file, as UTF-8 without a byte order mark.
///
/// # Errors
/// If the file cannot be decompressed, or begins as one of another kind or encoding.
pub(super) fn open(
    file: &StoredFile,
    bytes: Arc<dyn ReadAt>,
    options: &RecordOptions,
) -> Result<Buffer> {
    let name = &file.name;
    let failed = |error: &dyn Display| exec_datafusion_err!("{name}: {error}");
    let compression = options.compression(&file.meta.location)?;
    let is_packed = compression.is_some();
    let mut unpacked = unpacked::open(bytes, compression)?;
    let start = start::read(&mut unpacked).map_err(|error| failed(&error))?;
    let label = options.encoding.as_deref();
    if let Some(other) = start::other_kind(&start, is_packed).filter(|_| !is_utf16(label)) {
        return Err(failed(&other));
    }
    let whole = io::Cursor::new(start).chain(unpacked);
    let text = as_utf8(Box::new(whole), label);
    let text = text.map_err(|error| failed(&error.strip_backtrace()))?;
    let mut buffer = Buffer::new(text);
    buffer.skip_mark().map_err(|error| failed(&error))?;
    Ok(buffer)
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

    /// Consumes a line and its end, which is `\n`, `\r\n` or `\r`. Returns the last byte, of the end if the line has one;
    /// `None` at the end of the file.
    pub(super) fn skip_line(&mut self) -> io::Result<Option<u8>> {
        let mut last = None;
        while self.peek()?.is_some() {
            let rest = self.rest();
            match memchr::memchr2(b'\n', b'\r', rest) {
                Some(at) => {
                    let end = rest[at];
                    self.take(at + 1);
                    if end == b'\r' && self.peek()? == Some(b'\n') {
                        self.take(1);
                        return Ok(Some(b'\n'));
                    }
                    return Ok(Some(end));
                }
                None => {
                    last = rest.last().copied();
                    let all = rest.len();
                    self.take(all);
                }
            }
        }
        Ok(last)
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
