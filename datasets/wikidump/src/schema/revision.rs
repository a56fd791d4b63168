//! Parses one revision.

use memchr::memmem;

use super::fields::{Content, Field, Fields, Names};
use super::row::Revision;
use super::timestamp;

const NAMES: Names = Names {
    short: &["id", "parentid", "timestamp", "model", "format"],
    // `content` is a further slot of the revision, with a text of its own.
    long: &["text", "comment", "contributor", "content"],
};

const CONTRIBUTOR: Names = Names {
    short: &["username", "ip"],
    long: &[],
};

/// Which parts of a revision are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) text: bool,
    /// Only a revision that is younger than this one, by [`Revision::age`].
    pub(crate) after: Option<(Option<i64>, Option<i64>)>,
}

/// The result of parsing a revision.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// A revision, and how many of its elements are there and cannot be read.
    Revision(Revision, Faults),
    /// A revision that is not newer than the requested one, or whose timestamp cannot be read.
    Older { is_dated: bool },
    /// The text has only a start or only an end, with the reason.
    TextCut(&'static str),
}

/// Faults in a revision that can still be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// Elements that are there and cannot be read.
    pub(crate) unreadable: u64,
    /// The text has bytes that are not UTF-8.
    pub(crate) not_utf8: bool,
}

/// Reads the bytes from `<revision>` to `</revision>`.
pub(crate) fn parse_revision(bytes: &[u8], wanted: Wanted) -> Parsed {
    let mut revision = Revision::default();
    let mut text = None;
    let (mut unreadable, mut not_utf8) = (0, false);
    let (mut has_id, mut has_timestamp) = (false, false);
    for field in Fields::new(bytes, NAMES) {
        let readable = match field.name {
            "id" if !has_id => {
                has_id = true;
                revision.id = field.number();
                revision.id.is_some()
            }
            "parentid" => {
                revision.parent_id = field.number();
                revision.parent_id.is_some()
            }
            "timestamp" if !has_timestamp => {
                has_timestamp = true;
                revision.timestamp = timestamp::parse(field.text().trim());
                revision.timestamp.is_some()
            }
            "contributor" => {
                revision.contributor = contributor(&field);
                field.content != Content::Unclosed
            }
            "model" => {
                revision.model = closed_text(&field);
                revision.model.is_some()
            }
            "format" => {
                revision.format = closed_text(&field);
                revision.format.is_some()
            }
            "text" if text.is_none() => {
                text = Some(field);
                true
            }
            "comment" | "content" => field.content != Content::Unclosed,
            _ => false,
        };
        unreadable += u64::from(!readable);
    }
    if wanted.after.is_some_and(|after| revision.age() <= after) {
        return Parsed::Older {
            is_dated: revision.timestamp.is_some(),
        };
    }
    unreadable += u64::from(!has_id);
    let behind = match text.as_ref().map(|field| field.content) {
        Some(Content::Raw(raw)) => behind(bytes, raw),
        _ => bytes,
    };
    let has_another_end = memmem::find(before_slots(behind), TEXT_END).is_some();
    if let Some(field) = text.filter(|field| field.content != Content::Empty || !has_another_end) {
        if field.content == Content::Unclosed {
            return Parsed::TextCut("the text of a revision has no end");
        }
        if wanted.text {
            // `<` is escaped in texts.
            let has_tag =
                matches!(field.content, Content::Raw(raw) if memmem::find(raw, b"<text").is_some());
            unreadable += u64::from(has_another_end || has_tag);
            revision.text = read_text(&field);
            let is_replaced = |text: &String| text.contains(char::REPLACEMENT_CHARACTER);
            not_utf8 = revision.text.as_ref().is_some_and(is_replaced) && !field.is_utf8();
        }
    } else if has_another_end {
        return Parsed::TextCut("the text of a revision has no start");
    }
    Parsed::Revision(
        revision,
        Faults {
            unreadable,
            not_utf8,
        },
    )
}

const TEXT_END: &[u8] = b"</text>";

/// What lies after the text of a revision and its end tag.
fn behind<'a>(revision: &'a [u8], text: &[u8]) -> &'a [u8] {
    let start = text.as_ptr().addr().wrapping_sub(revision.as_ptr().addr());
    let end = start.saturating_add(text.len() + TEXT_END.len());
    revision.get(end..).unwrap_or_default()
}

/// The part of a revision before its further slots.
fn before_slots(revision: &[u8]) -> &[u8] {
    let end = memmem::find(revision, b"<content");
    &revision[..end.unwrap_or(revision.len())]
}

fn closed_text(field: &Field<'_>) -> Option<String> {
    (field.content != Content::Unclosed).then(|| field.text())
}

fn contributor(contributor: &Field<'_>) -> Option<String> {
    let Content::Raw(inside) = contributor.content else {
        return None;
    };
    Fields::new(inside, CONTRIBUTOR)
        .find(|field| field.attribute("deleted").is_none())
        .and_then(|field| closed_text(&field))
}

