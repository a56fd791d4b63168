//! Flipped bits, cuts and overwritten parts: never a panic, never a hang, never a silent loss.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use neardup_wikidump::{DumpError, OnError, Page, ReadAt, ReadOptions};

use crate::dumps::{
    Random, bz2, even, everything, forms_with, gz, pages, read_ranges, read_whole, salvaging,
    unusual, xml,
};

fn ids(rows: &[Page]) -> BTreeSet<(i64, Option<i64>)> {
    rows.iter().map(|row| (row.id, row.revision.id)).collect()
}

type Index<'a> = BTreeMap<(i64, Option<i64>), &'a Page>;

fn holds(whole: &Index<'_>, row: &Page) -> bool {
    whole
        .get(&(row.id, row.revision.id))
        .is_some_and(|own| *own == row)
}

/// Single stream of several blocks, and its rows.
fn dump() -> (Vec<u8>, Vec<Page>) {
    let file = bz2(&xml(&pages(160, 500, 3)), 1);
    let rows = read_whole(&file, &everything()).rows;
    assert!(rows.len() > 160);
    (file, rows)
}

/// Checks what holds for any damage; gives how many rows a salvaging read keeps.
fn check(damaged: Vec<u8>, whole: &[Page], what: &str) -> usize {
    let length = damaged.len() as u64;
    let file: Arc<dyn ReadAt> = Arc::new(damaged);
    let mut kept = None;
    let index: Index<'_> = whole
        .iter()
        .map(|row| ((row.id, row.revision.id), row))
        .collect();
    for ranges in [even(length, 1), even(length, 3), unusual(length, length)] {
        let strict = read_ranges(&file, &ranges, &everything());
        assert!(
            !strict.errors.is_empty() || strict.rows == whole,
            "{what} {ranges:?}: silent loss"
        );
        for row in &strict.rows {
            assert!(holds(&index, row), "{what}: a row that was never written");
        }
        let salvaged = read_ranges(&file, &ranges, &salvaging());
        if let Some(error) = salvaged.errors.first() {
            // Only a file that is not a dump stops a read that skips damaged parts.
            assert!(
                matches!(
                    error,
                    DumpError::Unrecognised { .. }
                        | DumpError::Empty
                        | DumpError::Unsupported { .. }
                ),
                "{what}: {error}"
            );
            continue;
        }
        assert!(
            salvaged.rows == whole || !salvaged.losses.is_empty(),
            "{what}: uncounted loss"
        );
        let (salvaged_ids, strict_ids) = (ids(&salvaged.rows), ids(&strict.rows));
        assert_eq!(
            salvaged_ids.len(),
            salvaged.rows.len(),
            "{what}: a row twice"
        );
        assert!(salvaged_ids.is_superset(&strict_ids), "{what}");
        for row in &salvaged.rows {
            assert!(
                holds(&index, row),
                "{what}: a salvaged row that was never written"
            );
        }
        let first = kept.get_or_insert_with(|| salvaged_ids.clone());
        assert_eq!(
            *first, salvaged_ids,
            "{what} {ranges:?}: the cut changes what is salvaged"
        );
    }
    kept.map_or(0, |kept| kept.len())
}

#[test]
fn flipped_bits_cost_at_most_the_blocks_they_are_in() {
    let (file, rows) = dump();
    let mut random = Random(77);
    for _ in 0..24 {
        let bit = random.below(file.len() * 8);
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 0x80 >> (bit % 8);
        let kept = check(damaged, &rows, &format!("bit {bit}"));
        assert!(
            bit < 32 || kept * 3 >= rows.len(),
            "bit {bit}: {kept} of {}",
            rows.len()
        );
    }
}

