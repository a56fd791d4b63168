//! Reads the bytes of a file sequentially, and decompresses them if they are compressed.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use neardup_wikidump::{READ_BYTES, ReadAt, SequentialReader};

/// A window over bytes that moves forward and grows where one item needs more.
pub(super) struct Bytes {
    input: Box<dyn Read + Send>,
    window: Vec<u8>,
    /// The range of the window that was read and not consumed.
    start: usize,
    end: usize,
    /// Bytes consumed before `start`.
    offset: u64,
    ended: bool,
}

impl Bytes {
    /// The bytes of a source from `at` on.
    pub(super) fn plain(source: Arc<dyn ReadAt>, at: u64) -> Self {
        Self::over(Box::new(SequentialReader::new(source, at)), at)
    }

    /// The decompressed bytes of a gzip source.
    pub(super) fn unpacked(source: Arc<dyn ReadAt>) -> Self {
        let packed = BufReader::with_capacity(READ_BYTES, SequentialReader::new(source, 0));
        Self::over(Box::new(MultiGzDecoder::new(packed)), 0)
    }

    fn over(input: Box<dyn Read + Send>, offset: u64) -> Self {
        Self {
            input,
            window: Vec::new(),
            start: 0,
            end: 0,
            offset,
            ended: false,
        }
    }

    /// Offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes that were read and not consumed.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.window[self.start..self.end]
    }

    /// Reads until at least `count` bytes are ahead or the input ends; returns whether they are.
    pub(super) fn fill(&mut self, count: usize) -> io::Result<bool> {
        while self.end - self.start < count && !self.ended {
            if self.start > 0 {
                self.window.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            if self.window.len() - self.end < READ_BYTES {
                self.window.resize(self.end + READ_BYTES, 0);
            }
            match self.input.read(&mut self.window[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.end - self.start >= count)
    }

    /// The number of bytes before the first `byte`, searching at most `max_bytes` bytes.
    pub(super) fn find(&mut self, byte: u8, max_bytes: usize) -> io::Result<Option<usize>> {
        let mut searched = 0;
        loop {
            let ahead = &self.ahead()[..self.ahead().len().min(max_bytes)];
            if let Some(position) = memchr::memchr(byte, &ahead[searched..]) {
                return Ok(Some(searched + position));
            }
            searched = ahead.len();
            if searched == max_bytes || !self.fill(searched + 1)? {
                return Ok(None);
            }
        }
    }

    /// Consumes `count` bytes that are ahead.
    pub(super) fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }
}
