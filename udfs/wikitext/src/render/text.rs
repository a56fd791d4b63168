//! Running text: white space, apostrophes, entities, behaviour switches.

use super::super::{entities, quotes};
use super::Renderer;

impl<'a> Renderer<'a> {
    /// Writes the source up to `stop`, or up to the next line.
    pub(super) fn text(&mut self, stop: usize) {
        self.line.other |= self.bytes[self.position] != b'\n';
        let mut from = self.position;
        let mut i = from;
        while i < stop {
            let byte = self.bytes[i];
            if !SPECIAL[byte as usize]
                || (byte == b' ' && self.bytes.get(i + 1).is_some_and(|&b| b != b' '))
            {
                i += 1;
                continue;
            }
            let length = match byte {
                b'\n' => {
                    self.flush(from, i);
                    self.position = i + 1;
                    self.end_line();
                    return;
                }
                b' ' => self.bytes[i..stop]
                    .iter()
                    .take_while(|&&b| b == b' ')
                    .count(),
                b'\'' => self.bytes[i..].iter().take_while(|&&b| b == b'\'').count(),
                _ => 1,
            };
            if byte == b'\'' && length == 1 {
                i += 1;
                continue;
            }
            self.flush(from, i);
            self.position = i;
            match self.special(byte, length.min(stop - i), stop) {
                Some(next) => {
                    i = next;
                    from = next;
                }
                None => {
                    // only a character
                    from = i;
                    i += 1;
                }
            }
        }
        self.flush(from, stop.max(from));
        self.position = stop.max(i);
    }

    pub(super) fn flush(&mut self, from: usize, to: usize) {
        if from < to {
            self.push(&self.source[from..to]);
        }
    }

    /// Handles a special byte at the position; the position after it if it was not plain text.
    pub(super) fn special(&mut self, byte: u8, length: usize, stop: usize) -> Option<usize> {
        let at = self.position;
        match byte {
            b' ' => {
                if self.bytes.get(at + length) == Some(&b'\n') {
                    return Some(at + length);
                }
                self.space();
                Some(at + length)
            }
            b'\t' => {
                self.space();
                Some(at + 1)
            }
            b'\'' => {
                self.apostrophes(length);
                Some(at + length)
            }
            b'&' => {
                let (c, length) = entities::decode(&self.bytes[at..])?;
                if at + length > stop {
                    return None;
                }
                if c == ' ' {
                    self.space();
                } else {
                    self.out.push(c);
                }
                Some(at + length)
            }
            b'_' => magic_word(&self.bytes[at..stop]).map(|length| at + length),
            b'|' => self.pipe().then_some(at + 1),
            b'=' => self.equals().then_some(at + 1),
            b':' if self.line.term && self.frames.is_empty() => {
                if self.bytes[at + 1..].starts_with(b"//") {
                    return None;
                }
                self.line.term = false;
                self.break_block();
                Some(at + 1)
            }
            b':' | b';' => None,
            // control characters, and carriage returns before line feeds
            _ => Some(at + 1),
        }
    }

    pub(super) fn apostrophes(&mut self, run: usize) {
        let at = self.position;
        if run == 3 {
            if at >= self.quotes_end {
                let start = memchr::memrchr(b'\n', &self.bytes[..at]).map_or(0, |i| i + 1);
                let end = self.line_end(at);
                self.quotes_end = end;
                self.literal_quote = quotes::literal_apostrophe(&self.bytes[start..end])
                    .map_or(usize::MAX, |i| start + i);
            }
            if at == self.literal_quote {
                self.out.push('\'');
                return;
            }
        }
        for _ in 0..quotes::text_of_run(run) {
            self.out.push('\'');
        }
    }
}

/// True for bytes at which running text stops.
static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let stops = b"\n\r\t '&_|=:;";
    let mut i = 0;
    while i < stops.len() {
        table[stops[i] as usize] = true;
        i += 1;
    }
    let mut control = 0;
    while control < 32 {
        table[control] = true;
        control += 1;
    }
    table[0x7F] = true;
    table
};

/// The length of a behaviour switch such as `__NOTOC__` at the start of `text`.
fn magic_word(text: &[u8]) -> Option<usize> {
    let inner = text.strip_prefix(b"__")?;
    let inner = &inner[..inner.len().min(60)];
    let end = memchr::memmem::find(inner, b"__")?;
    let word = std::str::from_utf8(&inner[..end]).ok()?;
    let capitals = word.len() > 2
        && word
            .chars()
            .all(|c| c == '_' || (c.is_alphabetic() && !c.is_lowercase()));
    capitals.then_some(end + 4)
}
