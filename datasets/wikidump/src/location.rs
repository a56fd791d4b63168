//! Positions in a dump, and names of pages, for error messages.

use std::fmt;

/// The position of a byte of the XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// A byte of an uncompressed file.
    File {
        /// From the start of the file.
        byte: u64,
    },
    /// A byte of the XML inside a gzip file.
    Decoded {
        /// From the start of the decoded XML.
        byte: u64,
    },
    /// A byte decoded from a bz2 block.
    Block {
        /// The byte of the file in which the block starts.
        block: u64,
        /// From the start of the decoded block; the byte may lie in a later block.
        byte: u64,
    },
}

impl Location {
    /// The position `count` decoded bytes later.
    pub(crate) fn advance(self, count: u64) -> Self {
        match self {
            Self::File { byte } => Self::File { byte: byte + count },
            Self::Decoded { byte } => Self::Decoded { byte: byte + count },
            Self::Block { block, byte } => Self::Block {
                block,
                byte: byte + count,
            },
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { byte } => write!(f, "byte {byte}"),
            Self::Decoded { byte } => write!(f, "decoded byte {byte}"),
            Self::Block { block, byte } => {
                write!(f, "decoded byte {byte} of the block at byte {block}")
            }
        }
    }
}

/// The known properties of a page that an error refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageName {
    /// The page's number.
    pub id: Option<i64>,
    /// The page's title.
    pub title: Option<String>,
}

impl fmt::Display for PageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.id, &self.title) {
            (Some(id), Some(title)) => write!(f, "page {id} ({title:?})"),
            (Some(id), None) => write!(f, "page {id}"),
            (None, Some(title)) => write!(f, "page {title:?}"),
            (None, None) => write!(f, "a page"),
        }
    }
}
