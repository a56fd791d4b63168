//! The second pass: one walk over the source that writes plain text.
//!
//! What is kept of templates and links is written in place and cut back where an argument turns
//! out not to be kept, so that no text is copied from level to level however deep they nest. The
//! open ones stand on an explicit stack of [`Frame`]s; what is dropped is jumped over.

use memchr::memchr;

use super::entities;
use super::format::{self, Arguments};
use super::languages::Language;
use super::links::{self, Target};
use super::quotes;
use super::spans::{self, Kind, OPEN, Span};
use super::templates::{self, Rule};

/// Between the arguments of a template that is formatted, and between a name and its value.
const NEXT_ARGUMENT: char = '\u{1F}';
const VALUE_OF: char = '\u{1E}';

/// Appends the plain text of `source`, which is shorter than 4 GiB.
pub(super) fn render(source: &str, language: &Language<'_>, out: &mut String) {
    let spans = spans::find(source);
    let base = out.len();
    let mut renderer = Renderer {
        source,
        bytes: source.as_bytes(),
        spans: &spans,
        next: 0,
        position: 0,
        language,
        base,
        out,
        frames: Vec::new(),
        line: Line::default(),
        quotes_end: 0,
        literal_quote: usize::MAX,
        broken_table: false,
        left_out: usize::MAX,
    };
    renderer.run();
    let kept = renderer.out.trim_end().len().max(base);
    renderer.out.truncate(kept);
}

/// The line of the source that is being read.
#[derive(Debug, Default)]
struct Line {
    /// Nothing of it has been read.
    fresh: bool,
    /// Length of the output when it began.
    from: usize,
    /// Only comments so far.
    comment: bool,
    /// Something other than comments so far.
    other: bool,
    /// Ends its block: a heading or a list item.
    alone: bool,
    /// In a definition list, before the colon.
    term: bool,
}

/// An open construct whose content is written.
#[derive(Debug)]
struct Frame {
    close: usize,
    resume: usize,
    /// Length of the output when it opened.
    floor: usize,
    /// Length of the output when its current argument began, with what separates it.
    argument: usize,
    /// Length of the output where the text of that argument begins.
    text: usize,
    inside: Inside,
}

#[derive(Debug)]
enum Inside {
    Link { start: usize, labelled: bool },
    External,
    Heading,
    Template(Call),
}

/// A template whose arguments are being read.
#[derive(Debug)]
struct Call {
    rule: Rule,
    /// Number of the current argument: 0 before the first `|`.
    position: u8,
    key: Key,
    /// Something was kept of an earlier argument.
    kept: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    None,
    /// `2=`
    Number,
    /// `text=` and its like.
    Text,
    Other,
}

/// True for bytes at which running text stops.
static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let stops = b"\n\r\t '&_|=):;";
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

struct Renderer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    spans: &'a [Span],
    next: usize,
    position: usize,
    language: &'a Language<'a>,
    base: usize,
    out: &'a mut String,
    frames: Vec<Frame>,
    line: Line,
    /// End of the line whose apostrophes have been counted.
    quotes_end: usize,
    /// The bold mark that is an apostrophe and italics.
    literal_quote: usize,
    /// Within what an unclosed table left behind.
    broken_table: bool,
    /// Length of the output when a pronunciation was last left out of it.
    left_out: usize,
}

impl<'a> Renderer<'a> {
    fn run(&mut self) {
        self.begin_line(true);
        while self.position < self.bytes.len() {
            if self.line.fresh && self.start_line() {
                continue;
            }
            while self
                .spans
                .get(self.next)
                .is_some_and(|s| (s.start as usize) < self.position)
            {
                self.next += 1;
            }
            let frame = self.frames.last().map_or(usize::MAX, |frame| frame.close);
            if frame <= self.position {
                self.close_frame();
                continue;
            }
            let span = self.spans.get(self.next).copied();
            let start = span.map_or(usize::MAX, |span| span.start as usize);
            match span {
                Some(span) if start == self.position => {
                    self.next += 1;
                    self.span(span);
                }
                _ => self.text(start.min(frame).min(self.bytes.len())),
            }
        }
        while !self.frames.is_empty() {
            self.close_frame();
        }
    }

    // ---- output ----

