//! The readable text of a page of HTML.
//!
//! The page is read as a sequence of tags and texts (`html5gum`, a tokenizer that follows the standard); no tree is
//! built. A tree by the rules of the standard may be deeper than a stack, and larger than the page by any factor:
//! formatting elements that are never closed are opened again in each paragraph. Here only the names of open
//! containers are on a stack, and an end tag is looked for on it only if the stack has one, so the time is linear
//! in the bytes of a page, however deep it is.
//!
//! Styles are not applied, scripts are not run.

mod elements;
mod main_text;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::ops::Range;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use elements::{ELEMENTS, Gap, Role, aria_role, element};

/// Appends the readable text of a page of HTML to `out`; with `main_only` without menus, footers and other texts that
/// are not the main content.
///
/// Paragraphs, headings, lists and tables are separated by blank lines; list items, rows and `<br>` begin lines, and
/// cells are separated by tabs. Runs of white space are one space, except in `<pre>`. Character references are decoded.
/// The title, scripts, styles, templates, what is shown without scripts, and the fallback content of media and drawings
/// are left out.
///
/// ```
/// let (mut all, mut main) = (String::new(), String::new());
/// let page = "<nav><a href=/>Home</a></nav><h1>Ouse</h1><p>The Ouse is a river &amp; flows through York, a city in
///     the north of England, before it joins the Trent.";
/// neardup_kernels::html_text_into(page, false, &mut all);
/// neardup_kernels::html_text_into(page, true, &mut main);
/// assert_eq!(main, "Ouse\n\nThe Ouse is a river & flows through York, a city in the north of England, \
///     before it joins the Trent.");
/// assert_eq!(all, format!("Home\n\n{main}"));
/// ```
pub fn html_text_into(html: &str, main_only: bool, out: &mut String) {
    let mut page = Page::new(main_only);
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| {
        page.event(event);
        None::<Infallible>
    });
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    page.end_block();
    if main_only {
        main_text::keep_main(&page.text, &page.links, &mut page.blocks);
    }
    let mut gap = Gap::None;
    let mut is_first = true;
    for block in &page.blocks {
        gap = gap.max(block.gap);
        if !block.is_kept {
            continue;
        }
        match gap {
            _ if is_first => {}
            Gap::None => {}
            Gap::Cell => out.push('\t'),
            Gap::Line => out.push('\n'),
            Gap::Paragraph => out.push_str("\n\n"),
        }
        out.push_str(&page.text[block.text.clone()]);
        (gap, is_first) = (Gap::None, false);
    }
}

/// A text between tags that separate texts.
#[derive(Debug)]
struct Block {
    /// Its position in the text of all blocks, without blank lines at its start and white space at its end.
    text: Range<usize>,
    /// What separates it from the block before.
    gap: Gap,
    is_heading: bool,
    /// Whether it is in an element of the main content.
    is_main: bool,
    /// The links of the page before the block.
    links: usize,
    is_kept: bool,
}

/// The state of the reader.
struct Page {
    main_only: bool,
    /// The texts of all blocks, with nothing between them.
    text: String,
    blocks: Vec<Block>,
    /// The positions of link texts in `text`.
    links: Vec<Range<usize>>,
    /// What separates the last text from the next one: a gap, or line breaks or white space in a block.
    gap: Gap,
    breaks: u8,
    has_space: bool,

    /// The current start tag, and its attributes that matter.
    tag: Option<usize>,
    aria: Option<Role>,
    has_address: bool,
    attribute: Attribute,

    /// Open containers, with their roles, and how many of each element are open.
    open: Vec<(usize, Role)>,
    counts: [usize; ELEMENTS.len()],
    /// How many open containers have the roles.
    main: usize,
    other: usize,
    preformatted: usize,
    /// An element whose content is not read, and how many of its name are open.
    dropped: Option<(usize, usize)>,
    in_heading: bool,
    in_link: bool,
    /// Whether a line feed is not text because `<pre>` is right before it.
    skips_line_feed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    Other,
    Role,
}

impl Page {
    fn new(main_only: bool) -> Self {
        Self {
            main_only,
            text: String::new(),
            blocks: Vec::new(),
            links: Vec::new(),
            gap: Gap::None,
            breaks: 0,
            has_space: false,
            tag: None,
            aria: None,
            has_address: false,
            attribute: Attribute::Other,
            open: Vec::new(),
            counts: [0; ELEMENTS.len()],
            main: 0,
            other: 0,
            preformatted: 0,
            dropped: None,
            in_heading: false,
            in_link: false,
            skips_line_feed: false,
        }
    }

