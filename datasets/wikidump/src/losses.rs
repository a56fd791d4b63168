//! Counts of what was left out while reading a damaged dump with [`OnError::Skip`](crate::OnError::Skip).

use std::fmt;

/// Counts of what was skipped. Losses of several ranges or files add up with [`Losses::merge`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Losses {
    /// bz2 blocks that do not decode.
    pub blocks: u64,
    /// Bytes of the file in lost blocks and between them.
    pub bytes: u64,
    /// bz2 streams with a wrong checksum although each of their blocks is right; nothing of them
    /// was skipped.
    pub streams: u64,
    /// Files that are truncated, or gzip files that do not decode from some position on.
    pub truncated: u64,
    /// Pages that run into a lost block or a cut.
    pub pages_cut: u64,
    /// Pages with no end before the next one starts or the file ends.
    pub pages_unclosed: u64,
    /// Pages that are not as the export schema has them.
    pub pages_malformed: u64,
    /// Pages, or single revisions where all are read, above `max_page_bytes`.
    pub pages_too_large: u64,
    /// `<page>` tags without a title, which do not start a page, `</page>` tags that end none, and titles outside pages:
    /// stray tags, or pages that are damaged there. They are never an error.
    pub pages_stray: u64,
    /// Pages without a revision, which give no row. They are never an error.
    pub pages_without_revision: u64,
    /// Files that begin as an export and do not end with `</mediawiki>`. Such a file may have been cut between two
    /// pages; how many are missing is not known. It is never an error.
    pub without_footer: u64,
    /// Elements of pages, other than the title, the number and the text, that cannot be read; they are NULL in the
    /// rows. Where only the latest revision is read, a timestamp that cannot be read is counted, and its revision is not
    /// taken for the latest. A text with a second start or end tag counts as well. They are never an error.
    pub fields: u64,
    /// Titles and texts with bytes that are not UTF-8, which became U+FFFD. They are never an error.
    pub not_utf8: u64,
    /// NUL bytes, which XML does not allow: a hole in a file, in which pages may be lost. They are never an error.
    pub null_bytes: u64,
    /// Bytes after the last bz2 stream or gzip member, which are ignored and not a loss.
    pub trailing_bytes: u64,
}

impl Losses {
    /// Adds the losses of another part.
    pub fn merge(&mut self, other: &Losses) {
        self.blocks += other.blocks;
        self.bytes += other.bytes;
        self.streams += other.streams;
        self.truncated += other.truncated;
        self.pages_cut += other.pages_cut;
        self.pages_unclosed += other.pages_unclosed;
        self.pages_malformed += other.pages_malformed;
        self.pages_too_large += other.pages_too_large;
        self.pages_stray += other.pages_stray;
        self.pages_without_revision += other.pages_without_revision;
        self.without_footer += other.without_footer;
        self.fields += other.fields;
        self.not_utf8 += other.not_utf8;
        self.null_bytes += other.null_bytes;
        self.trailing_bytes += other.trailing_bytes;
    }

    /// Pages that are known to be lost. Pages that start in a lost block are not known.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages_cut + self.pages_unclosed + self.pages_malformed + self.pages_too_large
    }

    /// Whether everything was read. Trailing bytes are no loss.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self
            == Self {
                trailing_bytes: self.trailing_bytes,
                ..Self::default()
            }
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.blocks, "blocks lost"),
            (self.bytes, "bytes lost"),
            (self.streams, "streams with a wrong checksum"),
            (self.truncated, "files cut off"),
            (self.pages_cut, "pages cut"),
            (self.pages_unclosed, "pages without an end"),
            (self.pages_malformed, "malformed pages"),
            (self.pages_too_large, "pages too large"),
            (self.pages_stray, "stray page tags"),
            (self.pages_without_revision, "pages without a revision"),
            (
                self.without_footer,
                "files without </mediawiki> at their end, from which pages may be missing",
            ),
            (self.fields, "fields unreadable"),
            (
                self.not_utf8,
                "titles or texts that are not UTF-8, with U+FFFD in place of the wrong bytes",
            ),
            (
                self.null_bytes,
                "NUL bytes, in the place of which pages may be missing",
            ),
            (self.trailing_bytes, "trailing bytes ignored"),
        ];
        let mut separator = "";
        for (count, what) in counts {
            if count > 0 {
                write!(f, "{separator}{count} {what}")?;
                separator = ", ";
            }
        }
        if separator.is_empty() {
            write!(f, "nothing lost")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_add_up_and_print() {
        let mut all = Losses::default();
        assert_eq!(all.to_string(), "nothing lost");
        all.merge(&Losses {
            blocks: 1,
            bytes: 20,
            pages_cut: 2,
            ..Losses::default()
        });
        all.merge(&Losses {
            bytes: 5,
            pages_malformed: 1,
            trailing_bytes: 3,
            ..Losses::default()
        });
        assert_eq!(all.pages(), 3);
        assert!(!all.is_empty());
        assert!(
            Losses {
                trailing_bytes: 9,
                ..Losses::default()
            }
            .is_empty()
        );
        assert_eq!(
            all.to_string(),
            "1 blocks lost, 25 bytes lost, 2 pages cut, 1 malformed pages, 3 trailing bytes ignored"
        );
    }
}
