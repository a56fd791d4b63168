//! Punctuation and spaces around what was left out: "(; 1809)" becomes "(1809)".
//!
//! The renderer notes where in the output it left something out. When the text is complete, the characters on both
//! sides of these positions are tidied: empty brackets are removed, and so are separators that no longer separate
//! anything, and spaces before a comma or a full stop. All other text stays as it is on the page. No more than
//! [`NEAR`] characters are read on either side of a position, so that the pass is linear in the text.

use super::super::blocks::{Marks, block_at};
use std::ops::Range;

/// The word in place of a formula. In capitals it differs from the word of the language, and begins a
/// sentence wherever the formula does.
pub(super) const FORMULA: &str = "FORMULA";

/// Characters that are read on either side of a position.
const NEAR: usize = 32;

/// Where something was left out, in ascending order.
#[derive(Debug, Default)]
pub(super) struct Removals {
    places: Vec<Place>,
    /// Where formulas begin and end, in bytes from the start of the output.
    formulas: Vec<Range<usize>>,
    /// How often something was left out.
    count: usize,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    /// In the output, in bytes from its start.
    at: usize,
    /// A space was before and another one after the text that was left out.
    spaced: bool,
}

impl Removals {
    /// Something is left out at the end of an output of this length.
    pub(super) fn left_out(&mut self, length: usize) {
        self.count += 1;
        if self.places.last().is_none_or(|place| place.at < length) {
            let spaced = false;
            self.places.push(Place { at: length, spaced });
        }
    }

    /// How often something was left out so far.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// A formula of `bytes` bytes is written after an output of this length.
    pub(super) fn formula(&mut self, length: usize, bytes: usize) {
        self.formulas.push(length..length + bytes);
    }

    /// A space is not written at the end of an output of this length, which ends with one.
    pub(super) fn space(&mut self, length: usize) {
        if let Some(place) = self.places.last_mut().filter(|place| place.at == length) {
            place.spaced = true;
        }
    }

    /// The output is cut back to this length.
    pub(super) fn cut(&mut self, length: usize) {
        let kept = self.places.len();
        while self.places.pop_if(|place| place.at > length).is_some() {}
        if self.places.len() < kept {
            self.left_out(length);
        }
        while self
            .formulas
            .pop_if(|formula| formula.start >= length)
            .is_some()
        {}
    }

    /// Puts in order what was written to `out` from `base` on, and appends the letters of its lines to `blocks`.
    pub(super) fn close_up(
        &self,
        out: &mut String,
        base: usize,
        marks: &Marks,
        blocks: &mut String,
    ) {
        let mut marks = marks.in_order().peekable();
        if self.places.is_empty() && self.formulas.is_empty() {
            let mut start = base;
            for block in out[base..].split('\n').filter(|_| out.len() > base) {
                blocks.push(block_at(&mut marks, start).letter());
                start += block.len() + 1;
            }
            return;
        }
        let written = out.split_off(base);
        let (mut places, mut formulas) = (self.places.as_slice(), self.formulas.as_slice());
        let mut start = base;
        for block in written.split('\n') {
            let end = start + block.len();
            let (in_block, others) = places.split_at(places.partition_point(|p| p.at <= end));
            places = others;
            let (displayed, others) =
                formulas.split_at(formulas.partition_point(|f| f.start <= end));
            formulas = others;
            let length = out.len();
            if length > base {
                out.push('\n');
            }
            let from = out.len();
            if !is_display(block, start, displayed) {
                close_up_block(out, block, start, in_block);
            }
            let blank = out.len() == from;
            if blank || (!in_block.is_empty() && out[from..].chars().all(is_leftover)) {
                out.truncate(length);
            } else {
                blocks.push(block_at(&mut marks, start).letter());
            }
            start = end + 1;
        }
    }
}

/// True for a block of formulas without a word, which is set apart from the text.
fn is_display(block: &str, start: usize, formulas: &[Range<usize>]) -> bool {
    let mut from = 0;
    for formula in formulas {
        if block[from..formula.start - start].contains(char::is_alphanumeric) {
            return false;
        }
        from = formula.end - start;
    }
    from > 0 && !block[from..].contains(char::is_alphanumeric)
}

/// Appends a block that begins at `start`, tidied around the positions.
fn close_up_block(out: &mut String, block: &str, start: usize, places: &[Place]) {
    let from = out.len();
    let mut at = 0;
    for place in places {
        let to = place.at - start;
        if to >= at {
            out.push_str(&block[at..to]);
            at = to + close_up_place(out, from, &block[to..], place.spaced);
        }
    }
    out.push_str(&block[at..]);
    let kept = out[from..].trim_end_matches(' ').len();
    out.truncate(from + kept);
}

/// Cuts the end of the block that begins at `from`, and returns how many bytes of the text after
/// the position are left out. `spaced` says that a space would be there.
fn close_up_place(out: &mut String, from: usize, rest: &str, spaced: bool) -> usize {
    let (mut taken, mut spaced) = (0, spaced);
    attach_mark(out, from);
    while let Some((before, after)) = empty_brackets(&out[from..], &rest[taken..]) {
        out.truncate(from + before);
        taken += after;
        spaced = rest[taken..].starts_with(' ');
        if out.len() == from || out.ends_with(is_space) {
            taken = rest.len() - rest[taken..].trim_start_matches(' ').len();
        }
    }
    let rest = &rest[taken..];
    let between = |c| is_space(c) || is_separator(c);
    let (Some(left), Some(right)) = (skip_back(&out[from..], between), skip(rest, between)) else {
        return taken;
    };
    let opens = out[from..from + left].ends_with(|c| closing(BRACKETS, c).is_some());
    if opens || rest[right..].starts_with(|c| is_closing(BRACKETS, c)) {
        out.truncate(from + left);
        return taken + right;
    }
    if left == 0 {
        out.truncate(from);
        let stop = lone_stop(&rest[right..]).map_or(0, char::len_utf8);
        let text = rest[right + stop..].trim_start_matches(is_space);
        return taken + rest.len() - text.len();
    }
    taken + close_up_mark(out, from, left, rest, spaced)
}