#[test]
fn flipped_bits_in_a_dump_of_many_streams() {
    let pages = pages(120, 60, 4);
    let mut file = bz2(b"<mediawiki>", 9);
    for some in pages.chunks(8) {
        file.extend(bz2(some.concat().as_bytes(), 9));
    }
    let rows = read_whole(&file, &everything()).rows;
    let mut random = Random(78);
    for _ in 0..60 {
        let bit = 32 + random.below(file.len() * 8 - 32);
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 0x80 >> (bit % 8);
        let kept = check(damaged, &rows, &format!("bit {bit}"));
        assert!(
            kept * 10 >= rows.len() * 8,
            "bit {bit}: {kept} of {}",
            rows.len()
        );
    }
}

#[test]
fn every_bit_of_headers_magics_and_ends() {
    let pages = pages(24, 10, 6);
    let parts: Vec<Vec<u8>> = pages
        .chunks(8)
        .map(|some| bz2(some.concat().as_bytes(), 9))
        .collect();
    let file = parts.concat();
    let rows = read_whole(&file, &everything()).rows;
    let second = parts[0].len() * 8;
    for bit in (second - 90..second + 140).chain(32..120) {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 0x80 >> (bit % 8);
        check(damaged, &rows, &format!("bit {bit}"));
    }
}

#[test]
fn cuts_are_reported_with_the_last_whole_page() {
    let (file, rows) = dump();
    let mut random = Random(79);
    for round in 0..20 {
        let length = if round < 8 {
            file.len() - 1 - round
        } else {
            1 + random.below(file.len() - 1)
        };
        check(file[..length].to_vec(), &rows, &format!("cut at {length}"));
        let read = read_whole(&file[..length], &everything());
        match &read.errors[..] {
            [DumpError::Truncated { offset, last }] => {
                assert!(*offset <= length as u64);
                let last = last.as_ref().and_then(|page| page.id);
                assert!(last.is_none_or(|id| read.rows.iter().any(|row| row.id == id)));
            }
            [DumpError::Unrecognised { .. }] if length < 4 => {}
            other => panic!("cut at {length}: {other:?}"),
        }
    }
}

#[test]
fn overwritten_parts_cost_what_lies_there() {
    let (file, rows) = dump();
    let mut random = Random(80);
    for _ in 0..6 {
        let from = 4 + random.below(file.len() - 4);
        let to = (from + 1 + random.below(60_000)).min(file.len());
        let mut damaged = file.clone();
        for byte in &mut damaged[from..to] {
            *byte = random.next() as u8;
        }
        check(damaged, &rows, &format!("{from}..{to}"));
        let removed = [&file[..from], &file[to..]].concat();
        check(removed, &rows, &format!("without {from}..{to}"));
    }
}

#[test]
fn a_stream_behind_garbage_is_not_lost_silently() {
    let pages = pages(12, 10, 6);
    let file = [
        bz2(pages[..6].concat().as_bytes(), 9),
        b"some garbage".to_vec(),
        bz2(pages[6..].concat().as_bytes(), 9),
    ]
    .concat();
    let strict = read_whole(&file, &everything());
    assert!(
        matches!(strict.errors[..], [DumpError::Garbage { .. }]),
        "{:?}",
        strict.errors
    );
    let salvaged = read_whole(&file, &salvaging());
    let want = read_whole(pages.concat().as_bytes(), &everything());
    assert_eq!(ids(&salvaged.rows), ids(&want.rows));
    assert!(!salvaged.losses.is_empty());
}

#[test]
fn a_file_of_block_magics_ends() {
    let magic = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
    let file = [b"BZh9".to_vec(), magic.repeat(200_000)].concat();
    let read = read_whole(&file, &everything());
    assert_eq!((read.rows.len(), read.errors.len()), (0, 1));
    let read = read_whole(&file, &salvaging());
    assert_eq!(read.rows.len(), 0);
    assert!(read.losses.blocks > 0);
    let length = file.len() as u64;
    let file: Arc<dyn ReadAt> = Arc::new(file);
    read_ranges(&file, &even(length, 5), &salvaging());
}

