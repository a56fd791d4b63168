//! The default splitter: terminators, then the words around them.
//!
//! A block (the text between two line feeds) is scanned for terminators. A run of them includes the closing quotation
//! marks and brackets after it. What follows then decides: a lower-case letter or a comma continues the sentence;
//! anything else ends it, unless the run is one full stop after an abbreviation, an initial or an ordinal number.
//! Lookbehind is bounded ([`MAX_LOOKBEHIND`]), so that the scan is linear in the text.

use memchr::memchr;

use super::lexicon::{self, Lexicon};
use super::list_items::ListItems;
use super::terminators::{MAY_TERMINATE, Terminator, is_closer, is_opener, terminator};

/// Maximum number of bytes before a full stop that are searched for an abbreviation.
const MAX_LOOKBEHIND: usize = 48;

/// Maximum number of bytes after a 《 within which a terminator belongs to the title that it opens.
const MAX_TITLE_BYTES: usize = 90;

/// The sentences of a text by rules.
pub(super) struct Rules<'a> {
    text: &'a str,
    lexicon: Lexicon,
    /// Where the next sentence may begin.
    position: usize,
    /// End of the block that holds `position`; the text of the next one starts after it.
    block_end: usize,
    /// Set while `position` lies within a block.
    in_block: bool,
    items: Option<ListItems>,
}

impl<'a> Rules<'a> {
    pub(super) fn new(text: &'a str, language: Option<&str>) -> Self {
        Self {
            text,
            lexicon: Lexicon::of(language),
            position: 0,
            block_end: 0,
            in_block: false,
            items: None,
        }
    }

    /// Moves to the first character of the next block that holds one.
    fn open_block(&mut self) -> Option<()> {
        while self.position < self.text.len() {
            let rest = &self.text.as_bytes()[self.position..];
            let end = self.position + memchr(b'\n', rest).unwrap_or(rest.len());
            let block = &self.text[self.position..end];
            let start = end - block.trim_start().len();
            if start < end {
                self.position = start;
                self.block_end = end;
                self.in_block = true;
                self.items = ListItems::of_block(self.text, start, end);
                return Some(());
            }
            self.position = end + 1;
        }
        None
    }
}

impl Iterator for Rules<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        if !self.in_block {
            self.open_block()?;
        }
        let start = self.position;
        let mut end = self.boundary(start);
        if let Some(items) = &mut self.items
            && let Some(item) = items.after(self.text, start, self.block_end)
            && item < end
        {
            end = item;
        }
        let rest = &self.text[end..self.block_end];
        self.position = self.block_end - rest.trim_start().len();
        if self.position >= self.block_end {
            self.in_block = false;
            self.position = self.block_end + 1;
        }
        let sentence = self.text[start..end].trim_end();
        Some((start, start + sentence.len()))
    }
}

/// A run of terminators with what closes after it.
struct Run {
    /// Behind the last terminator or closer.
    end: usize,
    /// Exactly one full stop.
    single_stop: bool,
    /// Two or more full stops, or an ellipsis.
    pause: bool,
    /// Holds a [`Terminator::Wide`].
    wide: bool,
    /// Closers follow the terminators.
    closed: bool,
}