/// Takes away the space before a comma or a full stop at the end of the block that begins at `from`.
fn attach_mark(out: &mut String, from: usize) {
    let mark = out[from..].chars().next_back();
    let Some(mark) = mark.filter(|&c| c == '.' || is_comma(c)) else {
        return;
    };
    let end = out.len() - mark.len_utf8();
    match skip_back(&out[from..end], is_space) {
        Some(text) if text > 0 && !out[from..from + text].ends_with('.') => {
            out.truncate(from + text);
            out.push(mark);
        }
        _ => {}
    }
}

/// The same where text is on both sides, the text on the left up to `left` and without the
/// separators and spaces after it. Of two separators one stays, none before a full stop.
fn close_up_mark(out: &mut String, from: usize, left: usize, rest: &str, spaced: bool) -> usize {
    let (Some(spaces), Some(text)) = (skip(rest, is_space), skip_back(&out[from..], is_space))
    else {
        return 0;
    };
    let Some(mark) = rest[spaces..].chars().next() else {
        return 0;
    };
    let spaced = spaced || spaces > 0;
    let separator = out[from..from + text].chars().next_back();
    let separator = separator.filter(|&c| is_separator(c));
    if lone_stop(&rest[spaces..]).is_some() {
        if spaced && separator.is_none() && matches!(mark, '!' | '?') {
            // as French puts them
            return 0;
        }
        let apart = spaced || from + left < out.len();
        out.truncate(from + left);
        let doubled = apart && mark == '.' && out.ends_with(['.', '!', '?']);
        return spaces + usize::from(doubled);
    }
    match separator {
        _ if !is_separator(mark) => 0,
        Some(comma) if is_comma(comma) && !is_comma(mark) => {
            out.truncate(from + left);
            0
        }
        Some(_) => {
            out.truncate(from + text);
            spaces + mark.len_utf8()
        }
        None if !spaced || is_comma(mark) => {
            out.truncate(from + text);
            spaces
        }
        None => 0,
    }
}

/// The length of the text before an opening bracket at the end of `before`, and the length of what
/// ends with its closing bracket at the start of `after`, if nothing is between the two.
fn empty_brackets(before: &str, after: &str) -> Option<(usize, usize)> {
    let left = skip_back(before, is_filler)?;
    let right = skip(after, is_filler)?;
    let open = before[..left].chars().next_back()?;
    let close = after[right..].chars().next()?;
    let matches = closing(BRACKETS, open).or_else(|| closing(QUOTES, open)) == Some(close);
    matches.then(|| (left - open.len_utf8(), right + close.len_utf8()))
}

/// The length of the characters of a kind at the start of `text`, unless they are too many.
fn skip(text: &str, is_kind: impl Fn(char) -> bool) -> Option<usize> {
    match text.char_indices().take(NEAR).find(|&(_, c)| !is_kind(c)) {
        Some((i, _)) => Some(i),
        None => text.chars().nth(NEAR).is_none().then_some(text.len()),
    }
}

/// The length of `text` without the characters of a kind at its end, unless they are too many.
fn skip_back(text: &str, is_kind: impl Fn(char) -> bool) -> Option<usize> {
    let mut near = text.char_indices().rev().take(NEAR);
    match near.find(|&(_, c)| !is_kind(c)) {
        Some((i, c)) => Some(i + c.len_utf8()),
        None => text.chars().rev().nth(NEAR).is_none().then_some(0),
    }
}

/// Brackets within which no space or separator comes first or last.
const BRACKETS: &[(char, char)] = &[
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('（', '）'),
    ('［', '］'),
    ('〔', '〕'),
    ('【', '】'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('〈', '〉'),
];

/// Quotation marks, some of which are set off by spaces.
const QUOTES: &[(char, char)] = &[('“', '”'), ('„', '“'), ('«', '»'), ('‹', '›'), ('‘', '’')];

fn closing(pairs: &[(char, char)], open: char) -> Option<char> {
    let found = pairs.iter().find(|pair| pair.0 == open);
    found.map(|pair| pair.1)
}

fn is_closing(pairs: &[(char, char)], c: char) -> bool {
    pairs.iter().any(|pair| pair.1 == c)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{A0}' | '\u{2009}' | '\u{202F}' | '\u{3000}')
}

fn is_comma(c: char) -> bool {
    matches!(c, ',' | '،' | '、' | '，')
}

fn is_separator(c: char) -> bool {
    is_comma(c) || matches!(c, ';' | ':' | '؛' | '；' | '：')
}

/// Characters that say nothing alone between brackets.
fn is_filler(c: char) -> bool {
    let sign = "-–—−/|·•~〜～*†+=".contains(c);
    is_space(c) || is_separator(c) || sign
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '।' | '۔' | '؟')
}

/// The stop that `text` begins with, unless it begins ".NET" or "...".
fn lone_stop(text: &str) -> Option<char> {
    let stop = text.chars().next().filter(|&c| is_stop(c))?;
    let rest = &text[stop.len_utf8()..];
    let goes_on = stop.is_ascii() && rest.starts_with(|c: char| c.is_alphanumeric() || is_stop(c));
    (!goes_on).then_some(stop)
}

/// Characters that are no text by themselves.
fn is_leftover(c: char) -> bool {
    let mut pairs = BRACKETS.iter().chain(QUOTES);
    is_filler(c) || is_stop(c) || pairs.any(|pair| pair.0 == c || pair.1 == c)
}
