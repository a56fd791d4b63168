//! The second pass: one walk over the source that writes plain text.
//!
//! What is kept of templates and links is written in place and cut back where an argument turns
//! out not to be kept, so that no text is copied from level to level however deep they nest. The
//! open ones are on an explicit stack of [`Frame`]s; dropped content is skipped.

mod frames;
mod lines;
mod markup;
mod output;
mod removals;
mod text;

use super::blocks::{Block, Marks};
use super::formulas::Formulas;
use super::languages::Language;
use super::rule::Rule;
use super::spans::{self, Span};
use super::tags::Boundary;
use removals::Removals;

/// Appends the plain text of `source`, which is shorter than 4 GiB, and the letter of each of its lines.
pub(super) fn render(
    source: &str,
    language: &Language<'_>,
    formulas: Formulas,
    out: &mut String,
    blocks: &mut String,
) {
    let spans = spans::find(source, language.has_variants());
    let base = out.len();
    let mut renderer = Renderer {
        source,
        bytes: source.as_bytes(),
        spans: &spans,
        next: 0,
        position: 0,
        language,
        formulas,
        base,
        out,
        frames: Vec::new(),
        line: Line::default(),
        quotes_end: 0,
        literal_quote: usize::MAX,
        broken_table: false,
        removals: Removals::default(),
        marks: Marks::default(),
    };
    renderer.run();
    let kept = renderer.out.trim_end().len().max(base);
    renderer.cut(kept);
    let Renderer {
        out,
        removals,
        marks,
        ..
    } = renderer;
    removals.close_up(out, base, &marks, blocks);
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
    /// What its blocks are.
    block: Block,
    /// What the mark at its start makes of them.
    marked: Block,
    /// What the last tag makes of the text after it.
    tagged: Block,
    /// In an item or a heading that a tag began: the number of quotations and the like that are open in it.
    inside: Option<u32>,
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
    Variants,
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
    /// How often something had been left out when it opened.
    left_out: usize,
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

impl Line {
    /// What a tag that separates blocks makes of the text after it.
    fn pass(&mut self, boundary: Boundary) {
        match (boundary, self.inside) {
            (Boundary::Begins(block), _) => {
                self.block = block;
                self.tagged = block;
                self.inside = Some(0);
            }
            // What the line is by its own mark goes on.
            (Boundary::Ends, _) | (Boundary::Closes, Some(0)) => {
                self.block = self.marked;
                self.tagged = Block::Paragraph;
                self.inside = None;
            }
            (Boundary::Opens, Some(open)) => self.inside = Some(open + 1),
            (Boundary::Closes, Some(open)) => self.inside = Some(open - 1),
            (Boundary::Opens | Boundary::Closes, None) | (Boundary::Separates, _) => {}
        }
    }
}

struct Renderer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    spans: &'a [Span],
    next: usize,
    position: usize,
    language: &'a Language<'a>,
    formulas: Formulas,
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
    /// Where something was left out.
    removals: Removals,
    /// Where headings and list items begin.
    marks: Marks,
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
}
