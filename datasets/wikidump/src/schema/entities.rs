//! References in character data.
//!
//! Dumps modified by other tools hold ampersands that start no reference, and references to entities
//! that only HTML has. Both are kept as text: wikitext has its own use for them, and a page is not
//! lost because of them.

use std::borrow::Cow;

/// Maximum length in bytes of a reference, without its ampersand: `#x10FFFF;` with some zeros.
const MAX_REFERENCE_BYTES: usize = 12;

/// Replaces XML's own references by the characters that they denote.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    let bytes = raw.as_bytes();
    let Some(first) = memchr::memchr(b'&', bytes) else {
        return Cow::Borrowed(raw);
    };
    let mut text = String::with_capacity(raw.len());
    let mut done = 0;
    let mut next = Some(first);
    while let Some(at) = next {
        let after = &bytes[at + 1..];
        let end = after
            .iter()
            .take(MAX_REFERENCE_BYTES)
            .position(|&byte| byte == b';');
        let from = match end.and_then(|end| Some((end, resolve(&after[..end])?))) {
            Some((end, character)) => {
                text.push_str(&raw[done..at]);
                text.push(character);
                done = at + 1 + end + 1;
                done
            }
            None => at + 1,
        };
        next = memchr::memchr(b'&', &bytes[from..]).map(|more| from + more);
    }
    text.push_str(&raw[done..]);
    Cow::Owned(text)
}

/// The text between `&` and `;`.
fn resolve(name: &[u8]) -> Option<char> {
    Some(match name {
        b"lt" => '<',
        b"gt" => '>',
        b"amp" => '&',
        b"quot" => '"',
        b"apos" => '\'',
        [b'#', b'x', digits @ ..] => number(digits, 16)?,
        [b'#', digits @ ..] => number(digits, 10)?,
        _ => return None,
    })
}

/// A character that XML allows, by its number.
fn number(digits: &[u8], radix: u32) -> Option<char> {
    let digits = std::str::from_utf8(digits).ok()?;
    if digits.starts_with('+') {
        return None;
    }
    let character = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
    let allowed = matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
    allowed.then_some(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_xml_are_resolved_once() {
        let raw = "&lt;b&gt; &amp;lt; &quot;&apos;&#65;&#x416;&#x1F600;&#0000065;";
        assert_eq!(unescape(raw), "<b> &lt; \"'A\u{416}\u{1F600}A");
        assert!(matches!(unescape("no reference"), Cow::Borrowed(_)));
        for valid in ["&lt;&amp;x&gt;", "é&quot;é", "&#10;&#xe9;"] {
            assert_eq!(unescape(valid), quick_xml::escape::unescape(valid).unwrap());
        }
    }

    #[test]
    fn what_is_no_reference_stands_for_itself() {
        for raw in [
            "a & b",
            "&",
            "&&",
            "&;",
            "&#;",
            "&#x;",
            "&#+65;",
            "&#x+41;",
            "&nbsp;",
            "&lt",
            "&lt [[x;",
            "&#0;",
            "&#xD800;",
            "&#x110000;",
            "&#xFFFE;",
            "&#99999999999999999999;",
            "&LT;",
            "&é;",
        ] {
            assert_eq!(unescape(raw), raw);
        }
        assert_eq!(unescape("&quo&amp;t; &&lt;"), "&quo&t; &<");
    }
}
