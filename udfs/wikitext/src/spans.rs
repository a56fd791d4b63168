//! The first pass: pairs openers with closers, and finds opaque spans.
//!
//! Openers are kept on a stack until their closers are found. A closer of a kind that is not open,
//! or that would close across a heading, is a stray and hidden. An unclosed opener is marked
//! [`OPEN`], and the renderer limits its extent. Each byte is read a constant number of times: a
//! search for an end tag that once failed is never repeated.

use memchr::memchr;
use memchr::memmem::Finder;

use super::tags::{self, Content, Tag};

/// The `close` of a span that never closes.
pub(super) const OPEN: u32 = u32::MAX;

/// What a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `{{…}}`
    Template,
    /// `{|…|}`
    Table,
    /// `<table>…</table>`
    HtmlTable,
    /// `[[…]]`
    Link,
    /// `[scheme:… label]`
    External,
    /// `-{…}-`
    Variants,
    /// `== … ==` with its level; `close` is where the closing marks begin.
    Heading(u8),
    /// `<!--…-->`
    Comment,
    /// Marks without content, up to `resume`.
    Hidden,
    /// A formula, up to `resume`.
    Formula,
    /// Content that is left out, up to `resume`.
    LeftOut,
    /// Left out, up to the end of its line: an opaque tag that is never closed.
    HiddenLine,
    /// A tag that separates blocks.
    Break,
    /// Text that is not markup, between `start` + `lead` and `close`.
    Verbatim(u8),
    /// The same with its own lines, as in `<pre>`.
    Preformatted(u8),
}

/// One piece of markup in the source; offsets in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// First byte of the opener.
    pub(super) start: u32,
    /// First byte of the closer, or [`OPEN`].
    pub(super) close: u32,
    /// First byte after the closer.
    pub(super) resume: u32,
    pub(super) kind: Kind,
}

/// The spans of `source` in the order of their starts. `source` is shorter than 4 GiB. `variants` says
/// that `-{` is markup.
pub(super) fn find(source: &str, variants: bool) -> Vec<Span> {
    let mut scan = Scan {
        source,
        bytes: source.as_bytes(),
        spans: Vec::new(),
        stack: Vec::new(),
        open: [0; KINDS],
        exhausted: [false; tags::OPAQUE_NAMES],
        comments_exhausted: false,
        references_open_until: 0,
        variants,
    };
    scan.run();
    scan.spans
}

/// Kinds of brackets that are kept on the stack until they are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Template,
    Table,
    HtmlTable,
    Link,
    External,
    Variants,
}

const KINDS: usize = 6;

struct Scan<'a> {
    source: &'a str,
    bytes: &'a [u8],
    spans: Vec<Span>,
    /// Open brackets: kind and index of the span.
    stack: Vec<(Bracket, u32)>,
    /// How many of each kind are on the stack.
    open: [u32; KINDS],
    /// Opaque tags of which no end tag follows any more.
    exhausted: [bool; tags::OPAQUE_NAMES],
    comments_exhausted: bool,
    /// No reference ends between the last one that was left open and here.
    references_open_until: usize,
    /// `-{` is markup.
    variants: bool,
}

/// True for the bytes at which the scan stops.
static MARKUP: [bool; 256] = {
    let mut table = [false; 256];
    let stops = b"{}[]<\n";
    let mut i = 0;
    while i < stops.len() {
        table[stops[i] as usize] = true;
        i += 1;
    }
    table
};