    fn event(&mut self, event: CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = element(name);
                (self.aria, self.has_address) = (None, false);
                self.attribute = Attribute::Other;
            }
            CallbackEvent::AttributeName { name } => {
                self.has_address |= name == b"href";
                self.attribute = match name {
                    b"role" => Attribute::Role,
                    _ => Attribute::Other,
                };
            }
            CallbackEvent::AttributeValue { value } if self.attribute == Attribute::Role => {
                self.aria = aria_role(value);
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                self.skips_line_feed = false;
                if let Some(element) = self.tag.take() {
                    self.start(element, self_closing);
                }
            }
            CallbackEvent::EndTag { name } => {
                self.skips_line_feed = false;
                if let Some(element) = element(name) {
                    self.end(element);
                }
            }
            CallbackEvent::String { value } if self.dropped.is_none() => {
                // The bytes are those of a str.
                let value = String::from_utf8_lossy(value);
                if self.main_only && self.other > 0 {
                    // What is around it is not one word.
                    self.has_space = true;
                } else if value.contains('\0') {
                    // Browsers leave them out.
                    self.string(&value.replace('\0', ""));
                } else {
                    self.string(&value);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, element: usize, self_closing: bool) {
        let (name, gap, role) = ELEMENTS[element];
        if let Some((dropped, count)) = &mut self.dropped {
            *count += usize::from(*dropped == element && !self_closing);
            return;
        }
        self.separate(gap);
        // Headings that are not closed end before the next paragraph.
        self.in_heading &= gap != Gap::Paragraph;
        let role = match role {
            Role::Text => return,
            Role::Heading => {
                self.in_heading = true;
                return;
            }
            Role::Break => {
                self.breaks = self.breaks.saturating_add(1);
                return;
            }
            Role::Link => {
                self.in_link = self.has_address;
                return;
            }
            Role::Dropped => {
                // Only elements of other namespaces may end in their start tag.
                if !(self_closing && name == "svg") {
                    self.dropped = Some((element, 1));
                }
                return;
            }
            Role::Container | Role::Main | Role::Other | Role::Header => match self.aria {
                Some(role) => role,
                None if role == Role::Header && self.main > 0 => Role::Container,
                None if role == Role::Header => Role::Other,
                None => role,
            },
            Role::Preformatted => {
                self.skips_line_feed = true;
                role
            }
        };
        self.open.push((element, role));
        self.counts[element] += 1;
        if let Some(count) = self.count(role) {
            *count += 1;
        }
    }

    fn end(&mut self, element: usize) {
        let (_, gap, role) = ELEMENTS[element];
        if let Some((dropped, count)) = &mut self.dropped {
            *count -= usize::from(*dropped == element);
            if *count == 0 {
                self.dropped = None;
            }
            return;
        }
        self.separate(gap);
        match role {
            Role::Break => self.breaks = self.breaks.saturating_add(1),
            Role::Heading => self.in_heading = false,
            Role::Link => self.in_link = false,
            _ => {}
        }
        // Elements that were not closed end with the one around them.
        while self.counts[element] > 0
            && let Some((last, role)) = self.open.pop()
        {
            self.counts[last] -= 1;
            if let Some(count) = self.count(role) {
                *count -= 1;
            }
            if last == element {
                break;
            }
        }
    }

    /// The number of open containers of a role, if it is counted.
    fn count(&mut self, role: Role) -> Option<&mut usize> {
        match role {
            Role::Main => Some(&mut self.main),
            Role::Other => Some(&mut self.other),
            Role::Preformatted => Some(&mut self.preformatted),
            _ => None,
        }
    }

    fn separate(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    fn string(&mut self, value: &str) {
        if self.preformatted > 0 {
            let skips = std::mem::take(&mut self.skips_line_feed);
            let value = value.strip_prefix('\n').filter(|_| skips).unwrap_or(value);
            if !value.is_empty() {
                self.append(value);
            }
            return;
        }
        for (index, word) in value.split(|c: char| c.is_ascii_whitespace()).enumerate() {
            self.has_space |= index > 0;
            if !word.is_empty() {
                self.append(word);
            }
        }
    }

    /// Appends text to the block, after what separates it from the text before.
    fn append(&mut self, text: &str) {
        let end = self.text.len();
        let gap = match self.breaks {
            0 => self.gap,
            1 if self.gap != Gap::None => self.gap.max(Gap::Line),
            1 => Gap::None,
            _ => Gap::Paragraph,
        };
        if self.blocks.is_empty() || gap != Gap::None {
            let gap = self.end_block().max(gap);
            let start = self.text.len();
            self.blocks.push(Block {
                text: start..start,
                gap,
                is_heading: self.in_heading,
                is_main: self.main > 0,
                links: self.links.len(),
                is_kept: true,
            });
        } else if self.breaks > 0 {
            self.text.push('\n');
        } else if self.has_space {
            self.text.push(' ');
        }
        (self.gap, self.breaks, self.has_space) = (Gap::None, 0, false);
        let start = self.text.len();
        self.text.push_str(text);
        if self.in_link && self.main_only {
            let block = self.blocks.last().map_or(0, |block| block.links);
            let is_first = block == self.links.len();
            match self.links.last_mut() {
                Some(link) if !is_first && link.end == end => link.end = self.text.len(),
                _ => self.links.push(start..self.text.len()),
            }
        }
    }

    /// Ends the last block. If it is blank, it is removed, and what separated it from the one before is returned.
    fn end_block(&mut self) -> Gap {
        let Some(block) = self.blocks.last_mut() else {
            return Gap::None;
        };
        let text = self.text[block.text.start..].trim_ascii_end();
        let end = block.text.start + text.len();
        // Blank lines at its start are those of `<pre>`; white space before the first word is its indentation.
        let indented = text.trim_ascii_start().len();
        let indentation = &text[..text.len() - indented];
        let blank_lines = indentation.rfind('\n').map_or(0, |at| at + 1);
        block.text = block.text.start + blank_lines..end;
        if !block.text.is_empty() {
            return Gap::None;
        }
        let gap = block.gap;
        self.links.truncate(block.links);
        self.blocks.pop();
        gap
    }
}
