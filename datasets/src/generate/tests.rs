//! The corpus as a whole: the same bytes for the same seed, the specified clusters, and
//! dumps that give the rows back.

use std::collections::{BTreeMap, HashSet};

use quick_xml::events::Event;

use crate::test_similarity::characters;

use super::{DumpWriter, Generator, Kind, Position, Row, Spec};

fn corpus(rows: u64, seed: u64, kind: Kind) -> Generator {
    Generator::new(Spec { rows, seed, kind })
}

/// FNV-1a over all columns of the rows.
fn fingerprint(rows: impl Iterator<Item = Row>) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    for row in rows {
        let line = format!(
            "{}\t{:?}\t{}\t{}\t{}\n",
            row.id, row.cluster, row.kind, row.member, row.text
        );
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
    }
    hash
}

#[test]
fn a_seed_means_the_same_bytes_for_ever() {
    let of = |seed, kind| fingerprint(corpus(10_000, seed, kind).take(1_000));
    let got = [Kind::Sentences, Kind::Documents].map(|kind| [of(1, kind), of(2, kind)]);
    assert_eq!(
        got,
        [
            [0x69C3885C9B5F0C1A, 0x1B480D7D761717AD],
            [0xD8E660167C2507F6, 0x224C432556AB8F95]
        ]
    );
}

#[test]
fn tiny_corpora_are_whole() {
    for kind in [Kind::Sentences, Kind::Documents] {
        for rows in [0, 1, 2, 3, 6, 7, 10, 29] {
            assert_eq!(
                corpus(rows, 1, kind)
                    .filter(|row| row.text.len() >= 50)
                    .count() as u64,
                rows
            );
        }
    }
}

#[test]
fn rows_do_not_depend_on_how_they_are_read() {
    let all: Vec<Row> = corpus(3_000, 7, Kind::Sentences).collect();
    assert!(all.iter().map(|row| row.id).eq(0..3_000));
    for chunk in [1, 7, 999, 4_000] {
        let whole = corpus(3_000, 7, Kind::Sentences);
        let mut rows = Vec::new();
        for start in (0..3_000).step_by(chunk) {
            rows.extend(whole.range(start..start + chunk as u64));
        }
        assert_eq!(rows, all, "chunks of {chunk}");
    }
    let skipping = corpus(3_000, 7, Kind::Sentences);
    assert!(
        skipping
            .clone()
            .step_by(13)
            .eq(all.iter().step_by(13).cloned())
    );
    for row in all.iter().rev().step_by(17) {
        let truth = skipping.truth(row.id).unwrap();
        assert_eq!(
            (truth.cluster, truth.kind, truth.member),
            (row.cluster, row.kind, row.member)
        );
    }
    assert_eq!(skipping.truth(3_000), None);
    assert_eq!(skipping.truth(-1), None);
    assert_eq!(corpus(0, 7, Kind::Sentences).next(), None);
}

#[test]
fn most_rows_are_alone_and_most_clusters_small() {
    let generator = corpus(100_000, 3, Kind::Sentences);
    let mut sizes = BTreeMap::<i64, usize>::new();
    let mut kinds = BTreeMap::<&str, HashSet<i64>>::new();
    for truth in (0..100_000).filter_map(|id| generator.truth(id)) {
        if let Some(cluster) = truth.cluster {
            *sizes.entry(cluster).or_default() += 1;
            kinds.entry(truth.kind).or_default().insert(cluster);
        }
    }
    assert!((29_999..=30_000).contains(&sizes.values().sum::<usize>()));
    assert_eq!([sizes[&0], sizes[&1], sizes[&2]], [3_000, 2_000, 1_000]);
    let small = sizes.values().filter(|&&size| size <= 3).count();
    assert!((0.72..0.82).contains(&(small as f64 / sizes.len() as f64)));
    let shares: Vec<(&str, usize)> = kinds
        .iter()
        .map(|(kind, clusters)| (*kind, clusters.len() * 100 / sizes.len()))
        .collect();
    assert_eq!(shares.len(), 5);
    for (kind, share) in shares {
        assert!(
            (12..28).contains(&share),
            "{share} percent of the clusters are {kind}"
        );
    }
}

#[test]
fn texts_in_no_cluster_are_distinct() {
    let mut seen = HashSet::new();
    for row in corpus(20_000, 1, Kind::Sentences).filter(|row| row.cluster.is_none()) {
        assert_eq!(row.kind, "background");
        assert!(seen.insert(row.text));
    }
    assert_eq!(seen.len(), 14_000);
}

/// For each kind the similarities of the members to their base, in rising order.
fn similarities(generator: Generator) -> BTreeMap<&'static str, Vec<f64>> {
    let mut clusters = BTreeMap::<i64, Vec<Row>>::new();
    for row in generator.filter(|row| row.cluster.is_some()) {
        clusters.entry(row.cluster.unwrap()).or_default().push(row);
    }
    let mut found = BTreeMap::<&str, Vec<f64>>::new();
    for members in clusters.values() {
        let base = members.iter().find(|row| row.member == 0).unwrap();
        for row in members.iter().filter(|row| row.member > 0).take(30) {
            assert_eq!(row.kind, base.kind);
            found
                .entry(row.kind)
                .or_default()
                .push(characters(&base.text, &row.text));
        }
    }
    found
        .values_mut()
        .for_each(|values| values.sort_by(f64::total_cmp));
    found
}