impl Scan<'_> {
    fn run(&mut self) {
        let mut i = self.line_start(0);
        while i < self.bytes.len() {
            let byte = self.bytes[i];
            i = match byte {
                b if !MARKUP[b as usize] => i + 1,
                b'\n' => self.line_start(i + 1),
                b'{' => self.braces_open(i),
                b'}' => self.braces_close(i),
                b'[' => self.brackets_open(i),
                b']' => self.brackets_close(i),
                _ => self.angle(i),
            };
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn run_length(&self, at: usize) -> usize {
        let byte = self.bytes[at];
        self.bytes[at..].iter().take_while(|&&b| b == byte).count()
    }

    fn line_end(&self, at: usize) -> usize {
        memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |i| at + i)
    }

    fn span(&mut self, kind: Kind, start: usize, close: usize, resume: usize) {
        self.spans.push(Span {
            kind,
            start: start as u32,
            close: close as u32,
            resume: resume as u32,
        });
    }

    fn push(&mut self, bracket: Bracket, kind: Kind, start: usize) {
        self.stack.push((bracket, self.spans.len() as u32));
        self.open[bracket as usize] += 1;
        self.span(kind, start, OPEN as usize, OPEN as usize);
    }

    fn pop(&mut self) -> Option<(Bracket, u32)> {
        let top = self.stack.pop()?;
        self.open[top.0 as usize] -= 1;
        Some(top)
    }

    /// Closes the nearest open bracket of a kind; what opened inside it stays open for ever.
    fn close(&mut self, bracket: Bracket, close: usize, resume: usize) -> bool {
        if self.open[bracket as usize] == 0 {
            return false;
        }
        while let Some((kind, span)) = self.pop() {
            if kind == bracket {
                let span = &mut self.spans[span as usize];
                span.close = close as u32;
                span.resume = resume as u32;
                return true;
            }
        }
        false
    }

    fn close_or_hide(&mut self, bracket: Bracket, close: usize, resume: usize) {
        if !self.close(bracket, close, resume) {
            self.span(Kind::Hidden, close, close, resume);
        }
    }

    /// Markup that is only at the start of a line: tables, headings, the end of a paragraph.
    fn line_start(&mut self, at: usize) -> usize {
        while matches!(self.stack.last(), Some((Bracket::External, _))) {
            self.pop();
        }
        let mut i = at;
        while matches!(self.byte(i), b' ' | b'\t' | b':' | b'\r') {
            i += 1;
        }
        match self.byte(i) {
            b'\n' | 0 => {
                // a link ends with its paragraph
                while matches!(self.stack.last(), Some((Bracket::Link, _))) {
                    self.pop();
                }
                i
            }
            b'{' if self.byte(i + 1) == b'|' && self.byte(i + 2) != b'}' => {
                self.push(Bracket::Table, Kind::Table, i);
                i + 2
            }
            b'|' if self.byte(i + 1) == b'}' => {
                // "|}" and "|}}}" end a table, "|}}" is an empty argument
                if self.run_length(i + 1).is_multiple_of(2) {
                    return i + 1;
                }
                self.close_or_hide(Bracket::Table, i, i + 2);
                i + 2
            }
            b'=' if i == at => self.heading(at),
            _ => i,
        }
    }

    fn heading(&mut self, at: usize) -> usize {
        let end = self.line_end(at);
        let line = trim_comments(&self.source[at..end]);
        let lead = line.bytes().take_while(|&b| b == b'=').count();
        let tail = line.bytes().rev().take_while(|&b| b == b'=').count();
        if tail == 0 || lead == line.len() {
            return at + lead;
        }
        let level = lead.min(tail).min(6);
        while self.pop().is_some() {}
        let close = at + line.len() - level;
        self.span(Kind::Heading(level as u8), at, close, end);
        at + level
    }

    fn braces_open(&mut self, at: usize) -> usize {
        let run = self.run_length(at);
        if run % 2 == 1 && self.variants && self.bytes[..at].ends_with(b"-") {
            self.push(Bracket::Variants, Kind::Variants, at - 1);
        } else if run > 1 && run % 2 == 1 {
            self.span(Kind::Hidden, at, at, at + 1);
        }
        let mut i = at + run % 2;
        while i < at + run {
            self.push(Bracket::Template, Kind::Template, i);
            i += 2;
        }
        i
    }

    fn braces_close(&mut self, at: usize) -> usize {
        let run = self.run_length(at);
        let end = at + run;
        let variants = run % 2 == 1 && self.byte(end) == b'-';
        if run == 1 && !(variants && self.close(Bracket::Variants, at, end + 1)) {
            return end;
        }
        if run == 1 {
            return end + 1;
        }
        let mut i = at;
        while i + 1 < end {
            self.close_or_hide(Bracket::Template, i, i + 2);
            i += 2;
        }
        if i < end && variants && self.close(Bracket::Variants, i, end + 1) {
            return end + 1;
        }
        if i < end {
            self.span(Kind::Hidden, i, i, end);
        }
        end
    }

    fn brackets_open(&mut self, at: usize) -> usize {
        let run = self.run_length(at);
        if run == 1 {
            if starts_with_scheme(&self.bytes[at + 1..]) {
                self.push(Bracket::External, Kind::External, at);
            }
            return at + 1;
        }
        let mut i = at + run % 2;
        while i < at + run {
            self.push(Bracket::Link, Kind::Link, i);
            i += 2;
        }
        i
    }

    fn brackets_close(&mut self, at: usize) -> usize {
        let two = self.byte(at + 1) == b']';
        match self.stack.last() {
            Some((Bracket::External, _)) => {
                self.close(Bracket::External, at, at + 1);
                return at + 1;
            }
            Some((Bracket::Link, _)) if two => {
                self.close(Bracket::Link, at, at + 2);
            }
            _ if two => self.span(Kind::Hidden, at, at, at + 2),
            _ => return at + 1,
        }
        at + 2
    }

    fn angle(&mut self, at: usize) -> usize {
        if self.bytes[at..].starts_with(b"<!--") {
            return self.comment(at);
        }
        let Some(tag) = tags::parse(self.source, at) else {
            return at + 1;
        };
        match tag.content {
            Content::Unknown => return at + 1,
            Content::Inline => self.span(Kind::Hidden, at, at, tag.end),
            Content::Block => self.span(Kind::Break, at, at, tag.end),
            Content::Table if tag.closing => {
                self.close_or_hide(Bracket::HtmlTable, at, tag.end);
            }
            Content::Table if !tag.self_closing => {
                self.push(Bracket::HtmlTable, Kind::HtmlTable, at);
            }
            Content::Table => self.span(Kind::Hidden, at, at, tag.end),
            Content::Opaque(name) => return self.opaque(at, tag, name),
        }
        tag.end
    }

    fn comment(&mut self, at: usize) -> usize {
        if !self.comments_exhausted {
            if let Some(found) = Finder::new(b"-->").find(&self.bytes[at + 4..]) {
                let resume = at + 4 + found + 3;
                self.span(Kind::Comment, at, resume - 3, resume);
                return resume;
            }
            self.comments_exhausted = true;
        }
        self.span(Kind::HiddenLine, at, at, at + 4);
        at + 4
    }

    /// A tag whose content is not wikitext to be kept, with that content.
    fn opaque(&mut self, at: usize, tag: Tag, name: u8) -> usize {
        if tag.closing || tag.self_closing {
            let kind = if tag.closing {
                Kind::Hidden
            } else {
                Kind::LeftOut
            };
            self.span(kind, at, at, tag.end);
            return tag.end;
        }
        let verbatim = tags::verbatim(name);
        let Some((close, resume)) = self.end_tag(tag.end, name) else {
            let kind = match verbatim {
                Some(_) => Kind::Hidden,
                None => Kind::HiddenLine,
            };
            self.span(kind, at, at, tag.end);
            return tag.end;
        };
        let lead = tag.end - at;
        let kind = match verbatim {
            Some(lines) if lead < 256 && lines => Kind::Preformatted(lead as u8),
            Some(_) if lead < 256 => Kind::Verbatim(lead as u8),
            None if tags::is_formula(name) && !self.source[tag.end..close].trim().is_empty() => {
                Kind::Formula
            }
            _ => Kind::LeftOut,
        };
        self.span(kind, at, close, resume);
        resume
    }

    /// The end tag of an opaque tag whose content starts at `from`: where it begins and ends.
    /// A reference that runs into the next one ends with that one if both are in one line, and
    /// never crosses a heading.
    fn end_tag(&mut self, from: usize, name: u8) -> Option<(usize, usize)> {
        if self.exhausted[name as usize] {
            return None;
        }
        let is_reference = tags::is_reference(name);
        if is_reference && from < self.references_open_until {
            return None;
        }
        let mut limit = self.bytes.len();
        let mut runs_into_next = false;
        let mut i = from;
        while let Some(found) = memchr(b'<', &self.bytes[i..limit]) {
            let at = i + found;
            i = at + 1;
            if tags::names(&self.bytes[at..], name, true) {
                let end = memchr(b'>', &self.bytes[at..]).map_or(self.bytes.len(), |e| at + e + 1);
                let crosses_heading = is_reference && has_heading(&self.source[from..at]);
                return (!crosses_heading).then_some((at, end));
            }
            if is_reference
                && !runs_into_next
                && tags::names(&self.bytes[at..], name, false)
                && tags::parse(self.source, at).is_some_and(|tag| !tag.self_closing)
            {
                runs_into_next = true;
                limit = self.line_end(from);
                if limit <= i {
                    return None;
                }
            }
        }
        if limit == self.bytes.len() {
            self.exhausted[name as usize] = true;
        } else {
            self.references_open_until = limit;
        }
        None
    }
}

/// True if a line of `text` begins with `==`.
fn has_heading(text: &str) -> bool {
    Finder::new(b"\n==").find(text.as_bytes()).is_some()
}

/// A line without white space and comments at its end.
fn trim_comments(line: &str) -> &str {
    let mut line = line.trim_end();
    while let Some(rest) = line.strip_suffix("-->") {
        match rest.rfind("<!--") {
            Some(start) => line = rest[..start].trim_end(),
            None => break,
        }
    }
    line
}

/// True if an address follows a `[`.
fn starts_with_scheme(rest: &[u8]) -> bool {
    const SCHEMES: [&[u8]; 9] = [
        b"http:", b"https:", b"//", b"ftp:", b"mailto:", b"news:", b"irc:", b"ftps:", b"gopher:",
    ];
    SCHEMES.iter().any(|scheme| {
        rest.len() > scheme.len() && rest[..scheme.len()].eq_ignore_ascii_case(scheme)
    })
}
