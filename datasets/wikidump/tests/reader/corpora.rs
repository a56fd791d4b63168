//! Real dumps, where they are present.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use neardup_wikidump::{
    Container, DumpError, DumpInfo, DumpReader, FileSource, OnError, Page, PageKind, ReadAt,
    ReadOptions, Revisions,
};

use crate::dumps::{Read, bz2, even, everything, gz, read_ranges, read_whole, salvaging, unusual};
use crate::oracle::assert_same;
use crate::shared_data::corpus;

fn source(path: &Path) -> Arc<dyn ReadAt> {
    Arc::new(FileSource::open(path).unwrap())
}

fn latest() -> ReadOptions {
    ReadOptions {
        revisions: Revisions::Latest,
        ..everything()
    }
}

/// Reads a file whole and in several cuts, which must agree.
fn read(path: &Path, options: &ReadOptions) -> Read {
    let file = source(path);
    let length = file.len();
    let whole = read_ranges(&file, &even(length, 1), options);
    let mut cuts: Vec<_> = [2, 7, 64].map(|count| even(length, count)).into();
    cuts.push(unusual(length, length));
    for ranges in cuts {
        let parts = read_ranges(&file, &ranges, options);
        assert!(
            parts.errors.is_empty() == whole.errors.is_empty(),
            "{path:?} {ranges:?} {:?}",
            parts.errors
        );
        if whole.errors.is_empty() {
            assert!(parts.rows == whole.rows, "{path:?} {ranges:?}");
            assert_eq!(parts.losses, whole.losses, "{path:?} {ranges:?}");
        }
    }
    whole
}

fn kinds(rows: &[Page]) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for row in rows {
        *kinds.entry(row.kind.as_str()).or_default() += 1;
    }
    kinds
}

fn unpack(path: &Path) -> Vec<u8> {
    let file = std::fs::read(path).unwrap();
    let mut xml = Vec::new();
    match Container::detect(&file.as_slice()).unwrap() {
        Container::Bzip2 => bzip2::read::MultiBzDecoder::new(&file[..]).read_to_end(&mut xml),
        Container::Gzip => flate2::read::MultiGzDecoder::new(&file[..]).read_to_end(&mut xml),
        _ => return file,
    }
    .unwrap();
    xml
}

#[test]
fn the_sample_of_the_published_study() {
    let Some(path) = corpus("seed-enwiki-part/wikidump.part.xml.bz2") else {
        return;
    };
    let read = read(&path, &latest());
    assert!(read.errors.is_empty(), "{:?}", read.errors);
    assert_eq!(read.rows.len(), 200);
    assert_eq!(kinds(&read.rows)["redirect"], 99);
    assert!(
        read.rows
            .iter()
            .all(|row| row.namespace == 0 || row.namespace == 4)
    );
    // The file is damaged: a tag in a tag, and fields with cut tags.
    assert_eq!(
        (
            read.losses.pages_stray,
            read.losses.pages(),
            read.losses.blocks
        ),
        (1, 0, 0)
    );
    let targets = read
        .rows
        .iter()
        .filter(|row| row.redirect.is_some())
        .count();
    assert_eq!(targets, 99);
    let info = DumpInfo::read(&source(&path), OnError::Fail).unwrap();
    assert_eq!(info.site.dbname, None);
    assert_eq!(info.site.wiki().as_deref(), Some("enwiki"));
    assert_eq!(info.site.namespaces.len(), 28);
    assert_eq!(info.site.version.as_deref(), Some("0.8"));
}

