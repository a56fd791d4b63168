//! Extracts the elements of the export schema from the bytes of their parent.
//!
//! This is not a parser of XML but of what MediaWiki writes: known elements in any order, each with text or with known
//! elements, `<` escaped everywhere else. Dumps modified by other tools have stray tags and truncated ones; those are
//! skipped, so that a page is not lost because of its comment. On well-formed pages the fields equal those of an XML
//! parser; the tests compare the two.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};

use super::entities::unescape;

/// An element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'static str,
    /// The rest of the start tag after the name.
    attributes: &'a [u8],
    pub(crate) content: Content<'a>,
}

/// What an element holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    /// `<name />`.
    Empty,
    /// The bytes between the tags.
    Raw(&'a [u8]),
    /// The element has no end.
    Unclosed,
}

/// Which elements are looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    /// Elements with a short text: one that is met before their end tag means that they were cut.
    pub(crate) short: &'static [&'static str],
    /// Elements that may hold anything up to their end tag.
    pub(crate) long: &'static [&'static str],
}

/// Goes over the elements of some bytes that have one of the names given, in linear time.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
    names: Names,
    /// A bit for each long name: set if no end tag of the name follows.
    unclosed: u32,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(rest: &'a [u8], names: Names) -> Self {
        debug_assert!(names.long.len() <= 32);
        Self {
            rest,
            names,
            unclosed: 0,
        }
    }

    /// Moves `rest` from the name of a start tag to the end of the tag. Returns the tag after its name, and whether it
    /// is complete. No tag has `<` in it.
    fn take_tag(&mut self, name: &str) -> (&'a [u8], bool) {
        let rest = &self.rest[name.len()..];
        let before_next = &rest[..memchr(b'<', rest).unwrap_or(rest.len())];
        match end_of_tag(before_next) {
            Some(end) => {
                self.rest = &rest[end + 1..];
                (&before_next[..end], true)
            }
            None => {
                self.rest = &rest[before_next.len()..];
                (before_next, false)
            }
        }
    }

    /// The content after the start tag of a short element. Moves `rest` to the end of the end tag; without an end tag
    /// `rest` does not change.
    fn take_short(&mut self, name: &str) -> Content<'a> {
        for at in memchr_iter(b'<', self.rest) {
            let tag = &self.rest[at + 1..];
            if let Some(after) = end_tag(tag, name) {
                let content = &self.rest[..at];
                self.rest = after;
                return Content::Raw(content);
            }
            if self.names.start_tag(tag).is_some() {
                break;
            }
        }
        Content::Unclosed
    }

    /// The same for a long element.
    fn take_long(&mut self, name: &str) -> Content<'a> {
        let index = self.names.long.iter().position(|long| *long == name);
        let bit = 1u32 << index.unwrap_or(31).min(31);
        if self.unclosed & bit == 0 {
            for at in memmem::find_iter(self.rest, b"</") {
                if let Some(after) = end_tag(&self.rest[at + 1..], name) {
                    let content = &self.rest[..at];
                    self.rest = after;
                    return Content::Raw(content);
                }
            }
            self.unclosed |= bit;
        }
        Content::Unclosed
    }
}

impl Names {
    /// The name of the start tag whose inside `tag` starts.
    fn start_tag(&self, tag: &[u8]) -> Option<&'static str> {
        let is_name = |name: &&&str| {
            let after = tag.strip_prefix(name.as_bytes());
            after.is_some_and(|after| {
                matches!(after, [b' ' | b'\t' | b'\n' | b'\r' | b'/' | b'>', ..])
            })
        };
        self.short.iter().chain(self.long).find(is_name).copied()
    }
}

/// What follows the end tag whose inside `tag` starts.
fn end_tag<'a>(tag: &'a [u8], name: &str) -> Option<&'a [u8]> {
    tag.strip_prefix(b"/")?
        .strip_prefix(name.as_bytes())?
        .strip_prefix(b">")
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        loop {
            let at = memchr(b'<', self.rest)?;
            self.rest = &self.rest[at + 1..];
            let Some(name) = self.names.start_tag(self.rest) else {
                continue;
            };
            let (attributes, whole) = self.take_tag(name);
            let (attributes, content) = match attributes.strip_suffix(b"/") {
                Some(attributes) if whole => (attributes, Content::Empty),
                _ if !whole => (attributes, Content::Unclosed),
                _ if self.names.short.contains(&name) => (attributes, self.take_short(name)),
                _ => (attributes, self.take_long(name)),
            };
            return Some(Field {
                name,
                attributes,
                content,
            });
        }
    }
}

