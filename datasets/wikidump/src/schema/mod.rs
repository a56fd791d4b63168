//! The export schema of MediaWiki, versions 0.5 to 0.11: the head of a page, a revision, and the
//! header of a dump. Each parser gets the bytes of its element alone; finding those is the scanner's
//! task.

mod entities;
mod fields;
mod head;
mod revision;
mod row;
mod siteinfo;
mod timestamp;

pub(crate) use head::Head;
pub(crate) use revision::{Parsed, Wanted, parse_revision};
pub use row::{Page, Revision};
pub use siteinfo::{Namespace, SiteInfo};
