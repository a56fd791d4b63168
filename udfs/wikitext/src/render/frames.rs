//! Links and templates that are open: their arguments are kept in place or cut back.

use super::super::blocks::Block;
use super::super::format::{self, Arguments};
use super::super::links;
use super::super::rule::Rule;
use super::super::templates;
use super::super::variants;
use super::{Call, Frame, Inside, Key, Renderer};

impl<'a> Renderer<'a> {
    pub(super) fn open(&mut self, close: usize, resume: usize, inside: Inside) {
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
    pub(super) fn pipe(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        match &mut frame.inside {
            Inside::Link { labelled, .. } if !*labelled => {
                *labelled = true;
                let text = frame.text;
                self.cut(text);
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
    pub(super) fn equals(&mut self) -> bool {
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
        let text = frame.text;
        if matches!(call.rule, Rule::Format(_)) && call.key != Key::Number {
            frame.text += name.len() + VALUE_OF.len_utf8();
            self.cut(text);
            self.out.push_str(&name);
            self.out.push(VALUE_OF);
        } else {
            self.cut(text);
        }
        true
    }

    pub(super) fn begin_argument(&mut self) {
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
            Rule::Lines if call.kept => {
                if !self.out.ends_with('\n') {
                    self.out.push('\n');
                }
                self.marks.begin(self.out.len(), Block::ListItem);
            }
            _ => {}
        }
        frame.text = self.out.len();
    }

    /// Forgets the arguments that were kept so far.
    pub(super) fn restart_arguments(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            let floor = frame.floor;
            frame.argument = floor;
            frame.text = floor;
            self.cut(floor);
        }
    }

    /// Keeps or cuts off the argument that ends here.
    pub(super) fn end_argument(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let Inside::Template(call) = &mut frame.inside else {
            return;
        };
        let keep = match (call.rule, call.key) {
            (Rule::Argument(0), _) => call.position == 0,
            (Rule::Format(_), _) => call.position > 0 || call.key != Key::None,
            (Rule::Argument(_) | Rule::Formula | Rule::Quotation, Key::Text) => !call.kept,
            (_, Key::Text | Key::Other) => false,
            (_, Key::None) if call.position == 0 => false,
            (Rule::Argument(n), _) => call.position == n && !call.kept,
            (Rule::Formula | Rule::Quotation, _) => call.position == 1 && !call.kept,
            (Rule::From(n, _), _) => call.position >= n,
            (Rule::Last | Rule::Lines, _) => true,
            _ => false,
        };
        let formatted = matches!(call.rule, Rule::Format(_));
        let blank = self.out[frame.text..].trim().is_empty();
        if !keep || (blank && !formatted) {
            let argument = frame.argument;
            self.cut(argument);
        } else {
            call.kept = true;
            if !formatted {
                let text = self.out[frame.text..].trim_end().len();
                let kept = frame.text + text;
                self.cut(kept);
            }
        }
    }

    pub(super) fn close_frame(&mut self) {
        if self.in_template() {
            self.end_argument();
        }
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.position = frame.resume.max(self.position);
        self.line.from = self.line.from.min(frame.floor);
        match &frame.inside {
            Inside::External if self.out.len() <= frame.floor => self.leave_out(),
            Inside::External => {}
            Inside::Variants => self.close_variants(frame.floor),
            Inside::Heading => self.line.alone = true,
            Inside::Link { start, labelled } => self.close_link(&frame, *start, *labelled),
            Inside::Template(call) => self.close_template(&frame, call),
        }
    }

    pub(super) fn close_link(&mut self, frame: &Frame, start: usize, labelled: bool) {
        if labelled && self.out[frame.text.min(self.out.len())..].trim().is_empty() {
            let title = links::short_title(self.target(start, frame.close));
            self.push_name(title);
        }
    }

    pub(super) fn close_variants(&mut self, floor: usize) {
        let written = &self.out[floor..];
        let shown = variants::shown(written);
        if shown.len() < written.len() {
            let shown = shown.to_owned();
            self.cut(floor);
            self.out.push_str(&shown);
        }
    }

    pub(super) fn close_template(&mut self, frame: &Frame, call: &Call) {
        let floor = frame.floor;
        match call.rule {
            Rule::Format(format) => {
                let written = &self.out[floor..];
                let text = if written.len() <= format::MAX_ARGUMENT_BYTES {
                    format::format(format, &arguments(written))
                } else {
                    String::new()
                };
                self.cut(floor);
                self.push(&text);
            }
            Rule::Formula if !call.kept || self.removals.count() > call.left_out => {
                self.cut(floor);
                self.formula(None, &self.source[frame.resume..]);
            }
            Rule::Quotation | Rule::Lines => self.break_block(),
            _ => {
                let kept = self.out[floor..].trim_end().len();
                self.cut(floor + kept);
            }
        }
        if self.out.len() <= floor {
            self.leave_out();
        }
    }
}

/// Between the arguments of a template that is formatted, and between a name and its value.
const NEXT_ARGUMENT: char = '\u{1F}';
const VALUE_OF: char = '\u{1E}';

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
