//! Errors of reading a dump. Messages contain offsets; the caller adds the file's name.

use std::io;

use crate::bzip2::Fault;
use crate::location::{Location, PageName};

/// A dump that cannot be read, or cannot be read from some position on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The storage failed.
    #[error("cannot read at byte {offset}: {source}")]
    Io {
        /// Offset of the read in the file.
        offset: u64,
        /// What the storage reported.
        source: io::Error,
    },
    /// The file has no bytes.
    #[error("the file is empty")]
    Empty,
    /// The file is of a kind that is known but not read.
    #[error(
        "the file is {found}, but a dump must be XML: uncompressed, or compressed as bz2 or gzip"
    )]
    Unsupported {
        /// What the file is, with its article.
        found: &'static str,
    },
    /// The file is of an unknown kind.
    #[error("the file is neither XML nor bz2 nor gzip: it starts with the bytes {start}")]
    Unrecognised {
        /// The first bytes in hexadecimal.
        start: String,
    },
    /// XML that is no export of a wiki.
    #[error("no <page> element: not a MediaWiki dump")]
    NoPages,
    /// The XML is not in UTF-8.
    #[error("the XML is encoded in {encoding}, and a dump must be in UTF-8")]
    Encoding {
        /// The encoding that the XML declares or its first bytes show.
        encoding: String,
    },
    /// A bz2 block, or data in the position of one, breaks a rule of the format.
    #[error("corrupt bz2 block at bit {bit} (byte {}): {reason}", bit / 8)]
    CorruptBlock {
        /// Bit offset in the file.
        bit: u64,
        /// The rule.
        reason: &'static str,
    },
    /// A bz2 block decodes to bytes with another checksum.
    #[error(
        "corrupt bz2 block at bit {bit} (byte {}): its checksum is {got:#010x} and must be {want:#010x}",
        bit / 8
    )]
    BlockChecksum {
        /// Bit offset of the block in the file.
        bit: u64,
        /// The checksum in the file.
        want: u32,
        /// The checksum of the decoded bytes.
        got: u32,
    },
    /// Blocks of a bz2 stream are whole, but not those that were written.
    #[error(
        "corrupt bz2 stream that ends at bit {bit} (byte {}): its checksum is {got:#010x} and must be {want:#010x}",
        bit / 8
    )]
    StreamChecksum {
        /// Bit offset of the end-of-stream mark.
        bit: u64,
        /// The checksum in the file.
        want: u32,
        /// The checksum of the blocks.
        got: u32,
    },
    /// Bytes between two bz2 streams that belong to neither.
    #[error("bytes {offset} to {next} are not a bz2 stream, but a block follows")]
    Garbage {
        /// Where the bytes start.
        offset: u64,
        /// Where the next block starts.
        next: u64,
    },
    /// A gzip file does not decode.
    #[error("corrupt gzip data after decoded byte {offset}: {source}")]
    CorruptGzip {
        /// Decoded bytes before the fault.
        offset: u64,
        /// What the decoder reported.
        source: io::Error,
    },
    /// The file ends too early.
    #[error("the file is cut off at byte {offset}; {}", last_page(last))]
    Truncated {
        /// Where the unfinished part starts.
        offset: u64,
        /// The last page before it that is whole, if one was read.
        last: Option<PageName>,
    },
    /// A page has no end.
    #[error("{page} at {location} has no end: {reason}")]
    UnclosedPage {
        /// The page.
        page: PageName,
        /// Where it starts.
        location: Location,
        /// What was met instead.
        reason: &'static str,
    },
    /// A page is not as the export schema has it.
    #[error("{page} at {location}: {reason}")]
    BadPage {
        /// The page.
        page: PageName,
        /// Where it starts.
        location: Location,
        /// What is wrong.
        reason: &'static str,
    },
    /// A revision is larger than the limit.
    #[error("{page} at {location} has a revision of more than {limit} bytes (max_page_bytes)")]
    TooLarge {
        /// The page.
        page: PageName,
        /// Where it starts.
        location: Location,
        /// The limit.
        limit: usize,
    },
    /// Any of the above, in a named file.
    #[error("{file}: {source}")]
    InFile {
        /// The file's name.
        file: String,
        /// What is wrong with it.
        source: Box<DumpError>,
    },
}

fn last_page(last: &Option<PageName>) -> String {
    match last {
        Some(page) => format!("the last whole page before it is {page}"),
        None => "no whole page was read before it".to_owned(),
    }
}

impl DumpError {
    /// Puts the name of the file before the message.
    #[must_use]
    pub fn with_file(self, file: impl Into<String>) -> Self {
        match self {
            Self::InFile { .. } => self,
            other => Self::InFile {
                file: file.into(),
                source: Box::new(other),
            },
        }
    }
}

impl From<Fault> for DumpError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Io { offset, source } => Self::Io { offset, source },
            Fault::Invalid { bit, reason } => Self::CorruptBlock { bit, reason },
            Fault::Checksum { bit, want, got } => Self::BlockChecksum { bit, want, got },
            Fault::StreamChecksum { bit, want, got } => Self::StreamChecksum { bit, want, got },
            Fault::Truncated { bit } => Self::Truncated {
                offset: bit / 8,
                last: None,
            },
        }
    }
}