impl Rules<'_> {
    /// The end of the sentence that begins at `start`, at most the end of the block.
    fn boundary(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        // where a title in 《》 was opened
        let mut title = None;
        let mut i = start;
        while i < self.block_end {
            if !MAY_TERMINATE[bytes[i] as usize] && !self.is_local_stop(bytes[i]) {
                i += 1;
                continue;
            }
            let c = char_at(self.text, i);
            let Some(kind) = self.kind(c) else {
                match c {
                    '《' => title = Some(i),
                    '》' => title = None,
                    _ => {}
                }
                i += c.len_utf8();
                continue;
            };
            if title.is_some_and(|from| i - from < MAX_TITLE_BYTES) {
                i += c.len_utf8();
                continue;
            }
            let run = self.run(i, c, kind);
            if let Some(end) = self.run_ends_sentence(start, i, &run) {
                return end;
            }
            i = run.end;
        }
        self.block_end
    }

    fn is_local_stop(&self, byte: u8) -> bool {
        (byte == b':' && self.lexicon.colon_stop) || (byte == b';' && self.lexicon.semicolon_asks)
    }

    fn kind(&self, c: char) -> Option<Terminator> {
        match c {
            ':' if self.lexicon.colon_stop => Some(Terminator::Mark),
            ';' if self.lexicon.semicolon_asks => Some(Terminator::Mark),
            '.' if self.lexicon.colon_stop => None,
            c => terminator(c),
        }
    }

    /// Reads the run that begins with `first` at `at`.
    fn run(&self, at: usize, first: char, kind: Terminator) -> Run {
        let mut run = Run {
            end: at + first.len_utf8(),
            single_stop: kind == Terminator::FullStop,
            pause: kind == Terminator::Ellipsis,
            wide: kind == Terminator::Wide,
            closed: false,
        };
        let mut only_stops = kind == Terminator::FullStop;
        loop {
            let rest = &self.text[run.end..self.block_end];
            let Some(c) = rest.chars().next() else {
                return run;
            };
            if let Some(kind) = self.kind(c) {
                run.end += c.len_utf8();
                run.single_stop = false;
                run.pause |= only_stops && kind == Terminator::FullStop;
                only_stops &= kind == Terminator::FullStop;
                run.wide |= kind == Terminator::Wide;
            } else if c == ' ' && is_spaced_stop(rest) {
                // ". . ." is one pause
                only_stops &= rest[1..].starts_with('.');
                run.end += 2;
                run.single_stop = false;
                run.pause |= only_stops;
            } else {
                break;
            }
        }
        self.take_closers(&mut run);
        run
    }

    /// Quotation marks, brackets and reference numbers that belong to the sentence before them.
    fn take_closers(&self, run: &mut Run) {
        loop {
            let rest = &self.text[run.end..self.block_end];
            let mut chars = rest.chars();
            match chars.next() {
                Some('\'') if chars.next().is_some_and(char::is_alphanumeric) => return,
                Some(c) if is_closer(c) => {
                    run.end += c.len_utf8();
                    run.closed = true;
                }
                Some(' ' | '\u{A0}' | '\u{202F}') if matches!(chars.next(), Some('»' | '›')) => {
                    run.end = self.block_end - chars.as_str().len();
                    run.closed = true;
                }
                Some('[') => {
                    let digits = rest[1..]
                        .bytes()
                        .take(4)
                        .take_while(u8::is_ascii_digit)
                        .count();
                    if digits == 0 || rest.as_bytes().get(1 + digits) != Some(&b']') {
                        return;
                    }
                    run.end += digits + 2;
                }
                _ => return,
            }
        }
    }

    /// The end of the sentence if the run at `at` ends it.
    fn run_ends_sentence(&self, start: usize, at: usize, run: &Run) -> Option<usize> {
        let rest = &self.text[run.end..self.block_end];
        let after = rest.trim_start();
        if after.is_empty() {
            return Some(run.end);
        }
        if after.len() == rest.len() {
            return self
                .wide_run_ends_sentence(at, run, after)
                .then_some(run.end);
        }
        if is_omission(self.text, at, run) {
            return None;
        }
        let following = after.trim_start_matches(|c: char| is_opener(c) || c == ' ');
        let first = following.chars().next()?;
        if first.is_lowercase()
            || matches!(first, ',' | ';' | ':' | ')' | '/' | '%' | '=' | '&' | '№')
        {
            return None;
        }
        let ends = if run.single_stop {
            self.stop_ends_sentence(start, at, following, first)
        } else if run.pause && self.lexicon.english {
            !(following.starts_with('I')
                && following[1..].starts_with([' ', '\'', '’'])
                && !run.closed)
                || self.text[..at].ends_with(|c: char| c.is_alphanumeric())
        } else {
            true
        };
        ends.then_some(run.end)
    }

    /// A stop without white space after it: only in scripts that put none.
    fn wide_run_ends_sentence(&self, at: usize, run: &Run, after: &str) -> bool {
        if !run.wide || after.starts_with(['，', '、', ',', '；']) {
            return false;
        }
        if self.text[at..].starts_with('．') {
            return !after.starts_with(|c: char| c.is_numeric());
        }
        // inside 「…。」 the sentence usually goes on after the bracket
        !run.closed || after.starts_with(is_opener)
    }

    /// One full stop with white space and no lower-case letter after it.
    fn stop_ends_sentence(&self, start: usize, at: usize, following: &str, first: char) -> bool {
        let word = word_before(self.text, start, at);
        if word.is_empty() {
            return true;
        }
        let before = &self.text[start..at - word.len()];
        let opens = before.chars().all(|c| is_opener(c) || c == ' ');
        if word.bytes().all(|b| b.is_ascii_digit()) {
            // "1. The first item", "19. Jahrhundert"
            let numbers_item = opens && word.len() <= 3;
            let is_ordinal =
                self.lexicon.capitalised_ordinals && word.len() <= 2 && first.is_alphabetic();
            return !numbers_item && !is_ordinal;
        }
        let next = leading_word(following);
        if lexicon::is_unit(word)
            && is_counted(before)
            && (first.is_uppercase() || first.is_numeric())
        {
            return first.is_uppercase();
        }
        let lower = word.to_lowercase();
        let mut letters = word.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            return if letter.is_lowercase() {
                !opens && self.small_letter_ends_sentence(word, before, following)
            } else {
                self.letter_ends_sentence(letter, opens, next)
            };
        }
        if self.lexicon.is_leading(&lower, word) {
            // "No." as an answer, "p." as a page
            return false;
        }
        if first.is_numeric() && self.lexicon.is_numbered(&lower) {
            return false;
        }
        let last = lower.rsplit('.').next().unwrap_or(&lower);
        if word.contains('.') {
            if is_acronym(&lower) {
                return if matches!(lower.as_str(), "p.m" | "a.m") {
                    self.time_ends_sentence(start, next, first)
                } else {
                    self.lexicon.is_opener(next)
                        || lexicon::is_closing(&lower)
                        || (first.is_uppercase() && lexicon::is_title_or_era(&lower))
                };
            }
            if lexicon::is_leading(last) && last.len() > 1 {
                return false;
            }
        }
        if !self.lexicon.is_abbreviation(&lower) && !self.lexicon.is_abbreviation(last) {
            return true;
        }
        if first.is_numeric() {
            return false;
        }
        self.lexicon.is_opener(next)
            || lexicon::is_closing(&lower)
            || (lower == word && lexicon::is_ambiguous(&lower))
    }

    /// "6 p.m." before a word: not if it is a time zone or a day, or if the sentence began with the
    /// time ("At 5 a.m. Mr. Smith …").
    fn time_ends_sentence(&self, start: usize, next: &str, first: char) -> bool {
        let is_zone = matches!(next.len(), 2..=4) && next.bytes().all(|b| b.is_ascii_uppercase());
        first.is_uppercase()
            && !is_zone
            && !lexicon::is_day_or_month(next)
            && (self.lexicon.is_opener(next)
                || !self
                    .lexicon
                    .fronts(leading_word(&self.text[start..self.block_end])))
    }

    /// A full stop after a single letter: an initial, or the end of "vitamin C".
    fn letter_ends_sentence(&self, letter: char, opens: bool, next: &str) -> bool {
        if opens {
            return false;
        }
        if letter.is_uppercase() {
            return self.lexicon.is_opener(next);
        }
        if !letter.is_alphabetic() {
            return !matches!(letter, '§' | '№');
        }
        let known = self
            .lexicon
            .is_abbreviation(letter.encode_utf8(&mut [0; 4]));
        !known || self.lexicon.is_opener(next)
    }

    /// A full stop after a lower-case letter: "p. 5", the first or the last of "z. B.", "u. a.".
    fn small_letter_ends_sentence(&self, letter: &str, before: &str, following: &str) -> bool {
        let next = leading_word(following);
        let is_initial = next.chars().count() == 1 && following[next.len()..].starts_with('.');
        let counts = following.starts_with(char::is_numeric);
        if counts || is_initial || self.lexicon.is_leading(letter, letter) {
            return false;
        }
        let earlier = before.trim_end_matches(' ').strip_suffix('.').unwrap_or("");
        let earlier = word_before(earlier, 0, earlier.len());
        if earlier.chars().count() == 1 && earlier.chars().all(char::is_lowercase) {
            let both = format!("{earlier}.{letter}");
            return self.lexicon.is_opener(next)
                || lexicon::is_closing(&both)
                || lexicon::is_title_or_era(&both);
        }
        !self.lexicon.is_abbreviation(letter) || self.lexicon.is_opener(next)
    }
}