#[test]
fn damaged_gzip_gives_what_comes_before() {
    let plain = xml(&pages(100, 200, 8));
    let whole = read_whole(&plain, &everything()).rows;
    let file = gz(&plain);
    for length in [file.len() / 2, file.len() - 1] {
        let strict = read_whole(&file[..length], &everything());
        assert!(
            matches!(strict.errors[..], [DumpError::Truncated { .. }]),
            "{:?}",
            strict.errors
        );
        let salvaged = read_whole(&file[..length], &salvaging());
        assert!(salvaged.errors.is_empty() && salvaged.losses.truncated == 1);
        assert!(whole.starts_with(&salvaged.rows) && salvaged.rows.len() * 3 > whole.len());
    }
    let mut random = Random(81);
    for _ in 0..40 {
        let bit = 80 + random.below(file.len() * 8 - 80);
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let strict = read_whole(&damaged, &everything());
        assert!(
            !strict.errors.is_empty() || strict.rows == whole,
            "bit {bit}"
        );
        let salvaged = read_whole(&damaged, &salvaging());
        assert!(salvaged.errors.is_empty());
        assert!(
            salvaged.rows == whole || !salvaged.losses.is_empty(),
            "bit {bit}"
        );
    }
}

#[test]
fn damaged_xml_never_panics() {
    let plain = xml(&pages(30, 40, 9));
    let mut random = Random(82);
    for _ in 0..300 {
        let mut damaged = plain.clone();
        for _ in 0..1 + random.below(20) {
            let at = random.below(damaged.len());
            match random.below(4) {
                0 => damaged[at] = random.next() as u8,
                1 => {
                    damaged.remove(at);
                }
                2 => damaged.insert(at, b"<>/&\"' "[random.below(7)]),
                _ => {
                    let to = random.below(damaged.len());
                    let piece = damaged[at..(at + 20).min(damaged.len())].to_vec();
                    damaged.splice(to..to, piece);
                }
            }
        }
        let length = damaged.len() as u64;
        let file: Arc<dyn ReadAt> = Arc::new(damaged);
        for options in [
            everything(),
            salvaging(),
            ReadOptions {
                on_error: OnError::Skip,
                ..ReadOptions::default()
            },
        ] {
            let whole = read_ranges(&file, &even(length, 1), &options);
            let parts = read_ranges(&file, &even(length, 4), &options);
            if options.on_error == OnError::Skip {
                assert!(whole.errors.is_empty() && parts.errors.is_empty());
                assert!(whole.rows == parts.rows);
                assert_eq!(whole.losses, parts.losses);
            }
        }
    }
}

/// An element of the schema may have attributes.
#[test]
fn tags_may_have_attributes() {
    let plain = String::from_utf8(xml(&pages(3, 5, 9))).unwrap();
    let rows = read_whole(plain.as_bytes(), &everything()).rows;
    for attributes in [" ", "\n", " xml:space=\"preserve\"", " a='>'"] {
        for tag in ["page", "revision", "title", "id"] {
            let other = plain.replace(&format!("<{tag}>"), &format!("<{tag}{attributes}>"));
            let read = read_whole(other.as_bytes(), &everything());
            assert_eq!(read.rows, rows, "<{tag}{attributes}>");
        }
    }
}

