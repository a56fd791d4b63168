//! What rows hold, and which are given.

use std::io;
use std::sync::Arc;

use neardup_wikidump::{
    DumpError, DumpReader, OnError, Page, PageKind, ReadAt, ReadOptions, Revisions,
};

use crate::dumps::{HEADER, everything, read_whole};

fn page(inside: &str) -> String {
    format!("{HEADER}<page>{inside}</page></mediawiki>")
}

fn one(inside: &str, options: &ReadOptions) -> Option<Page> {
    let read = read_whole(page(inside).as_bytes(), options);
    assert!(read.errors.is_empty(), "{:?}", read.errors);
    assert!(read.rows.len() <= 1);
    read.rows.into_iter().next()
}

#[test]
fn the_latest_revision_is_the_youngest_then_the_greatest() {
    let revision = |id: u32, stamp: &str| {
        format!("<revision><id>{id}</id>{stamp}<text>{id}</text></revision>")
    };
    let stamp = |day: u32| format!("<timestamp>2020-01-{day:02}T00:00:00Z</timestamp>");
    let head = "<title>A</title><ns>0</ns><id>1</id>";
    for (revisions, want) in [
        (
            vec![
                revision(5, &stamp(3)),
                revision(9, &stamp(2)),
                revision(6, &stamp(1)),
            ],
            5,
        ),
        (
            vec![
                revision(5, &stamp(3)),
                revision(7, &stamp(3)),
                revision(6, &stamp(3)),
            ],
            7,
        ),
        (vec![revision(8, ""), revision(5, &stamp(3))], 5),
        (vec![revision(8, ""), revision(5, "")], 8),
    ] {
        let row = one(
            &format!("{head}{}", revisions.concat()),
            &ReadOptions::default(),
        )
        .unwrap();
        assert_eq!(row.revision.id, Some(want));
        assert_eq!(row.revision.text, Some(want.to_string()));
    }
}

#[test]
fn filters_keep_namespaces_and_drop_redirects() {
    let text = |ns: i32, mark: &str, text: &str| {
        format!(
            "<title>A</title><ns>{ns}</ns><id>1</id>{mark}<revision><id>1</id><text>{text}</text></revision>"
        )
    };
    let default = ReadOptions::default();
    let kind = |inside: &str, options: &ReadOptions| one(inside, options).map(|row| row.kind);
    assert_eq!(kind(&text(0, "", "x"), &default), Some(PageKind::Article));
    assert_eq!(kind(&text(1, "", "x"), &default), None);
    assert_eq!(
        kind(&text(1, "", "x"), &everything()),
        Some(PageKind::Other)
    );
    assert_eq!(
        kind(&text(0, "<redirect title=\"B\" />", "#X [[C]]"), &default),
        None
    );
    assert_eq!(kind(&text(0, "", "#redirect [[C]]"), &default), None);
    assert_eq!(
        kind(&text(0, "", "{{disambig}}"), &default),
        Some(PageKind::Disambiguation)
    );
    assert_eq!(
        kind(&text(0, "", "{{x-stub}}"), &default),
        Some(PageKind::Stub)
    );

    let target = |inside: &str| one(inside, &everything()).unwrap().redirect;
    assert_eq!(
        target(&text(0, "", "#redirect [[C|d]]")).as_deref(),
        Some("C")
    );
    assert_eq!(
        target(&text(0, "<redirect />", "#X [[C]]")).as_deref(),
        Some("C")
    );
    let latest = ReadOptions {
        revisions: Revisions::Latest,
        ..everything()
    };
    let row = one(
        &text(0, "<redirect title=\"B &amp; C\" />", "#X [[D]]"),
        &latest,
    )
    .unwrap();
    assert_eq!(
        (row.kind, row.redirect.as_deref()),
        (PageKind::Redirect, Some("B & C"))
    );
}

#[test]
fn older_revisions_of_a_redirect_are_what_they_were() {
    let inside = "<title>A</title><ns>0</ns><id>1</id><redirect title=\"B\" />\
        <revision><id>1</id><text>an article</text></revision>\
        <revision><id>2</id><text>#X [[B]]</text></revision>\
        <revision><id>3</id><text deleted=\"deleted\" /></revision>";
    let read = read_whole(page(inside).as_bytes(), &everything());
    let kinds: Vec<_> = read.rows.iter().map(|row| row.kind.as_str()).collect();
    assert_eq!(kinds, ["article", "redirect", "redirect"]);
}

#[test]
fn other_models_are_other() {
    let inside = "<title>A</title><ns>0</ns><id>1</id><revision><id>1</id><model>json</model>\
        <text>{{disambig}}</text></revision>";
    assert_eq!(one(inside, &everything()).unwrap().kind, PageKind::Other);
}

#[test]
fn text_and_kind_may_be_left_out() {
    let inside = "<title>A</title><ns>0</ns><id>1</id><revision><id>1</id><text>{{disambig}}</text></revision>";
    let bare = ReadOptions {
        text: false,
        kind: false,
        ..everything()
    };
    let row = one(inside, &bare).unwrap();
    assert_eq!((row.kind, row.revision.text), (PageKind::Article, None));
    let kinds = ReadOptions {
        text: false,
        ..everything()
    };
    let row = one(inside, &kinds).unwrap();
    assert_eq!(
        (row.kind, row.revision.text),
        (PageKind::Disambiguation, None)
    );
}

