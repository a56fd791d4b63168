//! Checks whether the XML of a dump ends with the closing tag of an export.

use std::io;

use crate::source::{ReadAt, read_full};

/// The end of every export that was written to its end.
const FOOTER: &[u8] = b"</mediawiki>";

/// Bytes at the end of the XML that are looked at: the footer, and white space after it.
const TAIL_BYTES: usize = 4 << 10;

/// The last bytes of what was decoded so far.
#[derive(Debug, Default)]
pub(super) struct Tail(Vec<u8>);

impl Tail {
    /// The last bytes of a file that is not compressed.
    pub(super) fn of_file(source: &dyn ReadAt) -> io::Result<Self> {
        let length = source.len();
        let wanted = usize::try_from(length).map_or(TAIL_BYTES, |length| length.min(TAIL_BYTES));
        let mut bytes = vec![0; wanted];
        let read = read_full(source, length - wanted as u64, &mut bytes)?;
        bytes.truncate(read);
        Ok(Self(bytes))
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds decoded bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(TAIL_BYTES)..];
        let kept = TAIL_BYTES - bytes.len();
        let surplus = self.0.len().saturating_sub(kept);
        self.0.drain(..surplus);
        self.0.extend_from_slice(bytes);
    }

    /// Whether these bytes do not end with the footer. If they are only the last part of it, the rest is assumed to be
    /// before them.
    pub(super) fn lacks_footer(&self) -> bool {
        let end = self.0.trim_ascii_end();
        !end.ends_with(FOOTER) && !FOOTER.ends_with(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacks_footer(pieces: &[&[u8]]) -> bool {
        let mut tail = Tail::default();
        for piece in pieces {
            tail.push(piece);
        }
        tail.lacks_footer()
    }

    #[test]
    fn a_footer_is_found_across_pieces_and_before_white_space() {
        assert!(!lacks_footer(&[b"<page></page></media", b"wiki>\n", b"  "]));
        assert!(!lacks_footer(&[&[b' '; 5000], b"</mediawiki>\n"]));
        assert!(!lacks_footer(&[b"iki>\n"]));
        assert!(lacks_footer(&[b"</mediawiki>", b"<page>"]));
        assert!(lacks_footer(&[b"</page>\n"]));
        assert!(!lacks_footer(&[]));
    }
}
