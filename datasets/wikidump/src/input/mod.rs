//! Reads the decoded XML of a byte range of a file in chunks, for each kind of container.

mod blocks;
mod footer;
mod gzip;
mod plain;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use blocks::BlockInput;
pub(crate) use gzip::GzipInput;
pub(crate) use plain::PlainInput;

use crate::container::Container;
use crate::error::DumpError;
use crate::location::Location;
use crate::losses::Losses;
use crate::options::OnError;
use crate::source::ReadAt;

/// Some decoded bytes.
#[derive(Debug)]
pub(crate) struct Chunk<'a> {
    pub(crate) bytes: &'a [u8],
    /// The position of the first of them.
    pub(crate) location: Location,
    /// Whether pages that start in it belong to the range.
    pub(crate) owned: bool,
    /// Whether bytes before it were lost.
    pub(crate) gap: bool,
}

/// The decoded XML of one range, and of the bytes after it that the last page of the range extends to.
pub(crate) enum Input {
    Plain(PlainInput),
    Bzip2(Box<BlockInput>),
    Gzip(Box<GzipInput>),
}

impl Input {
    pub(crate) fn new(
        source: Arc<dyn ReadAt>,
        container: Container,
        range: Range<u64>,
        on_error: OnError,
    ) -> Self {
        match container {
            Container::Plain => Self::Plain(PlainInput::new(source, range)),
            Container::Bzip2 => Self::Bzip2(Box::new(BlockInput::new(source, range, on_error))),
            Container::Gzip => Self::Gzip(Box::new(GzipInput::new(source, range, on_error))),
        }
    }

    /// The next chunk; `None` at the end of the file, or past the range if `idle`, which says that
    /// no page of the range is unfinished.
    pub(crate) fn next_chunk(
        &mut self,
        idle: bool,
        losses: &mut Losses,
    ) -> Result<Option<Chunk<'_>>, DumpError> {
        match self {
            Self::Plain(input) => input.next_chunk(idle),
            Self::Bzip2(input) => input.next_chunk(idle, losses),
            Self::Gzip(input) => input.next_chunk(losses),
        }
    }

    /// After the last chunk: whether this range holds the end of the XML and it is not that of an export.
    pub(crate) fn lacks_footer(&self) -> Result<bool, DumpError> {
        match self {
            Self::Plain(input) => input.lacks_footer(),
            Self::Bzip2(input) => Ok(input.lacks_footer()),
            Self::Gzip(input) => Ok(input.lacks_footer()),
        }
    }

    /// After the last chunk: whether bytes after it were lost.
    pub(crate) fn ended_in_gap(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Bzip2(input) => input.ended_in_gap(),
            Self::Gzip(input) => input.ended_in_gap(),
        }
    }
}