/// The first `>` outside quotes, or the first one where quotes do not match.
fn end_of_tag(tag: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let Some(found) = memchr::memchr3(b'>', b'"', b'\'', &tag[at..]) else {
            return memchr(b'>', tag);
        };
        let quote = tag[at + found];
        if quote == b'>' {
            return Some(at + found);
        }
        let inside = at + found + 1;
        let Some(close) = memchr(quote, &tag[inside..]) else {
            return memchr(b'>', tag);
        };
        at = inside + close + 1;
    }
}

impl Field<'_> {
    /// The text of the element; empty if it has none. Tags in it stay as they are, and bytes that
    /// are not UTF-8 become U+FFFD.
    pub(crate) fn text(&self) -> String {
        match self.content {
            Content::Raw(raw) => decode(raw),
            _ => String::new(),
        }
    }

    /// Whether [`Self::text`] has all bytes of the element as they are, but for references.
    pub(crate) fn is_utf8(&self) -> bool {
        match self.content {
            Content::Raw(raw) => std::str::from_utf8(raw).is_ok(),
            _ => true,
        }
    }

    /// The whole number that the element holds.
    pub(crate) fn number<T: std::str::FromStr>(&self) -> Option<T> {
        match self.content {
            Content::Raw(raw) => std::str::from_utf8(raw).ok()?.trim().parse().ok(),
            _ => None,
        }
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_ascii_start();
            let equals = memchr(b'=', rest)?;
            let own = rest[..equals].trim_ascii();
            let (&quote, after) = rest[equals + 1..].trim_ascii_start().split_first()?;
            if quote != b'"' && quote != b'\'' {
                return None;
            }
            let close = memchr(quote, after)?;
            if own == name.as_bytes() {
                return Some(decode(&after[..close]));
            }
            rest = &after[close + 1..];
        }
    }
}

fn decode(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    let text = if memchr(b'\r', text.as_bytes()).is_some() {
        // XML reads every line end as one line feed.
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        text
    };
    match unescape(&text) {
        Cow::Borrowed(_) => text.into_owned(),
        Cow::Owned(unescaped) => unescaped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Names = Names {
        short: &["id", "redirect", "a"],
        long: &["text", "comment"],
    };

    fn fields(xml: &str) -> Vec<String> {
        Fields::new(xml.as_bytes(), NAMES)
            .map(|field| match field.content {
                Content::Raw(_) => format!("{}={}", field.name, field.text()),
                Content::Empty => format!("{}/", field.name),
                Content::Unclosed => format!("{}!", field.name),
            })
            .collect()
    }

    #[test]
    fn fields_come_in_order_whatever_surrounds_them() {
        assert_eq!(
            fields(
                "x<id>1</id> <minor/><text xml:space=\"pre>serve\">a &lt;id&gt;\r\nb</text><redirect title='&amp;' /><x><a\n>y</a>"
            ),
            ["id=1", "text=a <id>\nb", "redirect/", "a=y"]
        );
    }

    #[test]
    fn damaged_tags_cost_their_own_field() {
        assert_eq!(fields("<idx>1</id><id>2</id>"), ["id=2"]);
        assert_eq!(fields("<id>1</idx> <text>t</text>"), ["id!", "text=t"]);
        assert_eq!(
            fields("<id>1</idx> <text>t</text> <id>2</id>"),
            ["id!", "text=t", "id=2"]
        );
        assert_eq!(
            fields("<text>a</comment> b</text> c</text><id>1</id>"),
            ["text=a</comment> b", "id=1"]
        );
        assert_eq!(
            fields("<redirect <page>\n<a>title=\"x\" /><id>1</id>"),
            ["redirect!", "a!", "id=1"]
        );
        assert_eq!(fields("<id>1</id><text"), ["id=1"]);
        assert_eq!(fields("<id>1</id><text "), ["id=1", "text!"]);
        assert_eq!(fields("<"), [""; 0]);
    }

    #[test]
    fn attributes_are_found_by_name() {
        let field = Fields::new(b"<a xk=\"1\" k = '&quot;2&quot; &'  l=\"3\" m=4>", NAMES)
            .next()
            .unwrap();
        assert_eq!(field.attribute("k").as_deref(), Some("\"2\" &"));
        assert_eq!(field.attribute("l").as_deref(), Some("3"));
        assert_eq!(field.attribute("m"), None);
        assert_eq!(field.attribute("n"), None);
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced() {
        let field = Fields::new(b"<a>x\xFFy&amp;</a>", NAMES).next().unwrap();
        assert_eq!(field.text(), "x\u{FFFD}y&");
    }

    #[test]
    fn many_tags_without_ends_are_read_once() {
        let xml = "<id><text><a>".repeat(300_000);
        assert_eq!(Fields::new(xml.as_bytes(), NAMES).count(), 900_000);
        let xml = "<id \"".repeat(300_000);
        assert_eq!(Fields::new(xml.as_bytes(), NAMES).count(), 300_000);
    }
}
