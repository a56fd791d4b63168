//! Walks over the children of one element.
//!
//! Entities in content come to the reader of events as events of their own; both ways of reading
//! content here keep them.

use std::borrow::Cow;

use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Why an element cannot be read.
pub(crate) type Reason = String;

/// A child element whose start tag has been read.
#[derive(Debug)]
pub(crate) struct Child<'a> {
    tag: BytesStart<'a>,
    /// `<child />`: it has no content and no end tag.
    pub(crate) empty: bool,
}

impl Child<'_> {
    pub(crate) fn name(&self) -> &[u8] {
        self.tag.name().into_inner()
    }

    pub(crate) fn has(&self, attribute: &str) -> Result<bool, Reason> {
        let found = self.tag.try_get_attribute(attribute);
        Ok(found.map_err(|error| self.describe(&error))?.is_some())
    }

    pub(crate) fn attribute(&self, attribute: &str) -> Result<Option<String>, Reason> {
        self.tag
            .try_get_attribute(attribute)
            .map_err(|error| self.describe(&error))?
            .map(|found| found.normalized_value(XmlVersion::Implicit1_0))
            .transpose()
            .map(|value| value.map(Cow::into_owned))
            .map_err(|error| self.describe(&error))
    }

    fn describe(&self, error: &dyn std::fmt::Display) -> Reason {
        format!("<{}>: {error}", String::from_utf8_lossy(self.name()))
    }
}

/// Goes over the children of the element whose inside is `rest`.
pub(crate) struct Walker<'a> {
    rest: &'a [u8],
    reader: Reader<&'a [u8]>,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        let mut reader = Reader::from_reader(rest);
        // The start tags of the elements around `rest` have not been seen.
        reader.config_mut().allow_unmatched_ends = true;
        Self { rest, reader }
    }

    /// The next child, or `None` at the end of the element. The caller reads or skips its content
    /// before it asks for the next.
    pub(crate) fn next_child(&mut self) -> Result<Option<Child<'a>>, Reason> {
        loop {
            match self.reader.read_event().map_err(|e| e.to_string())? {
                Event::Start(tag) => return Ok(Some(Child { tag, empty: false })),
                Event::Empty(tag) => return Ok(Some(Child { tag, empty: true })),
                Event::End(_) | Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    /// Leaves the content of a child aside.
    pub(crate) fn skip(&mut self, child: &Child<'a>) -> Result<(), Reason> {
        if child.empty || self.take_plain(child).is_some() {
            return Ok(());
        }
        self.reader
            .read_to_end(child.tag.to_end().name())
            .map_err(|error| child.describe(&error))?;
        Ok(())
    }

    /// The text of a child; markup inside it is left out.
    pub(crate) fn text(&mut self, child: &Child<'a>) -> Result<String, Reason> {
        if child.empty {
            return Ok(String::new());
        }
        let Some(raw) = self.take_plain(child) else {
            return self.text_by_events(child);
        };
        let raw = std::str::from_utf8(raw).map_err(|error| child.describe(&error))?;
        let raw = if memchr::memchr(b'\r', raw.as_bytes()).is_some() {
            Cow::Owned(raw.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(raw)
        };
        match unescape(&raw) {
            Ok(text) => Ok(text.into_owned()),
            Err(error) => Err(child.describe(&error)),
        }
    }

    /// The raw content of a child that has no markup inside, which is every one that MediaWiki
    /// writes; reading goes on behind its end tag.
    fn take_plain(&mut self, child: &Child<'_>) -> Option<&'a [u8]> {
        let from = usize::try_from(self.reader.buffer_position()).ok()?;
        let inside = self.rest.get(from..)?;
        let length = memchr::memchr(b'<', inside)?;
        let after = inside[length..]
            .strip_prefix(b"</")?
            .strip_prefix(child.name())?
            .strip_prefix(b">")?;
        *self = Self::new(after);
        Some(&inside[..length])
    }

    fn text_by_events(&mut self, child: &Child<'a>) -> Result<String, Reason> {
        let fail = |error: &dyn std::fmt::Display| child.describe(error);
        let mut text = String::new();
        let mut depth = 0u64;
        loop {
            match self.reader.read_event().map_err(|e| fail(&e))? {
                Event::Text(part) => text.push_str(&part.xml10_content().map_err(|e| fail(&e))?),
                Event::CData(part) => text.push_str(&part.xml10_content().map_err(|e| fail(&e))?),
                Event::GeneralRef(part) => {
                    let name = part.decode().map_err(|e| fail(&e))?;
                    text.push_str(&unescape(&format!("&{name};")).map_err(|e| fail(&e))?);
                }
                Event::Start(_) => depth += 1,
                Event::End(_) if depth == 0 => return Ok(text),
                Event::End(_) => depth -= 1,
                Event::Eof => return Err(fail(&"it has no end")),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_text(xml: &str) -> (Result<String, Reason>, Result<String, Reason>) {
        let mut plain = Walker::new(xml.as_bytes());
        let child = plain.next_child().unwrap().unwrap();
        let plain = plain.text(&child);
        let mut events = Walker::new(xml.as_bytes());
        let child = events.next_child().unwrap().unwrap();
        (plain, events.text_by_events(&child))
    }

    #[test]
    fn entities_survive_on_both_ways() {
        let xml = "<t>&lt;b&gt; &amp;amp; &quot;&apos; &#65;&#x416;&#x1F600; \r\nx\ry &#10;</t>";
        let want = "<b> &amp; \"' A\u{416}\u{1F600} \nx\ny \n";
        let (plain, events) = first_text(xml);
        assert_eq!(plain.unwrap(), want);
        assert_eq!(events.unwrap(), want);
    }

    #[test]
    fn faults_are_faults_on_both_ways() {
        for xml in [
            "<t>&nbsp;</t>",
            "<t>a & b</t>",
            "<t>&#xD800;</t>",
            "<t>&#0;</t>",
            "<t>&lt</t>",
        ] {
            let (plain, events) = first_text(xml);
            assert!(
                plain.is_err() && events.is_err(),
                "{xml}: {plain:?} {events:?}"
            );
        }
        let mut walker = Walker::new(b"<t>\xFF</t>");
        let child = walker.next_child().unwrap().unwrap();
        assert!(walker.text(&child).is_err());
    }

    #[test]
    fn markup_inside_is_left_out() {
        let (text, events) = first_text("<t>a<!-- c --><![CDATA[<&amp;]]><i>b</i><e/>&lt;</t>");
        assert_eq!(text.unwrap(), "a<&amp;b<");
        assert!(events.is_ok());
    }

    #[test]
    fn children_come_in_order_at_one_level() {
        let xml = b"x<a k='1&amp;2'/>y<b><c>1</c><b>2</b></b><d>3</d></revision>";
        let mut walker = Walker::new(xml);
        let mut names = Vec::new();
        while let Some(child) = walker.next_child().unwrap() {
            names.push(String::from_utf8_lossy(child.name()).into_owned());
            if child.name() == b"a" {
                assert_eq!(child.attribute("k").unwrap().as_deref(), Some("1&2"));
                assert!(child.has("k").unwrap() && !child.has("l").unwrap());
            }
            walker.skip(&child).unwrap();
        }
        assert_eq!(names, ["a", "b", "d"]);
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let xml = format!("<t>{}{}</t>", "<i>".repeat(200_000), "</i>".repeat(200_000));
        let (text, _) = first_text(&xml);
        assert_eq!(text.unwrap(), "");
    }
}
