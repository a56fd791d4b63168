//! Reads Wikipedia dumps: pages and revisions of MediaWiki's XML export, as it is or in bz2 or gzip.
//!
//! ```
//! use std::sync::Arc;
//! use neardup_wikidump::{DumpReader, ReadOptions};
//!
//! let dump = b"<mediawiki version=\"0.11\"><page><title>A</title><ns>0</ns><id>1</id>\
//!     <revision><id>7</id><timestamp>2024-01-01T00:00:00Z</timestamp>\
//!     <text>1 &lt; 2 &amp;amp; 3</text></revision></page></mediawiki>";
//! let mut reader = DumpReader::open_whole(Arc::new(dump.to_vec()), ReadOptions::default())?;
//! let page = reader.next().expect("one page")?;
//! assert_eq!((page.id, page.title.as_str()), (1, "A"));
//! assert_eq!(page.revision.text.as_deref(), Some("1 < 2 &amp; 3"));
//! assert!(reader.next().is_none());
//! # Ok::<(), neardup_wikidump::DumpError>(())
//! ```
//!
//! ```text
//! ReadAt ─► Input: plain, bz2 blocks, gzip ─► PageScanner ─► Assembler ─► Page
//!           decoded chunks of a byte range    pieces found    quick-xml,    one row a page
//!                                             by byte search  kind          or revision
//! ```
//!
//! A file is read as a whole or as byte ranges, each by an independent reader; this also holds for bz2 files of a
//! single stream. The rows are the same however a file is split.
//!
//! It reads dumps of any size: memory is bounded by a block, a window and the largest revision. It starts no threads:
//! threads, lists of files and remote storage are up to the caller.

pub(crate) mod bzip2;
mod container;
mod error;
mod input;
mod kind;
mod location;
mod losses;
mod options;
mod pages;
mod range;
mod reader;
mod schema;
#[cfg(test)]
mod shared_data;
mod source;

pub use container::Container;
pub use error::DumpError;
pub use kind::PageKind;
pub use location::{Location, PageName};
pub use losses::Losses;
pub use options::{OnError, ReadOptions, Revisions, UnknownOnError};
pub use range::{splittable, suggest_ranges};
pub use reader::{DumpInfo, DumpReader};
pub use schema::{Namespace, Page, Revision, SiteInfo};
pub use source::{FileSource, READ_BYTES, ReadAt, SequentialReader};