/// The cleaned documents of the sample are those of its pages whose text does not begin with
/// `#REDIRECT`.
#[test]
fn the_sample_has_the_published_documents() {
    let (Some(dump), Some(cleaned)) = (
        corpus("seed-enwiki-part/wikidump.part.xml.bz2"),
        corpus("seed-enwiki-part/wikiclean-sample.txt"),
    ) else {
        return;
    };
    let read = read(&dump, &latest());
    let got: Vec<i64> = read
        .rows
        .iter()
        .filter(|row| {
            !row.revision
                .text
                .as_deref()
                .unwrap_or_default()
                .starts_with("#REDIRECT")
        })
        .map(|row| row.id)
        .collect();
    let want: Vec<i64> = std::fs::read_to_string(cleaned)
        .unwrap()
        .lines()
        .map(|line| line.split(',').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(got, want);
}

#[test]
fn every_form_of_one_dump() {
    let names = [
        "wikimedia-mwbzutils/input/sample-pages-articles.xml.bz2",
        "derived/elwiki-2040.multistream.xml.bz2",
        "derived/elwiki-2040.pbzip2style.xml.bz2",
    ];
    let mut first: Option<Vec<Page>> = None;
    for name in names {
        let Some(path) = corpus(name) else {
            return;
        };
        let got = read(&path, &everything());
        assert!(got.errors.is_empty() && got.losses.is_empty(), "{name}");
        let want = first.get_or_insert_with(|| {
            let xml = unpack(&path);
            assert_same(&got.rows, &xml, name);
            assert!(read_whole(&xml, &everything()).rows == got.rows);
            assert!(read_whole(&gz(&xml), &everything()).rows == got.rows);
            got.rows.clone()
        });
        assert_eq!(want.len(), 2040);
        assert!(got.rows == *want, "{name}");
    }
}

#[test]
fn one_flipped_bit() {
    let (Some(path), Some(intact)) = (
        corpus("derived/elwiki-corrupt-1bit.xml.bz2"),
        corpus("wikimedia-mwbzutils/input/sample-pages-articles.xml.bz2"),
    ) else {
        return;
    };
    let strict = read(&path, &everything());
    assert!(
        matches!(
            strict.errors[..],
            [DumpError::BlockChecksum { bit: 4_734_472, .. }]
        ),
        "{:?}",
        strict.errors
    );
    let intact = read_ranges(&source(&intact), &even(u64::MAX, 1), &everything());
    let salvaged = read(&path, &salvaging());
    assert!(salvaged.errors.is_empty());
    assert_eq!(salvaged.losses.blocks, 1);
    assert_eq!(salvaged.losses.pages_cut, 1);
    assert!(
        salvaged.rows.len() > 1500 && salvaged.rows.len() < 2040,
        "{}",
        salvaged.rows.len()
    );
    assert!(salvaged.rows.iter().all(|row| intact.rows.contains(row)));
}

#[test]
fn a_truncated_file() {
    let Some(path) = corpus("derived/elwiki-truncated.xml.bz2") else {
        return;
    };
    let strict = read(&path, &everything());
    let [
        DumpError::Truncated {
            offset: 892_395,
            last: Some(last),
        },
    ] = &strict.errors[..]
    else {
        panic!("{:?}", strict.errors);
    };
    assert_eq!(last.id, strict.rows.last().map(|row| row.id));
    let salvaged = read(&path, &salvaging());
    assert!(salvaged.errors.is_empty());
    assert!(salvaged.rows == strict.rows);
    assert_eq!(
        (salvaged.losses.truncated, salvaged.losses.pages_cut),
        (1, 1)
    );
}

#[test]
fn a_real_history() {
    let (Some(history), Some(current)) = (
        corpus("aawiki-20260101/aawiki-20260101-pages-meta-history.xml.bz2"),
        corpus("aawiki-20260101/aawiki-20260101-pages-meta-current.xml.bz2"),
    ) else {
        return;
    };
    let all = read(&history, &everything());
    assert!(
        all.errors.is_empty() && all.losses.is_empty(),
        "{}",
        all.losses
    );
    assert_eq!(all.rows.len(), 1307);
    assert_same(&all.rows, &unpack(&history), "history");
    let mut pages: BTreeMap<i64, usize> = BTreeMap::new();
    for row in &all.rows {
        *pages.entry(row.id).or_default() += 1;
    }
    assert_eq!(pages.len(), 507);
    assert_eq!(pages.values().filter(|count| **count > 1).count(), 237);
    assert!(
        all.rows
            .iter()
            .any(|row| row.revision.model.as_deref() != Some("wikitext"))
    );

    // The latest revisions of the history are the current pages.
    let youngest = read(&history, &latest());
    let current = read(&current, &latest());
    assert!(youngest.rows == current.rows);
    assert_eq!(current.rows.len(), 507);
}

#[test]
fn a_small_wiki_in_every_form() {
    let Some(path) = corpus("smallwiki/smallwiki-latest-pages-articles.xml") else {
        return;
    };
    let got = read(&path, &latest());
    assert!(got.errors.is_empty() && got.losses.is_empty());
    assert_eq!(got.rows.len(), 2004);
    assert_eq!(kinds(&got.rows)["redirect"], 195);
    let mut namespaces: BTreeMap<i32, usize> = BTreeMap::new();
    for row in &got.rows {
        *namespaces.entry(row.namespace).or_default() += 1;
    }
    assert_eq!(namespaces[&0], 1050);
    assert_eq!(
        (namespaces[&14], namespaces[&10], namespaces[&828]),
        (539, 347, 28)
    );
    let xml = unpack(&path);
    assert_same(&got.rows, &xml, "smallwiki");
    assert!(read_whole(&bz2(&xml, 2), &latest()).rows == got.rows);
    let default = read(&path, &ReadOptions::default());
    assert!(
        default
            .rows
            .iter()
            .all(|row| row.namespace == 0 && row.kind != PageKind::Redirect)
    );
}

#[test]
fn fixtures_of_wikimedia() {
    for (name, pages, revisions) in [
        ("input/pages-articles-p2566p2583.xml.bz2", 17, 17),
        (
            "recompressxml/pages-articles-p2566p2583.multistream.xml.bz2",
            17,
            17,
        ),
        (
            "recompressxml/pages-articles-p2566p2583.multistream-nofooter.xml.bz2",
            17,
            17,
        ),
        (
            "recompressxml/pages-articles-p2566p2583.multistream-noheader.xml.bz2",
            17,
            17,
        ),
        ("input/sample-stubs.gz", 20, 118),
        ("writeuptopageid/stubs-p40p44.xml.gz", 5, 24),
        ("writeuptopageid/header.gz", 0, 0),
        ("writeuptopageid/empty.gz", 0, 0),
        ("dumplastbz2block/pages-articles-last-block.bz2", 116, 116),
        (
            "dumpbz2filefromoffset/from-offset-1486591-raw.bz2",
            363,
            363,
        ),
        ("split_bz2/pages-articles.xml-p1p358.bz2", 0, 0),
    ] {
        let Some(path) = corpus(&format!("wikimedia-mwbzutils/{name}")) else {
            return;
        };
        let all = read(&path, &everything());
        assert!(all.errors.is_empty(), "{name}: {:?}", all.errors);
        if name.starts_with("split") {
            continue;
        }
        assert_eq!(all.rows.len(), revisions, "{name}");
        assert_eq!(read(&path, &latest()).rows.len(), pages, "{name}");
    }
}

/// Wikimedia's splitter puts the pages of the sample into six files.
#[test]
fn files_split_by_wikimedia_hold_the_pages_of_the_whole() {
    let Some(whole) = corpus("wikimedia-mwbzutils/input/sample-pages-articles.xml.bz2") else {
        return;
    };
    let want = read(&whole, &latest()).rows;
    let mut got = Vec::new();
    for name in [
        "p1p358",
        "p359p1020",
        "p1021p1365",
        "p1366p1589",
        "p1590p2034",
        "p2035p2689",
    ] {
        let Some(path) = corpus(&format!(
            "wikimedia-mwbzutils/split_bz2/pages-articles.xml-{name}.bz2"
        )) else {
            return;
        };
        let part = read(&path, &latest());
        assert!(part.errors.is_empty(), "{name}: {:?}", part.errors);
        let (first, last) = name[1..].split_once('p').unwrap();
        let range = first.parse().unwrap()..=last.parse::<i64>().unwrap();
        assert!(
            part.rows.iter().all(|row| range.contains(&row.id)),
            "{name}"
        );
        got.extend(part.rows);
    }
    assert_eq!(got.len(), want.len());
    assert!(got == want);
}

#[test]
fn dumps_of_many_languages() {
    let Some(folder) = corpus("dbpedia-minidumps") else {
        return;
    };
    let (mut files, mut rows) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "bz2") {
            continue;
        }
        let got = read(&path, &everything());
        assert!(
            got.errors.is_empty() && got.losses.is_empty(),
            "{path:?} {:?}",
            got.errors
        );
        assert_same(&got.rows, &unpack(&path), &path.to_string_lossy());
        files += 1;
        rows += got.rows.len();
    }
    println!("{files} files, {rows} rows");
    assert!(files >= 120 && rows >= files);
}