#[test]
fn a_page_without_revisions_gives_no_row() {
    assert_eq!(
        one("<title>A</title><ns>0</ns><id>1</id>", &everything()),
        None
    );
}

#[test]
fn too_large_revisions_are_an_error_or_counted() {
    let long = "x".repeat(5000);
    let inside = format!(
        "<title>A</title><ns>0</ns><id>1</id><revision><id>1</id><text>ok</text></revision>\
         <revision><id>2</id><text>{long}</text></revision></page>\
         <page><title>B</title><ns>0</ns><id>2</id><revision><id>3</id><text>b</text></revision>"
    );
    let limited = |options: ReadOptions| ReadOptions {
        max_page_bytes: 1000,
        ..options
    };
    let read = read_whole(page(&inside).as_bytes(), &limited(ReadOptions::default()));
    assert!(matches!(
        read.errors[..],
        [DumpError::TooLarge { limit: 1000, .. }]
    ));
    let message = read.errors[0].to_string();
    assert!(
        message.starts_with("page 1 (\"A\") at byte ")
            && message.ends_with("more than 1000 bytes (max_page_bytes)"),
        "{message}"
    );

    let skip = ReadOptions {
        on_error: OnError::Skip,
        ..ReadOptions::default()
    };
    let read = read_whole(page(&inside).as_bytes(), &limited(skip));
    assert_eq!(read.rows.iter().map(|row| row.id).collect::<Vec<_>>(), [2]);
    assert_eq!(read.losses.pages_too_large, 1);
    let skip = ReadOptions {
        on_error: OnError::Skip,
        ..everything()
    };
    let read = read_whole(page(&inside).as_bytes(), &limited(skip));
    assert_eq!(
        read.rows
            .iter()
            .map(|row| row.revision.id)
            .collect::<Vec<_>>(),
        [Some(1), Some(3)]
    );
}

#[test]
fn bad_pages_are_an_error_or_counted() {
    let good = "<page><title>G</title><ns>0</ns><id>9</id><revision><id>1</id><text>g</text></revision></page>";
    for (bad, message) in [
        (
            "<page><title>A</title><id>x</id></page>",
            "page \"A\" at byte 10: its <id> is missing or no whole number",
        ),
        (
            "<page><title>A</title><id>1</id><revision>",
            "page 1 (\"A\") at byte 10 has no end: another page starts first",
        ),
        (
            "<page><title>A</title><id>1</id><revision></page>",
            "page 1 (\"A\") at byte 10 has no end: it ends inside a revision",
        ),
        (
            "<page><title>A</title><id>1</id><revision><text>x</revision></page>",
            "page 1 (\"A\") at byte 10: the text of a revision has no end",
        ),
    ] {
        let dump = format!("<mediawiki{bad}{good}").replacen("<mediawiki", "<mediawiki", 1);
        let read = read_whole(dump.as_bytes(), &everything());
        assert_eq!(read.errors.len(), 1);
        assert_eq!(
            read.errors
                .into_iter()
                .next()
                .unwrap()
                .with_file("d.xml")
                .to_string(),
            format!("d.xml: {message}")
        );
        let skip = ReadOptions {
            on_error: OnError::Skip,
            ..everything()
        };
        let read = read_whole(dump.as_bytes(), &skip);
        assert!(read.errors.is_empty());
        assert_eq!((read.rows.len(), read.losses.pages()), (1, 1), "{bad}");
    }
}

#[test]
fn readers_move_between_threads_and_stop_when_dropped() {
    fn assert_send<T: Send>(_: &T) {}
    let dump = crate::dumps::xml(&crate::dumps::pages(50, 10, 1));
    let mut reader = DumpReader::open_whole(Arc::new(dump), everything()).unwrap();
    assert_send(&reader);
    assert_eq!(reader.site().wiki().as_deref(), Some("testwiki"));
    assert!(reader.next().is_some_and(|row| row.is_ok()));
    let rest = std::thread::spawn(move || reader.count()).join().unwrap();
    assert!(rest >= 49);
}

#[test]
fn errors_of_the_storage_are_never_skipped() {
    struct Failing(Vec<u8>);
    impl ReadAt for Failing {
        fn len(&self) -> u64 {
            self.0.len() as u64 + 10
        }
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
            match ReadAt::read_at(self.0.as_slice(), offset, buf)? {
                0 => Err(io::Error::other("gone")),
                read => Ok(read),
            }
        }
    }
    let xml = crate::dumps::xml(&crate::dumps::pages(5, 10, 1));
    for file in [crate::dumps::bz2(&xml, 9), xml] {
        let skip = ReadOptions {
            on_error: OnError::Skip,
            ..everything()
        };
        let length = file.len() as u64;
        let site = Arc::default();
        let reader = DumpReader::open(Arc::new(Failing(file)), 0..length + 10, site, skip).unwrap();
        let last = reader.last();
        assert!(
            matches!(last, Some(Err(DumpError::Io { offset, .. })) if offset <= length),
            "{last:?}"
        );
    }
}