/// `[...]`, `(...)`: words left out.
fn is_omission(text: &str, at: usize, run: &Run) -> bool {
    run.pause && run.closed && text[..at].ends_with(['[', '('])
}

/// True for " ." that is followed by a pause and does not begin ".NET" or "...and"; the same for
/// " !" and " ?".
fn is_spaced_stop(rest: &str) -> bool {
    rest.strip_prefix(' ')
        .and_then(|rest| rest.strip_prefix(['.', '!', '?']))
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.'))
}

/// The word that ends at `at`, without what opens before it; empty if it is too long to be an
/// abbreviation. Never reads before `start`.
fn word_before(text: &str, start: usize, at: usize) -> &str {
    let floor = text.ceil_char_boundary(start.max(at.saturating_sub(MAX_LOOKBEHIND)));
    let window = &text[floor..at];
    let separates = |c: char| {
        c.is_whitespace() || is_opener(c) || matches!(c, '/' | ',' | ';' | ':' | ')' | '=' | '+')
    };
    match window.char_indices().rev().find(|&(_, c)| separates(c)) {
        Some((i, c)) => &window[i + c.len_utf8()..],
        None if floor == start => window,
        None => "",
    }
}

/// The letters that `text` begins with, an apostrophe among them.
fn leading_word(text: &str) -> &str {
    let end = text
        .char_indices()
        .take(24)
        .find(|&(_, c)| !c.is_alphabetic() && c != '\'')
        .map_or_else(|| text.floor_char_boundary(64), |(i, _)| i);
    &text[..end]
}

/// True if `text` ends with a number.
fn is_counted(text: &str) -> bool {
    text.trim_end_matches([' ', '\u{A0}', '-'])
        .ends_with(|c: char| c.is_ascii_digit())
}

/// Short groups of letters with full stops between them: "u.s", "ph.d", "п.н.э".
fn is_acronym(word: &str) -> bool {
    word.split('.').all(|part| {
        let mut letters = part.chars();
        letters.next().is_some_and(char::is_alphabetic)
            && letters.clone().all(char::is_alphabetic)
            && letters.count() < 3
    })
}

/// The character at a byte offset that is known to be a boundary.
fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or('\0')
}
