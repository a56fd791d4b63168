//! The starts and ends of source lines: list marks, indents, rules, broken tables.

use memchr::memchr;

use super::super::blocks::Block;
use super::super::spans::OPEN;
use super::{Line, Renderer};

impl<'a> Renderer<'a> {
    pub(super) fn begin_line(&mut self, breaks: bool) {
        if breaks {
            self.break_block();
        } else {
            self.space();
        }
        self.line = Line {
            fresh: true,
            from: self.out.len(),
            ..Line::default()
        };
        if breaks {
            self.begin_block();
        }
    }

    pub(super) fn line_end(&self, from: usize) -> usize {
        memchr(b'\n', &self.bytes[from..]).map_or(self.bytes.len(), |i| from + i)
    }

    /// Reads the markup at the start of a line. True if the position has moved.
    pub(super) fn start_line(&mut self) -> bool {
        self.line.fresh = false;
        let at = self.position;
        let in_table_row = self.frames.is_empty() && !self.starts_span(at);
        match self.bytes[at] {
            b'*' | b'#' | b':' | b';' => {
                self.break_block();
                self.line.from = self.out.len();
                self.line.alone = true;
                self.line.block = Block::ListItem;
                self.line.marked = Block::ListItem;
                // A comment after the mark does not begin the line anew.
                self.line.other = true;
                self.begin_block();
                let mut i = at;
                while i < self.bytes.len() && b"*#:; \t".contains(&self.bytes[i]) {
                    i += 1;
                }
                self.line.term = self.bytes[at..i].contains(&b';');
                self.position = i;
                true
            }
            b' ' | b'\t' if self.frames.is_empty() => {
                let rest = &self.bytes[at..];
                let blanks = rest
                    .iter()
                    .take_while(|b| matches!(b, b' ' | b'\t'))
                    .count();
                if !matches!(rest.get(blanks), None | Some(b'\n' | b'\r')) {
                    self.break_block();
                    self.line.from = self.out.len();
                    self.line.alone = true;
                }
                self.position = at + blanks;
                true
            }
            b'|' if in_table_row => {
                self.skip_line();
                true
            }
            b'!' if in_table_row && self.broken_table => {
                self.skip_line();
                true
            }
            b'-' if self.bytes[at..].starts_with(b"----") => {
                let dashes = self.bytes[at..].iter().take_while(|&&b| b == b'-').count();
                self.break_block();
                self.line.alone = true;
                self.position = at + dashes;
                true
            }
            b'\n' => {
                self.broken_table = false;
                false
            }
            _ => false,
        }
    }

    pub(super) fn starts_span(&self, at: usize) -> bool {
        self.spans[self.next..]
            .iter()
            .find(|span| span.start as usize >= at)
            .is_some_and(|span| span.start as usize == at)
    }

    /// Leaves out the rest of the line, and what begins on it and ends further down.
    pub(super) fn skip_line(&mut self) {
        let mut end = self.line_end(self.position);
        while let Some(span) = self.spans.get(self.next) {
            if span.start as usize >= end {
                break;
            }
            if span.close != OPEN && span.resume as usize > end {
                end = self.line_end(span.resume as usize);
            }
            self.next += 1;
        }
        // what is open closes within its own text
        if let Some(frame) = self.frames.last() {
            end = end.min(frame.close);
        }
        self.position = end;
        self.line.other = true;
    }

    pub(super) fn end_line(&mut self) {
        let blank = self.out.len() <= self.line.from;
        if blank && self.line.comment && !self.line.other {
            // a line of comments is no line
            self.line.fresh = true;
            self.line.comment = false;
            return;
        }
        // The text of an item may begin in the line after its tag.
        let (tagged, inside) = (self.line.tagged, self.line.inside);
        self.begin_line(blank || self.line.alone);
        if blank && tagged != Block::Paragraph {
            self.line.block = tagged;
            self.line.inside = inside;
            self.begin_block();
        }
    }
}
