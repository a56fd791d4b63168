//! Numbered items in one line: "1. The first item 2. The second item".
//!
//! A block that begins with an item mark is searched for the marks that follow it, each from
//! where the last was found, so that the search costs one pass over the block.

use memchr::memmem;

/// Where the second and later items of a block begin.
pub(super) struct ListItems {
    label: Label,
    bullet: String,
    tail: &'static str,
    next: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Label {
    Number(u32),
    Letter(u8),
}

impl Label {
    fn following(self) -> Option<Self> {
        match self {
            Self::Number(n) => n.checked_add(1).map(Self::Number),
            Self::Letter(b'z') => None,
            Self::Letter(l) => Some(Self::Letter(l + 1)),
        }
    }
}

impl ListItems {
    /// The items of the block `text[start..end]`, if it begins with an item mark.
    pub(super) fn of_block(text: &str, start: usize, end: usize) -> Option<Self> {
        let block = &text[start..end];
        let first = block.chars().next()?;
        let bullet = if matches!(first, '•' | '⁃' | '◦' | '▪' | '‣') {
            let rest = &block[first.len_utf8()..];
            block[..block.len() - rest.trim_start_matches(' ').len()].to_owned()
        } else if first.is_ascii_digit() || first == 'a' {
            String::new()
        } else {
            return None;
        };
        let rest = &block[bullet.len()..];
        let width = rest.bytes().take(4).take_while(u8::is_ascii_digit).count();
        let (label, after) = match width {
            0 if rest.starts_with('a') => (Label::Letter(b'a'), &rest[1..]),
            1..=3 => (Label::Number(rest[..width].parse().ok()?), &rest[width..]),
            _ => return None,
        };
        let tail = [".) ", ") ", ". "]
            .into_iter()
            .find(|tail| after.starts_with(tail))?;
        let mut items = Self {
            label,
            bullet,
            tail,
            next: None,
        };
        items.advance(text, start, end);
        items.next.is_some().then_some(items)
    }

    /// The start of the first item that begins after `from`, in a block that ends at `end`.
    pub(super) fn after(&mut self, text: &str, from: usize, end: usize) -> Option<usize> {
        while let Some(next) = self.next {
            if next > from {
                return Some(next);
            }
            self.advance(text, next, end);
        }
        None
    }

    fn advance(&mut self, text: &str, from: usize, end: usize) {
        self.next = None;
        let Some(label) = self.label.following() else {
            return;
        };
        self.label = label;
        let mark = match label {
            Label::Number(n) => format!(" {}{n}{}", self.bullet, self.tail),
            Label::Letter(l) => format!(" {}{}{}", self.bullet, l as char, self.tail),
        };
        self.next = memmem::find(&text.as_bytes()[from..end], mark.as_bytes())
            .map(|found| from + found + 1);
    }
}