/// A dump without its closing tag is counted, although all of its pages are complete.
#[test]
fn a_dump_cut_between_two_pages_is_counted() {
    let pages = pages(120, 300, 21);
    let want = read_whole(&xml(&pages), &everything()).rows;
    for footer in ["", "\n", "</media"] {
        for (form, file) in forms_with(&pages, footer) {
            let whole = read_whole(&file, &everything());
            assert!(whole.errors.is_empty() && whole.rows == want, "{form}");
            // A last block that is only white space could follow a footer.
            let known = form != "multistream" || footer != "\n";
            assert_eq!(whole.losses.without_footer, u64::from(known), "{form}");
            let length = file.len() as u64;
            let file: Arc<dyn ReadAt> = Arc::new(file);
            let cuts = [2, 7, 64].map(|count| even(length, count));
            for ranges in cuts.into_iter().chain([unusual(length, 1)]) {
                let parts = read_ranges(&file, &ranges, &everything());
                assert_eq!(parts.losses, whole.losses, "{form} {ranges:?}");
            }
        }
    }
    // Pages without the header of an export need no footer.
    let read = read_whole(pages.concat().as_bytes(), &everything());
    assert!(read.losses.is_empty() && read.rows.len() == want.len());
}

#[test]
fn a_page_without_a_revision_is_counted() {
    let mut pages = pages(3, 5, 9);
    pages.insert(1, "<page><title>A</title><id>7</id></page>".to_owned());
    let empty = "<page><title>B</title><id>8</id><revision/>\n</page>";
    pages.insert(3, empty.to_owned());
    let read = read_whole(&xml(&pages), &everything());
    assert!(read.errors.is_empty() && read.losses.pages_without_revision == 2);
    assert!(
        read.losses
            .to_string()
            .contains("2 pages without a revision")
    );
    let others = ReadOptions {
        namespaces: Some(vec![99]),
        ..everything()
    };
    assert!(read_whole(&xml(&pages), &others).losses.is_empty());
}

/// A page without its `<page>` tag, and a text without its `<text>` tag, are counted as losses.
#[test]
fn what_has_an_end_and_no_start_is_not_lost_in_silence() {
    let pages: Vec<String> = (1..60)
        .map(|id| {
            format!(
                "<page><title>P{id}</title><ns>0</ns><id>{id}</id><revision><id>{id}</id><text>x</text></revision></page>\n"
            )
        })
        .collect();
    let whole = String::from_utf8(xml(&pages)).unwrap();
    let start = whole.find("<page><title>P30<").unwrap();
    for other in ["", "<pagX>", "<pagee>", "< page>"] {
        let mut damaged = whole.clone();
        damaged.replace_range(start..start + "<page>".len(), other);
        let read = read_whole(damaged.as_bytes(), &everything());
        assert!(read.errors.is_empty() && read.rows.len() == 58, "{other}");
        assert_eq!(read.losses.pages_stray, 1, "{other}");
        let length = damaged.len() as u64;
        let file: Arc<dyn ReadAt> = Arc::new(damaged.into_bytes());
        let cuts = [2, 7, 64].map(|count| even(length, count)).into_iter();
        for ranges in cuts.chain((0..20).map(|seed| unusual(length, seed))) {
            let parts = read_ranges(&file, &ranges, &everything());
            assert_eq!(parts.losses, read.losses, "{other} {ranges:?}");
        }
    }
    let text = start + whole[start..].find("<text>").unwrap();
    for other in ["", "<texx>"] {
        let mut damaged = whole.clone();
        damaged.replace_range(text..text + "<text>".len(), other);
        let strict = read_whole(damaged.as_bytes(), &everything());
        let error = strict.errors[0].to_string();
        assert!(
            error.contains("the text of a revision has no start"),
            "{error}"
        );
        let salvaged = read_whole(damaged.as_bytes(), &salvaging());
        assert_eq!((salvaged.rows.len(), salvaged.losses.pages()), (58, 1));
    }
}

/// The rows and losses of XML in each division, which are the same.
fn in_every_division(xml: &str, options: &ReadOptions) -> crate::dumps::Read {
    let whole = read_whole(xml.as_bytes(), options);
    let length = xml.len() as u64;
    let file: Arc<dyn ReadAt> = Arc::new(xml.as_bytes().to_vec());
    let cuts = [2, 3, 7, 64].map(|count| even(length, count)).into_iter();
    for ranges in cuts.chain((0..10).map(|seed| unusual(length, seed))) {
        let parts = read_ranges(&file, &ranges, options);
        assert!(parts.rows == whole.rows, "{ranges:?}");
        if parts.errors.is_empty() {
            assert_eq!(parts.losses, whole.losses, "{ranges:?}");
        }
    }
    whole
}

