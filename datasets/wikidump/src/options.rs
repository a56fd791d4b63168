//! Options of a reader.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which revisions of a page make rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Revisions {
    /// One row for each page: the revision with the latest timestamp, and among equal timestamps the one with the
    /// largest id. Dumps of current pages have only one revision for each page.
    #[default]
    Latest,
    /// One row for each revision, in the order of the file.
    All,
}

/// What to do if a part of the dump cannot be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OnError {
    /// Report the first fault and stop.
    #[default]
    Fail,
    /// Leave out what cannot be read, count it in [`crate::Losses`], and continue after it. Errors of the storage still
    /// stop the reader.
    Skip,
}

impl OnError {
    /// Its name in options and SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Skip => "skip",
        }
    }
}

impl fmt::Display for OnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no value of [`OnError`] has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("on_error must be 'fail' or 'skip', found '{name}'")]
pub struct UnknownOnError {
    /// The name that was given.
    pub name: String,
}

impl FromStr for OnError {
    type Err = UnknownOnError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = [Self::Fail, Self::Skip];
        let found = known.into_iter().find(|known| known.name() == name);
        found.ok_or_else(|| UnknownOnError {
            name: name.to_owned(),
        })
    }
}

/// Options of [`crate::DumpReader`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// Which revisions make rows.
    pub revisions: Revisions,
    /// Only pages of these namespaces; `None` for all. Default: `[0]`, the articles.
    pub namespaces: Option<Vec<i32>>,
    /// Whether redirects are returned as rows. Default: no.
    pub redirects: bool,
    /// Whether [`crate::Revision::text`] is filled. Default: yes.
    pub text: bool,
    /// Whether [`crate::Page::kind`] depends on the text. If not, it depends on the page's head only: redirect by its
    /// mark, other by namespace. Default: yes.
    pub kind: bool,
    /// What to do if a part of the dump cannot be read. Default: fail.
    pub on_error: OnError,
    /// The largest XML of one revision in bytes. Larger ones are an error, or left out and counted
    /// under [`OnError::Skip`]. Default: 64 MiB.
    pub max_page_bytes: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            revisions: Revisions::Latest,
            namespaces: Some(vec![0]),
            redirects: false,
            text: true,
            kind: true,
            on_error: OnError::Fail,
            max_page_bytes: 64 << 20,
        }
    }
}
