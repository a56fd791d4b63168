//! Writes text, blocks and spaces, and cuts the output back as far as the open frames allow.

use super::removals::FORMULA;
use super::{Frame, Inside, Renderer};

/// The first character of the scripts that put no space between words.
const FIRST_IDEOGRAPH: char = '\u{2E80}';

impl<'a> Renderer<'a> {
    /// The first byte of the output that may be cut off.
    pub(super) fn floor(&self) -> usize {
        self.frames.last().map_or(self.base, |frame| frame.text)
    }

    /// True at the start of a label or an argument, where white space means nothing.
    pub(super) fn begins_argument(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.text >= self.out.len())
    }

    pub(super) fn trim_end(&mut self) {
        let floor = self.floor();
        let kept = self.out[floor..].trim_end_matches(' ').len();
        self.cut(floor + kept);
    }

    /// Cuts the output back to this length.
    pub(super) fn cut(&mut self, length: usize) {
        self.out.truncate(length);
        self.removals.cut(length);
        self.marks.cut(length);
    }

    /// Notes that something is left out here.
    pub(super) fn leave_out(&mut self) {
        self.removals.left_out(self.out.len());
    }

    /// Ends the block, unless it is empty.
    pub(super) fn break_block(&mut self) {
        self.trim_end();
        if self.out.len() > self.base && !self.begins_argument() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.begin_block();
    }

    /// Notes what the block is that begins here.
    pub(super) fn begin_block(&mut self) {
        self.marks.begin(self.out.len(), self.line.block);
    }

    pub(super) fn space(&mut self) {
        if self.out.len() > self.base
            && !self.out.ends_with([' ', '\n'])
            && !(self.begins_argument() && self.in_template())
        {
            self.out.push(' ');
        }
        self.removals.space(self.out.len());
    }

    pub(super) fn in_template(&self) -> bool {
        matches!(
            self.frames.last(),
            Some(Frame {
                inside: Inside::Template(_),
                ..
            })
        )
    }

    pub(super) fn push(&mut self, text: &str) {
        let text = match text.strip_prefix(' ') {
            Some(rest) => {
                self.space();
                rest.trim_start_matches(' ')
            }
            None => text,
        };
        self.out.push_str(text);
    }

    /// Writes a formula as it is on the page or, if it has no text, the word in its place, apart from the words
    /// around it; `next` follows it in the source.
    pub(super) fn formula(&mut self, text: Option<&str>, next: &str) {
        let joins = |c: char| c.is_alphanumeric() && c < FIRST_IDEOGRAPH;
        let before = &self.out[self.floor()..];
        if before.ends_with(FORMULA) || (text.is_none() && before.ends_with(joins)) {
            self.out.push(' ');
        }
        let written = text.unwrap_or(FORMULA);
        self.removals.formula(self.out.len(), written.len());
        self.out.push_str(written);
        if text.is_none() && next.starts_with(joins) {
            self.out.push(' ');
        }
    }

    /// Writes part of a title or a name as it is in the source.
    pub(super) fn push_name(&mut self, name: &str) {
        self.out.extend(name.chars().filter(|c| !c.is_control()));
    }
}
