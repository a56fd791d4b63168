//! The sentence expression of the published systems as one linear scan.
//!
//! Written out, `["A-Z][^.!?]*(?:[.!?](?!['"]?\s|$)[^.!?]*)*[.!?]?['"]?` says: start at the next
//! quotation mark or capital of ASCII, and stop after the first terminator that is followed by
//! white space (perhaps after one quotation mark) or by the end of the text. Everything after the
//! first character is optional, so a match that has begun cannot fail and nothing is read twice.

use memchr::memchr3;

/// The matches of the published expression, as ranges of its first group.
pub(super) struct Published<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Published<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            position: 0,
        }
    }
}

impl Iterator for Published<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.position..)?;
        let start = self.position + rest.iter().position(|&b| starts_sentence(b))?;
        let end = sentence_end(self.bytes, start + 1);
        self.position = end;
        Some((start, end))
    }
}

fn starts_sentence(byte: u8) -> bool {
    byte == b'"' || byte.is_ascii_uppercase()
}

/// The end of the sentence whose text from `from` on has not been read.
fn sentence_end(bytes: &[u8], mut from: usize) -> usize {
    while let Some(found) = memchr3(b'.', b'!', b'?', &bytes[from..]) {
        let after = from + found + 1;
        match bytes.get(after) {
            None => return after,
            Some(&b) if is_space(b) => return after,
            Some(b'"' | b'\'') if bytes.get(after + 1).is_some_and(|&b| is_space(b)) => {
                return after + 1;
            }
            Some(_) => from = after,
        }
    }
    bytes.len()
}

/// White space as the expression means it: of ASCII, with the vertical tab.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}
