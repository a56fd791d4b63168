//! An XML parser reads the same from well-formed dumps.

use neardup_wikidump::{Page, Revision};
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;

use crate::dumps::{everything, pages, read_whole, xml};

/// Pages by a stack of element names and the text of each element.
pub(crate) fn parse(xml: &[u8]) -> Vec<Page> {
    let mut reader = Reader::from_reader(xml);
    let mut path: Vec<String> = Vec::new();
    let mut text = String::new();
    let (mut rows, mut page, mut revision) = (Vec::new(), None, Revision::default());
    let blank = || Page {
        id: 0,
        namespace: 0,
        title: String::new(),
        kind: neardup_wikidump::PageKind::Other,
        redirect: None,
        revision: Revision::default(),
    };
    let mut current = blank();
    loop {
        let event = reader.read_event().unwrap();
        let opened = match &event {
            Event::Start(tag) | Event::Empty(tag) => Some(tag.clone()),
            _ => None,
        };
        if let Some(tag) = opened {
            path.push(String::from_utf8(tag.name().0.to_vec()).unwrap());
            text.clear();
            match path.last().map(String::as_str) {
                Some("page") => current = blank(),
                Some("revision") => revision = Revision::default(),
                _ => {}
            }
        }
        match &event {
            Event::Text(part) => text.push_str(&part.xml10_content().unwrap()),
            Event::GeneralRef(part) => {
                text.push_str(&unescape(&format!("&{};", part.decode().unwrap())).unwrap());
            }
            Event::Eof => return rows,
            _ => {}
        }
        let removed = matches!(&event, Event::Empty(tag) if tag.try_get_attribute("deleted").unwrap().is_some());
        if matches!(event, Event::End(_) | Event::Empty(_)) {
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            let number = || text.parse::<i64>().ok();
            match names[..] {
                [.., "page", "title"] => current.title = text.clone(),
                [.., "page", "ns"] => current.namespace = text.parse().unwrap(),
                [.., "page", "id"] => current.id = number().unwrap(),
                [.., "revision", "id"] => revision.id = number(),
                [.., "revision", "parentid"] => revision.parent_id = number(),
                [.., "revision", "model"] => revision.model = Some(text.clone()),
                [.., "revision", "format"] => revision.format = Some(text.clone()),
                [.., "contributor", "username" | "ip"] => revision.contributor = Some(text.clone()),
                [.., "revision", "text"] if !removed => revision.text = Some(text.clone()),
                [.., "page", "revision"] => {
                    let row = Page {
                        revision: revision.clone(),
                        ..current.clone()
                    };
                    rows.push(row);
                    page = Some(current.id);
                }
                _ => {}
            }
            path.pop();
            text.clear();
        }
        let _ = page;
    }
}

/// Compares all but what the oracle does not know: kinds, redirect targets and timestamps.
pub(crate) fn assert_same(rows: &[Page], xml: &[u8], what: &str) {
    let want = parse(xml);
    assert_eq!(rows.len(), want.len(), "{what}");
    for (got, want) in rows.iter().zip(&want) {
        let got = Page {
            kind: want.kind,
            redirect: None,
            revision: Revision {
                timestamp: None,
                ..got.revision.clone()
            },
            ..got.clone()
        };
        assert_eq!(got, *want, "{what}");
    }
}

#[test]
fn made_dumps() {
    let xml = xml(&pages(200, 100, 21));
    assert_same(&read_whole(&xml, &everything()).rows, &xml, "made");
}
