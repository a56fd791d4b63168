//! Splits a JSON file into chunks of complete objects, without the arrays and separators around them.

use std::io;

use crate::records::input::Buffer;

/// Finds the objects of rows in bytes that are known to be JSON.
#[derive(Default)]
pub(in crate::records) struct Split {
    /// Number of objects and lists that are open.
    depth: usize,
    in_text: bool,
    /// Whether the last byte was a backslash in a text.
    escaped: bool,
}

impl Split {
    /// Appends whole rows to `out`, each with a line break, until it holds `min_bytes` bytes; false at the end
    /// of the file.
    pub(in crate::records) fn next(
        &mut self,
        input: &mut Buffer,
        min_bytes: usize,
        out: &mut Vec<u8>,
    ) -> io::Result<bool> {
        while input.peek()?.is_some() {
            let rest = input.rest();
            if self.depth == 0 {
                let before = memchr::memchr(b'{', rest).unwrap_or(rest.len());
                input.take(before);
                if input.rest().is_empty() {
                    continue;
                }
            }
            let rest = input.rest();
            let len = self.inside(rest);
            out.extend_from_slice(&rest[..len]);
            input.take(len);
            if self.depth == 0 {
                out.push(b'\n');
                if out.len() >= min_bytes {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Bytes up to the end of the row, or all.
    fn inside(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            if self.escaped {
                self.escaped = false;
                at += 1;
                continue;
            }
            if self.in_text {
                let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) else {
                    return bytes.len();
                };
                at += found;
                match bytes[at] {
                    b'"' => self.in_text = false,
                    _ => self.escaped = true,
                }
                at += 1;
                continue;
            }
            match bytes[at] {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        bytes.len()
    }
}
