//! Rows: a page with one of its revisions.

use crate::kind::PageKind;

/// One revision of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The page's number, unique in its wiki.
    pub id: i64,
    /// The page's namespace; 0 for articles. Dumps of version 0.5 do not have it: there it comes
    /// from the title's prefix and the namespaces of the header.
    pub namespace: i32,
    /// The title with its namespace prefix and spaces.
    pub title: String,
    /// What the revision is, by its text and the page's title.
    pub kind: PageKind,
    /// The target of a redirect, as written; `None` for other kinds, or if there is no target.
    pub redirect: Option<String>,
    /// The revision.
    pub revision: Revision,
}

/// One revision of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revision {
    /// The revision's number, unique in its wiki; `None` where the dump is damaged there.
    pub id: Option<i64>,
    /// The revision that this one changed.
    pub parent_id: Option<i64>,
    /// Microseconds since 1970-01-01T00:00:00Z; `None` where the dump is damaged there.
    pub timestamp: Option<i64>,
    /// The name or address of who wrote it; `None` when removed.
    pub contributor: Option<String>,
    /// The content model, such as `wikitext`; old dumps have none.
    pub model: Option<String>,
    /// The content format, such as `text/x-wiki`; old dumps have none.
    pub format: Option<String>,
    /// The text. `None` when removed, when the dump has no texts, or when not asked for.
    pub text: Option<String>,
}

impl Revision {
    /// Sort key of the latest revision: the timestamp, then the number.
    pub(crate) fn age(&self) -> (Option<i64>, Option<i64>) {
        (self.timestamp, self.id)
    }
}