fn assert_similar(found: &BTreeMap<&str, Vec<f64>>, minima: &[(&str, f64, f64)]) {
    for &(kind, tenth, median) in minima {
        let values = &found[kind];
        let at = |percent: usize| values[values.len() * percent / 100];
        let got = (at(10), at(50));
        assert!(
            got.0 >= tenth && got.1 >= median,
            "{kind}: {got:?} of {}",
            values.len()
        );
        assert!(kind == "identical" || at(50) < 1.0, "{kind} are edited");
    }
}

#[test]
fn planted_sentences_are_similar() {
    let found = similarities(corpus(10_000, 1, Kind::Sentences));
    assert_similar(
        &found,
        &[
            ("identical", 1.0, 1.0),
            ("characters", 0.7, 0.85),
            ("words", 0.55, 0.75),
            ("numbers", 0.7, 0.85),
            ("template", 0.5, 0.7),
        ],
    );
    let generator = corpus(10_000, 1, Kind::Sentences);
    let background: Vec<Row> = generator
        .filter(|row| row.cluster.is_none())
        .take(400)
        .collect();
    for pair in background.windows(2) {
        assert!(characters(&pair[0].text, &pair[1].text) < 0.5);
    }
}

#[test]
fn planted_documents_are_similar() {
    let generator = corpus(300, 1, Kind::Documents);
    for row in generator.clone().take(100) {
        let words = row.text.split(' ').count();
        assert!(
            (120..2_500).contains(&words),
            "{words} words in document {}",
            row.id
        );
    }
    assert_similar(
        &similarities(generator),
        &[
            ("identical", 1.0, 1.0),
            ("characters", 0.7, 0.85),
            ("words", 0.7, 0.8),
            ("numbers", 0.7, 0.85),
            ("template", 0.7, 0.8),
        ],
    );
}

/// Titles, ids and texts of the pages of a dump, read with a general XML reader; checks the
/// declared lengths.
fn pages(dump: &[u8]) -> Vec<(i64, String)> {
    let mut reader = quick_xml::Reader::from_reader(dump);
    let (mut pages, mut value, mut declared, mut id, mut depth) =
        (Vec::new(), String::new(), 0, 0, 0);
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(tag) => {
                depth += 1;
                value.clear();
                if let Some(bytes) = tag.try_get_attribute("bytes").unwrap() {
                    declared = std::str::from_utf8(&bytes.value).unwrap().parse().unwrap();
                }
            }
            Event::Text(text) => value.push_str(&text.decode().unwrap()),
            Event::GeneralRef(entity) => value.push_str(match entity.decode().unwrap().as_ref() {
                "amp" => "&",
                "lt" => "<",
                "gt" => ">",
                "quot" => "\"",
                other => panic!("unexpected entity {other}"),
            }),
            Event::End(tag) => {
                match (depth, tag.name().as_ref()) {
                    (3, b"id") => id = value.parse().unwrap(),
                    (4, b"text") => {
                        assert_eq!(value.len(), declared);
                        pages.push((id, std::mem::take(&mut value)));
                    }
                    _ => {}
                }
                depth -= 1;
            }
            Event::Eof => return pages,
            _ => {}
        }
    }
}

/// The paragraphs of a page without the markup that the writer adds.
fn paragraphs(wikitext: &str) -> Vec<String> {
    let body = match wikitext.split_once("\n}}\n") {
        Some((_, body)) => body,
        None => wikitext,
    };
    body.split("\n\n")
        .filter(|paragraph| !paragraph.starts_with("[[Category:"))
        .map(|paragraph| {
            let paragraph = paragraph.split("<ref>").next().unwrap();
            let mut plain = String::new();
            for (index, piece) in paragraph.split("[[").enumerate() {
                match piece.split_once("]]") {
                    Some((link, rest)) if index > 0 => {
                        plain.push_str(link.split('|').next_back().unwrap());
                        plain.push_str(rest);
                    }
                    _ => plain.push_str(piece),
                }
            }
            plain
        })
        .collect()
}

fn dump(spec: Spec) -> (Vec<Position>, Vec<u8>) {
    let mut writer = DumpWriter::new(Vec::new(), spec).unwrap();
    let positions = Generator::new(spec)
        .map(|row| writer.write(&row).unwrap())
        .collect();
    (positions, writer.finish().unwrap())
}

#[test]
fn a_dump_of_sentences_gives_them_back() {
    let spec = Spec {
        rows: 2_000,
        seed: 5,
        kind: Kind::Sentences,
    };
    let (positions, dump) = dump(spec);
    let pages: BTreeMap<i64, Vec<String>> = pages(&dump)
        .into_iter()
        .map(|(id, text)| (id, paragraphs(&text)))
        .collect();
    assert_eq!(pages.values().map(Vec::len).sum::<usize>(), 2_000);
    assert!(pages.values().all(|page| page.len() <= 12));
    for (row, position) in Generator::new(spec).zip(positions) {
        assert_eq!(
            pages[&position.page_id][position.sentence_no as usize],
            row.text
        );
    }
}

#[test]
fn a_dump_of_documents_has_a_page_for_each() {
    let spec = Spec {
        rows: 60,
        seed: 5,
        kind: Kind::Documents,
    };
    let (positions, dump) = dump(spec);
    let pages: BTreeMap<i64, String> = pages(&dump)
        .into_iter()
        .map(|(id, text)| (id, paragraphs(&text).join(" ")))
        .collect();
    assert_eq!(pages.len(), 60);
    for (row, position) in Generator::new(spec).zip(positions) {
        assert_eq!(pages[&position.page_id], row.text);
    }
}

#[test]
fn an_empty_dump_is_well_formed() {
    let (_, dump) = dump(Spec {
        rows: 0,
        seed: 1,
        kind: Kind::Sentences,
    });
    assert!(pages(&dump).is_empty());
}
