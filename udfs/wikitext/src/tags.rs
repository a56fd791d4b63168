//! Tags in angle brackets: their names, and how their content is handled.

use super::blocks::Block;

/// What a tag's content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Text in the line.
    Inline,
    /// Text of its own; the tag separates blocks.
    Block,
    /// A table.
    Table,
    /// Not wikitext, or not to be kept: index into [`OPAQUE`].
    Opaque(u8),
    /// No tag; the bracket is text.
    Unknown,
}

/// A tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag {
    pub(super) content: Content,
    /// `</name>`
    pub(super) closing: bool,
    /// `<name />`
    pub(super) self_closing: bool,
    /// Behind the `>`.
    pub(super) end: usize,
}

/// Tags whose content is taken whole. The first two are text, `ref` knows no nesting, and the
/// rest is left out.
const OPAQUE: [&str; OPAQUE_NAMES] = [
    "nowiki",
    "pre",
    "ref",
    "math",
    "chem",
    "ce",
    "source",
    "syntaxhighlight",
    "timeline",
    "gallery",
    "score",
    "graph",
    "mapframe",
    "maplink",
    "templatedata",
    "templatestyles",
    "hiero",
    "imagemap",
    "inputbox",
    "categorytree",
    "charinsert",
    "includeonly",
    "style",
    "script",
    "rss",
    "quiz",
    "indicator",
    "phonos",
    "math_chem",
    "dynamicpagelist",
];

/// The number of opaque tags.
pub(super) const OPAQUE_NAMES: usize = 30;

/// Sorted.
const BLOCK: &[&str] = &[
    "address",
    "blockquote",
    "br",
    "caption",
    "center",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "poem",
    "section",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Sorted.
const INLINE: &[&str] = &[
    "a",
    "abbr",
    "b",
    "bdi",
    "bdo",
    "big",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "del",
    "dfn",
    "em",
    "font",
    "i",
    "img",
    "ins",
    "kbd",
    "label",
    "langconvert",
    "languages",
    "mark",
    "noinclude",
    "onlyinclude",
    "q",
    "rb",
    "references",
    "rp",
    "rt",
    "rtc",
    "ruby",
    "s",
    "samp",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "time",
    "translate",
    "tt",
    "tvar",
    "u",
    "var",
    "wbr",
];

/// Longest tag that is read, so that stray `<` stay cheap.
const MAX_TAG_BYTES: usize = 4096;

/// The tag that begins at `source[at]`, a `<`.
pub(super) fn parse(source: &str, at: usize) -> Option<Tag> {
    let bytes = &source.as_bytes()[at..];
    let closing = bytes.get(1) == Some(&b'/');
    let from = 1 + usize::from(closing);
    let width = bytes[from..]
        .iter()
        .take(18)
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
        .count();
    if width == 0 || width > 17 {
        return None;
    }
    let content = content(&bytes[from..from + width]);
    if content == Content::Unknown {
        return None;
    }
    let (self_closing, length) = attributes(bytes, from + width)?;
    Some(Tag {
        content,
        closing,
        self_closing,
        end: at + length,
    })
}

/// Whether a tag closes itself, and its length; attributes may hold `>` and `/` in quotes.
fn attributes(bytes: &[u8], from: usize) -> Option<(bool, usize)> {
    let mut i = from;
    if !matches!(bytes.get(i)?, b' ' | b'\t' | b'\n' | b'\r' | b'/' | b'>') {
        return None;
    }
    let limit = bytes.len().min(MAX_TAG_BYTES);
    while i < limit {
        match bytes[i] {
            b'>' => return Some((bytes[i - 1] == b'/', i + 1)),
            b'<' => return None,
            quote @ (b'"' | b'\'') if preceded_by_equals(&bytes[from..i]) => {
                // a quotation mark that never closes is only a character
                let value = &bytes[i + 1..limit];
                let end = value.iter().position(|&b| b == quote || b == b'\n');
                match end {
                    Some(end) if value[end] == quote => i += end + 2,
                    _ => i += 1,
                }
            }
            _ => i += 1,
        }
    }
    None
}

fn preceded_by_equals(bytes: &[u8]) -> bool {
    bytes.iter().rev().find(|b| !b.is_ascii_whitespace()) == Some(&b'=')
}

fn content(name: &[u8]) -> Content {
    let mut lower = [0; 17];
    let lower = &mut lower[..name.len()];
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    let Ok(name) = std::str::from_utf8(lower) else {
        return Content::Unknown;
    };
    if name == "table" {
        return Content::Table;
    }
    if INLINE.binary_search(&name).is_ok() {
        return Content::Inline;
    }
    if BLOCK.binary_search(&name).is_ok() {
        return Content::Block;
    }
    match OPAQUE.iter().position(|&opaque| opaque == name) {
        Some(index) => Content::Opaque(index as u8),
        None => Content::Unknown,
    }
}

/// What a tag that separates blocks does to list items and headings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Boundary {
    /// One begins.
    Begins(Block),
    /// One ends, or a list.
    Ends,
    /// A quotation or another part of the page begins, in one or with some in it.
    Opens,
    /// Such a part ends, and with it what began in it.
    Closes,
    /// Nothing: it separates blocks only.
    Separates,
}

/// What a tag that separates blocks does.
pub(super) fn boundary(tag: &[u8]) -> Boundary {
    let closing = tag.get(1) == Some(&b'/');
    let is_empty = tag.ends_with(b"/>");
    let name = &tag[1 + usize::from(closing)..];
    let length = name
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    match (name[..length].to_ascii_lowercase().as_slice(), closing) {
        (b"li" | b"dd" | b"dt", false) => Boundary::Begins(Block::ListItem),
        (b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6", false) => Boundary::Begins(Block::Heading),
        (b"li" | b"dd" | b"dt" | b"ul" | b"ol" | b"dl", true) => Boundary::Ends,
        (b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6", true) => Boundary::Ends,
        (b"address" | b"blockquote" | b"center" | b"div" | b"poem" | b"section", _) => {
            match (closing, is_empty) {
                (true, _) => Boundary::Closes,
                (false, false) => Boundary::Opens,
                (false, true) => Boundary::Separates,
            }
        }
        _ => Boundary::Separates,
    }
}

/// Whether the content of an opaque tag is text, and then whether its lines count.
pub(super) fn verbatim(name: u8) -> Option<bool> {
    match name {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// True for tags whose content is a formula of mathematics or chemistry.
pub(super) fn is_formula(name: u8) -> bool {
    matches!(OPAQUE[name as usize], "math" | "chem" | "ce" | "math_chem")
}

/// True for `ref`.
pub(super) fn is_reference(name: u8) -> bool {
    name == 2
}

/// True if `bytes` begin with a start or end tag of this opaque name.
pub(super) fn names(bytes: &[u8], name: u8, closing: bool) -> bool {
    let name = OPAQUE[name as usize].as_bytes();
    let from = 1 + usize::from(closing);
    (!closing || bytes.get(1) == Some(&b'/'))
        && bytes
            .get(from..from + name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name))
        && bytes
            .get(from + name.len())
            .is_none_or(|b| !b.is_ascii_alphanumeric())
}