fn page(id: u32, revisions: &[u32]) -> String {
    let mut page = format!("<page><title>P{id}</title><ns>0</ns><id>{id}</id>");
    for revision in revisions {
        page += &format!(
            "<revision><id>{revision}</id><timestamp>20{revision:02}-01-01T00:00:00Z</timestamp><text>t{revision}</text></revision>"
        );
    }
    page + "</page>\n"
}

/// Without the tags between two pages, no page gets the text of the other one, and the loss is counted.
#[test]
fn pages_that_run_into_each_other_are_not_one_page() {
    let pages = [page(1, &[10, 11]), page(2, &[12]), page(3, &[13])];
    let whole = String::from_utf8(xml(&pages)).unwrap();
    let latest = ReadOptions {
        on_error: OnError::Skip,
        ..ReadOptions::default()
    };
    let ids = |read: &crate::dumps::Read| -> Vec<(i64, Option<i64>)> {
        read.rows
            .iter()
            .map(|row| (row.id, row.revision.id))
            .collect()
    };
    // Without the tags between two pages.
    let merged = whole.replacen("</page>\n<page>", "", 1);
    let read = in_every_division(&merged, &latest);
    assert_eq!(ids(&read), [(3, Some(13))]);
    assert_eq!(read.losses.pages_unclosed, 1, "{}", read.losses);
    let strict = read_whole(merged.as_bytes(), &everything());
    assert!(
        strict.errors[0]
            .to_string()
            .contains("the title of another page comes first")
    );
    // Without both tags of a page.
    let bare = page(2, &[12]).replace("<page>", "").replace("</page>", "");
    let read = in_every_division(&whole.replace(&page(2, &[12]), &bare), &latest);
    assert_eq!(ids(&read), [(1, Some(11)), (3, Some(13))]);
    assert_eq!(read.losses.pages_stray, 1, "{}", read.losses);
    // A hole in the file.
    let at = whole.find("<id>11</id>").unwrap() - "<revision>".len();
    let end = whole.find("<id>12</id>").unwrap() - "<revision>".len();
    let mut hole = whole.clone();
    hole.replace_range(at..end, &"\0".repeat(end - at));
    let read = in_every_division(&hole, &latest);
    assert_eq!(read.losses.null_bytes, (end - at) as u64);
    // The start of the newest revision, and its timestamp.
    let start = at..at + "<revision>".len();
    for other in ["", "<revisioX>", "<revision/>"] {
        let mut damaged = whole.clone();
        damaged.replace_range(start.clone(), other);
        let read = in_every_division(&damaged, &latest);
        assert_eq!(ids(&read), [(2, Some(12)), (3, Some(13))], "{other}");
        assert_eq!(read.losses.pages_malformed, 1, "{other}");
        let strict = read_whole(damaged.as_bytes(), &everything());
        assert!(
            strict.errors[0]
                .to_string()
                .contains("a revision has no start")
        );
    }
    let undated = whole.replace("2011-01-01T", "2011-0X-01T");
    let read = in_every_division(&undated, &latest);
    assert_eq!(ids(&read), [(1, Some(10)), (2, Some(12)), (3, Some(13))]);
    assert_eq!(read.losses.fields, 1);
    // Two pages that are cut off at the end.
    let at = whole.find("</page>\n<page><title>P3").unwrap();
    let cut = format!("{}{}<page>\n<title>B", &whole[..at], " ".repeat(400));
    let read = in_every_division(&cut, &latest);
    let losses = read.losses;
    assert_eq!(
        (losses.pages_unclosed, losses.without_footer),
        (2, 1),
        "{losses}"
    );
}
