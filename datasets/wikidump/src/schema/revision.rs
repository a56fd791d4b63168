//! One revision.

use super::head::number;
use super::row::Revision;
use super::timestamp;
use super::xml::{Child, Reason, Walker};

/// What of a revision is to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) text: bool,
    /// Only a revision that is younger than this one, by [`Revision::age`].
    pub(crate) after: Option<(Option<i64>, i64)>,
}

/// Reads the bytes from `<revision>` to `</revision>`; `None` if it is not younger than asked for.
///
/// # Errors
///
/// A reason where the XML is malformed, the number is missing or the timestamp is none.
pub(crate) fn parse_revision(bytes: &[u8], wanted: Wanted) -> Result<Option<Revision>, Reason> {
    let inside = bytes.strip_prefix(b"<revision>").unwrap_or(bytes);
    let mut walker = Walker::new(inside);
    let mut revision = Revision::default();
    let mut has_id = false;
    let mut has_timestamp = false;
    while let Some(child) = walker.next_child()? {
        match child.name() {
            b"id" => {
                revision.id = number(&walker.text(&child)?, "id")?;
                has_id = true;
            }
            b"parentid" => {
                revision.parent_id = Some(number(&walker.text(&child)?, "parentid")?);
            }
            b"timestamp" => {
                let text = walker.text(&child)?;
                let parsed = timestamp::parse(text.trim());
                has_timestamp = true;
                revision.timestamp = Some(parsed.ok_or_else(|| {
                    format!("<timestamp> must be like 2001-01-15T00:00:00Z and is {text:?}")
                })?);
            }
            b"contributor" => revision.contributor = read_contributor(&mut walker, &child)?,
            b"model" => revision.model = Some(walker.text(&child)?),
            b"format" => revision.format = Some(walker.text(&child)?),
            b"text" if wanted.text && !(has_id && has_timestamp && is_older(&revision, wanted)) => {
                revision.text = read_text(&mut walker, &child)?;
            }
            _ => walker.skip(&child)?,
        }
    }
    if !has_id {
        return Err("a revision has no <id>".to_owned());
    }
    Ok((!is_older(&revision, wanted)).then_some(revision))
}

fn is_older(revision: &Revision, wanted: Wanted) -> bool {
    wanted.after.is_some_and(|after| revision.age() <= after)
}

fn read_contributor<'a>(
    walker: &mut Walker<'a>,
    contributor: &Child<'a>,
) -> Result<Option<String>, Reason> {
    if contributor.empty {
        return Ok(None);
    }
    let mut name = None;
    while let Some(child) = walker.next_child()? {
        match child.name() {
            b"username" | b"ip" if !child.has("deleted")? => name = Some(walker.text(&child)?),
            _ => walker.skip(&child)?,
        }
    }
    Ok(name)
}

/// The text, `None` when removed or when the dump holds only its size, as dumps of stubs do.
fn read_text<'a>(walker: &mut Walker<'a>, text: &Child<'a>) -> Result<Option<String>, Reason> {
    if text.has("deleted")? {
        walker.skip(text)?;
        return Ok(None);
    }
    if text.empty {
        let size = text.attribute("bytes")?;
        return Ok(size.is_none_or(|size| size.trim() == "0").then(String::new));
    }
    walker.text(text).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Wanted = Wanted {
        text: true,
        after: None,
    };

    fn parse(inside: &str) -> Result<Option<Revision>, Reason> {
        parse_revision(format!("<revision>{inside}</revision>").as_bytes(), ALL)
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
            revision.unwrap().unwrap(),
            Revision {
                id: 5,
                parent_id: Some(4),
                timestamp: Some(1_282_862_316_000_000),
                contributor: Some("A & B".to_owned()),
                model: Some("wikitext".to_owned()),
                format: Some("text/x-wiki".to_owned()),
                text: Some("a <b>&amp; ".to_owned()),
            }
        );
    }

    #[test]
    fn removed_parts_are_none_and_empty_texts_are_not() {
        let text = |xml: &str| parse(&format!("<id>1</id>{xml}")).unwrap().unwrap().text;
        assert_eq!(text("<text deleted=\"deleted\" />"), None);
        assert_eq!(text("<text bytes=\"7\" deleted=\"deleted\">x</text>"), None);
        assert_eq!(text("<text bytes=\"0\" sha1=\"x\" />").as_deref(), Some(""));
        assert_eq!(text("<text xml:space=\"preserve\" />").as_deref(), Some(""));
        assert_eq!(text("<text></text>").as_deref(), Some(""));
        assert_eq!(text("<text id=\"9\" bytes=\"120\" />"), None);
        assert_eq!(text(""), None);
        let contributor = |xml: &str| {
            parse(&format!("<id>1</id>{xml}"))
                .unwrap()
                .unwrap()
                .contributor
        };
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
                after: Some((stamp, id)),
            };
            parse_revision(xml, wanted).unwrap().is_some()
        };
        let stamp = 1_282_862_316_000_000;
        assert!(after(None, 9));
        assert!(after(Some(stamp), 4));
        assert!(!after(Some(stamp), 5));
        assert!(after(Some(stamp - 1), 9));
        assert!(!after(Some(stamp + 1), 1));
    }

    #[test]
    fn faults_have_reasons() {
        assert_eq!(
            parse("<text>x</text>").unwrap_err(),
            "a revision has no <id>"
        );
        assert!(
            parse("<id>1</id><timestamp>yesterday</timestamp>")
                .unwrap_err()
                .contains("yesterday")
        );
        assert!(
            parse("<id>1</id><text>&nbsp;</text>")
                .unwrap_err()
                .starts_with("<text>: ")
        );
        assert!(parse("<id>1</id><text a=1>x</text>").is_err());
    }
}