/// The text, `None` when removed or when the dump holds only its size, as dumps of stubs do.
fn read_text(text: &Field<'_>) -> Option<String> {
    if text.attribute("deleted").is_some() {
        return None;
    }
    let is_stub = |size: String| size.trim() != "0";
    if text.content == Content::Empty && text.attribute("bytes").is_some_and(is_stub) {
        return None;
    }
    Some(text.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Wanted = Wanted {
        text: true,
        after: None,
    };

    fn parse(inside: &str) -> (Revision, u64) {
        match parse_revision(format!("<revision>{inside}</revision>").as_bytes(), ALL) {
            Parsed::Revision(revision, faults) => (revision, faults.unreadable),
            other => panic!("{inside}: {other:?}"),
        }
    }

    #[test]
    fn reads_every_field_of_every_version() {
        let revision = parse(
            "<id>5</id><parentid>4</parentid><timestamp>2010-08-26T22:38:36Z</timestamp>\
             <contributor><username>A &amp; B</username><id>77</id></contributor><minor />\
             <comment>[[x]] &lt;id&gt;</comment><origin>5</origin><model>wikitext</model>\
             <format>text/x-wiki</format>\
             <text bytes=\"9\" sha1=\"x\" xml:space=\"preserve\">a &lt;b&gt;&amp;amp; </text>\
             <sha1>x</sha1><content><role>aux</role><model>json</model><text>no</text></content>",
        );
        assert_eq!(
            revision,
            (
                Revision {
                    id: Some(5),
                    parent_id: Some(4),
                    timestamp: Some(1_282_862_316_000_000),
                    contributor: Some("A & B".to_owned()),
                    model: Some("wikitext".to_owned()),
                    format: Some("text/x-wiki".to_owned()),
                    text: Some("a <b>&amp; ".to_owned()),
                },
                0
            )
        );
    }

    #[test]
    fn removed_parts_are_none_and_empty_texts_are_not() {
        let text = |xml: &str| parse(&format!("<id>1</id>{xml}")).0.text;
        assert_eq!(text("<text deleted=\"deleted\" />"), None);
        assert_eq!(text("<text bytes=\"7\" deleted=\"deleted\">x</text>"), None);
        assert_eq!(text("<text bytes=\"0\" sha1=\"x\" />").as_deref(), Some(""));
        assert_eq!(text("<text xml:space=\"preserve\" />").as_deref(), Some(""));
        assert_eq!(text("<text></text>").as_deref(), Some(""));
        assert_eq!(text("<text id=\"9\" bytes=\"120\" />"), None);
        assert_eq!(text(""), None);
        let contributor = |xml: &str| parse(&format!("<id>1</id>{xml}")).0.contributor;
        assert_eq!(contributor("<contributor deleted=\"deleted\" />"), None);
        assert_eq!(
            contributor("<contributor><ip>::1</ip></contributor>").as_deref(),
            Some("::1")
        );
        assert_eq!(
            contributor("<contributor><username /><id>0</id></contributor>").as_deref(),
            Some("")
        );
    }

    #[test]
    fn only_younger_revisions_are_read() {
        let xml = b"<revision><id>5</id><timestamp>2010-08-26T22:38:36Z</timestamp><text>x</text></revision>";
        let after = |stamp, id| {
            let wanted = Wanted {
                text: true,
                after: Some((stamp, Some(id))),
            };
            !matches!(parse_revision(xml, wanted), Parsed::Older { .. })
        };
        let stamp = 1_282_862_316_000_000;
        assert!(after(None, 9));
        assert!(after(Some(stamp), 4));
        assert!(!after(Some(stamp), 5));
        assert!(after(Some(stamp - 1), 9));
        assert!(!after(Some(stamp + 1), 1));
    }

    #[test]
    fn damage_costs_the_damaged_field_and_is_counted() {
        let (revision, unreadable) = parse(
            "<idicA</title>\n<ns>0</ns>>234930323</id><parentid>15899 <redirec015</parentid>\
             <timestamp>yesterday</timestamp><contributor><username>R</user <timename>\
             <id>7</id></contributor><comment>x <contributor> y</comment>\
             <text>{{a</comment> b}} &lt;</text> c}}</text><format>x<sha1>y</format>",
        );
        let want = Revision {
            text: Some("{{a</comment> b}} <".to_owned()),
            format: Some("x<sha1>y".to_owned()),
            ..Revision::default()
        };
        assert_eq!((revision, unreadable), (want, 4));
        let cut = parse_revision(b"<revision><id>1</id><text>x<i></revision>", ALL);
        assert_eq!(cut, Parsed::TextCut("the text of a revision has no end"));
        let unopened = "the text of a revision has no start";
        for start in [
            "",
            "<texx>",
            "<tex",
            "text>",
            "<text/>",
            "<text bytes=\"1\" />",
        ] {
            let xml = format!("<revision><id>1</id>{start}a</text></revision>");
            assert_eq!(
                parse_revision(xml.as_bytes(), ALL),
                Parsed::TextCut(unopened)
            );
        }
        assert_eq!(parse("<id>1</id><text>a<text>b</text>").1, 1);
        assert_eq!(parse("<id>1</id><text>a</text>b</text>").1, 1);
        // The text of a further slot is no text of the revision.
        assert_eq!(
            parse("<id>1</id><content><text>x</text></content>").0.text,
            None
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced_and_counted() {
        let xml = b"<revision><id>1</id><text>a\xFF\xFEb</text></revision>";
        let Parsed::Revision(revision, faults) = parse_revision(xml, ALL) else {
            panic!("no revision");
        };
        assert_eq!(revision.text.as_deref(), Some("a\u{FFFD}\u{FFFD}b"));
        assert!(faults.not_utf8);
    }
}
