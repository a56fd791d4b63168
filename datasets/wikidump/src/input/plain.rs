//! Reads uncompressed XML.

use std::ops::Range;
use std::sync::Arc;

use super::Chunk;
use super::footer::Tail;
use crate::error::DumpError;
use crate::location::Location;
use crate::source::{READ_BYTES, ReadAt, read_full};

pub(crate) struct PlainInput {
    source: Arc<dyn ReadAt>,
    start: u64,
    at: u64,
    end: u64,
    buf: Vec<u8>,
}

impl PlainInput {
    pub(super) fn new(source: Arc<dyn ReadAt>, range: Range<u64>) -> Self {
        Self {
            source,
            start: range.start,
            at: range.start,
            end: range.end,
            buf: Vec::new(),
        }
    }

    pub(super) fn next_chunk(&mut self, idle: bool) -> Result<Option<Chunk<'_>>, DumpError> {
        let owned = self.at < self.end;
        if !owned && idle {
            return Ok(None);
        }
        // A chunk lies wholly inside the range or wholly after it.
        let end = if owned {
            self.end.min(self.source.len())
        } else {
            self.source.len()
        };
        let left = end.saturating_sub(self.at);
        let wanted = usize::try_from(left).map_or(READ_BYTES, |left| left.min(READ_BYTES));
        self.buf.resize(wanted, 0);
        let offset = self.at;
        let read = read_full(&*self.source, offset, &mut self.buf)
            .map_err(|source| DumpError::Io { offset, source })?;
        self.at += read as u64;
        Ok((read > 0).then(|| Chunk {
            bytes: &self.buf[..read],
            location: Location::File { byte: offset },
            owned,
            gap: false,
        }))
    }

    pub(super) fn lacks_footer(&self) -> Result<bool, DumpError> {
        let length = self.source.len();
        if self.start >= length || length > self.end {
            return Ok(false);
        }
        let offset = self.start;
        let tail =
            Tail::of_file(&*self.source).map_err(|source| DumpError::Io { offset, source })?;
        Ok(tail.lacks_footer())
    }
}