    /// The first byte of the output that may be cut off.
    fn floor(&self) -> usize {
        self.frames.last().map_or(self.base, |frame| frame.text)
    }

    /// True at the start of a label or an argument, where white space means nothing.
    fn begins_argument(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.text >= self.out.len())
    }

    fn trim_end(&mut self) {
        let floor = self.floor();
        let kept = self.out[floor..].trim_end_matches(' ').len();
        self.out.truncate(floor + kept);
    }

    /// Ends the block, unless nothing stands in it.
    fn break_block(&mut self) {
        self.trim_end();
        if self.out.len() > self.base && !self.begins_argument() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn space(&mut self) {
        if self.out.len() > self.base
            && !self.out.ends_with([' ', '\n'])
            && !(self.begins_argument() && self.in_template())
        {
            self.out.push(' ');
        }
    }

    fn in_template(&self) -> bool {
        matches!(
            self.frames.last(),
            Some(Frame {
                inside: Inside::Template(_),
                ..
            })
        )
    }

    fn push(&mut self, text: &str) {
        if self.left_out == self.out.len()
            && text.starts_with([',', '.', ';', ')'])
            && self.out.len() > self.floor()
            && self.out.ends_with(' ')
        {
            // the space belonged to the pronunciation
            self.out.pop();
        }
        let text = match text.strip_prefix(' ') {
            Some(rest) => {
                self.space();
                rest.trim_start_matches(' ')
            }
            None => text,
        };
        self.out.push_str(text);
    }

    /// Writes part of a title or a name as it stands in the source.
    fn push_name(&mut self, name: &str) {
        self.out.extend(name.chars().filter(|c| !c.is_control()));
    }

    // ---- lines ----

    fn begin_line(&mut self, breaks: bool) {
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
    }

    fn line_end(&self, from: usize) -> usize {
        memchr(b'\n', &self.bytes[from..]).map_or(self.bytes.len(), |i| from + i)
    }

    /// Reads what stands at the start of a line. True if the position has moved.
    fn start_line(&mut self) -> bool {
        self.line.fresh = false;
        let at = self.position;
        let in_table_row = self.frames.is_empty() && !self.starts_span(at);
        match self.bytes[at] {
            b'*' | b'#' | b':' | b';' => {
                self.break_block();
                self.line.from = self.out.len();
                self.line.alone = true;
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

    fn starts_span(&self, at: usize) -> bool {
        self.spans[self.next..]
            .iter()
            .find(|span| span.start as usize >= at)
            .is_some_and(|span| span.start as usize == at)
    }

    /// Leaves out the rest of the line, and what begins on it and ends further down.
    fn skip_line(&mut self) {
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

    fn end_line(&mut self) {
        let blank = self.out.len() <= self.line.from;
        if blank && self.line.comment && !self.line.other {
            // a line of comments is no line
            self.line.fresh = true;
            self.line.comment = false;
            return;
        }
        self.begin_line(blank || self.line.alone);
    }

    // ---- running text ----

    /// Writes the source up to `stop`, or up to the next line.
    fn text(&mut self, stop: usize) {
        self.line.other |= self.bytes[self.position] != b'\n';
        let mut from = self.position;
        let mut i = from;
        while i < stop {
            let byte = self.bytes[i];
            if !SPECIAL[byte as usize]
                || (byte == b' '
                    && self
                        .bytes
                        .get(i + 1)
                        .is_some_and(|&b| b != b' ' && b != b')'))
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

    fn flush(&mut self, from: usize, to: usize) {
        if from < to {
            self.push(&self.source[from..to]);
        }
    }

    /// Handles a special byte at the position; the position behind it if it was not plain text.
    fn special(&mut self, byte: u8, length: usize, stop: usize) -> Option<usize> {
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
            b')' => {
                self.close_parenthesis();
                Some(at + 1)
            }
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

    /// `()` is what left-out content leaves behind: it goes too, with the space before it.
    fn close_parenthesis(&mut self) {
        let floor = self.floor();
        if self.left_out == self.out.len() && self.out[floor..].ends_with(' ') {
            self.out.pop();
        }
        let written = &self.out[floor..];
        let inner = written.trim_end_matches([' ', ',', ';', ':', '/', '\u{A0}', '–']);
        match inner.strip_suffix('(') {
            Some(before)
                if written.len() - inner.len() < 16
                    && (before.is_empty() || before.ends_with([' ', '\n'])) =>
            {
                let kept = floor + before.trim_end_matches(' ').len();
                self.out.truncate(kept);
            }
            _ => self.out.push(')'),
        }
    }

    fn apostrophes(&mut self, run: usize) {
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

    // ---- frames ----

    fn open(&mut self, close: usize, resume: usize, inside: Inside) {
        let floor = self.out.len();
        self.frames.push(Frame {
            close,
            resume,
            floor,
            argument: floor,
            text: floor,
            inside,
        });
    }

    /// A `|` in running text; true if it is markup.
    fn pipe(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        match &mut frame.inside {
            Inside::Link { labelled, .. } if !*labelled => {
                *labelled = true;
                let text = frame.text;
                self.out.truncate(text);
                true
            }
            Inside::Template(_) => {
                self.end_argument();
                self.begin_argument();
                true
            }
            _ => false,
        }
    }

    /// A `=` in running text; true if it ends the name of an argument.
    fn equals(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        let Inside::Template(call) = &mut frame.inside else {
            return false;
        };
        if call.position == 0 || call.key != Key::None {
            return false;
        }
        let name = self.out[frame.text..].trim();
        if name.is_empty() || name.len() > 40 || name.contains(['\n', '.', '(', '"', '/']) {
            return false;
        }
        let name = name.to_lowercase();
        call.position -= 1;
        call.key = if let Ok(number @ 1..=99) = name.parse::<u8>() {
            call.position = number;
            Key::Number
        } else if templates::TEXT_KEYS.contains(&name.as_str()) {
            Key::Text
        } else {
            Key::Other
        };
        self.out.truncate(frame.text);
        if matches!(call.rule, Rule::Format(_)) && call.key != Key::Number {
            self.out.push_str(&name);
            self.out.push(VALUE_OF);
            frame.text = self.out.len();
        }
        true
    }

    fn begin_argument(&mut self) {
        let last = self.frames.last().is_some_and(
            |frame| matches!(&frame.inside, Inside::Template(call) if call.rule == Rule::Last),
        );
        if last && !has_name(&self.bytes[self.position + 1..]) {
            self.restart_arguments();
        }
        let length = self.out.len();
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let Inside::Template(call) = &mut frame.inside else {
            return;
        };
        call.position = call.position.saturating_add(1);
        call.key = Key::None;
        frame.argument = length;
        match call.rule {
            Rule::Format(_) => self.out.push(NEXT_ARGUMENT),
            Rule::From(_, between) if call.kept => self.out.push_str(between),
            Rule::Lines if call.kept && !self.out.ends_with('\n') => self.out.push('\n'),
            _ => {}
        }
        frame.text = self.out.len();
    }

    /// Forgets the arguments that were kept so far.
    fn restart_arguments(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            let floor = frame.floor;
            self.out.truncate(floor);
            frame.argument = floor;
            frame.text = floor;
        }
    }

    /// Keeps or cuts off the argument that ends here.
    fn end_argument(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let Inside::Template(call) = &mut frame.inside else {
            return;
        };
        let keep = match (call.rule, call.key) {
            (Rule::Argument(0), _) => call.position == 0,
            (Rule::Format(_), _) => call.position > 0 || call.key != Key::None,
            (Rule::Argument(_) | Rule::Quotation, Key::Text) => !call.kept,
            (_, Key::Text | Key::Other) => false,
            (_, Key::None) if call.position == 0 => false,
            (Rule::Argument(n), _) => call.position == n && !call.kept,
            (Rule::Quotation, _) => call.position == 1 && !call.kept,
            (Rule::From(n, _), _) => call.position >= n,
            (Rule::Last | Rule::Lines, _) => true,
            _ => false,
        };
        let formatted = matches!(call.rule, Rule::Format(_));
        let blank = self.out[frame.text..].trim().is_empty();
        if !keep || (blank && !formatted) {
            let argument = frame.argument;
            self.out.truncate(argument);
        } else {
            call.kept = true;
            if !formatted {
                let text = self.out[frame.text..].trim_end().len();
                self.out.truncate(frame.text + text);
            }
        }
    }

    fn close_frame(&mut self) {
        if self.in_template() {
            self.end_argument();
        }
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.position = frame.resume.max(self.position);
        self.line.from = self.line.from.min(frame.floor);
        match frame.inside {
            Inside::External => {}
            Inside::Heading => self.line.alone = true,
            Inside::Link { start, labelled } => self.close_link(&frame, start, labelled),
            Inside::Template(call) => self.close_template(frame.floor, call.rule),
        }
    }

    fn close_link(&mut self, frame: &Frame, start: usize, labelled: bool) {
        if labelled && self.out[frame.text.min(self.out.len())..].trim().is_empty() {
            let title = links::short_title(self.target(start, frame.close));
            self.push_name(title);
        }
    }

    fn close_template(&mut self, floor: usize, rule: Rule) {
        match rule {
            Rule::Format(format) => {
                let written = &self.out[floor..];
                let text = if written.len() <= format::LONGEST {
                    format::format(format, &arguments(written))
                } else {
                    String::new()
                };
                self.out.truncate(floor);
                self.push(&text);
            }
            Rule::Quotation | Rule::Lines => self.break_block(),
            _ => {
                let kept = self.out[floor..].trim_end().len();
                self.out.truncate(floor + kept);
            }
        }
    }

    // ---- spans ----

    fn span(&mut self, span: Span) {
        let (start, close, resume) = (
            span.start as usize,
            span.close as usize,
            span.resume as usize,
        );
        if span.kind != Kind::Comment {
            self.line.other = true;
        }
        match span.kind {
            Kind::Comment => {
                self.line.comment = true;
                if self.line.from == self.out.len() && !self.line.other {
                    self.line.fresh = self.bytes.get(resume) != Some(&b'\n');
                }
                self.position = resume;
            }
            Kind::Hidden => self.position = resume,
            Kind::HiddenLine => self.skip_line(),
            Kind::Break => {
                self.break_block();
                self.position = resume;
            }
            Kind::Verbatim(lead) | Kind::Preformatted(lead) => {
                let lines = matches!(span.kind, Kind::Preformatted(_));
                self.verbatim(start + lead as usize, close, lines);
                self.position = resume;
            }
            Kind::Table | Kind::HtmlTable if span.close == OPEN => {
                if span.kind == Kind::Table {
                    self.broken_table = true;
                    self.skip_line();
                } else {
                    self.position = self.bytes[start..]
                        .iter()
                        .position(|&b| b == b'>')
                        .map_or(self.bytes.len(), |i| start + i + 1);
                }
            }
            Kind::Table | Kind::HtmlTable => {
                self.break_block();
                self.position = resume;
            }
            Kind::Heading(level) => self.heading(level, close, resume),
            Kind::Link => self.link(span),
            Kind::External => self.external(span),
            Kind::Template if span.close == OPEN => self.skip_line(),
            Kind::Template => self.template(start, close, resume),
        }
    }

    fn heading(&mut self, level: u8, close: usize, resume: usize) {
        self.broken_table = false;
        self.break_block();
        self.line.alone = true;
        let from = self.position + level as usize;
        let title: String = self.source[from..close]
            .chars()
            .filter(|c| !matches!(c, '\'' | '[' | ']' | '=' | ':'))
            .collect();
        if self
            .language
            .closes_page(title.trim().to_lowercase().as_str())
        {
            while let Some(span) = self.spans.get(self.next) {
                if matches!(span.kind, Kind::Heading(other) if other <= level) {
                    break;
                }
                self.next += 1;
            }
            self.position = self
                .spans
                .get(self.next)
                .map_or(self.bytes.len(), |span| span.start as usize);
            return;
        }
        self.position = from;
        self.open(close, resume, Inside::Heading);
    }

    /// The target of the link that begins at `start`.
    fn target(&self, start: usize, close: usize) -> &'a str {
        let from = start + 2;
        let limit = self
            .source
            .floor_char_boundary(close.min(from + links::LONGEST));
        let window = &self.source[from..limit.max(from)];
        let end = window
            .find(['|', '[', ']', '{', '\n', '<'])
            .unwrap_or(window.len());
        &window[..end]
    }

    fn link(&mut self, span: Span) {
        let start = span.start as usize;
        let open = span.close == OPEN;
        let close = if open {
            self.bytes.len()
        } else {
            span.close as usize
        };
        let target = self.target(start, close);
        let mut from = start + 2;
        if let Some(rest) = target.trim_start().strip_prefix(':') {
            from += target.len() - rest.len();
        } else if links::classify(target) == Target::Aside {
            if open {
                self.skip_line();
            } else {
                self.position = span.resume as usize;
            }
            return;
        } else if target.contains("://") {
            // an address in double brackets
            from += target.find(' ').unwrap_or(target.len());
        } else if let Some(rest) = target.strip_prefix('#') {
            from += target.len() - rest.len();
        }
        self.position = from;
        if open {
            let labelled = self.bytes.get(start + 2 + target.len()) == Some(&b'|');
            if labelled {
                self.position = start + 3 + target.len();
            }
            return;
        }
        self.open(
            close,
            span.resume as usize,
            Inside::Link {
                start,
                labelled: false,
            },
        );
    }

    fn external(&mut self, span: Span) {
        let start = span.start as usize;
        let rest = &self.bytes[start + 1..];
        let width = rest
            .iter()
            .position(|b| matches!(b, b' ' | b'\t' | b'\n' | b']' | b'<' | b'[' | b'{'))
            .unwrap_or(rest.len());
        self.position = start + 1 + width;
        if span.close != OPEN {
            let close = span.close as usize;
            self.position = self.position.min(close);
            self.open(close, span.resume as usize, Inside::External);
        }
    }

    fn verbatim(&mut self, from: usize, to: usize, lines: bool) {
        if lines {
            self.break_block();
        }
        let mut i = from;
        while i < to {
            let byte = self.bytes[i];
            if byte == b'\n' || byte == b' ' {
                if byte == b'\n' && lines {
                    self.break_block();
                } else {
                    self.space();
                }
                i += 1;
            } else if byte == b'&'
                && let Some((c, length)) = entities::decode(&self.bytes[i..to])
            {
                self.out.push(c);
                i += length;
            } else if byte < 32 || byte == 127 {
                i += 1;
            } else {
                let rest = &self.bytes[i + 1..to];
                let width = rest
                    .iter()
                    .position(|&b| b < 33 || b == b'&' || b == 127)
                    .unwrap_or(rest.len());
                self.out.push_str(&self.source[i..i + 1 + width]);
                i += 1 + width;
            }
        }
        if lines {
            self.break_block();
        }
    }

    fn template(&mut self, start: usize, close: usize, resume: usize) {
        let from = start + 2;
        let limit = self
            .source
            .floor_char_boundary(close.min(from + templates::LONGEST_NAME + 40));
        let window = &self.source[from..limit.max(from)];
        let end = window
            .find(['|', '{', '[', '<', '}'])
            .unwrap_or(window.len());
        let name = &window[..end];
        self.position = resume;
        if let Some((rule, offset)) = templates::function(name) {
            self.position = from + offset;
            self.open_template(close, resume, rule);
            return;
        }
        let bare = from + end >= close;
        match templates::rule(name, bare, self.language) {
            Rule::Nothing if templates::is_pronunciation(name) => {
                self.left_out = self.out.len();
            }
            Rule::Nothing => {}
            Rule::Text(text) => self.push(text),
            Rule::Name => self.push_name(name.trim()),
            rule => {
                if matches!(rule, Rule::Quotation | Rule::Lines) {
                    self.break_block();
                }
                self.position = from + end;
                self.open_template(close, resume, rule);
            }
        }
    }

    fn open_template(&mut self, close: usize, resume: usize, rule: Rule) {
        let call = Call {
            rule,
            position: 0,
            key: Key::None,
            kept: false,
        };
        self.open(close, resume, Inside::Template(call));
    }
}

/// True if a template argument that begins here has a name.
fn has_name(text: &[u8]) -> bool {
    text.iter()
        .take(40)
        .find(|b| b"=|{}[]<".contains(b))
        .is_some_and(|&b| b == b'=')
}

/// The arguments that were written with separators.
fn arguments(written: &str) -> Arguments<'_> {
    let mut arguments = Arguments::default();
    for part in written.split(NEXT_ARGUMENT).skip(1) {
        match part.split_once(VALUE_OF) {
            Some((name, value)) => arguments.named.push((name, value.trim())),
            None => arguments.positional.push(part.trim()),
        }
    }
    arguments
}

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