#[test]
fn small_fixtures() {
    for (name, pages, revisions) in [
        ("mwxml/dump.xml", 2, 3),
        ("wikihadoop-history/page_sample.xml", 3, 6),
        ("wikipedia2vec/enwiki-pages-articles-sample.xml.bz2", 3, 3),
        (
            "seed-wikiduper/near-duplicate-wiki-articles.xml.bz2",
            36,
            36,
        ),
        ("seed-wikiduper/Katrina.xml", 93, 93),
    ] {
        let Some(path) = corpus(name) else {
            return;
        };
        let all = read(&path, &everything());
        assert!(
            all.errors.is_empty() && all.losses.pages() == 0,
            "{name}: {:?}",
            all.errors
        );
        assert_eq!(all.rows.len(), revisions, "{name}");
        assert_eq!(read(&path, &latest()).rows.len(), pages, "{name}");
    }
}

/// A block that expands to 46 MB passes in windows.
#[test]
fn blocks_that_expand_fifty_fold() {
    for name in ["ch255", "idx899999"] {
        let Some(path) = corpus(&format!("conformance/bzip2-lbzip2/{name}.bz2")) else {
            return;
        };
        let file = source(&path);
        let found = DumpInfo::read(&file, OnError::Fail);
        assert!(matches!(found, Err(DumpError::NoPages)), "{found:?}");
        let length = file.len();
        let reader = DumpReader::open(file, 0..length, Arc::default(), everything());
        let pages: Result<Vec<Page>, DumpError> = reader.unwrap().collect();
        assert_eq!(pages.unwrap().len(), 0);
    }
}
