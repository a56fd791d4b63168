//! Renders spans: skips them, opens frames, or ends the page.

use super::super::blocks::Block;
use super::super::entities;
use super::super::formulas::{self, Formulas};
use super::super::links::{self, Target};
use super::super::rule::Rule;
use super::super::spans::{Kind, OPEN, Span};
use super::super::tags;
use super::super::templates;
use super::{Call, Inside, Key, Renderer};

impl<'a> Renderer<'a> {
    pub(super) fn span(&mut self, span: Span) {
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
                self.leave_out();
                self.position = resume;
            }
            Kind::Hidden => self.position = resume,
            Kind::Formula => {
                let text = match self.formulas {
                    Formulas::Placeholder => None,
                    Formulas::Text => {
                        formulas::of_tag(&self.source[span.start as usize..span.close as usize])
                    }
                };
                self.formula(text.as_deref(), &self.source[resume..]);
                self.position = resume;
            }
            Kind::LeftOut => {
                self.leave_out();
                self.position = resume;
            }
            Kind::HiddenLine => self.skip_line(),
            Kind::Break => {
                self.line.pass(tags::boundary(&self.bytes[start..resume]));
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
            Kind::Variants if span.close == OPEN => {
                self.push("-{");
                self.position = start + 2;
            }
            Kind::Variants => {
                self.position = start + 2;
                self.open(close, resume, Inside::Variants);
            }
            Kind::Heading(level) => self.heading(level, close, resume),
            Kind::Link => self.link(span),
            Kind::External => self.external(span),
            Kind::Template if span.close == OPEN => self.skip_line(),
            Kind::Template => self.template(start, close, resume),
        }
    }

    pub(super) fn heading(&mut self, level: u8, close: usize, resume: usize) {
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
        self.line.block = Block::Heading;
        self.begin_block();
        self.open(close, resume, Inside::Heading);
    }

    /// The target of the link that begins at `start`.
    pub(super) fn target(&self, start: usize, close: usize) -> &'a str {
        let from = start + 2;
        let limit = self
            .source
            .floor_char_boundary(close.min(from + links::MAX_TARGET_BYTES));
        let window = &self.source[from..limit.max(from)];
        let end = window
            .find(['|', '[', ']', '{', '\n', '<'])
            .unwrap_or(window.len());
        &window[..end]
    }

    pub(super) fn link(&mut self, span: Span) {
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
                self.leave_out();
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

    pub(super) fn external(&mut self, span: Span) {
        let start = span.start as usize;
        let rest = &self.bytes[start + 1..];
        let width = rest
            .iter()
            .position(|b| matches!(b, b' ' | b'\t' | b'\n' | b']' | b'<' | b'[' | b'{'))
            .unwrap_or(rest.len());
        self.position = start + 1 + width;
        if span.close != OPEN {
            let close = span.close as usize;
            let blanks = rest[width..]
                .iter()
                .take_while(|b| matches!(b, b' ' | b'\t'));
            self.position = (self.position + blanks.count()).min(close);
            self.open(close, span.resume as usize, Inside::External);
        }
    }

    pub(super) fn verbatim(&mut self, from: usize, to: usize, lines: bool) {
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

    pub(super) fn template(&mut self, start: usize, close: usize, resume: usize) {
        let from = start + 2;
        let limit = self
            .source
            .floor_char_boundary(close.min(from + templates::MAX_NAME_BYTES + 40));
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
            Rule::Nothing => self.leave_out(),
            Rule::Text(text) => self.push(text),
            Rule::TexFormula => {
                let text = match self.formulas {
                    Formulas::Placeholder => None,
                    Formulas::Text => formulas::of_template(&self.source[from + end..close]),
                };
                self.formula(text.as_deref(), &self.source[resume..]);
            }
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

    pub(super) fn open_template(&mut self, close: usize, resume: usize, rule: Rule) {
        let call = Call {
            rule,
            position: 0,
            key: Key::None,
            kept: false,
            left_out: self.removals.count(),
        };
        self.open(close, resume, Inside::Template(call));
    }
}
